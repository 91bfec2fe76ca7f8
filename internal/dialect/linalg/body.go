package linalg

import (
	"errors"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/ir"
)

// The bodies of named ops. MLIR keeps one in each of them, as if it were a generic, and demands it in the
// generic form of the text. Here the name says it all: bodies are made when this form is written, and
// compared with what the name means when it is read.

func init() {
	forms := map[*ir.OpDef]ir.GenericForm{}
	for op := range Dialect.Ops() {
		if len(op.Regions) == 0 && op != Yield && op != Index && op != Softmax {
			forms[op] = ir.GenericForm{Show: showBody, Hide: hideBody}
		}
	}
	Dialect.GenericForms(forms)
}

// memoizedMaps is where MLIR remembers the maps of some named ops.
const memoizedMaps = "linalg.memoized_indexing_maps"

const mapsName = "indexing_maps"

func showBody(op *ir.Op) ([]ir.NamedAttr, []*ir.Region) {
	n := namedOp{def: op.Def, types: typesOf(op.Operands()), attr: op.Attr}
	body := n.body(op.Loc)
	if body == nil {
		return nil, nil
	}
	var attrs []ir.NamedAttr
	if maps := n.defaultMaps(); maps != nil && op.Attr(mapsName) == nil {
		attrs = append(attrs, ir.A(mapsName, maps))
	}
	return attrs, []*ir.Region{body}
}

func hideBody(s *ir.State) error {
	attr := func(name string) ir.Attr { return attrOf(s, name) }
	n := namedOp{def: s.Def, types: typesOf(s.Operands), attr: attr}
	s.Attrs = slices.DeleteFunc(s.Attrs, func(a ir.NamedAttr) bool {
		return a.Name == memoizedMaps || a.Name == mapsName && a.Attr == n.defaultMaps()
	})
	if len(s.Regions) == 0 {
		return nil
	}
	body := n.body(s.Loc)
	if body == nil || len(s.Regions) != 1 || !sameBody(body, s.Regions[0]) {
		return errors.New("has a region that does not compute what the operation's name says")
	}
	s.Regions = nil
	return nil
}

func attrOf(s *ir.State, name string) ir.Attr {
	for _, a := range s.Attrs {
		if a.Name == name {
			return a.Attr
		}
	}
	return nil
}

// namedOp is a named op, in an operation or in a text that is being read.
type namedOp struct {
	def   *ir.OpDef
	types []ir.Type // of the operands; the last is the output
	attr  func(name string) ir.Attr
}

// defaultMaps is the attribute that MLIR gives an op which may have maps of its own and has none, or nil.
func (n namedOp) defaultMaps() ir.Attr {
	dims := func(loops int, lists ...[]int) ir.Attr {
		var maps []*ir.AffineMap
		for _, list := range lists {
			maps = append(maps, projection(loops, list))
		}
		return MapsAttr(maps...)
	}
	switch n.def {
	case Matmul:
		return dims(3, []int{0, 2}, []int{2, 1}, []int{0, 1})
	case BatchMatmul:
		return dims(4, []int{0, 1, 3}, []int{0, 3, 2}, []int{0, 1, 2})
	case Elementwise:
		if len(n.types) == 0 {
			return nil
		}
		rank := len(ir.ShapeOf(n.types[len(n.types)-1]))
		all := make([]int, rank)
		for i := range all {
			all[i] = i
		}
		return dims(rank, slices.Repeat([][]int{all}, len(n.types))...)
	}
	return nil
}

// projection is the map of so many loops to some of them.
func projection(loops int, dims []int) *ir.AffineMap {
	m := &ir.AffineMap{NumDims: loops}
	for _, d := range dims {
		m.Results = append(m.Results, &ir.AffineExpr{Kind: ir.AffineDim, N: int64(d)})
	}
	return m
}

// body is the region that computes an element of the output, or nil for types that no such op has.
func (n namedOp) body(loc ir.Loc) *ir.Region {
	if len(n.types) < 2 {
		return nil
	}
	block := ir.NewBlock()
	for _, t := range n.types {
		block.AddArg(ir.ElemOf(t), loc)
	}
	b := bodyBuilder{ir.NewBuilder(block)}
	b.Loc = loc
	v := n.element(b, block.Args())
	if v == nil {
		return nil
	}
	b.Op(Yield, []*ir.Value{v}, nil)
	return ir.NewRegion(block)
}

// element computes it from the elements of all operands, or returns nil.
func (n namedOp) element(b bodyBuilder, args []*ir.Value) *ir.Value {
	out := args[len(args)-1]
	switch n.def {
	case Fill, Transpose, Broadcast:
		return args[0]
	case Copy:
		return b.cast(args[0], out.Type, n.unsigned())
	case Matmul, BatchMatmul, Matvec, Vecmat, BatchMatvec, BatchVecmat, Dot, Contract:
		if len(args) != 3 {
			return nil
		}
		x, y := b.cast(args[0], out.Type, n.unsigned()), b.cast(args[1], out.Type, n.unsigned())
		return b.apply("add", out, b.apply("mul", x, y))
	case Elementwise:
		return b.apply(elementwiseKind.word(n.attr("kind")), args[:len(args)-1]...)
	}
	return b.apply(n.def.Name, args[:len(args)-1]...)
}

func isInteger(t ir.Type) bool { _, ok := t.(*ir.IntegerType); return ok }

func (n namedOp) unsigned() bool { return typeFn.word(n.attr("cast")) == "cast_unsigned" }

type bodyBuilder struct{ *ir.Builder }

// cast converts v, or returns nil.
func (b bodyBuilder) cast(v *ir.Value, to ir.Type, unsigned bool) *ir.Value {
	if v.Type == to {
		return v
	}
	signedOr := func(signed, other *ir.OpDef) *ir.OpDef {
		if unsigned {
			return other
		}
		return signed
	}
	fromInt, toInt := isInteger(v.Type), isInteger(to)
	grows := ir.BitWidth(v.Type) < ir.BitWidth(to)
	var def *ir.OpDef
	switch {
	case !fromInt && !ir.IsFloat(v.Type) || !toInt && !ir.IsFloat(to):
		return nil
	case fromInt && toInt && grows:
		def = signedOr(arith.ExtSI, arith.ExtUI)
	case fromInt && toInt:
		def = arith.TruncI
	case fromInt:
		def = signedOr(arith.SIToFP, arith.UIToFP)
	case toInt:
		def = signedOr(arith.FPToSI, arith.FPToUI)
	case grows:
		def = arith.ExtF
	default:
		def = arith.TruncF
	}
	return b.Val(def, to, v)
}

// function is what a name computes of floats, of integers and of truth values.
type function struct{ float, integer, truth *ir.OpDef }

var functions = map[string]function{
	"add":          {arith.AddF, arith.AddI, arith.OrI},
	"sub":          {arith.SubF, arith.SubI, nil},
	"mul":          {arith.MulF, arith.MulI, arith.AndI},
	"div":          {arith.DivF, arith.DivSI, nil},
	"div_unsigned": {nil, arith.DivUI, nil},
	"max":          {arith.MaximumF, arith.MaxSI, nil},
	"min":          {arith.MinimumF, arith.MinSI, nil},
	"max_signed":   {arith.MaximumF, arith.MaxSI, nil},
	"min_signed":   {arith.MinimumF, arith.MinSI, nil},
	"max_unsigned": {arith.MaximumF, arith.MaxUI, nil},
	"min_unsigned": {arith.MinimumF, arith.MinUI, nil},
	"powf":         {float: math.PowF},
	"exp":          {float: math.Exp},
	"log":          {float: math.Log},
	"abs":          {float: math.AbsF},
	"ceil":         {float: math.Ceil},
	"floor":        {float: math.Floor},
	"negf":         {float: arith.NegF},
	"round":        {float: math.Round},
	"sqrt":         {float: math.Sqrt},
	"rsqrt":        {float: math.Rsqrt},
	"tanh":         {float: math.Tanh},
	"erf":          {float: math.Erf},
}

// apply computes the function of a name, or returns nil where it has none for these types.
func (b bodyBuilder) apply(name string, args ...*ir.Value) *ir.Value {
	if len(args) == 0 || slices.Contains(args, nil) {
		return nil
	}
	t := args[len(args)-1].Type
	switch name {
	case "select":
		if len(args) != 3 {
			return nil
		}
		return b.Val(arith.Select, t, args...)
	case "square":
		return b.apply("mul", args[0], args[0])
	case "reciprocal":
		if !ir.IsFloat(t) {
			return nil
		}
		one := b.ValA(arith.Constant, t, []ir.NamedAttr{ir.A("value", ir.FloatOf(1, t.(*ir.FloatType)))})
		return b.apply("div", one, args[0])
	}
	f := functions[name]
	def := f.float
	switch {
	case t == ir.I1:
		def = f.truth
	case isInteger(t):
		def = f.integer
	}
	if def == nil || len(args) != len(def.Operands) {
		return nil
	}
	return b.Val(def, t, args...)
}

// sameBody reports whether two regions of one block compute the same in the same steps.
func sameBody(a, b *ir.Region) bool {
	x, y := a.First(), b.First()
	if y == nil || y.Next() != nil || !slices.Equal(typesOf(x.Args()), typesOf(y.Args())) {
		return false
	}
	same := map[*ir.Value]*ir.Value{}
	pair := func(vs, ws []*ir.Value) {
		for i, v := range vs {
			same[v] = ws[i]
		}
	}
	pair(x.Args(), y.Args())
	o, p := x.First(), y.First()
	for ; o != nil && p != nil; o, p = o.Next(), p.Next() {
		if o.Def != p.Def || o.NumOperands() != p.NumOperands() ||
			!slices.Equal(o.ResultTypes(), p.ResultTypes()) || !sameAttrs(o, p) {
			return false
		}
		for i, v := range o.Operands() {
			if same[v] != p.Operand(i) {
				return false
			}
		}
		pair(o.Results(), p.Results())
	}
	return o == nil && p == nil
}

// sameAttrs compares attributes; an absent one is its default.
func sameAttrs(a, b *ir.Op) bool {
	for _, s := range a.Def.Attrs {
		if a.Attr(s.Name) != b.Attr(s.Name) {
			return false
		}
	}
	return true
}
