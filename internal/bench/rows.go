package bench

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/nereid-lang/nereid"
)

// The kernels that move memory: their rates are in GB/s.

func (s *Suite) vectorAdd() error {
	for _, logn := range pick(s.Small, []int{16, 20}, []int{12, 16, 20, 24, 27}) {
		if err := s.vectorAddOf(1 << logn); err != nil {
			return err
		}
	}
	return nil
}

func (s *Suite) vectorAddOf(n int) error {
	r := &room{s: s}
	defer r.free()
	x, y, out := r.random(0, nereid.Float32, n), r.random(1, nereid.Float32, n), r.empty(nereid.Float32, n)
	return s.measure(r, &figure{
		row:  Row{Kernel: "vector_add", DType: "fp32", Shape: []int{n}, Unit: "GB/s"},
		file: "vector_add.py", kernel: "add_kernel", work: 12 * float64(n) / 1e9,
		grid: nereid.Grid{ceil(n, 1024)}, args: []any{x.Tensor, y.Tensor, out, n, 1024},
		expect: expect{out: out, cols: n, tol: tolerances[nereid.Float32],
			want: elementwise(func(i int) float64 { return x.at(i) + y.at(i) })},
	})
}

func (s *Suite) softmax() error {
	for _, dt := range []nereid.DType{nereid.Float16, nereid.Float32} {
		for _, size := range pick(s.Small, [][2]int{{256, 256}, {256, 1024}},
			[][2]int{{4096, 256}, {4096, 1024}, {4096, 2048}, {4096, 8192}, {4096, 16384}}) {
			if err := s.softmaxOf(dt, size[0], size[1]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Suite) softmaxOf(dt nereid.DType, m, n int) error {
	r := &room{s: s}
	defer r.free()
	x, out := r.random(0, dt, m, n), r.empty(dt, m, n)
	if r.err != nil {
		return r.err
	}
	e := &expect{out: out, cols: n, tol: tolerances[dt], want: rowwise(n, func(r int) []float64 {
		v := x.row(r, n)
		softmaxOf(v)
		return v
	})}
	row := Row{Kernel: "softmax", DType: dt.String(), Shape: []int{m, n}, Unit: "GB/s"}
	for _, w := range []int{4, 8, 16} {
		t, err := s.time(e, "softmax.py", "softmax_kernel", nereid.Grid{m}, out, x.Tensor, n, n, n, pow2(n),
			nereid.Options{NumWarps: w})
		if err != nil {
			return fmt.Errorf("%d warps: %w", w, err)
		}
		if rate := 2 * float64(m*n*dt.Size()) / 1e9 / t.Seconds(); rate > row.Nereid {
			row.Nereid, row.NumWarps = rate, w
		}
	}
	s.emit(row)
	return nil
}

func (s *Suite) layerNorm() error {
	m := 4096
	if s.Small {
		m = 256
	}
	for _, n := range pick(s.Small, []int{1024}, []int{1024, 4096, 8192, 15872}) {
		if err := s.layerNormOf(m, n); err != nil {
			return err
		}
	}
	return nil
}

func (s *Suite) layerNormOf(m, n int) error {
	const dt, eps = nereid.Float16, 1e-5
	r := &room{s: s}
	defer r.free()
	x, w, b := r.random(0, dt, m, n), r.random(1, dt, n), r.random(2, dt, n)
	y, mean, rstd := r.empty(dt, m, n), r.empty(nereid.Float32, m), r.empty(nereid.Float32, m)
	block := min(pow2(n), 32768)
	warps := min(max(block/256, 1), 8)
	return s.measure(r, &figure{
		row:  Row{Kernel: "layer_norm", DType: "fp16", Shape: []int{m, n}, Unit: "GB/s", NumWarps: warps},
		file: "layer_norm.py", kernel: "layer_norm_kernel", work: 4 * float64(m*n) / 1e9,
		grid: nereid.Grid{m}, args: []any{x.Tensor, y, w.Tensor, b.Tensor, mean, rstd, n, n, eps, block,
			nereid.Options{NumWarps: warps}},
		expect: expect{out: y, cols: n, tol: tolerances[dt], want: normOf(x, n, true, eps, w.at, b.at)},
	})
}

// llmSize returns rows and columns of the small kernels of a transformer.
func (s *Suite) llmSize() (rows, cols int) {
	if s.Small {
		return 128, 4096
	}
	return 8192, 4096
}

func (s *Suite) rmsNorm() error {
	const dt, eps = nereid.BFloat16, 1e-6
	rows, n := s.llmSize()
	r := &room{s: s}
	defer r.free()
	x, w, y := r.random(0, dt, rows, n), r.random(1, dt, n), r.empty(dt, rows, n)
	return s.measure(r, &figure{
		row:  Row{Kernel: "rms_norm", DType: "bf16", Shape: []int{rows, n}, Unit: "GB/s"},
		file: "llm.py", kernel: "rms_norm_kernel", work: 4 * float64(rows*n) / 1e9, grid: nereid.Grid{rows},
		args: []any{x.Tensor, w.Tensor, y, n, n, eps, n, nereid.Options{NumWarps: 8}},
		expect: expect{out: y, cols: n, tol: tolerances[dt],
			want: normOf(x, n, false, eps, w.at, func(int) float64 { return 0 })},
	})
}

func (s *Suite) swiglu() error {
	const dt = nereid.BFloat16
	rows, n := s.llmSize()
	r := &room{s: s}
	defer r.free()
	g, u, y := r.random(0, dt, rows, n), r.random(1, dt, rows, n), r.empty(dt, rows, n)
	total := rows * n
	return s.measure(r, &figure{
		row:  Row{Kernel: "swiglu", DType: "bf16", Shape: []int{rows, n}, Unit: "GB/s"},
		file: "llm.py", kernel: "swiglu_kernel", work: 6 * float64(total) / 1e9,
		grid: nereid.Grid{ceil(total, 1024)}, args: []any{g.Tensor, u.Tensor, y, total, 1024},
		expect: expect{out: y, cols: n, tol: tolerances[dt], want: elementwise(func(i int) float64 {
			return g.at(i) / (1 + math.Exp(-g.at(i))) * u.at(i)
		})},
	})
}

func (s *Suite) crossEntropy() error {
	rows, vocab := 2048, 128256
	if s.Small {
		rows = 4
	}
	r := &room{s: s}
	defer r.free()
	logits, loss := r.random(0, nereid.BFloat16, rows, vocab), r.empty(nereid.Float32, rows)
	labels := r.empty(nereid.Int64, rows)
	label := func(row int) int { return int(place(1, uint64(row))) % vocab }
	if r.err == nil {
		var data []byte
		for row := range rows {
			data = binary.LittleEndian.AppendUint64(data, uint64(label(row)))
		}
		r.err = labels.CopyBytesFrom(data)
	}
	return s.measure(r, &figure{
		row:  Row{Kernel: "cross_entropy", DType: "bf16", Shape: []int{rows, vocab}, Unit: "GB/s"},
		file: "llm.py", kernel: "cross_entropy_kernel", work: 2 * float64(rows) * float64(vocab) / 1e9,
		grid: nereid.Grid{rows}, args: []any{logits.Tensor, labels, loss, vocab, vocab, 8192,
			nereid.Options{NumWarps: 16}},
		expect: expect{out: loss, cols: 1, tol: tolerances[nereid.Float32],
			want: elementwise(func(i int) float64 {
				return softmaxOf(logits.row(i, vocab)) - logits.at(i*vocab+label(i))
			})},
	})
}

func (s *Suite) dropout() error {
	n := 1 << 26
	if s.Small {
		n = 1 << 18
	}
	r := &room{s: s}
	defer r.free()
	x, out := r.random(0, nereid.Float32, n), r.empty(nereid.Float32, n)
	return s.measure(r, &figure{
		row:  Row{Kernel: "dropout", DType: "fp32", Shape: []int{n}, Unit: "GB/s"},
		file: "dropout.py", kernel: "dropout_kernel", work: 8 * float64(n) / 1e9,
		grid: nereid.Grid{ceil(n, 1024)}, args: []any{x.Tensor, out, n, 0.5, 123, 1024},
		expect: expect{out: out, cols: n, tol: tolerances[nereid.Float32], dropped: true,
			want: elementwise(func(i int) float64 { return 2 * x.at(i) })},
	})
}

func (s *Suite) rowSum() error {
	n := 8192
	if s.Small {
		n = 512
	}
	r := &room{s: s}
	defer r.free()
	x, out := r.random(0, nereid.Float32, n, n), r.empty(nereid.Float32, n)
	return s.measure(r, &figure{
		row:  Row{Kernel: "row_sum", DType: "fp32", Shape: []int{n, n}, Unit: "GB/s"},
		file: "reduce.py", kernel: "row_sum_kernel", work: 4 * float64(n) * float64(n) / 1e9,
		grid: nereid.Grid{n / 4}, args: []any{x.Tensor, out, n, n, 1024, 4, 1024},
		expect: expect{out: out, cols: 1, tol: tolerances[nereid.Float32],
			want: func(i int) (sum, size float64) {
				for _, v := range x.row(i, n) {
					sum += v
				}
				return sum, math.Sqrt(float64(n))
			}},
	})
}
