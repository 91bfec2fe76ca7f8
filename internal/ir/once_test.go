package ir_test

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestOnce: numbers of Fibonacci take one step each, where the plain recursion takes as many as their size.
func TestOnce(t *testing.T) {
	steps := 0
	fib := ir.Once(func(n int, of func(int) int) int {
		steps++
		if n < 2 {
			return n
		}
		return of(n-1) + of(n-2)
	})
	if got := fib(60); got != 1548008755920 || steps != 61 {
		t.Errorf("%d in %d steps", got, steps)
	}
}
