package bundle_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/bundle"
	format "github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver/stub"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestOlderPTX runs PTX for sm_80 where a later GPU is simulated, with right results; PTX for sm_90a runs
// there, and not on a GPU that came before.
func TestOlderPTX(t *testing.T) {
	b := open(t, build(t, softmaxes([]string{"cuda:80"}, 64)))
	s := newStream(t, "sim:90")
	for _, v := range b.Variants() {
		if worst, err := softmax(s, v, 3, 61); err != nil || worst > 1e-3 {
			t.Errorf("%s: %v, error %g", v, err, worst)
		}
	}
	b = open(t, build(t, softmaxes([]string{"cuda:90"}, 64)))
	v := lookup(t, b, "softmax_fp32_64")
	if err := v.Runs(s.Device()); err != nil {
		t.Error(err)
	}
	var refused *bundle.TargetError
	older := newStream(t, "sim:80").Device()
	if err := v.Runs(older); !errors.As(err, &refused) ||
		!strings.Contains(err.Error(), "sm_90a runs there alone") {
		t.Error(err)
	}
}

// TestOnGPU loads from a bundle on a GPU of sm_90 (the stub of the driver) without LLVM. A cubin is loaded as
// it is, PTX of an older architecture is assembled, code for a later one is refused. Launches allocate
// nothing.
func TestOnGPU(t *testing.T) {
	if txtest.Inside() {
		onGPU(t, os.Getenv(hidden), os.Getenv("NEREID_STUB_LOG"))
		return
	}
	var entries []format.Entry
	var parts []map[string][]byte
	for name, target := range map[string]string{"own": "cuda:90", "older": "cuda:80", "later": "cuda:100"} {
		e, p := compileAll(t, softmaxes([]string{target}, 64)[:1])
		e[0].Name = name
		p[0][format.PartCubin] = []byte("\x7fELF machine code, which the stub does not look at")
		entries, parts = append(entries, e[0]), append(parts, p[0])
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "b.nrb")
	if err := os.WriteFile(path, write(t, entries, parts), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Log(stub.Again(t, hidden+"="+path, "NEREID_LLVM=/nowhere/libLLVM.so", "NEREID_CACHE_DIR="+dir,
		"NEREID_STUB_LOG="+filepath.Join(dir, "log")))
}

func onGPU(t *testing.T, path, log string) {
	start := time.Now()
	b, err := bundle.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	s := newStream(t, "")
	if s.Device().String() != "cuda:0" {
		t.Fatal(s.Device())
	}
	calls := txtest.Appended(t, log)
	for _, name := range []string{"own", "older"} { // by cubin, by PTX
		calls()
		if _, err := softmax(s, lookup(t, b, name), 1, 64); err != nil {
			t.Fatal(err)
		}
		if got := calls(); strings.Count(got, "cuModuleLoadData") != 1 {
			t.Errorf("%s: %s", name, got)
		}
		if name == "own" {
			t.Logf("first result after %v", time.Since(start))
		}
	}
	_, err = lookup(t, b, "later").Load(s.Device())
	if err == nil || !strings.Contains(err.Error(), "later has no code for cuda:0: cuda:100: ") {
		t.Error(err)
	}
	launches(t, s, lookup(t, b, "own"))
}

// launches compares launches of a variant with those of its code.
func launches(t *testing.T, s *nereid.Stream, v *bundle.Variant) {
	t.Helper()
	x, err := nereid.NewTensor(s.Device(), nereid.Float32, 64)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	out, err := nereid.NewTensor(s.Device(), nereid.Float32, 64)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	c, err := v.Load(s.Device())
	if err != nil {
		t.Fatal(err)
	}
	args := []any{out, x, 64, 64, 64}
	text := ""
	for _, way := range []struct {
		name   string
		launch func() error
	}{
		{"Variant.Launch", func() error { return v.Launch(s, nereid.Grid{1}, args...) }},
		{"Compiled.Launch", func() error { return c.Launch(s, nereid.Grid{1}, args...) }},
	} {
		text += fmt.Sprintf(" %s %v", way.name, perLaunch(t, way.name, way.launch))
	}
	t.Log("one launch:" + text)
}

// TestLaunchAllocations launches on the CPU: a variant costs what its code costs, and allocates nothing.
func TestLaunchAllocations(t *testing.T) {
	b := open(t, build(t, softmaxes([]string{baseline()}, 64)[:1]))
	launches(t, newStream(t, "cpu"), lookup(t, b, "softmax_fp32_64"))
}

// TestFormLookup compares launches of a bundle with all forms, which choose among them, with those of one
// that has only the general form: on the stub of the driver here, and where there is a GPU on that.
func TestFormLookup(t *testing.T) {
	if txtest.Inside() {
		compareForms(t, newStream(t, ""), os.Getenv(hidden))
		return
	}
	dir := t.TempDir()
	for name, forms := range map[string]bool{"all": true, "general": false} {
		if err := os.WriteFile(filepath.Join(dir, name), formBundle(t, forms), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("NEREID_PTXAS", "")
	if dev, err := nereid.OpenDevice("cuda"); err == nil {
		s := txtest.Open(t, dev.NewStream, t.Context())
		compareForms(t, s, dir)
		return
	}
	t.Log(stub.Again(t, hidden+"="+dir, "NEREID_LLVM=/nowhere/libLLVM.so", "NEREID_CACHE_DIR="+dir,
		"NEREID_STUB_LOG="+filepath.Join(dir, "log")))
}

// compareForms prints the times of launches that run merged code, and of those that run the general code.
func compareForms(t *testing.T, s *nereid.Stream, dir string) {
	t.Helper()
	x, err := nereid.NewTensor(s.Device(), nereid.Float32, 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	args := []any{x, x, 1 << 16}
	for _, programs := range []int{7, 1 << 10} {
		var took [2]time.Duration
		for i, name := range []string{"general", "all"} {
			b, err := bundle.Open(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			v := lookup(t, b, "add")
			took[i] = perLaunch(t, name, func() error { return v.Launch(s, nereid.Grid{programs}, args...) })
			if err := s.Sync(); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%d programs: general %v, with forms %v", programs, took[0], took[1])
		if more := took[1] - took[0]; more > 200*time.Nanosecond && !raceDetector {
			t.Errorf("%d programs: choosing takes %v, want at most 200ns", programs, more)
		}
	}
}

// perLaunch returns the time of a launch, which must allocate nothing.
func perLaunch(t *testing.T, name string, launch func() error) time.Duration {
	t.Helper()
	n := testing.AllocsPerRun(100, func() {
		if err := launch(); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 && !raceDetector {
		t.Errorf("%s: %v allocations", name, n)
	}
	const runs = 500 // more would fill a GPU's queue, and wait
	best := time.Hour
	for range 50 {
		start := time.Now()
		for range runs {
			_ = launch()
		}
		best = min(best, time.Since(start)/runs)
	}
	return best
}
