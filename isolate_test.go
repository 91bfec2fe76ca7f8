package nereid_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// isolatedKernels: forever does not end as long as its tensor is what it was.
const isolatedKernels = checkedKernels + `
@triton.jit
def forever(x):
    v = tl.load(x, volatile=True)
    while v == 0.0:
        v = tl.load(x, volatile=True)
    tl.store(x, v + 1.0)

@triton.jit
def claim(x, n):
    tl.device_assert(n < 10, "n is large")
    tl.store(x, 1.0)
`

func isolatedStream(t testing.TB, ctx context.Context) *nereid.Stream {
	t.Helper()
	if runtime.GOOS != "linux" {
		txtest.NotHere(t, "launches are isolated on Linux alone")
	}
	dev := txtest.Device(t, "cpu", nereid.OpenDevice)
	s, err := dev.NewStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func isolatedKernel(t testing.TB, name string) *nereid.Kernel {
	t.Helper()
	return kernelOf(t, "isolated.py", isolatedKernels, name, nereid.With(nereid.Config{Isolate: true}))
}

// TestIsolatedCrash: a store far out of bounds is an error that names the kernel and the signal; the process
// lives on, and the next launch works.
func TestIsolatedCrash(t *testing.T) {
	s := isolatedStream(t, t.Context())
	at := isolatedKernel(t, "at")
	data := make([]float32, 16)
	for i := range 3 {
		err := at.Launch(s, nereid.Grid{1}, nereid.FromSlice(data), 1<<30)
		var crash *nereid.Crash
		if !errors.As(err, &crash) || crash.Kernel != "at" || crash.Signal != "SIGSEGV" &&
			crash.Signal != "SIGBUS" {
			t.Fatalf("got %v", err)
		}
		if err := at.Launch(s, nereid.Grid{1}, nereid.FromSlice(data), i); err != nil || data[i] != 1 {
			t.Fatalf("after a crash: %v, %v", err, data[i])
		}
	}
}

// TestIsolatedEndless: a kernel that does not end ends with its context, and the next launch works.
func TestIsolatedEndless(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	s := isolatedStream(t, ctx)
	start := time.Now()
	data := []float32{0}
	err := isolatedKernel(t, "forever").Launch(s, nereid.Grid{1}, nereid.FromSlice(data))
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Minute {
		t.Fatalf("%v after %v", err, time.Since(start))
	}
	data[0] = 1
	if err := isolatedKernel(t, "forever").Launch(isolatedStream(t, t.Context()), nereid.Grid{1},
		nereid.FromSlice(data)); err != nil || data[0] != 2 {
		t.Fatalf("%v, %v", err, data)
	}
}

// TestIsolatedResults: host memory, its views and memory of the device are read and written as without
// isolation; faults come back as they are.
func TestIsolatedResults(t *testing.T) {
	s := isolatedStream(t, t.Context())
	k := isolatedKernel(t, "copy")
	data := make([]float32, 512)
	for i := range data {
		data[i] = float32(i)
	}
	d, err := nereid.NewTensor(s.Device(), nereid.Float32, 256)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	whole := nereid.FromSlice(data)
	if err := k.Launch(s, nereid.Grid{1}, whole.Offset(4*5), d, 100, 100, 256); err != nil {
		t.Fatal(err)
	}
	if err := k.Launch(s, nereid.Grid{1}, d, whole.Offset(4*300), 100, 100, 256); err != nil {
		t.Fatal(err)
	}
	got, err := nereid.AsSlice[float32](d)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if got[i] != float32(i+5) || data[300+i] != float32(i+5) {
			t.Fatalf("element %d: %v and %v", i, got[i], data[300+i])
		}
	}
	if got[100] != 0 || data[299] != 299 || data[400] != 400 {
		t.Errorf("memory around was written: %v %v %v", got[100], data[299], data[400])
	}
	claim := isolatedKernel(t, "claim")
	err = claim.Launch(s, nereid.Grid{1}, whole, 12, nereid.Options{Debug: nereid.DebugOn})
	if err == nil || !strings.Contains(err.Error(), "n is large") {
		t.Errorf("an assertion: %v", err)
	}
	err = k.Launch(s, nereid.Grid{1}, nereid.FromSlice(data[:8]), d, 9, 9, 256, nereid.Options{Check: true})
	if err == nil || !strings.Contains(err.Error(),
		"out of bounds load of 4 bytes: index 8 of x, which has 8 elements") {
		t.Errorf("checked: %v", err)
	}
}

// TestIsolatedFromManyGoroutines: parts of one slice are written at once, some launches crash, and the others
// do not notice.
func TestIsolatedFromManyGoroutines(t *testing.T) {
	s := isolatedStream(t, t.Context())
	at := isolatedKernel(t, "at")
	data := make([]float32, 64)
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for i := range 4 {
				if err := at.Launch(s, nereid.Grid{1}, nereid.FromSlice(data), 4*g+i); err != nil {
					t.Errorf("%d, %d: %v", g, i, err)
				}
				if g == 7 && at.Launch(s, nereid.Grid{1}, nereid.FromSlice(data), 1<<30) == nil {
					t.Error("a launch out of bounds did not crash")
				}
			}
		})
	}
	wg.Wait()
	for i, v := range data {
		if v != 1 {
			t.Errorf("element %d was not written", i)
		}
	}
}

// BenchmarkIsolated is what an isolated launch costs beside one in the process, and with memory that must be
// copied.
func BenchmarkIsolated(b *testing.B) {
	s := isolatedStream(b, context.Background())
	iso := isolatedKernel(b, "at")
	d, err := nereid.NewTensor(s.Device(), nereid.Float32, 1<<20)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		k    *nereid.Kernel
		x    *nereid.Tensor
	}{
		{"in the process", kernelOf(b, "isolated.py", isolatedKernels, "at", nereid.With(nereid.Config{})),
			d},
		{"isolated", iso, d},
		{"isolated, 4 MiB copied", iso, nereid.FromSlice(make([]float32, 1<<20))},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if err := c.k.Launch(s, nereid.Grid{1}, c.x, 3); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
