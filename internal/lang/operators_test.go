package lang_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/triton"
	"github.com/nereid-lang/nereid/internal/txtest"
)

var (
	binaryOperators = strings.Fields("+ - * / // % ** << >> & | ^ @ == != < <= > >=")
	binaryMethods   = strings.Fields("add sub mul truediv floordiv mod pow lshift rshift and or xor matmul")
	comparisons     = strings.Fields("eq ne lt le gt ge")
)

// operatorClass returns a class that defines every method of a binary operator, for both orders of the
// operands. Each returns a number of its own, as an expression.
func operatorClass(result func(n int) string, decorator string) string {
	var b strings.Builder
	methods := comparisons
	for _, m := range binaryMethods {
		methods = append(methods, m, "r"+m)
	}
	for i, m := range methods {
		fmt.Fprintf(&b, "%s    def __%s__(self, other):\n        return %s\n", decorator, m, result(1000+i))
	}
	return b.String()
}

// operatorExpressions has each operator with an object on the left and with one on the right.
func operatorExpressions(object, other string) (list []string) {
	for _, op := range binaryOperators {
		list = append(list, object+" "+op+" "+other, other+" "+op+" "+object)
	}
	return list
}

// TestOperatorMethods: from 3.9 on, an aggregate on either side of an operator computes it by the method that
// CPython calls for an object of such a class.
func TestOperatorMethods(t *testing.T) {
	asked := "import json\nclass A:\n" + operatorClass(func(n int) string { return fmt.Sprint(n) }, "") +
		"print(json.dumps([" + strings.Join(operatorExpressions("A()", "1"), ", ") + "]))\n"
	out, err := exec.CommandContext(t.Context(), txtest.Tool(t, "python3"), "-c", asked).Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []int
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	text := "import triton\nimport triton.language as tl\n\n" +
		"@tl.core._aggregate\nclass A:\n    value: tl.tensor\n" +
		operatorClass(func(n int) string { return fmt.Sprintf("self.value + %d", n) }, "    @triton.jit\n")
	list := operatorExpressions("A(tl.load(x))", "tl.load(x)")
	for i, e := range list {
		text += fmt.Sprintf("\n@triton.jit\ndef k%d(x, out):\n    tl.store(out, %s)\n", i, e)
	}
	src, err := lang.Load("k.py", []byte(text), lang.LoadOptions{Triton: triton.V39})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range list {
		name := fmt.Sprintf("k%d", i)
		m, err := compile(src, spec{Name: name, Kernel: name, Signature: "*i32, *i32"})
		if err != nil {
			t.Errorf("%s: %v", e, err)
		} else if text := m.String(); !strings.Contains(text, fmt.Sprintf("arith.constant %d ", want[i])) {
			t.Errorf("%s does not call method %d:\n%s", e, want[i], text)
		}
	}
}

// TestAggregateInstances: isinstance knows an aggregate by its class, not by being one; and an error says how
// a changed copy of an aggregate is made where a method cannot change it.
func TestAggregateInstances(t *testing.T) {
	text := "import triton\nimport triton.language as tl\n"
	for _, name := range []string{"A", "B"} {
		text += "\n@tl.core._aggregate\nclass " + name + ":\n    value: tl.tensor\n" +
			"    @tl.core.builtin\n    def put(self, v, _semantic=None):\n        self.value = v\n"
	}
	text += `
@triton.jit
def kinds(x, out):
    a = A(tl.load(x))
    b = B(tl.load(x))
    tl.static_assert(isinstance(a, A) and isinstance(b, B))
    tl.static_assert(not isinstance(a, B) and not isinstance(b, A) and not isinstance(x, A))
    tl.store(out, a.value + b.value)

@triton.jit
def puts(x, out):
    a = A(tl.load(x))
    a.put(3)
    tl.store(out, a.value)
`
	src, err := lang.Load("k.py", []byte(text), lang.LoadOptions{Triton: triton.V39})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compile(src, spec{Name: "kinds", Kernel: "kinds", Signature: "*i32, *i32"}); err != nil {
		t.Error(err)
	}
	_, err = compile(src, spec{Name: "puts", Kernel: "puts", Signature: "*i32, *i32"})
	if err == nil || !strings.Contains(fmt.Sprintf("%+v", err), "aggregate_replace(x, value=") {
		t.Errorf("an aggregate is changed: %v", err)
	}
}

// TestChangedByNames: what changes an aggregate changes it for every name and every tuple that holds it, by
// whichever of them it is called, and for no other aggregate.
func TestChangedByNames(t *testing.T) {
	const head = `import triton
import triton.language as tl

@tl.core._aggregate
class A:
    n: tl.constexpr

    def __init__(self, n):
        self.n = tl.constexpr(n)

    def put(self, n, _semantic=None):
        self.n = tl.constexpr(n)

@tl.core.builtin
def put(a, n, _semantic=None):
    a.n = tl.constexpr(n)

@tl.core.builtin
def second(t, n, _semantic=None):
    t[1].n = tl.constexpr(n)
    return t[1]

@triton.jit
def k(x):
    a = A(1)
    other = A(1)
    b = a
    c = b
`
	for body, want := range map[string][4]int{ // n of a, b, c and other
		"a.put(2)":                      {2, 2, 2, 1},
		"b.put(2)":                      {2, 2, 2, 1},
		"c.put(2)":                      {2, 2, 2, 1},
		"other.put(2)":                  {1, 1, 1, 2},
		"c.put(2); a.put(3)":            {3, 3, 3, 1},
		"b = other; b.put(2)":           {1, 2, 1, 2},
		"b = other; c.put(2)":           {2, 1, 2, 1},
		"a, b = other, other; c.put(2)": {1, 1, 2, 1},
		"a, b = other, other; a.put(2)": {2, 2, 1, 2},
		"c, other = other, c":           {1, 1, 1, 1},
		"a, b = other, a; b.put(2)":     {1, 2, 2, 1},
		"a.put(1)":                      {1, 1, 1, 1},
		"t = (other, b); t[1].put(2); t[0].put(3); tl.static_assert(t[1].n == 2)": {2, 2, 2, 3},
		"t = ((a, other), b); b.put(2); a = t[1]; b = t[0][0]; c = t[0][1]":       {2, 2, 1, 1},
		"put(b, 2)":                               {2, 2, 2, 1},
		"put(n=2, a=other)":                       {1, 1, 1, 2},
		"second((other, b), 2)":                   {2, 2, 2, 1},
		"second((b, other), 2).put(3)":            {1, 1, 1, 3},
		"other = second((b, a), 2); other.put(3)": {3, 3, 3, 3},
		"d = c; d.put(2)":                         {2, 2, 2, 1},
	} {
		text := head + "    " + body + "\n"
		for i, name := range []string{"a", "b", "c", "other"} {
			text += fmt.Sprintf("    tl.static_assert(%s.n == %d, '%s')\n", name, want[i], name)
		}
		src, err := lang.Load("k.py", []byte(text+"    tl.store(x, a.n)\n"), lang.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := compile(src, spec{Name: "k", Kernel: "k", Signature: "*i32"}); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestNames: where an operation takes a name, a false value is none, and any other value that is no string is
// refused.
func TestNames(t *testing.T) {
	for value, ok := range map[string]bool{"''": true, "'.cg'": true, "None": true, "0": true, "False": true,
		"()": true, "1": false, "True": false, "0.5": false, "(0,)": false, "('.cg',)": false,
		"tl.int32": false} {
		text := "import triton\nimport triton.language as tl\n\n@triton.jit\ndef k(x, out):\n" +
			"    tl.store(out, tl.load(x, cache_modifier=" + value + "))\n"
		src, err := lang.Load("k.py", []byte(text), lang.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = compile(src, spec{Name: "k", Kernel: "k", Signature: "*i32, *i32"})
		if (err == nil) != ok {
			t.Errorf("cache_modifier=%s: %v", value, err)
		}
	}
}
