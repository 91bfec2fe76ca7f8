package std

import "github.com/nereid-lang/nereid/internal/pyrun/object"

// replaceData does what dataclasses.replace does.
func replaceData(in *object.Interp, a []object.Value) (object.Value, error) {
	v, ok := a[0].(*object.Instance)
	if !ok || dataFields(v.Class) == nil {
		if t, ok := a[0].(*object.Tuple); ok && t.Class != nil {
			replace, err := object.GetAttr(in, t, "_replace")
			if err != nil {
				return nil, err
			}
			return object.Call(in, replace, nil, object.KeywordsOf(a[1].(*object.Dict)))
		}
		return nil, object.Errorf(object.TypeError, "replace() should be called on dataclass instances")
	}
	changes := a[1].(*object.Dict)
	var kws []object.Keyword
	for _, f := range dataFields(v.Class) {
		if x, ok := changes.GetStr(f.name); ok {
			if !f.init {
				return nil, object.Errorf(object.ValueError,
					"field %s is declared with init=False, it cannot be specified with replace()", f.name)
			}
			kws = append(kws, object.Keyword{Name: f.name, Value: x})
			changes.DeleteStr(f.name)
		} else if f.init && !f.initOnly {
			kws = append(kws, object.Keyword{Name: f.name, Value: v.Attrs.MustStr(f.name)})
		}
	}
	return object.Call(in, v.Class, nil, append(kws, object.KeywordsOf(changes)...))
}

// asDict does what dataclasses.asdict does, and astuple, with tuples for instances.
func asDict(in *object.Interp, v object.Value, tuples bool) (object.Value, error) {
	if err := in.Enter(); err != nil {
		return nil, err
	}
	defer in.Leave()
	switch x := v.(type) {
	case *object.Instance:
		if dataFields(x.Class) == nil {
			return v, nil
		}
		d, t := object.NewDict(), object.NewTuple()
		for _, f := range dataFields(x.Class) {
			y, err := asDict(in, x.Attrs.MustStr(f.name), tuples)
			if err != nil {
				return nil, err
			}
			d.SetStr(f.name, y)
			t.Items = append(t.Items, y)
		}
		if tuples {
			return t, in.Alloc(d.Len() * 4 * object.ValueSize)
		}
		return d, in.Alloc(d.Len() * 4 * object.ValueSize)
	case *object.List:
		items, err := asDicts(in, x.Items, tuples)
		return &object.List{Items: items}, err
	case *object.Tuple:
		items, err := asDicts(in, x.Items, tuples)
		return &object.Tuple{Items: items, Class: x.Class}, err
	case *object.Dict:
		d := object.NewDict()
		for k, v := range x.All() {
			y, err := asDict(in, v, tuples)
			if err != nil {
				return nil, err
			}
			if err := d.Set(in, k, y); err != nil {
				return nil, err
			}
		}
		return d, nil
	}
	return v, nil
}

func asDicts(in *object.Interp, items []object.Value, tuples bool) ([]object.Value, error) {
	out := make([]object.Value, len(items))
	for i, x := range items {
		y, err := asDict(in, x, tuples)
		if err != nil {
			return nil, err
		}
		out[i] = y
	}
	return out, in.Alloc(len(out) * object.ValueSize)
}
