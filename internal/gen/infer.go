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
	used  map[string]*uses
}

func newFile(m *python.Module) *file {
	f := &file{map[string]*python.FunctionDef{}, map[string]*flow{}, map[string]map[string]string{},
		map[string]*uses{}}
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

// uses is what a function does with names: one walk answers the questions about all its parameters.
type uses struct {
	named   map[string]bool // in its body
	indexed map[string]bool // an element is taken of them, as of a tuple: p[0], p[i]
	called  map[string]bool // also in its decorators and defaults
	returns bool            // a value
}

// uses returns what a function does with names; nothing is known of one that the file does not define.
func (f *file) uses(name string) *uses {
	if u := f.used[name]; u != nil {
		return u
	}
	u := &uses{map[string]bool{}, map[string]bool{}, map[string]bool{}, false}
	f.used[name] = u
	fn := f.funcs[name]
	if fn == nil {
		return u
	}
	python.Inspect(fn, func(n python.Node) bool {
		if c, ok := n.(*python.Call); ok {
			addName(u.called, c.Func)
		}
		return true
	})
	for _, s := range fn.Body {
		python.Inspect(s, u.visit)
	}
	return u
}

// visit looks at a part of the function's body.
func (u *uses) visit(n python.Node) bool {
	switch n := n.(type) {
	case *python.Name:
		u.named[n.ID] = true
	case *python.Subscript: // blocks have slices and None between their brackets
		if isIndex(n.Slice) {
			addName(u.indexed, n.Value)
		}
	case *python.Return:
		if n.Value != nil {
			c, isConst := n.Value.(*python.Constant)
			u.returns = u.returns || !isConst || c.Value != nil
		}
	}
	return true
}

// addName adds an expression that is a name.
func addName(to map[string]bool, x python.Expr) {
	if v, ok := x.(*python.Name); ok {
		to[v.ID] = true
	}
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
	case f.uses(fn).indexed[p.Name]:
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
	if !f.uses(fn).named[p.Name] {
		return other // whatever it is, the kernel does not mind
	}
	return number
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
