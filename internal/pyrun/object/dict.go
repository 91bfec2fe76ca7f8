package object

import (
	"iter"
	"maps"
	"slices"
)

// Dict is a dict, in the order of insertion, or a class derived from it.
type Dict struct {
	// Name is the type's name where it is not dict: OrderedDict, defaultdict, Counter.
	Name string
	// Default makes missing values (defaultdict); nil for others.
	Default Value

	entries []dictEntry
	strs    map[string]int // where a str is the key
	exact   map[any]int
	loose   map[any][]int
	live    int
}

type dictEntry struct {
	key, value Value // key is nil where the entry was deleted
	hash       any   // the key in one of the maps; nil for a plain str
}

// NewDict returns an empty dict.
func NewDict() *Dict { return &Dict{} }

// TypeName returns "dict", or the name of the derived class.
func (d *Dict) TypeName() string {
	if d.Name != "" {
		return d.Name
	}
	return "dict"
}

// Len returns the number of items.
func (d *Dict) Len() int { return d.live }

// All yields the items in order. They may change meanwhile; new ones are seen too.
func (d *Dict) All() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		for i := 0; i < len(d.entries); i++ {
			if e := d.entries[i]; e.key != nil && !yield(e.key, e.value) {
				return
			}
		}
	}
}

// GetStr returns the value of a str key.
func (d *Dict) GetStr(name string) (Value, bool) {
	i, ok := d.strs[name]
	if !ok {
		return nil, false
	}
	return d.entries[i].value, true
}

// SetStr sets the value of a str key.
func (d *Dict) SetStr(name string, v Value) {
	if i, ok := d.strs[name]; ok {
		d.entries[i].value = v
		return
	}
	if d.strs == nil {
		d.strs = map[string]int{}
	}
	d.strs[name] = d.add(Str(name), v, nil)
}

// DeleteStr deletes the entry of a name, and reports whether there was one.
func (d *Dict) DeleteStr(name string) bool {
	i, ok := d.strs[name]
	if ok {
		d.remove(i)
	}
	return ok
}

func (d *Dict) add(k, v Value, hash any) int {
	d.entries = append(d.entries, dictEntry{k, v, hash})
	d.live++
	return len(d.entries) - 1
}

// find returns the index of a key's entry, or -1.
func (d *Dict) find(in *Interp, k Value) (i int, key any, exact bool, err error) {
	key, exact, err = in.hashKey(k)
	if err != nil {
		return -1, nil, false, err
	}
	if s, ok := key.(string); ok {
		if i, ok := d.strs[s]; ok {
			return i, key, true, nil
		}
		return -1, key, true, nil
	}
	if exact {
		if i, ok := d.exact[key]; ok {
			return i, key, true, nil
		}
		if len(d.loose) == 0 {
			return -1, key, true, nil
		}
	}
	for _, i := range d.loose[key] {
		same, err := in.Same(d.entries[i].key, k)
		if err != nil {
			return -1, nil, false, err
		}
		if same {
			return i, key, exact, nil
		}
	}
	return -1, key, exact, nil
}

// Get returns the value of a key.
func (d *Dict) Get(in *Interp, k Value) (Value, bool, error) {
	i, _, _, err := d.find(in, k)
	if err != nil || i < 0 {
		return nil, false, err
	}
	return d.entries[i].value, true, nil
}

// Set sets the value of a key.
func (d *Dict) Set(in *Interp, k, v Value) error {
	i, key, exact, err := d.find(in, k)
	if err != nil {
		return err
	}
	if i >= 0 {
		d.entries[i].value = v
		return nil
	}
	if err := in.Alloc(4 * ValueSize); err != nil {
		return err
	}
	i = d.add(k, v, key)
	switch s, isStr := key.(string); {
	case isStr:
		if d.strs == nil {
			d.strs = map[string]int{}
		}
		d.strs[s] = i
	case exact:
		if d.exact == nil {
			d.exact = map[any]int{}
		}
		d.exact[key] = i
	default:
		if d.loose == nil {
			d.loose = map[any][]int{}
		}
		d.loose[key] = append(d.loose[key], i)
	}
	return nil
}

// Delete removes a key and reports whether it was there.
func (d *Dict) Delete(in *Interp, k Value) (bool, error) {
	i, _, _, err := d.find(in, k)
	if err != nil || i < 0 {
		return false, err
	}
	d.remove(i)
	return true, nil
}

// remove deletes entry i, and closes the gaps when they are more than half.
func (d *Dict) remove(i int) {
	switch hash := d.entries[i].hash.(type) {
	case nil:
		delete(d.strs, string(d.entries[i].key.(Str)))
	case string:
		delete(d.strs, hash)
	default:
		delete(d.exact, hash)
		if list := d.loose[hash]; list != nil {
			d.loose[hash] = slices.DeleteFunc(list, func(j int) bool { return j == i })
		}
	}
	d.entries[i] = dictEntry{}
	if d.live--; len(d.entries) > 16 && d.live < len(d.entries)/2 {
		d.compact()
	}
}

func (d *Dict) compact() {
	to := make([]int, len(d.entries))
	var kept []dictEntry
	for i, e := range d.entries {
		to[i] = len(kept)
		if e.key != nil {
			kept = append(kept, e)
		}
	}
	d.entries = kept
	for k, i := range d.strs {
		d.strs[k] = to[i]
	}
	for k, i := range d.exact {
		d.exact[k] = to[i]
	}
	for _, list := range d.loose {
		for j, i := range list {
			list[j] = to[i]
		}
	}
}

func (d *Dict) clear() { *d = Dict{Name: d.Name, Default: d.Default} }

// Copy returns a dict with the same entries.
func (d *Dict) Copy() *Dict {
	c := *d
	c.entries = slices.Clone(d.entries)
	c.strs, c.exact = maps.Clone(d.strs), maps.Clone(d.exact)
	c.loose = nil
	for k, list := range d.loose {
		if c.loose == nil {
			c.loose = map[any][]int{}
		}
		c.loose[k] = slices.Clone(list)
	}
	return &c
}

// Keys returns the keys in order.
func (d *Dict) Keys() []Value {
	keys := make([]Value, 0, d.live)
	for k := range d.All() {
		keys = append(keys, k)
	}
	return keys
}

func (d *Dict) values() []Value {
	values := make([]Value, 0, d.live)
	for _, v := range d.All() {
		values = append(values, v)
	}
	return values
}

func (d *Dict) items() []Value {
	items := make([]Value, 0, d.live)
	for k, v := range d.All() {
		items = append(items, NewTuple(k, v))
	}
	return items
}

// item returns d[k], with the default of a defaultdict.
func (d *Dict) item(in *Interp, k Value) (Value, error) {
	v, ok, err := d.Get(in, k)
	if err != nil || ok {
		return v, err
	}
	switch {
	case d.Default != nil && d.Default != None:
		v, err := Call(in, d.Default, nil, nil)
		if err != nil {
			return nil, err
		}
		return v, d.Set(in, k, v)
	case d.Name == "Counter":
		return MakeInt(0), nil
	}
	return nil, &Exception{Class: KeyError, Args: []Value{k}}
}

// Set is a set or a frozenset.
type Set struct {
	Frozen bool
	d      Dict
}

// TypeName returns "set" or "frozenset".
func (s *Set) TypeName() string {
	if s.Frozen {
		return "frozenset"
	}
	return "set"
}

// Len returns the number of elements.
func (s *Set) Len() int { return s.d.live }

// All yields the elements in the order of insertion.
func (s *Set) All() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for k := range s.d.All() {
			if !yield(k) {
				return
			}
		}
	}
}

// Has reports whether v is in the set.
func (s *Set) Has(in *Interp, v Value) (bool, error) {
	i, _, _, err := s.d.find(in, v)
	return i >= 0, err
}

// Add adds v.
func (s *Set) Add(in *Interp, v Value) error {
	if i, _, _, err := s.d.find(in, v); err != nil || i >= 0 {
		return err
	}
	return s.d.Set(in, v, None)
}

// Copy returns a set, or a frozenset, with the same elements.
func (s *Set) Copy(frozen bool) *Set { return &Set{Frozen: frozen, d: *s.d.Copy()} }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// MustStr returns the entry of a name, or None.
func (d *Dict) MustStr(name string) Value {
	v, _ := d.GetStr(name)
	return OrNone(v)
}
