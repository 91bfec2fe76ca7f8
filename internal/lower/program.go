package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/mathlib"
	"github.com/nereid-lang/nereid/internal/rules"
	"github.com/nereid-lang/nereid/internal/uniform"
)

// program is the state that a kernel's functions share: the LLVM module under construction.
type program struct {
	opts    Options
	vendor  Vendor
	ownOps  map[*ir.OpDef]fact // operations of the vendor
	module  *ir.Module
	rules   *rules.Set // values of the module's rules
	warps   int
	ctas    int // blocks of a program: 1 without clusters
	layouts map[ir.Type]layout.Layout
	decls   map[string]string
	globals []string          // definitions of strings for printf and assertions
	strings map[string]string // global name by text
	math    *mathlib.Library
	bodies  []string // text of the functions, callees first
	debug   debugInfo
	frames  map[*ir.Op]*frame
	where   *address.Analysis // nil until addresses is called

	mapWords bool // the words of a descriptor lie behind its tensor map

	check       *Check // nil unless the code is checked
	needsInside bool   // it calls nereid.inside

	scopes []string // names of scopes that were recorded

	uniform *uniform.Program // computes the words of the kernel's last parameter; may be nil

	shared                int // bytes of shared memory
	ptx                   int // version of PTX that the instructions need
	scratch, scratchAlign int
	scratchAt             map[*ir.Op]int // by allocation and by call, in the function's part
	scratchOf             map[*ir.Op]int // sizes by function, with those of its callees
}

// frame is the part of shared memory that a function uses. Functions do not recurse, so its place is fixed:
// behind the frames of all callers.
type frame struct{ base, size int }

func newProgram(m *ir.Module, opts Options) *program {
	return &program{
		opts: opts, vendor: opts.Vendor, ownOps: opts.Vendor.ops(), module: m,
		rules: rules.Of(m.Text(rules.Attr)),
		warps: int(m.IntOr(ttg.NumWarpsAttr, 4)), ctas: int(m.IntOr(ttg.NumCTAsAttr, 1)),
		layouts: map[ir.Type]layout.Layout{}, decls: map[string]string{}, strings: map[string]string{},
		math:     mathlib.New(opts.mathTarget(), "#1"),
		mapWords: needsMapWords(m.Op, opts.Vendor),
		frames:   map[*ir.Op]*frame{}, scratchAt: map[*ir.Op]int{}, scratchOf: map[*ir.Op]int{},
	}
}

// lower writes the kernel and all functions that it reaches.
func (g *program) lower(kernel *ir.Op) {
	if err := g.vendor.checkCluster(g.ctas); err != nil {
		fail(kernel, "%v", err)
	}
	if n := ttg.ThreadsPerWarp(g.module.Op); n != g.vendor.lanes() {
		fail(kernel, "the module is for warps of %d threads, and this GPU's have %d", n, g.vendor.lanes())
	}
	order := g.callOrder(kernel)
	for _, fn := range order { // callers first: a frame lies behind those of its callers
		g.place(fn)
	}
	for _, fn := range slices.Backward(order) {
		g.scratch = g.placeScratch(fn) // that of the kernel, which comes last
	}
	scoped := hasScopes(order)
	if scoped {
		g.scopes = []string{wholeNumber: gpucode.WholeScope}
	}
	for i := len(order) - 1; i >= 0; i-- {
		l := g.newLowering(order[i])
		l.whole = scoped && order[i] == kernel
		l.alloc = allocate(l, g.frames[order[i]].base)
		l.function(order[i] == kernel)
	}
}

// threads returns the number of threads of a block.
func (g *program) threads() int { return g.warps * g.vendor.lanes() }

// addresses returns the analysis of pointers, computed at the first call.
func (g *program) addresses() *address.Analysis {
	if g.where == nil {
		g.where = address.New(g.module.Op)
	}
	return g.where
}

// callOrder returns the functions reachable from kernel, callers before callees. It fails on recursion.
func (g *program) callOrder(kernel *ir.Op) []*ir.Op {
	state := map[*ir.Op]int{} // 1 while its callees are visited, 2 when done
	var post []*ir.Op
	var visit func(fn *ir.Op)
	visit = func(fn *ir.Op) {
		state[fn] = 1
		for op := range fn.Ops() {
			if op.Def != tt.Call {
				continue
			}
			callee := g.callee(op)
			switch state[callee] {
			case 1:
				fail(op, "%s calls itself", callee.Text("sym_name"))
			case 0:
				visit(callee)
			}
		}
		state[fn] = 2
		post = append(post, fn)
	}
	visit(kernel)
	for i, j := 0, len(post)-1; i < j; i, j = i+1, j-1 {
		post[i], post[j] = post[j], post[i]
	}
	return post
}

// callee returns the function that a call names.
func (g *program) callee(op *ir.Op) *ir.Op {
	ref, ok := op.Attr("callee").(*ir.SymbolRefAttr)
	if !ok {
		fail(op, "a call of nothing")
	}
	fn := g.module.Lookup(ref.Root)
	if fn == nil || fn.Def != tt.Func || fn.Region(0).Empty() {
		fail(op, "there is no function %s", ref.Root)
	}
	return fn
}

// place fixes the frame of fn and moves the frames of its callees behind it.
func (g *program) place(fn *ir.Op) {
	f := g.frames[fn]
	if f == nil {
		f = &frame{}
		g.frames[fn] = f
	}
	l := g.newLowering(fn)
	f.size = placeBuffers(l, memRoots(fn), f.base).size
	g.shared = max(g.shared, f.base+f.size)
	for op := range fn.Ops() {
		if op.Def == tt.Call {
			callee := g.callee(op)
			if g.frames[callee] == nil {
				g.frames[callee] = &frame{}
			}
			g.frames[callee].base = max(g.frames[callee].base, align(f.base+f.size, sharedAlign))
		}
		if op.Def == ttg.GlobalScratchAlloc {
			g.scratchAlign = max(g.scratchAlign, int(op.IntOr("alignment", 1)))
		}
	}
}

// text returns the whole module.
func (g *program) text() []byte {
	var b strings.Builder
	b.WriteString(g.vendor.header() + "\n")
	if g.shared > 0 {
		b.WriteString("@global_smem = external addrspace(3) global [0 x i8], align 16\n\n")
	}
	if g.scopes != nil {
		b.WriteString(scopesText)
	}
	for _, s := range append(g.globals, g.math.Globals()...) {
		b.WriteString(s + "\n")
	}
	for _, s := range g.bodies {
		b.WriteString(s)
	}
	b.WriteString(g.checkText())
	b.WriteString(g.math.Text())
	maps.Copy(g.decls, g.math.Declares())
	b.WriteString(declarations(g.decls))
	b.WriteString("\n\n" + g.attributes())
	b.WriteString(g.debug.text())
	return []byte(b.String())
}

// attributes returns the attribute groups: #0 of the kernel, #1 of mathlib's functions, #2 of other
// functions, #3 of convergent assembly.
func (g *program) attributes() string {
	return "attributes #0 = { nounwind " + g.vendor.limits(g) + " }\n" +
		"attributes #1 = { alwaysinline nounwind willreturn memory(none) }\n" +
		"attributes #2 = { noinline nounwind }\n" +
		"attributes " + convergent + " = { convergent nounwind }\n"
}

// convergent is the attribute of assembly that all threads of a warp execute together: LLVM must not move it
// into a branch.
const convergent = "#3"

// str returns a global that holds s with a terminating zero.
func (g *program) str(s string) string {
	if name, ok := g.strings[s]; ok {
		return name
	}
	name := fmt.Sprintf("@str%d", len(g.globals))
	g.strings[s] = name
	g.globals = append(g.globals, fmt.Sprintf("%s = internal addrspace(1) constant [%d x i8] "+
		"c\"%s\\00\", align 1", name, len(s)+1, quote(s)))
	return name
}
