package autotune

import (
	"bytes"
	"math"

	"github.com/nereid-lang/nereid/internal/dtype"
)

// Difference is the first element in which two results differ.
type Difference struct {
	At        int
	Got, Want float64
}

// Candidates sum in different orders, so their floats differ by some units of the type's precision; but two
// results that differ by a sixteenth of the largest element are different, whatever the type, except for
// types whose neighbouring values are further apart.
const (
	roundings  = 64
	most       = 1.0 / 16
	neighbours = 2
)

// Exact is the tolerance of Compare by which every bit must be the same.
const Exact = -1.0

// Compare returns the first element by which a result differs from the wanted one, or nil. The tolerance is
// relative to the largest element that is wanted: 0 means that of the type, Exact none. Integers must be
// equal.
func Compare(t dtype.Type, got, want []byte, tolerance float64) *Difference {
	if bytes.Equal(got, want) {
		return nil
	}
	size := t.Size()
	room := 0.0
	if t.IsFloat() && tolerance >= 0 {
		room = Largest(t, want) * tolerance
		if tolerance == 0 {
			room = Largest(t, want) * Tolerance(t)
		}
	}
	for i := range min(len(got), len(want)) / size {
		a, b := element(got, i, size), element(want, i, size)
		if a == b {
			continue
		}
		x, y := t.Decode(a), t.Decode(b)
		if tolerance < 0 || !t.IsFloat() ||
			!(x == y || math.Abs(x-y) <= room || math.IsNaN(x) && math.IsNaN(y)) {
			return &Difference{i, x, y}
		}
	}
	return nil
}

// Tolerance returns the usual tolerance of a float type, relative to the largest element.
func Tolerance(t dtype.Type) float64 {
	eps := precision(t)
	return min(roundings*eps, max(most, neighbours*eps))
}

// Largest returns the largest finite magnitude among elements.
func Largest(t dtype.Type, data []byte) (out float64) {
	size := t.Size()
	for i := range len(data) / size {
		if v := math.Abs(t.Decode(element(data, i, size))); !math.IsInf(v, 0) && v > out {
			out = v
		}
	}
	return out
}

// precision returns the distance from 1 to the next larger value of a type.
func precision(t dtype.Type) float64 {
	for eps := 1.0; ; eps /= 2 {
		if t.Decode(t.Encode(1+eps/2)) == 1 {
			return eps
		}
	}
}

// element returns the bits of element i.
func element(data []byte, i, size int) (bits uint64) {
	for j := range size {
		bits |= uint64(data[i*size+j]) << (8 * j)
	}
	return bits
}
