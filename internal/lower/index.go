package lower

import (
	"math/bits"
	"strconv"
)

// Arithmetic on i32 names, which folds constants: indices and offsets.

func itoa(n int) string { return strconv.Itoa(n) }

func log2(n int) int { return bits.Len(uint(n)) - 1 }

// constant returns the value of a name that is a number.
func constant(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil
}

func (l *lowering) add(a, b string) string {
	x, okA := constant(a)
	y, okB := constant(b)
	switch {
	case okA && okB:
		return itoa(x + y)
	case okA && x == 0:
		return b
	case okB && y == 0:
		return a
	}
	return l.val("add i32 %s, %s", a, b)
}

func (l *lowering) mul(a string, n int) string {
	if x, ok := constant(a); ok {
		return itoa(x * n)
	}
	switch {
	case n == 1:
		return a
	case n&(n-1) == 0 && n > 0:
		return l.val("shl i32 %s, %d", a, log2(n))
	}
	return l.val("mul i32 %s, %d", a, n)
}

// or adds numbers that have no bit in common.
func (l *lowering) or(a, b string) string {
	switch {
	case a == "0":
		return b
	case b == "0":
		return a
	}
	return l.val("or disjoint i32 %s, %s", a, b)
}

func (l *lowering) xor(a, b string) string {
	x, okA := constant(a)
	y, okB := constant(b)
	switch {
	case okA && okB:
		return itoa(x ^ y)
	case okA && x == 0:
		return b
	case okB && y == 0:
		return a
	}
	return l.val("xor i32 %s, %s", a, b)
}
