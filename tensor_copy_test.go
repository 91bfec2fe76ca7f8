package nereid_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/nereid-lang/nereid"
)

// floatTypes are all element types of floats.
var floatTypes = []nereid.DType{
	nereid.Float16, nereid.BFloat16, nereid.Float32, nereid.Float64, nereid.Float8E4NV, nereid.Float8E5,
	nereid.Float8E4B8,
	nereid.Float8E5B16, nereid.Float8E4B15,
}

// Slices are copied to tensors of all types and back, on the host and on devices, in their order, rounded as
// Encode rounds.
func TestCopy(t *testing.T) {
	src := make([]float64, 3*1000)
	for i := range src {
		src[i] = float64(i%13) / 8
	}
	for _, name := range []string{"", "interp", "cpu"} {
		for _, dt := range append(floatTypes, nereid.Int8, nereid.Uint16, nereid.Int64, nereid.Bool) {
			var x *nereid.Tensor
			if name == "" {
				x = nereid.FromBytes(dt, make([]byte, len(src)*dt.Size()), 3, 1000)
			} else {
				var err error
				if x, err = nereid.NewTensor(stream(t, name).Device(), dt, 3, 1000); err != nil {
					t.Fatal(err)
				}
			}
			if err := nereid.CopyFrom(x, src); err != nil {
				t.Fatal(err)
			}
			got := make([]float64, len(src))
			if err := nereid.CopyTo(got, x); err != nil {
				t.Fatal(err)
			}
			for i, v := range src {
				want := dt.Decode(dt.Encode(v))
				if dt == nereid.Bool {
					want = 0
					if v != 0 {
						want = 1
					}
				}
				if got[i] != want {
					t.Fatalf("%s %s: element %d of %g is %g, want %g", name, dt, i, v, got[i], want)
				}
			}
		}
	}
}

// Copies follow strides both ways, and leave what lies between alone.
func TestCopyStrided(t *testing.T) {
	for _, name := range []string{"", "interp", "cpu"} {
		data := make([]nereid.F16, 4*6)
		x := nereid.FromSlice(data, 4, 6)
		if name != "" {
			var err error
			if x, err = nereid.NewTensor(stream(t, name).Device(), nereid.Float16, 4, 6); err != nil {
				t.Fatal(err)
			}
		}
		all := make([]float32, 24)
		for i := range all {
			all[i] = float32(i)
		}
		if err := nereid.CopyFrom(x, all); err != nil {
			t.Fatal(err)
		}
		v := x.Slice(1, 1, 6, 2).Transpose(0, 1) // [3, 4]: columns 1, 3, 5
		got := make([]float32, 12)
		if err := nereid.CopyTo(got, v); err != nil {
			t.Fatal(err)
		}
		if want := []float32{1, 7, 13, 19, 3, 9, 15, 21, 5, 11, 17, 23}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		for i := range got {
			got[i] = -float32(i)
		}
		if err := nereid.CopyFrom(v, got); err != nil {
			t.Fatal(err)
		}
		if err := nereid.CopyTo(all, x); err != nil {
			t.Fatal(err)
		}
		if want := []float32{0, 0, 2, -4, 4, -8, 6, -1, 8, -5, 10, -9}; !slices.Equal(all[:12], want) {
			t.Errorf("%s: %v, want %v", name, all[:12], want)
		}
	}
}

func TestFromFloats(t *testing.T) {
	x := nereid.FromFloats(nereid.BFloat16, []float32{1, 2.5, -3, 1e-3}, 2, 2)
	if x.Err() != nil || x.DType != nereid.BFloat16 {
		t.Fatal(x, x.Err())
	}
	if v, err := nereid.AsSlice[nereid.BF16](x); err != nil || v[1].Float() != 2.5 {
		t.Error(v, err)
	}
	if x := nereid.FromFloats(nereid.Float16, []float64{1, 2}, 3); x.Err() == nil {
		t.Error("2 elements have the shape [3]")
	}
	if x := nereid.FromFloats(nereid.Invalid, []float64{1, 2}); x.Err() == nil {
		t.Error("a tensor of no type")
	}
}

// Copies of another size, and of tensors that are none, are errors.
func TestBadCopies(t *testing.T) {
	x := nereid.FromSlice(make([]float32, 4))
	short := nereid.FromBytes(nereid.Float32, make([]byte, 8))
	short.Shape = []int{3}
	for i, err := range []error{
		nereid.CopyFrom(x, make([]float32, 3)), nereid.CopyTo(make([]float64, 5), x),
		nereid.CopyTo(make([]float64, 1), nil),
		nereid.CopyFrom(short, make([]float64, 3)), nereid.CopyTo(make([]float32, 1), &nereid.Tensor{}),
		nereid.CopyTo(make([]float32, 4), x.Slice(0, 2, 5, 1)),
	} {
		if err == nil {
			t.Errorf("copy %d is no error", i)
		}
	}
}

// Views show the elements that they should, share memory, and lead a kernel to it.
func TestViews(t *testing.T) {
	data := make([]int32, 24)
	for i := range data {
		data[i] = int32(i)
	}
	x := nereid.FromSlice(data, 2, 3, 4)
	for _, c := range []struct {
		name  string
		view  *nereid.Tensor
		shape []int
		want  []int32
		whole bool // it is contiguous
	}{
		{"slice", x.Slice(1, 1, 3, 1), []int{2, 2, 4},
			[]int32{4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23}, false},
		{"first", x.Slice(0, 0, 1, 1), []int{1, 3, 4}, data[:12], true},
		{"step", x.Slice(2, 0, 4, 3), []int{2, 3, 2}, []int32{0, 3, 4, 7, 8, 11, 12, 15, 16, 19, 20, 23},
			false},
		{"nothing", x.Slice(2, 4, 4, 1), []int{2, 3, 0}, nil, true},
		{"select", x.Select(0, 1).Select(0, 2), []int{4}, data[20:], true},
		{"transpose", x.Select(0, 0).Transpose(0, 1), []int{4, 3},
			[]int32{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}, false},
		{"permute", x.Permute(2, 0, 1), []int{4, 2, 3}, nil, false},
		{"reshape", x.Reshape(6, -1), []int{6, 4}, data, true},
		{"scalar", x.Reshape(-1).Select(0, 5), []int{}, []int32{5}, true},
		{"as", x.Slice(0, 1, 2, 1).As(nereid.Uint8).As(nereid.Int32), []int{12}, data[12:], true},
		{"skip", x.Reshape(-1).Slice(0, 0, 4, 1).Skip(20), []int{4}, data[20:], true},
	} {
		if err := c.view.Err(); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !slices.Equal(c.view.Shape, c.shape) || c.view.Contiguous() != c.whole {
			t.Errorf("%s: shape %v, want %v; contiguous %v", c.name, c.view.Shape, c.shape,
				c.view.Contiguous())
		}
		got := make([]int32, c.view.Len())
		if err := nereid.CopyTo(got, c.view); err != nil || c.want != nil && !slices.Equal(got, c.want) {
			t.Errorf("%s: %v %v, want %v", c.name, got, err, c.want)
		}
		for i, v := range got {
			if at, err := c.view.At(i); err != nil || at != float64(v) {
				t.Errorf("%s: At(%d) is %g, %v, want %d", c.name, i, at, err, v)
				break
			}
		}
		if _, err := nereid.AsSlice[int32](c.view); (err == nil) != c.whole {
			t.Errorf("%s: Slice: %v", c.name, err)
		}
	}
	v := x.Select(0, 1).Slice(0, 1, 2, 1)
	if err := nereid.CopyFrom(v, []int32{-1, -2, -3, -4}); err != nil || data[16] != -1 || data[19] != -4 ||
		data[20] != 20 {
		t.Error(data, err)
	}
}

// A view that there is not is a tensor with an error, and so are all views of it.
func TestBadViews(t *testing.T) {
	x := nereid.FromSlice(make([]float32, 12), 3, 4)
	outside := nereid.FromSlice(make([]float32, 12), 3, 4)
	outside.Shape = []int{3, 5}
	for i, v := range []*nereid.Tensor{
		x.Slice(2, 0, 1, 1), x.Slice(-1, 0, 1, 1), x.Slice(0, -1, 1, 1), x.Slice(0, 2, 1, 1),
		x.Slice(0, 0, 4, 1), x.Slice(0, 0, 3, 0),
		x.Slice(0, 0, 3, -1), x.Select(0, 3), x.Select(1, -1), x.Select(5, 0), x.Permute(0), x.Permute(0, 0),
		x.Permute(0, 2), x.Permute(),
		x.Transpose(0, 2), x.Transpose(-1, 0), x.Reshape(5), x.Reshape(-1, 5), x.Reshape(-1, -1),
		x.Reshape(0, -1), x.Reshape(-2, -6),
		x.Reshape(1<<62, 4), x.Transpose(0, 1).Reshape(12), x.Skip(13), x.Skip(-1), x.Skip(math.MaxInt),
		x.Skip(math.MinInt),
		(*nereid.Tensor)(nil).Slice(0, 0, 1, 1), (&nereid.Tensor{}).Reshape(1), (*nereid.Tensor)(nil).Skip(1),
		outside.Slice(0, 0, 1, 1),
		x.Reshape(5).Slice(0, 0, 1, 1), x.Reshape(5).Transpose(0, 1), x.Transpose(0, 1).As(nereid.Int8),
		x.As(nereid.Invalid),
		x.Reshape(-1).Skip(11).As(nereid.Int64), outside.As(nereid.Int8),
		(*nereid.Tensor)(nil).As(nereid.Int8),
	} {
		if v.Err() == nil {
			t.Errorf("view %d: %v", i, v)
		}
	}
	if x.Slice(0, 0, 3, math.MaxInt).Err() != nil {
		t.Error("a step beyond the end is the first element alone")
	}
}

func TestTensorString(t *testing.T) {
	long := make([]float32, 1000)
	for i := range long {
		long[i] = float32(i) / 2
	}
	dev, err := nereid.NewTensor(stream(t, "interp").Device(), nereid.Int8, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x    *nereid.Tensor
		want string
	}{
		{nereid.FromFloats(nereid.Float16, []float32{1, 2, 3, 4, 5, 6.5}, 2, 3),
			"fp16[2, 3] on host [[1, 2, 3], [4, 5, 6.5]]"},
		{nereid.FromSlice(long), "fp32[1000] on host [0, 0.5, 1, ..., 498.5, 499, 499.5]"},
		{nereid.FromSlice(long, 2, 500).Transpose(0, 1),
			"fp32[500, 2] on host [[0, 250], [0.5, 250.5], [1, 251], ..., [248.5, 498.5], [249, 499], " +
				"[249.5, 499.5]]"},
		{nereid.FromSlice([]bool{true, false}), "i1[2] on host [true, false]"},
		{nereid.FromSlice([]int64{-5}).Select(0, 0), "i64[] on host -5"},
		{nereid.FromSlice([]float32{}, 0, 3), "fp32[0, 3] on host []"},
		{dev, "i8[2] on interp [0, 0]"},
		{nil, "no tensor"},
		{&nereid.Tensor{}, "the tensor has no memory"},
		{nereid.FromSlice([]float32{1}, 2), "cannot have the shape [2]"},
	} {
		if got := c.x.String(); got != c.want && (c.x.Err() == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

func TestAllClose(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	x := nereid.FromSlice([]float64{1, 2, nan, inf, 5, 6}, 2, 3)
	for _, c := range []struct {
		y    *nereid.Tensor
		want string
	}{
		{x, ""},
		{nereid.FromFloats(nereid.Float16, []float64{1.0001, 2, nan, inf, 5, 6}, 2, 3), ""},
		{nereid.FromSlice([]float64{1, 2, nan, inf, 5.5, 7}, 2, 3),
			"2 of 6 elements differ; first at [1, 1]: 5 and 5.5, by 0.5; most at [1, 2]: 6 and 7, by 1"},
		{nereid.FromSlice([]float64{1, 2, 3, inf, 5, 6}, 2, 3),
			"1 of 6 elements differ; first at [0, 2]: NaN and 3"},
		{nereid.FromSlice([]float64{1, 2, nan, 4, 5, 6}, 2, 3), "first at [1, 0]: +Inf and 4, by +Inf"},
		{nereid.FromSlice([]float64{1}), "shapes"},
		{nil, "nil"},
	} {
		err := nereid.AllClose(x, c.y, 1e-3, 1e-6)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.y, err, c.want)
		}
	}
}

// Tuning saves and clears the elements of a view, and leaves what lies between them alone.
func TestTuneView(t *testing.T) {
	const src = `import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({"B": 4}), triton.Config({"B": 4}, num_warps=2)],
                 key=["n"], reset_to_zero=["x"], restore_value=["y"])
@triton.jit
def add(x, y, n, step, B: tl.constexpr):
    i = tl.arange(0, B) * step
    tl.store(x + i, tl.load(x + i) + 1)
    tl.store(y + i, tl.load(y + i) + 1)
`
	x, y := []float32{1, 2, 3, 4, 5, 6, 7, 8}, []float32{1, 2, 3, 4, 5, 6, 7, 8}
	k := kernelOf(t, "view.py", src, "add", nereid.With(nereid.Config{}))
	err := k.Launch(stream(t, "interp"), nereid.Grid{1}, nereid.FromSlice(x).Slice(0, 0, 8, 2),
		nereid.FromSlice(y).Slice(0, 0, 8, 2), 4, 2)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float32{1, 2, 1, 4, 1, 6, 1, 8}; !slices.Equal(x, want) {
		t.Errorf("reset_to_zero: %v, want %v", x, want)
	}
	if want := []float32{2, 2, 4, 4, 6, 6, 8, 8}; !slices.Equal(y, want) {
		t.Errorf("restore_value: %v, want %v", y, want)
	}
}

// BenchmarkCopy measures bytes of the float side; best-GB/s is that of the fastest call, which a busy machine
// disturbs least.
func BenchmarkCopy(b *testing.B) {
	benchmarkCopy[float32](b, "float32")
	benchmarkCopy[float64](b, "float64")
}

func benchmarkCopy[F float32 | float64](b *testing.B, side string) {
	const n = 1 << 15
	f := make([]F, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range f {
		f[i] = F(r.NormFloat64())
	}
	bytes := int64(n * unsafe.Sizeof(f[0]))
	for _, dt := range floatTypes {
		x := nereid.FromBytes(dt, make([]byte, n*dt.Size()))
		for _, way := range []struct {
			name string
			copy func() error
		}{
			{"From", func() error { return nereid.CopyFrom(x, f) }},
			{"To", func() error { return nereid.CopyTo(f, x) }},
		} {
			b.Run(way.name+"/"+side+"/"+dt.String(), func(b *testing.B) {
				b.SetBytes(bytes)
				least := time.Hour
				for b.Loop() {
					start := time.Now()
					if err := way.copy(); err != nil {
						b.Fatal(err)
					}
					least = min(least, time.Since(start))
				}
				b.ReportMetric(float64(bytes)/float64(least.Nanoseconds()), "best-GB/s")
			})
		}
	}
}
