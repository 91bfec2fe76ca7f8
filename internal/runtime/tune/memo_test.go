package tune

import (
	"math"
	"reflect"
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/signature"
)

// unseen has the fields of a tensor that Python functions of decorators cannot see, with the reason.
var unseen = map[string]string{
	"Dev": "the device is in the key by its name",
	"End": "tensors have no such attribute",
}

// changes has, for each field of a tensor that a function can see, other values of it.
var changes = map[string][]any{
	"Elem":    {dtype.Float16, dtype.Int32},
	"Addr":    {uint64(4096 + 1), uint64(4096 + 4), uint64(4096 + 8)}, // data_ptr() % 16 and its divisors
	"Shape":   {[]int{4, 8}, []int{32}, []int{8, 4, 1}, []int{84}},
	"Strides": {[]int{8, 1}, []int{1, 8}, []int{41}},
}

// TestMemoKey changes each field of a tensor: what a function of a decorator can see of it is in the key of
// its answers.
func TestMemoKey(t *testing.T) {
	base := args.Tensor{Elem: dtype.Float32, Addr: 4096, Shape: []int{8, 4}, Strides: []int{4, 1}}
	key := func(x args.Tensor) string { return string(appendTensor(nil, &x)) }
	typ := reflect.TypeFor[args.Tensor]()
	for i := range typ.NumField() {
		name := typ.Field(i).Name
		if unseen[name] != "" {
			continue
		}
		if len(changes[name]) == 0 {
			t.Errorf("a tensor's %s is new: say how the memo's key depends on it", name)
		}
		for _, v := range changes[name] {
			x := base
			reflect.ValueOf(&x).Elem().Field(i).Set(reflect.ValueOf(v))
			if key(x) == key(base) {
				t.Errorf("the key does not see %s = %v", name, v)
			}
		}
	}
	far := base
	far.Addr += 1 << 20
	if key(far) != key(base) {
		t.Error("the key depends on where a tensor is, not only on its alignment")
	}
}

// TestMemoValues: values of different types or different bits have different keys.
func TestMemoValues(t *testing.T) {
	list := []any{nil, 0, 1, -1, 0.0, 1.0, math.Copysign(0, -1), true, false, "", "1", "a", "a|b",
		dtype.Float32, dtype.Float16, args.Scalar{Elem: dtype.Float32, Bits: 1},
		args.Scalar{Elem: dtype.Int32, Bits: 1}, args.Scalar{Elem: dtype.Float32}}
	seen := map[string]any{}
	for _, v := range list {
		b, ok := appendValue(nil, v)
		if !ok {
			t.Fatalf("%v has no key", v)
		}
		if other, ok := seen[string(b)]; ok {
			t.Errorf("%T %v and %T %v have the same key", v, v, other, other)
		}
		seen[string(b)] = v
	}
}

// gpu is a device that has a name alone.
type gpu struct {
	device.Device
	name string
}

func (g gpu) Name() string { return g.name }

// TestMemo: what decorators added to arguments comes back for equal ones on the same device under the same
// options, and leaves what the caller gives alone.
func TestMemo(t *testing.T) {
	params := args.NewParams([]signature.Param{{Name: "n"}, {Name: "BLOCK", Constexpr: true}})
	matched := func(opts device.Options, vals ...any) *args.Matched {
		t.Helper()
		m := &args.Matched{}
		var list []args.Arg
		for _, v := range vals {
			list = append(list, args.Arg{Value: v})
		}
		if err := m.Match(params, list); err != nil {
			t.Fatal(err)
		}
		m.Opts = opts
		return m
	}
	dev := &args.Device{Backend: gpu{name: "gpu:0"}}
	var m memo
	usual, chosen := device.Options{}, device.Options{NumWarps: 8}
	if m.complete(dev, matched(usual, 100)) {
		t.Error("an empty memo knows something")
	}
	m.put(dev, matched(usual, 100), matched(chosen, 100, 64))
	for name, c := range map[string]struct {
		dev  *args.Device
		x    *args.Matched
		want bool
	}{
		"the same":                   {dev, matched(usual, 100), true},
		"the same again":             {dev, matched(usual, 100), true},
		"another number":             {dev, matched(usual, 101), false},
		"another device":             {&args.Device{Backend: gpu{name: "gpu:1"}}, matched(usual, 100), false},
		"options of the caller's":    {dev, matched(device.Options{NumStages: 5}, 100), false},
		"the options that it chose":  {dev, matched(chosen, 100), false},
		"a block of the caller's":    {dev, matched(usual, 100, 64), false},
		"nothing that can be known":  {dev, matched(usual, []int{1}), false},
		"None in place of a number":  {dev, matched(usual, nil), false},
		"a float in place of an int": {dev, matched(usual, 100.0), false},
	} {
		given := c.x.Vals[0]
		if got := m.complete(c.dev, c.x); got != c.want {
			t.Errorf("%s: known: %v", name, got)
		} else if got && (c.x.Vals[0] != given || c.x.Vals[1] != 64 || !c.x.Given[1] || c.x.Opts != chosen) {
			t.Errorf("%s: completed to %+v", name, c.x)
		}
	}
}
