package jit

import (
	"path/filepath"
	"testing"
)

// TestEnvTune: where timings are kept follows from the cache, and from a folder of their own.
func TestEnvTune(t *testing.T) {
	cache, own := t.TempDir(), t.TempDir()
	t.Setenv("NEREID_CACHE_DIR", cache)
	t.Setenv("NEREID_CACHE_REDIS", "")
	beside := filepath.Join(cache, "tune")
	for _, c := range []struct {
		cache, dir, want string
		readOnly         bool
	}{
		{"on", "", beside, false},
		{"on", own, own, false},
		{"readonly", "", beside, true},
		{"readonly", own, own, true},
		{"off", "", "", false},
		{"off", own, own, false},
	} {
		t.Setenv("NEREID_CACHE", c.cache)
		t.Setenv("NEREID_TUNE_DIR", c.dir)
		if got := EnvConfig().Tune; got.Dir != c.want || got.ReadOnly != c.readOnly {
			t.Errorf("cache %s, folder %q: timings are in %q, read only: %v", c.cache, c.dir, got.Dir,
				got.ReadOnly)
		}
	}
}
