// Package intern keeps one value for each key, so that equal values are the same pointer, for as long as
// somebody holds the value: tables refer to their values weakly, and a server that compiles for years keeps
// only the values in use.
package intern

import (
	"sync"
	"weak"
)

// Table holds one *V for each key. Its zero value is empty; many goroutines may use it.
//
// A key names the parts of its value that are interned themselves by their addresses (Address), never by
// pointers: a pointer in a key would keep the part alive until the key is swept out. An address is a safe
// name because the value holds its parts: no other part has that address while the value lives, and a value
// that is dead is not found.
type Table[K comparable, V any] struct {
	mu    sync.RWMutex
	m     map[K]weak.Pointer[V]
	limit int // the number of keys at which those of dead values are swept out
}

// minLimit is the smallest number of keys that is worth a sweep.
const minLimit = 1024

// Get returns the value of a key, which create makes where there is none alive. create must not use the
// table.
func (t *Table[K, V]) Get(k K, create func() *V) *V {
	t.mu.RLock()
	w := t.m[k]
	t.mu.RUnlock()
	if v := w.Value(); v != nil {
		return v
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if v := t.m[k].Value(); v != nil {
		return v
	}
	if len(t.m) >= t.limit {
		t.sweep()
	}
	v := create()
	t.m[k] = weak.Make(v)
	return v
}

// sweep drops the keys of dead values. The next sweep is due when the table has twice the keys left, so that
// sweeping costs a constant time for each key.
func (t *Table[K, V]) sweep() {
	live := 0
	for _, w := range t.m {
		if w.Value() != nil {
			live++
		}
	}
	t.limit = max(minLimit, 2*live)
	m := make(map[K]weak.Pointer[V], live+live/4) // a map never shrinks
	for k, w := range t.m {
		if w.Value() != nil {
			m[k] = w
		}
	}
	t.m = m
}

// Len returns the number of keys, those of dead values among them.
func (t *Table[K, V]) Len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.m)
}
