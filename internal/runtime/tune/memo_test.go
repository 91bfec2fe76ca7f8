package tune

import (
	"math"
	"reflect"
	"testing"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/runtime/args"
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
