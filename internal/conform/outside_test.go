package conform

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/nereid-lang/nereid"
)

// outsideSource stores and reduces through descriptors at coordinates that the launch chooses.
const outsideSource = `
import triton
import triton.language as tl


@triton.jit
def put(x, y, i, j, KIND: tl.constexpr):
    j = tl.multiple_of(j, 16)
    v = x.load([0, 0])
    if KIND == "add":
        y.atomic_add([i, j], v)
    elif KIND == "min":
        y.atomic_min([i, j], v)
    elif KIND == "max":
        y.atomic_max([i, j], v)
    elif KIND == "xor":
        y.atomic_xor([i, j], v)
    else:
        y.store([i, j], v)


@triton.jit
def put_deep(x, y, i, j, k):
    y.store([i, j, tl.multiple_of(k, 16)], x.load([0, 0, 0]))


@triton.jit
def put_made(x, y, i, j, M, N, R: tl.constexpr, C: tl.constexpr):
    to = tl.make_tensor_descriptor(y, [M, N], [N, 1], [R, C])
    for step in range(3):
        v = x.load([0, 0]) + step
        to.store([i + step * R, tl.multiple_of(j, 16)], v)
`

// outsideLaunches returns launches whose stores begin before, inside and behind the tensor, and so far behind
// it that a coordinate overflows.
func outsideLaunches() []described {
	two := func(a, b int64) []int64 { return []int64{a, b} }
	f16, f32, i32 := nereid.Float16, nereid.Float32, nereid.Int32
	var out []described
	opts := nereid.Options{NumWarps: 4}
	for _, at := range [][2]int64{
		{0, 0}, {-3, 0}, {0, -16}, {-5, -32}, {-8, 0}, {3, 64}, {-1, 64}, {-(1 << 31), 0}, {1<<31 - 1, 16},
		{0, 1<<31 - 16}, {9, -16},
	} {
		for _, dt := range []nereid.DType{f16, f32, i32} {
			for _, kind := range map[nereid.DType][]string{
				f16: {"set", "add", "min", "max"}, f32: {"set", "add"},
				i32: {"set", "add", "min", "max", "xor"},
			}[dt] {
				out = append(out, described{"put", nereid.Grid{1}, opts, 0, []any{
					tile{dt, two(8, 128), two(8, 128)}, tile{dt, two(10, 80), two(8, 128)},
					at[0], at[1], kind}})
			}
		}
		out = append(out,
			described{"put_deep", nereid.Grid{1}, opts, 0, []any{
				tile{f32, []int64{2, 4, 32}, []int64{2, 4, 32}},
				tile{f32, []int64{3, 6, 48}, []int64{2, 4, 32}}, -1, at[0], at[1]}},
			described{"put_made", nereid.Grid{1}, opts, 0, []any{
				tile{f16, two(8, 32), two(8, 32)}, tile{f16, two(20, 48), nil}, at[0], at[1], 20, 48, 8, 32}})
	}
	return out
}

// TestStoresOutside checks that stores and reductions through descriptors write what lies inside of the
// tensor and nothing else, wherever they begin.
func TestStoresOutside(t *testing.T) {
	mod, err := nereid.LoadFS(fstest.MapFS{"outside.py": {Data: []byte(outsideSource)}}, "outside.py")
	if err != nil {
		t.Fatal(err)
	}
	judge := interpreter(t)
	for _, dev := range gpus(t, "sim:90") {
		for i, d := range outsideLaunches() {
			t.Run(fmt.Sprintf("%s/%s-%d", dev, d.kernel, i), func(t *testing.T) {
				want, got := d.run(t, mod, judge), d.run(t, mod, dev)
				for j := range want {
					if k := differ(want[j], got[j], d.within); k >= 0 {
						t.Errorf("%v: element %d of tensor %d is %v, not %v", d.args, k, j, got[j][k],
							want[j][k])
					}
				}
			})
		}
	}
}
