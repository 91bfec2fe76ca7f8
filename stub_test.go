package nereid_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver/stub"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// onStub runs a test in a process of its own where the stub is the CUDA driver. calls are those to the
// driver since the last time, by name; launches are not among them.
func onStub(t *testing.T, f func(t *testing.T, s *nereid.Stream, calls func() map[string]int)) {
	t.Helper()
	txtest.LLVM(t, llvm.Load)
	if !txtest.Inside() {
		dir := t.TempDir()
		t.Log(stub.Again(t, "NEREID_CACHE_DIR="+dir, "NEREID_STUB_LOG="+filepath.Join(dir, "log")))
		return
	}
	s := stream(t, "cuda")
	news := txtest.Appended(t, os.Getenv("NEREID_STUB_LOG"))
	f(t, s, func() map[string]int {
		calls := map[string]int{}
		for _, call := range strings.Fields(news()) {
			calls[call]++
		}
		return calls
	})
}

const stubKernels = `
import triton
import triton.language as tl

@triton.jit
def plain(x_ptr, n):
    tl.store(x_ptr, tl.load(x_ptr) + n)

@triton.jit
def loop(x_ptr, n):
    for i in range(n):
        tl.store(x_ptr, tl.load(x_ptr) + i)

configs = [triton.Config({"B": 1}), triton.Config({"B": 2})]

@triton.autotune(configs=configs, key=["n"], use_cuda_graph=True, reset_to_zero=["y_ptr"],
                 restore_value=["x_ptr"])
@triton.jit
def tuned(x_ptr, y_ptr, n, B: tl.constexpr):
    tl.store(x_ptr, 1.0)

@triton.autotune(configs=configs, key=["n"], use_cuda_graph=True,
                 pre_hook=lambda args, reset_only=False: args["x_ptr"].zero_())
@triton.jit
def hooked(x_ptr, n, B: tl.constexpr):
    tl.store(x_ptr, 1.0)
`

func stubKernel(t *testing.T, name string) *nereid.Kernel {
	t.Helper()
	return kernelOf(t, "k.py", stubKernels, name, nereid.With(nereid.Config{}))
}

// The stub's kernels take 50 µs.
const stubTime = 50 * time.Microsecond

// TestMeasureGraph: a kernel takes the same time in a graph and without, and what the first run does once, as
// to compile, changes neither that nor how many runs there are.
func TestMeasureGraph(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, calls func() map[string]int) {
		k := stubKernel(t, "plain")
		x, err := nereid.NewTensor(s.Device(), nereid.Float32, 16)
		if err != nil {
			t.Fatal(err)
		}
		launch := func() error { return k.Launch(s, nereid.Grid{1}, x, 5) }
		near := func(took time.Duration) bool { return took > stubTime*9/10 && took < stubTime*11/10 }
		if took, err := s.MeasureGraph(10*time.Millisecond, launch); err != nil || !near(took) {
			t.Errorf("a graph: %v, %v", took, err)
		}
		if n := calls()["cuGraphInstantiateWithFlags"]; n != 1 {
			t.Errorf("%d graphs", n)
		}
		if took, err := s.Measure(time.Millisecond, 5*time.Millisecond, launch); err != nil || !near(took) {
			t.Errorf("%v, %v", took, err)
		}
		few, many := 0, 0
		for first, n := range map[int]*int{1: &few, 1000: &many} {
			took, err := s.MeasureGraph(20*stubTime, func() (err error) {
				*n++
				for i := 0; i < first && err == nil; i++ {
					err = launch()
				}
				first = 1
				return err
			})
			if err != nil || !near(took) {
				t.Errorf("%v, %v", took, err)
			}
		}
		if few != many {
			t.Errorf("work of the first run makes %d runs of %d", many, few)
		}
	})
}

// use_cuda_graph measures with graphs, what the decorator wants reset and restored in them; where the file
// has hooks of its own, without.
func TestTuneWithGraphs(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, calls func() map[string]int) {
		x, y, _ := tensors(t, s.Device(), 16)
		calls()
		if err := stubKernel(t, "tuned").Launch(s, nereid.Grid{1}, x, y, 5); err != nil {
			t.Fatal(err)
		}
		got := calls()
		if got["cuGraphInstantiateWithFlags"] < 3 || got["cuMemcpyDtoD_v2"] == 0 ||
			got["cuMemsetD8Async"] == 0 || got["cuMemcpyHtoD_v2"]+got["cuMemcpyDtoH_v2"] > 0 {
			t.Errorf("calls: %v", got)
		}
		if at(t, x, 3) != 3 || at(t, y, 3) != 0 {
			t.Errorf("x[3] is %v, y[3] %v", at(t, x, 3), at(t, y, 3))
		}
		if err := stubKernel(t, "hooked").Launch(s, nereid.Grid{1}, x, 5); err != nil {
			t.Fatal(err)
		}
		if n := calls()["cuGraphInstantiateWithFlags"]; n != 0 {
			t.Errorf("%d graphs with hooks of the file's", n)
		}
		// Memory of the host cannot be in a graph: measured without.
		host := nereid.FromSlice(make([]float32, 16))
		if err := stubKernel(t, "tuned").Launch(s, nereid.Grid{1}, host, y, 6); err != nil {
			t.Error(err)
		}
	})
}

// TestStubWithoutLLVM: on a machine without LLVM, a kernel that no cache has is an error that says so,
// whatever numbers of programs there is code for.
func TestStubWithoutLLVM(t *testing.T) {
	if !txtest.Inside() {
		t.Log(stub.Again(t, "NEREID_CACHE_DIR="+t.TempDir(), "NEREID_LLVM=/nowhere/libLLVM.so"))
		return
	}
	s := stream(t, "cuda")
	x, err := nereid.NewTensor(s.Device(), nereid.Float32, 16)
	if err != nil {
		t.Fatal(err)
	}
	for _, grid := range []nereid.Grid{{1}, {100000}} {
		k := kernelOf(t, "k.py", stubKernels, "loop")
		if err := k.Launch(s, grid, x, 5); !errors.Is(err, nereid.ErrNoLLVM) {
			t.Errorf("%v programs: %v", grid, err)
		}
	}
}

// A launch with host memory is refused while it is recorded, with an error that says why; the next one is
// not hurt.
func TestCaptureHostMemory(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, calls func() map[string]int) {
		k := stubKernel(t, "plain")
		x, err := nereid.NewTensor(s.Device(), nereid.Float32, 16)
		if err != nil {
			t.Fatal(err)
		}
		host := nereid.FromSlice(make([]float32, 16))
		for _, arg := range []*nereid.Tensor{x, host} {
			if err := k.Launch(s, nereid.Grid{1}, arg, 5); err != nil {
				t.Fatal(err)
			}
		}
		calls()
		_, err = s.Capture(func() error { return k.Launch(s, nereid.Grid{1}, host, 5) })
		if !errors.Is(err, nereid.ErrCapturing) || !strings.Contains(err.Error(), `"x_ptr"`) ||
			!strings.Contains(err.Error(), "memory of the host") {
			t.Errorf("host memory: %v", err)
		}
		if got := calls(); got["cuMemAlloc_v2"] > 0 {
			t.Errorf("calls while recording: %v", got)
		}
		g, err := s.Capture(func() error { return k.Launch(s, nereid.Grid{1}, x, 5) })
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(g.Launch(s), s.Sync(), g.Close()); err != nil {
			t.Error(err)
		}
	})
}

// Warm launches on a GPU allocate nothing, with defaults left out too.
func TestStubAllocations(t *testing.T) {
	if raceDetector {
		txtest.NotHere(t, "with the race detector, launches allocate")
	}
	onStub(t, func(t *testing.T, s *nereid.Stream, _ func() map[string]int) {
		x, err := nereid.NewTensor(s.Device(), nereid.Float32, 64)
		if err != nil {
			t.Fatal(err)
		}
		m, err := nereid.Parse("k.py", []byte(defaultsKernel), nereid.With(nereid.Config{}))
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("defaults")
		if err != nil {
			t.Fatal(err)
		}
		grid := nereid.Programs(nereid.Grid{1})
		for name, args := range map[string][]any{
			"all": {x, 64, 2.5, true, "a", 8}, "defaults": {x, 64},
			"names":   {x, nereid.Arg("n", 64), nereid.Arg("B", 8)},
			"options": {x, 64, 2.5, true, "a", 8, nereid.Options{NumWarps: 8}},
		} {
			if n := testing.AllocsPerRun(100, func() {
				if err := k.Launch(s, grid, args...); err != nil {
					t.Fatal(err)
				}
			}); n != 0 {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
	})
}

const defaultsKernel = `
import triton
import triton.language as tl

@triton.jit
def defaults(x_ptr, n, scale=2.5, flag=True, mode: tl.constexpr = "a", B: tl.constexpr = 16):
    offs = tl.arange(0, B)
    tl.store(x_ptr + offs, offs * scale, mask=(offs < n) & flag)
`

// TestAssembleAgain: of the attempts to assemble a kernel for more programs on an SM, one stays loaded. Code
// that was saved is assembled as it was, once.
func TestAssembleAgain(t *testing.T) {
	t.Setenv("NEREID_STUB_REGISTERS", "100")
	onStub(t, func(t *testing.T, s *nereid.Stream, calls func() map[string]int) {
		calls()
		c, err := stubKernel(t, "loop").Compile(t.Context(), s.Device(), "*fp32:16, i32", nereid.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := calls()
		if loads, drops := n["cuModuleLoadDataEx"], n["cuModuleUnload"]; loads < 2 || drops != loads-1 {
			t.Errorf("%d modules loaded, %d unloaded", loads, drops)
		}
		back, err := nereid.LoadCompiled(s.Device(), bytes.NewReader(saved(t, c)))
		if err != nil {
			t.Fatal(err)
		}
		if n := calls(); n["cuModuleLoadDataEx"] != 1 || n["cuModuleUnload"] != 0 {
			t.Errorf("saved code: %v", n)
		}
		runtime.KeepAlive([]any{c, back})
	})
}

// Code that nobody can launch any more is unloaded from the GPU, but not while a graph may launch it.
func TestUnload(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, calls func() map[string]int) {
		x, err := nereid.NewTensor(s.Device(), nereid.Float32, 16)
		if err != nil {
			t.Fatal(err)
		}
		const n = 20
		use := func() {
			for i := range n {
				k := kernelOf(t, fmt.Sprintf("k%d.py", i), stubKernels, "plain", nereid.With(nereid.Config{}))
				if err := k.Launch(s, nereid.Grid{1}, x, 5); err != nil {
					t.Fatal(err)
				}
				c, err := k.Compile(t.Context(), s.Device(), "*fp32:16, i32", nereid.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if err := c.Launch(s, nereid.Grid{1}, x, 7); err != nil {
					t.Fatal(err)
				}
			}
		}
		unloaded := 0
		collect := func(until int) {
			for end := time.Now().Add(10 * time.Second); unloaded < until && time.Now().Before(end); {
				runtime.GC()
				time.Sleep(time.Millisecond)
				unloaded += calls()["cuModuleUnload"]
			}
		}
		use()
		collect(2*n - 2) // the stack may hold the last
		if unloaded < 2*n-2 {
			t.Errorf("%d of %d modules are unloaded", unloaded, 2*n)
		}
		held := stubKernel(t, "plain")
		if err := held.Launch(s, nereid.Grid{1}, x, 5); err != nil {
			t.Fatal(err)
		}
		g, err := s.Capture(func() error { return held.Launch(s, nereid.Grid{1}, x, 5) })
		if err != nil {
			t.Fatal(err)
		}
		calls()
		unloaded = 0
		use()
		for range 20 {
			runtime.GC()
			time.Sleep(time.Millisecond)
		}
		if n := calls()["cuModuleUnload"]; n != 0 {
			t.Errorf("%d modules are unloaded while a graph is open", n)
		}
		if err := errors.Join(g.Launch(s), s.Sync(), g.Close()); err != nil {
			t.Fatal(err)
		}
		collect(2*n - 2)
		if unloaded < 2*n-2 {
			t.Errorf("after the graph, %d of %d modules are unloaded", unloaded, 2*n)
		}
		if err := held.Launch(s, nereid.Grid{1}, x, 5); err != nil {
			t.Error(err)
		}
	})
}

// A checked launch waits for its kernel, and launches use each other's records. It takes no part in a graph;
// a kernel that asks for graphs is tuned without.
func TestCheckedOnStub(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, calls func() map[string]int) {
		x, y, _ := tensors(t, s.Device(), 16)
		check := nereid.Options{Check: true}
		k := stubKernel(t, "plain")
		for i := range 3 {
			calls()
			if err := k.Launch(s, nereid.Grid{1}, x, 5, check); err != nil {
				t.Fatal(err)
			}
			if got := calls(); got["cuMemHostAlloc"] != max(0, 1-i) || got["cuStreamSynchronize"] == 0 {
				t.Errorf("launch %d: %v", i, got)
			}
		}
		_, err := s.Capture(func() error { return k.Launch(s, nereid.Grid{1}, x, 5, check) })
		if !errors.Is(err, nereid.ErrCapturing) {
			t.Errorf("a checked launch in a graph: %v", err)
		}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 20 {
					if err := k.Launch(s, nereid.Grid{1}, x, 5, check); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if err := stubKernel(t, "tuned").Launch(s, nereid.Grid{1}, x, y, 5, check); err != nil {
			t.Errorf("tuned with checks: %v", err)
		}
	})
}
