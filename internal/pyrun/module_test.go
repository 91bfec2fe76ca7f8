package pyrun_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/pyrun/std"
)

// files is a folder given as text: each file begins with a line "== name".
func files(text string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for _, part := range strings.Split("\n"+text, "\n== ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		fsys[strings.TrimSpace(name)] = &fstest.MapFile{Data: []byte(body + "\n")}
	}
	return fsys
}

// given are modules that a user of the package would register.
func given(name string) (*pyrun.Module, bool) {
	switch name {
	case "lib":
		return &pyrun.Module{Name: "lib", Vars: map[string]object.Value{"__version__": object.Str("3.6.0"),
			"x": object.MakeInt(1), "jit": object.Native("jit", "fn",
				func(_ *object.Interp, a []object.Value) (object.Value, error) {
					return object.NewTuple(object.Str("jit"), a[0]), nil
				})}}, true
	case "lib.sub":
		return &pyrun.Module{Name: "lib.sub", Vars: map[string]object.Value{"y": object.MakeInt(2)}}, true
	case "half":
		return &pyrun.Module{Name: "half", Vars: map[string]object.Value{"known": object.MakeInt(1)},
			Open: true}, true
	}
	return nil, false
}

func newTestInterp(fsys fstest.MapFS) *object.Interp {
	return pyrun.New(pyrun.Options{Library: std.Library, Finder: pyrun.FSFinder(fsys), Known: given,
		Env: map[string]string{"MODE": "fast"}}).Interp
}

// value is the repr of a name of main.py, or the error.
func value(in *object.Interp, file, name string) string {
	v, ok, err := pyrun.From(in).LoadFile(file).Get(in, name)
	if err != nil {
		return shown(err)
	}
	if !ok {
		return "not bound"
	}
	s, err := object.Repr(in, v)
	if err != nil {
		return shown(err)
	}
	return s
}

func TestLazyModules(t *testing.T) {
	for _, c := range []struct{ name, files, want string }{
		{"what nobody asks for is not evaluated", "== main.py\nimport nope\nnope.f() + 1\n1 / 0\nx = 1 / " +
			"0\nr = 5", "5"},
		{"other names in turn", "== main.py\na = 2\nb = a * 3\nr = b + 1", "7"},
		{"mutations count", "== main.py\nr = []\nr.append(1)\nx = 1/0\nr += [2]\nr[0:0] = [0]", "[0, 1, 2]"},
		{"mutation in a loop", "== main.py\nr = {}\nfor i in range(3):\n    r[i] = i * i",
			"{0: 0, 1: 1, 2: 4}"},
		{"attribute set later", "== main.py\nclass A: pass\nr = A()\nr.x = 3\nr = r.x", "3"},
		{"the last of two definitions", "== main.py\ndef f(): return 1 / 0\n@nope\ndef g(): pass\ndef " +
			"f(): return 2\nr = f()", "2"},
		{"a failing first definition that is replaced", "== main.py\nr = 1 / 0\nr = 3", "3"},
		{"values as of their time", "== main.py\nx = 1\ny = x\nx = 2\nr = x, y", "(2, 1)"},
		{"the same, asked in the other order", "== main.py\nx = 1\ndef f(): return x\ny = f()\nx = 2\nr = " +
			"(x, y, f())", "(2, 1, 2)"},
		{"condition on a value of its time", "== main.py\nx = 1\nif x == 1:\n    y = 'one'\nelse:\n    y " +
			"= 'other'\nx = 5\nr = x, y", "(5, 'one')"},
		{"one branch of an if", "== main.py\nimport os\nif os.environ.get('MODE') == 'fast':\n    def " +
			"f(): return 'fast'\nelse:\n    import nope\n    nope.g() + 1\n    def f(): return " +
			"'slow'\nr = f()", "'fast'"},
		{"elif", "== main.py\nv = 2\nif v == 1: r = 'a'\nelif v == 2: r = 'b'\nelse: r = 'c'", "'b'"},
		{"only what is needed of a branch", "== main.py\nif True:\n    boom = 1 / 0\n    r = 4", "4"},
		{"nested ifs", "== main.py\nif True:\n    if False:\n        r = 1\n    else:\n        if not " +
			"[]:\n            r = 2", "2"},
		{"hasattr of a module", "== main.py\nimport lib\nif hasattr(lib, 'gather'):\n    r = lib.gather\n" +
			"else:\n    r = lib.x", "1"},
		{"version", "== main.py\nfrom packaging import version\nimport lib\nr = " +
			"version.parse(lib.__version__) >= version.parse('3.2.0'), version.Version('3.6.0rc1') < " +
			"version.Version('3.6')", "(True, True)"},
		{"version by hand", "== main.py\nimport lib\nV = tuple(int(p) for p in " +
			"lib.__version__.split('.')[:2])\nr = 'new' if V >= (3, 2) else 'old'", "'new'"},
		{"main guard", "== main.py\nr = 1\nif __name__ == '__main__':\n    r = 2\n    launch()", "1"},
		{"type checking", "== main.py\nfrom typing import TYPE_CHECKING\nr = 1\nif TYPE_CHECKING:\n" +
			"    from nope import r", "1"},
		{"deleted", "== main.py\nr = 1\ndel r", "not bound"},
		{"walrus in a condition", "== main.py\nif (n := 3) > 2:\n    r = n", "3"},
		{"global statement", "== main.py\nCACHE = None\ndef setup():\n    global CACHE\n    CACHE = 7\n" +
			"setup()\nr = CACHE", "7"},
		{"globals()", "== main.py\nfor i in range(2):\n    globals()[f'k{i}'] = i * 10\nr = k1", "10"},
		{"setattr in a function", "== main.py\nimport sys\nIS_X = 7\ndef aliases():\n    m = " +
			"sys.modules[__name__]\n    for k in ('IS_X', 'IS_Y'):\n        if hasattr(m, k):\n" +
			"            setattr(m, k.lower(), getattr(m, k))\naliases()\ndel aliases\nr = is_x", "7"},
		{"globals in a function", "== main.py\ndef bind(name, v):\n    globals()[name] = v\nbind('a', 1)\n" +
			"bind('b', 2)\nr = a, b", "(1, 2)"},
		{"globals as mapping", "== main.py\na = 5\nr = globals()['a'], 'zz' in globals(), " +
			"globals().get('zz', 1)", "(5, False, 1)"},
		{"with at the top", "== main.py\nfrom contextlib import nullcontext\nwith nullcontext(4) as v:\n" +
			"    r = v", "4"},
		{"match at the top", "== main.py\nmatch 3:\n    case 3: r = 'three'\n    case _: r = 'else'",
			"'three'"},
		{"tuple targets", "== main.py\na, (b, *r) = 1, (2, 3, 4)", "[3, 4]"},
		{"try chooses", "== main.py\ntry:\n    import nope\n    r = 'there'\nexcept ImportError:\n    r = " +
			"'missing'", "'missing'"},
		{"try without", "== main.py\ntry:\n    from lib import jit\n    r = 'there'\nexcept ImportError:\n" +
			"    r = 'missing'", "'there'"},
		{"try with a name that is not there", "== main.py\ntry:\n    from lib import nope\nexcept " +
			"ImportError as e:\n    r = str(e)", `"cannot import name 'nope' from 'lib'"`},
		{"flags of imports", "== main.py\ntry:\n    import flash_attn\n    HAS = True\nexcept " +
			"(ImportError, ModuleNotFoundError):\n    flash_attn = None\n    HAS = False\nr = HAS, flash_attn",
			"(False, None)"},
		{"standard modules are there", "== main.py\ntry:\n    import json, subprocess\n    r = 'there'\n" +
			"except ImportError:\n    r = 'missing'", "'there'"},
		{"find_spec", "== main.py\nimport importlib.util\nr = importlib.util.find_spec('nope') is None, " +
			"importlib.util.find_spec('lib') is None", "(True, False)"},
		{"module_from_spec", "== main.py\nimport importlib.util as u\ndef find(name):\n    for loc in " +
			"('nope', 'lib'):\n        if spec := u.find_spec(loc):\n            m = " +
			"u.module_from_spec(spec)\n            assert spec.loader is not None\n" +
			"            spec.loader.exec_module(m)\n            return spec.name, getattr(m, name)\nr = " +
			"find('__version__')", "('lib', '3.6.0')"},
		{"module_from_spec of nothing", "== main.py\nimport importlib.util as u\nr = " +
			"u.module_from_spec(u.find_spec('nope'))",
			"! AttributeError: 'NoneType' object has no attribute 'loader'"},
		{"metadata", "== main.py\nfrom importlib.metadata import version\nr = version('lib')", "'3.6.0'"},
		{"else of try", "== main.py\ntry:\n    import lib\nexcept ImportError:\n    r = 1\nelse:\n    r = " +
			"2\nfinally:\n    z = 3", "2"},
		{"decorators of given modules", "== main.py\nimport lib\n@lib.jit\ndef f(): pass\nr = f[0], " +
			"f[1].__name__", "('jit', 'f')"},
		{"name that is missing", "== main.py\nr = undefined_name",
			"! NameError: name 'undefined_name' is not defined"},
		{"forward reference at the top", "== main.py\nr = late\nlate = 1",
			"! NameError: name 'late' is not defined"},
		{"NameError chooses", "== main.py\ntry:\n    unicode\nexcept NameError:\n    unicode = 'str'\nr " +
			"= unicode", "'str'"},
		{"self reference", "== main.py\nr = 1\nr = r + 1\nr = r * 5", "10"},
		{"docstring", "== main.py\n'doc of it'\nr = __doc__", "'doc of it'"},
		{"semicolons", "== main.py\na = 1; b = a + 1; r = b", "2"},
		{"class body", "== main.py\nN = 4\nclass A:\n    size = N * 2\n    def f(self): return self.size " +
			"+ late\nlate = 1\nr = A().f()", "9"},
		{"module __getattr__", "== main.py\nimport pkg\nr = pkg.anything\n== pkg.py\ndef " +
			"__getattr__(name): return 'dyn ' + name", "'dyn anything'"},
		{"dir-like names", "== main.py\nimport pkg\nr = sorted(n for n in dir(pkg) if not " +
			"n.startswith('_'))\n== pkg.py\na = 1\nb = 1 / 0", "['a', 'b']"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := value(newTestInterp(files(c.files)), "main.py", "r"); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestImports(t *testing.T) {
	const tree = `
== top.py
T = 'top'
== pkg/__init__.py
from .a import fa as exported
from . import b
VERSION = '1'
BROKEN = 1 / 0
== pkg/a.py
from .sub.deep import D
from ..top import T
def fa(): return 'fa' + D
== pkg/b.py
import pkg.sub.deep as deep
import pkg.a
V = deep.D, pkg.a.fa()
== pkg/sub/__init__.py
__all__ = ['D']
from .deep import *
== pkg/sub/deep.py
D = 'deep'
_hidden = 'h'
E = 'e'
== pkg/cyc1.py
from pkg.cyc2 import two
one = 1
def f(): return two + one
== pkg/cyc2.py
from pkg import cyc1
two = 2
def g(): return cyc1.one
== ns/inner/mod.py
M = 'ns'
== pkg/star.py
from .sub import *
from .stars2 import *
from nope import *
X = len([1, 2])
== pkg/stars2.py
S = 's2'
_p = 'private'
== pkg/bad.py
def f(:
== src/srcpkg/__init__.py
== src/srcpkg/m.py
Z = 'z'
`
	for _, c := range []struct{ file, src, want string }{
		{"main.py", "import pkg\nr = pkg.VERSION", "'1'"},
		{"main.py", "import pkg\nr = pkg.exported()", "'fadeep'"},
		{"main.py", "from pkg import exported\nr = exported()", "'fadeep'"},
		{"main.py", "import pkg.b as q\nr = q.V", "('deep', 'fadeep')"},
		{"main.py", "import pkg.sub.deep\nr = pkg.sub.deep.D", "'deep'"},
		{"main.py", "from pkg.sub import deep\nr = deep.E", "'e'"},
		{"main.py", "from pkg.sub import D\nr = D", "'deep'"},
		{"main.py", "from pkg.sub.deep import D as d, E\nr = d, E", "('deep', 'e')"},
		{"main.py", "from pkg.sub import *\nr = D", "'deep'"},
		{"main.py", "from pkg.sub.deep import *\nr = E", "'e'"},
		{"main.py", "from pkg.sub.deep import *\nr = _hidden", "! NameError: name '_hidden' is not defined"},
		{"main.py", "from pkg.star import *\nr = S, D, X", "('s2', 'deep', 2)"},
		{"main.py", "import ns.inner.mod\nr = ns.inner.mod.M", "'ns'"},
		{"main.py", "from ns.inner import mod\nr = mod.M", "'ns'"},
		{"main.py", "from pkg.cyc1 import f\nr = f()", "3"},
		{"main.py", "from pkg.cyc2 import g\nr = g()", "1"},
		{"main.py", "import pkg\nr = pkg.BROKEN", "! ZeroDivisionError: division by zero"},
		{"main.py", "import pkg\nr = pkg.nope", "! AttributeError: module 'pkg' has no attribute 'nope'"},
		{"main.py", "import pkg\ndef f():\n    del pkg.nope\nr = f()",
			"! AttributeError: module 'pkg' has no attribute 'nope'"},
		{"main.py", "from pkg import nope\nr = nope", "! ImportError: cannot import name 'nope' from 'pkg'"},
		{"main.py", "try:\n    from pkg.nope import x\nexcept ImportError as e:\n    r = str(e)",
			`"No module named 'pkg.nope'"`},
		{"main.py", "import lib.sub\nr = lib.sub.y, lib.x", "(2, 1)"},
		{"main.py", "import lib.sub as s\nr = s.y", "2"},
		{"main.py", "from lib import sub\nr = sub.y", "2"},
		{"main.py", "import lib\nr = lib.sub.y", "2"},
		{"main.py", "try:\n    import lib.nope\nexcept ImportError as e:\n    r = str(e)",
			`"No module named 'lib.nope'"`},
		{"main.py", "import importlib\nr = importlib.import_module('pkg.sub').D", "'deep'"},
		{"main.py", "import os.path as p\nimport os\nr = p.join('a', 'b'), os.path.basename('x/y')",
			"('a/b', 'y')"},
		{"pkg/sub/leaf.py", "from ...pkg.a import fa\nr = fa()", "'fadeep'"},
		{"pkg/sub/leaf.py", "from ..sub.deep import D\nfrom . import deep\nr = D, deep.E", "('deep', 'e')"},
		{"pkg/sub/leaf.py", "from pkg.sub.deep import D\nr = D", "'deep'"},
		{"pkg/sub/leaf.py", "from deep import D\nr = D", "'deep'"}, // as a script in that folder
		{"pkg/sub/leaf.py", "from deep import other\nr = other", "<unknown deep.other>"},
		{"tests/t.py", "from srcpkg.m import Z\nr = Z", "'z'"}, // the src layout
		{"pkg/sub/leaf.py", "import top\nr = top.T", "'top'"},
		{"pkg/sub/leaf.py", "r = __name__, __package__", "('pkg.sub.leaf', 'pkg.sub')"},
		{"pkg/sub/leaf.py", "import sys\nr = sys.modules[__name__].__name__", "'pkg.sub.leaf'"},
		{"pkg/sub/leaf.py", "from .nope import x\nr = 1", "1"},
		{"elsewhere/x.py", "from pkg.sub.deep import D\nr = D", "'deep'"}, // a root is found by walking up
	} {
		fsys := files(tree)
		fsys[c.file] = &fstest.MapFile{Data: []byte(c.src + "\n")}
		if got := value(newTestInterp(fsys), c.file, "r"); got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.file, c.src, got, c.want)
		}
	}
	t.Run("syntax error", func(t *testing.T) {
		fsys := files(tree)
		fsys["main.py"] = &fstest.MapFile{Data: []byte("from pkg.bad import f\nr = f\nok = 1\n")}
		in := newTestInterp(fsys)
		if got := value(in, "main.py", "r"); !strings.Contains(got, "pkg/bad.py:1:6: error") {
			t.Errorf("got %s", got)
		}
		if got := value(in, "main.py", "ok"); got != "1" {
			t.Errorf("got %s", got)
		}
	})
}

func TestUnknown(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"import foo\nr = foo.bar.baz(1)[2]", "<unknown foo.bar.baz(…)[…]>"},
		{"import foo.bar as b\nr = b.c", "<unknown foo.bar.c>"},
		{"import foo.bar\nr = foo.bar.c", "<unknown foo.bar.c>"},
		{"from foo import a, b as c\nr = a, c", "(<unknown foo.a>, <unknown foo.b>)"},
		{"import foo\n@foo.deco(1)\ndef f(): pass\nr = f", "<unknown foo.deco(…)(…)>"},
		{"import foo\na, b = foo.pair()\nr = a", "<unknown foo.pair(…)[…]>"},
		{"import foo\nr = isinstance(3, foo.T), isinstance([], (foo.T, list))", "(False, True)"},
		{"import foo\nclass A(foo.Base):\n    def f(self): return 1\nr = A().f(), A().other",
			"(1, <unknown foo.Base().other>)"},
		{"import foo\nr = {foo.a: 1, foo.b: 2}[foo.a]", "1"},
		{"import foo\nr = foo.a == foo.a, foo is not None, foo.x is foo.x", "(True, True, True)"},
		{"import foo\nfoo.flag = True\nfoo.d['k'] = 1\nr = 'set'", "'set'"},
		{"import foo\nwith foo.ctx() as c:\n    r = 1", "1"},
		{"from foo import *\nr = thing", "<unknown foo.thing>"},
		{"import half\nr = half.known, half.other", "(1, <unknown half.other>)"},
		{"import half.deep.er as h\nr = h.x", "<unknown half.deep.er.x>"},
		{"import foo\nr = [foo.x for _ in range(1)]", "[<unknown foo.x>]"},
		{"import foo\nr = 1 if foo.x else 2", "! TypeError: the truth of 'foo.x' is not known here: it " +
			"comes from package 'foo'"},
		{"import foo\nr = foo.x + 1", "! TypeError: the value of 'foo.x' is not known here: it comes from " +
			"package 'foo'"},
		{"import foo\nr = 1 < foo.x", "! TypeError: the value of 'foo.x' is not known here: it comes from " +
			"package 'foo'"},
		{"import foo\nr = foo.x == 1", "! TypeError: the value of 'foo.x' is not known here: it comes " +
			"from package 'foo'"},
		{"import foo\nr = foo.x is None", "! TypeError: the identity of 'foo.x' is not known here: it " +
			"comes from package 'foo'"},
		{"import foo\nr = list(foo.x)", "! TypeError: the content of 'foo.x' is not known here: it comes " +
			"from package 'foo'"},
		{"import foo\nr = len(foo.x)", "! TypeError: the length of 'foo.x' is not known here: it comes " +
			"from package 'foo'"},
		{"import foo\nr = f'{foo.x}'", "! TypeError: the text of 'foo.x' is not known here: it comes from " +
			"package 'foo'"},
		{"import foo\nr = [1, 2][foo.i]", "! TypeError: the value of 'foo.i' is not known here: it comes " +
			"from package 'foo'"},
		{"import foo\nr = int(foo.x)", "! TypeError: the value of 'foo.x' is not known here: it comes " +
			"from package 'foo'"},
		{"import foo\nr = hasattr(foo, 'x')", "! TypeError: the presence of 'foo.x' is not known here: it " +
			"comes from package 'foo'"},
		{"import half\nr = hasattr(half, 'x')", "! TypeError: the presence of 'half.x' is not known here: " +
			"it comes from package 'half'"},
		{"import foo\nr = range(foo.n)", "! TypeError: the value of 'foo.n' is not known here: it comes " +
			"from package 'foo'"},
		{"import math, foo\nr = math.sqrt(foo.x)",
			"! TypeError: the value of 'foo.x' is not known here: it comes from package 'foo'"},
		{"import json\nr = json.loads('1') + 1", "! TypeError: the value of 'json.loads(…)' is not known " +
			"here: module 'json' of Python's library is not available to code that runs at compile time"},
	} {
		if got := value(newTestInterp(fstest.MapFS{"main.py": {Data: []byte(c.src + "\n")}}), "main.py",
			"r"); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.src, got, c.want)
		}
	}
}

// TestUnknownCondition asks for names below an if whose condition nobody can tell.
func TestUnknownCondition(t *testing.T) {
	const unknown = "! TypeError: the truth of 'foo.ok(…)' is not known here: it comes from package 'foo'"
	for _, c := range []struct{ src, want string }{
		{"import foo\nif foo.ok():\n    y = 2\n    def r(): return y\nr = r()", unknown},
		{"import foo\nif foo.ok():\n    y = 2\n    def f(): return y\nr = f()", "2"},
		{"import foo\nif foo.ok():\n    pass\nelse:\n    if foo.ok():\n        def f(): return 3\nr = f()",
			"3"},
		{"import foo\nif foo.ok():\n    import math\nr = math.floor(1.5)", "1"},
		{"import foo\nif foo.ok():\n    def f(): return 1\nelse:\n    f = None\nr = f()", unknown},
		{"import foo\ndef f(): return 1\nif foo.ok():\n    def f(): return 2\nr = f()", unknown},
		{"import foo\nif foo.ok():\n    r = 1", unknown},
		{"import foo\nif foo.ok():\n    def f(): return 1\nelse:\n    def g(): return 2\nr = f() + g()",
			"! NameError: name 'g' is not defined"},
	} {
		if got := value(newTestInterp(fstest.MapFS{"main.py": {Data: []byte(c.src + "\n")}}), "main.py",
			"r"); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.src, got, c.want)
		}
	}
}

func TestDiagnostics(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"import foo\nr = 2 * foo.x\n",
			"main.py:2:5: error: TypeError: the value of 'foo.x' is not known here: " +
				`it comes from package 'foo' [unknown-package]
    r = 2 * foo.x
        ^~~~~~~~~
main.py:1:8: note: package 'foo' is imported here
    import foo
           ^~~
hint: package 'foo' is not among the modules given; add its folder to the search path, or do not use it at compile time
`},
		{"def f(x):\n    return g(x)\n\ndef g(y):\n    return 1 // y\nr = f(0)\n",
			`main.py:5:12: error: ZeroDivisionError: integer division or modulo by zero [python-zerodivision]
        return 1 // y
               ^~~~~~
main.py:2:12: note: called from here: g
        return g(x)
               ^~~~
main.py:6:5: note: called from here: f
    r = f(0)
        ^~~~
`},
		{"r = 1\nwhile True:\n    r += 1\n",
			`main.py:3:5: error: evaluation takes more than 10000000 steps [host-limit]
        r += 1
        ^~~~~~
hint: code that runs at compile time is bounded; compute less there
`},
		{"try:\n    {}['k']\nexcept KeyError as e:\n    raise ValueError('no k') from e\nr = 1\n", ""},
	} {
		in := newTestInterp(fstest.MapFS{"main.py": {Data: []byte(c.src)}})
		_, _, err := pyrun.From(in).LoadFile("main.py").Get(in, "r")
		if err == nil {
			if c.want != "" {
				t.Errorf("%s: no error", c.src)
			}
			continue
		}
		if got := object.Diagnostic(err, diag.Span{}).Render(in.Files); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.src, got, c.want)
		}
	}
}

// TestProjects: what lies elsewhere imports from the src folders below the folders of the options, after
// everything else.
func TestProjects(t *testing.T) {
	fsys := files("== cache/gen.py\nfrom lib1.util import f\nfrom lib2 import g\nfrom lib3 import h\nr = " +
		"f, g, h\n" +
		"== all/src/lib1/util.py\nf = 1\n== all/b/src/lib2/__init__.py\ng = 2\n== " +
		"all/c/src/lib2/__init__.py\ng = 3\n" +
		"== all/lib3.py\nh = 4\n== all/c/src/lib3.py\nh = 5\n")
	in := pyrun.New(pyrun.Options{Library: std.Library, Finder: pyrun.FSFinder(fsys),
		Roots: []string{"all"}}).Interp
	if got := value(in, "cache/gen.py", "r"); got != "(1, 2, 4)" {
		t.Error(got)
	}
}
