package core

import (
	"reflect"
	"testing"

	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/signature"
)

// TestClear: a frame that was cleared refers to none of the arguments of its launch, in whatever form they
// were given.
func TestClear(t *testing.T) {
	params := args.NewParams([]signature.Param{{Name: "x"}, {Name: "y"}, {Name: "z"}, {Name: "f"}})
	x, y, z := &Tensor{}, &Tensor{}, &Tensor{}
	var f Frame
	for range 2 { // a spare frame is used again
		given := []any{x, []any{y}, Arg("f", Fields{Arg("a", z)}), Arg("z", x)}
		if err := f.Bind("k", params, given); err != nil {
			t.Fatal(err)
		}
		for _, tensor := range []*Tensor{x, y, z} {
			if !refers(reflect.ValueOf(&f), reflect.ValueOf(tensor).Pointer(), map[uintptr]bool{}) {
				t.Error("a frame does not refer to its arguments: the test sees too little")
			}
		}
		f.Clear()
		for i, tensor := range []*Tensor{x, y, z} {
			if refers(reflect.ValueOf(&f), reflect.ValueOf(tensor).Pointer(), map[uintptr]bool{}) {
				t.Errorf("a cleared frame refers to argument %d", i)
			}
		}
	}
}

// refers reports whether a pointer to an address can be reached from a value, also in the spare room of
// slices.
func refers(v reflect.Value, to uintptr, seen map[uintptr]bool) bool {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] {
			return false
		}
		if v.Pointer() == to {
			return true
		}
		seen[v.Pointer()] = true
		return refers(v.Elem(), to, seen)
	case reflect.Interface:
		return !v.IsNil() && refers(v.Elem(), to, seen)
	case reflect.Struct:
		for i := range v.NumField() {
			if refers(v.Field(i), to, seen) {
				return true
			}
		}
	case reflect.Slice:
		v = v.Slice(0, v.Cap())
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			if refers(v.Index(i), to, seen) {
				return true
			}
		}
	}
	return false
}

// TestPublicValues: an argument of any form, as package args sees it, turns back into what was passed, and
// tensors into the same ones.
func TestPublicValues(t *testing.T) {
	x, d := &Tensor{}, &Descriptor{}
	for _, v := range []any{nil, 3, 2.5, true, "text", x, d, Float16, Func{File: "k.py", Name: "f"},
		Const{Value: 4}, Const{Value: Int8}, Fields{Arg("a", x), Arg("b", []any{1, d})},
		[]any{x, Bool, []any{}}, Scalar{Int32, 5}, Scalar{Float16, 0x3c00}} {
		if got := PublicValue(plainArg(v)); !reflect.DeepEqual(got, v) {
			t.Errorf("%#v became %#v", v, got)
		}
	}
	if got := PublicValue(plainArg([]*Tensor{x, nil})).([]any); got[0] != any(x) || got[1] != nil {
		t.Errorf("a slice of tensors became %v", got)
	}
	if got := PublicValue(plainArg([]DType{Int8})); !reflect.DeepEqual(got, []any{Int8}) {
		t.Errorf("a slice of types became %v", got)
	}
	for _, v := range []any{(*Tensor)(nil), (*Descriptor)(nil)} {
		if got := plainArg(v); got != nil {
			t.Errorf("%T became %v", v, got)
		}
	}
	deep := []any{nil}
	deep[0] = deep
	if plainArg(deep) == nil {
		t.Error("a slice that contains itself became nothing")
	}
}
