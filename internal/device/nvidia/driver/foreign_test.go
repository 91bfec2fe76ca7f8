package driver

import (
	"errors"
	"strings"
	"testing"
)

// TestForeignContext uses a context that somebody else made: it is neither retained nor released, and after
// Release the driver does not hear of it.
func TestForeignContext(t *testing.T) {
	f := newFake(t, 1)
	if err := f.start(); err != nil {
		t.Fatal(err)
	}
	f.calls = nil
	c, err := f.Foreign(7)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Synchronize(); err != nil {
		t.Fatal(err)
	}
	f.want(t, "current 7", "current 7", "ctxSync")
	same, err := f.Foreign(7)
	if err != nil || same != c || c.Primary() || c.Device() != f.devices[0] || f.contexts.Load() != 1 {
		t.Fatalf("%v, %v, %d contexts", same == c, err, f.contexts.Load())
	}
	for range 2 {
		if c.gone.Load() {
			t.Fatal("gone while it has users")
		}
		if err := c.Release(); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Synchronize(); !errors.Is(err, errGone) || f.contexts.Load() != 0 {
		t.Errorf("%v, %d contexts", err, f.contexts.Load())
	}
	f.want(t)
}

// TestForeignPrimary finds out that a context is the device's primary one, which must be shared.
func TestForeignPrimary(t *testing.T) {
	f, own := started(t, 1)
	f.active = 1
	if c, err := f.Foreign(uintptr(own.ref)); err != nil || c != own {
		t.Errorf("%v, %v", c == own, err)
	}
	other, err := f.Foreign(7)
	if err != nil || other.Primary() || f.contexts.Load() != 2 {
		t.Errorf("%v, %d contexts", err, f.contexts.Load())
	}
}

// TestForeignPrimaryUnused leaves a primary context alone that others use and we do not.
func TestForeignPrimaryUnused(t *testing.T) {
	f := newFake(t, 1)
	if err := f.start(); err != nil {
		t.Fatal(err)
	}
	f.calls, f.active = nil, 1
	if _, err := f.Foreign(7); err != nil || f.contexts.Load() != 1 {
		t.Fatalf("%v, %d contexts", err, f.contexts.Load())
	}
	f.want(t, "current 7", "retain 10", "pool 4 ffffffffffffffff", "release 10")
}

// TestForeignWrong returns the driver's error for a number that is no context.
func TestForeignWrong(t *testing.T) {
	f := newFake(t, 1)
	if err := f.start(); err != nil {
		t.Fatal(err)
	}
	f.results["device"] = ErrInvalidContext
	if _, err := f.Foreign(7); err == nil || f.contexts.Load() != 0 {
		t.Error(err)
	}
}

// TestGuest leaves the thread's context as it was, whichever that is.
func TestGuest(t *testing.T) {
	f, c := started(t, 1)
	f.BeGuest()
	for _, before := range []contextRef{0, 5} {
		f.current = before
		if err := c.Synchronize(); err != nil {
			t.Fatal(err)
		}
		back := "current 0"
		if before == 5 {
			back = "current 5"
		}
		f.want(t, "asked", "current 110", "ctxSync", back)
	}
	f.current = c.ref
	if err := c.Synchronize(); err != nil {
		t.Fatal(err)
	}
	f.want(t, "asked", "ctxSync")
	f.BeGuest()
	if n := f.contexts.Load(); n != guests+1 {
		t.Errorf("%d contexts", n)
	}
	if now, err := f.Current(); err != nil || now != uintptr(c.ref) {
		t.Errorf("%#x, %v", now, err)
	}
}

// TestParts returns what a launch by hand needs.
func TestParts(t *testing.T) {
	f, c := started(t, 1)
	fn := function(t, c)
	r := fn.Ready(Config{Block: Dim3{128, 1, 1}, Shared: 64}, nil)
	p := r.Parts()
	if p.Function != uintptr(fn.ref) || p.Context != uintptr(c.ref) || p.LaunchKernel != f.raw.launchKernel ||
		p.GetCurrent != f.raw.ctxGetCurrentAt || p.Block != [3]uint32{128, 1, 1} || p.Shared != 64 {
		t.Errorf("%+v", p)
	}
}

// TestSilence names no launch in the error of a stream that others launch on, too.
func TestSilence(t *testing.T) {
	f, c := started(t, 1)
	s := c.ExternalStream(5)
	if err := s.note(function(t, c), 1, 1); err != nil {
		t.Fatal(err)
	}
	for _, named := range []bool{true, false} {
		err := s.blame(&Error{Result: ErrIllegalAddress, driver: f.Driver})
		if strings.Contains(err.Error(), "the last launch") != named {
			t.Error(err)
		}
		s.Silence()
	}
}
