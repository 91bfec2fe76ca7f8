// Package certify compares what compiled code and its source leave in memory when floats are elements of a
// finite ring (package ring): without a tolerance, element by element.
package certify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/ring"
)

// Prepare replaces the floats of a tensor by those that stand for their elements of the ring.
func Prepare(t dtype.Type, data []byte) {
	each(t, data, func(at []byte, bits uint64) { put(at, canonical(t, bits)) })
}

// canonical returns the bits that stand for an element of the ring.
func canonical(t dtype.Type, bits uint64) uint64 {
	f := t.Row().Format
	x := f.Decode(bits)
	switch {
	case x != x:
		return f.NaN()
	case !ring.Finite(x):
		return f.Encode(x)
	}
	return f.Encode(ring.Round(f, x))
}

// each calls f with each float of a tensor; other tensors have none.
func each(t dtype.Type, data []byte, f func(at []byte, bits uint64)) {
	if !t.IsFloat() {
		return
	}
	n := t.Size()
	for i := 0; i+n <= len(data); i += n {
		f(data[i:i+n], get(data[i:i+n]))
	}
}

func get(b []byte) uint64 {
	var word [8]byte
	copy(word[:], b)
	return binary.LittleEndian.Uint64(word[:])
}

func put(b []byte, bits uint64) {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], bits)
	copy(b, word[:])
}

// Outcome is the comparison of a tensor.
type Outcome struct {
	Elements  int `json:"elements"`
	Changed   int `json:"changed"`   // by the source
	Special   int `json:"special"`   // changed to an infinity or NaN, which show little
	Different int `json:"different"` // between source and code
	First     int `json:"first"`     // the first of these
}

// Add adds the comparison of another tensor.
func (o *Outcome) Add(other Outcome) {
	o.Elements += other.Elements
	o.Changed += other.Changed
	o.Special += other.Special
}

// Empty says why equal memory shows nothing; "" if it does show something.
func (o Outcome) Empty() string {
	switch {
	case o.Changed == 0:
		return "the source changes no element"
	case o.Special == o.Changed:
		return fmt.Sprintf("all %d changed elements are infinities or NaN", o.Changed)
	}
	return ""
}

func (o Outcome) String() string {
	text := fmt.Sprintf("%d elements, %d changed", o.Elements, o.Changed)
	if o.Special > 0 {
		text += fmt.Sprintf(", %d of them to infinities or NaN", o.Special)
	}
	return text
}

// Refused reports whether an error says that the ring gives an operation no meaning, or that a device lacks
// what a kernel uses: then there is nothing to compare. Any other error of a launch is a fault.
func Refused(err error) bool {
	var r *diag.Refusal
	return err != nil && (errors.As(err, &r) || strings.Contains(err.Error(), "[unsupported-on-target]") ||
		strings.Contains(err.Error(), "no meaning in the ring"))
}

// Compare compares a tensor after a launch of code with the same after a launch of the source. before is what
// both began with.
func Compare(t dtype.Type, before, source, code []byte) (o Outcome) {
	n := t.Size()
	for i := 0; i+n <= len(source); i += n {
		want, got := get(source[i:i+n]), get(code[i:i+n])
		o.Elements++
		if changed := get(before[i:i+n]) != want; changed {
			o.Changed++
			if t.IsFloat() && !ring.Finite(t.Decode(want)) {
				o.Special++
			}
		}
		if want != got && (!t.IsFloat() || canonical(t, want) != canonical(t, got)) {
			if o.Different == 0 {
				o.First = i / n
			}
			o.Different++
		}
	}
	return o
}

// Describe says what an element holds after both launches.
func Describe(t dtype.Type, source, code []byte, i int) string {
	n := t.Size()
	want, got := get(source[i*n:i*n+n]), get(code[i*n:i*n+n])
	if !t.IsFloat() {
		return fmt.Sprintf("source %v, code %v", t.Decode(want), t.Decode(got))
	}
	return fmt.Sprintf("source %#x (%v), code %#x (%v)", want, t.Decode(want), got, t.Decode(got))
}
