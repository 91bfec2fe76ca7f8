package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	Turn    string             `json:"turn,omitempty"` // the request that the row answers
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
	types  map[nereid.DType]*encoded
	wrong  bool // a result was

	// timer measures a launch in place of time, for tests that compare two ways to run the kernels.
	timer func(file, kernel string, grid nereid.Grid, args ...any) (time.Duration, error)
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
	return s.verdict()
}

// errWrong is the error of a suite of which a result is wrong.
var errWrong = errors.New("a result is wrong")

func (s *Suite) verdict() error {
	if s.wrong {
		return errWrong
	}
	return nil
}

func (s *Suite) emit(r any) {
	line, _ := json.Marshal(r)
	fmt.Fprintf(s.Out, "%s\n", line)
}

// figure is a launch to measure, with what it must compute.
type figure struct {
	row          Row
	file, kernel string
	work         float64 // bytes or operations, in the row's unit times a second
	grid         nereid.Grid
	args         []any
	expect       expect
}

// measure measures a figure, checks its result and emits its rate. Its tensors were made in a room.
func (s *Suite) measure(r *room, f *figure) error {
	if r.err != nil {
		return r.err
	}
	t, err := s.time(&f.expect, f.file, f.kernel, f.grid, f.args...)
	if err != nil {
		return err
	}
	f.row.Nereid = f.work / t.Seconds()
	s.emit(f.row)
	return nil
}

// time returns the time of a launch, or an error if its result is wrong.
func (s *Suite) time(e *expect, file, kernel string, grid nereid.Grid, args ...any) (time.Duration, error) {
	if s.timer != nil {
		return s.timer(file, kernel, grid, args...)
	}
	launch, err := s.launcher(file, kernel, grid, args...)
	if err != nil {
		return 0, err
	}
	if err := s.checked(e, launch); err != nil {
		return 0, err
	}
	return s.stream.Measure(s.Rep/4, s.Rep, launch)
}

// launcher returns a launch of a kernel.
func (s *Suite) launcher(file, kernel string, grid nereid.Grid, args ...any) (func() error, error) {
	m, err := nereid.LoadFS(kernels.Files, file)
	if err != nil {
		return nil, err
	}
	k, err := m.Kernel(kernel)
	return func() error { return k.Launch(s.stream, grid, args...) }, err
}

// checked launches once and returns an error if the result is wrong.
func (s *Suite) checked(e *expect, launch func() error) error {
	if err := e.spoil(); err != nil {
		return err
	}
	if err := errors.Join(launch(), s.stream.Sync()); err != nil {
		return err
	}
	err := e.check()
	s.wrong = s.wrong || err != nil
	return err
}

// pick is the list of sizes for the kind of device.
func pick[T any](small bool, few, all []T) []T {
	if small {
		return few
	}
	return all
}

// compile times a cold compile, source text to loaded kernel, and what of it is ours: all but the driver's
// compiler.
func (s *Suite) compile() error {
	// A tensor for each pointer: on the CPU, arguments that overlap would be compiled for a second time.
	var x, h [6]*nereid.Tensor
	for i := range x {
		var err error
		if x[i], err = nereid.NewTensor(s.Device, nereid.Float32, 1024); err != nil {
			return err
		}
		defer x[i].Close()
		if h[i], err = nereid.NewTensor(s.Device, nereid.Float16, 1024); err != nil {
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
