package nereid_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// These tests need a GPU and are skipped elsewhere. The kernels are compiled everywhere: see
// TestGPUKernelsCompile.
const gpuKernels = `
import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait


@triton.jit
def add_one(x_ptr, n, B: tl.constexpr):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x_ptr + offs, tl.load(x_ptr + offs, mask=offs < n) + 1, mask=offs < n)


# All programs wait for each other: that ends only if all of them run at once.
@triton.jit
def meet(arrived_ptr, out_ptr):
    tl.atomic_add(arrived_ptr, 1)
    while tl.atomic_add(arrived_ptr, 0) < tl.num_programs(0):
        pass
    tl.store(out_ptr + tl.program_id(0), tl.atomic_add(arrived_ptr, 0))


# Begins before the launch ahead of it is done, and waits for that one's results.
@triton.jit
def dependent(x_ptr, n, B: tl.constexpr):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    gdc_wait()
    x = tl.load(x_ptr + offs, mask=offs < n)
    gdc_launch_dependents()
    tl.store(x_ptr + offs, 2 * x + 1, mask=offs < n)


@triton.autotune(configs=[triton.Config({"B": b}, num_warps=w) for b in (256, 1024) for w in (4, 8)],
                 key=["n"], use_cuda_graph=True, rep=20,
                 reset_to_zero=["count_ptr"], restore_value=["x_ptr"])
@triton.jit
def tuned(x_ptr, count_ptr, n, B: tl.constexpr):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x_ptr + offs, tl.load(x_ptr + offs, mask=offs < n) + 1, mask=offs < n)
    tl.atomic_add(count_ptr, tl.sum((offs < n).to(tl.int32)))
`

func gpuKernel(t *testing.T, name string) *nereid.Kernel {
	t.Helper()
	return kernelOf(t, "gpu.py", gpuKernels, name, nereid.With(nereid.Config{}))
}

func TestGPUKernelsCompile(t *testing.T) {
	txtest.Device(t, "sim", nereid.OpenDevice)
	for name, c := range map[string]struct {
		signature string
		opts      nereid.Options
		want      string // in the PTX
	}{
		"add_one":   {"*fp32:16, i32:16, 256", nereid.Options{}, "st.global"},
		"meet":      {"*i32:16, *i32:16", nereid.Options{LaunchCooperativeGrid: true}, "atom."},
		"dependent": {"*fp32:16, i32:16, 256", nereid.Options{LaunchPDL: true}, "griddepcontrol.wait"},
		"tuned":     {"*fp32:16, *i32:16, i32:16, 256", nereid.Options{}, "red."},
	} {
		code, err := gpuKernel(t, name).CompileFor(t.Context(), "cuda:90", c.signature, c.opts, "ptx")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if last := code.Stages[len(code.Stages)-1]; !strings.Contains(string(last.Text), c.want) {
			t.Errorf("%s has no %s", name, c.want)
		}
	}
}

// gpu is a stream of a GPU.
func gpu(t *testing.T) *nereid.Stream {
	t.Helper()
	dev := txtest.Device(t, "cuda", nereid.OpenDevice)
	s, err := dev.NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// on is a tensor of zeros.
func on(t *testing.T, s *nereid.Stream, dt nereid.DType, n int) *nereid.Tensor {
	t.Helper()
	x, err := nereid.NewTensor(s.Device(), dt, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// all checks that every 97th element and the last are what they should be.
func all(t *testing.T, x *nereid.Tensor, want float64) {
	t.Helper()
	for i := 0; i < x.Len(); i += 97 {
		if got := at(t, x, i); got != want {
			t.Fatalf("element %d is %v, want %v", i, got, want)
		}
	}
	if got := at(t, x, x.Len()-1); got != want {
		t.Fatalf("the last element is %v, want %v", got, want)
	}
}

// Launches are recorded, not done, and done as often as the graph is launched. Compiling and host memory
// are refused.
func TestGPUCapture(t *testing.T) {
	s := gpu(t)
	k, x := gpuKernel(t, "add_one"), on(t, s, nereid.Float32, 5000)
	launch := func(to *nereid.Tensor) func() error {
		return func() error { return k.Launch(s, nereid.Grid{20}, to, 5000, 256) }
	}
	if _, err := s.Capture(launch(x)); !errors.Is(err, nereid.ErrCapturing) {
		t.Errorf("a compilation during a capture: %v", err)
	}
	if err := errors.Join(launch(x)(), s.Sync()); err != nil {
		t.Fatal(err)
	}
	host := nereid.FromSlice(make([]float32, 5000))
	if _, err := s.Capture(launch(host)); !errors.Is(err, nereid.ErrCapturing) {
		t.Errorf("host memory during a capture: %v", err)
	}
	check := func() error { return k.Launch(s, nereid.Grid{20}, x, 5000, 256, nereid.Options{Check: true}) }
	if err := check(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Capture(check); !errors.Is(err, nereid.ErrCapturing) {
		t.Errorf("a checked launch during a capture: %v", err)
	}
	g, err := s.Capture(func() error { return errors.Join(launch(x)(), launch(x)()) })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	all(t, x, 2) // nothing of it was done
	for range 10 {
		if err := g.Launch(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Sync(), g.Close()); err != nil {
		t.Fatal(err)
	}
	all(t, x, 22)
}

// A launch on a stream that another library captures is part of that capture.
func TestGPUExternalStream(t *testing.T) {
	gpu(t)
	d, err := driver.Load()
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := d.Devices()[0].Context()
	if err != nil {
		t.Fatal(err)
	}
	other, err := ctx.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	dev, err := nereid.OpenDevice("cuda:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := dev.ExternalStream(t.Context(), other.Handle())
	if err != nil {
		t.Fatal(err)
	}
	k, x := gpuKernel(t, "add_one"), on(t, s, nereid.Float32, 1000)
	launch := func() error { return k.Launch(s, nereid.Grid{4}, x, 1000, 256) }
	var cold error
	if _, err := other.Capture(func() error {
		cold = launch()
		return nil
	}); err != nil || !errors.Is(cold, nereid.ErrCapturing) {
		t.Fatalf("cold: %v, %v", cold, err)
	}
	if err := launch(); err != nil {
		t.Fatal(err)
	}
	g, err := other.Capture(launch)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(g.Launch(other), g.Launch(other), other.Synchronize(), g.Close()); err != nil {
		t.Fatal(err)
	}
	all(t, x, 3)
}

// A cooperative grid runs all at once; one that cannot is refused by the driver.
func TestGPUCooperative(t *testing.T) {
	s := gpu(t)
	const programs = 64
	k, arrived, out := gpuKernel(t, "meet"), on(t, s, nereid.Int32, 1), on(t, s, nereid.Int32, programs)
	opts := nereid.Options{LaunchCooperativeGrid: true}
	if err := errors.Join(k.Launch(s, nereid.Grid{programs}, arrived, out, opts), s.Sync()); err != nil {
		t.Fatal(err)
	}
	all(t, out, programs)
	if err := k.Launch(s, nereid.Grid{1 << 20}, arrived, out, opts); !errors.Is(err,
		driver.ErrCooperativeTooLarge) {
		t.Errorf("a grid that does not fit at once: %v", err)
	}
	if err := s.Sync(); err != nil {
		t.Error(err)
	}
}

// Launches with launch_pdl may overlap, and see each other's results all the same.
func TestGPUDependentLaunch(t *testing.T) {
	s := gpu(t)
	k, x := gpuKernel(t, "dependent"), on(t, s, nereid.Float32, 1<<16)
	for range 10 {
		if err := k.Launch(s, nereid.Grid{256}, x, 1<<16, 256, nereid.Options{LaunchPDL: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	all(t, x, 1023)
}

// Tuning with graphs leaves tensors as the decorator says.
func TestGPUTuneWithGraphs(t *testing.T) {
	s := gpu(t)
	const n = 100000
	k, x, count := gpuKernel(t, "tuned"), on(t, s, nereid.Float32, n), on(t, s, nereid.Int32, 1)
	grid := nereid.GridFunc(func(m nereid.Meta) nereid.Grid {
		return nereid.Grid{(n + m.Int("B") - 1) / m.Int("B")}
	})
	if err := errors.Join(k.Launch(s, grid, x, count, n), s.Sync()); err != nil {
		t.Fatal(err)
	}
	all(t, x, 1)
	all(t, count, n)
}

// A replayed graph takes no longer than runs with cold caches.
func TestGPUMeasureGraph(t *testing.T) {
	s := gpu(t)
	k, x := gpuKernel(t, "add_one"), on(t, s, nereid.Float32, 1<<20)
	launch := func() error { return k.Launch(s, nereid.Grid{1 << 12}, x, 1<<20, 256) }
	graph, err := s.MeasureGraph(20*time.Millisecond, launch)
	if err != nil {
		t.Fatal(err)
	}
	cold, err := s.Measure(5*time.Millisecond, 20*time.Millisecond, launch)
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("replayed %v, cold %v", graph, cold); graph <= 0 || graph > cold*3/2 {
		t.Errorf("replayed %v, cold %v", graph, cold)
	}
}

// Warm launches on a GPU allocate nothing.
func TestGPUAllocations(t *testing.T) {
	if raceDetector {
		txtest.NotHere(t, "with the race detector, launches allocate")
	}
	s := gpu(t)
	k, x := gpuKernel(t, "add_one"), on(t, s, nereid.Float32, 1000)
	b, err := k.Bind(s, x, 992, 256)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	args, grid := []any{x, 992, 256}, nereid.Programs(nereid.Grid{1})
	for name, launch := range map[string]func() error{
		"Launch": func() error { return k.Launch(s, grid, args...) },
		"Bind":   func() error { return b.Launch(nereid.Grid{1}) },
	} {
		if n := testing.AllocsPerRun(500, func() {
			if err := launch(); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// Goroutines move between threads, and contexts are current per thread.
func TestGPUManyGoroutines(t *testing.T) {
	s := gpu(t)
	k := gpuKernel(t, "add_one")
	errs := make(chan error)
	const many = 16
	for range many {
		go func() {
			errs <- func() error {
				own, err := s.Device().NewStream(context.Background())
				if err != nil {
					return err
				}
				defer own.Close()
				x, err := nereid.NewTensor(s.Device(), nereid.Float32, 1000)
				if err != nil {
					return err
				}
				defer x.Close()
				for range 100 {
					if err := k.Launch(own, nereid.Grid{4}, x, 1000, 256); err != nil {
						return err
					}
				}
				if err := own.Sync(); err != nil {
					return err
				}
				if v, err := x.At(999); err != nil || v != 100 {
					return errors.Join(err, errors.New("wrong result"))
				}
				return nil
			}()
		}()
	}
	for range many {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// Without checks the driver says that something went wrong, and no more: the error has the kernel's name and
// the way to have its line. The context is lost, so another process does it.
func TestGPUSticky(t *testing.T) {
	s := gpu(t)
	if os.Getenv("NEREID_TEST_STICKY") == "" {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestGPUSticky$", "-test.v")
		cmd.Env = append(os.Environ(), "NEREID_TEST_STICKY=1")
		text, err := cmd.CombinedOutput()
		if t.Logf("%s", text); err != nil {
			t.Error(err)
		}
		return
	}
	k := kernelOf(t, "faulty.py", provokers, "at", nereid.With(nereid.Config{}))
	x := on(t, s, nereid.Float32, 4)
	err := errors.Join(k.Launch(s, nereid.Grid{3}, x, 1<<34), s.Sync())
	for _, want := range []string{"kernel at, grid 3x1x1", "Options.Check"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %s", err, want)
		}
	}
	t.Log(err)
}
