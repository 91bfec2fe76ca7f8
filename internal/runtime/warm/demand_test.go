package warm

import (
	"math"
	"testing"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// TestNumber holds short cuts to what package args says of an integer.
func TestNumber(t *testing.T) {
	values := []int64{0, 1, 2, 15, 16, 17, 32, -1, -16, math.MaxInt32, math.MaxInt32 + 1, math.MinInt32,
		math.MinInt64, 1 << 40, 1<<40 + 1}
	for _, r := range []args.IntRule{
		{One: args.ClassOne, Align: args.ClassDiv16}, {One: args.ClassInt32, Align: args.ClassDiv16},
		{One: args.ClassOne}, {One: args.ClassInt32},
	} {
		for _, v := range values {
			s := intDemand(r, r.Class(v), 7)
			if s.at != 7 {
				t.Fatalf("the place is %d", s.at)
			}
			q, quick := s.quick()
			for _, w := range values {
				if quick && (q.outside(w) == 0) != (r.Class(v) == r.Class(w)) {
					t.Errorf("%+v: bound for %d, %d is in its range: %v", r, v, w, q.outside(w) == 0)
				}
				if fits := s.refuses(w)&1 == 0; fits != (r.Class(v) == r.Class(w)) {
					t.Errorf("%+v: bound for %d, %d fits: %v", r, v, w, fits)
				}
			}
		}
	}
	if _, ok := intDemand(args.IntRule{One: args.ClassOne, Align: args.ClassDiv16}, args.ClassInt32,
		0).quick(); ok {
		t.Error("two operations cannot tell a number that is neither 1 nor divisible by 16")
	}
	if d := anyNumber(3); d.refuses(12345)&1 != 0 || d.refuses(1)&1 != 0 {
		t.Error("a float's bits have no say")
	}
}

// TestTensor holds short cuts to what package args says of a tensor.
func TestTensor(t *testing.T) {
	var list []*args.Tensor
	for elem := dtype.Type(0); elem.Size() > 0 || elem == 0; elem++ {
		for _, addr := range []uint64{0, 16, 8, 1} {
			list = append(list, &args.Tensor{Elem: elem, Addr: addr})
		}
	}
	if len(list) < 40 {
		t.Fatalf("%d tensors", len(list))
	}
	for _, x := range list {
		d, ok := tensorDemand(x.Class(), 7)
		if !ok || d.at != 7 || d.look == noTensor {
			t.Fatalf("%s at %d: %v, %v", x.Elem, x.Addr, d, ok)
		}
		for _, y := range list {
			if fits := d.differs(y) == 0; fits != (x.Class() == y.Class()) {
				t.Errorf("bound for %s at %d, %s at %d fits: %v", x.Elem, x.Addr, y.Elem, y.Addr, fits)
			}
		}
	}
}

// A launch reads few cache lines of these: they begin with one, since the allocator aligns their sizes.
func TestCacheLines(t *testing.T) {
	const line = 64
	for name, size := range map[string]uintptr{"Cut": unsafe.Sizeof(Cut{}),
		"ArgCut": unsafe.Sizeof(ArgCut{})} {
		if size%line != 0 {
			t.Errorf("a %s has %d bytes", name, size)
		}
	}
	for name, at := range map[string]uintptr{"Cut": unsafe.Offsetof(Cut{}.codes),
		"ArgCut": unsafe.Offsetof(ArgCut{}.codes)} {
		if at >= line {
			t.Errorf("the codes of a %s begin at %d, behind the first line", name, at)
		}
	}
}

// Constants with padding between them are compared by another, slower loop. Every struct of constants ends
// with the options.
func TestOptionsWithoutPadding(t *testing.T) {
	type consts struct {
		Block   int
		Options device.Options
	}
	raw := NewRaw(consts{Options: device.Options{NumWarps: 4, Check: true}})
	if raw.masks != nil || len(raw.words) == 0 {
		t.Errorf("%d words, masks %x", len(raw.words), raw.masks)
	}
}

// TestScalarDemand: generated code passes the word of its parameter's type as it is, so that a short cut
// takes only what the annotation of the kernel wants in that form.
func TestScalarDemand(t *testing.T) {
	fixed := func(elem dtype.Type) args.Rule {
		return args.Rule{Elem: elem, Fixed: true, Float: elem.IsFloat()}
	}
	for _, c := range []struct {
		kind  byte
		rule  args.Rule
		class args.Class
		want  bool
	}{
		{KindFloat, args.Rule{}, args.ClassFloat, true}, {KindDouble, args.Rule{}, args.ClassFloat, false},
		{KindFloat, fixed(dtype.Float32), args.ClassFloat, true},
		{KindFloat, fixed(dtype.Float16), args.ClassFloat, false},
		{KindFloat, fixed(dtype.Float64), args.ClassFloat, false},
		{KindDouble, fixed(dtype.Float64), args.ClassFloat, true},
		{KindDouble, fixed(dtype.Float32), args.ClassFloat, false},
		{KindFloat, args.Rule{}, args.ClassInt32, false},
		{KindInt, args.Rule{}, args.ClassInt32, true},
		{KindInt, fixed(dtype.Float32), args.ClassFloat, false},
		{KindBool, args.Rule{}, args.ClassBool, true}, {KindBool, args.Rule{}, args.ClassInt32, false},
		{'?', args.Rule{}, args.ClassInt32, false},
	} {
		if _, ok := scalarDemand(c.kind, &c.rule, c.class, 0); ok != c.want {
			t.Errorf("%c of the class %d under %+v has a short cut: %v", c.kind, c.class, c.rule, ok)
		}
	}
}
