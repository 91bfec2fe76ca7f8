package nereid_test

import (
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
