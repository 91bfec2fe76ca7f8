package nereid_test

import (
	"sync"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
)

const sameCode = `
import triton
import triton.language as tl

CONFIGS = [triton.Config({"B": b}, num_warps=w, num_stages=s)
           for b in (16, 32) for w in (1, 4, 8) for s in (2, 3)]

@triton.autotune(configs=CONFIGS, key=["n"])
@triton.jit
def blind(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, 1.0, mask=i < n)

@triton.autotune(configs=CONFIGS, key=["n"])
@triton.jit
def seeing(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.extra.cuda.num_warps(), mask=i < n)
`

// TestTuneSameCode tunes configs that differ in options of GPUs alone: on the host they give the same code,
// which is compiled and measured once, unless the kernel's text sees the options.
func TestTuneSameCode(t *testing.T) {
	for _, device := range []string{"interp", "cpu"} {
		for kernel, want := range map[string]int{"blind": 2, "seeing": 12} {
			t.Run(device+" "+kernel, func(t *testing.T) {
				if device == "cpu" {
					needLLVM(t)
				}
				var mu sync.Mutex
				compiled, measured, all := 0, 0, 0
				conf := nereid.Config{
					Tune: nereid.TuneOptions{Warmup: 100 * time.Microsecond, Rep: 200 * time.Microsecond,
						Progress: func(nereid.Tuned) {
							measured++
						}, Done: func(_ string, list []nereid.Tuned) { all = len(list) }},
					Hooks: nereid.Hooks{AfterCompile: func(nereid.Variant, time.Duration, bool, error) {
						mu.Lock()
						defer mu.Unlock()
						compiled++
					}},
				}
				k := kernelOf(t, "same.py", sameCode, kernel, nereid.With(conf))
				x := nereid.FromSlice(make([]float32, 64))
				grid := nereid.GridFunc(func(m nereid.Meta) nereid.Grid {
					return nereid.Grid{nereid.Cdiv(64, m.Int("B"))}
				})
				if err := k.Launch(stream(t, device), grid, x, 64); err != nil {
					t.Fatal(err)
				}
				if compiled != want || measured != want || all != 12 {
					t.Errorf("%d compiled, %d measured, %d timings; want %d and 12", compiled,
						measured, all, want)
				}
			})
		}
	}
}
