package nereid_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const storeKernel = `
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({"B": b}) for b in [16, 32, 64]], key=["n"])
@triton.jit
def k(x_ptr, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x_ptr + at, at, mask=at < n)
`

// measuredIn returns how many configs a process with a store measures.
func measuredIn(t *testing.T, o nereid.TuneOptions) (n int) {
	t.Helper()
	o.Warmup, o.Rep = 1, 1
	o.Progress = func(nereid.Tuned) { n++ }
	k := kernelOf(t, "k.py", storeKernel, "k", nereid.With(nereid.Config{Tune: o}))
	x := nereid.FromSlice(make([]int32, 64))
	if err := k.Launch(stream(t, "interp"), nereid.Grid{4}, x, 64); err != nil {
		t.Fatal(err)
	}
	return n
}

func tuneStore(t *testing.T, o nereid.TuneStoreOptions) *nereid.TuneStore {
	t.Helper()
	return txtest.Open(t, nereid.OpenTuneStore, o)
}

// Kernels under @triton.autotune keep their timings in a TuneStore of any kind.
func TestTuneStores(t *testing.T) {
	address, _ := txtest.Redis(t)
	file := filepath.Join(t.TempDir(), "tuned.json")
	for what, o := range map[string]nereid.TuneStoreOptions{
		"file": {File: file}, "folder": {Dir: t.TempDir()}, "redis": {Redis: address},
	} {
		first := tuneStore(t, o)
		if n := measuredIn(t, nereid.TuneOptions{Store: first}); n != 3 {
			t.Errorf("%s: %d configs are measured", what, n)
		}
		if n := measuredIn(t, nereid.TuneOptions{Store: tuneStore(t, o)}); n != 0 {
			t.Errorf("%s: %d configs are measured again", what, n)
		}
		var text bytes.Buffer
		if err := first.Save(&text); err != nil {
			t.Fatal(err)
		}
		known := tuneStore(t, nereid.TuneStoreOptions{Known: text.Bytes()})
		if n := measuredIn(t, nereid.TuneOptions{Store: known}); n != 0 {
			t.Errorf("%s: %d configs are measured although their times are embedded", what, n)
		}
		o.ReadOnly = true
		if n := measuredIn(t, nereid.TuneOptions{Store: tuneStore(t, o)}); n != 0 {
			t.Errorf("%s: %d configs are measured by a reader", what, n)
		}
	}
	t.Setenv("NEREID_CACHE", "on")
	t.Setenv("NEREID_CACHE_REDIS", address)
	t.Setenv("NEREID_CACHE_DIR", t.TempDir())
	conf := nereid.EnvConfig()
	if n := measuredIn(t, conf.Tune); conf.Tune.Store == nil || n != 0 {
		t.Errorf("with NEREID_CACHE_REDIS, %d configs are measured", n)
	}
}

// A store that does not exist, or cannot be used, is an error and no panic.
func TestTuneStoreErrors(t *testing.T) {
	if _, err := nereid.OpenTuneStore(nereid.TuneStoreOptions{Redis: "http://x"}); err == nil ||
		!strings.Contains(err.Error(), "redis") {
		t.Error(err)
	}
	for _, none := range []*nereid.TuneStore{nil, {}} {
		if _, err := none.Merge([]byte("[]")); err == nil {
			t.Error("merged into nothing")
		}
		if none.Save(&bytes.Buffer{}) == nil || none.Close() != nil {
			t.Error("nothing is written")
		}
		if n := measuredIn(t, nereid.TuneOptions{Store: none}); n != 3 {
			t.Errorf("%d configs are measured", n)
		}
	}
	if _, err := tuneStore(t,
		nereid.TuneStoreOptions{}).MergeFile(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there is merged")
	}
}
