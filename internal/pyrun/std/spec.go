package std

import (
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// moduleSpec is the result of importlib.util.find_spec: a module that could be imported. The module is found
// already and is evaluated when it is used, so that the loader has nothing left to do.
type moduleSpec struct {
	object.Namespace
	module object.Value
}

func newModuleSpec(name string, m object.Value) *moduleSpec {
	loader := &object.Namespace{Name: "SourceFileLoader",
		Attrs: named(map[string]object.Value{"name": object.Str(name)}, nothing("exec_module"),
			nothing("create_module"))}
	s := &moduleSpec{object.Namespace{Name: "ModuleSpec",
		Attrs: map[string]object.Value{"name": object.Str(name), "origin": object.None, "loader": loader}}, m}
	if m, ok := m.(*pyrun.Module); ok && m.File != "" {
		s.Attrs["origin"] = object.Str(m.File)
	}
	return s
}

func importlibUtil(*object.Interp) map[string]object.Value {
	return named(map[string]object.Value{},
		object.Native("find_spec", "name package=", findSpec),
		object.Native("module_from_spec", "spec",
			func(_ *object.Interp, a []object.Value) (object.Value, error) {
				if s, ok := a[0].(*moduleSpec); ok {
					return s.module, nil
				}
				return nil, object.Errorf(object.AttributeError, "'%s' object has no attribute 'loader'",
					a[0].TypeName())
			}))
}

func findSpec(in *object.Interp, a []object.Value) (object.Value, error) {
	name, err := object.Text(a[0])
	if err != nil {
		return nil, err
	}
	v, err := pyrun.From(in).TryModule(name)
	if e, ok := object.Catchable(err); ok && e.IsA(object.ImportError) {
		return object.None, nil
	}
	if err != nil {
		return nil, err
	}
	return newModuleSpec(name, v), nil
}
