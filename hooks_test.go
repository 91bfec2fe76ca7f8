package nereid_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
)

const hookSource = `
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (16, 32)], key=["n"])
@triton.jit
def k(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) + 1, mask=i < n)
`

// TestTunedHook: the hook sees what was measured and how long that took, and then what was found.
func TestTunedHook(t *testing.T) {
	var seen []nereid.Choice
	conf := nereid.Config{Hooks: nereid.Hooks{Tuned: func(c nereid.Choice) { seen = append(seen, c) }},
		Tune: nereid.TuneOptions{Dir: t.TempDir(), Warmup: time.Microsecond, Rep: 100 * time.Microsecond}}
	for range 2 { // the second module finds the timings of the first
		m, err := nereid.Parse("k.py", []byte(hookSource), nereid.With(conf))
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second launch has its config already
			x := nereid.FromSlice(make([]float32, 64))
			if err := k.Launch(stream(t, "cpu"), tuneGrid, x, 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(seen) != 2 {
		t.Fatalf("%d choices, want 2: %v", len(seen), seen)
	}
	for i, c := range seen {
		if c.Kernel != "k" || c.Best == "" || len(c.All) != 2 || len(c.Key) == 0 || c.Key[0] != "64" {
			t.Errorf("choice %d: %+v", i, c)
		}
		if found := i == 1; c.Found != found || (c.Took == 0) != found {
			t.Errorf("choice %d: found %v, took %v", i, c.Found, c.Took)
		}
	}
	if seen[0].Best != seen[1].Best {
		t.Errorf("%q, then %q", seen[0].Best, seen[1].Best)
	}
}

// TestUnloadHook: the hook is called once the module of compiled code is gone, and not before.
func TestUnloadHook(t *testing.T) {
	var unloaded atomic.Int32
	var device atomic.Value
	launch := func() {
		_, k := exampleKernel(nereid.Config{Hooks: nereid.Hooks{Unload: func(v nereid.Variant, dev string) {
			if v.Kernel == "scale" {
				device.Store(dev)
				unloaded.Add(1)
			}
		}}})
		x := nereid.FromSlice([]float32{1}) // a second may have another alignment, and so other code
		for range 2 {
			if err := k.Launch(stream(t, "cpu"), nereid.Grid{1}, x, 1, 16); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		if unloaded.Load() != 0 {
			t.Error("the code is unloaded while its kernel is in use")
		}
		runtime.KeepAlive(k)
	}
	launch()
	for range 200 {
		runtime.GC()
		if unloaded.Load() > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n := unloaded.Load(); n != 1 || device.Load() != "cpu" {
		t.Errorf("%d unloads, of %v", n, device.Load())
	}
}

// TestStageTarget: hooks learn the target that a stage was made for.
func TestStageTarget(t *testing.T) {
	for target, want := range map[string]string{"cuda:90": "cuda:90", "hip:gfx942": "hip:gfx942", "cpu": "cpu",
		"interp": "interp"} {
		got := map[string]bool{}
		seen := func(_ nereid.Variant, s nereid.Stage) { got[s.Target] = true }
		_, k := exampleKernel(nereid.Config{Hooks: nereid.Hooks{Stage: seen}})
		_, err := k.CompileFor(t.Context(), target, "*fp32, i32, 16", nereid.Options{}, "ttir")
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || !got[want] {
			t.Errorf("%s: %v", target, got)
		}
	}
}
