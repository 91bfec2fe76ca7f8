package pyrun

import "github.com/nereid-lang/nereid/internal/python"

func functionModules() map[string]func(in *Interp) map[string]Value {
	return map[string]func(in *Interp) map[string]Value{
		"functools": fixed(functoolsModule), "itertools": fixed(itertoolsModule), "contextlib": fixed(contextlibModule),
		"copy":        fixed(copyModule),
		"collections": fixed(collectionsModule),
	}
}

func copyModule() map[string]Value {
	return named(map[string]Value{}, native("copy", "x", shallowCopy), native("deepcopy", "x memo=", deepCopy))
}

// Partial is functools.partial: a function with some of its arguments.
type Partial struct {
	Fn   Value
	Args []Value
	Kws  []Keyword
}

// TypeName is "partial".
func (*Partial) TypeName() string { return "partial" }

// Call adds arguments and calls the function. Keywords given now replace those given before.
func (p *Partial) Call(in *Interp, args []Value, kws []Keyword) (Value, error) {
	merged := append([]Keyword{}, p.Kws...)
next:
	for _, k := range kws {
		for i := range merged {
			if merged[i].Name == k.Name {
				merged[i].Value = k.Value
				continue next
			}
		}
		merged = append(merged, k)
	}
	return Call(in, p.Fn, append(append([]Value{}, p.Args...), args...), merged)
}

// Attr are func, args and keywords.
func (p *Partial) Attr(_ *Interp, name string) (Value, bool, error) {
	switch name {
	case "func":
		return p.Fn, true, nil
	case "args":
		return NewTuple(p.Args...), true, nil
	case "keywords":
		d := NewDict()
		for _, k := range p.Kws {
			d.SetStr(k.Name, k.Value)
		}
		return d, true, nil
	}
	return nil, false, nil
}

// cached is functools.cache and lru_cache: a function that remembers its results.
type cached struct {
	fn      Value
	results *Dict
	hits    int64
}

func (*cached) TypeName() string { return "_lru_cache_wrapper" }

func (c *cached) Call(in *Interp, args []Value, kws []Keyword) (Value, error) {
	key := NewTuple(args...)
	for _, k := range kws {
		key.Items = append(key.Items, Str(k.Name), k.Value)
	}
	key = NewTuple(key, MakeInt(int64(len(kws))))
	v, ok, err := c.results.Get(in, key)
	if err != nil {
		return nil, err
	}
	if ok {
		c.hits++
		return v, nil
	}
	if v, err = Call(in, c.fn, args, kws); err != nil {
		return nil, err
	}
	return v, c.results.Set(in, key, v)
}

func (c *cached) Attr(in *Interp, name string) (Value, bool, error) {
	switch name {
	case "__wrapped__":
		return c.fn, true, nil
	case "cache_clear":
		return native(name, "", func(*Interp, []Value) (Value, error) { c.results = NewDict(); return None, nil }), true, nil
	case "cache_info":
		return native(name, "", func(*Interp, []Value) (Value, error) {
			return NewTuple(MakeInt(c.hits), MakeInt(int64(c.results.Len())), None, MakeInt(int64(c.results.Len()))), nil
		}), true, nil
	}
	return in.getAttr(c.fn, name)
}

// Get binds the cached function as a method.
func (c *cached) Get(_ *Interp, instance, _ Value) (Value, error) {
	if instance == nil {
		return c, nil
	}
	return &BoundMethod{instance, c}, nil
}

// Wrapped is the function behind one that only adds to it: functools.wraps, lru_cache.
func Wrapped(v Value) (Value, bool) {
	switch v := v.(type) {
	case *cached:
		return v.fn, true
	case *Func:
		w, ok := v.Attrs["__wrapped__"]
		return w, ok
	case *Unknown:
		return v.Wrapped()
	}
	return nil, false
}

func newCached(_ *Interp, a []Value) (Value, error) {
	switch a[0].(type) {
	case nil, NoneType, Int:
		return native("lru_cache", "fn", func(_ *Interp, b []Value) (Value, error) { return &cached{fn: b[0], results: NewDict()}, nil }), nil
	}
	return &cached{fn: a[0], results: NewDict()}, nil
}

func functoolsModule() map[string]Value {
	return named(map[string]Value{},
		&Builtin{Name: "partial", Fn: func(_ *Interp, args []Value, kws []Keyword) (Value, error) {
			if len(args) == 0 {
				return nil, Errorf(TypeError, "type 'partial' takes at least one argument")
			}
			if p, ok := args[0].(*Partial); ok {
				return &Partial{p.Fn, append(append([]Value{}, p.Args...), args[1:]...), append(append([]Keyword{}, p.Kws...), kws...)}, nil
			}
			return &Partial{args[0], args[1:], kws}, nil
		}},
		native("lru_cache", "maxsize= typed=", newCached), native("cache", "fn", newCached),
		native("wraps", "wrapped **kws", func(_ *Interp, a []Value) (Value, error) {
			return native("wraps", "fn", func(in *Interp, b []Value) (Value, error) { return wraps(in, a[0], b[0]) }), nil
		}),
		native("update_wrapper", "fn wrapped **kws", func(in *Interp, a []Value) (Value, error) { return wraps(in, a[1], a[0]) }),
		native("reduce", "fn iterable initial=", reduce),
		native("cmp_to_key", "fn", cmpToKey),
		native("cached_property", "fn", func(_ *Interp, a []Value) (Value, error) {
			if f, ok := a[0].(*Func); ok {
				return &cachedProperty{f}, nil
			}
			return a[0], nil
		}),
		native("total_ordering", "cls", totalOrdering),
		same("singledispatch"),
	)
}

// cachedProperty is functools.cached_property: the first read keeps its result with the instance.
type cachedProperty struct{ fn *Func }

func (*cachedProperty) TypeName() string { return "cached_property" }

// Get calls the function, or returns what it returned before.
func (p *cachedProperty) Get(in *Interp, instance, _ Value) (Value, error) {
	v, ok := instance.(*Instance)
	if !ok {
		return p, nil
	}
	if x, ok := v.Attrs.GetStr(p.fn.Name); ok {
		return x, nil
	}
	x, err := Call(in, p.fn, []Value{v}, nil)
	if err == nil {
		v.Attrs.SetStr(p.fn.Name, x)
	}
	return x, err
}

// wraps gives a function the name of another.
func wraps(_ *Interp, wrapped, v Value) (Value, error) {
	f, ok := v.(*Func)
	if !ok {
		return v, nil
	}
	if f.Attrs == nil {
		f.Attrs = map[string]Value{}
	}
	f.Attrs["__wrapped__"] = wrapped
	if w, ok := wrapped.(*Func); ok {
		f.Attrs["__name__"], f.Attrs["__qualname__"], f.Attrs["__doc__"] = Str(w.Name), Str(w.QualName), Str("")
		if w.Def != nil {
			f.Attrs["__doc__"] = docstring(w.Def.Body)
		}
		for k, x := range w.Attrs {
			if _, ok := f.Attrs[k]; !ok {
				f.Attrs[k] = x
			}
		}
	}
	return f, nil
}

func reduce(in *Interp, a []Value) (Value, error) {
	items, err := Iterate(in, a[1])
	if err != nil {
		return nil, err
	}
	acc := a[2]
	if acc == nil {
		if len(items) == 0 {
			return nil, Errorf(TypeError, "reduce() of empty iterable with no initial value")
		}
		acc, items = items[0], items[1:]
	}
	for _, x := range items {
		if acc, err = Call(in, a[0], []Value{acc, x}, nil); err != nil {
			return nil, err
		}
	}
	return acc, nil
}

// sortKey is what cmp_to_key makes of a value.
type sortKey struct{ fn, v Value }

func (*sortKey) TypeName() string { return "K" }

func (k *sortKey) Compare(in *Interp, op python.CmpOperator, other Value) (Value, error) {
	o, ok := other.(*sortKey)
	if !ok {
		return nil, nil
	}
	r, err := Call(in, k.fn, []Value{k.v, o.v}, nil)
	if err != nil {
		return nil, err
	}
	return Compare(in, op, r, MakeInt(0))
}

func cmpToKey(_ *Interp, a []Value) (Value, error) {
	return native("K", "obj", func(_ *Interp, b []Value) (Value, error) { return &sortKey{a[0], b[0]}, nil }), nil
}

// totalOrdering adds the comparisons that a class lacks, made of __lt__ (or one of its kin) and __eq__.
func totalOrdering(in *Interp, a []Value) (Value, error) {
	c, ok := a[0].(*Class)
	if !ok {
		return a[0], nil
	}
	have := func(name string) bool { _, owner := c.findIn(name); return owner != nil && !owner.builtin }
	add := func(name string, f func(in *Interp, x, y Value) (bool, error)) {
		if !have(name) {
			c.Attrs.SetStr(name, newMethod(name, "other", func(in *Interp, a []Value) (Value, error) {
				t, err := f(in, a[0], a[1])
				return Bool(t), err
			}))
		}
	}
	less := func(op python.CmpOperator, flip, negate bool) func(in *Interp, x, y Value) (bool, error) {
		return func(in *Interp, x, y Value) (bool, error) {
			if flip {
				x, y = y, x
			}
			v, err := Compare(in, op, x, y)
			t, err := truthOf(in, v, err)
			return t != negate, err
		}
	}
	switch {
	case have("__lt__"):
		add("__gt__", less(python.Lt, true, false))
		add("__le__", less(python.Lt, true, true))
		add("__ge__", less(python.Lt, false, true))
	case have("__le__"):
		add("__lt__", less(python.LtE, true, true))
		add("__gt__", less(python.LtE, false, true))
		add("__ge__", less(python.LtE, true, false))
	case have("__gt__"):
		add("__lt__", less(python.Gt, true, false))
		add("__ge__", less(python.Gt, true, true))
		add("__le__", less(python.Gt, false, true))
	case have("__ge__"):
		add("__gt__", less(python.GtE, true, true))
		add("__lt__", less(python.GtE, false, true))
		add("__le__", less(python.GtE, true, false))
	}
	return c, nil
}

func shallowCopy(in *Interp, a []Value) (Value, error) {
	if fn := special(a[0], "__copy__"); fn != nil {
		return in.callSpecial(a[0], fn)
	}
	switch x := a[0].(type) {
	case *List:
		return &List{Items: append([]Value{}, x.Items...)}, in.alloc(len(x.Items) * valueSize)
	case *Dict:
		return x.copy(), in.alloc(x.Len() * 4 * valueSize)
	case *Set:
		return x.copy(x.Frozen), in.alloc(x.Len() * 4 * valueSize)
	case *Instance:
		c := &Instance{Class: x.Class, Attrs: x.Attrs.copy(), payload: x.payload}
		if x.payload != nil {
			p, err := shallowCopy(in, []Value{x.payload})
			if err != nil {
				return nil, err
			}
			c.payload = p
		}
		return c, in.alloc(x.Attrs.Len() * 4 * valueSize)
	}
	return a[0], nil
}

func deepCopy(in *Interp, a []Value) (Value, error) {
	return deepCopyOf(in, a[0], map[Value]Value{})
}

func deepCopyOf(in *Interp, v Value, seen map[Value]Value) (Value, error) {
	switch v.(type) {
	case *List, *Dict, *Set, *Tuple, *Instance:
	default:
		return v, nil
	}
	if c, ok := seen[v]; ok {
		return c, nil
	}
	if err := in.enter(); err != nil {
		return nil, err
	}
	defer in.leave()
	if err := in.alloc(2 * valueSize); err != nil {
		return nil, err
	}
	if fn := special(v, "__deepcopy__"); fn != nil {
		return in.callSpecial(v, fn, NewDict())
	}
	all := func(items []Value) ([]Value, error) {
		out := make([]Value, len(items))
		for i, x := range items {
			y, err := deepCopyOf(in, x, seen)
			if err != nil {
				return nil, err
			}
			out[i] = y
		}
		return out, in.alloc(len(items) * valueSize)
	}
	switch x := v.(type) {
	case *List:
		c := &List{}
		seen[v] = c
		items, err := all(x.Items)
		c.Items = items
		return c, err
	case *Tuple:
		items, err := all(x.Items)
		return &Tuple{Items: items, Class: x.Class}, err
	case *Dict:
		c := &Dict{Name: x.Name, Default: x.Default}
		seen[v] = c
		return c, copyInto(in, c, x, seen)
	case *Set:
		return x.copy(x.Frozen), nil
	}
	x := v.(*Instance)
	if x.Class.IsEnum() {
		return v, nil
	}
	c := &Instance{Class: x.Class, Attrs: NewDict(), payload: x.payload}
	seen[v] = c
	if x.payload != nil {
		p, err := deepCopyOf(in, x.payload, seen)
		if err != nil {
			return nil, err
		}
		c.payload = p
	}
	return c, copyInto(in, c.Attrs, x.Attrs, seen)
}

func copyInto(in *Interp, to, from *Dict, seen map[Value]Value) error {
	for k, x := range from.All() {
		y, err := deepCopyOf(in, x, seen)
		if err != nil {
			return err
		}
		if err := to.Set(in, k, y); err != nil {
			return err
		}
	}
	return nil
}
