package pyrun_test

import (
	"fmt"
	"strings"
	"testing"
)

// boundPlaces are statements with an expression in each place that one can have, marked E, and names that
// statements bind by themselves, called x.
var boundPlaces = []string{
	"E", "y = E", "y += E", "y: int = E", "y[E] = 1", "y[E] += 1", "y(E).a = 1", "del y[E]", "return E",
	"raise E", "raise y from E", "assert E", "assert y, E",
	"if E: pass", "if y: pass\nelif E: pass", "while E: pass", "for y in E: pass", "for y[E] in z: pass",
	"with E: pass", "with y as z[E]: pass", "with y, E: pass",
	"try: pass\nexcept E: pass", "try: pass\nexcept y: E", "try: pass\nexcept y: pass\nelse: E",
	"try: pass\nfinally: E", "for y in z: pass\nelse: E", "while y: pass\nelse: E",
	"match E:\n  case 1: pass", "match y:\n  case 1 if E: pass", "match y:\n  case 1: E",
	"@E\ndef g(): pass", "def g(y=E): pass", "def g(*, y=E): pass",
	"@E\nclass G: pass", "class G(E): pass", "class G(metaclass=E): pass",
	"x = 1", "x += 1", "x: int = 1", "x: int", "del x", "import x", "import x.y", "import y as x",
	"from y import x", "from y import z as x", "for x in y: pass", "with y as x: pass",
	"with y as (z, x): pass",
	"try: pass\nexcept y as x: pass", "def x(): pass", "class x: pass", "(y, [x, *z]) = w", "y = x = 1",
	"match y:\n  case x: pass", "match y:\n  case [1, *x]: pass", "match y:\n  case {1: 2, **x}: pass",
	"match y:\n  case G(a=x): pass", "match y:\n  case 1 | 2 as x: pass",
}

// boundForms are expressions with x := in each place of an expression that one can have.
var boundForms = []string{
	"(x := 1)", "y(x := 1)", "y(z=(x := 1))", "y(*(x := 1))", "y(**(x := 1))", "y[(x := 1)]", "y[(x := 1):2]",
	"(x := 1).a", "((x := 1) if y else z)", "(y if (x := 1) else z)", "(not (x := 1))", "((x := 1) or y)",
	"(y < (x := 1) < z)", "[y for y in z if (x := y)]", "[(x := y) for y in z]", "{(x := 1): 2}",
	"{1: (x := 2)}", "{(x := 1)}", "((x := 1), 2)", "[*(x := 1)]", "f'{(x := 1)}'", "f'{y:{(x := 1)}}'",
	"(lambda y=(x := 1): y)", "((yield), (x := 1))",
}

// unboundForms are expressions that bind no x of the function around them.
var unboundForms = []string{"x", "(lambda: (x := 1))", "(lambda x: x)", "[x for x in y]", "{x: x for x in y}",
	"f(x=1)", "y.x"}

// TestBoundNames: a name that a function binds anywhere, also where control never comes by, is the function's
// own, so that reading it first is an error; any other name is the module's. CPython says which is which.
func TestBoundNames(t *testing.T) {
	var list []string
	add := func(st string) {
		body := "    " + strings.ReplaceAll(st, "\n", "\n        ")
		list = append(list, fmt.Sprintf("x = 'of the module'\ndef f(y):\n    if y:\n    %s\n    return x\n"+
			"r = f(0)\nif not isinstance(r, str): r = list(r)", body))
	}
	for i, st := range boundPlaces {
		if !strings.Contains(st, "E") {
			add(st)
			continue
		}
		for j, e := range boundForms {
			if i%3 == j%3 || j == 0 {
				add(strings.ReplaceAll(st, "E", e))
			}
		}
		add(strings.ReplaceAll(st, "E", unboundForms[i%len(unboundForms)]))
	}
	compare(t, list, true)
}
