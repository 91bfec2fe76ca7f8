// Package affine is what index arithmetic needs of MLIR's affine dialect: apply, min and max of affine maps.
//
// Operands are the map's dimensions, then its symbols.
package affine

import (
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid/internal/ir"
)

// Dialect is affine.
var Dialect = ir.NewDialect("affine", "Index arithmetic by affine maps.")

func mapOp(name, doc string) *ir.OpDef {
	return Dialect.Op(ir.OpDef{
		Name: name, Doc: doc,
		Traits:   ir.Pure,
		Operands: ir.Slots("operands", ir.Variadic(ir.IndexOnly)),
		Results:  ir.Slots("result", ir.IndexOnly),
		Attrs:    ir.Attrs("map", ir.AnyMap),
		PrintFn:  printMap,
		ParseFn:  parseMap,
	})
}

var (
	Apply = mapOp("apply", "The value of a map with one result.")
	Min   = mapOp("min", "The smallest of a map's results.")
	Max   = mapOp("max", "The largest of a map's results.")
)

var _ = Dialect.Verifiers(map[*ir.OpDef]ir.VerifyFunc{
	Apply: func(op *ir.Op) error {
		if len(Map(op).Results) != 1 {
			return errors.New("mapping must produce one value")
		}
		return verifyCount(op)
	},
	Min: verifyCount,
	Max: verifyCount,
})

// Map is the op's map.
func Map(op *ir.Op) *ir.AffineMap { return op.Attr("map").(*ir.AffineMapAttr).Map }

func verifyCount(op *ir.Op) error {
	m := Map(op)
	if n := m.NumDims + m.NumSyms; op.NumOperands() != n {
		return fmt.Errorf("operand count %d and affine map dimension and symbol count %d must match",
			op.NumOperands(), n)
	}
	if len(m.Results) == 0 {
		return errors.New("mapping must produce a value")
	}
	return nil
}

func printMap(p *ir.Printer, op *ir.Op) {
	m := Map(op)
	p.Text(" ")
	p.Attr(op.Attr("map"))
	p.Text("(")
	p.Values(op.Operands()[:m.NumDims])
	p.Text(")")
	if m.NumSyms > 0 {
		p.Text("[")
		p.Values(op.Operands()[m.NumDims:])
		p.Text("]")
	}
	p.AttrDict(op, "map")
}

func parseMap(p *ir.Parser, s *ir.State) bool {
	pos := p.Pos()
	a, ok := p.Attr(nil)
	if !ok {
		return false
	}
	m, ok := a.(*ir.AffineMapAttr)
	if !ok {
		return p.Errorf(pos, "expected an affine map, found %s", a)
	}
	s.Attrs = append(s.Attrs, ir.A("map", m))
	read := func() bool {
		o, ok := p.Operand()
		return ok && p.Resolve(s, o, ir.Index)
	}
	if !p.List("(", ")", read) {
		return false
	}
	dims := len(s.Operands)
	if p.Peek("[") && !p.List("[", "]", read) {
		return false
	}
	if dims != m.Map.NumDims || len(s.Operands)-dims != m.Map.NumSyms {
		return p.Errorf(pos, "the map takes %d dimensions and %d symbols", m.Map.NumDims, m.Map.NumSyms)
	}
	s.Results = append(s.Results, ir.Index)
	return p.AttrDict(s)
}
