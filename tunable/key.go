package tunable

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/run"
)

// keys finds the slot of parameters. Op has no type parameter for the key; this interface hides it.
type keys[P any] interface {
	find(dev *run.Device, p P) *slot
	make(dev *run.Device, p P) *slot
	text(p P) []string
}

// slot holds the choice for one key on one device.
type slot struct {
	choice atomic.Pointer[choice]
	gate   chan struct{} // full while somebody makes the choice
}

// place is a key on a device.
type place[K comparable] struct {
	dev *run.Device
	key K
}

// table is a map that is read without a lock. Slots that are new go to a second map, which becomes the first
// once it was needed as often as it has entries.
type table[P any, K comparable] struct {
	of   func(P) K
	read atomic.Pointer[slots[K]]

	mu     sync.Mutex
	all    map[place[K]]*slot
	misses int
}

// slots is a map that does not change. Few places are compared one after the other, which takes less time
// than a hash of the key.
type slots[K comparable] struct {
	few  []placed[K]
	many map[place[K]]*slot // nil if there are few
}

type placed[K comparable] struct {
	place place[K]
	slot  *slot
}

const maxFew = 8

func newSlots[K comparable](all map[place[K]]*slot) *slots[K] {
	if len(all) > maxFew {
		return &slots[K]{many: maps.Clone(all)}
	}
	s := &slots[K]{}
	for k, v := range all {
		s.few = append(s.few, placed[K]{k, v})
	}
	return s
}

// find returns the slot of parameters that have one which is read without a lock, else nil.
func (t *table[P, K]) find(dev *run.Device, p P) *slot {
	s := t.read.Load()
	if s == nil {
		return nil
	}
	at := place[K]{dev, t.of(p)}
	for i := range s.few {
		if x := &s.few[i]; x.place == at {
			return x.slot
		}
	}
	if s.many == nil {
		return nil
	}
	return s.many[at]
}

// make returns the slot of parameters.
func (t *table[P, K]) make(dev *run.Device, p P) *slot {
	at := place[K]{dev, t.of(p)}
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.all[at]
	if !ok {
		s = &slot{gate: make(chan struct{}, 1)}
		if t.all == nil {
			t.all = map[place[K]]*slot{}
		}
		t.all[at] = s
	}
	if t.misses++; t.misses >= len(t.all) {
		t.misses = 0
		t.read.Store(newSlots(t.all))
	}
	return s
}

// text returns the key as it is kept: the fields of a struct with their names, the elements of an array
// up to the last that is not zero, or one text.
func (t *table[P, K]) text(p P) []string {
	v := reflect.ValueOf(t.of(p))
	switch v.Kind() {
	case reflect.Struct:
		out := make([]string, v.NumField())
		for i := range out {
			out[i] = fieldName(v.Type().Field(i)) + "=" + valueText(v.Field(i))
		}
		return out
	case reflect.Array:
		n := v.Len()
		for n > 0 && v.Index(n-1).IsZero() {
			n--
		}
		out := make([]string, n)
		for i := range out {
			out[i] = valueText(v.Index(i))
		}
		return out
	}
	return []string{valueText(v)}
}

// fieldName returns the name of a key's field: that of the tag `tunable:"rows"`, or its own in lower case.
func fieldName(f reflect.StructField) string {
	if tag := f.Tag.Get("tunable"); tag != "" {
		return tag
	}
	return strings.ToLower(f.Name)
}

var typeDType = reflect.TypeFor[run.DType]()

// valueText returns a value as text. Methods of unexported fields cannot be called, so a DType is recognized
// by its type.
func valueText(v reflect.Value) string {
	if v.Type() == typeDType {
		return run.DType(v.Uint()).String()
	}
	return fmt.Sprint(v)
}

// checkKey returns an error for a type that cannot be kept: what it holds differs from process to process.
func checkKey(t reflect.Type) error {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if err := checkKey(t.Field(i).Type); err != nil {
				return err
			}
		}
	case reflect.Array:
		return checkKey(t.Elem())
	case reflect.Pointer, reflect.Interface, reflect.Chan, reflect.UnsafePointer:
		return fmt.Errorf("a key cannot hold a %s, which is another in each process: use numbers, strings "+
			"and types of elements", t)
	}
	return nil
}
