package irgen

import (
	"sync"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// table is every operation without effects, regions or state that a program may use, taken from the
// dialects' tables.
var table = sync.OnceValue(func() []*ir.OpDef {
	var list []*ir.OpDef
	for _, d := range []*ir.Dialect{arith.Dialect, math.Dialect, tt.Dialect} {
		for def := range d.Ops() {
			if usable(def) {
				list = append(list, def)
			}
		}
	}
	return list
})

// unusable are operations that the tables call pure but whose results are not a function of the operands
// alone, or that are made elsewhere.
var unusable = map[*ir.OpDef]bool{
	arith.Constant: true, arith.Select: true, arith.IndexCast: true, arith.IndexCastUI: true,
	arith.ScalingExtF: true, arith.ScalingTruncF: true, tt.ExternElementwise: true, tt.InlineAsm: true,
	tt.IntToPtr: true, tt.PtrToInt: true, tt.AddPtr: true, tt.Advance: true, tt.MakeTensorPtr: true,
	tt.MakeTensorDesc: true, tt.Cat: true, tt.DotScaled: true, tt.Dot: true, tt.Splat: true, tt.Unsplat: true,
	tt.Join: true, tt.Split: true, tt.Gather: true, tt.Histogram: true, tt.MakeRange: true,
	math.FPowI: true, math.SinCos: true, // Triton has no lowering of these
}

func usable(def *ir.OpDef) bool {
	pure := def.Traits&(ir.Pure|ir.NoEffects) != 0
	return pure && !unusable[def] && !def.Has(ir.View) && !def.Has(ir.Terminator) &&
		len(def.Regions) == 0 && len(def.Results) > 0
}

// tableOp makes an operation of the tables: any row, operands that fit its slots, attributes that fit
// theirs, and what the verifier accepts.
func (g *generator) tableOp() {
	for range 8 {
		if op := g.try(pick(&g.src, table())); op != nil {
			g.add(op.Results()...)
			return
		}
	}
}

// try makes an operation of a row, or nil when the first choice of types and attributes does not fit.
func (g *generator) try(def *ir.OpDef) *ir.Op {
	s := ir.State{Def: def}
	t := pick(&g.src, g.types())
	for _, slot := range def.Operands {
		if slot.Arity != ir.One || slot.Ok != nil && !slot.Ok(t) {
			return nil
		}
		s.Operands = append(s.Operands, g.any(t))
	}
	g.tame(&s)
	for _, slot := range def.Attrs {
		if a := g.attr(slot); a != nil {
			s.Attrs = append(s.Attrs, ir.A(slot.Name, a))
		} else if !slot.Optional && slot.Default == nil {
			return nil
		}
	}
	if s.Results = g.results(&s, t); s.Results == nil {
		return nil
	}
	op := g.b.Create(s)
	if ir.Verify(op) != nil {
		op.Erase()
		return nil
	}
	return op
}

// results are the types that follow from the operands, or, for a cast, one that it may give.
func (g *generator) results(s *ir.State, t ir.Type) []ir.Type {
	if ts, err := s.Def.Infer(s); err == nil {
		return ts
	}
	if len(s.Def.Results) != 1 {
		return nil
	}
	for range 6 {
		r := ir.WithElem(t, pick(&g.src, elems))
		if ok := s.Def.Results[0].Ok; ok != nil && !ok(r) || toBool[s.Def] && ir.ElemOf(r) == ir.I1 {
			continue
		}
		return []ir.Type{r}
	}
	return nil
}

// toBool are conversions that are undefined for all but two operands when they give truth values.
var toBool = map[*ir.OpDef]bool{arith.FPToSI: true, arith.FPToUI: true}

// attr is a value for an attribute's slot, or nil to leave it out.
func (g *generator) attr(slot ir.AttrSlot) ir.Attr {
	k := slot.Kind
	switch {
	case k == nil || slot.Default != nil && !g.src.oneIn(6):
		return nil
	case k.Enum != nil:
		it, ok := k.Type.(*ir.IntegerType)
		if !ok || slot.Optional {
			return nil
		}
		return ir.IntAttr(pick(&g.src, k.Enum.Cases).Value, it)
	case k == ir.AnyBool:
		return ir.BoolAttr(g.src.oneIn(2))
	}
	return nil
}

// tame changes operands that could make an operation undefined.
func (g *generator) tame(s *ir.State) {
	switch s.Def {
	case arith.DivSI, arith.DivUI, arith.CeilDivSI, arith.CeilDivUI, arith.FloorDivSI, arith.RemSI,
		arith.RemUI:
		s.Operands[1] = g.divisor(s.Operands[1])
	case arith.ShLI, arith.ShRSI, arith.ShRUI:
		s.Operands[1] = g.distance(s.Operands[1])
	case arith.FPToSI, arith.FPToUI:
		s.Operands[0] = g.small(s.Operands[0])
	case math.IPowI:
		s.Operands[1] = g.distance(s.Operands[1])
	}
}

// divisor is a positive number made of v: neither zero, nor minus one, whose quotient can overflow.
func (g *generator) divisor(v *ir.Value) *ir.Value {
	t := v.Type
	if ir.BitWidth(ir.ElemOf(t)) < 8 {
		return g.fixed(t, 1)
	}
	low := g.b.Val(arith.AndI, t, v, g.fixed(t, 15))
	return g.b.Val(arith.OrI, t, low, g.fixed(t, 1))
}

// distance is a number below the width of v's type.
func (g *generator) distance(v *ir.Value) *ir.Value {
	return g.b.Val(arith.AndI, v.Type, v, g.fixed(v.Type, int64(ir.BitWidth(ir.ElemOf(v.Type))-1)))
}

// small is v limited to what every integer type of eight bits and more holds, zero for NaN.
func (g *generator) small(v *ir.Value) *ir.Value {
	t := v.Type
	c := func(x float64) *ir.Value { return arith.ConstFloat(g.b, x, t) }
	v = g.b.Val(arith.MaxNumF, t, v, c(0))
	return g.b.Val(arith.MinNumF, t, v, c(100))
}

// fixed is the integer n of type t.
func (g *generator) fixed(t ir.Type, n int64) *ir.Value { return arith.ConstInt(g.b, n, t) }
