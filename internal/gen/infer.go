package gen

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/signature"
)

// kind is what a parameter is, as far as Go needs to know.
type kind int

const (
	unknown kind = iota
	tensor
	descriptor
	integer
	float
	number // an integer or a float: both make sense
	boolean
	text
	dtype
	other // whatever Launch takes
)

// file is what inference looks at: the functions of a file, by name.
type file struct {
	funcs map[string]*python.FunctionDef
	known map[string]*flow             // of functions looked at; nil while one is
	ints  map[string]map[string]string // the same of their tensors of integers
}

func newFile(m *python.Module) *file {
	f := &file{map[string]*python.FunctionDef{}, map[string]*flow{}, map[string]map[string]string{}}
	python.Inspect(m, func(n python.Node) bool {
		if fn, ok := n.(*python.FunctionDef); ok && f.funcs[fn.Name] == nil {
			f.funcs[fn.Name] = fn
		}
		return true
	})
	f.addNested("", m.Body)
	return f
}

// addNested adds the functions in functions and classes by their dotted names.
func (f *file) addNested(prefix string, list []python.Stmt) {
	for _, st := range list {
		switch st := st.(type) {
		case *python.FunctionDef:
			if prefix != "" {
				f.funcs[prefix+st.Name] = st
			}
			f.addNested(prefix+st.Name+".", st.Body)
		case *python.ClassDef:
			f.addNested(prefix+st.Name+".", st.Body)
		case *python.If:
			f.addNested(prefix, st.Body)
			f.addNested(prefix, st.Orelse)
		case *python.Try:
			f.addNested(prefix, st.Body)
		}
	}
}

// mentions reports whether a function's body names a parameter.
func (f *file) mentions(name, param string) bool {
	fn, found := f.funcs[name], false
	if fn == nil {
		return false
	}
	for _, s := range fn.Body {
		python.Inspect(s, func(n python.Node) bool {
			x, ok := n.(*python.Name)
			found = found || ok && x.ID == param
			return !found
		})
	}
	return found
}

// kinds are the kinds of a function's parameters, as its body shows them.
func (f *file) kinds(name string) map[string]kind {
	if fl := f.follow(name); fl != nil {
		return fl.kind
	}
	return nil
}

// follow follows the parameters of a function through its body. It is nil for an unknown function, and for
// one that is being followed: what calls itself learns nothing from it.
func (f *file) follow(name string) *flow {
	if fl, ok := f.known[name]; ok {
		return fl
	}
	fn := f.funcs[name]
	if fn == nil {
		return nil
	}
	f.known[name] = nil
	fl := newFlow(f, fn)
	fl.run()
	f.known[name] = fl
	return fl
}

// paramKind is the kind of a parameter: what its annotation or default says, or else the body.
func (f *file) paramKind(fn string, p lang.Param) kind {
	if k := annotated(p.Type); k != unknown {
		return k
	}
	found := f.kinds(fn)[p.Name]
	if p.Constexpr {
		return constKind(p, found)
	}
	switch {
	case f.indexed(fn, p.Name):
		return other // a tuple
	case found != unknown:
		return found
	case p.Default == signature.None || namesPointer(p.Name):
		return tensor
	}
	switch defaultOf(p).(type) {
	case object.Int:
		return integer
	case object.Bool:
		return boolean
	}
	if !f.mentioned(fn, p.Name) {
		return other // whatever it is, the kernel does not mind
	}
	return number
}

// mentioned reports whether a function's body names a parameter.
func (f *file) mentioned(fn, name string) bool {
	found := false
	if def := f.funcs[fn]; def != nil {
		for _, s := range def.Body {
			python.Inspect(s, func(n python.Node) bool {
				v, ok := n.(*python.Name)
				found = found || ok && v.ID == name
				return !found
			})
		}
	}
	return found
}

// indexed reports whether a function's body takes an element of a parameter, as of a tuple: p[0], p[i].
// Blocks have slices and None between their brackets.
func (f *file) indexed(fn, name string) bool {
	found := false
	if def := f.funcs[fn]; def != nil {
		for _, s := range def.Body {
			python.Inspect(s, func(n python.Node) bool {
				if e, ok := n.(*python.Subscript); ok {
					v, isName := e.Value.(*python.Name)
					found = found || isName && v.ID == name && isIndex(e.Slice)
				}
				return !found
			})
		}
	}
	return found
}

// isIndex reports whether what stands between brackets is one integer.
func isIndex(e python.Expr) bool {
	switch e := e.(type) {
	case *python.Constant:
		return e.Value != nil
	case *python.Name, *python.BinOp, *python.UnaryOp:
		return true
	}
	return false
}

// annotated is the kind that an annotation fixes.
func annotated(t string) kind {
	switch {
	case t == "":
		return unknown
	case strings.HasPrefix(t, "*"):
		return tensor
	case t == "u1":
		return boolean
	case strings.HasPrefix(t, "fp") || t == "bf16":
		return float
	}
	return integer
}

// defaultOf returns the default of a parameter, nil if it has none.
func defaultOf(p lang.Param) object.Value {
	if p.Default == nil {
		return nil
	}
	return lang.ValueOf(p.Default)
}

// constKind is the kind of a compile-time parameter.
func constKind(p lang.Param, found kind) kind {
	switch defaultOf(p).(type) {
	case nil:
	case object.Bool:
		return boolean
	case object.Int:
		return integer
	case object.Float:
		return float
	case object.Str:
		return text
	case *sem.DType:
		return dtype
	default:
		return other
	}
	switch found {
	case integer, boolean, text, dtype:
		return found
	}
	return other
}

// namesPointer: names say something too, where nothing else does.
func namesPointer(name string) bool {
	n := strings.ToLower(name)
	return strings.HasSuffix(n, "ptr") || strings.HasSuffix(n, "ptrs") || strings.HasPrefix(n, "ptr_") ||
		strings.HasSuffix(n, "pointer")
}
