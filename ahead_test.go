package nereid_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/cache"
)

const aheadKernel = `
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({"B": 16}), triton.Config({"B": 32})], key=["n"])
@triton.jit
def fill(x_ptr, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x_ptr + o, 1.0, mask=o < n)

@triton.jit
def plain(x_ptr, n):
    tl.store(x_ptr, n)
`

// A strict module launches what was tuned and compiled ahead, and nothing else.
func TestTuneAhead(t *testing.T) {
	for _, device := range []string{"interp", "cpu"} {
		s := stream(t, device)
		m, err := nereid.Parse("k.py", []byte(aheadKernel), nereid.With(nereid.Config{Strict: true}))
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float32, 64)
		grid := nereid.GridFunc(func(m nereid.Meta) nereid.Grid {
			return nereid.Grid{nereid.Cdiv(m.Int("n"), m.Int("B"))}
		})
		fill, _ := m.Kernel("fill")
		launch := func(n int) error { return fill.Launch(s, grid, nereid.FromSlice(x), n) }
		if err := launch(64); !errors.Is(err, nereid.ErrNotCompiled) {
			t.Errorf("%s: before: %v", device, err)
		}
		if err := fill.Tune(s, grid, nereid.FromSlice(x), 64); err != nil {
			t.Fatal(err)
		}
		clear(x)
		if err := launch(64); err != nil || x[63] != 1 {
			t.Errorf("%s: %v, %v", device, err, x[63])
		}
		if err := launch(48); !errors.Is(err, nereid.ErrNotCompiled) {
			t.Errorf("%s: another key: %v", device, err)
		}
		plain, _ := m.Kernel("plain")
		if err := plain.Tune(s, nereid.Grid{1}, nereid.FromSlice(x), 7); err != nil {
			t.Error(err)
		}
		if err := plain.Launch(s, nereid.Grid{1}, nereid.FromSlice(x), 9); err != nil || x[0] != 9 {
			t.Errorf("%s: a kernel without decorators: %v, %v", device, err, x[0])
		}
		if err := fill.Tune(nil, grid, nereid.FromSlice(x), 64); err == nil {
			t.Error("no stream")
		}
	}
}

// If the cache has a kernel from another build only, strict mode names both builds.
func TestStrictNamesBuilds(t *testing.T) {
	s := stream(t, "cpu")
	dir := t.TempDir()
	open := func(strict bool) nereid.Config {
		c, err := nereid.OpenCache(nereid.CacheOptions{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return nereid.Config{Cache: c, Strict: strict}
	}
	if err := launchScale(t, s, open(false), 16, 16); err != nil {
		t.Fatal(err)
	}
	if err := launchScale(t, s, open(true), 16, 16); err != nil {
		t.Fatalf("what this build has kept: %v", err)
	}
	store := cache.Open(cache.Options{Dir: dir})
	items, err := store.List()
	if err != nil || len(items) != 1 {
		t.Fatal(items, err)
	}
	e, err := items[0].Load()
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Remove(items[0]); err != nil {
		t.Fatal(err)
	}
	e.Compiler, e.Key.Hash = "v9.9.9 of somebody else", strings.Repeat("ab", len(e.Key.Hash)/2)
	store.Put(e)
	err = launchScale(t, s, open(true), 16, 16)
	if !errors.Is(err, nereid.ErrNotCompiled) || !strings.Contains(err.Error(), "v9.9.9 of somebody else") ||
		!strings.Contains(err.Error(), cache.Build()) {
		t.Errorf("the error names no builds: %v", err)
	}
	if err := launchScale(t, s, open(true), 5, 16); !errors.Is(err, nereid.ErrNotCompiled) ||
		strings.Contains(err.Error(), "v9.9.9") {
		t.Errorf("another variant: %v", err)
	}
}

const tileKernel = `
import triton
import triton.language as tl

@triton.jit
def rows(x, y, s):
    r, c = tl.arange(0, 32), tl.arange(0, 32)
    for i in range(3):
        v = tl.load(x + (i * 32 + r)[:, None] * s + c[None, :])
        tl.store(y + ((i * 32 + r)[:, None] * 32 + c[None, :]), v + 1)
`

// Warm-up compiles all that strict launches may need: a stride of 0, which no tensor map has, needs code
// without tiles, and its launch compiles nothing.
func TestStrictWithoutTiles(t *testing.T) {
	t.Setenv("NEREID_TILE_LOADS", "all")
	s := stream(t, "sim:90")
	compiled := 0
	conf := nereid.Config{Strict: true, Hooks: nereid.Hooks{
		BeforeCompile: func(context.Context, nereid.Variant) error { compiled++; return nil }}}
	m, err := nereid.Parse("k.py", []byte(tileKernel), nereid.With(conf))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Warmup(t.Context(), s.Device(), []nereid.Variant{{Kernel: "rows",
		Signature: "*fp16:16, *fp16:16, i32:16", Options: nereid.Options{NumWarps: 4, NumStages: 3,
			NumCTAs: 1}}}, nil); err != nil {
		t.Fatal(err)
	}
	if compiled != 2 { // with tiles and without
		t.Errorf("warm-up compiled %d times, want 2", compiled)
	}
	x, y := make([]nereid.F16, 96*32), make([]nereid.F16, 96*32)
	for i := range x {
		x[i] = nereid.ToF16(float64(i % 512))
	}
	before := compiled
	for _, stride := range []int{32, 0, 32, 0} {
		if err := kernelIn(t, m, "rows").Launch(s, nereid.Grid{1}, nereid.FromSlice(x), nereid.FromSlice(y),
			stride); err != nil {
			t.Fatalf("stride %d: %v", stride, err)
		}
		if got, want := y[33*32+5].Float(), float64((33*stride+5)%512+1); got != want {
			t.Errorf("stride %d: %v, want %v", stride, got, want)
		}
	}
	if compiled != before {
		t.Errorf("launches compiled %d times", compiled-before)
	}
}
