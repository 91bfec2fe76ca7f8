package cpu

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// testDevice returns a device of its own.
func testDevice(testing.TB) *Device { return New() }

// storing returns a kernel that stores the number n.
func storing(t testing.TB, d *Device, n int) *kernel {
	t.Helper()
	lib := txtest.LLVM(t, llvm.Load)
	text := fmt.Sprintf(`define void @store%[1]d(ptr %%args, ptr %%grid, i64 %%first, i64 %%last, ptr %%scratch,
    ptr %%status) {
  %%p = load ptr, ptr %%args
  store i32 %[1]d, ptr %%p
  ret void
}`, n)
	out, err := lib.Compile(t.Context(), []byte(text), llvm.Options{Name: "k.llir",
		Target: lib.HostTarget(), Level: llvm.O2, Emit: llvm.EmitObj})
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("store%d", n)
	e, err := d.Load(&Code{Obj: out.Obj, Entry: name, Params: 1}, name)
	if err != nil {
		t.Fatal(err)
	}
	return e.(*kernel)
}

func (k *kernel) stores(t testing.TB, n int32) {
	t.Helper()
	b, err := k.dev.Alloc(4) // not on the stack, which moves
	if err != nil {
		t.Error(err)
		return
	}
	if err := k.Launch(context.Background(), nil, [3]int{1, 1, 1}, []uint64{b.Addr()}); err != nil {
		t.Error(err)
	}
	if got := int32(binary.NativeEndian.Uint32(b.Host())); got != n {
		t.Errorf("%s stored %d", k.name, got)
	}
}

// A device that may hold the code of a few kernels runs many: what was not launched for long is linked again.
func TestLiveCodeIsBounded(t *testing.T) {
	d := testDevice(t)
	first := storing(t, d, 0)
	d.live.limit = 4 * first.live.Load().mem.size
	kernels := []*kernel{first}
	for n := 1; n < 24; n++ {
		kernels = append(kernels, storing(t, d, n))
		first.stores(t, 0)
	}
	linked := 0
	for _, k := range kernels {
		if k.live.Load() != nil {
			linked++
		}
	}
	if linked != 4 {
		t.Errorf("the code of %d kernels is there, not of 4", linked)
	}
	if first.live.Load() == nil {
		t.Error("the kernel that was launched all the time has gone")
	}
	for n, k := range kernels {
		k.stores(t, int32(n))
	}
}

// Launches of many goroutines go on while code comes and goes under them.
func TestLiveCodeConcurrently(t *testing.T) {
	d := testDevice(t)
	first := storing(t, d, 0)
	d.live.limit = 3 * first.live.Load().mem.size
	kernels := []*kernel{first}
	for n := 1; n < 12; n++ {
		kernels = append(kernels, storing(t, d, n))
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(g)))
			for i := range 100 {
				n := rng.IntN(len(kernels))
				kernels[n].stores(t, int32(n))
				if i%20 == 0 {
					runtime.GC()
				}
			}
		})
	}
	wg.Wait()
}

// Code goes with its kernel, or when the kernel is closed, and is counted no more.
func TestCodeIsFreed(t *testing.T) {
	d := testDevice(t)
	held := func() int {
		d.live.mu.Lock()
		defer d.live.mu.Unlock()
		return d.live.bytes
	}
	before := held()
	k := storing(t, d, 1)
	if held() <= before {
		t.Error("code takes nothing")
	}
	k.Close()
	k.Close()
	collected := func() bool {
		for end := time.Now().Add(10 * time.Second); held() != before &&
			time.Now().Before(end); time.Sleep(time.Millisecond) {
			runtime.GC()
		}
		return held() == before
	}
	if !collected() { // no launch holds the code
		t.Errorf("%d bytes after Close, %d before", held(), before)
	}
	if err := k.Launch(context.Background(), nil, [3]int{1, 1, 1}, []uint64{0}); err == nil ||
		!strings.Contains(err.Error(), "closed") {
		t.Errorf("a launch after Close: %v", err)
	}
	for n := range 5 {
		storing(t, d, n)
	}
	if !collected() {
		t.Errorf("%d bytes after the kernels are gone, %d before", held(), before)
	}
}
