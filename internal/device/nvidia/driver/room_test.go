package driver

import (
	"errors"
	"slices"
	"testing"
)

// TestRoom launches with memory: a stream keeps it, a graph and a stream of somebody else do not.
func TestRoom(t *testing.T) {
	f, c := started(t, 1)
	s, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	launch := func(p DevicePtr) error { f.note("launch %#x", p); return nil }
	calls := func(s *Stream, sizes ...int) []string {
		f.calls = nil
		for _, n := range sizes {
			if err := s.WithRoom(n, launch); err != nil {
				t.Error(err)
			}
		}
		asks := func(c string) bool { return c == "capturing 7" || c == "capturing 9" }
		return slices.DeleteFunc(without(f.calls, "current 110"), asks)
	}
	const own = "launch 0x2000"
	for _, x := range []struct {
		name  string
		s     *Stream
		sizes []int
		want  []string
	}{
		{"kept", s, []int{64, 64, 32}, []string{"allocAsync 64 7", own, own, own}},
		{"more", s, []int{100, 64}, []string{"freeAsync 0x2000 7", "allocAsync 100 7", own, own}},
		{"too much", s, []int{keptRoom + 1}, []string{"allocAsync 4194305 7", own, "freeAsync 0x2000 7"}},
		{"external", c.ExternalStream(9), []int{8, 8},
			[]string{"allocAsync 8 9", own, "freeAsync 0x2000 9", "allocAsync 8 9", own,
				"freeAsync 0x2000 9"}},
	} {
		if got := calls(x.s, x.sizes...); !slices.Equal(got, x.want) {
			t.Errorf("%s: %q, want %q", x.name, got, x.want)
		}
	}
	f.capturing = 1
	if got := calls(s, 8); !slices.Equal(got, []string{"allocAsync 8 7", own, "freeAsync 0x2000 7"}) {
		t.Errorf("recording: %q", got)
	}
	f.capturing = 0
	failed := errors.New("no launch")
	if err := s.WithRoom(8, func(DevicePtr) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("a launch that fails: %v", err)
	}
	f.calls = nil
	if err := s.Close(); err != nil || !slices.Contains(f.calls, "freeAsync 0x2000 7") {
		t.Errorf("Close: %v, %q", err, f.calls)
	}
}
