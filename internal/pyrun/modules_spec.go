package pyrun

// moduleSpec is what importlib.util.find_spec answers: a module that could be imported. The module is there already, since
// finding it and evaluating what is used of it are one thing here; the loader has nothing left to do.
type moduleSpec struct {
	namespace
	module Value
}

func newModuleSpec(name string, m Value) *moduleSpec {
	loader := &namespace{"SourceFileLoader", named(map[string]Value{"name": Str(name)}, nothing("exec_module"), nothing("create_module"))}
	s := &moduleSpec{namespace{"ModuleSpec", map[string]Value{"name": Str(name), "origin": None, "loader": loader}}, m}
	if m, ok := m.(*Module); ok && m.File != "" {
		s.attrs["origin"] = Str(m.File)
	}
	return s
}

func importlibUtil(*Interp) map[string]Value {
	return named(map[string]Value{},
		native("find_spec", "name package=", findSpec),
		native("module_from_spec", "spec", func(_ *Interp, a []Value) (Value, error) {
			if s, ok := a[0].(*moduleSpec); ok {
				return s.module, nil
			}
			return nil, Errorf(AttributeError, "'%s' object has no attribute 'loader'", a[0].TypeName())
		}))
}

func findSpec(in *Interp, a []Value) (Value, error) {
	name, err := text(a[0])
	if err != nil {
		return nil, err
	}
	v, err := From(in).TryModule(name)
	if e, ok := catchable(err); ok && e.IsA(ImportError) {
		return None, nil
	}
	if err != nil {
		return nil, err
	}
	return newModuleSpec(name, v), nil
}
