package pyrun_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestRandomStatements compares programs of statements put together at random: each notes in r what it passes
// through, so that the order of everything counts.
func TestRandomStatements(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var list []string
	for range 600 {
		g := &programs{Rand: r}
		g.line("r = []")
		g.line(programHead)
		g.function()
		g.block(3, false)
		list = append(list, strings.Join(g.lines, "\n"))
	}
	compare(t, list, true)
}

// programHead has what programs use: a context manager, classes, generators.
const programHead = `a, b, c, d = 1, 2, [3, 4], {'k': 5}
class Manager:
    def __init__(self, n, hide=False): self.n, self.hide = n, hide
    def __enter__(self): r.append(('enter', self.n)); return self.n
    def __exit__(self, kind, value, tb): r.append(('exit', self.n, kind and kind.__name__)); return self.hide
class Base:
    x = 1
    __match_args__ = ('p', 'q')
    def __init__(self, p=0, q=0): self.p, self.q = p, q
    def f(self, n): return ('base', n, self.p)
    @property
    def v(self): return self.q
    @v.setter
    def v(self, n): self.q = n + 1
    @classmethod
    def make(cls, *n): return cls(*n)
    @staticmethod
    def plain(n): return n
    def __eq__(self, o): return isinstance(o, Base) and self.p == o.p
    def __lt__(self, o): return self.p < o.p
    def __hash__(self): return 7
    def __len__(self): return self.p
    def __repr__(self): return f'{type(self).__name__}({self.p}, {self.q})'
class Derived(Base):
    x = 2
    def f(self, n): return ('derived', super().f(n + 1))
    def __getattr__(self, name):
        if name.startswith('_'): raise AttributeError(name)
        return name
    def __getitem__(self, i):
        if i == 3: raise IndexError(i)
        return i * self.p
    def __iter__(self): yield from (self.p, self.q)
    def __contains__(self, n): return n == self.q
    def __add__(self, o): return Derived(self.p + 1, o)
    def __radd__(self, o): return Derived(o, self.p)
    def __iadd__(self, o): self.p += 10; return self
    def __bool__(self): return self.q != 0
    def __call__(self, *n, **k): return (n, sorted(k.items()))
kept = [] # a generator is closed when nothing refers to it, which happens at once in CPython alone
def count(n):
    kept.append(steps(n))
    return kept[-1]
def steps(n):
    try:
        for i in range(n):
            got = yield i
            if got: r.append(('got', got))
    except ValueError as e:
        r.append(('thrown', str(e)))
        yield -1
    finally:
        r.append('closed')
    return n
def outer(n):
    x = yield from count(n)
    r.append(('inner returned', x))
    return x + 1
`

// programs makes a program.
type programs struct {
	*rand.Rand
	lines  []string
	indent int
	names  int
}

func (g *programs) line(format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	pad := strings.Repeat("    ", g.indent)
	g.lines = append(g.lines, pad+strings.ReplaceAll(text, "\n", "\n"+pad))
}

func (g *programs) pick(list ...string) string { return list[g.IntN(len(list))] }

// name returns a name that the program has not had.
func (g *programs) name(of string) string {
	g.names++
	return fmt.Sprint(of, g.names)
}

// value returns an expression, which may raise.
func (g *programs) value() string {
	return g.pick("a", "b", "c", "d", "a + b", "c[0]", "c[5]", "d['k']", "d['z']", "1 // (a - b)", "Base(a)",
		"Derived(2, 3)", "Derived(1).f(a)", "Base.make(1, 2).v", "Derived.plain(3)", "list(Derived(4, 5))",
		"Derived(1).other", "Derived(1)._other", "3 in Derived(2, 3)", "Derived(1) + 4", "4 + Derived(1)",
		"Derived(2)(1, *c, z=a)", "Base(1) == Base(1, 5)", "sorted([Base(2), Base(1)])", "{Base(1): 2}[Base(1)]",
		"[i for i in count(3) if i != b]", "[x * y for x in c for y in (1, a) if x > y]", "{x: a for x in c}",
		"(lambda x, *y, z=a, **w: (x, y, z, w))(b, 1, q=2)", "[(a := a + 1), a]", "a if b else c", "a and c",
		"not d or b", "a < b <= 2 < 5", "c[::-1] + [a]", "f'{a!r:>4}{b=}{c[0]:03d}'", "'%s-%d' % (a, b)",
		"max(c, key=lambda x: -x)", "list(zip(c, 'xy'))", "dict(d, j=a)", "{**d, 'k': a}", "[*c, *'ab']",
		"sum(x for x in c)", "next(iter(()), a)", "isinstance(Derived(), Base)", "Derived.__mro__[1].__name__",
		"list(map(Derived(3).__getitem__, c))", "[x for x in Derived(1, 2)]", "len(Base(4))", "bool(Derived(1))",
		"any(x > 3 for x in c)", "getattr(Base(1), 'zz', 8)", "type(a) is int", "c.index(9)", "int('x')")
}

// condition returns a condition.
func (g *programs) condition() string {
	return g.pick("a < b", "a == 1", "c", "not c", "b > 1 and a", "len(c) > 2", "'k' in d", "a != b or c",
		"Derived(1)", "a is None", "isinstance(c, list)", "b % 2")
}

// block makes the statements of a block. In a loop they may leave it.
func (g *programs) block(depth int, loop bool) {
	g.indent += b2i(len(g.lines) > 3 && strings.HasSuffix(g.lines[len(g.lines)-1], ":"))
	for range 1 + g.IntN(3) {
		g.statement(depth, loop)
	}
	if loop && g.IntN(3) == 0 {
		g.line("%s", g.pick("break", "continue", "if a > 2: break"))
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// under makes a header and the block below it.
func (g *programs) under(depth int, loop bool, format string, args ...any) {
	at := g.indent
	g.line(format, args...)
	g.block(depth-1, loop)
	g.indent = at
}

func (g *programs) statement(depth int, loop bool) {
	kind := g.IntN(16)
	if depth == 0 {
		kind = 8 + g.IntN(8)
	}
	switch kind {
	case 0:
		g.under(depth, loop, "if %s:", g.condition())
		if g.IntN(2) == 0 {
			g.under(depth, loop, "elif %s:", g.condition())
		}
		if g.IntN(2) == 0 {
			g.under(depth, loop, "else:")
		}
	case 1:
		g.under(depth, true, "for %s in %s:", g.pick("i", "a", "i, *a", "(i, b)"), g.pick("range(3)", "c", "d",
			"enumerate(c)", "count(2)", "zip(c, c)", "Derived(1, 2)", "()", "[(1, 2), (3, 4)]"))
		if g.IntN(2) == 0 {
			g.under(depth, loop, "else:")
		}
	case 2:
		n := g.name("n")
		g.line("%s = 0", n)
		at := g.indent
		g.line("while %s < 3:", n)
		g.indent++
		g.line("%s += 1", n)
		g.block(depth-1, true)
		g.indent = at
		if g.IntN(2) == 0 {
			g.under(depth, loop, "else:")
		}
	case 3, 4:
		g.try(depth, loop)
	case 5:
		g.under(depth, loop, "with Manager(a%s) as b:", g.pick("", ", True", ", b == 2", "), Manager(2"))
	case 6:
		g.function()
	case 7:
		g.match(depth, loop)
	case 8:
		g.line("%s = %s", g.pick("a", "b", "c[0]", "d['k']", "a, b", "a, *c", "[a, b]", "a = b", "c[1:]", "d[a]"),
			g.value())
	case 9:
		g.line("%s %s= %s", g.pick("a", "b", "c[0]", "d['k']", "c"), g.pick("+", "-", "*", "//", "|"),
			g.value())
	case 10:
		g.line("r.append(%s)", g.value())
	case 11:
		g.line("%s", g.pick("del c[0]", "del d['k']", "assert a < b, 'small'", "pass", "c.append(a)",
			"d.update(z=b)", "raise ValueError(a)", "raise KeyError('q') from ValueError(b)", "c.sort()", "c.pop()",
			"x = Derived(1)", "x = Derived(1, 2); x.v = 5; r.append(x.v)", "x = Derived(3); x += 1; r.append(x)"))
	case 12:
		g.generator()
	default:
		g.line("r.append((a, b, %s))", g.value())
	}
}

// try makes a try statement.
func (g *programs) try(depth int, loop bool) {
	g.under(depth, loop, "try:")
	handlers := g.IntN(3)
	for range handlers {
		g.under(depth, loop, "except %s:", g.pick("ValueError", "KeyError as e", "(TypeError, IndexError)",
			"ZeroDivisionError as e", "LookupError as e", "ArithmeticError", "AttributeError", "Exception as e"))
	}
	if handlers > 0 && g.IntN(2) == 0 {
		g.under(depth, loop, "else:")
	}
	if handlers == 0 || g.IntN(2) == 0 {
		g.under(depth, false, "finally:")
	}
}

// function makes a function, which may leave from inside other statements, and calls it.
func (g *programs) function() {
	f := g.name("f")
	at := g.indent
	g.line("def %s(x, y=2, *rest, key=%s, **more):", f, g.pick("3", "None"))
	g.indent++
	g.line("%s", g.pick("n = x", "n = [x, y]", "n = key", "n = rest"))
	g.line("def inner(z=x):\n    nonlocal n, y\n    n = (n, z)\n    y += 1\n    return y")
	switch g.IntN(5) {
	case 0:
		g.line("try:\n    return inner(x)\nfinally:\n    r.append(('left', n))")
	case 1:
		g.line("for i in range(3):\n    try:\n        if i == 1: return (i, n)\n        continue\n    finally:\n" +
			"        r.append(inner(i))")
	case 2:
		g.line("with Manager(x, True):\n    inner()\n    raise ValueError(n)\nr.append('hidden')")
	case 3:
		g.line("if x > 0:\n    return %s(x - 1, y, *rest, key=key, **more)", f)
	}
	g.line("return (n, inner(), rest, key, sorted(more))")
	g.indent = at
	g.line("r.append(%s(%s))", f, g.pick("1", "1, 2, 3", "2, key=a", "x=1, z=4", "*(1, 2)", "**{'x': 3, 'w': 1}",
		"y=1", "1, 2, y=3", "0, *[1, 5], key=2, q=b"))
}

// generator steps through a generator.
func (g *programs) generator() {
	n := g.name("g")
	g.line("%s = %s(%d)", n, g.pick("count", "outer"), g.IntN(4))
	for range 1 + g.IntN(4) {
		g.line("r.append(%s)", g.pick("next("+n+")", "next("+n+", 'end')", n+".send(None)", n+".send('s')",
			n+".throw(ValueError('t'))", n+".throw(KeyError)", n+".close()", "list("+n+")"))
	}
}

// match makes a match statement.
func (g *programs) match(depth int, loop bool) {
	g.line("match %s:", g.pick("a", "c", "d", "(a, b)", "[1, 2, 3]", "Base(1, 2)", "Derived(1, c)",
		"{'k': c, 'z': 2}", "'text'", "None", "[[1, 2], {'k': 1}]", "True", "1.0"))
	at := g.indent
	g.indent++
	for range 1 + g.IntN(4) {
		g.under(depth, loop, "case %s%s:", g.pick("1", "1 | 2", "[x, y]", "[x, *y]", "[1, _, *y]", "{'k': x}",
			"{'k': [x, *y], **z}", "Base(1, y)", "Derived(p=1, q=y)", "Base(p=x) as y", "str(x)", "None", "True",
			"(x, y) as a", "[[1, x], {'k': y}]", "int(x) | float(x)", "[]", "{}", "'text' | 'other'", "-1"),
			g.pick("", "", " if a == 1", " if c"))
	}
	g.indent = at
}
