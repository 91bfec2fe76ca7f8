package autotune

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
)

// Store keeps records. Its methods are safe for concurrent use.
type Store interface {
	// Load fills in the timings that are kept for the record's kernel, key, device, compiler and source, and
	// reports whether there are any.
	Load(ctx context.Context, r *Record) bool
	// Save keeps a record. A store that keeps nothing returns no error.
	Save(r *Record) error
	// Lock keeps others from tuning what the record is about, or returns without a lock if there can be none.
	Lock(ctx context.Context, r *Record) (unlock func())
}

// Layers is a Store of several, the nearest first. Load takes the union of their timings; where two have
// measured a config, the nearer counts.
type Layers []Store

// Load implements Store.
func (l Layers) Load(ctx context.Context, r *Record) (found bool) {
	for _, s := range l {
		kept := *r
		kept.Timings, kept.Best = nil, ""
		if s.Load(ctx, &kept) {
			r.Add(&kept)
			found = true
		}
	}
	return found
}

// Save implements Store: every layer keeps the record.
func (l Layers) Save(r *Record) error {
	var errs []error
	for _, s := range l {
		errs = append(errs, s.Save(r))
	}
	return errors.Join(errs...)
}

// Lock implements Store: the nearest layer is locked first, so that one process of a machine asks the others.
func (l Layers) Lock(ctx context.Context, r *Record) (unlock func()) {
	var all []func()
	for _, s := range l {
		all = append(all, s.Lock(ctx, r))
	}
	return func() {
		for _, unlock := range slices.Backward(all) {
			unlock()
		}
	}
}

// Memory is a Store in this process. The zero value is empty.
type Memory struct {
	mu      sync.Mutex
	records map[string]*Record
}

// Load implements Store.
func (m *Memory) Load(_ context.Context, r *Record) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept, ok := m.records[r.id()]
	if ok {
		c := kept.clone()
		r.Timings, r.Best = c.Timings, c.Best
	}
	return ok
}

// Save implements Store.
func (m *Memory) Save(r *Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records == nil {
		m.records = map[string]*Record{}
	}
	c := r.clone()
	c.Version = version
	m.records[r.id()] = c
	return nil
}

// Lock implements Store: Begin already keeps others of this process out.
func (m *Memory) Lock(context.Context, *Record) (unlock func()) { return func() {} }

// Merge adds records; timings that are there already stay.
func (m *Memory) Merge(list []*Record) {
	for _, r := range list {
		c := *r
		c.Timings, c.Best = nil, ""
		m.Load(context.Background(), &c)
		c.Add(r)
		m.Save(&c)
	}
}

// All returns the records, by kernel and key.
func (m *Memory) All() []*Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]*Record, 0, len(m.records))
	for _, r := range m.records {
		out = append(out, r.clone())
	}
	SortRecords(out)
	return out
}

// SortRecords sorts by kernel, key, and whatever else tells records apart.
func SortRecords(list []*Record) {
	slices.SortFunc(list, func(a, b *Record) int {
		return cmp.Or(strings.Compare(a.Kernel, b.Kernel), slices.Compare(a.Key, b.Key),
			strings.Compare(a.Device, b.Device), strings.Compare(a.id(), b.id()))
	})
}

// Encode writes records as Decode reads them.
func Encode(list []*Record) ([]byte, error) {
	if list == nil {
		list = []*Record{}
	}
	data, err := json.MarshalIndent(list, "", "  ")
	return append(data, '\n'), err
}
