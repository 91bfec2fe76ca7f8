package nereid_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/device/amd/hip/stub"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const hipKernels = `
import triton
import triton.language as tl

@triton.jit
def scale(x_ptr, n, f, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * f, mask=i < n)

@triton.autotune(configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["n"])
@triton.jit
def tuned(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, 0.0, mask=i < n)
`

// TestHIP launches through AMD's runtime (a stub): compiled, from the cache without LLVM, as a graph, tuned
// by the device's clock, on host memory and on memory of somebody else's.
func TestHIP(t *testing.T) {
	if txtest.Inside() {
		onHIP(t, os.Getenv("NEREID_STUB_LOG"))
		return
	}
	txtest.LLVM(t, llvm.Load)
	dir := "NEREID_CACHE_DIR=" + t.TempDir()
	stub.Again(t, dir)
	stub.Again(t, dir, "NEREID_LLVM=/nowhere/libLLVM.so")
}

func onHIP(t *testing.T, log string) {
	calls := txtest.Appended(t, log)
	s := stream(t, "hip:0")
	m, err := nereid.Parse("k.py", []byte(hipKernels))
	if err != nil {
		t.Fatal(err)
	}
	k := kernelIn(t, m, "scale")
	x, err := nereid.NewTensor(s.Device(), nereid.Float32, 1000)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	launch := func() error { return k.Launch(s, nereid.Grid{8}, x, 1000, 2.5, 128) }
	if err := launch(); err != nil {
		t.Fatal(err)
	}
	const line = "launch scale on 0: 8,1,1 x 256,1,1 shared 0: "
	if got := calls(); strings.Count(got, "hipModuleLoadData") != 1 || !strings.Contains(got, line) ||
		!strings.Contains(got, " e803000000002040") { // 1000 and 2.5, packed
		t.Error(got)
	}
	g, err := s.Capture(launch)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Launch(s); err != nil {
		t.Error(err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	got := calls()
	if !strings.Contains(got, "hipGraphLaunch") || !strings.Contains(got, "hipGraphExecDestroy") {
		t.Error(got)
	}
	onHIPMemory(t, s, k, calls)
	onHIPClock(t, s, m, x, calls)
}

// onHIPMemory launches on host memory, which the pool mirrors, and on memory at an address.
func onHIPMemory(t *testing.T, s *nereid.Stream, k *nereid.Kernel, calls func() string) {
	t.Helper()
	host := nereid.FromSlice(make([]float32, 64), 64)
	if err := k.Launch(s, nereid.Grid{1}, host, 64, 2.5, 128); err != nil {
		t.Fatal(err)
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	if got := calls(); !strings.Contains(got, "hipMallocAsync") || !strings.Contains(got, "hipFreeAsync") {
		t.Error(got)
	}
	x, err := nereid.NewTensor(s.Device(), nereid.Float32, 64)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	data := make([]byte, 4*64)
	for name, c := range map[string]struct {
		copied string
		do     func([]byte) error
	}{"hipMemcpyDtoH": {"read", x.CopyBytesTo}, "hipMemcpyHtoD": {"written", x.CopyBytesFrom}} {
		if err := k.Launch(s, nereid.Grid{1}, x, 64, 2.5, 128); err != nil {
			t.Fatal(err)
		}
		calls()
		if err := c.do(data); err != nil {
			t.Fatal(err)
		}
		if got := calls(); !strings.Contains(got, "hipDeviceSynchronize\n"+name) {
			t.Errorf("a tensor is %s beside a launch that uses it: %s", c.copied, got)
		}
	}
	if _, err := s.Device().TensorAt(1<<60, nereid.Float32, 4); err == nil ||
		!strings.Contains(err.Error(), "memory of hip:1, not of hip:0") {
		t.Errorf("memory of the other GPU: %v", err)
	}
}

// onHIPClock measures with the device's events, and tunes.
func onHIPClock(t *testing.T, s *nereid.Stream, m *nereid.Module, x *nereid.Tensor, calls func() string) {
	t.Helper()
	took, err := s.Measure(time.Millisecond, time.Millisecond, func() error { return nil })
	if err != nil || took != 250*time.Microsecond { // the stub's clock ticks at each event
		t.Errorf("%v, %v", took, err)
	}
	tuned, err := m.Kernel("tuned")
	if err != nil {
		t.Fatal(err)
	}
	calls()
	if err := tuned.Launch(s, nereid.Grid{8}, x, 1000); err != nil {
		t.Fatal(err)
	}
	if got := calls(); !strings.Contains(got, "launch tuned on 0: 8,1,1 ") {
		t.Error(got)
	}
}
