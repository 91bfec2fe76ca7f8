package cpu_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/num"
)

// tensor is an argument: so many elements of a type, random floats, zeros, or integers that count.
type tensor struct {
	dt   nereid.DType
	n    int
	zero bool
}

func f32s(n int) tensor  { return tensor{nereid.Float32, n, false} }
func f16s(n int) tensor  { return tensor{nereid.Float16, n, false} }
func bf16s(n int) tensor { return tensor{nereid.BFloat16, n, false} }
func i32s(n int) tensor  { return tensor{nereid.Int32, n, false} }
func out(dt nereid.DType, n int) tensor {
	return tensor{dt, n, true}
}

var formats = map[nereid.DType]*num.Format{nereid.Float32: num.F32, nereid.Float16: num.F16,
	nereid.BFloat16: num.BF16}

// TestKernels: kernels in the ways of public libraries leave in memory what they leave there on the
// interpreter.
func TestKernels(t *testing.T) {
	dev, judge := cpuAndJudge(t)
	m, err := nereid.Load("testdata/kernels.py")
	if err != nil {
		t.Fatal(err)
	}
	f32, f16, i32 := nereid.Float32, nereid.Float16, nereid.Int32
	for i, c := range []struct {
		kernel string
		grid   nereid.Grid
		args   []any
	}{
		{"index_select", nereid.Grid{4, 3}, []any{f32s(7000), i32s(50), out(f32, 3500), 50, 70, 16, 32}},
		{"scatter_add", nereid.Grid{8}, []any{f32s(1000), out(i32, 1000), out(f32, 100), 1000, 128}},
		{"ln_bwd", nereid.Grid{20}, []any{out(f32, 2000), f16s(2000), f32s(100), f16s(2000), f32s(20),
			f32s(20), out(f32, 100), out(f32, 100), 100, 128}},
		{"transpose", nereid.Grid{4, 5}, []any{f32s(7000), out(f32, 7000), 100, 70, 32, 16}},
		{"inplace_shift", nereid.Grid{1}, []any{f32s(256), 128}},
		{"ssm", nereid.Grid{1}, []any{f32s(1024), f32s(1024), out(f32, 1024), 64, 16}},
		{"group_norm", nereid.Grid{8}, []any{f32s(2400), out(f32, 2400), f32s(12), f32s(12), 4,
			12, 100, 128}},
		{"topk", nereid.Grid{10}, []any{f32s(640), out(f32, 50), out(i32, 50), 64, 5}},
		{"collatz", nereid.Grid{4}, []any{i32s(100), out(i32, 100), 100, 32}},
		{"attn_bwd_like", nereid.Grid{4}, []any{f16s(3200), f16s(3200), f16s(3200), out(f16, 3200), 100, 0.2,
			32, 32, 32}},
		{"conv1d", nereid.Grid{8}, []any{f32s(500), f32s(5), out(f32, 500), 500, 5, 64}},
		{"interleave", nereid.Grid{1}, []any{f32s(64), f32s(64), out(f32, 320), 64}},
		{"locked", nereid.Grid{63}, []any{f32s(1000), out(f32, 1), out(i32, 1), 1000, 16}},
		{"three", nereid.Grid{1}, []any{f32s(4096), out(f32, 9000), 8, 16, 32}},
		{"bmm", nereid.Grid{1}, []any{f16s(2048), f16s(2048), out(f32, 4096), 32, 32, 16, 4}},
		{"quant", nereid.Grid{8}, []any{f32s(1000), out(nereid.Int8, 1000), out(f32, 8), 1000, 128}},
		{"fp8mm", nereid.Grid{1}, []any{f16s(1024), f16s(1024), out(f32, 1024), 32, 32, 32}},
		{"histo", nereid.Grid{8}, []any{i32s(1000), out(i32, 64), 1000, 128}},
		{"argm", nereid.Grid{1}, []any{f32s(2048), out(i32, 96), out(f32, 2048), 32, 64}},
		{"rnd", nereid.Grid{8}, []any{out(f32, 1000), 42, 1000, 128}},
		{"carry", nereid.Grid{1}, []any{f32s(448), out(f32, 128), 64, 7, 64}},
		{"gath", nereid.Grid{1}, []any{f32s(64), i32s(128), out(f32, 128), 64, 128}},
		{"chunk_h", nereid.Grid{1}, []any{f16s(3200), f16s(6400), out(f16, 8192), out(f16, 6400), f16s(3200),
			100, 32, 64, 32}},
		{"chunk_h", nereid.Grid{1}, []any{bf16s(3200), bf16s(6400), out(nereid.BFloat16, 8192),
			out(nereid.BFloat16, 6400), bf16s(3200), 100, 32, 64, 32}},
		{"moe", nereid.Grid{4, 2}, []any{f16s(3200), f16s(8000), out(f16, 2560), i32s(64), i32s(4), 60, 40,
			50, 16, 32, 16}},
		{"ce_online", nereid.Grid{10}, []any{f32s(10000), i32s(10), out(f32, 10), out(f32, 10000),
			1000, 256}},
		{"streamk_wait", nereid.Grid{64}, []any{f32s(2048), out(i32, 64), out(f32, 64), 2048, 32}},
		{"wgrad", nereid.Grid{2, 2}, []any{f16s(5000), f16s(7000), out(f32, 3500), 100, 50, 70, 32, 32, 64}},
		{"nonzero", nereid.Grid{8}, []any{f32s(1000), i32s(8), out(i32, 1024), 1000, 128}},
		{"gather1", nereid.Grid{8}, []any{f32s(1000), i32s(1000), out(f32, 2000), 1000, 128}},
		{"tril", nereid.Grid{1}, []any{f32s(4096), out(f32, 4096), 64}},
		{"ptrs", nereid.Grid{1}, []any{f32s(64), f32s(64), out(f32, 64), 50, 64}},
		{"partial_sums", nereid.Grid{1}, []any{f32s(320), out(f32, 320), out(f32, 1), 5, 64}},
		{"partial_rows", nereid.Grid{1}, []any{f32s(640), out(f32, 1920), out(f32, 16), 5, 4, 32}},
		{"last_sums", nereid.Grid{1}, []any{f32s(320), out(f32, 320), out(f32, 1), 5, 64}},
		{"growing_sums", nereid.Grid{1}, []any{f32s(320), out(f32, 1), out(f32, 1), 5, 64}},
	} {
		t.Run(fmt.Sprint(i, " ", c.kernel), func(t *testing.T) {
			k, err := m.Kernel(c.kernel)
			if err != nil {
				t.Fatal(err)
			}
			want, got := run(t, judge, k, c.grid, c.args), run(t, dev, k, c.grid, c.args)
			for j, w := range want {
				if err := compare(c.args[j], w, got[j]); err != nil {
					t.Errorf("argument %d: %v", j, err)
				}
			}
		})
	}
}

// run launches a kernel and returns what is in its tensors then, by argument.
func run(t *testing.T, dev *nereid.Device, k *nereid.Kernel, grid nereid.Grid, args []any) map[int][]byte {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]any, len(args))
	tensors := map[int]*nereid.Tensor{}
	for i, a := range args {
		values[i] = a
		d, ok := a.(tensor)
		if !ok {
			continue
		}
		x, err := nereid.NewTensor(dev, d.dt, d.n)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		if err := x.CopyBytesFrom(d.bytes(r)); err != nil {
			t.Fatal(err)
		}
		values[i], tensors[i] = x, x
	}
	s := streamOf(t, dev)
	if err := k.Launch(s, grid, values...); err != nil {
		t.Fatal(err)
	}
	out := map[int][]byte{}
	for i, x := range tensors {
		out[i] = make([]byte, x.Len()*x.DType.Size())
		if err := x.CopyBytesTo(out[i]); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func (d tensor) bytes(r *rand.Rand) []byte {
	var b []byte
	for i := range d.n {
		bits := uint64(i)
		if f := formats[d.dt]; f != nil {
			bits = f.Encode(r.NormFloat64())
		}
		if d.zero {
			bits = 0
		}
		b = append(b, binary.LittleEndian.AppendUint64(nil, bits)[:d.dt.Size()]...)
	}
	return b
}

// compare allows floats what sums in another order, and products that are rounded once, make of them.
func compare(a any, want, got []byte) error {
	d := a.(tensor)
	f := formats[d.dt]
	if f == nil {
		if string(want) != string(got) {
			return fmt.Errorf("integers differ")
		}
		return nil
	}
	value := func(b []byte, i int) float64 {
		var w [8]byte
		copy(w[:], b[i*d.dt.Size():(i+1)*d.dt.Size()])
		return f.Decode(binary.LittleEndian.Uint64(w[:]))
	}
	top := 0.0
	for i := range d.n {
		top = max(top, math.Abs(value(want, i)))
	}
	tol := top * math.Ldexp(1, max(-18, -f.Man+1))
	for i := range d.n {
		if w, g := value(want, i), value(got, i); w != g && !(w != w && g != g) && !(math.Abs(w-g) <= tol) {
			return fmt.Errorf("element %d is %v, not %v", i, g, w)
		}
	}
	return nil
}
