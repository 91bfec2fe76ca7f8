package ops_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// randomCalls is how many calls TestRandom makes; NEREID_TEST_OPS_CALLS is another number.
const randomCalls = 100

// gambler makes random operands on a device.
type gambler struct {
	*rand.Rand
	t *testing.T
	s *ops.Stream
}

// pick returns an element of a list.
func pick[T any](g *gambler, list ...T) T { return list[g.IntN(len(list))] }

var (
	floatTypes = []nereid.DType{nereid.Float32, nereid.Float32, nereid.Float16, nereid.BFloat16,
		nereid.Float64}
	anyTypes = append([]nereid.DType{nereid.Int8, nereid.Int16, nereid.Int32, nereid.Int64, nereid.Uint8,
		nereid.Bool}, floatTypes...)
)

// tensor returns a random view of a shape: contiguous, permuted, or a part of a larger tensor.
func (g *gambler) tensor(dt nereid.DType, shape ...int) *nereid.Tensor {
	perm := g.Perm(len(shape))
	if g.IntN(2) == 0 {
		slices.Sort(perm)
	}
	whole, steps := make([]int, len(shape)), make([]int, len(shape))
	for i, d := range perm { // dimension d of the result is dimension i of the memory
		steps[d] = 1
		whole[i] = shape[d]
		if g.IntN(4) == 0 {
			steps[d] = 2
			whole[i] = 2*shape[d] + 1
		}
	}
	x := made(g.t, g.s, dt, func(int) float64 { return g.value(dt) }, whole...)
	back := make([]int, len(shape))
	for i, d := range perm {
		back[d] = i
	}
	x = x.Permute(back...)
	for d, step := range steps {
		if step > 1 {
			x = x.Slice(d, 1, 1+2*shape[d], 2)
		}
	}
	if x.Err() != nil || !slices.Equal(x.Shape, shape) {
		g.t.Fatalf("a view of shape %v, not %v: %v", x.Shape, shape, x.Err())
	}
	return x
}

// value returns a number that the type holds exactly.
func (g *gambler) value(dt nereid.DType) float64 {
	switch dt {
	case nereid.Bool:
		return float64(g.IntN(2))
	case nereid.Uint8:
		return float64(g.IntN(12))
	}
	return float64(g.IntN(25)-12) / map[bool]float64{true: 4, false: 1}[dt.IsFloat()]
}

// shape returns up to n sizes.
func (g *gambler) shape(n int) []int {
	shape := make([]int, 1+g.IntN(n))
	for i := range shape {
		shape[i] = pick(g, 1, 2, 3, 5, 8, 17)
	}
	return shape
}

// shrunk returns a shape that is broadcast to another.
func (g *gambler) shrunk(shape []int) []int {
	out := slices.Clone(shape[g.IntN(len(shape)):])
	for i := range out {
		if g.IntN(3) == 0 {
			out[i] = 1
		}
	}
	return out
}

// tolerance returns the relative error of a result of a type.
func tolerance(dt nereid.DType) float64 {
	switch dt {
	case nereid.Float16:
		return 2e-3
	case nereid.BFloat16:
		return 1.6e-2
	}
	return 2e-5
}

// element returns the position in x of the element at an index of a shape that x is broadcast to.
func element(x *nereid.Tensor, shape []int, i int) int {
	index := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		index[d], i = i%shape[d], i/shape[d]
	}
	at := 0
	for d, n := range x.Shape {
		at = at*n + min(index[len(shape)-len(x.Shape)+d], n-1)
	}
	return at
}

// game is a random call with its result in float64.
type game func(g *gambler) (what string, got *nereid.Tensor, want []float64)

var games = []game{binaryGame, binaryGame, unaryGame, reduceGame, reduceGame, whereGame, productGame,
	copyGame, rowGame, takeGame, fusedGame}

func binaryGame(g *gambler) (string, *nereid.Tensor, []float64) {
	c := pick(g, binary...)
	for c.name == "Mod" || c.name == "Pow" || c.name == "Div" || c.name == "Remainder" { // not of 0
		c = pick(g, binary...)
	}
	dt, other := pick(g, anyTypes...), pick(g, anyTypes...)
	if c.name == "Copysign" || c.name == "Dim" || c.name == "Hypot" || c.name == "Atan2" {
		dt, other = pick(g, floatTypes...), pick(g, floatTypes...)
	}
	if dt == nereid.Uint8 || other == nereid.Uint8 {
		dt, other = nereid.Int32, nereid.Int16 // differences are negative
	}
	shape := g.shape(4)
	x, y := g.tensor(dt, shape...), g.tensor(other, g.shrunk(shape)...)
	got := c.op(g.s, x, y)
	var want []float64
	xs, ys := values(g.t, x), values(g.t, y)
	for i := range xs {
		want = append(want, c.want(xs[i], ys[element(y, shape, i)]))
	}
	return fmt.Sprintf("%s of %s%v and %s%v", c.name, dt, x.Shape, other, y.Shape), got, want
}

func unaryGame(g *gambler) (string, *nereid.Tensor, []float64) {
	c := pick(g, unary...)
	for c.lo > -1 || c.name == "Tan" { // defined for all numbers
		c = pick(g, unary...)
	}
	dt := pick(g, floatTypes...)
	x := g.tensor(dt, g.shape(3)...)
	scale := math.Min(-c.lo, c.hi) / 3.01
	if scale < 1 {
		x = ops.Mul(g.s, x, scale)
	}
	return c.name + " of " + dt.String(), c.op(g.s, x), mapped(c.want, values(g.t, x))
}

func reduceGame(g *gambler) (string, *nereid.Tensor, []float64) {
	x := g.tensor(pick(g, anyTypes...), g.shape(4)...)
	var axes []int
	for d := range x.Shape {
		if g.IntN(2) == 0 {
			axes = append(axes, d-pick(g, 0, len(x.Shape)))
		}
	}
	var want []float64
	groups := grouped(g.t, x, axes...)
	what := fmt.Sprintf("of %s%v along %v", x.DType, x.Shape, axes)
	switch g.IntN(4) {
	case 0:
		for _, l := range groups {
			want = append(want, sumOf(l))
		}
		return "Sum " + what, ops.Sum(g.s, x, axes...), want
	case 1:
		for _, l := range groups {
			want = append(want, slices.Max(l))
		}
		return "Max " + what, ops.Max(g.s, x, axes...), want
	case 2:
		for _, l := range groups {
			want = append(want, sumOf(l)/float64(len(l)))
		}
		return "Mean " + what, ops.Mean(g.s, x, axes...), want
	}
	for _, l := range groups {
		want = append(want, float64(slices.Index(l, slices.Min(l))))
	}
	return "ArgMin " + what, ops.ArgMin(g.s, x, axes...), want
}

func whereGame(g *gambler) (string, *nereid.Tensor, []float64) {
	shape := g.shape(3)
	c, x := g.tensor(nereid.Bool, shape...), g.tensor(pick(g, anyTypes...), g.shrunk(shape)...)
	cs, xs := values(g.t, c), values(g.t, x)
	var want []float64
	for i := range cs {
		want = append(want, 1)
		if cs[i] != 0 {
			want[i] = xs[element(x, shape, i)]
		}
	}
	return "Where of " + x.DType.String(), ops.Where(g.s, c, x, 1), want
}

func productGame(g *gambler) (string, *nereid.Tensor, []float64) {
	dt := pick(g, floatTypes...)
	m, n, k := pick(g, 1, 2, 5, 33), pick(g, 1, 7, 40), pick(g, 1, 16, 50)
	a, b := g.tensor(dt, m, k), g.tensor(dt, k, n)
	return fmt.Sprintf("MatMul of %s %dx%dx%d", dt, m, n, k), ops.MatMul(g.s, a, b), product(g.t, a, b)
}

func copyGame(g *gambler) (string, *nereid.Tensor, []float64) {
	from, to := pick(g, anyTypes...), pick(g, floatTypes...)
	x := g.tensor(from, g.shape(4)...)
	if g.IntN(2) == 0 {
		return "Cast", ops.Cast(g.s, x, to), values(g.t, x)
	}
	out := g.tensor(to, x.Shape...)
	return "Copy into a view", ops.Copy(g.s.Into(out), x), values(g.t, x)
}

func rowGame(g *gambler) (string, *nereid.Tensor, []float64) {
	x := g.tensor(pick(g, floatTypes...), pick(g, 1, 3, 9), pick(g, 1, 5, 33, 64))
	var want []float64
	for _, l := range grouped(g.t, x, 1) {
		for _, v := range l {
			want = append(want, math.Exp(v-logSumExp(l)))
		}
	}
	return "Softmax of " + x.DType.String(), ops.Softmax(g.s, x, 1), want
}

func takeGame(g *gambler) (string, *nereid.Tensor, []float64) {
	x := g.tensor(pick(g, anyTypes...), pick(g, 3, 6), pick(g, 1, 20))
	index := made(g.t, g.s, pick(g, nereid.Int32, nereid.Int64), func(i int) float64 {
		return float64(g.IntN(x.Shape[0]))
	}, pick(g, 1, 7))
	xs := values(g.t, x)
	var want []float64
	for _, i := range values(g.t, index) {
		want = append(want, xs[int(i)*x.Shape[1]:(int(i)+1)*x.Shape[1]]...)
	}
	return "Take of " + x.DType.String(), ops.Take(g.s, x, index, 0), want
}

// scored is a formula with a reduction in the middle.
var scored = ops.Fuse(func(x, y ops.Expr) ops.Expr {
	z := x.Mul(y).Add(1)
	return z.Sub(z.RowMax()).Maximum(-2.5)
})

func fusedGame(g *gambler) (string, *nereid.Tensor, []float64) {
	shape := []int{pick(g, 1, 4), pick(g, 2, 3), pick(g, 1, 6, 70)}
	x, y := g.tensor(pick(g, floatTypes...), shape...), g.tensor(pick(g, anyTypes...), g.shrunk(shape)...)
	xs, ys := values(g.t, x), values(g.t, y)
	want := make([]float64, len(xs))
	n := shape[2]
	for i := range xs {
		want[i] = xs[i]*ys[element(y, shape, i)] + 1
	}
	for r := 0; r < len(xs); r += n {
		top := slices.Max(want[r : r+n])
		for i := range n {
			want[r+i] = max(want[r+i]-top, -2.5)
		}
	}
	return fmt.Sprintf("a formula of %s and %s", x.DType, y.DType), scored.Call(g.s, x, y), want
}

// TestRandom: random calls with random types, shapes, strides and broadcasting.
func TestRandom(t *testing.T) {
	calls := callCount(randomCalls)
	for name, part := range map[string]int{"interp": 1, "cpu": 5, "sim:90": 10} {
		t.Run(name, func(t *testing.T) {
			s := streamOn(t, name)
			for i := range calls / part {
				s.Reset()
				g := &gambler{rand.New(rand.NewPCG(uint64(i), 7)), t, s}
				what, got, want := pick(g, games...)(g)
				if err := got.Err(); err != nil {
					t.Fatalf("call %d: %s: %v", i, what, err)
				}
				tol := tolerance(got.DType)
				near(t, fmt.Sprintf("call %d: %s", i, what), got, want, tol)
			}
		})
	}
}
