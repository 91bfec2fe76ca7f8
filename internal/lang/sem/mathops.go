package sem

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
)

var (
	singleDouble = []*DType{Float32, Float64}
	single       = []*DType{Float32}
	wideInts     = []*DType{Int32, Int64, Uint32, Uint64}
)

// checkTypes makes sure that the device values among the arguments have one of the types.
func (c *Call) checkTypes(types []*DType) {
	for _, v := range c.args {
		x, ok := v.(*Tensor)
		if !ok {
			continue
		}
		if t := scalarType(x); t == nil || !slices.Contains(types, t) {
			e := bad(CodeType, "tl.%s takes %s, not %s", c.Fn.Name, typeList(types), Scalar(x.Type))
			if t != nil && slices.Contains(types, Float32) {
				e = e.hint("cast with .to(tl.float32) first")
			}
			panic(e)
		}
	}
}

// unaryMath returns a builtin that is a function of one float.
func unaryMath(def *ir.OpDef, types []*DType) impl {
	return func(c *Call) object.Value {
		if !c.Method || c.B.has(triton.MethodTypes) {
			c.checkTypes(types)
		}
		x := c.tensor("x")
		if t := scalarType(x); t == nil || !t.IsFloating() || t == Float8E4B15 {
			panic(bad(CodeType, "tl.%s takes %s, not %s", c.Fn.Name, typeList(types),
				Scalar(x.Type)).hint("cast with .to(tl.float32) first"))
		}
		return c.B.op(def, x.Type, x.V)
	}
}

func umulhi(c *Call) object.Value {
	c.checkTypes(wideInts)
	x, y := c.B.bitOperands(c.B.fixed(c.numeric("x")), c.B.fixed(c.numeric("y")))
	return c.B.op(tt.MulhiUI, x.Type, x.V, y.V)
}

func divRn(c *Call) object.Value {
	c.checkTypes(single)
	x, y := c.B.operands(c.B.fixed(c.numeric("x")), c.B.fixed(c.numeric("y")), 0)
	return c.B.same(byKind{float: tt.PreciseDivF}, x, y)
}

func fdivFn(c *Call) object.Value {
	x, y := c.tensor("x"), c.tensor("y")
	if c.B.has(triton.PreciseFDiv) && c.bool("ieee_rounding") {
		return c.B.fdiv(x, y, tt.PreciseDivF)
	}
	return c.B.fdiv(x, y, arith.DivF)
}

// fdivAny is tl.fdiv since 3.9: it promotes its operands as / does, and can be approximate.
func fdivAny(c *Call) object.Value {
	def := arith.DivF
	approx, precise := c.bool("approx"), c.bool("ieee_rounding")
	switch {
	case approx && precise:
		panic(bad(CodeArgs, "a division cannot be approximate and rounded correctly").at("approx"))
	case precise:
		def = tt.PreciseDivF
	case approx:
		def = tt.ApproxDivF
	}
	x, y := c.B.operands(c.numeric("x"), c.numeric("y"), division)
	t := scalarType(x)
	if t == nil || !t.IsFloating() {
		panic(bad(CodeType, "tl.fdiv divides floats, but its operands have type %s", Scalar(x.Type)))
	}
	if approx && t != Float32 {
		panic(bad(CodeType, "an approximate division is one of float32, not of %s", t).at("approx"))
	}
	return c.B.same(byKind{float: def}, x, y)
}

func abs(c *Call) object.Value {
	b := c.B
	x := c.tensor("x")
	switch t := scalarType(x); {
	case t == nil:
		panic(bad(CodeType, "unexpected dtype %s", Scalar(x.Type)))
	case t == Float8E4B15:
		mask := b.splat(b.scalar(object.MakeInt(0x7f), Int8), ShapeOf(x.Type))
		return b.op(arith.AndI, x.Type, x.V, mask.V)
	case t.IsFloating():
		return b.op(math.AbsF, x.Type, x.V)
	case t.IsSigned():
		return b.op(math.AbsI, x.Type, x.V)
	}
	return x
}

func fma(c *Call) object.Value {
	b := c.B
	var x, y, z *Tensor
	if b.has(triton.ScalarsAdapt) {
		x, y, z = b.threeOperands(c.numeric("x"), c.numeric("y"), c.numeric("z"))
	} else {
		x, y, z = c.tensor("x"), c.tensor("y"), c.tensor("z")
		x, y = b.operands(x, y, 0)
		z, x = b.operands(z, x, 0)
		z, y = b.operands(z, y, 0)
	}
	if t := scalarType(x); !t.IsFloating() || x.Type != y.Type {
		panic(bad(CodeType, "fma takes floats, not %s", x.Type))
	}
	return b.op(math.Fma, x.Type, x.V, y.V, z.V)
}

// minMaxFn returns tl.minimum or tl.maximum.
func minMaxFn(ops map[PropagateNan]byKind) impl {
	return func(c *Call) object.Value {
		x, y := c.numeric("x"), c.numeric("y")
		return c.B.minMax(ops, x, y, c.propagateNan())
	}
}

func clampFn(c *Call) object.Value {
	return c.B.clamp(c.numeric("x"), c.numeric("min"), c.numeric("max"), c.propagateNan())
}

func (c *Call) propagateNan() PropagateNan {
	p, ok := c.Named("propagate_nan").(PropagateNan)
	if !ok || p != NanNone && p != NanAll {
		panic(c.wrong("propagate_nan", "a tl.PropagateNan"))
	}
	return p
}

// numeric returns an argument that must be a number or a tensor.
func (c *Call) numeric(name string) object.Value {
	v := c.Named(name)
	if _, ok := v.(*Tensor); !ok && !isNumber(v) {
		panic(c.wrong(name, "a number or a tensor"))
	}
	return v
}

// binaryFn returns an operator under a name: tl.add and friends.
func binaryFn(f arithmetic) impl {
	return func(c *Call) object.Value {
		return f(c.B, c.numeric("x"), c.numeric("y"), c.bool("sanitize_overflow"))
	}
}

func whereFn(c *Call) object.Value {
	return c.B.where(c.tensor("condition"), c.numeric("x"), c.numeric("y"))
}

// expectZero is tl.expect_zero: it returns its argument, and asserts in debug mode that it is zero where the
// mask holds.
func expectZero(c *Call) object.Value {
	b := c.B
	x, mask := c.numeric("x"), c.tensor("mask")
	if b.Opts.Debug {
		x := b.fixed(x)
		zero := b.compare(python.Eq, x, b.fixed(object.MakeInt(0)))
		b.deviceAssert(b.or(zero, b.not(mask)), "expect_zero expected x == 0 where mask is true", nil)
	}
	return x
}

func toTensorFn(c *Call) object.Value { return c.tensor("x") }

func promoteBF16(c *Call) object.Value { return c.B.widenBF16(c.device("t")) }

// logicalFn returns the method logical_and or logical_or.
func logicalFn(f func(*Builder, object.Value, object.Value) *Tensor) impl {
	return func(c *Call) object.Value { return c.B.logical(f, c.numeric("input"), c.numeric("other")) }
}

// minMaxBuiltin returns Python's min or max inside a kernel: for numbers it is computed at compile time, else
// it is the minimum or maximum of all, one after the other. better is the result of comparing a better value
// with the best one so far.
func minMaxBuiltin(name string, ops map[PropagateNan]byKind, better int) impl {
	return func(c *Call) object.Value {
		vs, _ := items(c.Named("args"))
		device := slices.ContainsFunc(vs, func(v object.Value) bool { _, ok := v.(*Tensor); return ok })
		switch {
		case !device:
			best := bestNumber(name, vs, better)
			if err := CheckPlain(name, vs); err != nil {
				panic(bailout{err})
			}
			return best
		case len(vs) < 2:
			panic(bad(CodeArgs, "%s compares two values or more, and has one",
				name).hint("tl.%s finds it within a block", name))
		}
		nan := NanNone
		if c.given("propagate_nan") {
			nan = c.propagateNan()
		}
		best := vs[0]
		for _, v := range vs[1:] {
			best = c.B.minMax(ops, best, v, nan)
		}
		if t := best.(*Tensor); IsBlock(t.Type) {
			c.B.Opts.warn("Python's " + name + " is for scalars: write tl." + name + "imum for blocks")
		}
		return best
	}
}

// bestNumber returns the first of the best numbers.
func bestNumber(name string, vs []object.Value, better int) object.Value {
	if len(vs) == 1 {
		if inner, ok := items(vs[0]); ok {
			vs = inner
		}
	}
	if len(vs) == 0 {
		panic(bad(CodeArgs, "%s requires at least 1 value", name))
	}
	for _, v := range vs {
		if !isNumber(v) {
			panic(bad(CodeType, "%s takes numbers, not %s", name, describe(v)))
		}
	}
	best := vs[0]
	for _, v := range vs[1:] {
		if compareNumbers(v, best) == better {
			best = v
		}
	}
	return best
}

func compareNumbers(a, b object.Value) int {
	x, xok := integer(a)
	y, yok := integer(b)
	if xok && yok {
		return x.Cmp(y)
	}
	switch f, g := float(a), float(b); {
	case f < g:
		return -1
	case f > g:
		return 1
	}
	return 0
}
