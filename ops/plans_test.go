package ops

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// planner makes plans without executing them: its stream is closed, and a plan is there before a launch.
type planner struct {
	*Stream
	t     *testing.T
	texts map[string]bool // of kernels that earlier plans have
	lines []string
}

// tensor returns a tensor of the arena.
func (p *planner) tensor(dt nereid.DType, shape ...int) *nereid.Tensor {
	x := p.New(dt, shape...)
	if x.Err() != nil {
		p.t.Fatal(x.Err())
	}
	return x
}

// note writes down the plans of a call, or its error.
func (p *planner) note(name string, f func() *nereid.Tensor) {
	clear(p.plans)
	before := p.Mark()
	err := f().Err()
	p.Release(before)
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(p.plans)) {
		parts = append(parts, p.describe(p.plans[key]))
	}
	if len(parts) == 0 {
		parts = []string{fmt.Sprint(err)}
	}
	p.lines = append(p.lines, name+": "+strings.Join(parts, " | "))
}

// describe returns a plan as text, with a hash of what was generated for it.
func (p *planner) describe(x *plan) string {
	var b strings.Builder
	for _, o := range x.outs {
		fmt.Fprintf(&b, "%s%v ", o.dt, o.shape)
	}
	for _, o := range x.scratch {
		fmt.Fprintf(&b, "scratch %s%v ", o.dt, o.shape)
	}
	fmt.Fprintf(&b, "%v %v", x.extents, x.inPlace)
	for _, st := range x.steps {
		fmt.Fprintf(&b, "; %s%v slots %v", st.kernel.Name(), st.grid, st.slots)
		for _, a := range st.args {
			switch a := a.(type) {
			case *nereid.Tensor:
				fmt.Fprintf(&b, " %s%v%v", a.DType, a.Shape, a.Strides)
			default:
				fmt.Fprintf(&b, " %v", a)
			}
		}
	}
	texts := p.lib.Texts()
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if !p.texts[name] {
			p.texts[name] = true
			sum := sha256.Sum256([]byte(texts[name]))
			fmt.Fprintf(&b, " text %x", sum[:4])
		}
	}
	sum := sha256.Sum256([]byte(b.String()))
	return fmt.Sprintf("%x %s", sum[:4], strings.Join(kernelsOf(x), " "))
}

// kernelsOf names the kernels of a plan and their grids.
func kernelsOf(x *plan) (list []string) {
	for _, st := range x.steps {
		list = append(list, fmt.Sprintf("%s%v", st.kernel.Name(), st.grid))
	}
	return list
}

// TestPlans compares the plans of many calls with a table, on the kinds of devices for which they differ:
// which kernels, in what tiles, over how many programs, with which scratch memory. A choice that costs speed
// alone shows here.
func TestPlans(t *testing.T) {
	var b strings.Builder
	for _, device := range []string{"sim:90", "cpu", "interp"} {
		dev := txtest.Device(t, device, nereid.OpenDevice)
		stream, err := dev.NewStream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := stream.Close(); err != nil {
			t.Fatal(err)
		}
		p := &planner{Stream: Load().On(stream), t: t, texts: map[string]bool{}}
		p.elements()
		p.reductions()
		p.products()
		p.gradients()
		p.others()
		for _, line := range p.lines {
			fmt.Fprintf(&b, "%s %s\n", device, line)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	txtest.Golden(t, "testdata/plans.txt", b.String())
}

// planShapes are sizes on both sides of the limits of tiles.
var planShapes = [][]int{{1}, {7}, {16}, {17}, {1024}, {4096}, {4097}, {3, 5}, {64, 64}, {33, 1000},
	{1000, 33}, {1, 4096}, {2, 8192}, {3, 8193}, {1, 32768}, {2, 40000}, {512, 2},
	{4, 5, 6}, {2, 3, 4, 65}, {0, 4}}

// elements plans elementwise ops on views.
func (p *planner) elements() {
	for _, shape := range planShapes {
		x, h := p.tensor(nereid.Float32, shape...), p.tensor(nereid.Float16, shape...)
		name := func(op string) string { return fmt.Sprint(op, shape) }
		p.note(name("exp"), func() *nereid.Tensor { return Exp(p.Stream, x) })
		p.note(name("add"), func() *nereid.Tensor { return Add(p.Stream, x, h) })
		p.note(name("number"), func() *nereid.Tensor { return Mul(p.Stream, h, 2) })
		p.note(name("into"), func() *nereid.Tensor { return Add(p.Into(x), x, h) })
		p.note(name("into 16"), func() *nereid.Tensor { return Add(p.Into(h), x, h) })
		p.note(name("bool"), func() *nereid.Tensor { return Less(p.Stream, x, h) })
		p.note(name("cast"), func() *nereid.Tensor { return Cast(p.Stream, x, nereid.Int8) })
		p.note(name("fill"), func() *nereid.Tensor { return Fill(p.Stream, 1.5, nereid.BFloat16, shape...) })
		p.note(name("uniform"), func() *nereid.Tensor {
			return Uniform(p.Stream, 3, nereid.Float32, shape...)
		})
		if len(shape) < 2 {
			continue
		}
		order := []int{1, 0, 2, 3}[:len(shape)]
		turned := x.Permute(order...)
		p.note(name("copy transposed"), func() *nereid.Tensor { return Copy(p.Stream, turned) })
		row := x.Slice(0, 0, min(1, shape[0]), 1)
		p.note(name("sum of rows"), func() *nereid.Tensor { return Add(p.Stream, x, row) })
		p.note(name("second"), func() *nereid.Tensor { return Neg(p.Stream, x.Slice(1, 0, shape[1], 2)) })
	}
}

// reductions plans reductions over axes.
func (p *planner) reductions() {
	for _, shape := range planShapes {
		for _, dt := range []nereid.DType{nereid.Float32, nereid.BFloat16, nereid.Int32} {
			x := p.tensor(dt, shape...)
			for _, axes := range [][]int{{-1}, {0}, {}} {
				name := func(op string) string { return fmt.Sprint(op, dt, shape, axes) }
				p.note(name("sum"), func() *nereid.Tensor { return Sum(p.Stream, x, axes...) })
				p.note(name("max"), func() *nereid.Tensor { return Max(p.Stream, x, axes...) })
				p.note(name("argmin"), func() *nereid.Tensor { return ArgMin(p.Stream, x, axes...) })
				if dt != nereid.Int32 {
					p.note(name("variance"), func() *nereid.Tensor { return Variance(p.Stream, x, axes...) })
				}
			}
			if dt == nereid.Int32 {
				continue
			}
			name := func(op string) string { return fmt.Sprint(op, dt, shape) }
			w := p.tensor(dt, shape[len(shape)-1])
			p.note(name("softmax"), func() *nereid.Tensor { return Softmax(p.Stream, x, -1) })
			p.note(name("softmax 0"), func() *nereid.Tensor { return Softmax(p.Stream, x, 0) })
			p.note(name("rms"), func() *nereid.Tensor { return RMSNorm(p.Stream, x, w, 1e-5) })
			p.note(name("layer norm"), func() *nereid.Tensor {
				y, _ := AddLayerNorm(p.Stream, x, x, w, w, 1e-5)
				return y
			})
			p.note(name("cumsum"), func() *nereid.Tensor { return CumSum(p.Stream, x, -1) })
			p.note(name("sort"), func() *nereid.Tensor { y, _ := Sort(p.Stream, x, true); return y })
			p.note(name("top"), func() *nereid.Tensor { y, _ := TopK(p.Stream, x, 3); return y })
		}
	}
}

// products plans products of matrices, and attention.
func (p *planner) products() {
	for _, dt := range []nereid.DType{nereid.Float16, nereid.Float32, nereid.BFloat16} {
		for _, d := range [][3]int{{1, 64, 64}, {1, 4096, 512}, {2, 33, 65}, {16, 16, 16}, {17, 256, 1024},
			{64, 64, 2048}, {128, 128, 128}, {129, 512, 96}, {256, 1024, 64}, {1000, 100, 36},
			{8, 2048, 2048}} {
			a, b := p.tensor(dt, d[0], d[2]), p.tensor(dt, d[2], d[1])
			turned := p.tensor(dt, d[1], d[2]).Permute(1, 0)
			bias, plus := p.tensor(dt, d[1]), p.tensor(dt, d[0], d[1])
			w := p.tensor(dt, d[2])
			name := func(op string) string { return fmt.Sprint(op, dt, d) }
			p.note(name("product"), func() *nereid.Tensor { return MatMul(p.Stream, a, b) })
			p.note(name("product transposed"), func() *nereid.Tensor { return MatMul(p.Stream, a, turned) })
			p.note(name("product bias"), func() *nereid.Tensor {
				return MatMul(p.Stream, a, turned, Bias(bias), Plus(plus), Then(Expr.SiLU),
					As(nereid.Float32))
			})
			p.note(name("product norm"), func() *nereid.Tensor {
				return MatMul(p.Stream, a, turned, Norm(w, 1e-6))
			})
		}
		many := p.tensor(dt, 6, 40, 48)
		p.note(fmt.Sprint("batches", dt), func() *nereid.Tensor {
			return MatMul(p.Stream, many, p.tensor(dt, 6, 48, 32))
		})
		p.note(fmt.Sprint("one matrix", dt), func() *nereid.Tensor {
			return MatMul(p.Stream, many, p.tensor(dt, 48, 32))
		})
		for _, d := range [][4]int{{200, 128, 512, 64}, {199, 128, 512, 64}, {200, 127, 512, 64},
			{200, 128, 384, 64}, {200, 128, 512, 65}, {25, 1024, 1000, 8}} {
			a, b := p.tensor(dt, d[0], d[1], d[3]), p.tensor(dt, d[0], d[3], d[2])
			p.note(fmt.Sprint("strips", dt, d), func() *nereid.Tensor { return MatMul(p.Stream, a, b) })
		}
		for _, d := range [][4]int{{1, 4, 128, 64}, {2, 8, 1, 128}, {1, 2, 100, 80}, {1, 2, 17, 32},
			{1, 16, 512, 64}} {
			q := p.tensor(dt, d[0], d[1], d[2], d[3])
			k := p.tensor(dt, d[0], d[1]/2, 300, d[3])
			for _, causal := range []bool{false, true} {
				p.note(fmt.Sprint("attention", dt, d, causal), func() *nereid.Tensor {
					return Attention(p.Stream, q, k, k, AttentionOptions{Causal: causal})
				})
			}
		}
	}
}

// gradients plans the backward pass of attention, with additions in any order.
func (p *planner) gradients() {
	for _, d := range [][4]int{{1, 100, 256, 64}, {1, 99, 256, 64}, {1, 100, 256, 32}, {1, 100, 256, 128}} {
		q := p.tensor(nereid.Float16, d[0], d[1], d[2], d[3])
		lse := p.tensor(nereid.Float32, d[0], d[1], d[2])
		for _, o := range []AttentionOptions{{}, {Causal: true}, {Window: 64}} {
			o.AnyOrder = true
			p.note(fmt.Sprint("attention backward", d, o.Causal, o.Window), func() *nereid.Tensor {
				dq, _, _ := AttentionGrad(p.Stream, q, q, q, q, lse, q, o)
				return dq
			})
		}
	}
}

// others plans what is left.
func (p *planner) others() {
	x := p.tensor(nereid.Float32, 40, 96)
	i32, i64 := p.tensor(nereid.Int32, 40, 8), p.tensor(nereid.Int64, 12)
	p.note("take", func() *nereid.Tensor { return Take(p.Stream, x, i64, 0) })
	p.note("take 1", func() *nereid.Tensor { return Take(p.Stream, x, i64, 1) })
	p.note("gather", func() *nereid.Tensor { return Gather(p.Stream, x, i32, -1) })
	p.note("scatter", func() *nereid.Tensor {
		return ScatterAdd(p.Stream, x, i32, p.tensor(nereid.Float32, 40, 8), 1)
	})
	p.note("concat", func() *nereid.Tensor { return Concat(p.Stream, 1, x, x.Slice(1, 3, 9, 2)) })
	p.note("pad", func() *nereid.Tensor { return Pad(p.Stream, x, 1, []int{1, 0}, []int{0, 5}) })
	p.note("iota", func() *nereid.Tensor { return Iota(p.Stream, 1, 2, nereid.Int64, 5000) })
	p.note("normal", func() *nereid.Tensor { return Normal(p.Stream, 1, nereid.Float16, 300) })
	p.note("rope", func() *nereid.Tensor {
		c := p.tensor(nereid.Float32, 16, 32)
		return Rope(p.Stream, p.tensor(nereid.Float16, 2, 4, 16, 64), c, c)
	})
	p.note("swiglu", func() *nereid.Tensor { return SwiGLU(p.Stream, x, x) })
	p.note("cross entropy", func() *nereid.Tensor {
		return CrossEntropy(p.Stream, x, p.tensor(nereid.Int32, 40))
	})
	p.note("where", func() *nereid.Tensor { return Where(p.Stream, p.tensor(nereid.Bool, 96), x, 0) })
	p.note("clamp", func() *nereid.Tensor { return Clamp(p.Stream, x, 0, 1.5) })
}
