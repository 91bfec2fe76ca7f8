package nereid_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

const scratchKernel = `
import triton
import triton.language as tl

@triton.jit
def through(x_ptr, y_ptr):
    pid = tl.program_id(0)
    tl.store(y_ptr + pid, tl.load(x_ptr + pid))
`

// scratchTTGIR is the kernel with memory for each program that its value goes through.
const scratchTTGIR = `
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
    ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @through(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32},
        %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %pid = tt.get_program_id x : i32
    %mine = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 100 : i32} : !tt.ptr<i8>
    %room = tt.bitcast %mine : !tt.ptr<i8> -> !tt.ptr<f32>
    %from = tt.addptr %x, %pid : !tt.ptr<f32>, i32
    %v = tt.load %from : !tt.ptr<f32>
    tt.store %room, %v : !tt.ptr<f32>
    gpu.barrier
    %w = tt.load %room : !tt.ptr<f32>
    %to = tt.addptr %y, %pid : !tt.ptr<f32>, i32
    tt.store %to, %w : !tt.ptr<f32>
    tt.return
  }
}
`

func scratched(t *testing.T) *nereid.Kernel {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "through.ttgir"), []byte(scratchTTGIR), 0o666); err != nil {
		t.Fatal(err)
	}
	return kernelOf(t, "k.py", scratchKernel, "through", nereid.With(nereid.Config{Override: dir}))
}

// runScratched launches it twice; the programs must not be in each other's way.
func runScratched(t *testing.T, s *nereid.Stream) {
	t.Helper()
	x, _, out := tensors(t, s.Device(), 64)
	k := scratched(t)
	for range 2 {
		if err := k.Launch(s, nereid.Grid{64}, x, out); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	for i := range 64 {
		if got := at(t, out, i); got != float64(i) {
			t.Fatalf("element %d is %v", i, got)
		}
	}
}

func TestScratch(t *testing.T)    { runScratched(t, stream(t, "sim:90")) }
func TestGPUScratch(t *testing.T) { runScratched(t, gpu(t)) }

// On a GPU a stream keeps the memory for the next launch.
func TestStubScratch(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, calls func() map[string]int) {
		x, _, out := tensors(t, s.Device(), 64)
		k := scratched(t)
		calls()
		for range 3 {
			if err := k.Launch(s, nereid.Grid{64}, x, out); err != nil {
				t.Fatal(err)
			}
		}
		if got := calls(); got["cuMemAllocAsync"] != 1 || got["cuMemFreeAsync"] != 0 {
			t.Errorf("calls: %v", got)
		}
	})
}

// A kernel with more stages than shared memory has room for is refused, with how much it wants and how much
// there is: as much as Triton wants, since the compiler does without what it adds.
func TestTooMuchShared(t *testing.T) {
	s := stream(t, "sim:90")
	k := sharedKernel(t, "matmul.py", "matmul_kernel")
	x, err := nereid.NewTensor(s.Device(), nereid.Float16, 256, 256)
	if err != nil {
		t.Fatal(err)
	}
	err = k.Launch(s, nereid.Grid{1}, x, x, x, 256, 256, 256, 256, 1, 256, 1, 256, 1, 128, 256, 64, 8, "",
		nereid.Options{NumWarps: 8, NumStages: 5})
	if want := "needs 245760 bytes, sm_90 has 232448"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
	var r *nereid.Refusal
	if !errors.As(err, &r) || r.Feature != "shared memory" || r.Target != "sim:90" ||
		!strings.Contains(r.Remedy, "fewer stages") {
		t.Errorf("%v: %+v", err, r)
	}
}
