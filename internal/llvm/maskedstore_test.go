package llvm

import (
	"testing"
	"unsafe"
)

const oneLaneIR = `
define void @store_one(ptr %from, ptr %to) {
  %wide = load <4 x i64>, ptr %from, align 8
  %narrow = trunc <4 x i64> %wide to <4 x i8>
  call void @llvm.masked.store.v4i8.p0(<4 x i8> %narrow, ptr %to, i32 1,
        <4 x i1> <i1 false, i1 true, i1 false, i1 false>)
  ret void
}

declare void @llvm.masked.store.v4i8.p0(<4 x i8>, ptr, i32, <4 x i1>)
`

// TestMaskedStoreOfOneLane stores one truncated element and looks at those behind it.
func TestMaskedStoreOfOneLane(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		j := host(t, lib, oneLaneIR, JITOptions{})
		from := []int64{1, 2, 3, 4}
		to := make([]byte, 16)
		for i := range to {
			to[i] = 9
		}
		Call(lookup(t, j, "store_one"), uintptr(unsafe.Pointer(&from[0])), uintptr(unsafe.Pointer(&to[0])))
		for i, v := range to {
			if want := byte(9); i == 1 && v != 2 || i != 1 && v != want {
				t.Errorf("byte %d is %d", i, v)
			}
		}
	})
}
