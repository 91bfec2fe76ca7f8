package tma

import (
	"math/bits"
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// LegalizeDescriptors replaces the descriptors that the copy engine of sm_90 cannot serve by pointers, and
// gives the others an element type for which the engine has their reductions. Descriptors that control flow
// or calls connect share their fate.
//
// The engine copies boxes that begin at multiples of 16 bytes along the last dimension: at any other column
// it raises an illegal instruction. A descriptor stays if every column is a multiple for sure, by what
// arguments, blocks and loops are multiples of.
//
//	%x = tt.descriptor_load %d[%i, %j]   =>   %x = tt.load (%base + (%i + %r) * %stride + %j + %c), …
//
// It writes units of 16 bytes, up to 15 bytes behind the end of a row that does not end at one: a descriptor
// that is stored to stays if its rows end there for sure.
//
// The engine gathers no rows; it copies at least 16 bytes along the last dimension, at most five
// dimensions, and elements of one to eight bytes; rows begin at multiples of 16 bytes. Descriptors that a
// program's blocks share are not handled.
func LegalizeDescriptors(mach ttgir.Machine) pass.Pass {
	return pass.Pass{
		Name: "nereid-legalize-descriptors",
		Doc:  "replace descriptors that the copy engine cannot serve by pointers",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			if mach.NumCTAs > 1 {
				return pass.RewriteTensorDescriptor.Run(ctx, m)
			}
			l := legalizer{g: connectedDescriptors(m), info: axisinfo.Module(m), unfit: map[*ir.Value]bool{},
				partial: map[*ir.Value]bool{}, stored: map[*ir.Value]bool{}, kinds: map[*ir.Value]uint{}}
			for op := range m.Ops() {
				l.judge(op)
			}
			for root := range l.stored {
				l.unfit[root] = l.unfit[root] || l.partial[root]
			}
			l.judgeReductions(m)
			return pass.RewriteDescriptors(ctx, m, func(v *ir.Value) bool { return l.unfit[l.g.find(v)] })
		},
	}
}

// legalizer decides about groups of connected descriptors.
type legalizer struct {
	g    *descGroups
	info *axisinfo.Analysis
	// By the representative of a group:
	unfit   map[*ir.Value]bool
	partial map[*ir.Value]bool // rows may end within a unit of 16 bytes
	stored  map[*ir.Value]bool
	kinds   map[*ir.Value]uint // kinds of reductions, a bit for each
}

// connectedDescriptors groups the descriptors of a module, across its functions.
func connectedDescriptors(m *ir.Module) *descGroups {
	g := &descGroups{parent: map[*ir.Value]*ir.Value{}, wishes: map[*ir.Value]*descWish{}}
	for op := range m.Ops() {
		g.connect(op)
		callee, _ := op.Attr("callee").(*ir.SymbolRefAttr)
		if op.Def != tt.Call || callee == nil {
			continue
		}
		fn := m.Lookup(callee.Root)
		if fn == nil || fn.Region(0).Empty() {
			continue
		}
		for i, v := range op.Operands() {
			g.tie(v, fn.Body(0).Arg(i))
		}
		for b := range fn.Region(0).Blocks() {
			if t := b.Terminator(); t != nil && t.Def == tt.Return {
				for i, v := range t.Operands() {
					g.tie(v, op.Result(i))
				}
			}
		}
	}
	return g
}

// judge notes what an op demands of descriptors.
func (l *legalizer) judge(op *ir.Op) {
	fit, desc := true, (*ir.Value)(nil)
	switch op.Def {
	case tt.Func:
		l.judgeArgs(op)
	case tt.MakeTensorDesc:
		desc = op.Result(0)
		fit = fitsTMA(desc.Type) && fitsStrides(op) && fitsPadding(op)
		l.partial[l.g.find(desc)] = l.partial[l.g.find(desc)] || !l.endsAtUnit(op)
	case tt.DescGather, tt.DescScatter:
		desc, fit = op.Operand(0), false
	case tt.DescLoad:
		desc = op.Operand(0)
		fit = l.aligned(desc, op.Group(1))
	case tt.DescReduce:
		l.kinds[l.g.find(op.Operand(0))] |= 1 << op.IntOr("kind", 0)
		fallthrough
	case tt.DescStore:
		desc = op.Operand(0)
		fit = l.aligned(desc, op.Group(2))
		l.stored[l.g.find(desc)] = true
	}
	if !fit {
		l.unfit[l.g.find(desc)] = true
	}
}

// judgeArgs judges the descriptors among a function's arguments by their types, and by what the host says.
func (l *legalizer) judgeArgs(fn *ir.Op) {
	if fn.Region(0).Empty() {
		return
	}
	for i, a := range fn.Body(0).Args() {
		if !fitsTMA(a.Type) || tt.DescBlock(a.Type) != nil && funclike.ArgAttr(fn, i, tt.PointerAttr) != nil {
			l.unfit[l.g.find(a)] = true
		}
	}
}

// aligned reports whether the last of the coordinates is a multiple of 16 bytes for sure.
func (l *legalizer) aligned(desc *ir.Value, at []*ir.Value) bool {
	return len(at) > 0 && l.isWhole(desc, at[len(at)-1])
}

// isWhole reports whether so many elements are a multiple of 16 bytes for sure.
func (l *legalizer) isWhole(desc, elements *ir.Value) bool {
	each := int64(max(1, 128/max(8, ir.BitWidth(tt.DescBlock(desc.Type).Elem))))
	return l.info.Of(elements).Divisibility[0]%each == 0
}

// endsAtUnit reports whether the rows of a descriptor end at multiples of 16 bytes for sure. Strides are such
// multiples by the rules of the language: so a row that is as long as the stride ends at one. A length that
// the kernel loads has to be one, too, as in Triton: nothing is known of it before the kernel runs.
func (l *legalizer) endsAtUnit(op *ir.Op) bool {
	shape, strides := op.Group(1), op.Group(2)
	if len(shape) == 0 {
		return false
	}
	end := shape[len(shape)-1]
	return l.isWhole(op.Result(0), end) || isHostRow(op.Result(0), narrowest(end)) ||
		isFromMemory(end, map[*ir.Op]bool{}) ||
		len(strides) > 1 && narrowest(strides[len(strides)-2]) == narrowest(end)
}

// isFromMemory reports whether a number is computed from what the kernel loads. Ops in seen were followed
// already, without finding a load.
func isFromMemory(v *ir.Value, seen map[*ir.Op]bool) bool {
	op := v.Def()
	if op == nil || seen[op] || op.Def != tt.Load && !op.IsPure() {
		return false
	}
	seen[op] = true
	return op.Def == tt.Load ||
		slices.ContainsFunc(op.Operands(), func(o *ir.Value) bool { return isFromMemory(o, seen) })
}

// isHostRow reports whether v is the length of rows of a descriptor that the kernel gets, with elements as
// wide as those of desc. The host has checked that such rows are multiples of 16 bytes.
func isHostRow(desc, v *ir.Value) bool {
	fn := v.Block().Parent()
	if v.Def() != nil || fn.Def != tt.Func || fn.Text("sym_visibility") == "private" {
		return false
	}
	for i, a := range fn.Body(0).Args() {
		t, of := tt.DescTensor(a.Type), tt.DescTensor(desc.Type)
		if t != nil && v.Index() == i+t.Rank() && ir.BitWidth(t.Elem) == ir.BitWidth(of.Elem) {
			return funclike.ArgAttr(fn, i, tt.PointerAttr) == nil
		}
	}
	return false
}

// narrowest returns the value of which v is an extension, or v.
func narrowest(v *ir.Value) *ir.Value {
	for v.DefBy(arith.ExtSI) != nil {
		v = v.Def().Operand(0)
	}
	return v
}

// judgeReductions judges groups by all of their reductions. The engine has no sum, and, or, xor of signed
// integers of 64 bits; without minima and maxima, they are the same for unsigned ones.
func (l *legalizer) judgeReductions(m *ir.Module) {
	unsigned := map[*ir.Value]bool{}
	for root, kinds := range l.kinds {
		elem := tt.DescBlock(root.Type).Elem
		const order = 1<<tt.ReduceMin | 1<<tt.ReduceMax
		if elem == ir.SignedInt(64, ir.Signed) && kinds&order == 0 {
			elem, unsigned[root] = ir.SignedInt(64, ir.Unsigned), true
		}
		for kind := range int64(bits.Len(kinds)) {
			if kinds>>kind&1 != 0 && !canReduce(kind, elem) {
				l.unfit[root] = true
			}
		}
	}
	if len(unsigned) == 0 {
		return
	}
	for _, v := range l.g.list {
		if block := tt.DescBlock(v.Type); unsigned[l.g.find(v)] {
			v.Type = tt.DescType.Get(ir.Tensor(block.Shape, ir.SignedInt(64, ir.Unsigned), block.Encoding))
		}
	}
	for _, fn := range ttgir.OpsOf(m.Op, tt.Func) {
		retypeFunc(fn)
	}
}

// retypeFunc makes a function's type agree with its arguments and with the values that it returns.
func retypeFunc(fn *ir.Op) {
	if fn.Region(0).Empty() {
		return
	}
	t := funclike.Type(fn)
	ins, outs := slices.Clone(t.Ins), slices.Clone(t.Outs)
	for i, a := range fn.Body(0).Args() {
		ins[i] = a.Type
	}
	for op := range fn.Ops() {
		if op.Def == tt.Return {
			for i, v := range op.Operands() {
				outs[i] = v.Type
			}
		}
	}
	funclike.SetType(fn, ir.Func(ins, outs))
}

// fitsTMA reports whether t is no descriptor, or one that the copy engine can represent.
func fitsTMA(t ir.Type) bool {
	block := tt.DescBlock(t)
	if block == nil {
		return true
	}
	bits := int64(ir.BitWidth(block.Elem))
	if bits < 8 || bits > 64 || block.Rank() < 1 || block.Rank() > 5 {
		return false
	}
	return block.Shape[block.Rank()-1]*bits >= 128
}

// fitsStrides reports whether no stride that is known contradicts the hardware's rules.
func fitsStrides(op *ir.Op) bool {
	block := tt.DescBlock(op.Result(0).Type)
	strides := op.Group(2)
	for i, s := range strides {
		n, known := arith.IntOf(s)
		switch {
		case !known:
		case i == len(strides)-1 && n != 1:
			return false
		case i < len(strides)-1 && (n <= 0 || n*int64(ir.BitWidth(block.Elem))%128 != 0):
			return false
		}
	}
	return true
}

// fitsPadding reports whether the copy engine can fill in what a descriptor's loads give outside of the
// tensor: it knows no NaN of 8 bits.
func fitsPadding(op *ir.Op) bool {
	elem := tt.DescBlock(op.Result(0).Type).Elem
	return op.IntOr("padding", tt.PadZero) == tt.PadZero || !ir.IsFloat(elem) || ir.BitWidth(elem) > 8
}

// canReduce reports whether the copy engine combines elements of a type in a way.
func canReduce(kind int64, elem ir.Type) bool {
	it, isInt := elem.(*ir.IntegerType)
	switch kind {
	case tt.ReduceAdd:
		return elem == ir.F32 || elem == ir.F16 || elem == ir.BF16 || elem == ir.F64 || isInt &&
			(it.Width == 32 || it.Width == 64 && it.Sign == ir.Unsigned)
	case tt.ReduceMin, tt.ReduceMax:
		return elem == ir.F16 || elem == ir.BF16 || isInt && it.Width >= 32
	case tt.ReduceAnd, tt.ReduceOr, tt.ReduceXor:
		return isInt && (it.Width == 32 || it.Width == 64 && it.Sign != ir.Signed)
	}
	return false
}
