package ir

import "sync"

// interner keeps one V for each key for the life of the process. The number of distinct types and attributes is bounded
// by the programs compiled, and a pointer comparison replaces every deep comparison.
type interner[K comparable, V any] struct {
	mu sync.RWMutex
	m  map[K]V
}

func (t *interner[K, V]) get(k K, make_ func() V) V {
	t.mu.RLock()
	v, ok := t.m[k]
	t.mu.RUnlock()
	if ok {
		return v
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if v, ok := t.m[k]; ok {
		return v
	}
	if t.m == nil {
		t.m = map[K]V{}
	}
	v = make_()
	t.m[k] = v
	return v
}
