package rules

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
)

// Decision is what a rule decided for a quantity of a kernel.
type Decision struct {
	Rule  string `json:"rule"`
	N     int64  `json:"n"`
	All   int64  `json:"all,omitempty"` // of which N is a share, for rules of that kind
	Value int    `json:"value"`
	Holds bool   `json:"holds"`
	// Features holds further quantities: registers, bytes, trips, warps, programs.
	Features map[string]int64 `json:"features,omitempty"`
}

// With returns whether the decision would hold with another value of its rule.
func (d Decision) With(r *Rule, value int) bool {
	d.Value = value
	return r.holds(d)
}

// Trace records the decisions of compilations. It is safe for concurrent use.
type Trace struct {
	id     int
	closed atomic.Bool
	mu     sync.Mutex
	list   []Decision
	code   []byte // digest of the code that was made, of which each part changes all that follows
}

// traced reports whether decisions are recorded.
func (s *Set) traced() bool { return s != nil && s.trace != nil && !s.trace.closed.Load() }

// Made records code that a compilation with this set has made.
func (s *Set) Made(code []byte) {
	if !s.traced() {
		return
	}
	t := s.trace
	t.mu.Lock()
	defer t.mu.Unlock()
	sum := sha256.Sum256(append(t.code, code...))
	t.code = sum[:]
}

// Code returns a digest of all code that was made so far, "" if there is none. Traces of compilations that
// made the same code have the same digest.
func (t *Trace) Code() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return hex.EncodeToString(t.code)
}

var traces struct {
	sync.Mutex
	last int
	live map[int]*Trace
}

// NewTrace returns a set with the values of s that records decisions. Close ends that.
func NewTrace(s *Set) (*Set, *Trace) {
	traces.Lock()
	defer traces.Unlock()
	if traces.live == nil {
		traces.live = map[int]*Trace{}
	}
	traces.last++
	t := &Trace{id: traces.last}
	traces.live[t.id] = t
	with := &Set{trace: t}
	if s != nil {
		with.over = s.over
	}
	return with, t
}

// Close forgets the trace: modules that name it are no longer recorded.
func (t *Trace) Close() {
	t.closed.Store(true)
	traces.Lock()
	defer traces.Unlock()
	delete(traces.live, t.id)
}

// traceOf returns the trace of a number, nil if there is none in this process.
func traceOf(id string) *Trace {
	n, err := strconv.Atoi(id)
	if err != nil {
		return nil
	}
	traces.Lock()
	defer traces.Unlock()
	return traces.live[n]
}

func (t *Trace) add(d Decision, also []Feature) {
	if len(also) > 0 {
		d.Features = map[string]int64{}
		for _, f := range also {
			d.Features[f.Name] = f.Value
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	same := func(x Decision) bool {
		return x.Rule == d.Rule && x.N == d.N && x.All == d.All && x.Value == d.Value
	}
	if !slices.ContainsFunc(t.list, same) {
		t.list = append(t.list, d)
	}
}

// Decisions returns the decisions so far, each once, by the order of the table.
func (t *Trace) Decisions() []Decision {
	t.mu.Lock()
	list := slices.Clone(t.list)
	t.mu.Unlock()
	at := map[string]int{}
	for i, r := range table {
		at[r.Name] = i
	}
	slices.SortStableFunc(list, func(a, b Decision) int { return cmp.Compare(at[a.Rule], at[b.Rule]) })
	return list
}
