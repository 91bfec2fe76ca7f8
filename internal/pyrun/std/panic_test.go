package std

import (
	"fmt"
	"maps"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// oddities makes values of all kinds.
const oddities = `
from dataclasses import dataclass, field, fields
from enum import Enum, IntEnum, Flag, auto
from collections import namedtuple, deque, Counter, OrderedDict, defaultdict
from typing import NamedTuple, List
import re, types, functools, inspect, packaging.version as pv, argparse, logging, contextlib, itertools
import unknown_package
P = namedtuple("P", "a b")
class T(NamedTuple):
    x: int = 1
@dataclass(order=True, frozen=True)
class D:
    a: int
    b: list = field(default_factory=list, compare=False)
class E(Enum):
    A = 1
class I(IntEnum):
    B = 2
class F(Flag):
    X = 1
    Y = 2
class L(list): pass
class S(str): pass
class N(int): pass
class X(ValueError): pass
class O:
    @property
    def p(self): return 1
    @staticmethod
    def s(): pass
    @classmethod
    def c(cls): pass
    def m(self): pass
    def __call__(self): return self
class U(unknown_package.Base): pass
def f(a, *b, c=1, **d): yield a
def g(a, /, b=2): return a
@contextlib.contextmanager
def cm(): yield 1
values = [None, True, 0, -1, 3, 2**80, 0.5, float("nan"), "", "ab", b"xy", (), (1, 2), [], [1, "a"], {},
    {"a": 1}, {1}, frozenset({2}), range(3), slice(1, 2), ..., NotImplemented,
    int, str, list, dict, type, object, ValueError, ValueError("x"), X(1), P, P(1, 2), T, T(), D, D(1),
    E, E.A, I.B, F.X, L([1]), S("q"), N(4), O, O(), O().m, O.m, O.p, U, U(), f, f(1), g, lambda: 1,
    len, "".join, [].append, re, re.compile("a(b)?"), re.match("a(b)?", "a"), types.SimpleNamespace(a=1),
    functools.partial(g, 1), functools.lru_cache(g), pv.parse("1.2rc1"), argparse.ArgumentParser(),
    logging.getLogger(), deque([1]), Counter("ab"), OrderedDict(a=1), defaultdict(list), {}.keys(),
    {1: 2}.items(), iter([1]), zip([1]), enumerate([1]), itertools.count(), unknown_package.x,
    unknown_package, List, List[int], int | str, contextlib.nullcontext(1), cm(), inspect.signature(g),
    fields(D)[0], super, property(len), staticmethod(len), globals(), E.__members__,
    D.__init__, D.__repr__, D.__eq__, P._make, P._replace, P._asdict]
`

func panicValues(t *testing.T) (*object.Interp, []object.Value) {
	in := pyrun.New(pyrun.Options{Library: Library,
		Finder: pyrun.FSFinder(fstest.MapFS{"main.py": {Data: []byte(oddities)}}),
		Limits: object.Limits{MaxSteps: 1 << 40, MaxBytes: 1 << 40, MaxDepth: 60}}).Interp
	v, ok, err := pyrun.From(in).LoadFile("main.py").Get(in, "values")
	if err != nil || !ok {
		t.Fatal(err)
	}
	return in, v.(*object.List).Items
}

// TestNoPanic calls every function and method there is with arguments that it does not expect. What they
// return does not matter, as long as they do.
func TestNoPanic(t *testing.T) {
	in, values := panicValues(t)
	funcs := map[string]object.Value{}
	for name, v := range object.Builtins {
		funcs[name] = v
		if c, ok := v.(*object.Class); ok {
			for k, m := range c.Attrs.All() {
				funcs[name+"."+string(k.(object.Str))] = m
			}
		}
	}
	for name := range nativeModules {
		for k, v := range pyrun.From(in).LibraryModule(name).Vars {
			funcs[name+"."+k] = v
		}
	}
	for i, v := range values { // and the methods of the values, unbound and bound
		for _, k := range in.ClassOf(v).MRO {
			for name := range k.Attrs.All() {
				n := string(name.(object.Str))
				funcs[fmt.Sprintf("type(%d).%s", i, n)] = k.Attrs.MustStr(n)
				if m, ok, err := in.FindAttr(v, n); ok && err == nil {
					funcs[fmt.Sprintf("values[%d].%s", i, n)] = m
				}
			}
		}
		funcs[fmt.Sprintf("values[%d]", i)] = v
	}
	for _, n := range []string{"group", "span", "start", "groups", "groupdict", "sub", "split", "findall",
		"match", "add_argument", "parse_args", "info", "append", "popleft", "rotate", "extendleft", "_make",
		"_replace", "_asdict", "__enter__", "__exit__", "cache_clear", "setter", "move_to_end", "most_common",
		"__new__", "update", "get", "keys"} {
		for i, v := range values {
			if m, ok, err := in.FindAttr(v, n); ok && err == nil {
				funcs[fmt.Sprintf("values[%d].%s", i, n)] = m
			}
		}
	}
	type called struct{ fn, class object.Value } // a bound method is another one for each class
	calls, done := 0, map[called]bool{}
	for _, name := range slices.Sorted(maps.Keys(funcs)) {
		f := funcs[name]
		key := called{fn: f}
		if b, ok := f.(*object.BoundMethod); ok {
			key = called{b.Fn, in.ClassOf(b.Self)}
		}
		if reflect.TypeOf(key.fn).Comparable() {
			if done[key] {
				continue
			}
			done[key] = true
		}
		in, values := panicValues(t)
		try := func(args ...object.Value) {
			calls++
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%s%s: %v\n%s", name, object.PlainRepr(object.NewTuple(args...)), p,
						culprit(string(debug.Stack())))
				}
			}()
			in.Grant(3000, 1<<20)
			if v, err := object.Call(in, f, args, nil); err == nil {
				in.Grant(3000, 1<<20)
				object.Repr(in, v)
				object.Iterate(in, v)
			}
		}
		try()
		for _, v := range values {
			try(v)
		}
		for i, v := range values {
			if i%2 == 0 {
				try(v, values[(i*7+3)%len(values)])
			} else {
				try(values[(i*5+1)%len(values)], v, values[(i*3+5)%len(values)])
			}
		}
		if t.Failed() && calls > 1_000_000 {
			break
		}
	}
	t.Logf("%d calls of %d functions", calls, len(done))
}

// culprit are the innermost functions of this package in a stack.
func culprit(stack string) string {
	var out []string
	_, stack, _ = strings.Cut(stack, "panic(")
	lines := strings.Split(stack, "\n")
	for i, l := range lines {
		if strings.Contains(l, "internal/pyrun") && i+1 < len(lines) && len(out) < 4 {
			out = append(out, strings.TrimSpace(lines[i+1]))
		}
	}
	return strings.Join(out, "\n")
}

// TestNoPanicOperators does the same for operators, attributes, items and conversions.
func TestNoPanicOperators(t *testing.T) {
	in, values := panicValues(t)
	try := func(what string, v, w object.Value, f func()) {
		defer func() {
			if p := recover(); p != nil {
				t.Errorf("%s of %s and %s: %v\n%s", what, object.PlainRepr(v), object.PlainRepr(w), p,
					culprit(string(debug.Stack())))
			}
		}()
		in.Grant(3000, 1<<20)
		f()
	}
	ops := []python.Operator{python.Add, python.Sub, python.Mult, python.MatMult, python.Div, python.Mod,
		python.Pow, python.LShift, python.RShift, python.BitOr, python.BitXor, python.BitAnd, python.FloorDiv}
	cmps := []python.CmpOperator{python.Eq, python.NotEq, python.Lt, python.LtE, python.Is, python.In}
	for _, v := range values {
		for _, w := range values {
			for _, op := range ops {
				try(op.String(), v, w, func() { object.Binary(in, op, v, w) })
				try(op.String()+"=", v, w, func() { object.InPlace(in, op, v, w) })
			}
			for _, op := range cmps {
				try(op.String(), v, w, func() { object.Compare(in, op, v, w) })
			}
			try("item", v, w, func() { object.GetItem(in, v, w) })
			try("isinstance", v, w, func() { object.IsInstanceOf(in, v, w) })
			try("issubclass", v, w, func() { object.IsSubclassOf(in, v, w) })
			try("set item", v, w, func() { object.SetItem(in, v, w, w) })
			try("del item", v, w, func() { object.DelItem(in, v, w) })
			try("set attribute", v, w, func() { object.SetAttr(in, v, "zz", w) })
			try("set payload", v, w, func() { object.SetAttr(in, v, "_value_", w) })
		}
		for _, op := range []python.UnaryOperator{python.USub, python.UAdd, python.Invert, python.Not} {
			try(op.String(), v, object.None, func() { object.Unary(in, op, v) })
		}
		try("text", v, object.None, func() {
			object.ToStr(in, v)
			object.Repr(in, v)
			object.Format(in, v, ">10")
			object.Format(in, v, "")
			object.PlainRepr(v)
		})
		try("use", v, object.None, func() {
			object.Truth(in, v)
			object.Len(in, v)
			object.HashKey(in, v)
			object.Hash(in, v)
			object.AsInt64(v)
			object.AsFloat(v)
			in.Identity(v)
		})
		for _, n := range []string{"__class__", "__dict__", "__name__", "__doc__", "__mro__", "__bases__",
			"__module__", "__self__", "__wrapped__", "a", "value", "x", "__signature__", "__code__",
			"__annotations__", "__members__"} {
			try("."+n, v, object.None, func() {
				object.GetAttr(in, v, n)
				object.HasAttribute(in, v, n)
				object.DelAttr(in, v, n)
			})
		}
	}
}
