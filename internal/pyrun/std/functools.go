package std

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

func functionModules() map[string]func(in *object.Interp) map[string]object.Value {
	return map[string]func(in *object.Interp) map[string]object.Value{
		"functools": fixed(functoolsModule), "itertools": fixed(itertoolsModule),
		"contextlib":  fixed(contextlibModule),
		"copy":        fixed(copyModule),
		"collections": fixed(collectionsModule),
	}
}

func copyModule() map[string]object.Value {
	return named(map[string]object.Value{}, object.Native("copy", "x", shallowCopy),
		object.Native("deepcopy", "x memo=", deepCopy))
}

// partial is functools.partial: a function with some of its arguments.
type partial struct {
	Fn   object.Value
	Args []object.Value
	Kws  []object.Keyword
}

// TypeName returns "partial".
func (*partial) TypeName() string { return "partial" }

// Call adds arguments and calls the function. Keywords given now replace those given before.
func (p *partial) Call(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
	q := p.with(args, kws)
	return object.Call(in, q.Fn, q.Args, q.Kws)
}

// with returns a function with further arguments: a keyword replaces that of the same name.
func (p *partial) with(args []object.Value, kws []object.Keyword) *partial {
	merged := slices.Clone(p.Kws)
	for _, k := range kws {
		same := func(o object.Keyword) bool { return o.Name == k.Name }
		if i := slices.IndexFunc(merged, same); i >= 0 {
			merged[i].Value = k.Value
		} else {
			merged = append(merged, k)
		}
	}
	return &partial{p.Fn, slices.Concat(p.Args, args), merged}
}

// Attr returns func, args or keywords.
func (p *partial) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	switch name {
	case "func":
		return p.Fn, true, nil
	case "args":
		return object.NewTuple(p.Args...), true, nil
	case "keywords":
		d := object.NewDict()
		for _, k := range p.Kws {
			d.SetStr(k.Name, k.Value)
		}
		return d, true, nil
	}
	return nil, false, nil
}

// cached is functools.cache and lru_cache: a function that remembers its results.
type cached struct {
	fn      object.Value
	results *object.Dict
	hits    int64
}

func (*cached) TypeName() string { return "_lru_cache_wrapper" }

func (c *cached) Call(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
	key := object.NewTuple(args...)
	for _, k := range kws {
		key.Items = append(key.Items, object.Str(k.Name), k.Value)
	}
	key = object.NewTuple(key, object.MakeInt(int64(len(kws))))
	v, ok, err := c.results.Get(in, key)
	if err != nil {
		return nil, err
	}
	if ok {
		c.hits++
		return v, nil
	}
	if v, err = object.Call(in, c.fn, args, kws); err != nil {
		return nil, err
	}
	return v, c.results.Set(in, key, v)
}

func (c *cached) Attr(in *object.Interp, name string) (object.Value, bool, error) {
	switch name {
	case "__wrapped__":
		return c.fn, true, nil
	case "cache_clear":
		return object.Native(name, "", func(*object.Interp, []object.Value) (object.Value, error) {
			c.results = object.NewDict()
			return object.None, nil
		}), true, nil
	case "cache_info":
		return object.Native(name, "", func(*object.Interp, []object.Value) (object.Value, error) {
			return object.NewTuple(object.MakeInt(c.hits), object.MakeInt(int64(c.results.Len())),
				object.None, object.MakeInt(int64(c.results.Len()))), nil
		}), true, nil
	}
	return in.FindAttr(c.fn, name)
}

// Get binds the cached function as a method.
func (c *cached) Get(_ *object.Interp, instance, _ object.Value) (object.Value, error) {
	if instance == nil {
		return c, nil
	}
	return &object.BoundMethod{Self: instance, Fn: c}, nil
}

// wrapped returns the function behind one that only adds to it: functools.wraps, lru_cache.
func wrapped(v object.Value) (object.Value, bool) {
	switch v := v.(type) {
	case *cached:
		return v.fn, true
	case *pyrun.Func:
		w, ok := v.Attrs["__wrapped__"]
		return w, ok
	case *object.Unknown:
		return v.Wrapped()
	}
	return nil, false
}

func newCached(_ *object.Interp, a []object.Value) (object.Value, error) {
	switch a[0].(type) {
	case nil, object.NoneType, object.Int:
		return object.Native("lru_cache", "fn",
			func(_ *object.Interp, b []object.Value) (object.Value, error) {
				return &cached{fn: b[0], results: object.NewDict()}, nil
			}), nil
	}
	return &cached{fn: a[0], results: object.NewDict()}, nil
}

func functoolsModule() map[string]object.Value {
	return named(map[string]object.Value{},
		&object.Builtin{Name: "partial",
			Fn: func(_ *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
				if len(args) == 0 {
					return nil, object.Errorf(object.TypeError, "type 'partial' takes at least one argument")
				}
				if p, ok := args[0].(*partial); ok {
					return p.with(args[1:], kws), nil
				}
				return &partial{args[0], args[1:], kws}, nil
			}},
		object.Native("lru_cache", "maxsize= typed=", newCached), object.Native("cache", "fn", newCached),
		object.Native("wraps", "wrapped **kws",
			func(_ *object.Interp, a []object.Value) (object.Value, error) {
				return object.Native("wraps", "fn",
					func(in *object.Interp, b []object.Value) (object.Value, error) {
						return wraps(in, a[0], b[0])
					}), nil
			}),
		object.Native("update_wrapper", "fn wrapped **kws",
			func(in *object.Interp, a []object.Value) (object.Value, error) { return wraps(in, a[1], a[0]) }),
		object.Native("reduce", "fn iterable initial=", reduce),
		object.Native("cmp_to_key", "fn", cmpToKey),
		object.Native("cached_property", "fn",
			func(_ *object.Interp, a []object.Value) (object.Value, error) {
				if f, ok := a[0].(*pyrun.Func); ok {
					return &cachedProperty{f}, nil
				}
				return a[0], nil
			}),
		object.Native("total_ordering", "cls", totalOrdering),
		same("singledispatch"),
	)
}

// cachedProperty is functools.cached_property: the first read keeps its result with the instance.
type cachedProperty struct{ fn *pyrun.Func }

func (*cachedProperty) TypeName() string { return "cached_property" }

// Get calls the function, or returns what it returned before.
func (p *cachedProperty) Get(in *object.Interp, instance, _ object.Value) (object.Value, error) {
	v, ok := instance.(*object.Instance)
	if !ok {
		return p, nil
	}
	if x, ok := v.Attrs.GetStr(p.fn.Name); ok {
		return x, nil
	}
	x, err := object.Call(in, p.fn, []object.Value{v}, nil)
	if err == nil {
		v.Attrs.SetStr(p.fn.Name, x)
	}
	return x, err
}

// wraps gives a function the name and the attributes of another.
func wraps(_ *object.Interp, wrapped, v object.Value) (object.Value, error) {
	f, ok := v.(*pyrun.Func)
	if !ok {
		return v, nil
	}
	if f.Attrs == nil {
		f.Attrs = map[string]object.Value{}
	}
	f.Attrs["__wrapped__"] = wrapped
	if w, ok := wrapped.(*pyrun.Func); ok {
		f.Attrs["__name__"], f.Attrs["__qualname__"], f.Attrs["__doc__"] = object.Str(w.Name),
			object.Str(w.QualName), object.Str("")
		if w.Def != nil {
			f.Attrs["__doc__"] = object.Docstring(w.Def.Body)
		}
		for k, x := range w.Attrs {
			if _, ok := f.Attrs[k]; !ok {
				f.Attrs[k] = x
			}
		}
	}
	return f, nil
}

func reduce(in *object.Interp, a []object.Value) (object.Value, error) {
	items, err := object.Iterate(in, a[1])
	if err != nil {
		return nil, err
	}
	acc := a[2]
	if acc == nil {
		if len(items) == 0 {
			return nil, object.Errorf(object.TypeError, "reduce() of empty iterable with no initial value")
		}
		acc, items = items[0], items[1:]
	}
	for _, x := range items {
		if acc, err = object.Call(in, a[0], []object.Value{acc, x}, nil); err != nil {
			return nil, err
		}
	}
	return acc, nil
}

// sortKey is a value with the order of the function given to cmp_to_key.
type sortKey struct{ fn, v object.Value }

func (*sortKey) TypeName() string { return "K" }

func (k *sortKey) Compare(in *object.Interp, op python.CmpOperator, other object.Value) (object.Value,
	error) {
	o, ok := other.(*sortKey)
	if !ok {
		return nil, nil
	}
	r, err := object.Call(in, k.fn, []object.Value{k.v, o.v}, nil)
	if err != nil {
		return nil, err
	}
	return object.Compare(in, op, r, object.MakeInt(0))
}

func cmpToKey(_ *object.Interp, a []object.Value) (object.Value, error) {
	return object.Native("K", "obj", func(_ *object.Interp, b []object.Value) (object.Value, error) {
		return &sortKey{a[0], b[0]}, nil
	}), nil
}

// totalOrdering adds the comparisons that a class lacks, made of __lt__ (or one of its kin) and __eq__.
func totalOrdering(in *object.Interp, a []object.Value) (object.Value, error) {
	c, ok := a[0].(*object.Class)
	if !ok {
		return a[0], nil
	}
	have := func(name string) bool { _, owner := c.FindIn(name); return owner != nil && !owner.Builtin }
	add := func(name string, f func(in *object.Interp, x, y object.Value) (bool, error)) {
		if !have(name) {
			c.Attrs.SetStr(name,
				object.NewMethod(name, "other",
					func(in *object.Interp, a []object.Value) (object.Value, error) {
						t, err := f(in, a[0], a[1])
						return object.Bool(t), err
					}))
		}
	}
	less := func(op python.CmpOperator, flip, negate bool) func(in *object.Interp, x, y object.Value) (bool,
		error) {
		return func(in *object.Interp, x, y object.Value) (bool, error) {
			if flip {
				x, y = y, x
			}
			v, err := object.Compare(in, op, x, y)
			t, err := object.TruthOf(in, v, err)
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
	default:
		return nil, object.Errorf(object.ValueError, "must define at least one ordering operation: < > <= >=")
	}
	return c, nil
}

func shallowCopy(in *object.Interp, a []object.Value) (object.Value, error) {
	if fn := object.Special(a[0], "__copy__"); fn != nil {
		return in.CallSpecial(a[0], fn)
	}
	switch x := a[0].(type) {
	case *object.List:
		return &object.List{Items: append([]object.Value{},
			x.Items...)}, in.Alloc(len(x.Items) * object.ValueSize)
	case *object.Dict:
		return x.Copy(), in.Alloc(x.Len() * 4 * object.ValueSize)
	case *object.Set:
		return x.Copy(x.Frozen), in.Alloc(x.Len() * 4 * object.ValueSize)
	case *object.Instance:
		c := &object.Instance{Class: x.Class, Attrs: x.Attrs.Copy(), Payload: x.Payload}
		if x.Payload != nil {
			p, err := shallowCopy(in, []object.Value{x.Payload})
			if err != nil {
				return nil, err
			}
			c.Payload = p
		}
		return c, in.Alloc(x.Attrs.Len() * 4 * object.ValueSize)
	}
	return a[0], nil
}

func deepCopy(in *object.Interp, a []object.Value) (object.Value, error) {
	return deepCopyOf(in, a[0], map[object.Value]object.Value{})
}

func deepCopyOf(in *object.Interp, v object.Value, seen map[object.Value]object.Value) (object.Value, error) {
	switch v.(type) {
	case *object.List, *object.Dict, *object.Set, *object.Tuple, *object.Instance:
	default:
		return v, nil
	}
	if c, ok := seen[v]; ok {
		return c, nil
	}
	if err := in.Enter(); err != nil {
		return nil, err
	}
	defer in.Leave()
	if err := in.Alloc(2 * object.ValueSize); err != nil {
		return nil, err
	}
	if fn := object.Special(v, "__deepcopy__"); fn != nil {
		return in.CallSpecial(v, fn, object.NewDict())
	}
	all := func(items []object.Value) ([]object.Value, error) {
		out := make([]object.Value, len(items))
		for i, x := range items {
			y, err := deepCopyOf(in, x, seen)
			if err != nil {
				return nil, err
			}
			out[i] = y
		}
		return out, in.Alloc(len(items) * object.ValueSize)
	}
	switch x := v.(type) {
	case *object.List:
		c := &object.List{}
		seen[v] = c
		items, err := all(x.Items)
		c.Items = items
		return c, err
	case *object.Tuple:
		items, err := all(x.Items)
		return &object.Tuple{Items: items, Class: x.Class}, err
	case *object.Dict:
		c := &object.Dict{Name: x.Name, Default: x.Default}
		seen[v] = c
		return c, copyInto(in, c, x, seen)
	case *object.Set:
		return x.Copy(x.Frozen), nil
	}
	x := v.(*object.Instance)
	if x.Class.IsEnum() {
		return v, nil
	}
	c := &object.Instance{Class: x.Class, Attrs: object.NewDict(), Payload: x.Payload}
	seen[v] = c
	if x.Payload != nil {
		p, err := deepCopyOf(in, x.Payload, seen)
		if err != nil {
			return nil, err
		}
		c.Payload = p
	}
	return c, copyInto(in, c.Attrs, x.Attrs, seen)
}

func copyInto(in *object.Interp, to, from *object.Dict, seen map[object.Value]object.Value) error {
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
