package gomlx

import (
	"reflect"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// flatView returns the bytes of a contiguous tensor: words of eight bytes where they are whole.
func flatView(t *nereid.Tensor, bytes int) *nereid.Tensor {
	v := t.Offset(0)
	v.DType, v.Shape, v.Strides = nereid.Uint8, []int{bytes}, []int{1}
	if bytes%8 == 0 {
		v.DType, v.Shape = nereid.Int64, []int{bytes / 8}
	}
	return v
}

func copyKernel(b *Backend, to, from *nereid.Tensor) error {
	return ops.Copy(b.ops.Into(to), from).Err()
}

// sliceOf returns a slice with one value.
func sliceOf(v any) any {
	s := reflect.MakeSlice(reflect.SliceOf(reflect.TypeOf(v)), 1, 1)
	s.Index(0).Set(reflect.ValueOf(v))
	return s.Interface()
}
