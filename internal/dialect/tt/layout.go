package tt

import "github.com/nereid-lang/nereid/internal/ir"

// LayoutRules is what the ops of this dialect ask of a dialect of tensor encodings: the encoding of a
// result, given that of the operand. A nil encoding without an error says that nothing is known. A nil
// function knows nothing.
type LayoutRules struct {
	ExpandDims func(enc ir.Attr, axis int) (ir.Attr, error)
	Reduce     func(enc ir.Attr, axis int) (ir.Attr, error)
	Trans      func(enc ir.Attr, shape []int64, order []int64) (ir.Attr, error)
	Reshape    func(enc ir.Attr, from, to []int64) (ir.Attr, error)
	Join       func(enc ir.Attr, shape []int64) (ir.Attr, error) // shape is the operands'
	Split      func(enc ir.Attr, shape []int64) (ir.Attr, error) // shape is the operand's
	Dot        func(a, b, d ir.Attr) error
}

// Layouts are the rules of the encodings in use. The ttg dialect sets them when the program starts.
var Layouts LayoutRules
