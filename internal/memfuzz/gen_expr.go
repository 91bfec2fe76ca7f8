package memfuzz

import "slices"

// valueType returns a type for values: that of a tensor mostly.
func (g *generator) valueType() Type {
	if g.chance(25) {
		return I32
	}
	return g.tensor().Type
}

// variable returns a variable of a shape and a type, or nil.
func (g *generator) variable(s Shape, t Type) *Expr {
	var fit []*Expr
	for _, v := range g.vars {
		if v.Shape == s && v.Type == t {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	return pick(g, fit...)
}

// expr makes a value of at most depth operations above each other.
func (g *generator) expr(s Shape, t Type, depth int) *Expr {
	if v := g.variable(s, t); v != nil && (depth == 0 || g.chance(50)) {
		return v
	}
	if e := g.converted(s, t); e != nil && g.chance(60) {
		return e
	}
	if depth == 0 || g.chance(25) {
		return g.leaf(s, t)
	}
	node := func(op string, k int, args ...*Expr) *Expr {
		return &Expr{Op: op, Args: args, K: k, Shape: s, Type: t}
	}
	if g.dots && s == Mat && t.float() && g.chance(50) {
		return node("dot", 0, g.expr(s, F16, depth-1), g.expr(s, F16, depth-1))
	}
	if g.values && g.chance(40) {
		if e := g.value(s, t, depth); e != nil {
			return e
		}
	}
	switch n := g.IntN(20); {
	case n < 1:
		return node("where", 0, g.bool(s), g.expr(s, t, depth-1), g.expr(s, t, depth-1))
	case n < 3 && s != Scal:
		return node("splat", 0, g.expr(Scal, t, depth-1))
	case n < 5 && s == Mat:
		return node("ofrows", 0, g.expr(RowVec, t, depth-1))
	case n < 6 && s == Mat:
		return node("ofcols", 0, g.expr(ColVec, t, depth-1))
	case n < 7 && s == Mat:
		return node("transwice", 0, g.expr(s, t, depth-1))
	case n < 8 && s == Mat:
		return node("reshape", 0, g.expr(Vec, t, depth-1))
	case n < 6 && s == Vec:
		return node("reshape", 0, g.expr(Mat, t, depth-1))
	case n < 8 && s != Scal && (t == I32 || t == I64):
		return node("cumsum", 0, g.expr(s, t, depth-1))
	}
	ops := []string{"+", "-", "min", "max", "+"}
	if !t.float() {
		ops = []string{"+", "-", "*", "^", "&", "|", "min", "max"}
	}
	return node(pick(g, ops...), 0, g.expr(s, t, depth-1), g.expr(s, t, depth-1))
}

// converted returns a variable of any type as one of t, or nil.
func (g *generator) converted(s Shape, t Type) *Expr {
	v := g.variable(s, pick(g, I32, I64, I8, F16, F32))
	if v == nil {
		return nil
	}
	return convert(v, t)
}

// convert returns a value as one of type t, or nil: floats never become integers, since they may be no
// numbers.
func convert(v *Expr, t Type) *Expr {
	switch {
	case v.Type == t:
		return v
	case v.Type.float() && !t.float():
		return nil
	case !v.Type.float() && t.float():
		return &Expr{Op: "small", Args: []*Expr{v}, Shape: v.Shape, Type: t}
	}
	return &Expr{Op: "cast", Args: []*Expr{v}, Shape: v.Shape, Type: t}
}

// leaf makes a constant or the lane numbers.
func (g *generator) leaf(s Shape, t Type) *Expr {
	if s == Scal || g.chance(40) {
		return &Expr{Op: "const", K: g.IntN(10), Shape: s, Type: t}
	}
	op := "cast"
	if t.float() {
		op = "small"
	}
	return &Expr{Op: op, Args: []*Expr{{Op: "lane", Shape: s, Type: I32}}, Shape: s, Type: t}
}

// mask makes a mask of an access, or nil.
func (g *generator) mask(s Shape) *Expr {
	if g.chance(35) {
		return nil
	}
	return g.bool(s)
}

// bool makes a condition for each lane.
func (g *generator) bool(s Shape) *Expr {
	if s == Scal {
		return g.condition()
	}
	e := &Expr{Shape: s, Type: Bool}
	n := g.k.size(s)
	e.K = pick(g, 0, 1, 5, n/2, n-1, n, n+9)
	if len(g.k.Scalars) > 0 {
		e.Name = pick(g, g.k.Scalars...).Name
	}
	switch m := g.IntN(20); {
	case m < 5 && e.Name != "":
		e.Op = "lane<arg"
		if s == Mat {
			e.Op = pick(g, "lane<arg", "row<arg", "col<arg")
		}
	case m < 8:
		e.Op, e.K = "lane%", pick(g, 2, 3, 5, 7)
	case m < 10:
		e.Op, e.K = "lane&", pick(g, 1, 4, 16, 32)
	case m < 12:
		return &Expr{Op: "and", Args: []*Expr{g.bool(s), g.bool(s)}, Shape: s, Type: Bool}
	case m < 13:
		return &Expr{Op: "or", Args: []*Expr{g.bool(s), g.bool(s)}, Shape: s, Type: Bool}
	case m < 14:
		return &Expr{Op: "and", Args: []*Expr{g.bool(s), g.condition()}, Shape: s, Type: Bool}
	case m < 17:
		if v := g.variable(s, g.valueType()); v != nil {
			return &Expr{Op: ">", Args: []*Expr{v}, K: g.IntN(5), Shape: s, Type: Bool}
		}
		fallthrough
	default:
		e.Op = "lane<"
		if s == Mat {
			e.Op, e.K = pick(g, "lane<", "row<", "col<"), g.IntN(g.k.Cols)
		}
	}
	return e
}

// condition makes a condition of the whole program.
func (g *generator) condition() *Expr {
	e := &Expr{Shape: Scal, Type: Bool}
	if v := g.variable(Scal, g.valueType()); v != nil && g.chance(50) {
		e.Op, e.Args, e.K = ">", []*Expr{v}, g.IntN(8)
		return e
	}
	switch n := g.IntN(4); {
	case n == 0 && g.k.Grid > 1:
		e.Op, e.K = "pid", g.IntN(2)
	case n < 3 && len(g.loops) > 0:
		e.Op, e.Name, e.K = "arg<", pick(g, g.loops...), g.IntN(3)
	case len(g.k.Scalars) > 0:
		e.Op, e.Name, e.K = "arg<", pick(g, g.k.Scalars...).Name, pick(g, 1, 2, 3, 6, 40)
	default:
		e.Op, e.K = "pid", g.IntN(2)
	}
	return e
}

// index makes an index of a shape; distinct lanes go to distinct elements if they must. Often it is one that
// the kernel has already, or one that is shifted against it, since compilers look for accesses to equal and
// to disjoint elements.
func (g *generator) index(s Shape, distinct bool) Index {
	if n := len(g.indices[s]); n > 0 && g.chance(35) {
		x := g.indices[s][g.IntN(n)]
		if g.chance(40) {
			x.Shift = g.shift(s)
		}
		if (injective[x.Kind] || !distinct) && g.inScope(x.Shift) {
			return x
		}
	}
	x := g.newIndex(s, distinct)
	if x.Kind != "data" {
		g.indices[s] = append(g.indices[s], x)
	}
	return x
}

// inScope reports whether the variables of a shift are.
func (g *generator) inScope(s Shift) bool {
	for _, t := range s {
		if t.Name != "" && !slices.Contains(g.loops, t.Name) &&
			!slices.ContainsFunc(g.k.Scalars, func(s Scalar) bool {
				return s.Name == t.Name
			}) {
			return false
		}
	}
	return true
}

func (g *generator) newIndex(s Shape, distinct bool) Index {
	x := Index{Kind: "lane", Shift: g.shift(s), Long: g.chance(10)}
	if s == Scal {
		return x
	}
	kinds := []string{"lane", "lane", "lane", "lane", "reverse", "xor", "odd", "rotate", "rotate", "stride",
		"transposed"}
	if s == Mat {
		kinds = append(kinds, "padded", "transposed")
	}
	if g.k.tensor("p") != nil {
		kinds = append(kinds, "perm", "perm")
	}
	if !distinct {
		kinds = append(kinds, "half", "modulo", "uniform", "data")
	}
	x.Kind = pick(g, kinds...)
	x.K = 1 + g.IntN(3)
	switch x.Kind {
	case "xor", "odd":
		x.K = pick(g, 1, 3, 7, 16, 33)
	case "rotate":
		x.K = pick(g, 0, 0, 1, 8)
	case "perm":
		x.Perm = "p"
	case "data":
		if x.Var = g.variable(s, I32); x.Var == nil {
			x.Kind = "half"
		}
	}
	return x
}

// shift makes what is added to an index of a shape: small numbers and those that take it past other accesses.
func (g *generator) shift(s Shape) Shift {
	var out Shift
	if g.chance(50) {
		out = append(out, Term{K: pick(g, 1, 2, 4, 5, 8, 16, 32, 33, g.k.size(s)/2, g.k.size(s))})
	}
	if len(g.loops) > 0 && g.chance(30) {
		out = append(out, Term{pick(g, g.loops...), pick(g, 1, 1, 4, 16, g.k.size(s))})
	}
	if len(g.k.Scalars) > 0 && g.chance(25) {
		out = append(out, Term{pick(g, g.k.Scalars...).Name, 1})
	}
	return out
}
