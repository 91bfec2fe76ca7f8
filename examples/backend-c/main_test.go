package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/bundle"
	"github.com/nereid-lang/nereid/cli"
)

// need skips the test where there is no C compiler. Code that an earlier emitter made must not pass for that
// of this one, so the cache is the test's own.
func need(t *testing.T) {
	t.Helper()
	if _, err := nereid.OpenDevice("c"); err != nil {
		if os.Getenv("NEREID_REQUIRE_TOOLS") != "" {
			t.Fatal(err)
		}
		t.Skip("skipped: ", err)
	}
	t.Setenv("NEREID_CACHE_DIR", t.TempDir())
}

// The three kernels agree with the interpreter on the host's memory and on two devices at once, with and
// without masks that hide something.
func TestKernels(t *testing.T) {
	need(t)
	for _, s := range []sample{
		vectorAdd(1, 64), vectorAdd(64, 64), vectorAdd(1000, 64), vectorAdd(98432, 1024),
		softmax(1, 1, 16), softmax(5, 100, 128), softmax(17, 781, 1024),
		layerNorm(1, 1, 16), layerNorm(4, 100, 128), layerNorm(5, 1000, 256),
	} {
		t.Run(strings.ReplaceAll(s.name, " ", "_"), func(t *testing.T) {
			if _, err := s.check(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// table has one variant of a kernel.
const table = `[[variants]]
kernel = "softmax.py:softmax_kernel"
name = "softmax"
signature = "*fp32, *fp32, i32, i32, i32"
constants.BLOCK_SIZE = 128
`

// Kernels that are compiled ahead of time run on both devices, from one bundle.
func TestBundle(t *testing.T) {
	need(t)
	dir := t.TempDir()
	text, err := os.ReadFile(kernels + "softmax.py")
	if err != nil {
		t.Fatal(err)
	}
	toml, nrb := filepath.Join(dir, "table.toml"), filepath.Join(dir, "kernels.nrb")
	for name, data := range map[string][]byte{filepath.Join(dir, "softmax.py"): text, toml: []byte(table)} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if code := cli.Main([]string{"aot", toml, "-o", nrb, "--targets", "c-device"}, strings.NewReader(""),
		&out, &out); code != 0 {
		t.Fatalf("aot ends with %d: %s", code, &out)
	}
	b, err := bundle.Open(nrb)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	v, err := b.Lookup("softmax")
	if err != nil {
		t.Fatal(err)
	}
	s := softmax(5, 100, 128)
	want, _, err := s.run(t.Context(), "interp")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		r, err := s.start(t.Context(), fmt.Sprintf("c-device:%d", i))
		if err != nil {
			t.Fatal(err)
		}
		defer r.close()
		code, err := v.Load(r.stream.Device())
		if err != nil {
			t.Fatal(err)
		}
		if err := code.Launch(r.stream, s.grid, r.tensors[1], r.tensors[0], 100, 100, 100); err != nil {
			t.Fatal(err)
		}
		got, err := r.results()
		if err != nil {
			t.Fatal(err)
		}
		if d := difference(got, want[0]); d > tolerance {
			t.Errorf("device %d differs by %.2g", i, d)
		}
	}
	host, err := bundle.Device("c")
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Runs(host); err == nil || !strings.Contains(err.Error(), "c runs code for c ") {
		t.Error(err)
	}
}
