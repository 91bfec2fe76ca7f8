package timeline

import (
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
)

// TestOwnTime: a kernel's time is that from its first warp's beginning to its last warp's end, on clocks of
// multiprocessors that a shared one places; what is all of the kernel is no scope of the table.
func TestOwnTime(t *testing.T) {
	mark := func(name string, start bool, sm int, clock, at uint64) device.ScopeMark {
		return device.ScopeMark{Name: name, Start: start, Block: sm, SM: sm, Clock: clock, Time: at}
	}
	// two cycles a nanosecond; the second multiprocessor begins 500 ns later and ends last
	marks := []device.ScopeMark{
		mark("", true, 0, 10_000, 7_000), mark("loop", true, 0, 10_200, 7_100),
		mark("loop", false, 0, 11_800, 7_900), mark("", false, 0, 12_000, 8_000),
		mark("", true, 1, 90_000, 7_500), mark("", false, 1, 93_000, 9_000),
	}
	list, open := pair(marks)
	if open != 0 || len(list) != 3 {
		t.Fatalf("%d scopes, %d open", len(list), open)
	}
	place(list, marks, clockRate(marks))
	rest, own := withoutWhole(list)
	if len(rest) != 1 || rest[0].name != "loop" || rest[0].to-rest[0].from != 1600 {
		t.Errorf("the scopes are %+v", rest)
	}
	if own != 2000*time.Nanosecond {
		t.Errorf("the kernel took %v, want 2µs", own)
	}
}

// moment is a mark of a device whose clock the test sets.
type moment time.Duration

func (m moment) Done() (bool, error) { return true, nil }
func (m moment) Since(o device.Mark) (time.Duration, error) {
	return time.Duration(m) - time.Duration(o.(moment)), nil
}
func (m moment) Close() error { return nil }

// TestHeld: work whose scopes are to be read is not recorded before, and then with its own time, at its end.
func TestHeld(t *testing.T) {
	q := &queue{waiting: []work{{from: moment(0), to: moment(80 * time.Microsecond), held: true}}}
	l := &Log{}
	if l.drain(q, true); len(q.waiting) != 1 {
		t.Fatal("it was recorded before its scopes")
	}
	q.release(28 * time.Microsecond)
	w := q.waiting[0]
	if w.held || w.own != 28*time.Microsecond {
		t.Fatalf("released as %+v", w)
	}
	if start, took := w.span(time.Unix(0, 0), 80*time.Microsecond); took != w.own ||
		start != time.Unix(0, int64(52*time.Microsecond)) {
		t.Errorf("it began at %v and took %v", start, took)
	}
	if _, took := w.span(time.Unix(0, 0), 20*time.Microsecond); took != 20*time.Microsecond {
		t.Errorf("its own clock says more than the device: %v", took)
	}
}
