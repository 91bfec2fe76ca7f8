package codegen

import (
	"math/bits"
	"slices"
)

// index says where the lanes of a vector are along a dimension: at base plus a constant for each lane or, if
// vec is set, at the values of a vector.
type index struct {
	base  string  // a scalar i64
	lanes []int64 // nil if all lanes are at base
	align int64   // power of two that divides base
	vec   string  // a vector of i64
}

func at(base string) index { return index{base: base, align: alignOf(base)} }

// alignOf returns the largest power of two known to divide a number.
func alignOf(base string) int64 {
	if n, ok := number(base); ok {
		if n == 0 {
			return 1 << 40
		}
		return 1 << bits.TrailingZeros64(uint64(n))
	}
	return 1
}

// counting returns 0, 1, … n-1: the lanes of adjacent elements.
func counting(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(i)
	}
	return out
}

func (x index) uniform() bool { return x.lanes == nil && x.vec == "" }

// key returns a text that identifies the index in a memo.
func (x index) key() string {
	if x.vec != "" {
		return "v" + x.vec
	}
	b := []byte(x.base)
	for _, l := range x.lanes {
		b = append(b, ',')
		b = append(b, itoa(l)...)
	}
	return string(b)
}

// span returns the largest lane.
func (x index) span() int64 {
	if len(x.lanes) == 0 {
		return 0
	}
	return slices.Max(x.lanes)
}

// isIota reports whether the lanes are adjacent and in order.
func isIota(lanes []int64) bool {
	for i, l := range lanes {
		if l != int64(i) {
			return false
		}
	}
	return lanes != nil
}

func isZero(lanes []int64) bool {
	for _, l := range lanes {
		if l != 0 {
			return false
		}
	}
	return true
}

// vecOf returns the index as a vector of n lanes.
func (g *gen) vecOf(x index, n int) string {
	if x.vec != "" {
		return x.vec
	}
	s := g.splat("i64", x.base, n)
	if x.lanes == nil || isZero(x.lanes) {
		return s
	}
	if x.base == "0" {
		return constVector("i64", x.lanes)
	}
	return g.op("add <%d x i64> %s, %s", n, s, constVector("i64", x.lanes))
}

// scaled returns x * k for a constant k.
func (g *gen) scaled(x index, k int64) index {
	if k == 1 {
		return x
	}
	if x.vec != "" {
		n := g.lanes
		return index{vec: g.op("mul <%d x i64> %s, %s", n, x.vec, g.splat("i64", itoa(k), n))}
	}
	out := index{base: g.mul(x.base, itoa(k)),
		align: x.align * (1 << bits.TrailingZeros64(uint64(max(k, 1))))}
	out.align = min(max(out.align, 1), 1<<40)
	for _, l := range x.lanes {
		out.lanes = append(out.lanes, l*k)
	}
	return out
}

// plus returns x + y.
func (g *gen) plus(x, y index) index {
	if x.vec != "" || y.vec != "" {
		n := g.lanes
		return index{vec: g.op("add <%d x i64> %s, %s", n, g.vecOf(x, n), g.vecOf(y, n))}
	}
	out := index{base: g.add(x.base, y.base), align: min(x.align, y.align), lanes: x.lanes}
	switch {
	case x.lanes == nil:
		out.lanes = y.lanes
	case y.lanes != nil:
		out.lanes = make([]int64, len(x.lanes))
		for i := range out.lanes {
			out.lanes[i] = x.lanes[i] + y.lanes[i]
		}
	}
	return out
}

// split returns x / k and x % k; x must not be negative.
func (g *gen) split(x index, k int64) (hi, lo index) {
	switch {
	case k == 1:
		return x, at("0")
	case x.vec == "" && x.align%k == 0:
		hi, lo = index{base: g.div(x.base, k), align: max(1, x.align/k)}, index{base: "0", align: 1 << 40}
		for _, l := range x.lanes {
			hi.lanes, lo.lanes = append(hi.lanes, l/k), append(lo.lanes, l%k)
		}
		return hi.simple(), lo.simple()
	case x.vec == "" && x.lanes == nil:
		return at(g.div(x.base, k)), at(g.rem(x.base, k))
	case x.vec == "" && k%x.align == 0 && x.span() < x.align:
		return at(g.div(x.base, k)), index{base: g.rem(x.base, k), lanes: x.lanes, align: x.align}
	}
	n := g.lanes
	v := g.vecOf(x, n)
	by := g.splat("i64", itoa(k), n)
	return index{vec: g.op("udiv <%d x i64> %s, %s", n, v, by)},
		index{vec: g.op("urem <%d x i64> %s, %s", n, v, by)}
}

// simple drops lanes that are all zero.
func (x index) simple() index {
	if isZero(x.lanes) {
		x.lanes = nil
	}
	return x
}

// linear returns the position of an element in a row-major block.
func (g *gen) linear(idx []index, shape []int64) index {
	sum := at("0")
	step := int64(1)
	for d := len(idx) - 1; d >= 0; d-- {
		if shape[d] > 1 {
			sum = g.plus(sum, g.scaled(idx[d], step))
		}
		step *= shape[d]
	}
	return sum
}

// unravel returns the coordinates of a linear index: the inverse of linear.
func (g *gen) unravel(x index, shape []int64) []index {
	out := make([]index, len(shape))
	first := slices.IndexFunc(shape, func(n int64) bool { return n != 1 }) // has what the others leave
	for d := len(shape) - 1; d >= 0; d-- {
		switch {
		case shape[d] == 1:
			out[d] = at("0")
		case d == first:
			out[d] = x
		default:
			x, out[d] = g.split(x, shape[d])
		}
	}
	return out
}
