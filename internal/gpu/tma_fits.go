package gpu

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// FitsTMA reports whether the copy engine can do everything that a module of TTIR does through descriptors.
// If not, all of its descriptors are to be replaced by pointers.
//
// The engine of sm_90 gathers no rows; it copies at least 16 bytes along the last dimension, at most five
// dimensions, and elements of one to eight bytes; rows begin at multiples of 16 bytes. Descriptors that a
// program's blocks share are not handled.
func FitsTMA(m *ir.Module, mach Machine) bool {
	if mach.NumCTAs > 1 {
		return false
	}
	for op := range m.Ops() {
		for _, v := range op.Results() {
			if !fitsTMA(v.Type) {
				return false
			}
		}
		switch {
		case op.Def == tt.Func && !op.Region(0).Empty():
			for _, a := range op.Body(0).Args() {
				if !fitsTMA(a.Type) {
					return false
				}
			}
		case op.Def == tt.DescGather, op.Def == tt.DescScatter:
			return false
		case op.Def == tt.MakeTensorDesc && (!fitsStrides(op) || !fitsPadding(op)):
			return false
		case op.Def == tt.DescReduce && !canReduce(op.IntOr("kind", 0), tt.DescBlock(op.Operand(0).Type).Elem):
			return false
		}
	}
	return true
}

// TriedTMA reports whether the copy engine is known to do on an H200 what a module does through descriptors:
// blocks of two dimensions with rows of at least 32 bytes, 64 if the kernel makes the descriptor, and no
// reductions. One of the kernels with other blocks ended with an illegal instruction there, though the
// simulator runs them all: until the cause is known they go by pointers.
func TriedTMA(m *ir.Module) bool {
	for op := range m.Ops() {
		switch {
		case op.Def == tt.DescReduce:
			return false
		case op.Def == tt.MakeTensorDesc && !tried(op.Result(0).Type, 64):
			return false
		}
		if op.Def != tt.Func || op.Region(0).Empty() {
			continue
		}
		for _, a := range op.Body(0).Args() {
			if !tried(a.Type, 32) {
				return false
			}
		}
	}
	return true
}

// tried reports whether t is no descriptor, or one of a matrix with rows of at least row bytes.
func tried(t ir.Type, row int64) bool {
	block := tt.DescBlock(t)
	return block == nil || block.Rank() == 2 && block.Shape[1]*int64(ir.BitWidth(block.Elem)) >= 8*row
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
		return isInt && it.Width >= 32
	}
	return false
}
