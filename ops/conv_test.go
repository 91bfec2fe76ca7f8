package ops_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// images is a tensor of four dimensions in float64; outside of it is a value.
type images struct {
	dims   [4]int
	data   []float64
	beyond float64
}

func imagesOf(t testing.TB, x *nereid.Tensor) images {
	shape := slices.Clone(x.Shape)
	if len(shape) == 3 {
		shape = slices.Insert(shape, 2, 1)
	}
	return images{dims: [4]int(shape), data: values(t, x)}
}

func (m images) at(n, c, y, x int) float64 {
	if y < 0 || y >= m.dims[2] || x < 0 || x >= m.dims[3] {
		return m.beyond
	}
	return m.data[((n*m.dims[1]+c)*m.dims[2]+y)*m.dims[3]+x]
}

// places calls f for each place of a window: image, channel, and the top left corner.
func places(dims [4]int, channels int, taps, stride, pad, wide [2]int, f func(n, c, y, x int)) {
	end := [2]int{}
	for i := range 2 {
		end[i] = (dims[2+i]+2*pad[i]-wide[i]*(taps[i]-1)-1)/stride[i] + 1
	}
	for i := range dims[0] * channels * end[0] * end[1] {
		n, c := i/(end[0]*end[1])/channels, i/(end[0]*end[1])%channels
		f(n, c, i/end[1]%end[0]*stride[0]-pad[0], i%end[1]*stride[1]-pad[1])
	}
}

// convolved returns a convolution in float64.
func convolved(x, w images, bias []float64, o ops.ConvOptions) (out []float64) {
	taps, per := [2]int{w.dims[2], w.dims[3]}, w.dims[0]/o.Groups
	places(x.dims, w.dims[0], taps, o.Stride, o.Padding, o.Dilation, func(n, c, top, left int) {
		sum := 0.0
		for i := range w.dims[1] * taps[0] * taps[1] {
			d, r, q := i/(taps[0]*taps[1]), i/taps[1]%taps[0], i%taps[1]
			sum += w.at(c, d, r, q) *
				x.at(n, c/per*w.dims[1]+d, top+r*o.Dilation[0], left+q*o.Dilation[1])
		}
		out = append(out, sum+bias[c])
	})
	return out
}

// moving returns options that have all numbers.
func moving(stride, padding, dilation [2]int, groups int) ops.ConvOptions {
	return ops.ConvOptions{Stride: stride, Padding: padding, Dilation: dilation, Groups: groups}
}

// convCase is a convolution: sizes of the input, filters, and how they move.
type convCase struct {
	x, w [4]int
	o    ops.ConvOptions
}

var ones = [2]int{1, 1}

var convCases = []convCase{
	{[4]int{2, 3, 7, 9}, [4]int{5, 3, 3, 3}, moving(ones, ones, ones, 1)},
	{[4]int{1, 20, 6, 5}, [4]int{18, 20, 3, 2}, moving([2]int{2, 1}, [2]int{1, 0}, [2]int{1, 2}, 1)},
	{[4]int{1, 32, 5, 5}, [4]int{6, 16, 1, 3}, moving(ones, [2]int{0, 1}, ones, 2)},
	{[4]int{2, 6, 6, 7}, [4]int{12, 1, 3, 3}, moving([2]int{1, 2}, ones, ones, 6)},
	{[4]int{2, 17, 3, 4}, [4]int{7, 17, 1, 1}, moving(ones, [2]int{}, ones, 1)},
	{[4]int{1, 17, 5, 4}, [4]int{7, 17, 1, 1}, moving([2]int{2, 2}, [2]int{}, ones, 1)},
}

// TestConv: convolutions of contiguous tensors and of views, with what products have behind them.
func TestConv(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		for i, cc := range convCases {
			dt := []nereid.DType{nereid.Float32, nereid.Float16, nereid.BFloat16}[i%3]
			x := made(t, s, dt, func(i int) float64 { return wave(i) / 3 }, cc.x[:]...)
			w := made(t, s, dt, func(i int) float64 { return wave(3*i) / 3 }, cc.w[:]...)
			b := made(t, s, dt, wave, cc.w[0])
			want := convolved(imagesOf(t, x), imagesOf(t, w), values(t, b), cc.o)
			what := fmt.Sprintf("Conv2D of %s%v by %v", dt, cc.x, cc.w)
			got := ops.Conv2D(s, x, w, cc.o, ops.Bias(b))
			near(t, what, got, want, 10*tolerance(dt))
			last := ops.Copy(s, x.Permute(0, 2, 3, 1)).Permute(0, 3, 1, 2)
			turned := ops.Copy(s, w.Transpose(2, 3)).Transpose(2, 3)
			sizes := slices.Clone(got.Shape)
			sizes[3] += 3 // between its rows are gaps
			rest := ops.Copy(s.Into(s.New(dt, sizes...).Slice(3, 1, sizes[3]-2, 1)), got)
			for i, v := range want {
				want[i] = max(v, 0) + v
			}
			out := s.New(dt, slices.Concat(got.Shape, []int{2})...).Select(4, 1)
			near(t, what+", views", ops.Conv2D(s.Into(out), last, turned, cc.o, ops.Bias(b), ops.ThenReLU,
				ops.Plus(rest)), want, 10*tolerance(dt))
		}
	})
}

// TestConv1D: signals are images of height 1, also without a batch.
func TestConv1D(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		x := made(t, s, nereid.Float32, wave, 2, 24, 11)
		none := make([]float64, 8)
		for _, groups := range []int{1, 8} {
			w := made(t, s, nereid.Float32, wave, 8, 24/groups, 3)
			o := ops.ConvOptions{Stride: [2]int{2}, Padding: [2]int{2}, Dilation: [2]int{2}, Groups: groups}
			full := moving([2]int{1, 2}, [2]int{0, 2}, [2]int{1, 2}, groups)
			want := convolved(imagesOf(t, x), imagesOf(t, w), none, full)
			near(t, "Conv1D", ops.Conv1D(s, x, w, o), want, 1e-4)
			near(t, "Conv1D of one signal", ops.Conv1D(s, x.Select(0, 1), w, o), want[len(want)/2:], 1e-4)
		}
	})
}

// TestPool: the largest elements and means of windows.
func TestPool(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		x := made(t, s, nereid.Float16, func(i int) float64 { return float64(i*7%23) / 4 }, 2, 3, 7, 8)
		m := imagesOf(t, x)
		o := ops.PoolOptions{Window: [2]int{3, 2}, Stride: [2]int{2, 1}, Padding: [2]int{1, 1}}
		var most, mean, inside []float64
		places(m.dims, 3, o.Window, o.Stride, o.Padding, ones, func(n, c, top, left int) {
			best, sum, count := math.Inf(-1), 0.0, 0.0
			for i := range 6 {
				y, z := top+i/2, left+i%2
				if y >= 0 && y < 7 && z >= 0 && z < 8 {
					best, count = max(best, m.at(n, c, y, z)), count+1
				}
				sum += m.at(n, c, y, z)
			}
			most, mean, inside = append(most, best), append(mean, sum/6), append(inside, sum/count)
		})
		near(t, "MaxPool2D", ops.MaxPool2D(s, x, o), most, 0)
		near(t, "AvgPool2D", ops.AvgPool2D(s, x, o), mean, 1e-3)
		last := ops.Copy(s, x.Permute(0, 2, 3, 1)).Permute(0, 3, 1, 2)
		o.InsideOnly = true
		near(t, "AvgPool2D of what is inside", ops.AvgPool2D(s, last, o), inside, 1e-3)
		y := made(t, s, nereid.Float32, func(i int) float64 { return []float64{1, 5, 2, 3, 9, 4, 0}[i] }, 1,
			7)
		near(t, "MaxPool1D", ops.MaxPool1D(s, y, ops.PoolOptions{Window: [2]int{2}, Dilation: [2]int{3},
			Stride: [2]int{1}}), []float64{3, 9, 4, 3}, 0)
		near(t, "AvgPool1D", ops.AvgPool1D(s, y, ops.PoolOptions{Window: [2]int{2}}), []float64{3, 2.5,
			6.5}, 0)
		near(t, "AdaptiveAvgPool", ops.AdaptiveAvgPool(s, y, 3), []float64{8. / 3, 14. / 3, 13. / 3}, 1e-6)
		near(t, "AdaptiveMaxPool", ops.AdaptiveMaxPool(s, y, 2), []float64{5, 9}, 0)
		all := ops.AdaptiveMaxPool(s, x, 1, 1)
		near(t, "the largest of all", all, values(t, ops.Max(s, x, 2, 3)), 0)
		if !slices.Equal(all.Shape, []int{2, 3, 1, 1}) {
			t.Errorf("the shape of AdaptiveMaxPool is %v", all.Shape)
		}
		big := ops.AvgPool2D(s, x, ops.PoolOptions{Window: [2]int{7, 8}})
		near(t, "a large window", big, values(t, ops.Mean(s, x, 2, 3)), 1e-3)
	})
}

// TestConvErrors: wrong operands are named.
func TestConvErrors(t *testing.T) {
	s := streamOn(t, "cpu")
	x, w := s.New(nereid.Float32, 1, 4, 5, 5), s.New(nereid.Float32, 6, 4, 3, 3)
	var o ops.ConvOptions
	for _, c := range []struct {
		got  *nereid.Tensor
		want string
	}{
		{ops.Conv2D(s, x.Reshape(4, 25), w, o), "Conv2D: x: its shape is [4 25], not one of 3 or 4 dimensions"},
		{ops.Conv2D(s, x, w.Reshape(6, 36), o), "Conv2D: w: its shape is [6 36], not one of 4 dimensions"},
		{ops.Conv2D(s, x, w, ops.ConvOptions{Groups: 2}), "Conv2D: w: its shape is [6 4 3 3]: filters of 4 " +
			"channels in 2 groups do not fit the 4 channels of x"},
		{ops.Conv2D(s, x, w, ops.ConvOptions{Dilation: [2]int{3, 1}}), "Conv2D: w: 3 elements, 3 apart, do not " +
			"fit into 5 with the padding 0"},
		{ops.Conv2D(s, x, w, ops.ConvOptions{Stride: [2]int{-1, 1}}), "Conv2D: the stride is [-1 1]"},
		{ops.Conv2D(s, x, w, o, ops.Bias(x.Select(0, 0))), "Conv2D: bias: its shape is [4 5 5], and the result " +
			"has 6 channels"},
		{ops.Conv2D(s, x, ops.Cast(s, w, nereid.Int32), o, ops.Gated), "Conv2D: Norm and Gated go"},
		{ops.Conv1D(s, ops.Cast(s, x, nereid.Int8), ops.Cast(s, w, nereid.Int8), o), "Conv1D: x: there are no " +
			"convolutions of i8 and i8"},
		{ops.Conv2D(s.Into(x), x, w, o), "Conv2D: out: it is fp32[1 4 5 5], and the result fp32[1 6 3 3]"},
		{ops.MaxPool2D(s, x, ops.PoolOptions{Window: [2]int{2, 2}, Padding: [2]int{2, 0}}), "MaxPool2D: x: the " +
			"padding [2 0] is more than half of the window [2 2]"},
		{ops.AvgPool1D(s, x, ops.PoolOptions{Window: [2]int{2}}), "AvgPool1D: x: its shape is [1 4 5 5], not"},
		{ops.AdaptiveAvgPool(s, x), "AdaptiveAvgPool: a size has one or two numbers"},
	} {
		refused(t, c.got, c.want)
	}
}

// refused fails unless a call has an error that begins so.
func refused(t testing.TB, got *nereid.Tensor, want string) {
	t.Helper()
	if err := got.Err(); err == nil || !strings.HasPrefix(err.Error(), "ops: "+want) {
		t.Errorf("the error is %v, want ops: %s", err, want)
	}
}
