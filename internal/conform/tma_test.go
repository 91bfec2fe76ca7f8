package conform

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// described is a launch of a kernel of internal/gpu/testdata/descriptors.
type described struct {
	kernel string
	grid   nereid.Grid
	opts   nereid.Options
	within float64 // by how much results may differ, relative to their size
	args   []any   // tensors, and other arguments
}

// tile is a tensor that a kernel takes by a descriptor or, without blocks, by a pointer.
type tile struct {
	dtype        nereid.DType
	shape, block []int64
}

// describedKernels loads the kernels with descriptors.
func describedKernels(t *testing.T) *nereid.Module {
	t.Helper()
	mod, err := nereid.Load(txtest.Path(t, "internal/gpu/testdata/descriptors/kernels.py"))
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

// TestTensorMaps runs kernels with descriptors on the simulated sm_90, whose copy engine moves the blocks,
// and on sm_80, which has none. The interpreter says what is right: numbers are small and whole, so that most
// results are exact. Tensors end within blocks, and loops are shorter than the pipeline and longer. With
// -device, they run on that device.
func TestTensorMaps(t *testing.T) {
	mod, judge, chosen := describedKernels(t), interpreter(t), sampleHere(t, 6)
	for g, dev := range gpus(t, "sim:90", "sim:80") {
		for i, d := range describedLaunches() {
			if !chosen(i + g) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s-%d", dev, d.kernel, i), func(t *testing.T) {
				want, got := d.run(t, mod, judge), d.run(t, mod, dev)
				for j := range want {
					if k := differ(want[j], got[j], d.within); k >= 0 {
						t.Errorf("element %d of tensor %d is %v, not %v", k, j, got[j][k], want[j][k])
					}
				}
			})
		}
	}
}

// TestWarpSpecialize checks that a kernel with a loop that asks for warp specialization gets a second warp
// group where one does not hold the sums of its products.
func TestWarpSpecialize(t *testing.T) {
	k, err := describedKernels(t).Kernel("pointers_specialized")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ rows, columns, warps, want int }{
		{128, 256, 4, 8}, {128, 128, 4, 4}, {64, 512, 4, 4}, {128, 256, 8, 8}, {128, 256, 2, 2},
	} {
		sig := fmt.Sprintf("*fp16:16, *fp16:16, *fp16:16, i32:16, %d, %d", c.rows, c.columns)
		got, err := k.CompileFor(t.Context(), "cuda:90", sig, nereid.Options{NumWarps: c.warps}, "ttgir")
		if err != nil {
			t.Fatal(err)
		}
		text := string(got.Stage("ttgir"))
		if want := fmt.Sprintf(`"ttg.num-warps" = %d : i32`, c.want); !strings.Contains(text, want) {
			t.Errorf("%dx%d, %d warps: want %s in\n%s", c.rows, c.columns, c.warps, want, text)
		}
	}
}

// differ returns the first element that differs by more than within, relative to the size of all elements of
// a (the root of their mean square), or -1.
func differ(a, b []float64, within float64) int {
	squares := 0.0
	for _, x := range a {
		squares += x * x
	}
	most := within * math.Sqrt(squares/float64(max(1, len(a))))
	for i := range a {
		if d := a[i] - b[i]; !(max(d, -d) <= most) {
			return i
		}
	}
	return -1
}

func describedLaunches() []described {
	f16, bf16, f32, f8 := nereid.Float16, nereid.BFloat16, nereid.Float32, nereid.Float8E5
	two := func(a, b int64) []int64 { return []int64{a, b} }
	var out []described
	for _, k := range []int64{64, 136, 328} {
		out = append(out,
			described{"matmul", nereid.Grid{2, 1}, nereid.Options{NumWarps: 4, NumStages: 3}, 0, []any{
				tile{f16, two(100, k), two(64, 64)}, tile{f16, two(72, k), two(128, 64)},
				tile{f16, two(100, 72), two(64, 128)}, k, 64, 128, 64}},
			described{"made_here", nereid.Grid{2, 2}, nereid.Options{NumWarps: 4, NumStages: 2 + int(k%3)},
				0, []any{
					tile{bf16, two(80, k), nil}, tile{bf16, two(k, 96), nil},
					tile{f16, two(80, 96), nil}, 80, 96, k, 64, 64, 64}})
	}
	for _, j := range []int64{0, 16, 8, 4, 3, -4, -16, 48} {
		out = append(out,
			described{"columns", nereid.Grid{1}, nereid.Options{NumWarps: 4}, 0, []any{
				tile{f16, two(10, 80), two(8, 32)}, tile{f16, two(9, 64), two(8, 32)}, j, 4, 32}},
			described{"mixed_columns", nereid.Grid{1}, nereid.Options{NumWarps: 4}, 0, []any{
				tile{f32, two(10, 80), two(4, 16)}, tile{f32, two(9, 64), two(4, 16)},
				tile{f32, two(8, 64), nil}, j, 16}})
	}
	for _, hint := range []bool{false, true} {
		x := func() tile { return tile{f16, two(10, 80), two(8, 32)} }
		out = append(out, described{"looked_up", nereid.Grid{1}, nereid.Options{NumWarps: 4}, 0, []any{
			x(), x(), x(), tile{nereid.Int32, []int64{8}, nil}, hint}})
	}
	for _, dt := range []nereid.DType{f8, f16} {
		out = append(out, described{"chained", nereid.Grid{2}, nereid.Options{NumWarps: 4, NumStages: 3},
			0, []any{
				tile{dt, two(128, 64), two(64, 64)}, tile{dt, two(192, 64), two(64, 64)},
				tile{dt, two(64, 192), two(64, 64)}, tile{f32, two(128, 64), two(64, 64)}, 192, 64, 64, 64}})
	}
	for _, i := range []int64{0, 1, 2} {
		out = append(out, described{"wide_bits", nereid.Grid{1}, nereid.Options{NumWarps: 4}, 0, []any{
			tile{nereid.Int64, two(10, 16), two(4, 8)}, tile{nereid.Int64, two(9, 32), two(4, 8)}, i, 8}})
	}
	return append(out,
		described{"made_here", nereid.Grid{2, 2}, nereid.Options{NumWarps: 4, NumStages: 3}, 0, []any{
			tile{bf16, two(80, 328), nil}, tile{bf16, two(328, 144), nil},
			tile{f16, two(80, 144), nil}, 80, 144, 328, 64, 128, 128}},
		described{"matmul", nereid.Grid{2, 1}, nereid.Options{NumWarps: 8, NumStages: 2}, 0, []any{
			tile{f16, two(200, 520), two(128, 256)}, tile{f16, two(72, 520), two(64, 256)},
			tile{f32, two(200, 72), two(128, 64)}, 520, 128, 64, 256}},
		described{"blocks", nereid.Grid{1}, nereid.Options{NumWarps: 2}, 0, []any{
			tile{f32, []int64{3, 6, 40}, []int64{2, 8, 32}}, tile{f32, []int64{4, 24, 36}, []int64{2, 8, 32}},
			tile{f32, []int64{12}, []int64{8}}, 0}},
		described{"matmul", nereid.Grid{1, 1}, nereid.Options{NumWarps: 4, NumStages: 4}, 0, []any{
			tile{f8, two(64, 272), two(64, 128)}, tile{f8, two(48, 272), two(64, 128)},
			tile{f32, two(64, 48), two(64, 64)}, 272, 64, 64, 128}},
		described{"persistent", nereid.Grid{2}, nereid.Options{NumWarps: 4, NumStages: 3}, 0, []any{
			tile{f16, two(200, 136), two(64, 64)}, tile{f16, two(136, 136), two(64, 64)},
			tile{f16, two(200, 136), two(64, 32)}, 200, 136, 136, 64, 64, 64, 2}},
		described{"flattened", nereid.Grid{2}, nereid.Options{NumWarps: 4, NumStages: 3}, 0, []any{
			tile{f16, two(200, 136), two(64, 64)}, tile{f16, two(136, 136), two(64, 64)},
			tile{f16, two(200, 136), two(64, 64)}, 200, 136, 136, 64, 64, 64, 2}},
		described{"flattened", nereid.Grid{3}, nereid.Options{NumWarps: 4, NumStages: 4}, 0, []any{
			tile{f16, two(200, 16), two(64, 64)}, tile{f16, two(136, 16), two(64, 64)},
			tile{f16, two(200, 136), two(64, 64)}, 200, 136, 16, 64, 64, 64, 3}},
		described{"flattened", nereid.Grid{20}, nereid.Options{NumWarps: 4, NumStages: 2}, 0, []any{
			tile{f16, two(200, 16), two(64, 64)}, tile{f16, two(136, 16), two(64, 64)},
			tile{f16, two(200, 136), two(64, 64)}, 200, 136, 0, 64, 64, 64, 20}},
		described{"attention", nereid.Grid{1, 1}, nereid.Options{NumWarps: 4, NumStages: 3}, 4e-3, []any{
			tile{f16, two(64, 64), two(64, 64)}, tile{f16, two(64, 64), two(32, 64)},
			tile{f16, two(64, 64), two(32, 64)},
			tile{f16, two(64, 64), two(64, 64)}, 64, float32(0.125), 64, 32, 64}},
		described{"specialized", nereid.Grid{2}, nereid.Options{NumWarps: 4, NumStages: 3}, 0, []any{
			tile{f16, two(300, 136), two(128, 64)}, tile{f16, two(296, 136), two(256, 64)},
			tile{f16, two(300, 296), two(128, 256)}, 300, 296, 136, 128, 256, 64, 2}},
		described{"specialized", nereid.Grid{2}, nereid.Options{NumWarps: 8, NumStages: 2}, 0, []any{
			tile{f16, two(300, 64), two(128, 64)}, tile{f16, two(136, 64), two(128, 64)},
			tile{f16, two(300, 136), two(128, 128)}, 300, 136, 64, 128, 128, 64, 2}},
		described{"special_attention", nereid.Grid{2}, nereid.Options{NumWarps: 4, NumStages: 3}, 4e-3, []any{
			tile{f16, two(256, 64), two(128, 64)}, tile{f16, two(256, 64), two(64, 64)},
			tile{f16, two(256, 64), two(64, 64)}, tile{f16, two(256, 64), two(128, 64)},
			256, float32(0.01), 128, 64, 64}},
		described{"special_attention", nereid.Grid{1}, nereid.Options{NumWarps: 4, NumStages: 2}, 4e-3, []any{
			tile{f16, two(128, 128), two(128, 128)}, tile{f16, two(192, 128), two(64, 128)},
			tile{f16, two(192, 128), two(64, 128)}, tile{f16, two(128, 128), two(128, 128)},
			192, float32(0.01), 128, 64, 128}},
		described{"again", nereid.Grid{1}, nereid.Options{NumWarps: 4}, 0,
			[]any{tile{f32, two(32, 32), nil}, tile{f32, two(32, 32), nil}, 32}},
		described{"returned", nereid.Grid{2, 2}, nereid.Options{NumWarps: 4}, 0, []any{
			tile{f32, two(30, 28), nil}, tile{f32, two(30, 28), nil}, tile{f32, two(30, 28), nil},
			30, 28, 16}},
		described{"mixed", nereid.Grid{1}, nereid.Options{NumWarps: 4, NumStages: 4}, 0, []any{
			tile{f16, two(64, 320), two(64, 64)}, tile{f16, two(320, 64), nil}, tile{f32, two(64, 64), nil},
			320, 64, 64, 64}},
		described{"grouped", nereid.Grid{1}, nereid.Options{NumWarps: 4, NumStages: 3}, 0, []any{
			tile{f16, two(192, 64), nil}, tile{f16, two(192, 64), nil}, tile{f16, two(192, 64), nil},
			3, 64, 16}},
		described{"total", nereid.Grid{1}, nereid.Options{NumWarps: 8}, 0, []any{
			tile{f32, two(30, 252), two(32, 32)}, tile{f32, two(30, 292), two(32, 32)}, 250, 32, 32}},
		described{"blocks", nereid.Grid{1}, nereid.Options{NumWarps: 2}, 0, []any{
			tile{f32, []int64{3, 6, 40}, []int64{2, 8, 32}}, tile{f32, []int64{4, 24, 36}, []int64{2, 8, 32}},
			tile{f32, []int64{12}, []int64{8}}, 1}},
	)
}

// run launches the kernel on a device and returns what it leaves in its tensors.
func (d described) run(t *testing.T, mod *nereid.Module, dev *nereid.Device) (out [][]float64) {
	t.Helper()
	err := d.launchIn(t.Context(), t, mod, dev, func(tensors []*nereid.Tensor) {
		for _, x := range tensors {
			out = append(out, floatsOf(t, x))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// floatsOf returns the elements of a tensor.
func floatsOf(t *testing.T, x *nereid.Tensor) (out []float64) {
	t.Helper()
	for i := range x.Len() {
		v, err := x.At(i)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// launchIn launches the kernel on a stream of a context, with tensors of the same contents each time, and
// shows them to look, if there is one, also when the launch has failed.
func (d described) launchIn(ctx context.Context, t *testing.T, mod *nereid.Module, dev *nereid.Device,
	look func(tensors []*nereid.Tensor)) error {
	t.Helper()
	list := []any{d.opts}
	var tensors []*nereid.Tensor
	for i, a := range d.args {
		x, ok := a.(tile)
		if !ok {
			list = append(list, a)
			continue
		}
		tensor := x.upload(t, dev, i)
		defer tensor.Close()
		tensors, list = append(tensors, tensor), append(list, x.argument(tensor))
	}
	k, err := mod.Kernel(d.kernel)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dev.NewStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err = k.Launch(s, d.grid, list...); err == nil {
		err = s.Sync()
	}
	if look != nil {
		look(tensors)
	}
	return err
}

// argument returns what a kernel takes for a tensor: a descriptor, or the tensor.
func (x tile) argument(tensor *nereid.Tensor) any {
	if x.block == nil {
		return tensor
	}
	desc := &nereid.Descriptor{Base: tensor, Shape: x.shape, Block: x.block}
	for _, n := range tensor.Strides {
		desc.Strides = append(desc.Strides, int64(n))
	}
	return desc
}

// upload makes a tensor of small whole numbers.
func (x tile) upload(t *testing.T, dev *nereid.Device, i int) *nereid.Tensor {
	t.Helper()
	shape := make([]int, len(x.shape))
	for k, n := range x.shape {
		shape[k] = int(n)
	}
	tensor, err := nereid.NewTensor(dev, x.dtype, shape...)
	if err != nil {
		t.Fatal(err)
	}
	size := x.dtype.Size()
	data := make([]byte, tensor.Len()*size)
	for k := range tensor.Len() {
		bits := x.dtype.Encode(float64((k*7+k/13*5+i*3)%5 - 2))
		for j := range size {
			data[k*size+j] = byte(bits >> (8 * j))
		}
	}
	if err := tensor.CopyBytesFrom(data); err != nil {
		t.Fatal(err)
	}
	return tensor
}
