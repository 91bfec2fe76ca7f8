package bench

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/gen/genkernels"
	"github.com/nereid-lang/nereid/kernels"
)

// launchRow is the host's side of one warm launch.
type launchRow struct {
	Kernel string  `json:"kernel"` // "launch"
	What   string  `json:"what"`   // as peer/triton_peer.py names it
	Form   string  `json:"form"`   // how it is launched
	Unit   string  `json:"unit"`
	Nereid float64 `json:"nereid"`
	// the bare call to the driver with as many parameters: the median of what the rounds say
	Over   float64 `json:"over"`
	Allocs float64 `json:"allocs"`
}

// launchCase is a kernel whose launches are timed, in every form that a launch has.
type launchCase struct {
	what, file, kernel string
	params             []int // sizes of what is left at run time
	dt                 nereid.DType
	size               int
	args               func(t *nereid.Tensor) []any
	typed              func(s *nereid.Stream, t *nereid.Tensor) error
}

// The arguments are those of triton_peer.py but for the kernels' work, which is nothing: a launch is much
// quicker than a kernel's memory, and with the GPU the slower side its time would be measured.
var launchCases = []launchCase{
	{
		what: "add: 3 tensors, 1 int, 1 constexpr", file: "vector_add.py", kernel: "add_kernel",
		params: []int{8, 8, 8, 4}, dt: nereid.Float32, size: 1024,
		args: func(t *nereid.Tensor) []any { return []any{t, t, t, 0, 1024} },
		typed: func(s *nereid.Stream, t *nereid.Tensor) error {
			return genkernels.AddKernel(s, nereid.Grid{1}, t, t, t, 0,
				genkernels.AddKernelConsts{BLOCK_SIZE: 1024})
		},
	},
	{
		what: "matmul: 3 tensors, 9 ints, 5 constexprs", file: "matmul.py", kernel: "matmul_kernel",
		params: []int{8, 8, 8, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 8}, dt: nereid.Float16, size: 64 * 64,
		args: func(t *nereid.Tensor) []any {
			return []any{t, t, t, 64, 64, 0, 64, 1, 64, 1, 64, 1, 64, 64, 32, 8, "", matmulOptions}
		},
		typed: func(s *nereid.Stream, t *nereid.Tensor) error {
			return genkernels.MatmulKernel(s, nereid.Grid{1}, t, t, t, 64, 64, 0, 64, 1, 64, 1, 64, 1,
				genkernels.MatmulKernelConsts{BLOCK_M: 64, BLOCK_N: 64, BLOCK_K: 32, GROUP_M: 8,
					Options: matmulOptions})
		},
	},
}

var matmulOptions = nereid.Options{NumWarps: 4, NumStages: 3}

// launch times the host's side of a warm launch in every form: on a GPU the bare call to the driver and the
// driver package, for an empty kernel; Kernel.Launch, Kernel.Bind and the generated function. It is
// measured as peer/launch_limit.c does: batches, median, the stream empty before each; the forms take
// turns.
func (s *Suite) launch() error {
	for _, c := range launchCases {
		if err := s.launchForms(c); err != nil {
			return fmt.Errorf("%s: %w", c.kernel, err)
		}
	}
	return nil
}

func (s *Suite) launchForms(c launchCase) error {
	m, err := nereid.LoadFS(kernels.Files, c.file)
	if err != nil {
		return err
	}
	k, err := m.Kernel(c.kernel)
	if err != nil {
		return err
	}
	r := &room{s: s}
	defer r.free()
	t := r.random(0, c.dt, c.size).Tensor
	if r.err != nil {
		return r.err
	}
	var forms []launchForm
	if ctx, ok := s.gpu(); ok {
		own, done, err := s.bare(ctx, c)
		if err != nil {
			return err
		}
		defer done()
		forms = own
	}
	args := c.args(t)
	bound, err := k.Bind(s.stream, args...)
	if err != nil {
		return err
	}
	defer bound.Close()
	grid := nereid.Grid{1}
	anyGrid := nereid.Programs(grid) // a conversion for each launch would be the caller's allocation
	forms = append(forms,
		launchForm{"Launch", func() error { return k.Launch(s.stream, anyGrid, args...) }, s.stream.Sync},
		launchForm{"Bind", func() error { return bound.Launch(grid) }, s.stream.Sync},
		launchForm{"generated", func() error { return c.typed(s.stream, t) }, s.stream.Sync},
	)
	return s.timeForms(c, forms)
}

// launchForm is a way to launch.
type launchForm struct {
	name   string
	launch func() error
	sync   func() error
}

// timeForms measures a batch of each form in turn, over and over: what the machine does meanwhile hits all
// alike. The batches are short and many, so that those of a round lie close together in time, and every
// other round goes backwards, so that what drifts cancels.
func (s *Suite) timeForms(c launchCase, forms []launchForm) error {
	const batch, warm = 200, 500
	rounds := 301
	if s.Small {
		rounds = 9
	}
	runtime.LockOSThread() // moving to another thread takes a form's time
	defer runtime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	times, allocs := make([][]float64, len(forms)), make([]float64, len(forms))
	for i, f := range forms {
		n, err := allocations(warm, f)
		if err != nil {
			return err
		}
		allocs[i] = n
	}
	for round := range rounds {
		for n := range forms {
			i := n
			if round%2 == 1 {
				i = len(forms) - 1 - n
			}
			us, err := forms[i].batch(batch)
			if err != nil {
				return err
			}
			times[i] = append(times[i], us)
		}
	}
	for i, f := range forms {
		row := launchRow{Kernel: "launch", What: c.what, Form: f.name, Unit: "us", Nereid: median(times[i]),
			Allocs: allocs[i]}
		if forms[0].name == "raw" {
			row.Over = medianOver(times[i], times[0])
		}
		s.emit(row)
	}
	return nil
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[len(x)/2]
}

// medianOver is the median of what x has over base, round by round.
func medianOver(x, base []float64) float64 {
	over := make([]float64, len(x))
	for i := range x {
		over[i] = x[i] - base[i]
	}
	return median(over)
}

// batch is the microseconds of one of n launches.
func (f launchForm) batch(n int) (float64, error) {
	start := time.Now()
	for range n {
		if err := f.launch(); err != nil {
			return 0, err
		}
	}
	took := time.Since(start)
	return float64(took.Nanoseconds()) / float64(n) / 1000, f.sync()
}

// allocations warms up with n launches, and is how many allocations one makes.
func allocations(n int, f launchForm) (float64, error) {
	if _, err := f.batch(n); err != nil {
		return 0, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := f.batch(n); err != nil {
		return 0, err
	}
	runtime.ReadMemStats(&after)
	return float64(int(after.Mallocs-before.Mallocs) / n), nil
}

// gpu is the context of the suite's device if it is a GPU.
func (s *Suite) gpu() (*driver.Context, bool) {
	d, err := driver.Load()
	if err != nil {
		return nil, false
	}
	for _, dev := range d.Devices() {
		if dev.String() == s.Device.String() {
			ctx, err := dev.Context()
			return ctx, err == nil
		}
	}
	return nil, false
}

// emptyKernels take what add_kernel and matmul_kernel take at run time, as those of peer/launch_limit.c.
const emptyKernels = `.version 8.0
.target sm_80
.address_size 64
.visible .entry add_kernel(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) { ret; }
.visible .entry matmul_kernel(.param .u64 a, .param .u64 b, .param .u64 c,
	.param .u32 m, .param .u32 n, .param .u32 k,
	.param .u32 am, .param .u32 ak, .param .u32 bk, .param .u32 bn, .param .u32 cm, .param .u32 cn,
	.param .u64 global, .param .u64 profile) { ret; }
`

// bare are launches of an empty kernel with the same parameters by the driver package: the call alone, and
// all that the package does.
func (s *Suite) bare(ctx *driver.Context, c launchCase) (forms []launchForm, done func(), err error) {
	module, err := ctx.Load([]byte(emptyKernels), driver.JITOptions{})
	if err != nil {
		return nil, nil, err
	}
	fn, err := module.Function(c.kernel)
	if err != nil {
		return nil, nil, errors.Join(err, module.Unload())
	}
	stream, err := ctx.NewStream()
	if err != nil {
		return nil, nil, errors.Join(err, module.Unload())
	}
	a := driver.NewArgs(c.params...)
	config := &driver.Config{Grid: driver.Dim3{X: 1, Y: 1, Z: 1}, Block: driver.Dim3{X: 128, Y: 1, Z: 1}}
	call, err := fn.Bare(stream, config, a)
	if err != nil {
		return nil, nil, errors.Join(err, stream.Close(), module.Unload())
	}
	forms = []launchForm{
		{"raw", call, stream.Synchronize},
		{"driver", func() error { return fn.Launch(stream, config, a) }, stream.Synchronize},
	}
	return forms, func() { stream.Close(); module.Unload() }, nil
}
