package object

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

// enumInfo is what makes a class an Enum.
type enumInfo struct {
	members []*Instance // in order of definition; aliases are not among them
	// combined are Flags of several bits that were made before: they are the same objects each time.
	combined []*Instance
	flags    bool // a Flag or IntFlag: members combine
	closed   bool
}

// EnumAuto is enum.auto().
type EnumAuto struct{}

func (EnumAuto) TypeName() string { return "auto" }

var (
	EnumClass    = &Class{Name: "Enum", Attrs: NewDict(), enum: &enumInfo{}}
	IntEnumClass = &Class{Name: "IntEnum", Attrs: NewDict(), enum: &enumInfo{}}
	StrEnumClass = &Class{Name: "StrEnum", Attrs: NewDict(), enum: &enumInfo{}}
	FlagClass    = &Class{Name: "Flag", Attrs: NewDict(), enum: &enumInfo{flags: true}}
	IntFlagClass = &Class{Name: "IntFlag", Attrs: NewDict(), enum: &enumInfo{flags: true}}
)

func init() {
	derive := func(c *Class, bases ...*Class) {
		c.Bases, c.Builtin = bases, true
		c.MRO, _ = linearize(c, bases)
	}
	derive(EnumClass, ObjectClass)
	derive(IntEnumClass, IntClass, EnumClass)
	derive(StrEnumClass, StrClass, EnumClass)
	derive(FlagClass, EnumClass)
	derive(IntFlagClass, IntClass, FlagClass)
	EnumClass.Attrs.SetStr("name", &Property{Get: Native("name", "self", enumField("_name_"))})
	EnumClass.Attrs.SetStr("value", &Property{Get: Native("value", "self", enumField("_value_"))})
}

func enumField(name string) func(in *Interp, a []Value) (Value, error) {
	return func(in *Interp, a []Value) (Value, error) {
		v, ok := a[0].(*Instance)
		if !ok {
			return nil, Errorf(AttributeError, "%s", name)
		}
		x, _ := v.Attrs.GetStr(name)
		return OrNone(x), nil
	}
}

// collect turns the plain attributes of a class body into members.
func (e *enumInfo) collect(in *Interp, c *Class) error {
	var last Value
	for _, k := range c.Attrs.Keys() {
		name := string(k.(Str))
		v, _ := c.Attrs.GetStr(name)
		if !isMember(name, v) {
			continue
		}
		if _, ok := v.(EnumAuto); ok {
			var err error
			if v, err = e.auto(in, c, name, last); err != nil {
				return err
			}
		}
		last = v
		m, err := e.member(in, c, name, v)
		if err != nil {
			return err
		}
		c.Attrs.SetStr(name, m)
	}
	e.closed = len(e.members) > 0
	return nil
}

func isMember(name string, v Value) bool {
	if IsDunder(name) || strings.HasPrefix(name, "_") && strings.HasSuffix(name, "_") {
		return false
	}
	switch v.(type) {
	case Function, *Property, *StaticMethod, *ClassMethod, *Method, HasGet:
		return false
	}
	return true
}

func (e *enumInfo) auto(in *Interp, c *Class, name string, last Value) (Value, error) {
	if fn := c.Find("_generate_next_value_"); fn != nil {
		var values []Value
		for _, m := range e.members {
			v, _ := m.Attrs.GetStr("_value_")
			values = append(values, v)
		}
		return Call(in, unwrapStatic(fn),
			[]Value{Str(name), MakeInt(1), MakeInt(int64(len(values))), &List{Items: values}}, nil)
	}
	if c.isSubclass(StrEnumClass) {
		return Str(strings.ToLower(name)), nil
	}
	n, ok := last.(Int)
	switch {
	case !ok:
		return MakeInt(1), nil
	case e.flags:
		return BigInt(new(big.Int).Lsh(bigOne, uint(n.Big().BitLen()))), nil
	}
	return BigInt(new(big.Int).Add(n.Big(), bigOne)), nil
}

func unwrapStatic(v Value) Value {
	if s, ok := v.(*StaticMethod); ok {
		return s.Fn
	}
	return v
}

// member returns the member of that value: the one that has it already, or a new one.
func (e *enumInfo) member(in *Interp, c *Class, name string, v Value) (*Instance, error) {
	for _, m := range e.members {
		x, _ := m.Attrs.GetStr("_value_")
		if same, err := in.Same(x, v); err != nil || same {
			return m, err
		}
	}
	m, err := e.make(in, c, name, v)
	if err != nil {
		return nil, err
	}
	e.members = append(e.members, m)
	return m, nil
}

func (e *enumInfo) make(in *Interp, c *Class, name string, v Value) (*Instance, error) {
	m := &Instance{Class: c, Attrs: NewDict()}
	m.Attrs.SetStr("_name_", Str(name))
	m.Attrs.SetStr("_value_", v)
	args := []Value{v}
	if t, ok := v.(*Tuple); ok && t.Class == nil {
		args = t.Items
	}
	if base := valueBase(c); base != nil {
		p, err := base.make(in, base, args, nil)
		if err != nil {
			return nil, err
		}
		m.Payload = p
		if len(args) == 1 || v != Value(args[0]) {
			m.Attrs.SetStr("_value_", p)
		}
	}
	if init := c.Find("__init__"); init != nil && !IsMethod(init) {
		if _, err := in.CallSpecial(m, init, args...); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// valueBase returns the type of Python from which the members derive: int for an IntEnum.
func valueBase(c *Class) *Class {
	for _, k := range c.MRO {
		if k.Builtin && k.enum == nil && k != ObjectClass && k.make != nil {
			return k
		}
	}
	return nil
}

// byValue returns the member of a value: Color(1).
func (e *enumInfo) byValue(in *Interp, c *Class, args []Value) (Value, error) {
	if len(args) != 1 {
		return nil, Errorf(TypeError, "%s() takes exactly one value", c.Name)
	}
	for _, m := range slices.Concat(e.members, e.combined) {
		x, _ := m.Attrs.GetStr("_value_")
		if err := in.Work(1); err != nil {
			return nil, err
		}
		same, err := in.Same(x, args[0])
		if err != nil {
			return nil, err
		}
		if same || m == args[0] {
			return m, nil
		}
	}
	if n, ok := args[0].(Int); ok && e.flags {
		return e.combine(in, c, n)
	}
	if fn, owner := c.FindIn("_missing_"); fn != nil && !isBuiltinClass(owner) {
		bound, err := in.bind(fn, nil, c)
		if err != nil {
			return nil, err
		}
		if v, err := Call(in, bound, args, nil); err != nil || v != None {
			return v, err
		}
	}
	text, err := Repr(in, args[0])
	if err != nil {
		return nil, err
	}
	return nil, Errorf(ValueError, "%s is not a valid %s", text, c.Name)
}

// combine returns a Flag of several bits.
func (e *enumInfo) combine(in *Interp, c *Class, n Int) (Value, error) {
	var names []string
	for _, m := range e.members {
		x, _ := m.Attrs.GetStr("_value_")
		if v, ok := x.(Int); ok && v.Sign() > 0 && new(big.Int).And(v.Big(), n.Big()).Cmp(v.Big()) == 0 {
			names = append(names, PlainStr(m.Attrs.MustStr("_name_")))
		}
	}
	m, err := e.make(in, c, strings.Join(names, "|"), n)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		m.Attrs.SetStr("_name_", None)
	}
	e.combined = append(e.combined, m)
	return m, nil
}

// flagOp returns |, & or ^ of two members of a Flag; nil for anything else.
func (in *Interp) flagOp(op python.Operator, a, b Value) (Value, error) {
	x, ok1 := a.(*Instance)
	y, ok2 := b.(*Instance)
	if !ok1 || !ok2 || x.Class != y.Class || x.Class.enum == nil || !x.Class.enum.flags {
		return nil, nil
	}
	switch op {
	case python.BitOr, python.BitAnd, python.BitXor:
		v, err := Binary(in, op, x.Attrs.MustStr("_value_"), y.Attrs.MustStr("_value_"))
		if err != nil {
			return nil, err
		}
		return x.Class.enum.byValue(in, x.Class, []Value{v})
	}
	return nil, nil
}

func (e *enumInfo) iteration() []Value {
	var out []Value
	for _, m := range e.members {
		out = append(out, m)
	}
	return out
}

// attr returns an attribute of the class that plain classes do not have.
func (e *enumInfo) attr(c *Class, name string) (Value, bool) {
	switch name {
	case "__members__":
		d := NewDict()
		for k, v := range c.Attrs.All() {
			if m, ok := v.(*Instance); ok && m.Class == c {
				d.SetStr(string(k.(Str)), m)
			}
		}
		return d, true
	case "_member_names_":
		l := &List{}
		for _, m := range e.members {
			l.Items = append(l.Items, m.Attrs.MustStr("_name_"))
		}
		return l, true
	}
	return nil, false
}

func (e *enumInfo) repr(r *reprWriter, v *Instance) error {
	name := v.Attrs.MustStr("_name_")
	if name == None {
		fmt.Fprintf(&r.b, "<%s: ", v.Class.Name)
	} else {
		fmt.Fprintf(&r.b, "<%s.%s: ", v.Class.Name, PlainStr(name))
	}
	if err := r.write(v.Attrs.MustStr("_value_")); err != nil {
		return err
	}
	r.b.WriteString(">")
	return nil
}

// str returns Color.RED, or the value for an IntEnum or StrEnum.
func (e *enumInfo) str(in *Interp, v *Instance) (string, error) {
	if e.plainFormat(v) {
		return ToStr(in, v.Payload)
	}
	name := v.Attrs.MustStr("_name_")
	if name == None {
		return Repr(in, v)
	}
	return v.Class.Name + "." + PlainStr(name), nil
}

// plainFormat reports whether members are written as their values.
func (e *enumInfo) plainFormat(v *Instance) bool {
	c := v.Class
	return c.isSubclass(IntEnumClass) || c.isSubclass(StrEnumClass) || c.isSubclass(IntFlagClass)
}

// classItem returns C[i]: a member of an Enum by its name, or a generic alias such as list[int], which is the
// class itself.
func (in *Interp) classItem(c *Class, i Value) (Value, error) {
	if c.enum != nil {
		name, _ := i.(Str)
		if m, ok := c.Attrs.GetStr(string(name)); ok {
			if m, ok := m.(*Instance); ok && m.Class == c {
				return m, nil
			}
		}
		return nil, &Exception{Class: KeyError, Args: []Value{i}}
	}
	if fn := c.Find("__class_getitem__"); fn != nil && !IsMethod(fn) {
		bound, err := in.bind(fn, nil, c)
		if err != nil {
			return nil, err
		}
		return Call(in, bound, []Value{i}, nil)
	}
	if c.Builtin && !genericClasses[c] {
		return nil, Errorf(TypeError, "type '%s' is not subscriptable", c.Name)
	}
	return c, nil
}

// genericClasses are the types of Python that take parameters: list[int].
var genericClasses = map[*Class]bool{ListClass: true, DictClass: true, TupleClass: true, SetClass: true,
	FrozensetClass: true, TypeClass: true,
	DefaultDictClass: true, OrderedDictClass: true, CounterClass: true}
