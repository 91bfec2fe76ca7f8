package nereid_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestArena takes tensors of an arena, of one that is full, and again after Reset.
func TestArena(t *testing.T) {
	for _, name := range []string{"interp", "cpu"} {
		dev := txtest.Device(t, name, nereid.OpenDevice)
		a, err := nereid.NewArena(dev, 1000)
		if err != nil {
			t.Fatal(err)
		}
		x, y := a.Tensor(nereid.Float32, 3, 5), a.Tensor(nereid.Float16, 100)
		for _, v := range []*nereid.Tensor{x, y} {
			if v.Err() != nil || v.Addr()%256 != 0 {
				t.Errorf("%s: %v at %#x", name, v.Err(), v.Addr())
			}
		}
		if err := errors.Join(x.Fill(1.5), y.Fill(-2)); err != nil {
			t.Fatal(err)
		}
		if v, err := x.At(14); v != 1.5 || err != nil {
			t.Errorf("%s: the tensors share memory: %v %v", name, v, err)
		}
		if got := a.Peak(); got != 256+200 {
			t.Errorf("%s: %d bytes taken", name, got)
		}
		if full := a.Tensor(nereid.Float64, 100); full.Err() == nil ||
			!strings.Contains(full.Err().Error(), "which has 1000 bytes, 456 of them taken") {
			t.Errorf("%s: %v", name, full.Err())
		}
		a.Reset()
		if again := a.Tensor(nereid.Float64, 100); again.Err() != nil || again.Addr() != x.Addr() {
			t.Errorf("%s: after Reset: %v", name, again.Err())
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if err := a.Tensor(nereid.Int8, 1).Err(); !errors.Is(err, nereid.ErrClosed) {
			t.Errorf("%s: after Close: %v", name, err)
		}
	}
}

// TestNoArena: nil, zero and negative arenas are errors.
func TestNoArena(t *testing.T) {
	var none *nereid.Arena
	none.Reset()
	if err := errors.Join(none.Close(), new(nereid.Arena).Close()); err != nil || none.Peak() != 0 {
		t.Error(err)
	}
	if none.Tensor(nereid.Int8, 1).Err() == nil || new(nereid.Arena).Tensor(nereid.Int8, 1).Err() == nil {
		t.Error("there is a tensor of no arena")
	}
	if _, err := nereid.NewArena(nil, 1); err == nil {
		t.Error("there is an arena of no device")
	}
	if _, err := nereid.NewArena(txtest.Device(t, "interp", nereid.OpenDevice), -1); err == nil {
		t.Error("there is an arena of less than nothing")
	}
}

// TestPrintTo: the output of device_print goes where the program says, on every device of the host.
func TestPrintTo(t *testing.T) {
	var out bytes.Buffer
	nereid.PrintTo(&out)
	defer nereid.PrintTo(nil)
	for _, name := range []string{"interp", "cpu", "sim:90"} {
		out.Reset()
		dev := txtest.Device(t, name, nereid.OpenDevice)
		if err := launchOn(t, dev, "talk", nereid.Grid{1}, nereid.FromSlice([]float32{2.5})); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "2.5") {
			t.Errorf("%s: printed %q", name, out.String())
		}
	}
}
