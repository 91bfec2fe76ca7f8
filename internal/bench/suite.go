package bench

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/kernels"
)

// Row is one figure, printed as peer/triton_peer.py prints its own, with "nereid" in place of "triton".
type Row struct {
	Kernel   string  `json:"kernel"`
	DType    string  `json:"dtype,omitempty"`
	Shape    []int   `json:"shape,omitempty"`
	Unit     string  `json:"unit,omitempty"`
	Nereid   float64 `json:"nereid,omitempty"`
	NumWarps int     `json:"num_warps,omitempty"`
	What     string  `json:"what,omitempty"`
	Causal   *bool   `json:"causal,omitempty"`
	// Best is the fastest of several configs, Configs the milliseconds of each.
	Best    string             `json:"best,omitempty"`
	Configs map[string]float64 `json:"configs,omitempty"`
	Failed  string             `json:"failed,omitempty"`
}

// Suite measures the kernels on a device.
type Suite struct {
	Device *nereid.Device
	Only   []string  // kernels by name; empty is all
	Out    io.Writer // one JSON line for each row
	Small  bool      // sizes for devices of the host
	Rep    time.Duration
	Step   func(name string) // called before each line of figures; may be nil

	stream *nereid.Stream
	fill   map[fillKey][]byte

	// timer measures a launch in place of time, for tests that compare two ways to run the kernels.
	timer func(file, kernel string, grid nereid.Grid, args ...any) (time.Duration, error)
}

type fillKey struct {
	dt nereid.DType
	n  int
}

// job is one line of figures, or several.
type job struct {
	name string
	run  func() error
}

func (s *Suite) jobs() []job {
	return []job{
		{"vector_add", s.vectorAdd}, {"softmax", s.softmax}, {"layer_norm", s.layerNorm},
		{"rms_norm", s.rmsNorm}, {"swiglu", s.swiglu},
		{"cross_entropy", s.crossEntropy}, {"dropout", s.dropout}, {"row_sum", s.rowSum},
		{"matmul", s.matmul}, {"matmul_fp8", s.matmulFP8}, {"attention", s.attention}, {"compile", s.compile},
		{"launch", s.launch},
	}
}

// Names returns what Only can name.
func (s *Suite) Names() (names []string) {
	for _, j := range s.jobs() {
		names = append(names, j.name)
	}
	return names
}

// Run measures everything that is wanted.
func (s *Suite) Run(ctx context.Context) error {
	var err error
	if s.stream, err = s.Device.NewStream(ctx); err != nil {
		return err
	}
	defer s.stream.Close()
	if s.Rep == 0 {
		s.Rep = 200 * time.Millisecond
	}
	for _, job := range s.jobs() {
		if len(s.Only) > 0 && !slices.Contains(s.Only, job.name) {
			continue
		}
		if s.Step != nil {
			s.Step(job.name)
		}
		if err := job.run(); err != nil {
			s.emit(Row{Kernel: job.name, Failed: err.Error()})
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func (s *Suite) emit(r any) {
	line, _ := json.Marshal(r)
	fmt.Fprintf(s.Out, "%s\n", line)
}

// tensor is a tensor of random numbers on the device.
func (s *Suite) tensor(dt nereid.DType, shape ...int) (*nereid.Tensor, error) {
	t, err := nereid.New(s.Device, dt, shape...)
	if err != nil {
		return nil, err
	}
	const period = 1 << 20 // random numbers repeat: making gigabytes of them is not what is measured
	n := t.Len()
	key := fillKey{dt, min(n, period)}
	if s.fill == nil {
		s.fill = map[fillKey][]byte{}
	}
	data := s.fill[key]
	if data == nil {
		r := rand.New(rand.NewPCG(1, 2))
		for range key.n {
			bits := dt.Encode(r.NormFloat64())
			for range dt.Size() {
				data = append(data, byte(bits))
				bits >>= 8
			}
		}
		s.fill[key] = data
	}
	full := make([]byte, n*dt.Size())
	for at := 0; at < len(full); {
		at += copy(full[at:], data)
	}
	return t, t.Write(full)
}

// measure launches a kernel and emits its rate.
func (s *Suite) measure(row Row, file, kernel string, work float64, grid nereid.Grid, args ...any) error {
	t, err := s.time(file, kernel, grid, args...)
	if err != nil {
		return err
	}
	row.Nereid = work / t.Seconds()
	s.emit(row)
	return nil
}

func (s *Suite) time(file, kernel string, grid nereid.Grid, args ...any) (time.Duration, error) {
	if s.timer != nil {
		return s.timer(file, kernel, grid, args...)
	}
	m, err := nereid.LoadFS(kernels.Files, file)
	if err != nil {
		return 0, err
	}
	k, err := m.Kernel(kernel)
	if err != nil {
		return 0, err
	}
	return s.stream.Measure(s.Rep/4, s.Rep, func() error { return k.Launch(s.stream, grid, args...) })
}

// pick is the list of sizes for the kind of device.
func pick[T any](small bool, few, all []T) []T {
	if small {
		return few
	}
	return all
}

func (s *Suite) vectorAdd() error {
	for _, logn := range pick(s.Small, []int{16, 20}, []int{12, 16, 20, 24, 27}) {
		n := 1 << logn
		x, err := s.tensor(nereid.Float32, n)
		if err != nil {
			return err
		}
		y, err := s.tensor(nereid.Float32, n)
		if err != nil {
			return err
		}
		out, err := nereid.New(s.Device, nereid.Float32, n)
		if err != nil {
			return err
		}
		row := Row{Kernel: "vector_add", DType: "fp32", Shape: []int{n}, Unit: "GB/s"}
		err = s.measure(row, "vector_add.py", "add_kernel", 12*float64(n)/1e9, nereid.Grid{(n + 1023) / 1024},
			x, y, out, n, 1024)
		x.Close()
		y.Close()
		out.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Suite) softmax() error {
	for _, dt := range []nereid.DType{nereid.Float16, nereid.Float32} {
		for _, size := range pick(s.Small, [][2]int{{256, 256}, {256, 1024}},
			[][2]int{{4096, 256}, {4096, 1024}, {4096, 2048}, {4096, 8192}, {4096, 16384}}) {
			m, n := size[0], size[1]
			x, err := s.tensor(dt, m, n)
			if err != nil {
				return err
			}
			out, err := nereid.New(s.Device, dt, m, n)
			if err != nil {
				return err
			}
			row := Row{Kernel: "softmax", DType: dt.String(), Shape: []int{m, n}, Unit: "GB/s"}
			for _, w := range []int{4, 8, 16} {
				t, err := s.time("softmax.py", "softmax_kernel", nereid.Grid{m}, out, x, n, n, n, pow2(n),
					nereid.Options{NumWarps: w})
				if err != nil {
					return err
				}
				if rate := 2 * float64(m*n*dt.Size()) / 1e9 / t.Seconds(); rate > row.Nereid {
					row.Nereid, row.NumWarps = rate, w
				}
			}
			s.emit(row)
			x.Close()
			out.Close()
		}
	}
	return nil
}

func (s *Suite) layerNorm() error {
	for _, n := range pick(s.Small, []int{1024}, []int{1024, 4096, 8192, 15872}) {
		m := 4096
		if s.Small {
			m = 256
		}
		x, err := s.tensor(nereid.Float16, m, n)
		if err != nil {
			return err
		}
		w, err := s.tensor(nereid.Float16, n)
		if err != nil {
			return err
		}
		y, err := nereid.New(s.Device, nereid.Float16, m, n)
		if err != nil {
			return err
		}
		b, err := s.tensor(nereid.Float16, n)
		if err != nil {
			return err
		}
		mean, err := nereid.New(s.Device, nereid.Float32, m)
		if err != nil {
			return err
		}
		rstd, err := nereid.New(s.Device, nereid.Float32, m)
		if err != nil {
			return err
		}
		block := min(pow2(n), 32768)
		warps := min(max(block/256, 1), 8)
		row := Row{Kernel: "layer_norm", DType: "fp16", Shape: []int{m, n}, Unit: "GB/s", NumWarps: warps}
		err = s.measure(row, "layer_norm.py", "layer_norm_kernel", 4*float64(m*n)/1e9, nereid.Grid{m},
			x, y, w, b, mean, rstd, n, n, 1e-5, block, nereid.Options{NumWarps: warps})
		x.Close()
		y.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// rows and cols of the small kernels of a transformer.
func (s *Suite) llmSize() (rows, cols int) {
	if s.Small {
		return 128, 4096
	}
	return 8192, 4096
}

func (s *Suite) rmsNorm() error {
	rows, n := s.llmSize()
	x, err := s.tensor(nereid.BFloat16, rows, n)
	if err != nil {
		return err
	}
	w, err := s.tensor(nereid.BFloat16, n)
	if err != nil {
		return err
	}
	y, err := nereid.New(s.Device, nereid.BFloat16, rows, n)
	if err != nil {
		return err
	}
	return s.measure(Row{Kernel: "rms_norm", DType: "bf16", Shape: []int{rows, n}, Unit: "GB/s"}, "llm.py",
		"rms_norm_kernel",
		4*float64(rows*n)/1e9, nereid.Grid{rows}, x, w, y, n, n, 1e-6, n, nereid.Options{NumWarps: 8})
}

func (s *Suite) swiglu() error {
	rows, n := s.llmSize()
	g, err := s.tensor(nereid.BFloat16, rows, n)
	if err != nil {
		return err
	}
	u, err := s.tensor(nereid.BFloat16, rows, n)
	if err != nil {
		return err
	}
	y, err := nereid.New(s.Device, nereid.BFloat16, rows, n)
	if err != nil {
		return err
	}
	total := rows * n
	return s.measure(Row{Kernel: "swiglu", DType: "bf16", Shape: []int{rows, n}, Unit: "GB/s"}, "llm.py",
		"swiglu_kernel",
		6*float64(total)/1e9, nereid.Grid{(total + 1023) / 1024}, g, u, y, total, 1024)
}

func (s *Suite) crossEntropy() error {
	rows, vocab := 2048, 128256
	if s.Small {
		rows = 4
	}
	logits, err := s.tensor(nereid.BFloat16, rows, vocab)
	if err != nil {
		return err
	}
	labels, err := s.labels(rows, vocab)
	if err != nil {
		return err
	}
	loss, err := nereid.New(s.Device, nereid.Float32, rows)
	if err != nil {
		return err
	}
	return s.measure(Row{Kernel: "cross_entropy", DType: "bf16", Shape: []int{rows, vocab}, Unit: "GB/s"},
		"llm.py", "cross_entropy_kernel",
		2*float64(rows)*float64(vocab)/1e9, nereid.Grid{rows}, logits, labels, loss, vocab, vocab, 8192,
		nereid.Options{NumWarps: 16})
}

// labels are n numbers below limit.
func (s *Suite) labels(n, limit int) (*nereid.Tensor, error) {
	t, err := nereid.New(s.Device, nereid.Int64, n)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(1, 2))
	var data []byte
	for range n {
		data = binary.LittleEndian.AppendUint64(data, r.Uint64N(uint64(limit)))
	}
	return t, t.Write(data)
}

func (s *Suite) dropout() error {
	n := 1 << 26
	if s.Small {
		n = 1 << 18
	}
	x, err := s.tensor(nereid.Float32, n)
	if err != nil {
		return err
	}
	out, err := nereid.New(s.Device, nereid.Float32, n)
	if err != nil {
		return err
	}
	return s.measure(Row{Kernel: "dropout", DType: "fp32", Shape: []int{n}, Unit: "GB/s"}, "dropout.py",
		"dropout_kernel",
		8*float64(n)/1e9, nereid.Grid{(n + 1023) / 1024}, x, out, n, 0.5, 123, 1024)
}

func (s *Suite) rowSum() error {
	n := 8192
	if s.Small {
		n = 512
	}
	x, err := s.tensor(nereid.Float32, n, n)
	if err != nil {
		return err
	}
	out, err := nereid.New(s.Device, nereid.Float32, n)
	if err != nil {
		return err
	}
	return s.measure(Row{Kernel: "row_sum", DType: "fp32", Shape: []int{n, n}, Unit: "GB/s"}, "reduce.py",
		"row_sum_kernel",
		4*float64(n)*float64(n)/1e9, nereid.Grid{n / 4}, x, out, n, n, 1024, 4, 1024)
}

// compile times a cold compile, source text to loaded kernel, and what of it is ours: all but the driver's
// compiler.
func (s *Suite) compile() error {
	// A tensor for each pointer: on the CPU, arguments that overlap would be compiled for a second time.
	var x, h [6]*nereid.Tensor
	for i := range x {
		var err error
		if x[i], err = nereid.New(s.Device, nereid.Float32, 1024); err != nil {
			return err
		}
		defer x[i].Close()
		if h[i], err = nereid.New(s.Device, nereid.Float16, 1024); err != nil {
			return err
		}
		defer h[i].Close()
	}
	for _, c := range []struct {
		name, file, kernel string
		args               []any
	}{
		{"add", "vector_add.py", "add_kernel", []any{x[0], x[1], x[2], 1024, 2048}},
		{"softmax", "softmax.py", "softmax_kernel", []any{x[0], x[1], 1024, 1024, 1000, 1024,
			nereid.Options{NumWarps: 8}}},
		{"layer_norm", "layer_norm.py", "layer_norm_kernel", []any{x[0], x[1], x[2], x[3], x[4], x[5],
			1024, 1000, 1e-5, 1024}},
		{"matmul", "matmul.py", "matmul_kernel",
			[]any{h[0], h[1], h[2], 1024, 1024, 1024, 1024, 1, 1024, 1, 1024, 1,
				128, 256, 64, 8, "", nereid.Options{NumWarps: 8, NumStages: 3}}},
		{"attention", "attention.py", "attention_kernel", []any{h[0], h[1], h[2], h[3], x[0], 0.125,
			64, 64, 64, 64, 64, 64, 64, 64, 1024, 128, 128, 128, true,
			nereid.Options{NumWarps: 8, NumStages: 3}}},
	} {
		var driver time.Duration
		conf := nereid.Config{} // which keeps nothing on disk
		conf.Hooks.Stage = func(_ nereid.Variant, s nereid.Stage) {
			if s.Name == "load" {
				driver = s.Took
			}
		}
		start := time.Now()
		m, err := nereid.LoadFS(kernels.Files, c.file, nereid.With(conf))
		if err != nil {
			return err
		}
		k, err := m.Kernel(c.kernel)
		if err != nil {
			return err
		}
		bound, err := k.Bind(s.stream, c.args...)
		if err != nil {
			return err
		}
		took := time.Since(start)
		bound.Close()
		s.emit(Row{Kernel: "compile", What: c.name, Unit: "ms", Nereid: milliseconds(took)})
		if driver > 0 {
			s.emit(Row{Kernel: "compile", What: c.name + ", besides the driver's compiler", Unit: "ms",
				Nereid: milliseconds(took - driver)})
		}
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
