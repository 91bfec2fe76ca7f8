package args

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/signature"
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

// TestReads: a launch reads tensors in place where all are on its device, or in memory that it shares with
// the host. One that is empty or closed, or on a second device, needs the long way.
func TestReads(t *testing.T) {
	gpu, other := &Device{}, &Device{}
	cpu := &Device{Traits: device.Traits{SharesHost: true, WordDescriptors: true}}
	on := func(d *Device) *Tensor { return &Tensor{Elem: dtype.Float16, Dev: PlaceOf(d), Addr: 4096} }
	host, desc := on(nil), func(x *Tensor) *Descriptor {
		return &Descriptor{Base: x, Shape: []int64{64}, Strides: []int64{1}, Block: []int64{64}}
	}
	for name, c := range map[string]struct {
		dev  *Device
		vals []any
		want bool
	}{
		"its own":                {gpu, []any{on(gpu), on(gpu)}, true},
		"another's":              {gpu, []any{on(other), on(other)}, false},
		"its own and another's":  {gpu, []any{on(gpu), on(other)}, false},
		"another's and its own":  {gpu, []any{on(other), on(gpu)}, false},
		"the host's":             {gpu, []any{on(gpu), host}, false},
		"the host's, shared":     {cpu, []any{on(cpu), host}, true},
		"none":                   {cpu, []any{on(cpu), &Tensor{Elem: dtype.Float16}}, false},
		"numbers alone":          {gpu, []any{1, 2.0}, true},
		"a descriptor":           {gpu, []any{desc(on(gpu)), 1}, false},
		"a descriptor in words":  {cpu, []any{desc(on(cpu)), desc(host)}, true},
		"a descriptor elsewhere": {cpu, []any{on(cpu), desc(on(gpu))}, false},
	} {
		var f Frame
		params := NewParams([]signature.Param{{Name: "a"}, {Name: "b"}})
		got := f.Specialize(params, c.vals, nil) == nil && f.Reads(c.dev)
		if got != c.want {
			t.Errorf("%s: read in place: %v", name, got)
		}
	}
}
