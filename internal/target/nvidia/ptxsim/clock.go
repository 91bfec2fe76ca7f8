package ptxsim

import "slices"

// Which access comes before which is told by vector clocks. Each thread of a cluster counts its times: a time
// ends where the thread lets others know what it did (a barrier, an arrival at an mbarrier), or gets to know
// what others did. An access at time i of thread a comes before what thread b does if b has seen time i of a.
// Mbarriers have times too, their phases, since bulk copies are ordered by nothing else.

// clock says what is behind: the last time of each thread, then the last phase of each mbarrier, by their
// numbers. It never changes, so that threads share it.
type clock []int32

// has reports whether time i of a thread, or phase i of an mbarrier, is behind.
func (k clock) has(who, i int32) bool { return int(who) < len(k) && k[who] >= i }

// with returns the clock with one time more.
func (k clock) with(who, i int32) clock {
	out := make(clock, max(len(k), int(who)+1))
	copy(out, k)
	out[who] = max(out[who], i)
	return out
}

// joined returns what is behind in one or the other.
func joined(a, b clock) clock {
	if len(a) < len(b) {
		a, b = b, a
	}
	for i, v := range b {
		if v > a[i] {
			out := slices.Clone(a)
			for j := i; j < len(b); j++ {
				out[j] = max(out[j], b[j])
			}
			return out
		}
	}
	return a
}

// clocks is the times of all threads of a cluster.
type clocks struct {
	seen  []clock // vector clock of each thread, without its own time
	now   []int32 // each thread's own time, from 1 on
	extra int32   // numbers given to mbarriers so far

	alone []*readers // the last set of each thread with nobody else

	// the last join, since the threads of a warp mostly join the same
	a, b, out clock
}

func newClocks(n int) *clocks {
	k := &clocks{seen: make([]clock, n), now: make([]int32, n), alone: make([]*readers, n)}
	for i := range k.now {
		k.now[i] = 1
	}
	return k
}

// number returns the number of a new mbarrier.
func (k *clocks) number() int32 {
	k.extra++
	return int32(len(k.now)) + k.extra - 1
}

// before reports whether time i of who comes before what a thread does now.
func (k *clocks) before(who, i, thread int32) bool {
	return who == thread || k.seen[thread].has(who, i)
}

// release returns a clock in which all is behind that a thread did and saw, and begins its next time.
func (k *clocks) release(thread int32) clock {
	out := k.seen[thread].with(thread, k.now[thread])
	k.now[thread]++
	return out
}

// acquire lets a thread see what is behind in a clock.
func (k *clocks) acquire(thread int32, c clock) {
	k.seen[thread] = k.join(k.seen[thread], c)
	k.now[thread]++
}

func (k *clocks) join(a, b clock) clock {
	if same(a, k.a) && same(b, k.b) {
		return k.out
	}
	k.a, k.b, k.out = a, b, joined(a, b)
	return k.out
}

func same(a, b clock) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// meet orders what threads did before it against what they all do after it.
func (k *clocks) meet(threads []int32) {
	all := make(clock, len(k.now))
	var last clock
	for _, t := range threads {
		if s := k.seen[t]; !same(s, last) || last == nil {
			last = s
			if len(s) > len(all) {
				all = append(all, make(clock, len(s)-len(all))...)
			}
			for i, v := range s {
				all[i] = max(all[i], v)
			}
		}
	}
	for _, t := range threads {
		all[t] = max(all[t], k.now[t])
		k.now[t]++
	}
	for _, t := range threads {
		k.seen[t] = all
	}
}

// readers is a set of accesses that do not disturb one another: the last one, and those before. It never
// changes, so that the bytes of one access share it.
type readers struct {
	thread, time int32
	at           int32 // the instruction
	async        bool  // through the async proxy: a product of a warp group, or a bulk copy
	before       *readers

	to       *readers // the set with one more, for who asked last
	toThread int32
	toTime   int32
	toAsync  bool
}

// unordered returns an access that does not come before what a thread does now, or nil.
func (r *readers) unordered(k *clocks, thread int32) *readers {
	for ; r != nil; r = r.before {
		if !k.before(r.thread, r.time, thread) {
			return r
		}
	}
	return nil
}

// covers reports whether an access of a thread now makes x superfluous in a set of readers: x comes before
// it, and a write behind the access needs no more than it would need behind x. A read through the generic
// proxy is not covered by one through the async proxy, which needs no fence.
func (k *clocks) covers(x *readers, thread int32, async bool) bool {
	return (x.async || !async) && k.before(x.thread, x.time, thread)
}

// add returns the set with an access of a thread. What it covers is left out.
func (r *readers) add(k *clocks, thread, at int32, async bool) *readers {
	now := k.now[thread]
	if r == nil {
		return k.reader(thread, at, async)
	}
	if r.to != nil && r.toThread == thread && r.toTime == now && r.toAsync == async {
		return r.to
	}
	all, kept, known := 0, 0, false
	for x := r; x != nil; x = x.before {
		all++
		if x.thread == thread && x.time == now && x.async == async {
			known = true
		} else if !k.covers(x, thread, async) {
			kept++
		}
	}
	out := r
	switch {
	case known:
	case kept == 0:
		out = k.reader(thread, at, async)
	case kept == all:
		out = &readers{thread: thread, time: now, at: at, async: async, before: r}
	default:
		out = &readers{thread: thread, time: now, at: at, async: async, before: r.without(k, thread, async)}
	}
	r.to, r.toThread, r.toTime, r.toAsync = out, thread, now, async
	return out
}

// reader returns the set of one access of a thread now.
func (k *clocks) reader(thread, at int32, async bool) *readers {
	r := k.alone[thread]
	if r == nil || r.time != k.now[thread] || r.at != at || r.async != async {
		r = &readers{thread: thread, time: k.now[thread], at: at, async: async}
		k.alone[thread] = r
	}
	return r
}

// without returns the accesses that an access of a thread now does not cover.
func (r *readers) without(k *clocks, thread int32, async bool) (out *readers) {
	for ; r != nil; r = r.before {
		if !k.covers(r, thread, async) {
			out = &readers{thread: r.thread, time: r.time, at: r.at, async: r.async, before: out}
		}
	}
	return out
}
