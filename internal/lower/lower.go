package lower

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// Options choose the target.
type Options struct {
	Capability int // 80 for sm_80
	// Contiguity is how many consecutive elements of a pointer tensor, from an aligned start, lie next to each other in memory, and
	// MaskAlign how many consecutive elements of a mask are equal; nil functions say 1.
	Contiguity func(ptr *ir.Value) int
	MaskAlign  func(mask *ir.Value) int
}

// Kernel is a lowered kernel.
type Kernel struct {
	Name     string
	IR       []byte // LLVM IR
	Shared   int    // bytes of dynamic shared memory
	NumWarps int
	Params   int // number of arguments
}

// Lower lowers the kernel of a name.
func Lower(m *ir.Module, kernel string, opts Options) (k *Kernel, err error) {
	fn := m.Lookup(kernel)
	if fn == nil || fn.Def != tt.Func {
		return nil, fmt.Errorf("lower: the module has no kernel %s", kernel)
	}
	l := &lowering{
		writer: newWriter(), opts: opts, module: m, vals: map[*ir.Value]value{}, layouts: map[ir.Type]layout.Layout{},
		labels: map[*ir.Block]string{}, phis: map[*ir.Block][]*phi{}, waiting: map[*ir.Block][]edge{}, warps: int(m.IntOr("ttg.num-warps", 4)),
	}
	defer func() {
		if r := recover(); r != nil {
			u, ok := r.(*unsupported)
			if !ok {
				panic(r)
			}
			k, err = nil, u
		}
	}()
	l.alloc = allocate(fn, l)
	l.function(fn)
	return &Kernel{Name: kernel, IR: l.text(fn), Shared: l.alloc.size, NumWarps: l.warps, Params: len(fn.Body(0).Args())}, nil
}

// unsupported is an operation that cannot be lowered, with its place.
type unsupported struct {
	op  *ir.Op
	msg string
}

func (u *unsupported) Error() string {
	where := ""
	if f := ir.FileLocOf(u.op.Loc); f != nil {
		where = fmt.Sprintf("%s:%d:%d: ", f.File, f.Line, f.Col)
	}
	return fmt.Sprintf("%scannot lower %s: %s", where, u.op.Name(), u.msg)
}

// value is what an IR value is in LLVM: one name for each register, or a descriptor of shared memory.
type value struct {
	regs []string
	mem  *memory
}

// lowering is the state of one kernel.
type lowering struct {
	*writer
	opts    Options
	module  *ir.Module
	vals    map[*ir.Value]value
	layouts map[ir.Type]layout.Layout
	labels  map[*ir.Block]string
	phis    map[*ir.Block][]*phi
	waiting map[*ir.Block][]edge
	alloc   *allocation
	warps   int
	ids     threadIDs
	globals []string // strings for printf and the like
}

func (l *lowering) fail(op *ir.Op, format string, args ...any) {
	panic(&unsupported{op, fmt.Sprintf(format, args...)})
}

// layout is the linear layout of a tensor type.
func (l *lowering) layout(op *ir.Op, t ir.Type) layout.Layout {
	if ll, ok := l.layouts[t]; ok {
		return ll
	}
	ll, err := ttglayout.Of(t)
	if err != nil {
		l.fail(op, "%v", err)
	}
	l.layouts[t] = ll
	return ll
}

// numRegs is the number of registers of a value of a type: 1 for a scalar.
func (l *lowering) numRegs(op *ir.Op, t ir.Type) int {
	if t == ttg.Token {
		return 0
	}
	if _, ok := t.(*ir.TensorType); !ok {
		return 1
	}
	return l.layout(op, t).InSize(layout.Register)
}

// regs are the registers of a value.
func (l *lowering) regs(v *ir.Value) []string { return l.vals[v].regs }

// scalar is the only register of a scalar.
func (l *lowering) scalar(v *ir.Value) string { return l.vals[v].regs[0] }

func (l *lowering) set(v *ir.Value, regs []string)  { l.vals[v] = value{regs: regs} }
func (l *lowering) setOne(v *ir.Value, name string) { l.vals[v] = value{regs: []string{name}} }

// function lowers the kernel's body.
func (l *lowering) function(fn *ir.Op) {
	for i, a := range fn.Body(0).Args() {
		l.setOne(a, fmt.Sprintf("%%arg%d", i))
	}
	l.threadIDs()
	l.region(fn.Region(0))
}

// region lowers the blocks of a function: branches between them carry values to phis.
func (l *lowering) region(r *ir.Region) {
	for b := range r.Blocks() {
		if b != r.First() {
			l.labels[b] = l.label("bb")
		}
	}
	for b := range r.Blocks() {
		if b != r.First() {
			if len(preds(b)) == 0 {
				continue // never reached: the block that Triton puts behind a return
			}
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
	for _, ps := range l.phis {
		l.patch(ps...)
	}
}

// preds are the blocks that branch to b.
func preds(b *ir.Block) []*ir.Block {
	var out []*ir.Block
	for p := range b.Region().Blocks() {
		for _, s := range p.Successors() {
			if s == b {
				out = append(out, p)
			}
		}
	}
	return out
}

// openPhis makes a phi for each register of v.
func (l *lowering) openPhis(v *ir.Value) []*phi {
	n := l.numRegs(v.Block().Parent(), v.Type)
	ps := make([]*phi, n)
	regs := make([]string, n)
	for i := range ps {
		ps[i] = l.phi(l.llvmType(v.Type))
		regs[i] = ps[i].name
	}
	l.set(v, regs)
	return ps
}

// comeFrom gives phis the values vs along the edge from the current block.
func (l *lowering) comeFrom(ps []*phi, vs []*ir.Value) {
	i := 0
	for _, v := range vs {
		for _, r := range l.regs(v) {
			ps[i].from(r, l.block)
			i++
		}
	}
}

// block_ lowers the operations of a block.
func (l *lowering) block_(b *ir.Block) {
	for op := range b.Ops() {
		l.op(op)
	}
}

func (l *lowering) op(op *ir.Op) {
	f := handlers[op.Def]
	if f == nil {
		l.fail(op, "there is no lowering for it")
	}
	f(l, op)
}

// text is the whole module.
func (l *lowering) text(fn *ir.Op) []byte {
	var b strings.Builder
	b.WriteString("target triple = \"nvptx64-nvidia-cuda\"\n")
	b.WriteString("target datalayout = \"e-p3:32:32-p4:32:32-p5:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"\n\n")
	if l.alloc.size > 0 {
		b.WriteString("@global_smem = external addrspace(3) global [0 x i8], align 16\n\n")
	}
	for _, g := range l.globals {
		b.WriteString(g + "\n")
	}
	params := make([]string, len(fn.Body(0).Args()))
	for i, a := range fn.Body(0).Args() {
		params[i] = fmt.Sprintf("%s %%arg%d", l.llvmType(a.Type), i)
	}
	fmt.Fprintf(&b, "define ptx_kernel void @%s(%s) #0 {\n", fn.Text("sym_name"), strings.Join(params, ", "))
	b.WriteString("entry:\n")
	for _, line := range append(l.prologue, l.lines...) {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	b.WriteString("}\n\n")
	b.WriteString(l.declarations())
	fmt.Fprintf(&b, "\n\nattributes #0 = { nounwind \"nvvm.reqntid\"=\"%d\" }\n", l.warps*32)
	return []byte(b.String())
}

// llvmType is the LLVM type of a value of an IR type: that of one element for a tensor.
func (l *lowering) llvmType(t ir.Type) string { return llvmType(t) }

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
	}
	return "ERROR"
}

// bitsOf is the width of an element in memory.
func bitsOf(t ir.Type) int {
	e := ir.ElemOf(t)
	if tt.IsPtr(e) {
		return 64
	}
	return max(8, ir.BitWidth(e))
}
