// Package axisinfo finds what is known about the integers and pointers of a kernel along each axis of a
// tensor: how many neighbours count up by one, what the first of them is a multiple of, how many are equal.
// From it follow the widths of loads and stores, and the layouts that make them wide.
//
// A function of TTIR or TTGIR comes in; an Info for each of its values goes out. Nothing is changed. The
// analysis is a forward data flow over all control flow, from hints on arguments and operations
// (tt.divisibility, tt.contiguity, tt.constancy); what is claimed holds on every execution. The rules are
// those of Triton's AxisInfo.cpp.
package axisinfo

import (
	"fmt"
	"math/bits"
	"slices"
)

// Info has the facts about a value, an entry for each axis; a scalar counts as a tensor of one axis with one
// element.
type Info struct {
	// Contiguity: along the axis, each aligned group of this many elements counts up by one.
	Contiguity []int64
	// Divisibility: the first element of each such group is a multiple of this number. Of pointers, in bytes.
	Divisibility []int64
	// Constancy: along the axis, each aligned group of this many elements is equal.
	Constancy []int64
	// Value is the number that all elements equal, if Known.
	Value int64
	Known bool
}

// MaxDivisor is the divisibility of zero, and stands for "anything" until something is known.
const MaxDivisor = int64(1) << 62

// Rank returns the number of axes; 0 for an info without any facts yet.
func (a Info) Rank() int { return len(a.Contiguity) }

// Equal reports whether two infos say the same.
func (a Info) Equal(b Info) bool {
	return a.Known == b.Known && a.Value == b.Value && slices.Equal(a.Contiguity, b.Contiguity) &&
		slices.Equal(a.Divisibility, b.Divisibility) && slices.Equal(a.Constancy, b.Constancy)
}

// String returns the info as Triton's tests print it.
func (a Info) String() string {
	value := "<none>"
	if a.Known {
		value = fmt.Sprint(a.Value)
	}
	return fmt.Sprintf("contiguity = %s, divisibility = %s, constancy = %s, constant_value = %s",
		list(a.Contiguity), list(a.Divisibility), list(a.Constancy), value)
}

func list(v []int64) string {
	s := "["
	for i, x := range v {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprint(x)
	}
	return s + "]"
}

// unknown returns an info that says nothing: no two neighbours are related.
func unknown(rank int) Info { return uniform(rank, 1) }

// anything returns the info of values that do not exist: the neutral element of join.
func anything(rank int) Info { return uniform(rank, MaxDivisor) }

func uniform(rank int, n int64) Info {
	return Info{Contiguity: repeat(n, rank), Divisibility: repeat(n, rank), Constancy: repeat(n, rank)}
}

func repeat(n int64, rank int) []int64 { return slices.Repeat([]int64{n}, rank) }

// constant returns the info of a value whose elements all equal v.
func constant(v int64, shape []int64) Info {
	rank := len(shape)
	return Info{Contiguity: repeat(1, rank), Divisibility: repeat(pow2Divisor(v), rank),
		Constancy: slices.Clone(shape), Value: v, Known: true}
}

// is reports whether the value is known to be v.
func (a Info) is(v int64) bool { return a.Known && a.Value == v }

// pow2Divisor returns the highest power of two that divides n.
func pow2Divisor(n int64) int64 {
	if n == 0 {
		return MaxDivisor
	}
	return int64(1) << min(bits.TrailingZeros64(uint64(n)), 62)
}

// gcd returns the greatest common divisor of numbers that are not negative; 0 is a multiple of everything.
func gcd(ns ...int64) int64 {
	g := int64(0)
	for _, n := range ns {
		for n != 0 {
			g, n = n, g%n
		}
	}
	return g
}

// mulDivisor returns a product, or MaxDivisor where it does not fit.
func mulDivisor(a, b int64) int64 {
	if b == 0 || a > MaxDivisor/b {
		return MaxDivisor
	}
	return a * b
}

// join returns the facts that hold of a value that is either a or b; unit is its elemBytes.
func join(a, b Info, unit int64) Info {
	if a.Rank() == 0 {
		return b
	}
	if b.Rank() == 0 {
		return a
	}
	out := pairwise(a, b, unit)
	if a.Known && b.Known && a.Value == b.Value {
		out.Value, out.Known = a.Value, true
	}
	return out
}

// pairwise returns the facts that hold of each element whether it is taken from a or from b, groups being
// taken whole.
func pairwise(a, b Info, unit int64) Info {
	out := Info{Contiguity: make([]int64, a.Rank()), Divisibility: make([]int64, a.Rank()),
		Constancy: make([]int64, a.Rank())}
	for d := range out.Contiguity {
		out.Contiguity[d] = gcd(a.Contiguity[d], b.Contiguity[d])
		out.Divisibility[d] = commonDivisor(a, b, d, unit)
		out.Constancy[d] = gcd(a.Constancy[d], b.Constancy[d])
	}
	return out
}

// commonDivisor returns the divisibility of a value that is either a or b. Where groups become shorter, the
// first elements of the new ones lie inside the old ones: [16, 17, 18, 19] in groups of two begins also with
// 18.
func commonDivisor(a, b Info, d int, unit int64) int64 {
	ca, cb := a.Contiguity[d], b.Contiguity[d]
	if ca == cb || ca == MaxDivisor || cb == MaxDivisor {
		return gcd(a.Divisibility[d], b.Divisibility[d])
	}
	return gcd(a.Divisibility[d], b.Divisibility[d], mulDivisor(gcd(ca, cb), unit))
}
