package pyrun

import "github.com/nereid-lang/nereid/internal/pyrun/object"

// fromStars looks a name up in the modules from which all names were imported before a time.
func (m *Module) fromStars(in *object.Interp, name string, at int) (object.Value, bool, error) {
	if len(m.stars) == 0 || object.IsDunder(name) && name != "__all__" {
		return nil, false, nil
	}
	key := m.File + "\x00" + name
	if From(in).finding[key] > 0 {
		return nil, false, nil
	}
	From(in).finding[key]++
	defer func() { From(in).finding[key]-- }()
	for i := len(m.stars) - 1; i >= 0; i-- {
		if m.stars[i].number > at {
			continue
		}
		v, ok, err := m.fromStar(in, m.stars[i], name)
		if ok || err != nil {
			return v, ok, err
		}
	}
	return nil, false, nil
}

func (m *Module) fromStar(in *object.Interp, u *unit, name string) (object.Value, bool, error) {
	if err := m.run(in, u); err != nil {
		return nil, false, ignoreImport(err)
	}
	for i := len(u.stars) - 1; i >= 0; i-- {
		if ok, err := u.stars[i].exports(in, name); err != nil {
			return nil, false, err
		} else if !ok {
			continue
		}
		v, ok, err := u.stars[i].Get(in, name)
		if ok || err != nil {
			object.Locate(err, u.stmt.Span())
			return v, ok, err
		}
	}
	return nil, false, nil
}

// fromDynamic looks a name up among those that were bound through globals(). It passes over a statement that
// fails: nobody can tell which names that would have bound.
func (m *Module) fromDynamic(in *object.Interp, name string) (object.Value, bool) {
	if object.IsDunder(name) {
		return nil, false
	}
	for i := len(m.dynamic) - 1; i >= 0; i-- {
		u := m.dynamic[i]
		if u.number >= m.now || m.run(in, u) != nil {
			continue
		}
		if v := m.versionAt(name, m.now); v != nil {
			return v.value, v.value != nil
		}
	}
	return nil, false
}

// ignoreImport drops the error of a star import that could not be made: the name may be elsewhere.
func ignoreImport(err error) error {
	if e, ok := object.Catchable(err); ok && e.IsA(object.ImportError) {
		return nil
	}
	return err
}

// exports reports whether `from m import *` takes a name.
func (m *Module) exports(in *object.Interp, name string) (bool, error) {
	all, ok, err := m.Get(in, "__all__")
	if err != nil {
		return false, err
	}
	if !ok {
		return name[0] != '_', nil
	}
	return object.Contains(in, all, object.Str(name))
}

// unknownStar returns an unknown package from which all names were imported, or nil.
func (m *Module) unknownStar(in *object.Interp) *object.Unknown {
	if m.File == "" {
		return nil
	}
	for _, u := range m.stars {
		if u.number < m.now && m.run(in, u) == nil && u.unknown != nil {
			return u.unknown
		}
	}
	return nil
}
