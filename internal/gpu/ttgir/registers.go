package ttgir

import (
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// ElemsPerThread returns the number of registers of a tensor in each thread.
func ElemsPerThread(t ir.Type) int {
	l, err := ttglayout.Of(t)
	if err != nil {
		return 1
	}
	return l.InSize("register")
}

// WordsOf returns the number of 32-bit registers of a tensor in each thread, 0 for other values.
func WordsOf(v *ir.Value) int {
	if t := TensorOf(v); t != nil {
		return TensorWords(t)
	}
	return 0
}

// TensorWords returns the number of 32-bit registers that tensors of a type take in each thread.
func TensorWords(t *ir.TensorType) int { return (ElemsPerThread(t)*ir.BitWidth(t.Elem) + 31) / 32 }

// ElementBytes returns the size of a number, or of an element of a tensor.
func ElementBytes(t ir.Type) int64 {
	return int64(max(1, ir.BitWidth(ir.ElemOf(t))/8))
}

// ElementsOfThread returns how many elements of op's result a thread has.
func ElementsOfThread(op *ir.Op) int {
	n := 1
	for _, d := range TensorOf(op.Result(0)).Shape {
		n *= int(d)
	}
	return n / max(1, ttg.NumWarps(op)*ttg.ThreadsPerWarp(op)*ttg.NumCTAs(op))
}

func TensorBytes(t *ir.TensorType) int64 { return t.NumElements() * ElementBytes(t.Elem) }
