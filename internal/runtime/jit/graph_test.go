package jit

import (
	"context"
	"errors"
	"testing"

	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/interp"
)

// recorder is the interpreter with streams that can be recorded, or belong to somebody else.
type recorder struct {
	*interp.Device
	on       bool
	launched int
}

func (d *recorder) NewStream() (target.Stream, error) {
	return recordedStream{target.HostStream{}, d}, nil
}
func (d *recorder) ExternalStream(h uintptr) (target.Stream, error) {
	return recordedStream{target.HostStream{}, d}, nil
}

func (d *recorder) Current(f func() error) error                 { return f() }
func (d *recorder) At(addr uint64, n int) (target.Buffer, error) { return nil, errors.ErrUnsupported }

type recordedStream struct {
	target.HostStream
	d *recorder
}

func (s recordedStream) Capturing() (bool, error) { return s.d.on, nil }

func (s recordedStream) Capture(f func() error) (target.Graph, error) {
	s.d.on = true
	defer func() { s.d.on = false }()
	return s, f()
}

func (s recordedStream) Launch(target.Stream) error { s.d.launched++; return nil }

const capturedKernels = `
import triton
import triton.language as tl

@triton.jit
def plain(x_ptr, n):
    tl.store(x_ptr, tl.load(x_ptr) + n)

@triton.autotune(configs=[triton.Config({"B": 1}), triton.Config({"B": 2})], key=["n"], warmup=1, rep=1)
@triton.jit
def tuned(x_ptr, n, B: tl.constexpr):
    tl.store(x_ptr, 1.0)
`

// A launch during a capture works; one that would have to compile or to tune is refused, and works once the
// capture is over.
func TestCapture(t *testing.T) {
	dev := core.NewDevice(&recorder{Device: newInterp().(*interp.Device)})
	for _, name := range []string{"plain", "tuned"} {
		m, err := Parse("k.py", []byte(capturedKernels), With(Config{}))
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := dev.ExternalStream(context.Background(), 7)
		if err != nil {
			t.Fatal(err)
		}
		x := core.FromSlice(make([]float32, 1))
		launch := func() error { return k.Launch(s, core.Grid{1}, x, 5) }
		if _, err := s.Capture(launch); !errors.Is(err, core.ErrCapturing) {
			t.Errorf("%s, cold: %v", name, err)
		}
		if err := launch(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		g, err := s.Capture(launch)
		if err != nil {
			t.Fatalf("%s, warm: %v", name, err)
		}
		if err := errors.Join(g.Launch(s), g.Close()); err != nil {
			t.Error(err)
		}
	}
	if n := core.Backend(dev).(*recorder).launched; n != 2 {
		t.Errorf("%d graphs were launched", n)
	}
}

// What a device cannot do is an error.
func TestNoCapture(t *testing.T) {
	dev := core.NewDevice(newInterp())
	if _, err := dev.ExternalStream(context.Background(), 7); err == nil {
		t.Error("the interpreter took a CUstream")
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Capture(func() error { return nil }); err == nil {
		t.Error("the interpreter made a graph")
	}
}
