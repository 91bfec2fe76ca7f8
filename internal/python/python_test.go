package python

import (
	"errors"
	"io"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nereid-lang/nereid/internal/diag"
)

func parse(t *testing.T, src string) *Module {
	t.Helper()
	m, err := Parse(diag.NewFileSet(), "x.py", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestDump(t *testing.T) {
	m := parse(t, "x[1:] = y.z(-1.5, k=b'a\\0') if not 1j else None\n")
	var b strings.Builder
	if err := Dump(&b, m, false); err != nil {
		t.Fatal(err)
	}
	want := "Module(body=[Assign(targets=[Subscript(value=Name(id='x', ctx=Load()), " +
		"slice=Slice(lower=Constant(value=1)), ctx=Store())], value=IfExp(test=UnaryOp(op=Not(), " +
		"operand=Constant(value=1j)), body=Call(func=Attribute(value=Name(id='y', ctx=Load()), attr='z', " +
		"ctx=Load()), args=[UnaryOp(op=USub(), operand=Constant(value=1.5))], keywords=[keyword(arg='k', " +
		"value=Constant(value=b'a\\x00'))]), orelse=Constant(value=None)))], type_ignores=[])"
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
	b.Reset()
	Dump(&b, parse(t, "é = 1"), true)
	want = "Module(body=[Assign(targets=[Name(id='é', ctx=Store(), lineno=1, col_offset=0, end_lineno=1, " +
		"end_col_offset=2)], value=Constant(value=1, lineno=1, col_offset=5, end_lineno=1, " +
		"end_col_offset=6), lineno=1, col_offset=0, end_lineno=1, end_col_offset=6)], type_ignores=[])"
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

// TestVersions shows what depends on the version of CPython whose form is wanted.
func TestVersions(t *testing.T) {
	m := parse(t, "f'a{x}'\ndef f(): pass\n")
	for minor, want := range map[int][]string{
		11: {"values=[Constant(value='a', lineno=1, col_offset=0, end_lineno=1, end_col_offset=7)",
			"decorator_list=[], lineno=2"},
		12: {"values=[Constant(value='a', lineno=1, col_offset=2, end_lineno=1, end_col_offset=3)",
			"type_params=[], lineno=2"},
	} {
		var b strings.Builder
		DumpOptions{Attributes: true, Minor: minor}.Dump(&b, m)
		for _, s := range want {
			if !strings.Contains(b.String(), s) {
				t.Errorf("3.%d: no %q in %s", minor, s, b.String())
			}
		}
	}
}

func TestConstants(t *testing.T) {
	for src, want := range map[string]any{
		"None": nil, "True": true, "...": Ellipsis{}, "1.5": 1.5, "2j": 2i, "'a' \"b\"": "ab",
		"b'\\xff'": Bytes("\xff"), "'\\ud83d'": "\xed\xa0\xbd", "'\\u00e9'": "é",
	} {
		x, err := ParseExpr(diag.NewFileSet(), "x", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if got := x.(*Constant).Value; got != want {
			t.Errorf("%s is %#v, want %#v", src, got, want)
		}
	}
	x, err := ParseExpr(diag.NewFileSet(), "x", []byte("0x1_0000_0000_0000_0000"))
	if want := new(big.Int).Lsh(big.NewInt(1), 64); err != nil ||
		x.(*Constant).Value.(*big.Int).Cmp(want) != 0 {
		t.Errorf("%v %v, want %v", x, err, want)
	}
}

func TestDecodeRune(t *testing.T) {
	s := string(appendRune(appendRune(appendRune(nil, 0xD800), 0xDFFF), 'é')) + "x"
	var got []rune
	for s != "" {
		r, n := DecodeRune(s)
		got, s = append(got, r), s[n:]
	}
	if d := cmp.Diff([]rune{0xD800, 0xDFFF, 'é', 'x'}, got); d != "" {
		t.Error(d)
	}
}

func TestParseExpr(t *testing.T) {
	for _, src := range []string{"x", " x ", "\tx\n", "x\n\n# comment\n", "*fp32", "a, b", "(\n1,\n2)",
		"'i32'", "lambda: 1", "# c\nx"} {
		if x, err := ParseExpr(diag.NewFileSet(), "x", []byte(src)); err != nil {
			t.Errorf("%q: %v", src, err)
		} else if _, bad := x.(*BadExpr); bad {
			t.Errorf("%q: bad", src)
		}
	}
	for src, want := range map[string]string{
		"":     "sig:1:1: error: expected an expression [syntax]\n    \n    ^",
		"x y":  "sig:1:3: error: expected the end of the expression, found 'y' [syntax]\n    x y\n      ^",
		"x\ny": "sig:2:1: error: expected the end of the expression, found 'y' [syntax]\n    y\n    ^",
		"x := 1": "sig:1:3: error: expected the end of the expression, found ':=' [syntax]\n    x := 1\n" +
			"      ^~",
		"x = 1": "sig:1:3: error: expected the end of the expression, found '=' [syntax]\n    x = 1\n      ^",
		"pass": "sig:1:1: error: expected an expression, found 'pass' [syntax]\n    pass\n    ^~~~\n" +
			"hint: pass is a keyword",
		"f(":    "sig:1:2: error: '(' was never closed [syntax]\n    f(\n     ^",
		"'\\x'": "sig:1:2: error: \\x needs 2 hexadecimal digits [literal]\n    '\\x'\n     ^~",
		"\x80": "sig:1:1: error: this is not valid utf-8 [encoding]\n    ?\n    ^\nhint: save the " +
			"file in utf-8, or name its encoding in a comment such as # coding: latin-1",
		"a\x00b": "sig:1:2: error: source code cannot hold null bytes [encoding]\n    a?b\n     ^",
	} {
		_, err := ParseExpr(diag.NewFileSet(), "sig", []byte(src))
		var list *diag.List
		if !errors.As(err, &list) {
			t.Errorf("%q: %v", src, err)
		} else if d := cmp.Diff(want, err.Error()); d != "" {
			t.Errorf("%q: %s", src, d)
		}
	}
}

func TestInspect(t *testing.T) {
	m := parse(t, "@d\ndef f(a: b = c) -> r:\n    return {**k, 1: a.b[i]}\n")
	var got []string
	depth := 0
	Inspect(m, func(n Node) bool {
		if n == nil {
			depth--
			return false
		}
		if _, ok := n.(*Attribute); ok {
			return false // and nothing below it
		}
		got = append(got, strings.Repeat(" ", depth)+KindOf(n))
		depth++
		return true
	})
	want := []string{"Module", " FunctionDef", "  arguments", "   arg", "    Name", "   Name",
		"  Return", "   Dict", "    Constant", "    Name", "    Subscript", "     Name", "  Name", "  Name"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if depth != 0 {
		t.Errorf("%d visits not ended", depth)
	}
}

// TestRecovery shows what is left of a file with errors.
func TestRecovery(t *testing.T) {
	src := "import a\ndef f(x)\n    return x\nx = )\ndef g(y):\n    y = = 1\n    return y\nz = 1\n"
	m, err := Parse(diag.NewFileSet(), "x.py", []byte(src))
	if n := len(err.(*diag.List).Diags); n != 3 {
		t.Errorf("%d errors: %v", n, err)
	}
	var got []string
	for _, s := range m.Body {
		got = append(got, KindOf(s))
	}
	if d := cmp.Diff([]string{"Import", "FunctionDef", "BadStmt", "FunctionDef", "Assign"}, got); d != "" {
		t.Error(d)
	}
	if f := m.Body[1].(*FunctionDef); f.Name != "f" || len(f.Body) != 1 {
		t.Errorf("f has a body of %d", len(f.Body))
	}
	if g := m.Body[3].(*FunctionDef); g.Name != "g" || len(g.Body) != 2 {
		t.Errorf("g has a body of %d", len(g.Body))
	}
}

// TestHostile reads texts that are made to take all stack or all time.
func TestHostile(t *testing.T) {
	const n = 200000
	nested := func(open, close string) string {
		return strings.Repeat(open, n) + "x" + strings.Repeat(close, n)
	}
	for name, src := range map[string]string{
		"parentheses":  nested("(", ")"),
		"brackets":     nested("[", "]"),
		"braces":       nested("{", "}"),
		"calls":        nested("f(", ")"),
		"minus":        nested("-", ""),
		"not":          nested("not ", ""),
		"power":        nested("x**", ""),
		"lambda":       nested("lambda:", ""),
		"conditional":  nested("x if x else ", ""),
		"await":        nested("await ", ""),
		"attributes":   "x" + strings.Repeat(".x", n),
		"call chain":   "x" + strings.Repeat("()", n),
		"sum":          "x" + strings.Repeat("+x", n),
		"comparison":   "x" + strings.Repeat("<x", n),
		"targets":      strings.Repeat("x=", n) + "1",
		"star":         nested("*", ""),
		"yield":        nested("(yield ", ")"),
		"decorators":   strings.Repeat("@x\n", n),
		"elif":         "if x: y\n" + strings.Repeat("elif x: y\n", n),
		"blocks":       strings.Repeat("if x:", n),
		"f-strings":    strings.Repeat(`f"{`, n),
		"fields":       `f"` + strings.Repeat("{x:", n),
		"quotes":       strings.Repeat("'", n),
		"unclosed":     strings.Repeat("x = (\n", n),
		"unclosed def": strings.Repeat("def f(\n", n),
		"indents":      staircase(2000),
		"dedents":      strings.Repeat("if x:\n  y\n", n/10),
		"errors":       strings.Repeat("x y\n", n),
		"digits":       strings.Repeat("9", n),
		"hex":          "0x" + strings.Repeat("f", n),
		"float":        "1e" + strings.Repeat("9", n),
		"backslashes":  strings.Repeat("\\\n", n),
		"patterns":     "match x:\n case " + nested("(", ")") + ": pass\n",
		"patterns or":  "match x:\n case " + strings.Repeat("x|", n) + "x: pass\n",
		"with":         strings.Repeat("with (x, y z):\n  pass\n", n/10),
		"names":        strings.Repeat(`'\N{BULLET}' `, 100),
		"commas":       strings.Repeat(",", n),
		"semicolons":   strings.Repeat("x;", n),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			m, _ := Parse(diag.NewFileSet(), "x.py", []byte(src))
			checkTree(t, m)
			Dump(io.Discard, m, true)
			if d := time.Since(start); d > 5*time.Second {
				t.Errorf("it took %v", d)
			}
		})
	}
}

// staircase is a program of n blocks in each other.
func staircase(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "if x:\n")
	}
	return b.String() + strings.Repeat(" ", n) + "pass\n"
}

// TestDepth shows that programs as deep as people write them are read.
func TestDepth(t *testing.T) {
	for _, src := range []string{
		"x" + strings.Repeat(" + x.y[1](z)", 2000),
		"x" + strings.Repeat(".x()", 1000),
		strings.Repeat("(", 199) + "x" + strings.Repeat(")", 199),
		"if x: y\n" + strings.Repeat("elif x: y\n", 1000),
		"[" + strings.Repeat("-x.y + (a, b),\n", 10000) + "]",
		strings.Repeat("x = 1 + 2\n", 10000),
	} {
		parse(t, src)
	}
}
