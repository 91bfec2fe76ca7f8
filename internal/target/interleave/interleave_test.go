package interleave

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// explored visits all states of warps of 32 threads in one block.
func explored(t *testing.T, objects int, warps ...[]Step) (Result, error) {
	t.Helper()
	run := &Run{Objects: make([]int, objects)}
	for _, steps := range warps {
		run.Warps = append(run.Warps, Warp{0, 32, steps})
	}
	return Explore(t.Context(), run, 100_000)
}

// TestCount: the numbers of interleavings are those that one counts by hand.
func TestCount(t *testing.T) {
	free := []Step{{Kind: Arrive, N: 0, Want: 1}, {Kind: Arrive, N: 0, Want: 1}} // which stop nobody
	meet := []Step{{Kind: Meet, N: 32}}
	for _, c := range []struct {
		name  string
		warps [][]Step
		want  float64
	}{
		{"two of three steps each", [][]Step{free, free}, 20},           // 6 over 3
		{"three of three steps each", [][]Step{free, free, free}, 1680}, // 9! / 3!^3
		{"two at a barrier", [][]Step{meet, meet}, 4},                   // 2! to come, 2! to leave
		{"three at a barrier", [][]Step{meet, meet, meet}, 36},          // 3! and 3!
		{"one leaves, two at a barrier", [][]Step{nil, meet, meet}, 12}, // 3! before it opens, 2! behind
	} {
		got, err := explored(t, 1, c.warps...)
		if n := math.Pow(10, got.Log10); err != nil || !got.Finished || math.Abs(n-c.want) > 1e-6*c.want {
			t.Errorf("%s: %v interleavings, not %v: %+v, %v", c.name, n, c.want, got, err)
		}
	}
}

// ring returns the steps of a producer and of consumers that share slots: a copy fills one, each consumer
// waits for it and then arrives where the producer waits before it fills the slot again.
func ring(slots, rounds, consumers int) (warps [][]Step, objects int) {
	var producer, consumer []Step
	for i := range slots * rounds {
		full, empty, round := 2*(i%slots), 2*(i%slots)+1, i/slots
		if round > 0 {
			producer = append(producer,
				Step{Kind: Wait, Object: empty, Phase: round, Parity: (round + 1) % 2})
		}
		producer = append(producer, Step{Kind: Arrive, Object: full, N: 1, Want: 1, Bytes: 64, Phase: round},
			Step{Kind: Issue, Object: full, Bytes: 64, Want: 1, Phase: round})
		consumer = append(consumer, Step{Kind: Wait, Object: full, Phase: round + 1, Parity: round % 2},
			Step{Kind: Arrive, Object: empty, N: 1, Want: consumers, Phase: round})
	}
	warps = append(warps, producer)
	for range consumers {
		warps = append(warps, consumer)
	}
	return warps, 2 * slots
}

// TestRing: slots that are handed over by mbarriers keep their phases in every interleaving; with a step left
// out or changed they do not, and the violation says so.
func TestRing(t *testing.T) {
	for slots := 1; slots <= 4; slots++ {
		warps, objects := ring(slots, 3, 4)
		if got, err := explored(t, objects, warps...); err != nil || !got.Finished {
			t.Errorf("%d slots: %+v, %v", slots, got, err)
		}
	}
	for _, c := range []struct {
		name   string
		change func(warps [][]Step)
		want   string
	}{
		{"no wait for a free slot", func(w [][]Step) { w[0] = without(w[0], Wait) }, "arrival counts for phase"},
		{"the other parity", func(w [][]Step) { w[1] = flipped(w[1]) }, "in the usual order"},
		{"one arrival less", func(w [][]Step) { wanting(w, -1) }, "arrival counts for phase"},
		{"one arrival more", func(w [][]Step) { wanting(w, 1) }, "deadlock"},
		{"a copy before its bytes are expected", func(w [][]Step) {
			w[0][0].Bytes = 0
			w[0] = append(w[0][:1:1], append([]Step{{Kind: Arrive, Bytes: 64, Want: 1}}, w[0][1:]...)...)
		}, "phase"},
	} {
		warps, objects := ring(2, 3, 2)
		c.change(warps)
		var v *Violation
		if _, err := explored(t, objects, warps...); !errors.As(err, &v) || !strings.Contains(v.Msg, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// without returns the steps of all other kinds.
func without(steps []Step, k Kind) (out []Step) {
	for _, s := range steps {
		if s.Kind != k {
			out = append(out, s)
		}
	}
	return out
}

// flipped returns steps whose last wait is for the other parity.
func flipped(steps []Step) []Step {
	out := append([]Step{}, steps...)
	for i := len(out) - 1; i >= 0; i-- {
		if out[i].Kind == Wait {
			out[i].Parity ^= 1
			break
		}
	}
	return out
}

// wanting changes how many arrivals free a slot.
func wanting(warps [][]Step, n int) {
	for _, w := range warps {
		for i := range w {
			if w[i].Want > 1 {
				w[i].Want += n
			}
		}
	}
}

// TestBound: a bound that does not suffice is said, and a context that has ended.
func TestBound(t *testing.T) {
	warps, objects := ring(3, 3, 4)
	run := &Run{Objects: make([]int, objects)}
	for _, steps := range warps {
		run.Warps = append(run.Warps, Warp{0, 32, steps})
	}
	if got, err := Explore(t.Context(), run, 10); err != nil || got.Finished {
		t.Errorf("%+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Explore(ctx, run, 1000); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestBruteForce: for random small runs, the states lead to as many interleavings as one finds by taking
// every step everywhere, warp by warp, or both find a violation.
func TestBruteForce(t *testing.T) {
	good, bad := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		size := [][3]int{{1, 1, 1}, {1, 1, 2}, {1, 2, 1}, {2, 1, 1}}[r.IntN(4)] // more takes hours
		warps, objects := ring(size[0], size[1], size[2])
		if r.IntN(2) == 0 {
			w := r.IntN(len(warps))
			if n := len(warps[w]); n > 0 {
				i := r.IntN(n)
				warps[w] = append(append([]Step{}, warps[w][:i]...), warps[w][i+1:]...)
			}
		}
		got, err := explored(t, objects, warps...)
		want, ok := brute(warps, objects)
		switch {
		case ok != (err == nil):
			t.Errorf("seed %d: %v, by brute force: %v", seed, err, ok)
		case ok && math.Abs(got.Log10-math.Log10(want)) > 1e-9:
			t.Errorf("seed %d: %v interleavings, by brute force %v", seed, math.Pow(10, got.Log10), want)
		case ok:
			good++
		default:
			bad++
		}
	}
	if good < 50 || bad < 50 {
		t.Errorf("%d runs without a violation, %d with one", good, bad)
	}
}

// machine is the state of mbarriers, warps and copies, for brute force.
type machine struct {
	warps  [][]Step
	at     []int
	copies []Step
	phase  []int
	came   []int
	bytes  []int64
}

// brute counts the interleavings of steps that are not Meet, and reports whether all are as recorded.
func brute(warps [][]Step, objects int) (float64, bool) {
	return (&machine{warps, make([]int, len(warps)), nil, make([]int, objects), make([]int, objects),
		make([]int64, objects)}).count()
}

func (m *machine) count() (float64, bool) {
	total, some, left := 0.0, false, len(m.copies) > 0
	for w := range m.warps {
		if m.at[w] > len(m.warps[w]) {
			continue
		}
		left = true
		if m.at[w] < len(m.warps[w]) {
			if s := m.warps[w][m.at[w]]; s.Kind == Wait && m.phase[s.Object]%2 == s.Parity {
				continue
			}
		}
		some = true
		n, ok := m.after(func(o *machine) bool { return o.step(w) })
		if total += n; !ok {
			return 0, false
		}
	}
	for i := range m.copies {
		some = true
		n, ok := m.after(func(o *machine) bool { return o.land(i) })
		if total += n; !ok {
			return 0, false
		}
	}
	if !left {
		return 1, true
	}
	return total, some
}

// after counts the interleavings behind a step.
func (m *machine) after(do func(*machine) bool) (float64, bool) {
	o := &machine{m.warps, append([]int{}, m.at...), append([]Step{}, m.copies...),
		append([]int{}, m.phase...), append([]int{}, m.came...), append([]int64{}, m.bytes...)}
	if !do(o) {
		return 0, false
	}
	return o.count()
}

func (m *machine) step(w int) bool {
	i := m.at[w]
	m.at[w]++
	if i == len(m.warps[w]) {
		return true
	}
	s := m.warps[w][i]
	switch s.Kind {
	case Wait:
		return m.phase[s.Object] == s.Phase
	case Issue:
		m.copies = append(m.copies, s)
		return true
	}
	if m.phase[s.Object] != s.Phase {
		return false
	}
	m.came[s.Object] += s.N
	m.bytes[s.Object] += s.Bytes
	if s.N > 0 {
		return m.settle(s)
	}
	return true
}

func (m *machine) land(i int) bool {
	s := m.copies[i]
	m.copies = append(m.copies[:i], m.copies[i+1:]...)
	m.bytes[s.Object] -= s.Bytes
	return m.phase[s.Object] == s.Phase && m.settle(s)
}

func (m *machine) settle(s Step) bool {
	if m.came[s.Object] == s.Want && m.bytes[s.Object] == 0 {
		m.phase[s.Object]++
		m.came[s.Object] = 0
	}
	return m.came[s.Object] <= s.Want
}
