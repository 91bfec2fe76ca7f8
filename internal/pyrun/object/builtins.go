package object

import (
	"math/big"
	"sort"
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

// Builtins are the names that are visible everywhere.
var Builtins map[string]Value

func init() {
	Builtins = map[string]Value{"NotImplemented": NotImplemented, "Ellipsis": Ellipsis,
		"__debug__":        Bool(true),
		"EnvironmentError": OSError, "IOError": OSError}
	for _, c := range exceptionClasses {
		Builtins[c.Name] = c
	}
	for _, c := range []*Class{ObjectClass, TypeClass, IntClass, BoolClass, FloatClass, ComplexClass,
		StrClass, BytesClass, TupleClass,
		ListClass, DictClass, SetClass, FrozensetClass, RangeClass, SliceClass, PropertyClass,
		StaticMethodClass, ClassMethodClass, SuperClass,
		ZipClass, MapClass, FilterClass, EnumerateClass, ReversedClass} {
		Builtins[c.Name] = c
	}
	for _, f := range builtinFunctions() {
		Builtins[f.Name] = f
	}
}

func builtinFunctions() []*Builtin {
	noScope := func(*Interp, []Value) (Value, error) { return nil, Errorf(RuntimeError, "no scope here") }
	return []*Builtin{
		Native("len", "obj", func(in *Interp, a []Value) (Value, error) {
			n, err := Len(in, a[0])
			return MakeInt(int64(n)), err
		}),
		Native("repr", "obj", func(in *Interp, a []Value) (Value, error) {
			s, err := Repr(in, a[0])
			return Str(s), err
		}),
		Native("ascii", "obj", func(in *Interp, a []Value) (Value, error) {
			s, err := Repr(in, a[0])
			return Str(asciiOnly(s)), err
		}),
		Native("format", "value spec=", func(in *Interp, a []Value) (Value, error) {
			spec, err := Text(OrElse(a[1], Str("")))
			if err != nil {
				return nil, err
			}
			s, err := Format(in, a[0], spec)
			return Str(s), err
		}),
		Native("abs", "x", Abs),
		Native("divmod", "x y", divMod),
		Native("pow", "base exp mod=", powOf),
		Native("round", "number ndigits=", roundOf),
		Native("sum", "iterable start=", sumOf),
		Native("any", "iterable", func(in *Interp, a []Value) (Value, error) {
			return anyAll(in, a[0], true)
		}),
		Native("all", "iterable", func(in *Interp, a []Value) (Value, error) {
			return anyAll(in, a[0], false)
		}),
		Native("min", "*args key= default=", func(in *Interp, a []Value) (Value, error) {
			return extreme(in, "min", python.Lt, a)
		}),
		Native("max", "*args key= default=", func(in *Interp, a []Value) (Value, error) {
			return extreme(in, "max", python.Gt, a)
		}),
		Native("sorted", "iterable * key= reverse=", func(in *Interp, a []Value) (Value, error) {
			items, err := Iterate(in, a[0])
			if err != nil {
				return nil, err
			}
			reverse, err := Truth(in, OrElse(a[2], Bool(false)))
			if err != nil {
				return nil, err
			}
			return SortList(in, append([]Value{}, items...), a[1], reverse)
		}),
		Native("iter", "obj sentinel=", iterOf),
		Native("next", "iterator default=", nextOf),
		Native("isinstance", "obj class", func(in *Interp, a []Value) (Value, error) {
			ok, err := IsInstanceOf(in, a[0], a[1])
			return Bool(ok), err
		}),
		Native("issubclass", "cls class", func(in *Interp, a []Value) (Value, error) {
			ok, err := IsSubclassOf(in, a[0], a[1])
			return Bool(ok), err
		}),
		Native("getattr", "obj name default=", getAttrOf),
		Native("hasattr", "obj name", func(in *Interp, a []Value) (Value, error) {
			name, err := Text(a[1])
			if err != nil {
				return nil, err
			}
			ok, err := HasAttribute(in, a[0], name)
			return Bool(ok), err
		}),
		Native("setattr", "obj name value", func(in *Interp, a []Value) (Value, error) {
			name, err := Text(a[1])
			if err != nil {
				return nil, err
			}
			return None, SetAttr(in, a[0], name, a[2])
		}),
		Native("delattr", "obj name", func(in *Interp, a []Value) (Value, error) {
			name, err := Text(a[1])
			if err != nil {
				return nil, err
			}
			return None, DelAttr(in, a[0], name)
		}),
		Native("callable", "obj", func(_ *Interp, a []Value) (Value, error) {
			return Bool(isCallable(a[0])), nil
		}),
		Native("id", "obj", func(in *Interp, a []Value) (Value, error) { return in.Identity(a[0]) }),
		Native("hash", "obj", func(in *Interp, a []Value) (Value, error) { return hashValue(in, a[0]) }),
		Native("ord", "c", ordOf),
		Native("chr", "i", chrOf),
		Native("hex", "x", func(in *Interp, a []Value) (Value, error) { return inBase(in, a[0], 'x') }),
		Native("oct", "x", func(in *Interp, a []Value) (Value, error) { return inBase(in, a[0], 'o') }),
		Native("bin", "x", func(in *Interp, a []Value) (Value, error) { return inBase(in, a[0], 'b') }),
		Native("print", "*args sep= end= file= flush=", printOf),
		Native("globals", "", noScope),
		Native("locals", "", noScope),
		Native("vars", "obj=", func(in *Interp, a []Value) (Value, error) {
			if a[0] == nil {
				return noScope(in, a)
			}
			return GetAttr(in, a[0], "__dict__")
		}),
		Native("dir", "obj=", dirAttrs),
		Refused("open", "reads or writes files"), Refused("input", "reads the terminal"),
		Native("exec", "source globals= locals=", noScope),
		Native("eval", "source globals= locals=", noScope),
	}
}

// Refused returns a function that code at compile time may not call.
func Refused(name, why string) *Builtin {
	return &Builtin{Name: name, Fn: func(*Interp, []Value, []Keyword) (Value, error) {
		e := Errorf(NotImplementedError, "%s() %s, which code that runs at compile time may not", name, why)
		e.Code = "host-unsupported"
		return nil, e
	}}
}

func hashValue(in *Interp, v Value) (Value, error) { return Hash(in, v) }

// Identity returns id(v).
func (in *Interp) Identity(v Value) (Value, error) {
	key, _, err := in.hashKey(v)
	if err != nil {
		key = v
	}
	switch v.(type) {
	case *Tuple, *Set, *Instance:
		key = v
	}
	return MakeInt(int64(in.idOf(key)) * 16), nil
}

func getAttrOf(in *Interp, a []Value) (Value, error) {
	name, err := Text(a[1])
	if err != nil {
		return nil, err
	}
	v, err := GetAttr(in, a[0], name)
	if e, ok := Catchable(err); ok && a[2] != nil && e.IsA(AttributeError) {
		return a[2], nil
	}
	return v, err
}

func anyAll(in *Interp, over Value, stop bool) (Value, error) {
	it, err := Iter(in, over)
	if err != nil {
		return nil, err
	}
	for {
		v, ok, err := it.Next(in)
		if err != nil {
			return nil, err
		}
		if !ok {
			return Bool(!stop), nil
		}
		t, err := Truth(in, v)
		if err != nil {
			return nil, err
		}
		if t == stop {
			return Bool(stop), nil
		}
		if err := in.Work(1); err != nil {
			return nil, err
		}
	}
}

func extreme(in *Interp, name string, better python.CmpOperator, a []Value) (Value, error) {
	args := a[0].(*Tuple).Items
	if len(args) == 0 {
		return nil, Errorf(TypeError, "%s expected at least 1 argument, got 0", name)
	}
	if len(args) > 1 && a[2] != nil {
		return nil, Errorf(TypeError, "Cannot specify a default for %s() with multiple positional arguments",
			name)
	}
	if len(args) == 1 {
		items, err := Iterate(in, args[0])
		if err != nil {
			return nil, err
		}
		if len(items) == 0 {
			if a[2] != nil {
				return a[2], nil
			}
			return nil, Errorf(ValueError, "%s() arg is an empty sequence", name)
		}
		args = items
	}
	var best, bestKey Value
	for _, v := range args {
		if err := in.Work(1); err != nil {
			return nil, err
		}
		key, err := KeyOf(in, a[1], v)
		if err != nil {
			return nil, err
		}
		if best != nil {
			r, err := Compare(in, better, key, bestKey)
			if t, err := TruthOf(in, r, err); err != nil {
				return nil, err
			} else if !t {
				continue
			}
		}
		best, bestKey = v, key
	}
	return best, nil
}

// KeyOf returns key(v), or v where there is no key function.
func KeyOf(in *Interp, key, v Value) (Value, error) {
	if key == nil || key == None {
		return v, nil
	}
	return Call(in, key, []Value{v}, nil)
}

// SortList sorts items in place, stably.
func SortList(in *Interp, items []Value, key Value, reverse bool) (Value, error) {
	s := sorter{in: in, items: items, keys: items, reverse: reverse}
	if key != nil && key != None {
		s.keys = make([]Value, len(items))
		for i, v := range items {
			k, err := Call(in, key, []Value{v}, nil)
			if err != nil {
				return nil, err
			}
			s.keys[i] = k
		}
	}
	sort.Stable(&s)
	if s.err != nil {
		return nil, s.err
	}
	return &List{Items: items}, nil
}

type sorter struct {
	in          *Interp
	items, keys []Value
	reverse     bool
	err         error
}

func (s *sorter) Len() int { return len(s.items) }

func (s *sorter) Swap(i, j int) {
	s.items[i], s.items[j] = s.items[j], s.items[i]
	if &s.items[0] != &s.keys[0] {
		s.keys[i], s.keys[j] = s.keys[j], s.keys[i]
	}
}

func (s *sorter) Less(i, j int) bool {
	if s.err != nil {
		return false
	}
	if s.reverse {
		i, j = j, i
	}
	if s.err = s.in.Work(1); s.err != nil {
		return false
	}
	r, err := Compare(s.in, python.Lt, s.keys[i], s.keys[j])
	t, err := TruthOf(s.in, r, err)
	s.err = err
	return t
}

func iterOf(in *Interp, a []Value) (Value, error) {
	if a[1] == nil {
		return Iter(in, a[0])
	}
	return &funcIter{"callable_iterator", func(in *Interp) (Value, bool, error) {
		v, err := Call(in, a[0], nil, nil)
		if err != nil {
			return nil, false, err
		}
		same, err := in.Same(v, a[1])
		return v, !same, err
	}}, nil
}

func nextOf(in *Interp, a []Value) (Value, error) {
	it, ok := a[0].(Iterator)
	if !ok {
		fn := Special(a[0], "__next__")
		if fn == nil {
			if u := UnknownOf(a[0]); u != nil {
				return u.Element(), nil
			}
			return nil, Errorf(TypeError, "'%s' object is not an iterator", a[0].TypeName())
		}
		it = &objectIter{a[0], fn}
	}
	v, ok, err := it.Next(in)
	if err != nil || ok {
		return v, err
	}
	if a[1] != nil {
		return a[1], nil
	}
	e := &Exception{Class: StopIteration}
	if g, ok := it.(Generator); ok && g.Result() != None {
		e.Args = []Value{g.Result()}
	}
	return nil, e
}

func printOf(in *Interp, a []Value) (Value, error) {
	sep, end := " ", "\n"
	for i, p := range []*string{&sep, &end} {
		if v := a[1+i]; v != nil && v != None {
			s, err := Text(v)
			if err != nil {
				return nil, err
			}
			*p = s
		}
	}
	var parts []string
	for _, v := range a[0].(*Tuple).Items {
		s, err := printed(in, v)
		if err != nil {
			return nil, err
		}
		parts = append(parts, s)
	}
	out := strings.Join(parts, sep) + end
	if err := in.Alloc(len(out)); err != nil {
		return nil, err
	}
	if a[3] == nil || a[3] == None {
		in.Stdout.WriteString(out)
	}
	return None, nil
}

// printed returns the text that print writes for v; an unknown value has one too.
func printed(in *Interp, v Value) (string, error) {
	if u := UnknownOf(v); u != nil {
		return u.Repr(), nil
	}
	return ToStr(in, v)
}

// HasDir is a value of another package that knows its names, for dir(v).
type HasDir interface {
	Names(in *Interp) ([]string, error)
}

func dirAttrs(in *Interp, a []Value) (Value, error) {
	if a[0] == nil {
		return nil, Errorf(RuntimeError, "no scope here")
	}
	if u := UnknownOf(a[0]); u != nil {
		return nil, u.Need("the content")
	}
	names := map[string]bool{}
	add := func(d *Dict) {
		for k := range d.All() {
			if s, ok := k.(Str); ok {
				names[string(s)] = true
			}
		}
	}
	switch v := a[0].(type) {
	case HasDir:
		list, err := v.Names(in)
		if err != nil {
			return nil, err
		}
		for _, n := range list {
			names[n] = true
		}
	case *Instance:
		add(v.Attrs)
	case *Class:
		for _, k := range v.MRO {
			add(k.Attrs)
		}
	}
	if _, ok := a[0].(HasDir); !ok {
		for _, k := range in.ClassOf(a[0]).MRO {
			add(k.Attrs)
		}
	}
	l := &List{}
	for _, n := range sortedKeys(names) {
		l.Items = append(l.Items, Str(n))
	}
	return l, in.Alloc(len(l.Items) * 2 * ValueSize)
}

func ordOf(_ *Interp, a []Value) (Value, error) {
	switch s := Payload(a[0]).(type) {
	case Str:
		if rs := toRunes(string(s)); len(rs) == 1 {
			return MakeInt(int64(rs[0])), nil
		} else {
			return nil, Errorf(TypeError, "ord() expected a character, but string of length %d found",
				len(rs))
		}
	case Bytes:
		if len(s) == 1 {
			return MakeInt(int64(s[0])), nil
		}
	}
	return nil, Errorf(TypeError, "ord() expected string of length 1, but %s found", a[0].TypeName())
}

func chrOf(in *Interp, a []Value) (Value, error) {
	n, err := in.ToIndex(a[0])
	if err != nil {
		return nil, err
	}
	k, ok := n.Int64()
	if !ok || k != int64(int32(k)) {
		return nil, Errorf(OverflowError, "Python int too large to convert to C int")
	}
	if k < 0 || k > 0x10ffff {
		return nil, Errorf(ValueError, "chr() arg not in range(0x110000)")
	}
	return Str(fromRunes([]rune{rune(k)})), nil
}

func inBase(in *Interp, v Value, kind byte) (Value, error) {
	n, err := in.ToIndex(v)
	if err != nil {
		return nil, err
	}
	s, err := formatSpec{kind: kind, alt: true, precision: -1, fill: ' '}.int(n, "int")
	if err != nil {
		return nil, err
	}
	return Str(s), in.Alloc(len(s))
}

// Abs returns abs(x).
func Abs(in *Interp, a []Value) (Value, error) {
	if fn := Special(a[0], "__abs__"); fn != nil {
		return in.CallSpecial(a[0], fn)
	}
	switch x := Payload(a[0]).(type) {
	case Int:
		if x.Sign() < 0 {
			return BigInt(new(big.Int).Neg(x.Big())), nil
		}
		return x, nil
	case Bool:
		return IntOf(x), nil
	case Float:
		if x < 0 || x == 0 {
			return 0 - x, nil
		}
		return x, nil
	case *Unknown:
		return nil, x.Need("the value")
	case HasMethod:
		return x.Method(in, "__abs__", nil)
	}
	return nil, Errorf(TypeError, "bad operand type for abs(): '%s'", a[0].TypeName())
}

// HasMethod is a value of another package with special methods for builtin functions: __abs__, __round__,
// __int__, __float__.
type HasMethod interface {
	Method(in *Interp, name string, args []Value) (Value, error)
}
