package pyrun

import (
	"math/big"
	"sort"
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

// builtinNames are the names that are visible everywhere.
var builtinNames map[string]Value

func init() {
	builtinNames = map[string]Value{"NotImplemented": NotImplemented, "Ellipsis": Ellipsis, "__debug__": Bool(true),
		"EnvironmentError": OSError, "IOError": OSError}
	for _, c := range exceptionClasses {
		builtinNames[c.Name] = c
	}
	for _, c := range []*Class{objectClass, typeClass, intClass, boolClass, floatClass, complexClass, strClass, bytesClass, tupleClass,
		listClass, dictClass, setClass, frozensetClass, rangeClass, sliceClass, propertyClass, staticClass, classmethClass, superClass,
		zipClass, mapClass, filterClass, enumerateClass, reversedClass} {
		builtinNames[c.Name] = c
	}
	for _, f := range builtinFunctions() {
		builtinNames[f.Name] = f
	}
}

func builtinFunctions() []*Builtin {
	noScope := func(*Interp, []Value) (Value, error) { return nil, Errorf(RuntimeError, "no scope here") }
	return []*Builtin{
		native("len", "obj", func(in *Interp, a []Value) (Value, error) {
			n, err := Len(in, a[0])
			return MakeInt(int64(n)), err
		}),
		native("repr", "obj", func(in *Interp, a []Value) (Value, error) {
			s, err := Repr(in, a[0])
			return Str(s), err
		}),
		native("ascii", "obj", func(in *Interp, a []Value) (Value, error) {
			s, err := Repr(in, a[0])
			return Str(asciiOnly(s)), err
		}),
		native("format", "value spec=", func(in *Interp, a []Value) (Value, error) {
			spec, err := text(orValue(a[1], Str("")))
			if err != nil {
				return nil, err
			}
			s, err := Format(in, a[0], spec)
			return Str(s), err
		}),
		native("abs", "x", absOf),
		native("divmod", "x y", divMod),
		native("pow", "base exp mod=", powOf),
		native("round", "number ndigits=", roundOf),
		native("sum", "iterable start=", sumOf),
		native("any", "iterable", func(in *Interp, a []Value) (Value, error) { return anyAll(in, a[0], true) }),
		native("all", "iterable", func(in *Interp, a []Value) (Value, error) { return anyAll(in, a[0], false) }),
		native("min", "*args key= default=", func(in *Interp, a []Value) (Value, error) { return extreme(in, "min", python.Lt, a) }),
		native("max", "*args key= default=", func(in *Interp, a []Value) (Value, error) { return extreme(in, "max", python.Gt, a) }),
		native("sorted", "iterable * key= reverse=", func(in *Interp, a []Value) (Value, error) {
			items, err := Iterate(in, a[0])
			if err != nil {
				return nil, err
			}
			reverse, err := Truth(in, orValue(a[2], Bool(false)))
			if err != nil {
				return nil, err
			}
			return sortedList(in, append([]Value{}, items...), a[1], reverse)
		}),
		native("iter", "obj sentinel=", iterOf),
		native("next", "iterator default=", nextOf),
		native("isinstance", "obj class", func(in *Interp, a []Value) (Value, error) {
			ok, err := IsInstanceOf(in, a[0], a[1])
			return Bool(ok), err
		}),
		native("issubclass", "cls class", func(in *Interp, a []Value) (Value, error) {
			ok, err := isSubclassOf(in, a[0], a[1])
			return Bool(ok), err
		}),
		native("getattr", "obj name default=", getAttrOf),
		native("hasattr", "obj name", func(in *Interp, a []Value) (Value, error) {
			name, err := text(a[1])
			if err != nil {
				return nil, err
			}
			ok, err := HasAttribute(in, a[0], name)
			return Bool(ok), err
		}),
		native("setattr", "obj name value", func(in *Interp, a []Value) (Value, error) {
			name, err := text(a[1])
			if err != nil {
				return nil, err
			}
			return None, SetAttr(in, a[0], name, a[2])
		}),
		native("delattr", "obj name", func(in *Interp, a []Value) (Value, error) {
			name, err := text(a[1])
			if err != nil {
				return nil, err
			}
			return None, delAttr(in, a[0], name)
		}),
		native("callable", "obj", func(_ *Interp, a []Value) (Value, error) { return Bool(isCallable(a[0])), nil }),
		native("id", "obj", func(in *Interp, a []Value) (Value, error) { return in.identity(a[0]) }),
		native("hash", "obj", func(in *Interp, a []Value) (Value, error) { return hashValue(in, a[0]) }),
		native("ord", "c", ordOf),
		native("chr", "i", chrOf),
		native("hex", "x", func(in *Interp, a []Value) (Value, error) { return inBase(in, a[0], 'x') }),
		native("oct", "x", func(in *Interp, a []Value) (Value, error) { return inBase(in, a[0], 'o') }),
		native("bin", "x", func(in *Interp, a []Value) (Value, error) { return inBase(in, a[0], 'b') }),
		native("print", "*args sep= end= file= flush=", printOf),
		native("globals", "", noScope),
		native("locals", "", noScope),
		native("vars", "obj=", func(in *Interp, a []Value) (Value, error) {
			if a[0] == nil {
				return noScope(in, a)
			}
			return GetAttr(in, a[0], "__dict__")
		}),
		native("dir", "obj=", dirAttrs),
		refused("open", "reads or writes files"), refused("input", "reads the terminal"),
		native("exec", "source globals= locals=", noScope), native("eval", "source globals= locals=", noScope),
	}
}

// refused is a function that code at compile time may not call.
func refused(name, why string) *Builtin {
	return &Builtin{Name: name, Fn: func(*Interp, []Value, []Keyword) (Value, error) {
		e := Errorf(NotImplementedError, "%s() %s, which code that runs at compile time may not", name, why)
		e.Code = "host-unsupported"
		return nil, e
	}}
}

func hashValue(in *Interp, v Value) (Value, error) { return hashOf(in, v) }

func (in *Interp) identity(v Value) (Value, error) {
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
	name, err := text(a[1])
	if err != nil {
		return nil, err
	}
	v, err := GetAttr(in, a[0], name)
	if e, ok := catchable(err); ok && a[2] != nil && e.IsA(AttributeError) {
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
		if err := in.work(1); err != nil {
			return nil, err
		}
	}
}

func extreme(in *Interp, name string, better python.CmpOperator, a []Value) (Value, error) {
	args := a[0].(*Tuple).Items
	if len(args) == 0 {
		return nil, Errorf(TypeError, "%s expected at least 1 argument, got 0", name)
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
		if err := in.work(1); err != nil {
			return nil, err
		}
		key, err := keyed(in, a[1], v)
		if err != nil {
			return nil, err
		}
		if best != nil {
			r, err := Compare(in, better, key, bestKey)
			if t, err := truthOf(in, r, err); err != nil {
				return nil, err
			} else if !t {
				continue
			}
		}
		best, bestKey = v, key
	}
	return best, nil
}

func keyed(in *Interp, key, v Value) (Value, error) {
	if key == nil || key == None {
		return v, nil
	}
	return Call(in, key, []Value{v}, nil)
}

// sortedList sorts items in place, stably.
func sortedList(in *Interp, items []Value, key Value, reverse bool) (Value, error) {
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
	if s.err = s.in.work(1); s.err != nil {
		return false
	}
	r, err := Compare(s.in, python.Lt, s.keys[i], s.keys[j])
	t, err := truthOf(s.in, r, err)
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
		same, err := in.same(v, a[1])
		return v, !same, err
	}}, nil
}

func nextOf(in *Interp, a []Value) (Value, error) {
	it, ok := a[0].(Iterator)
	if !ok {
		fn := special(a[0], "__next__")
		if fn == nil {
			if u := unknownOf(a[0]); u != nil {
				return u.item(), nil
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
			s, err := text(v)
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
	if err := in.alloc(len(out)); err != nil {
		return nil, err
	}
	if a[3] == nil || a[3] == None {
		in.Stdout.WriteString(out)
	}
	return None, nil
}

// printed is the text that print writes; it never fails because of an unknown value.
func printed(in *Interp, v Value) (string, error) {
	if u := unknownOf(v); u != nil {
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
	if u := unknownOf(a[0]); u != nil {
		return nil, u.need("the content")
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
		for _, k := range in.classOf(a[0]).MRO {
			add(k.Attrs)
		}
	}
	l := &List{}
	for _, n := range sortedKeys(names) {
		l.Items = append(l.Items, Str(n))
	}
	return l, in.alloc(len(l.Items) * 2 * valueSize)
}

func ordOf(_ *Interp, a []Value) (Value, error) {
	switch s := payload(a[0]).(type) {
	case Str:
		if rs := toRunes(string(s)); len(rs) == 1 {
			return MakeInt(int64(rs[0])), nil
		} else {
			return nil, Errorf(TypeError, "ord() expected a character, but string of length %d found", len(rs))
		}
	case Bytes:
		if len(s) == 1 {
			return MakeInt(int64(s[0])), nil
		}
	}
	return nil, Errorf(TypeError, "ord() expected string of length 1, but %s found", a[0].TypeName())
}

func chrOf(in *Interp, a []Value) (Value, error) {
	n, err := in.toIndex(a[0])
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
	n, err := in.toIndex(v)
	if err != nil {
		return nil, err
	}
	s, err := formatSpec{kind: kind, alt: true, precision: -1, fill: ' '}.int(n, "int")
	if err != nil {
		return nil, err
	}
	return Str(s), in.alloc(len(s))
}

func absOf(in *Interp, a []Value) (Value, error) {
	if fn := special(a[0], "__abs__"); fn != nil {
		return in.callSpecial(a[0], fn)
	}
	switch x := payload(a[0]).(type) {
	case Int:
		if x.Sign() < 0 {
			return BigInt(new(big.Int).Neg(x.Big())), nil
		}
		return x, nil
	case Bool:
		return boolValue(x), nil
	case Float:
		if x < 0 || x == 0 {
			return 0 - x, nil
		}
		return x, nil
	case *Unknown:
		return nil, x.need("the value")
	case HasMethod:
		return x.Method(in, "__abs__", nil)
	}
	return nil, Errorf(TypeError, "bad operand type for abs(): '%s'", a[0].TypeName())
}

// HasMethod is a value of another package with special methods for builtin functions: __abs__, __round__, __int__,
// __float__.
type HasMethod interface {
	Method(in *Interp, name string, args []Value) (Value, error)
}
