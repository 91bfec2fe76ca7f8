package pass

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// CheckIndexOverflow asserts that sums, differences and products from which addresses are made do not wrap
// around. Other arithmetic may: hashes and random numbers live of it. What goes through bit operations or
// an unsigned remainder on its way to an address counts as such.
//
//	%o = arith.muli %row, %stride : i32          %o = arith.muli %row, %stride : i32
//	%p = tt.addptr %x, %o               =>       %w = arith.muli (%row as i64), (%stride as i64) : i64
//	                                             tt.assert (%o as i64) == %w, "int32 overflow …"
//	                                             %p = tt.addptr %x, %o
var CheckIndexOverflow = Pass{
	Name: "check-index-overflow",
	Doc:  "assert that index computations in less than 64 bits do not overflow",
	Run: func(_ *Context, m *ir.Module) error {
		s := &indexSlice{seen: map[indexValue]bool{}}
		for op := range m.Op.Ops() {
			for _, v := range indicesOf(op) {
				s.visit(v, true)
			}
		}
		for _, c := range s.checks {
			assertExact(c.v.Def(), c.signed)
		}
		return nil
	},
}

// indicesOf returns the operands of an operation that say where in memory it works.
func indicesOf(op *ir.Op) []*ir.Value {
	switch op.Def {
	case tt.AddPtr:
		return op.Operands()[1:]
	case tt.MakeTensorPtr, tt.Advance, tt.DescLoad, tt.DescStore:
		return op.Operands()
	}
	return nil
}

// indexValue is an integer on its way to an address, and how it is read.
type indexValue struct {
	v      *ir.Value
	signed bool
}

// indexSlice is all that addresses are computed from.
type indexSlice struct {
	seen   map[indexValue]bool
	checks []indexValue
}

func (s *indexSlice) visit(v *ir.Value, signed bool) {
	t, ok := ir.ElemOf(v.Type).(*ir.IntegerType)
	x := indexValue{v, signed}
	if !ok || t.Width == 1 || s.seen[x] {
		return
	}
	s.seen[x] = true
	if v.IsArg() {
		s.arg(v, signed)
		return
	}
	op := v.Def()
	if wraps(op) && t.Width < 64 {
		s.checks = append(s.checks, x)
	}
	if follow, ok := indexFlow[op.Def]; ok {
		follow(s, op, v.Index(), signed)
	} else if op.Def.Has(ir.View) {
		allOperands(s, op, v.Index(), signed)
	}
}

func wraps(op *ir.Op) bool {
	return op.Def == arith.AddI || op.Def == arith.SubI || op.Def == arith.MulI
}

// follower goes on from a result of an operation to the operands that it comes from.
type follower func(s *indexSlice, op *ir.Op, result int, signed bool)

func allOperands(s *indexSlice, op *ir.Op, _ int, signed bool) {
	for _, v := range op.Operands() {
		s.visit(v, signed)
	}
}

// read follows operands that are read as signed numbers, or as unsigned ones, whatever the result is.
func read(signed bool) follower {
	return func(s *indexSlice, op *ir.Op, result int, _ bool) { allOperands(s, op, result, signed) }
}

var indexFlow map[*ir.OpDef]follower

func init() {
	indexFlow = map[*ir.OpDef]follower{
		arith.AddI: allOperands, arith.SubI: allOperands, arith.MulI: allOperands, arith.TruncI: allOperands,
		arith.Select: allOperands, tt.Splat: allOperands, tt.Join: allOperands,
		tt.Cat: allOperands, tt.Split: allOperands, arith.ExtSI: read(true), arith.DivSI: read(true),
		arith.RemSI: read(true), arith.MinSI: read(true), arith.MaxSI: read(true), arith.ExtUI: read(false),
		arith.DivUI: read(false), arith.MinUI: read(false), arith.MaxUI: read(false),
		scf.For: func(s *indexSlice, op *ir.Op, i int, signed bool) {
			s.carried(op, i, signed)
		},
		scf.If: func(s *indexSlice, op *ir.Op, i int, signed bool) {
			for _, r := range op.Regions() {
				s.yielded(r, i, signed)
			}
		},
		scf.While: func(s *indexSlice, op *ir.Op, i int, signed bool) {
			s.yielded(op.Regions()[0], i+1, signed)
		},
	}
}

// carried follows a value that a for loop carries.
func (s *indexSlice) carried(loop *ir.Op, i int, signed bool) {
	s.visit(loop.Operand(3+i), signed)
	s.yielded(loop.Regions()[0], i, signed)
}

// yielded follows an operand of the terminator of a region of one block.
func (s *indexSlice) yielded(r *ir.Region, i int, signed bool) {
	for b := range r.Blocks() {
		if t := b.Terminator(); t != nil && i < t.NumOperands() {
			s.visit(t.Operand(i), signed)
		}
	}
}

// arg follows the argument of a block into the loop that it belongs to.
func (s *indexSlice) arg(v *ir.Value, signed bool) {
	loop := v.Block().Parent()
	if loop == nil {
		return
	}
	switch i := v.Index(); {
	case loop.Def == scf.For && i == 0:
		s.visit(loop.Operand(0), signed)
		s.visit(loop.Operand(2), signed)
	case loop.Def == scf.For:
		s.carried(loop, i-1, signed)
	case loop.Def == scf.While && v.Block() == loop.Body(0):
		s.visit(loop.Operand(i), signed)
		s.yielded(loop.Regions()[1], i, signed)
	case loop.Def == scf.While:
		s.yielded(loop.Regions()[0], i+1, signed)
	}
}

// assertExact asserts that a result is what 64 bits would give.
func assertExact(op *ir.Op, signed bool) {
	result := op.Result(0)
	ext, wide := arith.ExtUI, ir.WithElem(result.Type, ir.I64)
	if signed {
		ext = arith.ExtSI
	}
	b := ir.At(op)
	b.After(op)
	b.Loc = op.Loc
	exact := b.Val(op.Def, wide, b.Val(ext, wide, op.Operand(0)), b.Val(ext, wide, op.Operand(1)))
	same := cmpi(b, arith.EQ, b.Val(ext, wide, result), exact)
	msg := fmt.Sprintf("an index overflows int%d", ir.ElemOf(result.Type).(*ir.IntegerType).Width)
	b.Op(tt.Assert, []*ir.Value{same}, nil, ir.A("message", ir.Str(msg)))
}
