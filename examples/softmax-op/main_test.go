package main

import (
	"bytes"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/bundle"
	"github.com/nereid-lang/nereid/tunable"
)

// TestMain removes the bundle in the end.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "softmax-op")
	if err != nil {
		panic(err)
	}
	name = filepath.Join(dir, "softmax.nrb")
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

var name string // of the bundle

var build = sync.OnceValues(func() ([]byte, error) {
	cmd := exec.Command("go", "-C", "../..", "run", "./cmd/nereid", "aot", "examples/softmax-op/softmax.py",
		"-o", name, "--targets", "cpu")
	return cmd.CombinedOutput()
})

// built compiles the table for the CPU once for all tests, and returns the bundle's name.
func built(t *testing.T) string {
	t.Helper()
	_, err := nereid.OpenDevice("cpu")
	if errors.Is(err, nereid.ErrNoLLVM) || errors.Is(err, nereid.ErrNoDevice) {
		if os.Getenv("NEREID_REQUIRE_TOOLS") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if out, err := build(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return name
}

// The op computes softmax, picks a variant that fits, keeps its choices, and refuses rows that no block
// holds.
func TestSoftmax(t *testing.T) {
	file := built(t)
	b, err := bundle.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	dev, err := bundle.Device("cpu")
	if err != nil {
		t.Fatal(err)
	}
	s, err := dev.NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	store := filepath.Join(t.TempDir(), "tuned.json")
	open := func(b *bundle.Bundle) *softmax {
		k, err := nereid.OpenTuneStore(nereid.TuneStoreOptions{File: store})
		if err != nil {
			t.Fatal(err)
		}
		op, err := newSoftmax(b, k, 2*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		return op
	}
	op := open(b)
	for _, dt := range types {
		for _, cols := range []int{1, 1000, 1500} {
			checkSoftmax(t, op, s, dt, 7, cols)
		}
	}
	again, err := bundle.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	checkSoftmax(t, open(again), s, nereid.Float16, 7, 1000)
	if n := again.Loaded(); n != 1 {
		t.Errorf("%d variants are loaded for a choice that is kept", n)
	}
	x, y, err := tensors(dev, nereid.Float16, 1, 16385)
	if err != nil {
		t.Fatal(err)
	}
	if e := (*tunable.UnsupportedError)(nil); !errors.As(op.Softmax(s, y, x), &e) || len(e.Reasons) != 5 {
		t.Error(e)
	}
	if err := op.Softmax(s, y, x.As(nereid.Float32)); err == nil {
		t.Error("a vector is taken")
	}
}

// checkSoftmax compares the result with one in float64.
func checkSoftmax(t *testing.T, op *softmax, s *nereid.Stream, dt nereid.DType, rows, cols int) {
	t.Helper()
	x, y, err := tensors(s.Device(), dt, rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	defer y.Close()
	if err := op.Softmax(s, y, x); err != nil {
		t.Fatal(err)
	}
	in, got := make([]float64, rows*cols), make([]float64, rows*cols)
	if err := errors.Join(nereid.CopyTo(in, x), nereid.CopyTo(got, y)); err != nil {
		t.Fatal(err)
	}
	for r := range rows {
		row, sum := in[r*cols:(r+1)*cols], 0.0
		for _, v := range row {
			sum += math.Exp(v)
		}
		for c, v := range row {
			if want := math.Exp(v) / sum; math.Abs(got[r*cols+c]-want) > 1e-3*want+1e-6 {
				t.Fatalf("%s %dx%d: element %d, %d is %v, not %v", dt, rows, cols, r, c, got[r*cols+c], want)
			}
		}
	}
}

// The program computes, and compares its picks with all candidates.
func TestRun(t *testing.T) {
	o := options{bundle: built(t), device: "cpu", store: filepath.Join(t.TempDir(), "tuned.json"),
		rows: 2, cols: 100, rep: time.Millisecond}
	for _, sweep := range []bool{false, true} {
		o.sweep = sweep
		var out bytes.Buffer
		if err := compute(t.Context(), o, &out); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if !sweep && strings.Count(text, "first call") != 2 {
			t.Error(text)
		}
		if sweep && (strings.Count(text, "\n") != 27 ||
			!strings.Contains(text, "24 lines; the pick takes at ")) {
			t.Error(text)
		}
	}
	o.sweep, o.overhead = false, true
	var out bytes.Buffer
	if err := compute(t.Context(), o, &out); err != nil || !strings.Contains(out.String(), "; 0.0") {
		t.Error(out.String(), err)
	}
	o.bundle = "none.nrb"
	if err := compute(t.Context(), o, &bytes.Buffer{}); err == nil ||
		!strings.Contains(err.Error(), "go generate") {
		t.Error(err)
	}
}
