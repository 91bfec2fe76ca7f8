package run_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/run"
)

// TestTensors makes tensors, copies, writes and reads them, without the compiler.
func TestTensors(t *testing.T) {
	dev, err := run.OpenDevice("cpu")
	if err != nil {
		t.Fatal(err)
	}
	here, absent := run.Devices()
	if len(here)+len(absent) < 3 || !strings.HasPrefix(dev.String(), "cpu") {
		t.Errorf("%v, %v, absent %v", dev, here, absent)
	}
	if _, err := run.OpenDevice("sim:90"); !errors.Is(err, run.ErrNoDevice) {
		t.Errorf("a simulator without its compiler: %v", err)
	}
	if _, _, err := run.OpenContext(0); !errors.Is(err, run.ErrNoDevice) {
		t.Errorf("a thread without a CUDA context: %v", err)
	}
	x, err := run.NewTensor(dev, run.Float32, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	got := make([]float32, 4)
	if err := errors.Join(run.CopyFrom(x, []int32{0, 1, 2, 3}), run.CopyTo(got, x),
		run.AllClose(x, run.Arange(run.Float32, 4), 0, 0)); err != nil || got[3] != 3 {
		t.Error(err, got)
	}
	if s, err := run.AsSlice[float32](run.FromSlice(got)); err != nil || &s[0] != &got[0] {
		t.Error(err)
	}
	halves := run.FromFloats(run.Float16, []float32{1.5, 2})
	if n := run.Rand(run.Int8, 1, 3).Len(); n != 3 || halves.Len() != 2 ||
		run.FromBytes(run.Uint8, []byte{1, 2}).Len() != 2 {
		t.Error("sizes")
	}
	var npy, file bytes.Buffer
	err = errors.Join(run.WriteNPY(&npy, halves),
		run.WriteSafetensors(&file, map[string]*run.Tensor{"h": halves}))
	if err != nil {
		t.Fatal(err)
	}
	a, err1 := run.ReadNPY(&npy)
	b, err2 := run.ParseSafetensors(file.Bytes())
	c, err3 := run.ReadSafetensors(&file)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(run.AllClose(a, halves, 0, 0), run.AllClose(b["h"], c["h"], 0, 0)); err != nil {
		t.Error(err)
	}
}

// TestValues has what launches take, and what they refuse.
func TestValues(t *testing.T) {
	if dt, err := run.DTypeOf("float16"); err != nil || dt != run.Float16 {
		t.Error(dt, err)
	}
	if run.Cdiv(5, 2) != 3 || run.Cdiv(3, 0) != 0 || run.ToF16(1.5).Float() != 1.5 ||
		run.ToBF16(2).Float() != 2 || run.ScalarOf(run.Int64, 7).Bits != 7 || run.Arg("n", 1).Name != "n" {
		t.Error("values")
	}
	store, err := run.OpenTuneStore(run.TuneStoreOptions{})
	if err != nil || store.Close() != nil {
		t.Error(err)
	}
	dev, err := run.OpenDevice("cpu")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.LoadCompiled(dev, strings.NewReader("no kernel")); err == nil {
		t.Error("a text was loaded as code")
	}
}

// TestArena takes a tensor of an arena, and sets where kernels print.
func TestArena(t *testing.T) {
	run.PrintTo(nil)
	dev, err := run.OpenDevice("cpu")
	if err != nil {
		t.Fatal(err)
	}
	a, err := run.NewArena(dev, 100)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := a.Tensor(run.Float32, 25).Err(); err != nil || a.Peak() != 100 {
		t.Error(err, a.Peak())
	}
}

// TestProfile records a copy without the compiler.
func TestProfile(t *testing.T) {
	var b bytes.Buffer
	p, err := run.StartProfile(&b)
	if err != nil {
		t.Fatal(err)
	}
	err = run.CopyFrom(run.FromSlice(make([]float32, 4)), make([]float32, 4))
	if err := errors.Join(err, p.Stop()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(b.Bytes(), []byte(`"cat":"copy"`)) {
		t.Errorf("nothing is recorded of a copy:\n%s", &b)
	}
}
