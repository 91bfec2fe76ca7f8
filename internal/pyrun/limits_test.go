package pyrun_test

import (
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/pyrun/std"
)

// greedy are programs that ask for more than there is.
var greedy = []string{
	"r = 10 ** 10 ** 10",
	"r = 2 ** (2 ** 40)",
	"r = 1 << (1 << 60)",
	"x = 3\nwhile True: x = x * x",
	"x = 2 ** 200000\nwhile True: y = x * x % (x - 1)",
	"r = [0] * 10 ** 12",
	"r = (1, 2) * 10 ** 18",
	"r = 'a' * 10 ** 12",
	"r = b'a' * 10 ** 30",
	"x = 'ab'\nwhile True: x = x + x",
	"x = [1]\nwhile True: x = x + x",
	"x = [1]\nwhile True: x += x",
	"x = [1]\nfor i in x: x.append(i)",
	"while True: pass",
	"def f(): return f()\nr = f()",
	"f = lambda: f()\nr = f()",
	"class A:\n    def __getattr__(self, n): return getattr(self, n + 'x')\nr = A().a",
	"class A:\n    def __repr__(self): return repr(self)\nr = repr(A())",
	"class A:\n    def __eq__(self, o): return self == o\nr = A() == A()",
	"x = []\nfor i in range(10 ** 6): x = [x]\nr = repr(x)",
	"x = ()\nfor i in range(10 ** 5): x = (x,)\nr = hash(x)",
	"x = []\ny = []\nfor i in range(10 ** 5): x = [x]; y = [y]\nr = x == y",
	"r = sum(range(10 ** 18))",
	"r = list(range(10 ** 12))",
	"r = max(range(10 ** 12))",
	"r = 10 ** 15 in [x for x in range(10 ** 15)]",
	"r = sorted(range(10 ** 9))",
	"r = '{:>999999999}'.format('a')",
	"r = f'{1:0999999999}'",
	"r = '%999999999d' % 1",
	"r = '%*d' % (10 ** 9, 1)",
	"r = 'a'.ljust(10 ** 12)",
	"r = 'a'.zfill(10 ** 12)",
	"r = 'a'.center(10 ** 15)",
	"r = ('a' * 10 ** 6).replace('a', 'b' * 10 ** 6)",
	"r = ('a' * 10 ** 5).join(['x'] * 10 ** 5)",
	"r = '\\t'.expandtabs(10 ** 12)",
	"import itertools\nr = list(itertools.count())",
	"import itertools\nr = list(itertools.cycle([1]))",
	"import itertools\nr = sum(1 for _ in itertools.product(range(100), repeat=10))",
	"import itertools\nr = len(list(itertools.permutations(range(20))))",
	"import itertools\nr = list(itertools.repeat(1))",
	"import math\nr = math.factorial(10 ** 9)",
	"import math\nr = math.comb(10 ** 6, 5 * 10 ** 5)",
	"r = pow(3, 10 ** 5, 10 ** 70000)",
	"r = {i: i for i in range(10 ** 9)}",
	"r = {i for i in range(10 ** 9)}",
	"def g():\n    while True: yield 1\nr = list(g())",
	"def g():\n    yield from g()\nr = list(g())",
	"r = sum(g for g in iter(int, 1))",
	"for _ in range(10 ** 9): print('x' * 1000)",
	"r = eval('9 ** 9 ** 9')", "exec('while True: pass')", "while True: eval('1')",
	"s = 'eval(s)'\nr = eval(s)", "r = eval('(' * 10000 + ')' * 10000)", "r = eval('-' * 100000 + '1')",
	"r = open('/etc/passwd').read()", "import re\nr = re.compile('(' * 100000)",
	"try:\n    while True: pass\nexcept BaseException:\n    while True: pass\nr = 1",
	"try:\n    while True: pass\nfinally:\n    while True: pass",
	"class A:\n    def __iter__(self): return self\n    def __next__(self): return 1\nr = list(A())",
	"class A:\n    def __getitem__(self, i): return i\nr = list(A())",
	"class A:\n    def __hash__(self): return 1\n    def __eq__(self, o): return False\nd = {A(): i for i " +
		"in range(10 ** 6)}",
	"r = int('9' * 10 ** 6)",
	"r = str(10 ** 5000)",
	"import copy\nx = []\nfor i in range(10 ** 5): x = [x]\nr = copy.deepcopy(x)",
	"from collections import deque\nd = deque()\nwhile True: d.appendleft(1)",
	"x = [1] * 10 ** 6\nwhile x: x.pop(0)\nwhile True: pass",
	"x = {i: i for i in range(10 ** 5)}\nwhile True: x.popitem(); x[1] = 2; x[2] = 3",
	"d = {}\nwhile True:\n    d[1] = 1\n    del d[1]",
	"r = bytes(10 ** 12)",
	"x = ['a' * 10 ** 6] * 10 ** 5\nwhile True: x[0] == x[1]",
	"x = 'é' * 10 ** 6\nwhile True: x[5]",
	"x = 'a' * 10 ** 6\nwhile True: 'b' in x; len(x)",
	"x = 'a' * 10 ** 6\nd = {}\nwhile True: d.get(x)",
	"x = list(range(10 ** 5))\nwhile True: -1 in x",
	"x = set(range(10 ** 4))\nwhile True: x & {-1}; x <= x",
	"x = 0\nfor i in range(10 ** 5): x = (x, int)\nr = isinstance(1, x)",
	"x = ()\nfor i in range(10 ** 5): x = (x,)\ntry:\n    1 / 0\nexcept x: pass",
	"x = [1]\nfor i in range(10 ** 5): x = enumerate(x)\nr = next(x)",
	"from types import MethodType\nx = print\nfor i in range(10 ** 5): x = MethodType(x, 1)\nr = x()",
	"class A: pass\nfor i in range(10 ** 5):\n    class A(A): pass",
	"x = frozenset()\nfor i in range(10 ** 5): x = frozenset({x})",
	"t = tuple(range(10 ** 5))\ndef f(*a): pass\nwhile True: f(*t)",
	"class P(property): pass\nx = 1\nwhile True: x = [x, x]",
	"r = tuple(zip(*[range(10 ** 7)] * 1000))",
	"x = list(range(1000))\nwhile True: x[0:0] = x",
}

func TestLimits(t *testing.T) {
	for _, src := range greedy {
		start := time.Now()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		in := pyrun.New(pyrun.Options{Library: std.Library,
			Finder: pyrun.FSFinder(fstest.MapFS{"main.py": {Data: []byte(src)}}),
			Limits: object.Limits{MaxSteps: 300_000, MaxBytes: 32 << 20}}).Interp
		err := pyrun.From(in).LoadFile("main.py").Run(in)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: no error", src)
			continue
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s: took %v", src, d)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 4<<30 {
			t.Errorf("%s: allocated %d MiB", src, n>>20)
		}
		if testing.Verbose() {
			first, _, _ := strings.Cut(err.Error(), "\n")
			t.Logf("%-60.60q %8v %6d KiB  %s", src, time.Since(start).Round(time.Millisecond),
				(after.TotalAlloc-before.TotalAlloc)>>10, first)
		}
	}
}

// FuzzEval: whatever the text, evaluation ends soon, and without a panic.
func FuzzEval(f *testing.F) {
	for _, src := range greedy {
		f.Add(src)
	}
	for _, src := range []string{
		"class A(int):\n    def __add__(self, o): return super().__add__(o)\nr = A(1) + A(2)",
		"from enum import *\nclass E(Flag):\n    A = auto()\n    B = auto()\nr = E.A | E.B",
		"from dataclasses import *\n@dataclass(order=True)\nclass D:\n    a: int = field(default=1)\nr = " +
			"D() < D(2)",
		"def g(x):\n    try:\n        y = yield x\n    except ValueError as e:\n        yield e\n" +
			"    finally:\n        x = 1\ni = g(1)\nnext(i)\ni.throw(ValueError)",
		"match [1, {'a': 2}]:\n    case [x, {'a': y, **z}] if x: r = y",
		"r = f'{1:>{5}} {\"a\"!r} {3=}' + '%5.2f' % 1.5 + '{0[0]}'.format([1])",
		"from x import *\nimport y.z as w\ntry:\n    import q\nexcept ImportError: pass\nr = foo(w.a[1:2])",
		"import functools, itertools, re, math, collections\nr = functools.reduce(lambda a, b: a + b, " +
			"map(int, re.findall(r'\\d', 'a1b2')))",
		"r = [*{**{1: 2}}, *()][::-1]; (a, *b), c = [1, 2], 3; del b[0]; x = y = 1; x += 1; assert x, 'no'",
		"with a as b, c: pass", "lambda *a, b=1, **c: (yield)", "global x\nx: int = 5\nnonlocal y",
		"class A:\n    x = property(lambda s: 1)\n    @classmethod\n    def f(cls): return cls\n" +
			"    __slots__ = ()\nr = A.f()().x",
		"r = super().x", "r = type('A', (), {})()",
		"r = int.__add__(1, 2), str.join(',', 'ab'), object().__eq__(1)",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 2000 {
			return
		}
		in := pyrun.New(pyrun.Options{Library: std.Library,
			Finder: pyrun.FSFinder(fstest.MapFS{"main.py": {Data: []byte(src)}}),
			Limits: object.Limits{MaxSteps: 20_000, MaxBytes: 4 << 20, MaxDepth: 100}}).Interp
		m := pyrun.From(in).LoadFile("main.py")
		watch := time.AfterFunc(10*time.Second, func() { panic("takes too long") })
		defer watch.Stop()
		names, err := m.Names(in)
		if err != nil {
			return // does not parse
		}
		for _, name := range names {
			v, ok, err := m.Get(in, name)
			if err != nil {
				object.Diagnostic(err, in.Site).Render(in.Files)
			} else if ok {
				object.Repr(in, v)
			}
			in.Refill()
			if len(names) > 20 {
				break
			}
		}
		in.Refill()
		m.Run(in)
	})
}
