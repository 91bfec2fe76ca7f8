package interp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestFp4ToFp: two 4-bit floats of each byte lie side by side along the axis, whichever it is, the low half
// first.
func TestFp4ToFp(t *testing.T) {
	for _, shape := range [][]int{{32}, {4, 8}, {8, 4}, {2, 4, 4}} {
		for axis := range shape {
			for _, elem := range []string{"f16", "bf16"} {
				wide := slices.Clone(shape)
				wide[axis] *= 2
				var in, want []uint64
				for i := range 32 {
					in = append(in, uint64(i*37&255))
				}
				for i := range 64 {
					at := places(i, wide)
					half := at[axis] % 2
					at[axis] /= 2
					want = append(want, enc(elem, f4E2M1[in[flatIndex(at, shape)]>>(4*half)&15]))
				}
				p := compileText(t, fp4Text(shape, wide, axis, elem), "k")
				mem, out := NewMemory(), make([]byte, 128)
				args := []uint64{mem.Alloc(pack("i8", in), "in").Addr(), mem.Alloc(out, "out").Addr()}
				if err := p.Run(context.Background(), mem, [3]int{1, 1, 1}, args, Options{}); err != nil {
					t.Fatal(err)
				}
				if got := unpack(elem, out); !slices.Equal(got, want) {
					t.Errorf("%v along %d in %s:\n%x\n%x", shape, axis, elem, got, want)
				}
			}
		}
	}
}

// places returns the indices of element i of a tensor.
func places(i int, shape []int) []int {
	at := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = i % shape[d]
		i /= shape[d]
	}
	return at
}

// flatIndex is the reverse of places.
func flatIndex(at, shape []int) (i int) {
	for d, n := range shape {
		i = i*n + at[d]
	}
	return i
}

// fp4Text returns a kernel that unpacks 32 bytes.
func fp4Text(shape, wide []int, axis int, elem string) string {
	dims := func(shape []int) string {
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", "x"), "[]")
	}
	line := func(n int, name, elem, ptr string) string {
		return strings.NewReplacer("N", fmt.Sprint(n), "A", name, "E", elem, "P", ptr).Replace(
			"  %rA = tt.make_range {end = N : i32, start = 0 : i32} : tensor<Nxi32>\n" +
				"  %sA = tt.splat %P : !tt.ptr<E> -> tensor<Nx!tt.ptr<E>>\n" +
				"  %pA = tt.addptr %sA, %rA : tensor<Nx!tt.ptr<E>>, tensor<Nxi32>\n")
	}
	from, to := dims(shape)+"xi8", dims(wide)+"x"+elem
	return "tt.func public @k(%x: !tt.ptr<i8>, %y: !tt.ptr<" + elem + ">) {\n" + line(32, "0", "i8", "x") +
		line(64, "1", elem, "y") + "  %v = tt.load %p0 : tensor<32x!tt.ptr<i8>>\n" +
		"  %a = tt.reshape %v : tensor<32xi8> -> tensor<" + from + ">\n" +
		fmt.Sprintf("  %%b = ttg.fp4_to_fp %%a {axis = %d : i32} : tensor<%s> -> tensor<%s>\n", axis, from,
			to) +
		"  %c = tt.reshape %b : tensor<" + to + "> -> tensor<64x" + elem + ">\n" +
		"  tt.store %p1, %c : tensor<64x!tt.ptr<" + elem + ">>\n  tt.return\n}\n"
}
