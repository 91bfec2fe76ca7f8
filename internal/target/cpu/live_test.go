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

	"github.com/nereid-lang/nereid/internal/target"
)

// storing returns a kernel that stores the number n.
func storing(t testing.TB, d *Device, n int) *kernel {
	t.Helper()
	m := parse(t, fmt.Sprintf(`module { tt.func public @store%[1]d(%%p: !tt.ptr<i32>) {
		%%c = arith.constant %[1]d : i32
		tt.store %%p, %%c : !tt.ptr<i32>
		tt.return
	} }`, n))
	e, err := d.Compile(t.Context(), &target.Input{Module: m, Kernel: kernelOf(m)})
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
