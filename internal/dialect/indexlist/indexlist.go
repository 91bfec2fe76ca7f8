// Package indexlist is how MLIR writes offsets, sizes and strides that are partly known: `[%n, 4]`. The
// constants are an i64 array with ir.Dynamic in the places that operands fill, in order.
package indexlist

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/ir"
)

// Entry is one offset, size, stride or bound: a value, or a constant where the value is nil.
type Entry struct {
	Value *ir.Value
	Const int64
}

// IsConst reports whether the entry is the given constant.
func (e Entry) IsConst(c int64) bool { return e.Value == nil && e.Const == c }

// Consts are entries that are all constants.
func Consts(vs ...int64) []Entry {
	out := make([]Entry, len(vs))
	for i, v := range vs {
		out[i].Const = v
	}
	return out
}

// Of is the list that an op keeps in a slot and an attribute.
func Of(op *ir.Op, slot int, attr string) []Entry {
	static, ok := op.Attr(attr).(*ir.DenseArrayAttr)
	if !ok {
		return nil
	}
	dynamic := op.Group(slot)
	out := make([]Entry, len(static.Values))
	for i, c := range static.Values {
		if c == ir.Dynamic && len(dynamic) > 0 {
			out[i].Value, dynamic = dynamic[0], dynamic[1:]
		} else {
			out[i].Const = c
		}
	}
	return out
}

// Split is the operands and the attribute that an op keeps for a list.
func Split(list []Entry) (dynamic []*ir.Value, static *ir.DenseArrayAttr) {
	consts := make([]int64, len(list))
	for i, e := range list {
		consts[i] = e.Const
		if e.Value != nil {
			consts[i] = ir.Dynamic
			dynamic = append(dynamic, e.Value)
		}
	}
	return dynamic, ir.DenseArray(ir.I64, consts...)
}

// Check says whether a list has n entries, and as many operands as it needs.
func Check(op *ir.Op, slot int, attr string, n int) error {
	static, ok := op.Attr(attr).(*ir.DenseArrayAttr)
	if !ok {
		return fmt.Errorf("requires attribute '%s'", attr)
	}
	if len(static.Values) != n {
		return fmt.Errorf("expected %d %s values, got %d", n, attr, len(static.Values))
	}
	dynamic := 0
	for _, c := range static.Values {
		if c == ir.Dynamic {
			dynamic++
		}
	}
	if got := len(op.Group(slot)); got != dynamic {
		return fmt.Errorf("expected %d dynamic %s values, got %d", dynamic, attr, got)
	}
	return nil
}

// Print writes a list between open and close.
func Print(p *ir.Printer, open string, list []Entry, close string) {
	p.Text(open)
	for i, e := range list {
		if i > 0 {
			p.Text(", ")
		}
		if e.Value != nil {
			p.Value(e.Value)
		} else {
			p.Int(e.Const)
		}
	}
	p.Text(close)
}

// Parse reads a list between open and close.
func Parse(p *ir.Parser, open, close string) (dynamic []ir.Operand, static []int64, ok bool) {
	ok = p.List(open, close, func() bool {
		if o, is := p.TryOperand(); is {
			dynamic, static = append(dynamic, o), append(static, ir.Dynamic)
			return true
		}
		c, ok := p.Int()
		static = append(static, c)
		return ok
	})
	return dynamic, static, ok
}

// custom<DynamicIndexList>($operands, $attribute) in a Format.
var _ = ir.CustomDirective("DynamicIndexList", ir.Directive{
	Print: func(p *ir.Printer, op *ir.Op, args []*ir.FormatArg) {
		var list []Entry
		dynamic := args[0].Values
		for _, c := range args[1].Attr.(*ir.DenseArrayAttr).Values {
			e := Entry{Const: c}
			if c == ir.Dynamic {
				e, dynamic = Entry{Value: dynamic[0]}, dynamic[1:]
			}
			list = append(list, e)
		}
		Print(p, "[", list, "]")
	},
	Parse: func(p *ir.Parser, s *ir.State, args []*ir.FormatArg) bool {
		dynamic, static, ok := Parse(p, "[", "]")
		args[0].Operands, args[1].Attr = dynamic, ir.DenseArray(ir.I64, static...)
		return ok
	},
})
