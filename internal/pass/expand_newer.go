package pass

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// ExpandNewer writes operations that came with Triton 3.9 in terms of those before them, so that no target
// needs to know them. An atomic load changes no bit of memory, an atomic store ignores what was there, and a
// poll loads until memory holds what is expected:
//
//	%x = tt.atomic_load acquire, gpu, %p, %m     =>   %x = tt.atomic_rmw or, acquire, gpu, %p, 0, %m
//	tt.atomic_store release, gpu, %p, %x, %m     =>   tt.atomic_rmw exch, release, gpu, %p, %x, %m
//	tt.grid_dependency_wait                      =>   tt.elementwise_inline_asm "griddepcontrol.wait; …"
var ExpandNewer = Pass{
	Name: "nereid-expand-newer",
	Doc:  "write operations of newer releases of Triton in terms of older ones",
	Run: func(ctx *Context, m *ir.Module) error {
		var newer []*ir.Op
		m.Op.WalkPost(func(op *ir.Op) {
			if expansions[op.Def] != nil {
				newer = append(newer, op)
			}
		})
		for _, op := range newer {
			ctx.At(op)
			if err := expansions[op.Def](ir.At(op), op); err != nil {
				return err
			}
		}
		return nil
	},
}

var expansions = map[*ir.OpDef]func(*ir.Builder, *ir.Op) error{
	tt.AtomicLoad:  expandAtomicLoad,
	tt.AtomicStore: expandAtomicStore,
	tt.AtomicPoll:  expandPoll,
	tt.GridWait:    dependency("griddepcontrol.wait; // dummy $0"),
	tt.GridLaunch:  dependency("griddepcontrol.launch_dependents; // dummy $0"),
}

// dependency returns the expansion of an operation between grids. The assembly must have a result.
func dependency(text string) func(*ir.Builder, *ir.Op) error {
	return func(b *ir.Builder, op *ir.Op) error {
		asm(b, text, "=r", ir.I32)
		op.Erase()
		return nil
	}
}

func asm(b *ir.Builder, text, constraints string, result ir.Type) *ir.Value {
	return b.ValA(tt.InlineAsm, result, []ir.NamedAttr{ir.A("asm_string", ir.Str(text)),
		ir.A("constraints", ir.Str(constraints)), ir.A("pure", ir.BoolAttr(false)),
		ir.A("packed_element", ir.I32Attr(1))})
}

// place is memory as integers: what atomics work on.
type place struct {
	ptr, mask  *ir.Value
	word       ir.Type // the integers in the shape of the pointers
	sem, scope ir.NamedAttr
}

// placeOf returns the memory of an atomic operation, whose elements have the type elem in the pointer's
// shape.
func placeOf(b *ir.Builder, op *ir.Op, ptr, mask *ir.Value, elem ir.Type) (place, error) {
	bits := ir.BitWidth(ir.ElemOf(elem))
	if bits != 32 && bits != 64 {
		return place{}, fmt.Errorf("tt.%s of elements of %d bits is not supported: 32 and 64 are",
			op.Def.Name, bits)
	}
	p := place{ptr, mask, ir.WithElem(elem, ir.Int(bits)), ir.A("sem", op.Attr("sem")),
		ir.A("scope", op.Attr("scope"))}
	if p.word != elem {
		p.ptr = b.Val(tt.Bitcast, tt.PtrTo(p.word), ptr)
	}
	return p, nil
}

func (p place) rmw(b *ir.Builder, kind int64, v *ir.Value) *ir.Value {
	return b.Groups(tt.AtomicRMW, [][]*ir.Value{{p.ptr}, {v}, {p.mask}}, []ir.Type{p.word},
		ir.A("atomic_rmw_op", ir.I32Attr(kind)), p.sem, p.scope).Result(0)
}

func (p place) load(b *ir.Builder) *ir.Value { return p.rmw(b, tt.RMWOr, filled(b, p.word, 0)) }

// filled returns an integer constant, or a block of one.
func filled(b *ir.Builder, t ir.Type, v int64) *ir.Value {
	var a ir.Attr = ir.IntAttr(v, ir.ElemOf(t))
	if _, ok := t.(*ir.TensorType); ok {
		a = ir.DenseSplat(t, a)
	}
	return b.ValA(arith.Constant, t, []ir.NamedAttr{ir.A("value", a)})
}

func expandAtomicLoad(b *ir.Builder, op *ir.Op) error {
	x := op.Result(0)
	p, err := placeOf(b, op, op.Operand(0), op.Operand(1), x.Type)
	if err != nil {
		return err
	}
	v := p.load(b)
	if p.word != x.Type {
		v = b.Val(tt.Bitcast, x.Type, v)
	}
	x.ReplaceAllUses(v)
	op.Erase()
	return nil
}

func expandAtomicStore(b *ir.Builder, op *ir.Op) error {
	v := op.Operand(1)
	p, err := placeOf(b, op, op.Operand(0), op.Operand(2), v.Type)
	if err != nil {
		return err
	}
	if p.word != v.Type {
		v = b.Val(tt.Bitcast, p.word, v)
	}
	p.rmw(b, tt.RMWXchg, v)
	op.Erase()
	return nil
}

// expandPoll makes a loop that loads where memory has not held the expected value yet. It ends when it has
// everywhere, or when time is up.
func expandPoll(b *ir.Builder, op *ir.Op) error {
	want, found := op.Operand(1), op.Result(0)
	no := filled(b, found.Type, 0)
	yes := filled(b, found.Type, 1)
	p, err := placeOf(b, op, op.Operand(0), nil, want.Type)
	if err != nil {
		return err
	}
	var start, limit *ir.Value
	if len(op.Operands()) > 2 {
		start, limit = timer(b), op.Operand(2)
	}
	loop := scf.NewWhile(b, []*ir.Value{no}, []ir.Type{found.Type})
	b.ToEnd(loop.Body(0))
	before := loop.Body(0).Arg(0)
	p.mask = b.Val(arith.XOrI, found.Type, before, yes)
	equal := compare(b, arith.EQ, found.Type, p.load(b), want)
	now := b.Val(arith.OrI, found.Type, before, b.Val(arith.AndI, found.Type, equal, p.mask))
	again := b.Val(arith.XOrI, ir.I1, allOf(b, now), filled(b, ir.I1, 1))
	if limit != nil {
		passed := b.Val(arith.SubI, ir.I64, timer(b), start)
		again = b.Val(arith.AndI, ir.I1, again, compare(b, arith.ULT, ir.I1, passed, limit))
	}
	b.Op(scf.Condition, []*ir.Value{again, now}, nil)
	b.ToEnd(loop.Body(1))
	scf.MakeYield(b, loop.Body(1).Arg(0))
	found.ReplaceAllUses(loop.Result(0))
	op.Erase()
	return nil
}

func compare(b *ir.Builder, predicate int64, t ir.Type, x, y *ir.Value) *ir.Value {
	return b.ValA(arith.CmpI, t, []ir.NamedAttr{ir.A("predicate", ir.I64Attr(predicate))}, x, y)
}

// timer returns the nanoseconds of the GPU's clock.
func timer(b *ir.Builder) *ir.Value { return asm(b, "mov.u64 $0, %globaltimer;", "=l", ir.I64) }

// allOf returns whether all elements of a block of bools hold; a scalar stays itself.
func allOf(b *ir.Builder, v *ir.Value) *ir.Value {
	t, ok := v.Type.(*ir.TensorType)
	if !ok {
		return v
	}
	n := int64(1)
	for _, d := range t.Shape {
		n *= d
	}
	if t.Rank() > 1 {
		v = b.ValA(tt.Reshape, ir.Tensor([]int64{n}, ir.I1, nil),
			[]ir.NamedAttr{ir.A("allow_reorder", ir.Unit)}, v)
	}
	block := ir.NewBlock(ir.I1, ir.I1)
	op := b.Create(ir.State{Def: tt.Reduce, Operands: []*ir.Value{v}, Results: []ir.Type{ir.I1},
		Attrs: []ir.NamedAttr{ir.A("axis", ir.I32Attr(0))}, Regions: []*ir.Region{ir.NewRegion(block)}})
	inner := ir.NewBuilder(block)
	inner.Op(tt.ReduceReturn, []*ir.Value{inner.Val(arith.AndI, ir.I1, block.Arg(0), block.Arg(1))}, nil)
	return op.Result(0)
}
