package lower

import (
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/uniform"
)

// Options describes the target and what the analyses know about the module.
type Options struct {
	Vendor Vendor // the GPUs that the code is for, such as NVIDIA(90)
	// Contiguity returns how many consecutive elements of a pointer tensor, from an aligned start, are
	// adjacent in memory. MaskAlign returns how many consecutive elements of a mask are equal. If nil, both
	// are 1.
	Contiguity func(ptr *ir.Value) int
	MaskAlign  func(mask *ir.Value) int
	// MaskPrefix returns how many consecutive elements of a mask, from an aligned start, form a group in
	// which the true ones come first. If nil, it is MaskAlign.
	MaskPrefix func(mask *ir.Value) int
	// Constancy returns, for each dimension, how many consecutive elements, from an aligned start, are equal.
	// If nil, it is 1.
	Constancy func(v *ir.Value) []int64
	// Runs returns, for each dimension, the length of aligned groups of elements that count up by one from a
	// multiple of the length, Divisor a number that divides all elements, and NotNegative whether none is
	// negative. If nil, nothing is known.
	Runs        func(v *ir.Value) []int64
	Divisor     func(v *ir.Value) int64
	NotNegative func(v *ir.Value) bool
	// Natural reports values that are not negative, but, unlike NotNegative, does not assume that
	// divisors are positive. May be nil: nothing is known.
	Natural func(v *ir.Value) bool
	// Uniform is the largest number of words that the host may compute for a kernel; 0 if it computes none.
	Uniform int
	// Externs says that functions which the vendor's device library does not have are in libraries that are
	// linked later.
	Externs bool
	// Check makes checked code: see check.go.
	Check bool
	// Certify makes code whose floats are elements of a ring: see certify.go.
	Certify bool
	// CopyFences puts proxy fences between cp.async and the products of warp groups that read what it wrote.
	CopyFences bool
	// Budget bounds the code; nil bounds nothing.
	Budget *budget.Meter
}

// Kernel is a lowered kernel.
type Kernel struct {
	Name     string
	IR       []byte // LLVM IR text
	Shared   int    // bytes of dynamic shared memory
	NumWarps int
	Params   int // number of arguments of the function in TTGIR
	PTX      int // version of PTX (84 for 8.4) that the instructions need, 0 for any
	// Scratch is the number of bytes of global memory that each program of the grid needs, ScratchAlign their
	// alignment. If Scratch is not zero, the kernel has one more parameter at the end: a pointer to Scratch
	// bytes for each program.
	Scratch, ScratchAlign int

	// Maps describes the arguments that are tensor maps, in their order.
	Maps []TensorMap

	Check *Check // what checked code checks; nil for other code

	Scopes []string // names of the scopes that the code records, by number; nil if it records none

	// Uniform computes the words of the kernel's last parameter; nil if the host computes nothing.
	Uniform *uniform.Program
}

// Lower lowers the kernel of that name and the functions that it calls. Operations that cannot be lowered are
// errors with their source position.
func Lower(m *ir.Module, kernel string, opts Options) (k *Kernel, err error) {
	fn := m.Lookup(kernel)
	if fn == nil || fn.Def != tt.Func {
		return nil, fmt.Errorf("lower: the module has no kernel %s", kernel)
	}
	if opts.Vendor == nil {
		return nil, errors.New("lower: Options.Vendor is missing: which GPUs is the code for?")
	}
	defer func() {
		if r := recover(); r != nil {
			if over, ok := budget.Recovered(r); ok {
				k, err = nil, fmt.Errorf("lower: %s: %w", kernel, over)
				return
			}
			u, ok := r.(*diag.Refusal)
			if !ok {
				panic(r)
			}
			k, err = nil, u
		}
	}()
	g := newProgram(m, opts)
	if opts.Check {
		g.check = newCheck(fn)
	}
	g.lower(fn)
	return &Kernel{
		Name: kernel, IR: g.text(), Shared: g.shared, NumWarps: g.warps, Params: len(fn.Body(0).Args()),
		PTX: g.ptx, Scratch: g.scratch, ScratchAlign: g.scratchAlign, Maps: tensorMaps(fn), Check: g.check,
		Uniform: g.uniform, Scopes: g.scopes,
	}, nil
}

// value holds the LLVM names of an IR value, one for each register. A buffer in shared memory has two: its
// first byte, and a number that is xored to the offsets of elements, which is not zero for views of a part.
type value struct{ regs []string }

// lowering is the state of a function that is being lowered.
type lowering struct {
	*writer
	*program
	fn         *ir.Op
	vals       map[*ir.Value]value
	labels     map[*ir.Block]string
	phis       map[*ir.Block][]*phi
	waiting    map[*ir.Block][]edge
	subprogram string // metadata of the function, "" for none
	alloc      *allocation
	returns    *returns // returns of the region that is being inlined
	lastWhen   string   // block in which the last when ended
	sure       bool     // all conditions of doubtsBefore hold here
	whole      bool     // it is a kernel that records scopes
	ids        threadIDs
	angles     map[angle]string
	uniforms   *uniforms         // nil if the host computes nothing
	quotients  map[string]string // quotients of byBounded, by dividend and divisor
}

func (g *program) newLowering(fn *ir.Op) *lowering {
	return &lowering{
		writer: newWriter(g.decls, g.opts.Budget), program: g, fn: fn, vals: map[*ir.Value]value{},
		labels: map[*ir.Block]string{}, phis: map[*ir.Block][]*phi{}, waiting: map[*ir.Block][]edge{},
		angles:    map[angle]string{},
		quotients: map[string]string{},
	}
}

// fail refuses an operation that cannot be lowered. The refusal travels as a panic to Lower.
func fail(op *ir.Op, format string, args ...any) {
	panic(ir.Refuse(op, "cannot be lowered: "+format, args...))
}

func (l *lowering) fail(op *ir.Op, format string, args ...any) { fail(op, format, args...) }

// layout returns the linear layout of a tensor type.
func (g *program) layout(op *ir.Op, t ir.Type) layout.Layout {
	if ll, ok := g.layouts[t]; ok {
		return ll
	}
	ll, err := ttglayout.Of(t)
	if err != nil {
		fail(op, "%v", err)
	}
	if ll.HasIn(layout.Block) && ll.InSize(layout.Block) > g.ctas {
		fail(op, "a layout for %d blocks, where a program has %d", ll.InSize(layout.Block), g.ctas)
	}
	if g.ctas > 1 {
		ll = g.onCluster(ll)
	}
	g.layouts[t] = ll
	return ll
}

// numRegs returns the number of registers of a value of type t: 1 for a scalar.
func (g *program) numRegs(op *ir.Op, t ir.Type) int {
	switch {
	case t == ttg.Token:
		return 0
	case ttg.IsMemDesc(t):
		return 2
	}
	if _, ok := t.(*ir.TensorType); !ok {
		return 1
	}
	return g.layout(op, t).InSize(layout.Register)
}

// regs returns the registers of v.
func (l *lowering) regs(v *ir.Value) []string { return l.vals[v].regs }

// scalar returns the only register of v.
func (l *lowering) scalar(v *ir.Value) string { return l.vals[v].regs[0] }

func (l *lowering) set(v *ir.Value, regs []string)  { l.vals[v] = value{regs} }
func (l *lowering) setOne(v *ir.Value, name string) { l.vals[v] = value{[]string{name}} }

// region lowers the blocks of r. Branches between them carry values to phis.
func (l *lowering) region(r *ir.Region) {
	order := l.reachable(r)
	for _, b := range order[1:] {
		l.labels[b] = l.label("bb")
	}
	for _, b := range order {
		if b != r.First() {
			l.begin(l.labels[b])
			l.phis[b] = nil
			for _, a := range b.Args() {
				l.phis[b] = append(l.phis[b], l.openPhis(a)...)
			}
			for _, e := range l.waiting[b] {
				for i, r := range e.regs {
					l.phis[b][i].from(r, e.from)
				}
			}
		}
		l.block_(b)
	}
	for _, b := range order {
		l.patch(l.phis[b]...)
	}
}

// reachable returns the reachable blocks in reverse postorder, in which a block comes after all that dominate
// it.
func (l *lowering) reachable(r *ir.Region) []*ir.Block {
	seen := map[*ir.Block]bool{}
	var post []*ir.Block
	var visit func(b *ir.Block)
	visit = func(b *ir.Block) {
		seen[b] = true
		succ := b.Successors()
		for i := len(succ) - 1; i >= 0; i-- {
			if !seen[succ[i]] {
				visit(succ[i])
			}
		}
		post = append(post, b)
	}
	visit(r.First())
	for i, j := 0, len(post)-1; i < j; i, j = i+1, j-1 {
		post[i], post[j] = post[j], post[i]
	}
	return post
}

// openPhis reserves a phi for each register of v.
func (l *lowering) openPhis(v *ir.Value) []*phi {
	n := l.numRegs(v.Block().Parent(), v.Type)
	ps := make([]*phi, n)
	regs := make([]string, n)
	for i := range ps {
		ps[i] = l.phi(llvmType(v.Type))
		regs[i] = ps[i].name
	}
	l.set(v, regs)
	return ps
}

func (l *lowering) block_(b *ir.Block) {
	for op := range b.Ops() {
		l.op(op)
	}
}

func (l *lowering) op(op *ir.Op) {
	l.opts.Budget.Tick()
	f := l.fact(op.Def).lower
	if f == nil {
		l.fail(op, "there is no lowering for it")
	}
	outer := l.dbg
	if at := l.debug.at(l.subprogram, l.fn, op); at != "" {
		l.dbg = ", !dbg " + at
	}
	l.meetBefore(op)
	f(l, op)
	l.dbg = outer
}

// llvmType returns the LLVM type of a value of type t, or of an element if t is a tensor.
func llvmType(t ir.Type) string {
	switch e := ir.ElemOf(t).(type) {
	case *ir.IntegerType:
		return fmt.Sprintf("i%d", e.Width)
	case *ir.IndexType:
		return "i64"
	case *ir.FloatType:
		switch e.Format.Bits {
		case 64:
			return "double"
		case 32:
			return "float"
		case 16:
			if e == ir.BF16 {
				return "bfloat"
			}
			return "half"
		case 8:
			return "i8"
		}
	case *ir.DialectType:
		if _, space, ok := tt.AsPtr(e); ok {
			return fmt.Sprintf("ptr addrspace(%d)", space)
		}
		if ttg.IsMemDesc(t) {
			return "i32"
		}
		if tt.DescBlock(e) != nil {
			return "ptr" // to a tensor map
		}
	}
	return "ERROR"
}

// bitsOf returns the width of an element in memory.
func bitsOf(t ir.Type) int {
	e := ir.ElemOf(t)
	if tt.IsPtr(e) {
		return 64
	}
	return max(8, ir.BitWidth(e))
}

// ParamSizes returns the sizes of a kernel's arguments in bytes. A vendor without tensor maps may be nil.
func ParamSizes(fn *ir.Op, v Vendor) []int {
	if fn == nil {
		return nil
	}
	var out []int
	hasWords := needsMapWords(fn.Parent(), v)
	for i, a := range fn.Body(0).Args() {
		n := 8
		if w := ir.BitWidth(a.Type); w > 0 {
			n = max(1, w/8)
		}
		if isDesc(a) {
			n = mapParamBytes(fn, i, hasWords)
		}
		out = append(out, n)
	}
	return out
}
