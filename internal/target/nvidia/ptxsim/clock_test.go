package ptxsim

import "testing"

// TestClocks: a thread is behind what others did before they met it, or before what it has acquired.
func TestClocks(t *testing.T) {
	k := newClocks(4)
	before := func(a, i, b int32, want bool) {
		t.Helper()
		if k.before(a, i, b) != want {
			t.Errorf("time %d of thread %d comes before what thread %d does: %v", i, a, b, !want)
		}
	}
	before(0, 1, 0, true)
	before(0, 1, 1, false)
	k.meet([]int32{0, 1})
	before(0, 1, 1, true)
	before(1, 1, 0, true)
	before(0, 2, 1, false)
	before(0, 1, 2, false)
	c := k.release(1) // what 1 knows of 0 too
	k.acquire(2, c)
	before(0, 1, 2, true)
	before(1, 2, 2, true)
	before(1, 3, 2, false)
	before(2, 1, 1, false)
	bar := k.number()
	k.acquire(3, c.with(bar, 5))
	before(bar, 5, 3, true)
	before(bar, 6, 3, false)
	before(bar, 1, 2, false)
	k.meet([]int32{2, 3})
	before(bar, 5, 2, true)
}

// TestReaders: a set keeps what nobody is behind, each thread once.
func TestReaders(t *testing.T) {
	k := newClocks(3)
	var r *readers
	count := func(want int) {
		t.Helper()
		n := 0
		for x := r; x != nil; x = x.before {
			n++
		}
		if n != want {
			t.Errorf("%d accesses, not %d", n, want)
		}
	}
	for range 2 {
		for thread := range int32(3) {
			r = r.add(k, thread, 0, false)
		}
	}
	count(3)
	if x := r.unordered(k, 2); x == nil || x.thread == 2 {
		t.Errorf("%+v", x)
	}
	k.meet([]int32{0, 1})
	r = r.add(k, 0, 0, false) // behind those of 0 and 1
	count(2)
	k.meet([]int32{0, 1, 2})
	r = r.add(k, 1, 0, false)
	count(1)
	if r.unordered(k, 1) != nil || r.unordered(k, 0) == nil {
		t.Error("thread 1 has read, and not thread 0")
	}
}
