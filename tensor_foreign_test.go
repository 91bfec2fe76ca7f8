package nereid_test

import (
	"errors"
	"testing"

	"github.com/nereid-lang/nereid"
)

// A tensor over somebody else's device memory is that memory, and closing it leaves the memory alone.
func TestTensorAt(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, calls func() map[string]int) {
		own, err := nereid.NewTensor(s.Device(), nereid.Float16, 2, 8)
		if err != nil {
			t.Fatal(err)
		}
		x, err := s.Device().TensorAt(own.Addr()+16, nereid.Float16, 8)
		if err != nil {
			t.Fatal(err)
		}
		if err := nereid.CopyFrom(x, []float32{1, 2, 3, 4, 5, 6, 7, 8}); err != nil {
			t.Fatal(err)
		}
		if err := nereid.AllClose(own.Select(0, 1), x, 0, 0); err != nil {
			t.Error(err)
		}
		// read, changed, written back
		if err := nereid.CopyFrom(own.Slice(1, 0, 8, 4), []int32{-1, -2, -3, -4}); err != nil {
			t.Error(err)
		}
		if got, want := own.String(),
			"fp16[2, 8] on cuda:0 [[-1, 0, 0, 0, -2, 0, 0, 0], [-3, 2, 3, 4, -4, 6, 7, 8]]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		view := own.Select(0, 0)
		calls()
		if err := errors.Join(x.Close(), x.Close(), own.Close(), view.Close()); err != nil ||
			calls()["cuMemFree_v2"] != 1 {
			t.Error("memory is freed once, by its owner:", err)
		}
		if err := own.CopyBytesTo(make([]byte, 2)); !errors.Is(err, nereid.ErrClosed) {
			t.Error(err)
		}
		if null, err := s.Device().TensorAt(0, nereid.Float16, 0); err != nil || null.Addr() != 0 {
			t.Error("a null pointer:", null, err)
		}
		for _, addr := range []uint64{0, own.Addr() + 1} {
			if x, err := s.Device().TensorAt(addr, nereid.Float16, 8); err == nil {
				t.Errorf("a tensor at %#x: %v", addr, x)
			}
		}
	})
	if x, err := stream(t, "interp").Device().TensorAt(1<<20, nereid.Int8, 1); err == nil {
		t.Error(x)
	}
	if x, err := (*nereid.Device)(nil).TensorAt(1<<20, nereid.Int8, 1); err == nil {
		t.Error(x)
	}
}

// Use after Close of a view whose tensor was closed is an error where the memory is gone.
func TestClosedView(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, _ func() map[string]int) {
		x, err := nereid.NewTensor(s.Device(), nereid.Float32, 4)
		if err != nil {
			t.Fatal(err)
		}
		view := x.Slice(0, 1, 3, 1)
		x.Close()
		if err := nereid.CopyTo(make([]float32, 2), view); !errors.Is(err, nereid.ErrClosed) {
			t.Error(err)
		}
	})
}
