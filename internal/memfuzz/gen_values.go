package memfuzz

// valueKinds are the kinds of statement of kernels that compute more than they move: reductions, scans,
// sorts, gathers, products, and operations that part the lanes of a warp on GPUs.
func (g *generator) valueKinds() []kind {
	return []kind{
		{20, 9, g.load},
		{35, 9, g.assign},
		{18, 9, g.reduce},
		{3, 9, g.atomic},
		{8, 2, g.loop},
		{3, 2, g.while},
		{6, 2, g.branch},
	}
}

// valueOps are operations of kernels that compute, by shape and type. A GPU computes the cosine of large
// numbers and the quotient of wide ones in a branch of their own, which parts the lanes of a warp. Cosines
// are compared with what all are less than, since devices may differ in their last bits.
var valueOps = []struct {
	op   string
	args int
	fits func(s Shape, t Type) bool
}{
	{"div", 2, func(_ Shape, t Type) bool { return !t.float() }},
	{"mod", 2, func(_ Shape, t Type) bool { return !t.float() }},
	{"widediv", 2, func(_ Shape, t Type) bool { return t == I64 }},
	{"shift", 1, func(_ Shape, t Type) bool { return !t.float() }},
	{"cosint", 1, func(_ Shape, t Type) bool { return !t.float() }},
	{"cosfloat", 1, func(_ Shape, t Type) bool { return t.float() }},
	{"sort", 1, func(s Shape, t Type) bool { return s == Vec && (t == I32 || t == I64) }},
	{"flip", 1, func(s Shape, _ Type) bool { return s == Vec || s == Mat }},
	{"cumback", 1, func(s Shape, t Type) bool { return s != Scal && (t == I32 || t == I64) }},
	{"cumprod", 1, func(s Shape, t Type) bool { return s != Scal && (t == I32 || t == I64) }},
	{"gather", 2, func(s Shape, t Type) bool { return s == Vec && t == I32 }},
	{"histogram", 1, func(s Shape, t Type) bool { return s == Vec && t == I32 }},
}

// value makes an operation on values, or nil where the one that was chosen has no such shape or type.
func (g *generator) value(s Shape, t Type, depth int) *Expr {
	o := valueOps[g.IntN(len(valueOps))]
	if !o.fits(s, t) {
		return nil
	}
	e := &Expr{Op: o.op, K: g.k.size(s), Shape: s, Type: t}
	if o.op == "cumback" || o.op == "cumprod" {
		e.K = 0
	}
	for range o.args {
		e.Args = append(e.Args, g.expr(s, t, depth-1))
	}
	return e
}
