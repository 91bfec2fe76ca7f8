package ops_test

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/ops"
)

// speedLine is a call that is measured. peer/ops.py has PyTorch's form of each under the same name.
type speedLine struct {
	name string
	// call makes the operands and returns the call.
	call func(r *room) func() *nereid.Tensor
}

// room makes operands of a line.
type room struct {
	s    *ops.Stream
	seed int
}

func (r *room) normal(dt nereid.DType, shape ...int) *nereid.Tensor {
	r.seed++
	return ops.Cast(r.s, ops.Normal(r.s, r.seed, nereid.Float32, shape...), dt)
}

// below returns random integers from 0 to n-1.
func (r *room) below(n int, shape ...int) *nereid.Tensor {
	r.seed++
	u := ops.Uniform(r.s, r.seed, nereid.Float32, shape...)
	return ops.Cast(r.s, ops.Mul(r.s, u, float64(n)), nereid.Int64)
}

const (
	speedF16, speedBF16, speedF32 = nereid.Float16, nereid.BFloat16, nereid.Float32
)

// one returns a line of an op with one operand.
func one(name string, dt nereid.DType, shape []int,
	f func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor) speedLine {
	return speedLine{name, func(r *room) func() *nereid.Tensor {
		x := r.normal(dt, shape...)
		out := like(r.s, f(r.s, x))
		return func() *nereid.Tensor { return f(r.s.Into(out), x) }
	}}
}

// like returns a tensor for a result.
func like(s *ops.Stream, t *nereid.Tensor) *nereid.Tensor {
	if t.Err() != nil {
		return t
	}
	return s.New(t.DType, t.Shape...)
}

// matmulLine returns a line of a product of n×k by k×m.
func matmulLine(name string, dt nereid.DType, m, n, k int, options ...ops.MatMulOption) speedLine {
	return speedLine{name, func(r *room) func() *nereid.Tensor {
		a, b := r.normal(dt, m, k), r.normal(dt, n, k).Transpose(0, 1)
		out := like(r.s, ops.MatMul(r.s, a, b, options...))
		return func() *nereid.Tensor { return ops.MatMul(r.s.Into(out), a, b, options...) }
	}}
}

// attentionLine returns a line of attention.
func attentionLine(name string, dt nereid.DType, batch, heads, kv, queries, keys, size int,
	causal bool) speedLine {
	return speedLine{name, func(r *room) func() *nereid.Tensor {
		q := r.normal(dt, batch, heads, queries, size)
		k, v := r.normal(dt, batch, kv, keys, size), r.normal(dt, batch, kv, keys, size)
		o := ops.AttentionOptions{Causal: causal}
		out := like(r.s, q)
		return func() *nereid.Tensor { return ops.Attention(r.s.Into(out), q, k, v, o) }
	}}
}

// speedLines lists what is measured.
func speedLines() (list []speedLine) {
	square, wide := []int{4096, 4096}, []int{4096, 16384}
	add := func(l ...speedLine) { list = append(list, l...) }
	add(
		one("add bf16 4096x4096", speedBF16, square,
			func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor {
				return ops.Add(s, x, x)
			}),
		one("add fp32 1M", speedF32, []int{1 << 20},
			func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor {
				return ops.Add(s, x, x)
			}),
		one("mul number fp32 4096x4096", speedF32, square,
			func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor {
				return ops.Mul(s, x, 0.5)
			}),
		one("gelu bf16 4096x4096", speedBF16, square, unaryOf(ops.GELU)),
		one("exp fp32 4096x4096", speedF32, square, unaryOf(ops.Exp)),
		one("tanh fp16 4096x4096", speedF16, square, unaryOf(ops.Tanh)),
		one("sqrt fp32 16M", speedF32, []int{1 << 24}, unaryOf(ops.Sqrt)),
		one("greater fp32 4096x4096", speedF32, square,
			func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor {
				return ops.Greater(s, x, 0.0)
			}),
		one("cast fp32 bf16 4096x4096", speedF32, square,
			func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor {
				return ops.Cast(s, x, speedBF16)
			}),
		one("transpose fp32 4096x4096", speedF32, square,
			func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor {
				return ops.Copy(s, x.Transpose(0, 1))
			}),
		one("transpose bf16 4096x4096", speedBF16, square,
			func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor {
				return ops.Copy(s, x.Transpose(0, 1))
			}),
		one("permute bf16 16x32x1024x64", speedBF16, []int{16, 32, 1024, 64},
			func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor {
				return ops.Copy(s, x.Permute(0, 2, 1, 3))
			}),
		one("add row bf16 4096x4096", speedBF16, square,
			func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor {
				return ops.Add(s, x, x.Select(0, 0))
			}),
		one("add column bf16 4096x4096", speedBF16, square,
			func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor {
				return ops.Add(s, x, x.Slice(1, 0, 1, 1))
			}),
		one("concat bf16 4096x4096", speedBF16, square,
			func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor {
				return ops.Concat(s, 1, x, x)
			}),
		one("pad fp32 4096x4096", speedF32, square,
			func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor {
				return ops.Pad(s, x, 0, []int{1, 1}, []int{1, 1})
			}),
		one("sum fp32 16M", speedF32, []int{1 << 24}, reduceOf(ops.Sum)),
		one("sum rows fp32 4096x4096", speedF32, square, reduceOf(ops.Sum, 1)),
		one("sum columns fp32 4096x4096", speedF32, square, reduceOf(ops.Sum, 0)),
		one("sum rows bf16 4096x16384", speedBF16, wide, reduceOf(ops.Sum, 1)),
		one("mean columns bf16 4096x16384", speedBF16, wide, reduceOf(ops.Mean, 0)),
		one("max rows bf16 4096x4096", speedBF16, square, reduceOf(ops.Max, 1)),
		one("argmax rows fp32 4096x4096", speedF32, square, reduceOf(ops.ArgMax, 1)),
		one("variance rows fp32 4096x4096", speedF32, square, reduceOf(ops.Variance, 1)),
		one("logsumexp rows fp32 4096x4096", speedF32, square, reduceOf(ops.LogSumExp, 1)),
		one("cumsum fp32 4096x4096", speedF32, square,
			func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor {
				return ops.CumSum(s, x, 1)
			}),
		one("softmax bf16 4096x1024", speedBF16, []int{4096, 1024}, softmaxOf),
		one("softmax fp32 4096x4096", speedF32, square, softmaxOf),
		one("softmax bf16 4096x16384", speedBF16, wide, softmaxOf),
		one("softmax bf16 1024x65536", speedBF16, []int{1024, 65536}, softmaxOf),
		one("log_softmax fp32 4096x4096", speedF32, square,
			func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor {
				return ops.LogSoftmax(s, x, -1)
			}),
	)
	for _, shape := range [][]int{{4096, 1024}, {4096, 4096}, {4096, 8192}} {
		size := "4096x" + map[int]string{1024: "1024", 4096: "4096", 8192: "8192"}[shape[1]]
		rms := func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor {
			return ops.RMSNorm(s, x, x.Select(0, 0), 1e-5)
		}
		layer := func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor {
			return ops.LayerNorm(s, x, x.Select(0, 0), x.Select(0, 1), 1e-5)
		}
		add(one("rms_norm bf16 "+size, speedBF16, shape, rms),
			one("layer_norm bf16 "+size, speedBF16, shape, layer))
	}
	add(
		one("swiglu bf16 4096x11008", speedBF16, []int{4096, 22016},
			func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor {
				return ops.SwiGLU(s, x.Slice(1, 0, 11008, 1), x.Slice(1, 11008, 22016, 1))
			}),
		speedLine{"add_rms_norm bf16 4096x4096", addNormLine},
		speedLine{"rope bf16 4x32x1024x128", ropeLine},
		speedLine{"embedding bf16 32768 of 32000x4096", embeddingLine},
		speedLine{"gather fp32 4096x4096", gatherLine},
		speedLine{"cross_entropy bf16 4096x32000", crossLine(4096, 32000)},
		speedLine{"cross_entropy bf16 1024x128256", crossLine(1024, 128256)},
		speedLine{"topk 64 fp32 64x32000", topLine},
		matmulLine("matmul bf16 512", speedBF16, 512, 512, 512),
		matmulLine("matmul fp16 1024", speedF16, 1024, 1024, 1024),
		matmulLine("matmul fp16 2048", speedF16, 2048, 2048, 2048),
		matmulLine("matmul bf16 4096", speedBF16, 4096, 4096, 4096),
		matmulLine("matmul bf16 8192", speedBF16, 8192, 8192, 8192),
		matmulLine("matmul bf16 1x4096x4096", speedBF16, 1, 4096, 4096),
		matmulLine("matmul bf16 1x11008x4096", speedBF16, 1, 11008, 4096),
		matmulLine("matmul bf16 16x4096x4096", speedBF16, 16, 4096, 4096),
		matmulLine("matmul bf16 128x4096x4096", speedBF16, 128, 4096, 4096),
		matmulLine("matmul bf16 4096x11008x4096", speedBF16, 4096, 11008, 4096),
		matmulLine("matmul tf32 4096", speedF32, 4096, 4096, 4096, ops.TF32),
		matmulLine("matmul fp32 2048", speedF32, 2048, 2048, 2048),
		matmulLine("matmul gelu bf16 4096", speedBF16, 4096, 4096, 4096, ops.ThenGELU),
		speedLine{"matmul batched bf16 64x1024x1024x64", batchedLine},
		attentionLine("attention fp16 8x16x1024x64", speedF16, 8, 16, 16, 1024, 1024, 64, false),
		attentionLine("attention bf16 4x16x4096x128", speedBF16, 4, 16, 16, 4096, 4096, 128, false),
		attentionLine("attention causal bf16 4x16x4096x64", speedBF16, 4, 16, 16, 4096, 4096, 64, true),
		attentionLine("attention causal bf16 4x16x4096x128", speedBF16, 4, 16, 16, 4096, 4096, 128, true),
		attentionLine("attention grouped causal bf16 2x32/8x2048x128", speedBF16, 2, 32, 8, 2048, 2048, 128,
			true),
		attentionLine("decode bf16 8x32/8x4096x128", speedBF16, 8, 32, 8, 1, 4096, 128, false),
		attentionLine("decode bf16 1x32/8x16384x128", speedBF16, 1, 32, 8, 1, 16384, 128, false),
	)
	return append(append(list, imageLines()...), backwardLines()...)
}

func unaryOf(f func(*ops.Stream, any) *nereid.Tensor) func(*ops.Stream, *nereid.Tensor) *nereid.Tensor {
	return func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor { return f(s, x) }
}

func reduceOf(f func(*ops.Stream, *nereid.Tensor, ...int) *nereid.Tensor,
	axes ...int) func(*ops.Stream, *nereid.Tensor) *nereid.Tensor {
	return func(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor { return f(s, x, axes...) }
}

func softmaxOf(s *ops.Stream, x *nereid.Tensor) *nereid.Tensor { return ops.Softmax(s, x, -1) }

func addNormLine(r *room) func() *nereid.Tensor {
	x, y, w := r.normal(speedBF16, 4096, 4096), r.normal(speedBF16, 4096, 4096), r.normal(speedBF16, 4096)
	norm, sum := like(r.s, x), like(r.s, x)
	return func() *nereid.Tensor {
		n, _ := ops.AddRMSNorm(r.s.Into(norm, sum), x, y, w, 1e-5)
		return n
	}
}

func ropeLine(r *room) func() *nereid.Tensor {
	x, cos := r.normal(speedBF16, 4, 32, 1024, 128), r.normal(speedBF16, 1024, 64)
	out := like(r.s, x)
	return func() *nereid.Tensor { return ops.Rope(r.s.Into(out), x, cos, cos) }
}

func embeddingLine(r *room) func() *nereid.Tensor {
	table, ids := r.normal(speedBF16, 32000, 4096), r.below(32000, 32768)
	out := r.s.New(speedBF16, 32768, 4096)
	return func() *nereid.Tensor { return ops.Embedding(r.s.Into(out), table, ids) }
}

func gatherLine(r *room) func() *nereid.Tensor {
	x, index := r.normal(speedF32, 4096, 4096), r.below(4096, 4096, 4096)
	out := like(r.s, x)
	return func() *nereid.Tensor { return ops.Gather(r.s.Into(out), x, index, 1) }
}

func crossLine(rows, cols int) func(r *room) func() *nereid.Tensor {
	return func(r *room) func() *nereid.Tensor {
		x, labels := r.normal(speedBF16, rows, cols), r.below(cols, rows)
		out := r.s.New(speedF32, rows)
		return func() *nereid.Tensor { return ops.CrossEntropy(r.s.Into(out), x, labels) }
	}
}

func topLine(r *room) func() *nereid.Tensor {
	x := r.normal(speedF32, 64, 32000)
	values, indices := r.s.New(speedF32, 64, 64), r.s.New(nereid.Int64, 64, 64)
	return func() *nereid.Tensor {
		v, _ := ops.TopK(r.s.Into(values, indices), x, 64)
		return v
	}
}

func batchedLine(r *room) func() *nereid.Tensor {
	a, b := r.normal(speedBF16, 64, 1024, 64), r.normal(speedBF16, 64, 1024, 64).Transpose(1, 2)
	out := r.s.New(speedBF16, 64, 1024, 1024)
	return func() *nereid.Tensor { return ops.MatMul(r.s.Into(out), a, b) }
}

// TestSpeed prints the time of each line on the device that NEREID_TEST_OPS names, in µs, as a line of JSON;
// NEREID_TEST_OPS_ONLY is a regular expression that chooses some by their names. peer/ops.py puts
// PyTorch's beside them.
func TestSpeed(t *testing.T) {
	s := streamOn(t, txtest.LongForm(t, "NEREID_TEST_OPS", "the device whose speed is measured"))
	only := chosen(t)
	for _, l := range speedLines() {
		if !only.MatchString(l.name) {
			continue
		}
		s.Reset()
		row := map[string]any{"name": l.name}
		if us, err := speedOf(s, l); err != nil {
			row["error"] = err.Error()
			t.Errorf("%s: %v", l.name, err)
		} else {
			row["us"] = us
		}
		if err := json.NewEncoder(os.Stdout).Encode(row); err != nil {
			t.Fatal(err)
		}
	}
}

// chosen returns the regular expression that NEREID_TEST_OPS_ONLY is.
func chosen(t *testing.T) *regexp.Regexp {
	t.Helper()
	only, err := regexp.Compile(os.Getenv("NEREID_TEST_OPS_ONLY"))
	if err != nil {
		t.Fatal(err)
	}
	return only
}

// speedOf returns the median time of a call in µs.
func speedOf(s *ops.Stream, l speedLine) (float64, error) {
	call := l.call(&room{s: s})
	if err := call().Err(); err != nil {
		return 0, err
	}
	run := func() error { return call().Err() }
	took, err := s.Stream().Measure(10*time.Millisecond, 50*time.Millisecond, run)
	return float64(took.Nanoseconds()) / 1000, err
}
