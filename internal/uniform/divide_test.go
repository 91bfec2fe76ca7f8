package uniform

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// The functions below divide as a kernel does: in Go, with the words of a divisor.

func divideSigned(n int32, w []uint64) (q, r int32) {
	high := int32(int64(n) * int64(int32(w[Factor])) >> 32)
	q = (high+n)>>uint32(w[Shift]) + int32(uint32(n)>>31)
	return q * int32(w[Sign]), n - q*int32(w[Size])
}

func divideWide(n int64, w []uint64) (q, r int64) {
	f := int64(w[Factor])
	high, _ := bits.Mul64(uint64(n), uint64(f))
	h := int64(high) // of a signed product:
	if n < 0 {
		h -= f
	}
	if f < 0 {
		h -= n
	}
	q = (h+n)>>uint32(w[Shift]) + int64(uint64(n)>>63)
	return q * int64(w[Sign]), n - q*int64(w[Size])
}

func divideUnsigned(n uint32, w []uint64) (q, r uint32) {
	q = uint32((uint64(n)*uint64(uint32(w[Factor]))+w[Addend])>>32) >> uint32(w[Shift])
	return q, n - q*uint32(w[Size])
}

// numbers returns numbers of a width near powers of two, and around zero, and random ones, of both signs.
func numbers(r *rand.Rand, width int) (list []int64) {
	for i := range width {
		for _, d := range []int64{-3, -2, -1, 0, 1, 2, 3} {
			list = append(list, 1<<i+d, -1<<i+d)
		}
		list = append(list, r.Int64()>>i, -r.Int64()>>i)
	}
	for i, n := range list {
		list[i] = n << (64 - width) >> (64 - width)
	}
	return append(list, math.MinInt64>>(64-width), math.MaxInt64>>(64-width))
}

// near returns dividends near multiples of d, where quotients change.
func near(r *rand.Rand, d int64) (list []int64) {
	for range 8 {
		k := r.Int64() >> r.IntN(64) * d
		list = append(list, k-1, k, k+1, -k)
	}
	return list
}

func TestDivide(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, d := range numbers(r, 32) {
		for _, n := range append(numbers(r, 32), near(r, d)...) {
			checkNarrow(t, int32(n), int32(d))
		}
	}
	for _, d := range numbers(r, 64) {
		for _, n := range append(numbers(r, 64), near(r, d)...) {
			checkWide(t, n, d)
		}
	}
}

// TestDivideBySmall tries all small divisors and all small dividends, of both signs.
func TestDivideBySmall(t *testing.T) {
	for d := int32(-300); d <= 300; d++ {
		for n := int32(-1000); n <= 1000; n++ {
			checkNarrow(t, n, d)
			checkNarrow(t, n+math.MaxInt32-1000, d)
			checkNarrow(t, n+math.MinInt32+1000, d)
		}
	}
}

func FuzzDivide(f *testing.F) {
	for _, d := range []int64{1, -1, 2, 3, 7, 641, math.MaxInt32, math.MinInt32, math.MaxInt64,
		math.MinInt64} {
		f.Add(d-1, d)
		f.Add(-d, d)
	}
	f.Fuzz(func(t *testing.T, n, d int64) {
		checkNarrow(t, int32(n), int32(d))
		checkWide(t, n, d)
	})
}

func checkNarrow(t *testing.T, n, d int32) {
	t.Helper()
	if d == 0 {
		return
	}
	var w [maxParts]uint64
	Signed.put(&w, int64(d))
	if q, r := divideSigned(n, w[:]); q != n/d || r != n%d {
		t.Fatalf("%d / %d = %d rest %d, want %d rest %d", n, d, q, r, n/d, n%d)
	}
	Unsigned.put(&w, int64(d))
	a, b := uint32(n), uint32(d)
	if q, r := divideUnsigned(a, w[:]); q != a/b || r != a%b {
		t.Fatalf("%d / %d = %d rest %d, want %d rest %d", a, b, q, r, a/b, a%b)
	}
}

func checkWide(t *testing.T, n, d int64) {
	t.Helper()
	if d == 0 {
		return
	}
	var w [maxParts]uint64
	SignedWide.put(&w, d)
	if q, r := divideWide(n, w[:]); q != n/d || r != n%d {
		t.Fatalf("%d / %d = %d rest %d, want %d rest %d", n, d, q, r, n/d, n%d)
	}
	if isNarrow := d == int64(int32(d)); isNarrow != (w[Narrow] == 1) {
		t.Fatalf("%d is narrow: %v", d, w[Narrow])
	} else if n &= math.MaxInt32; isNarrow {
		q, r := divideSigned(int32(n), []uint64{w[NarrowFactor], w[NarrowShift], w[Size], w[Sign]})
		if int64(q) != n/d || int64(r) != n%d {
			t.Fatalf("%d / %d = %d rest %d, want %d rest %d", n, d, q, r, n/d, n%d)
		}
	}
}

// TestDivideByZero holds all kinds to words, so that a launch with an empty size runs.
func TestDivideByZero(t *testing.T) {
	for k := range numKinds {
		if w := k.Words(0); len(w) != len(k.Widths()) {
			t.Errorf("kind %d: %d words", k, len(w))
		}
	}
}
