package pyrun_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestRandomExpressions compares expressions put together at random. The seed is fixed: a failure can be
// repeated.
func TestRandomExpressions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var list []string
	for i := range 3000 {
		kind := []func(*rand.Rand, int) string{anyExpr, intExpr, strExpr, listExpr}[i%4]
		list = append(list, "a, b, s, l, d = 3, 2.5, 'xyz', [1, 2, 3], {'k': 1}\nr = "+kind(r, 3))
	}
	compare(t, list, true)
}

func oneOf(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

func intExpr(r *rand.Rand, n int) string {
	if n == 0 {
		return oneOf(r, "a", "0", "1", "(-2)", "7", "255", "(10**20)", "True", "len(s)", "b",
			"0.5", "(-3.25)")
	}
	e := func() string { return intExpr(r, n-1) }
	switch r.IntN(8) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", e(), oneOf(r, "+", "-", "*", "/", "//", "%", "&", "|", "^"), e())
	case 3:
		return fmt.Sprintf("(%s if %s else %s)", e(), boolExpr(r, n-1), e())
	case 4:
		return fmt.Sprintf("%s(%s, %s)", oneOf(r, "min", "max", "divmod", "pow"), e(), oneOf(r, "2", "3"))
	case 5:
		return fmt.Sprintf("%s(%s)", oneOf(r, "abs", "int", "float", "round", "bool"), e())
	case 6:
		return fmt.Sprintf("%s(%s)", oneOf(r, "len", "sum", "max", "min"), listExpr(r, n-1))
	}
	return fmt.Sprintf("(%s%s)", oneOf(r, "-", "+", "~", "not "), e())
}

func boolExpr(r *rand.Rand, n int) string {
	op := oneOf(r, "<", "<=", "==", "!=", ">", ">=", "is", "and", "or")
	if n == 0 {
		return fmt.Sprintf("(a %s 2)", op)
	}
	switch r.IntN(3) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", intExpr(r, n-1), op, intExpr(r, n-1))
	case 1:
		return fmt.Sprintf("(%s %s %s)", strExpr(r, n-1), oneOf(r, "<", "==", "in", "not in"),
			strExpr(r, n-1))
	}
	return fmt.Sprintf("(%s < %s <= %s)", intExpr(r, n-1), intExpr(r, n-1), intExpr(r, n-1))
}

func strExpr(r *rand.Rand, n int) string {
	if n == 0 {
		return oneOf(r, "s", "'q'", "''", "'A b'", "'é'", "'1,2'")
	}
	e := func() string { return strExpr(r, n-1) }
	switch r.IntN(7) {
	case 0:
		return fmt.Sprintf("(%s + %s)", e(), e())
	case 1:
		return fmt.Sprintf("(%s * %s)", e(), oneOf(r, "0", "1", "2", "-1"))
	case 2:
		return fmt.Sprintf("%s.%s", e(), oneOf(r, "upper()", "title()", "strip()", "replace('x', 'yy')",
			"join(['1', '2'])", "center(9, '*')", "zfill(5)", "format(1)", "partition('y')[0]", "swapcase()"))
	case 3:
		return fmt.Sprintf("str(%s)", anyExpr(r, n-1))
	case 4:
		return fmt.Sprintf("'{:>8}|{!r:*^7}|{}'.format(%s, %s, %s)", e(), intExpr(r, n-1), intExpr(r, n-1))
	case 5:
		return fmt.Sprintf("'%%5s|%%r|%%6.2f' %% (%s, %s, %s)", e(), listExpr(r, n-1), intExpr(r, n-1))
	}
	return fmt.Sprintf("%s[%s]", e(), oneOf(r, "::-1", "1:", ":2", "-1:", "::2"))
}

func listExpr(r *rand.Rand, n int) string {
	if n == 0 {
		return oneOf(r, "l", "[]", "[a, 0.5]", "[3, 1, 2]", "list(range(4))", "[0]")
	}
	e := func() string { return listExpr(r, n-1) }
	switch r.IntN(9) {
	case 0:
		return fmt.Sprintf("(%s + %s)", e(), e())
	case 1:
		return fmt.Sprintf("[%s for i in %s if i %s %s]", oneOf(r, "i", "-i", "i * a", "i // 2",
			intExpr(r, n-1)), e(), oneOf(r, "<", "!=", ">="), intExpr(r, n-1))
	case 2:
		return fmt.Sprintf("sorted(%s, reverse=%s)", e(), oneOf(r, "True", "False"))
	case 3:
		return fmt.Sprintf("[*%s, %s]", e(), intExpr(r, n-1))
	case 4:
		return fmt.Sprintf("list(map(lambda x: %s, %s))", oneOf(r, "x", "x + a", "-x", "x * x"), e())
	case 5:
		return fmt.Sprintf("%s[%s]", e(), oneOf(r, "::-1", "1:", ":2", "-2:", "::2"))
	case 6:
		return fmt.Sprintf("list({%s: 1 for i in %s})", oneOf(r, "i", "i % 2", "i // 2"), e())
	case 7:
		return fmt.Sprintf("[x + y for x, y in zip(%s, %s)]", e(), e())
	}
	return fmt.Sprintf("(%s * %s)", e(), oneOf(r, "0", "1", "2"))
}

// anyExpr pays no heed to types.
func anyExpr(r *rand.Rand, n int) string {
	if n == 0 {
		return oneOf(r, "a", "b", "s", "l", "d", "None", "True", "()", "(1, 'a')", "range(4)", "{1, 1}")
	}
	e := func() string {
		return []func(*rand.Rand, int) string{anyExpr, intExpr, strExpr, listExpr}[r.IntN(4)](r, n-1)
	}
	switch r.IntN(8) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", e(), oneOf(r, "+", "-", "*", "/", "//", "%", "&", "|", "^"), e())
	case 1:
		return fmt.Sprintf("(%s %s %s)", e(), oneOf(r, "<", "==", "!=", "in", "not in", "is not",
			"and", "or"), e())
	case 2:
		return fmt.Sprintf("%s(%s)", oneOf(r, "len", "str", "list", "tuple", "sum", "min", "sorted", "abs",
			"int", "float", "bool", "repr", "any", "round"), e())
	case 3:
		return fmt.Sprintf("(%s)[%s]", e(), oneOf(r, "0", "-1", "1:", "::-1", "'k'", e()))
	case 4:
		return fmt.Sprintf("(lambda x, *y: %s)(%s, %s)", oneOf(r, "x", "y", "(x, y)", "[x] + list(y)"),
			e(), e())
	case 5:
		return fmt.Sprintf("{%s: %s, **%s}", oneOf(r, "1", "'z'", e()), e(), oneOf(r, "d", "{}", e()))
	case 6:
		return fmt.Sprintf("(%s, *%s)", e(), e())
	}
	return fmt.Sprintf("(%s).%s", e(), oneOf(r, "upper()", "split('y')", "index(1)", "get('k')", "count(1)",
		"items()", "copy()", "real", "bit_length()", "is_integer()", "__class__.__name__"))
}
