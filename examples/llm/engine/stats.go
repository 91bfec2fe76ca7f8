package engine

import (
	"sync"
	"sync/atomic"
	"time"
)

// Stats counts what an engine does.
type Stats struct {
	Waiting, Running              atomic.Int64
	Refused                       atomic.Int64
	PromptTokens, GeneratedTokens atomic.Int64
	SharedTokens                  atomic.Int64 // of prompts, that the cache had already
	FirstToken, NextToken         Histogram    // seconds: from arrival to the first token; of a step
	pages                         func() int

	mu   sync.Mutex
	ends map[string]int64
}

// Pages returns how many pages of the cache are in use.
func (s *Stats) Pages() int { return s.pages() }

func (s *Stats) finished(how string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ends == nil {
		s.ends = map[string]int64{}
	}
	s.ends[how]++
}

// Ends returns how many requests ended in each way.
func (s *Stats) Ends() map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	ends := map[string]int64{}
	for how, n := range s.ends {
		ends[how] = n
	}
	return ends
}

// Bounds are the upper bounds of a histogram's buckets, in seconds.
var Bounds = [...]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}

// Histogram counts durations.
type Histogram struct {
	mu      sync.Mutex
	buckets [len(Bounds) + 1]int64
	sum     float64
}

func (h *Histogram) add(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	v, i := d.Seconds(), 0
	for i < len(Bounds) && v > Bounds[i] {
		i++
	}
	h.buckets[i]++
	h.sum += v
}

// Values returns how many durations were up to each bound, and how many and how long all of them.
func (h *Histogram) Values() (upTo [len(Bounds)]int64, count int64, sum float64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, n := range h.buckets {
		count += n
		if i < len(upTo) {
			upTo[i] = count
		}
	}
	return upTo, count, h.sum
}
