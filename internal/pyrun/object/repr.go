package object

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Repr returns repr(v).
func Repr(in *Interp, v Value) (string, error) {
	r := reprWriter{in: in}
	err := r.write(v)
	if err != nil {
		return "", err
	}
	return r.b.String(), nil
}

// ToStr returns str(v).
func ToStr(in *Interp, v Value) (string, error) {
	switch x := v.(type) {
	case Str:
		return string(x), nil
	case *Instance:
		if in == nil {
			break
		}
		if fn := Special(x, "__str__"); fn != nil {
			return in.textOf(x, fn, "__str__")
		}
		if Special(x, "__repr__") == nil && x.Payload != nil && x.Class.enum == nil {
			return ToStr(in, x.Payload)
		}
		if x.Class.enum != nil {
			return x.Class.enum.str(in, x)
		}
	case *Exception:
		if in != nil {
			if fn := Special(x, "__str__"); fn != nil {
				return in.textOf(x, fn, "__str__")
			}
			if len(x.Args) == 1 && !x.IsA(KeyError) {
				return ToStr(in, x.Args[0])
			}
		}
		return x.Message(), nil
	case *Unknown:
		return "", x.Need("the text")
	case HasStr:
		return x.Str(), nil
	}
	return Repr(in, v)
}

func (in *Interp) textOf(v, fn Value, name string) (string, error) {
	if err := in.Enter(); err != nil {
		return "", err
	}
	defer in.Leave()
	r, err := in.CallSpecial(v, fn)
	if err != nil {
		return "", err
	}
	s, ok := Payload(r).(Str)
	if !ok {
		return "", Errorf(TypeError, "%s returned non-string (type %s)", name, r.TypeName())
	}
	return string(s), nil
}

// PlainRepr returns repr(v) without calls of methods written in Python.
func PlainRepr(v Value) string {
	s, err := Repr(nil, v)
	if err != nil {
		return "<" + v.TypeName() + " object>"
	}
	return s
}

// PlainStr returns str(v) without calls of methods written in Python.
func PlainStr(v Value) string {
	s, err := ToStr(nil, v)
	if err != nil {
		return "<" + v.TypeName() + " object>"
	}
	return s
}

type reprWriter struct {
	in   *Interp
	b    strings.Builder
	open []any // containers being written
}

func (r *reprWriter) write(v Value) error {
	if r.in != nil {
		if err := r.in.Work(1); err != nil {
			return err
		}
	}
	before := r.b.Len()
	err := r.value(v)
	if err == nil && r.in != nil {
		err = r.in.Alloc(r.b.Len() - before)
	}
	return err
}

func (r *reprWriter) value(v Value) error {
	switch x := v.(type) {
	case NoneType:
		r.b.WriteString("None")
	case Bool:
		r.b.WriteString(map[bool]string{true: "True", false: "False"}[bool(x)])
	case Int:
		return r.int(x)
	case Float:
		r.b.WriteString(FloatRepr(float64(x)))
	case Str:
		r.b.WriteString(Quote(string(x)))
	case Bytes:
		r.b.WriteString(quoteBytes(string(x)))
	case EllipsisType:
		r.b.WriteString("Ellipsis")
	case *Tuple:
		return r.nested(x, func() error { return r.tuple(x) })
	case *List:
		return r.nested(x, func() error { return r.items("[", x.Items, "]") })
	case *Dict:
		return r.nested(x, func() error { return r.dict(x) })
	case *Set:
		return r.nested(x, func() error { return r.set(x) })
	case *dictView:
		return r.nested(x, func() error { return r.items(x.TypeName()+"([", x.list(), "])") })
	case *Instance:
		return r.nested(x, func() error { return r.instance(x) })
	case *Exception:
		return r.exception(x)
	default:
		return r.other(v)
	}
	return nil
}

func (r *reprWriter) other(v Value) error {
	switch x := v.(type) {
	case *Range:
		r.b.WriteString(rangeRepr(x))
	case *Slice:
		return r.items("slice(", []Value{OrNone(x.Lo), OrNone(x.Hi), OrNone(x.Step)}, ")")
	case Function:
		fmt.Fprintf(&r.b, "<function %s at %s>", x.QualifiedName(), r.address(x))
	case *Builtin:
		fmt.Fprintf(&r.b, "<built-in function %s>", x.Name)
	case *Method:
		fmt.Fprintf(&r.b, "<method '%s'>", x.Name)
	case *BoundMethod:
		fmt.Fprintf(&r.b, "<bound method %s of ", CalledName(x.Fn))
		if err := r.write(x.Self); err != nil {
			return err
		}
		r.b.WriteString(">")
	case *Class:
		return r.class(x)
	case *NamedTuple:
		fmt.Fprintf(&r.b, "<class '%s'>", x.Name)
	case HasRepr:
		r.b.WriteString(x.Repr())
	default:
		fmt.Fprintf(&r.b, "<%s object at %s>", v.TypeName(), r.address(v))
	}
	return nil
}

// CalledName returns the name of a function, for messages.
func CalledName(fn Value) string {
	switch f := fn.(type) {
	case Function:
		return f.QualifiedName()
	case *Method:
		return f.Name
	case *Builtin:
		return f.Name
	}
	return fn.TypeName()
}

func (r *reprWriter) address(v Value) string {
	if r.in == nil || !reflect.TypeOf(v).Comparable() {
		return "0x0"
	}
	return fmt.Sprintf("0x%012x", r.in.idOf(v)*16)
}

// maxDigits is the number of digits of the longest int that is written in decimal, as in CPython.
const maxDigits = 4300

func (r *reprWriter) int(x Int) error {
	s, err := intText(x)
	r.b.WriteString(s)
	return err
}

func intText(x Int) (string, error) {
	if x.big == nil {
		return strconv.FormatInt(x.small, 10), nil
	}
	if x.big.BitLen() > maxDigits*10/3+16 {
		return "", Errorf(ValueError,
			"Exceeds the limit (%d digits) for integer string conversion; use "+
				"sys.set_int_max_str_digits() to increase the limit", maxDigits)
	}
	s := x.big.String()
	if len(strings.TrimPrefix(s, "-")) > maxDigits {
		return "", Errorf(ValueError,
			"Exceeds the limit (%d digits) for integer string conversion; use "+
				"sys.set_int_max_str_digits() to increase the limit", maxDigits)
	}
	return s, nil
}

// nested writes a container, and "..." for one that contains itself.
func (r *reprWriter) nested(key any, write func() error) error {
	for _, k := range r.open {
		if k == key {
			r.b.WriteString(selfRepr(key))
			return nil
		}
	}
	if len(r.open) > maxNesting {
		return Errorf(RecursionError, "maximum recursion depth exceeded while getting the repr of an object")
	}
	if r.in != nil {
		if err := r.in.Enter(); err != nil {
			return err
		}
		defer r.in.Leave()
	}
	r.open = append(r.open, key)
	err := write()
	r.open = r.open[:len(r.open)-1]
	return err
}

// maxNesting bounds the depth of what is written as text.
const maxNesting = 500

func selfRepr(key any) string {
	switch key.(type) {
	case *Tuple:
		return "(...)"
	case *Dict:
		return "{...}"
	case *Set:
		return "set(...)"
	case *Instance:
		return "..."
	}
	return "[...]"
}

func (r *reprWriter) items(open string, items []Value, end string) error {
	r.b.WriteString(open)
	for i, x := range items {
		if i > 0 {
			r.b.WriteString(", ")
		}
		if err := r.write(x); err != nil {
			return err
		}
	}
	r.b.WriteString(end)
	return nil
}

func (r *reprWriter) tuple(t *Tuple) error {
	if t.Class != nil {
		return r.namedTuple(t)
	}
	if len(t.Items) == 1 {
		return r.items("(", t.Items, ",)")
	}
	return r.items("(", t.Items, ")")
}

func (r *reprWriter) namedTuple(t *Tuple) error {
	if fn := Special(t, "__repr__"); fn != nil && r.in != nil {
		s, err := r.in.textOf(t, fn, "__repr__")
		r.b.WriteString(s)
		return err
	}
	r.b.WriteString(t.Class.Name + "(")
	for i, x := range t.Items {
		if i > 0 {
			r.b.WriteString(", ")
		}
		r.b.WriteString(t.Class.Fields[i] + "=")
		if err := r.write(x); err != nil {
			return err
		}
	}
	r.b.WriteString(")")
	return nil
}

func (r *reprWriter) dict(d *Dict) error {
	open, end := "{", "}"
	switch {
	case d.Name == "defaultdict":
		r.b.WriteString("defaultdict(")
		if err := r.write(OrNone(d.Default)); err != nil {
			return err
		}
		open, end = ", {", "})"
	case d.Name != "" && d.Len() == 0:
		r.b.WriteString(d.Name + "()")
		return nil
	case d.Name == "OrderedDict":
		return r.items("OrderedDict([", d.items(), "])")
	case d.Name != "":
		open, end = d.Name+"({", "})"
	}
	r.b.WriteString(open)
	i := 0
	for k, v := range d.All() {
		if i > 0 {
			r.b.WriteString(", ")
		}
		i++
		if err := r.write(k); err != nil {
			return err
		}
		r.b.WriteString(": ")
		if err := r.write(v); err != nil {
			return err
		}
	}
	r.b.WriteString(end)
	return nil
}

func (r *reprWriter) set(s *Set) error {
	var items []Value
	for x := range s.All() {
		items = append(items, x)
	}
	switch {
	case len(items) == 0:
		r.b.WriteString(s.TypeName() + "()")
		return nil
	case s.Frozen:
		return r.items("frozenset({", items, "})")
	}
	return r.items("{", items, "}")
}

func (r *reprWriter) instance(v *Instance) error {
	if fn := Special(v, "__repr__"); fn != nil && r.in != nil {
		s, err := r.in.textOf(v, fn, "__repr__")
		r.b.WriteString(s)
		return err
	}
	switch {
	case v.Class.enum != nil:
		return v.Class.enum.repr(r, v)
	case v.Payload != nil:
		return r.value(v.Payload)
	}
	fmt.Fprintf(&r.b, "<%s object at %s>", qualifiedName(v.Class), r.address(v))
	return nil
}

func qualifiedName(c *Class) string {
	if c.Module != "" {
		return c.Module + "." + c.Name
	}
	return c.Name
}

func (r *reprWriter) class(c *Class) error {
	if c.enum != nil {
		fmt.Fprintf(&r.b, "<enum '%s'>", c.Name)
		return nil
	}
	fmt.Fprintf(&r.b, "<class '%s'>", qualifiedName(c))
	return nil
}

func (r *reprWriter) exception(e *Exception) error {
	if fn := Special(e, "__repr__"); fn != nil && r.in != nil {
		s, err := r.in.textOf(e, fn, "__repr__")
		r.b.WriteString(s)
		return err
	}
	return r.items(e.Class.Name+"(", e.Args, ")")
}

func rangeRepr(r *Range) string {
	s := fmt.Sprintf("range(%s, %s", r.Start.Big(), r.Stop.Big())
	if r.Step.Cmp(MakeInt(1)) != 0 {
		s += ", " + r.Step.Big().String()
	}
	return s + ")"
}

// Convert returns v as the conversion !s, !r or !a of an f-string makes it; -1 stands for none.
func Convert(in *Interp, v Value, conversion rune) (Value, error) {
	var s string
	var err error
	switch conversion {
	case 's':
		s, err = ToStr(in, v)
	case 'r':
		s, err = Repr(in, v)
	case 'a':
		s, err = Repr(in, v)
		s = asciiOnly(s)
	default:
		return v, nil
	}
	return Str(s), err
}
