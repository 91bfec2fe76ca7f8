package args

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/dtype"
)

// TestHolder: the tensors of a launch are counted and looked at wherever they stand: alone, in descriptors,
// in tuples and in named tuples, one inside another.
func TestHolder(t *testing.T) {
	elem, ok := dtype.Parse("fp16")
	if !ok {
		t.Fatal("no fp16")
	}
	here, there := &Device{}, &Device{}
	tensor := func(on *Device) *Tensor {
		return &Tensor{Elem: elem, Dev: PlaceOf(on), Addr: 64, End: 64 + 1000, Shape: []int{3, 5}}
	}
	for name, wrap := range map[string]func(*Tensor) any{
		"alone":      func(x *Tensor) any { return x },
		"descriptor": func(x *Tensor) any { return &Descriptor{Base: x} },
		"tuple":      func(x *Tensor) any { return []any{1, x} },
		"fields":     func(x *Tensor) any { return Fields{{"n", 1}, {"x", x}} },
		"nested":     func(x *Tensor) any { return []any{Fields{{"d", []any{&Descriptor{Base: x}}}}} },
	} {
		t.Run(name, func(t *testing.T) {
			nothing := []any{(*Tensor)(nil), (*Descriptor)(nil), &Descriptor{}, nil, 7, "x"}
			m := &Matched{Vals: append(nothing, wrap(tensor(here)), wrap(tensor(nil)))}
			if m.Closed(here) || m.Bytes() != 60 {
				t.Errorf("closed: %v, %d bytes, not 60", m.Closed(here), m.Bytes())
			}
			m = &Matched{Vals: append(nothing, wrap(tensor(there)), wrap(tensor(here)))}
			if !m.Closed(here) {
				t.Error("a tensor of another device is not closed")
			}
		})
	}
	short := tensor(here)
	short.End = short.Addr + 8
	if n := short.Bytes(); n != 8 {
		t.Errorf("%d bytes of memory, not 8", n)
	}
}
