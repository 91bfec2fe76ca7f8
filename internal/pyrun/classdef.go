package pyrun

import (
	"github.com/nereid-lang/nereid/internal/python"
)

// annotation is a field of a class body: name: type.
type annotation struct {
	name string
	typ  python.Expr
}

func (env *Env) annotate(name string, typ python.Expr) {
	for _, a := range env.annotations {
		if a.name == name {
			return
		}
	}
	env.annotations = append(env.annotations, annotation{name, typ})
}

// classDef runs a class statement.
func (in *Interp) classDef(st *python.ClassDef, env *Env) error {
	decorators, err := in.decorators(st.DecoratorList, env)
	if err != nil {
		return err
	}
	bases, err := in.callArgs(st.Bases, env)
	if err != nil {
		return err
	}
	kws, err := in.callKeywords(st.Keywords, env)
	if err != nil {
		return err
	}
	body := &Env{Module: env.Module, outer: env.closure(), dyn: NewDict(), class: true, qual: env.qualify(st.Name)}
	if env.class {
		body.outer = env // its functions skip it, but not the scopes around it
	}
	if _, err := in.block(st.Body, body); err != nil {
		return err
	}
	v, err := in.makeClass(st, env, bases, kws, body)
	if err != nil {
		return err
	}
	if v, err = in.decorate(v, decorators, st.DecoratorList); err != nil {
		return err
	}
	return env.Assign(in, st.Name, v)
}

func (in *Interp) makeClass(st *python.ClassDef, env *Env, bases []Value, kws []Keyword, body *Env) (Value, error) {
	if err := in.alloc(32 * valueSize); err != nil {
		return nil, err
	}
	c := &Class{Name: st.Name, Attrs: body.dyn, Def: st, Mod: env.Module, fields: body.annotations}
	for _, b := range bases {
		if err := in.addBase(c, b); err != nil {
			return nil, err
		}
	}
	if nt := namedBase(bases); nt != nil {
		return in.namedTupleClass(c, nt, body)
	}
	if err := in.setMeta(c, kws); err != nil {
		return nil, err
	}
	if err := in.finishClass(c); err != nil {
		return nil, err
	}
	body.owner = c
	if c.enum != nil {
		if err := c.enum.collect(in, c); err != nil {
			return nil, err
		}
	}
	return c, in.classHooks(c, kws)
}

// addBase adds a base class; hints for type checkers are passed over.
func (in *Interp) addBase(c *Class, b Value) error {
	switch b := b.(type) {
	case *Class:
		if b.final {
			return Errorf(TypeError, "type '%s' is not an acceptable base type", b.Name)
		}
		c.Bases = append(c.Bases, b)
	case *Unknown:
		c.Unknown = b
	case *NamedTuple:
		if b.methods != nil {
			c.Bases = append(c.Bases, b.methods)
		} else {
			c.Bases = append(c.Bases, tupleClass)
		}
	case *typing:
		if b.class != nil {
			c.Bases = append(c.Bases, b.class)
		}
	case HasSubclass:
		k, err := b.Subclass(in, c)
		if err != nil {
			return err
		}
		if k != nil {
			c.Bases = append(c.Bases, k)
		}
	default:
		return Errorf(TypeError, "bases must be types, not '%s'", b.TypeName())
	}
	return nil
}

// HasSubclass is a value of another package from which a class may derive. Subclass may prepare the class and names a
// class to stand among its bases, or nil.
type HasSubclass interface {
	Subclass(in *Interp, c *Class) (*Class, error)
}

func (in *Interp) setMeta(c *Class, kws []Keyword) error {
	for _, b := range c.Bases {
		if b.Meta != nil && c.Meta == nil {
			c.Meta = b.Meta
		}
	}
	for _, k := range kws {
		if k.Name != "metaclass" {
			continue
		}
		if m, ok := k.Value.(*Class); ok && m != typeClass {
			c.Meta = m
		}
	}
	return nil
}

// finishClass sets the order of resolution and what is inherited.
func (in *Interp) finishClass(c *Class) error {
	if len(c.Bases) == 0 {
		c.Bases = []*Class{objectClass}
	}
	mro, err := linearize(c, c.Bases)
	if err != nil {
		return err
	}
	if len(mro) > maxBases {
		return Errorf(RecursionError, "class %s has more than %d bases", c.Name, maxBases)
	}
	if err := in.work(len(mro) * len(mro)); err != nil {
		return err
	}
	c.MRO = mro
	for _, b := range c.Bases {
		if b.enum != nil {
			if len(b.enum.members) > 0 {
				return Errorf(TypeError, "<enum '%s'> cannot extend <enum '%s'>", c.Name, b.Name)
			}
			c.enum = &enumInfo{flags: b.enum.flags}
		}
	}
	for k, v := range c.Attrs.All() {
		in.adopt(c, string(k.(Str)), v)
	}
	return nil
}

// maxBases bounds the order of resolution.
const maxBases = 200

// adopt makes some functions of a class body what Python makes of them.
func (in *Interp) adopt(c *Class, name string, v Value) {
	f, ok := v.(*Func)
	if !ok {
		return
	}
	switch name {
	case "__new__":
		c.Attrs.SetStr(name, &StaticMethod{f})
	case "__init_subclass__", "__class_getitem__":
		c.Attrs.SetStr(name, &ClassMethod{f})
	}
}

// classHooks calls __set_name__ of attributes and __init_subclass__ of the bases.
func (in *Interp) classHooks(c *Class, kws []Keyword) error {
	for k, v := range c.Attrs.All() {
		if x, ok := v.(*Instance); ok {
			if fn := special(x, "__set_name__"); fn != nil {
				if _, err := in.callSpecial(x, fn, c, k); err != nil {
					return err
				}
			}
		}
	}
	hook := c.findAfter(c, "__init_subclass__")
	if hook == nil || isMethod(hook) {
		return nil
	}
	bound, err := in.bind(hook, nil, c)
	if err != nil {
		return err
	}
	var rest []Keyword
	for _, k := range kws {
		if k.Name != "metaclass" {
			rest = append(rest, k)
		}
	}
	_, err = Call(in, bound, nil, rest)
	return err
}

// superCall is super() without arguments: the class of the function that runs, and its first argument.
func superCall(in *Interp, env *Env) (Value, error) {
	for e := env; e != nil; e = e.outer {
		if e.fn == nil || e.fn.Env == nil {
			continue
		}
		body := e.fn.Env
		if !body.class {
			continue
		}
		if body.owner == nil {
			return nil, Errorf(RuntimeError, "super(): empty __class__ cell")
		}
		for f := e; f != nil; f = f.outer {
			if f.fn == e.fn && f.scope != nil && !f.scope.comprehension && len(f.scope.names) > 0 {
				names := ParamNames(e.fn.args())
				if len(names) == 0 {
					break
				}
				self := f.slots[f.scope.index[names[0]]]
				return &superObject{body.owner, self}, nil
			}
		}
	}
	return nil, Errorf(RuntimeError, "super(): no arguments")
}

// namedBase is the named tuple, or typing.NamedTuple, among the bases.
func namedBase(bases []Value) *NamedTuple {
	for _, b := range bases {
		switch b := b.(type) {
		case *NamedTuple:
			return b
		case typingNamedTuple:
			return &NamedTuple{Name: "NamedTuple"}
		}
	}
	return nil
}

// namedTupleClass makes a named tuple of a class statement: the fields are those of its base and those annotated.
func (in *Interp) namedTupleClass(c *Class, base *NamedTuple, body *Env) (Value, error) {
	nt := &NamedTuple{Name: c.Name, Fields: base.Fields, Defaults: base.Defaults, methods: c}
	if base.Fields != nil {
		nt.base = base
	} else {
		for _, a := range body.annotations {
			nt.Fields = append(nt.Fields, a.name)
			v, ok := c.Attrs.GetStr(a.name)
			if ok {
				nt.Defaults = append(nt.Defaults, v)
				c.Attrs.deleteStr(a.name)
			} else if len(nt.Defaults) > 0 {
				return nil, Errorf(TypeError, "non-default namedtuple field %s cannot follow default field", a.name)
			}
		}
	}
	if err := in.finishClass(c); err != nil {
		return nil, err
	}
	c.named = nt
	body.owner = c
	return nt, nil
}

// derives reports whether nt is base or derives from it.
func (nt *NamedTuple) derives(base *NamedTuple) bool {
	for ; nt != nil; nt = nt.base {
		if nt == base {
			return true
		}
	}
	return false
}

func (nt *NamedTuple) call(in *Interp, args []Value, kws []Keyword) (Value, error) {
	if nt.methods != nil {
		if fn, owner := nt.methods.findIn("__new__"); fn != nil && !isBuiltinClass(owner) {
			return Call(in, fn.(*StaticMethod).Fn, append([]Value{nt}, args...), kws)
		}
	}
	return nt.make(in, args, kws)
}

// make is a tuple of the class.
func (nt *NamedTuple) make(in *Interp, args []Value, kws []Keyword) (Value, error) {
	sig := &signature{names: nt.Fields, optional: make([]bool, len(nt.Fields)), vararg: -1, kwarg: -1, pos: len(nt.Fields), written: true}
	first := len(nt.Fields) - len(nt.Defaults)
	for i := range nt.Defaults {
		sig.optional[first+i] = true
	}
	sig.required = first
	a, err := sig.bind(nt.Name+".__new__", args, kws)
	if err != nil {
		return nil, err
	}
	for i, d := range nt.Defaults {
		if a[first+i] == nil {
			a[first+i] = d
		}
	}
	return &Tuple{Items: a, Class: nt}, in.alloc(len(a) * valueSize)
}

func tupleAttr(in *Interp, v Value, name string) (Value, bool, error) {
	t := v.(*Tuple)
	if t.Class == nil {
		return nil, false, nil
	}
	for i, f := range t.Class.Fields {
		if f == name {
			return t.Items[i], true, nil
		}
	}
	if m, ok := namedMethods[name]; ok {
		return &BoundMethod{t, m}, true, nil
	}
	if name == "__class__" {
		return t.Class, true, nil
	}
	return namedTupleOwn(t.Class, name)
}

func namedTupleOwn(nt *NamedTuple, name string) (Value, bool, error) {
	switch name {
	case "_fields":
		fields := NewTuple()
		for _, f := range nt.Fields {
			fields.Items = append(fields.Items, Str(f))
		}
		return fields, true, nil
	case "_field_defaults":
		d := NewDict()
		for i, v := range nt.Defaults {
			d.SetStr(nt.Fields[len(nt.Fields)-len(nt.Defaults)+i], v)
		}
		return d, true, nil
	case "_make":
		return native("_make", "iterable", func(in *Interp, a []Value) (Value, error) {
			items, err := Iterate(in, a[0])
			if err != nil {
				return nil, err
			}
			return nt.make(in, items, nil)
		}), true, nil
	}
	return nil, false, nil
}

func namedTupleAttr(in *Interp, v Value, name string) (Value, bool, error) {
	nt := v.(*NamedTuple)
	switch name {
	case "__name__", "__qualname__":
		return Str(nt.Name), true, nil
	case "__new__":
		return native("__new__", "cls *args **kws", func(in *Interp, a []Value) (Value, error) {
			cls, ok := a[0].(*NamedTuple)
			if !ok {
				return nil, Errorf(TypeError, "__new__ wants a class")
			}
			return cls.make(in, a[1].(*Tuple).Items, keywordsOf(a[2].(*Dict)))
		}), true, nil
	}
	if m, ok := namedMethods[name]; ok {
		return m, true, nil
	}
	if x, ok, err := namedTupleOwn(nt, name); ok || err != nil {
		return x, ok, err
	}
	for i, f := range nt.Fields {
		if f == name {
			return &Property{Get: native(name, "self", func(_ *Interp, a []Value) (Value, error) {
				t, err := selfTuple(a)
				if err != nil || i >= len(t.Items) {
					return None, err
				}
				return t.Items[i], nil
			})}, true, nil
		}
	}
	if nt.methods != nil {
		return in.classAttr(nt.methods, name)
	}
	return in.classAttr(tupleClass, name)
}

func keywordsOf(d *Dict) []Keyword {
	var kws []Keyword
	for k, v := range d.All() {
		kws = append(kws, Keyword{string(k.(Str)), v})
	}
	return kws
}

// namedMethods are the methods of every named tuple.
var namedMethods map[string]*method

func init() {
	namedMethods = map[string]*method{
		"_asdict": newMethod("_asdict", "", func(_ *Interp, a []Value) (Value, error) {
			t, err := selfTuple(a)
			if err != nil {
				return nil, err
			}
			d := NewDict()
			for i, f := range t.Class.Fields {
				d.SetStr(f, t.Items[i])
			}
			return d, nil
		}),
		"_replace": newMethod("_replace", "**kws", func(in *Interp, a []Value) (Value, error) {
			t, err := selfTuple(a)
			if err != nil {
				return nil, err
			}
			return t.replace(a[1].(*Dict))
		}),
	}
}

// selfTuple is the named tuple whose method is called.
func selfTuple(a []Value) (*Tuple, error) {
	t, ok := a[0].(*Tuple)
	if !ok || t.Class == nil {
		return nil, Errorf(TypeError, "descriptor requires a named tuple but received a '%s'", a[0].TypeName())
	}
	return t, nil
}

func (t *Tuple) replace(changes *Dict) (Value, error) {
	out := &Tuple{Class: t.Class, Items: append([]Value{}, t.Items...)}
	for i, f := range t.Class.Fields {
		if v, ok := changes.GetStr(f); ok {
			out.Items[i] = v
			changes.deleteStr(f)
		}
	}
	if changes.Len() > 0 {
		return nil, Errorf(ValueError, "Got unexpected field names: %s", plainRepr(&List{Items: changes.Keys()}))
	}
	return out, nil
}

// newMethod is a method written in Go; self comes first among its arguments.
func newMethod(name, params string, fn func(in *Interp, a []Value) (Value, error)) *method {
	return &method{*native(name, "self "+params, fn)}
}
