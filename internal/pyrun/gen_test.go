package pyrun_test

import (
	"fmt"
	"strings"
	"testing"
)

// Snippets made by combining parts.

var operands = []string{
	"0", "1", "-1", "7", "-7", "255", "2**31", "-2**63", "2**63", "2**64+3", "-(2**100)", "10**30", "True",
	"False", "0.0", "-0.0", "0.5", "-2.5", "3.0", "1e300", "1e-300", "float('inf')", "float('nan')",
	"2.0**53", "''", "'ab'", "'é€'", "b'xy'", "()", "(1, 2)", "[1, 2]", "[]", "None", "{1: 2}", "{1, 2}",
	"frozenset({1})", "range(3)", "...", "int",
}

func TestBinaryOperators(t *testing.T) {
	var list []string
	for _, op := range []string{"+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@"} {
		for _, a := range operands {
			for _, b := range operands {
				if (op == "**" || op == "<<") && strings.Contains(b, "**") || op == "*" &&
					strings.Contains(a+b, "**") ||
					op == "%" && a == "b'xy'" { // bytes are not formatted
					continue // too large on either side, but not the same error
				}
				list = append(list, fmt.Sprintf("r = (%s) %s (%s)", a, op, b))
			}
		}
	}
	compare(t, list, false)
}

func TestComparisons(t *testing.T) {
	var list []string
	for _, op := range []string{"==", "!=", "<", "<=", ">", ">=", "in", "not in"} {
		for _, a := range operands {
			for _, b := range operands {
				list = append(list, fmt.Sprintf("r = (%s) %s (%s)", a, op, b))
			}
		}
	}
	compare(t, list, false)
}

func TestUnaryAndBuiltins(t *testing.T) {
	var list []string
	for _, f := range []string{"-%s", "+%s", "~%s", "not %s", "bool(%s)", "int(%s)", "float(%s)", "str(%s)",
		"repr(%s)", "abs(%s)", "round(%s)", "round(%s, 1)", "round(%s, -1)", "len(%s)",
		"hash(%s) == hash(%s)", "type(%s).__name__", "list(%s)", "tuple(%s)", "sorted(%s)", "sum(%s)",
		"min(%s)", "max(%s)", "any(%s)", "all(%s)", "list(reversed(%s))", "list(enumerate(%s, 1))",
		"list(zip(%s, 'abc'))", "hex(%s)", "bin(%s)", "oct(%s)", "chr(%s)", "ord(%s)", "callable(%s)",
		"divmod(%s, 3)", "divmod(%s, -2.5)", "pow(%s, 3)", "pow(%s, 3, 7)", "ascii(%s)", "dict(%s)",
		"set(%s) == set(%s)", "isinstance(%s, (int, str))", "f\"{%s}\"", "f\"{%s!r:>8}\"",
		"'%%s %%r' %% (%s, 1)", "iter(%s) is None", "(%s)[0]", "(%s)[-1]", "(%s)[::-1]", "(%s)[1:]", "[*%s]",
		"next(iter(%s))", "(%s).__class__.__name__", "bytes(%s)"} {
		for _, a := range operands {
			if f == "bytes(%s)" && len(a) > 3 {
				continue
			}
			args := []any{"(" + a + ")", "(" + a + ")"}
			list = append(list, "r = "+fmt.Sprintf(f, args[:countVerbs(f)]...))
		}
	}
	compare(t, list, true)
}

func countVerbs(f string) int {
	n := 0
	for i := 0; i+1 < len(f); i++ {
		if f[i] == '%' {
			if f[i+1] == 's' {
				n++
			}
			i++
		}
	}
	return n
}

func TestFormatSpecs(t *testing.T) {
	var list []string
	values := []string{"0", "5", "-5", "1234567", "2**70", "True", "0.0", "-0.0", "1.5", "-1234.5678",
		"1e100", "1e-7", "123456789.0", "0.1", "float('inf')", "float('nan')", "'abc'", "'é'", "''",
		"None", "[1]"}
	for _, v := range values {
		for _, align := range []string{"", "<", ">", "^", "=", "*^", "0>"} {
			for _, mid := range []string{"", "+", " ", "#", "0", "8", "08", "+10", "12,", "012_", ",", "_",
				".0", ".3", "10.3", "#.0", "z.1", "#x"} {
				for _, kind := range []string{"", "d", "b", "x", "X", "o", "c", "e", "E", "f", "g", "G",
					"%", "n", "s"} {
					if (len(align)+len(mid)+len(kind)+len(v))%3 != 0 && align != "" && mid != "" {
						continue // a third of the combinations says as much
					}
					list = append(list, fmt.Sprintf("r = format(%s, %q)", v, align+mid+kind))
				}
			}
		}
	}
	compare(t, list, true)
}

func TestPercentFormats(t *testing.T) {
	var list []string
	for _, v := range []string{"0", "-5", "255", "2**70", "1.5", "-0.001", "1e30", "'abc'", "None",
		"(1,)", "True"} {
		for _, flag := range []string{"", "-", "+", " ", "0", "#", "-+", "+0"} {
			for _, w := range []string{"", "8", ".3", "10.2"} {
				for _, kind := range []string{"d", "i", "x", "X", "o", "e", "f", "g", "s", "r",
					"c", "a", "q"} {
					list = append(list, fmt.Sprintf("r = '<%%%s%s%s>' %% (%s,)", flag, w, kind, v))
				}
			}
		}
	}
	compare(t, list, true)
}

func TestStrMethods(t *testing.T) {
	subjects := []string{"''", "'abc'", "'Hello World'", "'  spaced\\tout \\n'", "'a,b,,c'", "'ABC123'",
		"'été ÉTÉ'", "'x=1;y=2'", "'aaa'", "'-42'", "'line1\\nline2\\r\\nline3'", "'12'", "'_id9'",
		"'Title Case'"}
	calls := []string{"upper()", "lower()", "title()", "capitalize()", "swapcase()", "strip()", "lstrip()",
		"rstrip()", "strip('aH')", "split()", "split(',')", "split(',', 1)", "split(None, 1)",
		"rsplit(',', 1)", "rsplit()", "rsplit(None, 1)", "splitlines()", "splitlines(True)", "partition('=')",
		"rpartition('a')", "replace('a', 'bb')", "replace('a', '', 1)", "replace('', '-')", "find('a')",
		"find('b', 1)", "find('')", "rfind('a')", "index('c')", "rindex('a')", "count('a')", "count('')",
		"count('a', 1)", "startswith('a')", "startswith(('H', 'a'))", "endswith('c')", "startswith('b', 1)",
		"startswith('', 99)", "isdigit()", "isalpha()", "isalnum()", "isspace()", "isupper()", "islower()",
		"istitle()", "isidentifier()", "isdecimal()", "isnumeric()", "isascii()", "isprintable()", "zfill(6)",
		"ljust(8, '.')", "rjust(8)", "center(8, '*')", "center(9)", "expandtabs(4)", "join(['x', 'y', 'z'])",
		"join('abc')", "removeprefix('a')", "removesuffix('c')", "casefold()", "encode()", "format(1, a=2)",
		"translate({97: 'X'})", "translate(str.maketrans('ab', 'xy', 'c'))", "__len__()", "__contains__('a')",
		"nope()", "split('')", "join([1])", "index('zz')", "center('q')", "find()"}
	var list []string
	for _, s := range subjects {
		for _, c := range calls {
			list = append(list, "r = "+s+"."+c)
		}
	}
	compare(t, list, true)
}

func TestContainerMethods(t *testing.T) {
	var list []string
	add := func(setup string, calls ...string) {
		for _, c := range calls {
			list = append(list, setup+"\nx = v."+c+"\nr = x, v")
		}
	}
	for _, l := range []string{"v = []", "v = [3, 1, 2]", "v = ['b', 'A', 'c']", "v = [1, 'a']",
		"v = [[2], [1]]"} {
		add(l, "append(4)", "extend([5, 6])", "extend('ab')", "extend(5)", "insert(1, 9)", "insert(-1, 9)",
			"insert(99, 9)", "pop()", "pop(0)", "pop(-2)", "pop(9)", "remove(1)", "remove('zz')", "index(2)",
			"index(1, 1)", "count(1)", "sort()", "sort(reverse=True)", "sort(key=str)",
			"sort(key=lambda x: str(x).lower(), reverse=True)", "reverse()", "copy()", "clear()",
			"__len__()", "nope")
	}
	for _, d := range []string{"v = {}", "v = {'a': 1, 'b': 2}", "v = {1: 'x', (1, 2): None}"} {
		add(d, "get('a')", "get('z')", "get('z', 9)", "setdefault('a', 5)", "setdefault('n', 5)",
			"setdefault('m')", "pop('a')", "pop('z')", "pop('z', 0)", "popitem()", "update({'a': 7, 'q': 8})",
			"update([('k', 1)], z=2)", "update(5)", "update([1])", "keys()", "values()", "items()", "copy()",
			"clear()", "__contains__('a')", "get([])")
	}
	for _, s := range []string{"v = {1}", "v = set()"} {
		add(s, "add(1)", "add(2)", "add([])", "discard(1)", "remove(1)", "pop()", "update([3])", "clear()",
			"union([2])", "intersection([1, 2])", "difference([1])", "symmetric_difference([1, 2])",
			"issubset([1, 2])", "issuperset([])", "isdisjoint([2])", "copy()", "intersection_update([1])",
			"difference_update([1])")
	}
	add("v = (1, 2, 1)", "index(1)", "index(2)", "index(9)", "count(1)", "index(1, 1)")
	add("v = 5", "bit_length()", "to_bytes(2, 'big')", "to_bytes(1)", "conjugate()", "bit_count()", "real",
		"as_integer_ratio()")
	add("v = 0.75", "is_integer()", "as_integer_ratio()", "hex()", "real", "imag")
	add("v = b'abc'", "decode()", "hex()", "__len__()")
	add("v = range(1, 10, 2)", "start", "stop", "step", "index(3)", "count(3)", "index(4)")
	compare(t, list, true)
}

func TestSlices(t *testing.T) {
	var list []string
	bounds := []string{"", "0", "1", "2", "-1", "-2", "5", "-9", "99", "None"}
	for _, v := range []string{"[0, 1, 2, 3, 4]", "'héllo'", "(0, 1, 2)", "range(10)", "b'abcd'"} {
		for _, lo := range bounds {
			for _, hi := range bounds {
				for _, step := range []string{"", ":", ":2", ":-1", ":-3", ":0"} {
					list = append(list, fmt.Sprintf("r = %s[%s:%s%s]", v, lo, hi, step))
				}
			}
		}
	}
	for _, lo := range bounds {
		for _, step := range []string{"", ":2", ":-1"} {
			list = append(list, fmt.Sprintf("r = list(range(6))\nr[%s:4%s] = [7, 8]", lo, step),
				fmt.Sprintf("r = list(range(6))\ndel r[%s:5%s]", lo, step))
		}
	}
	compare(t, list, true)
}

func TestConversions(t *testing.T) {
	var list []string
	texts := []string{"'12'", "' 12 '", "'-12'", "'+1_000'", "'1__0'", "'_1'", "'0x1f'", "'1f'", "'0b101'",
		"'0o17'", "'017'", "''", "'abc'", "'1.5'", "'1e5'", "'.5'", "'5.'", "'inf'", "'-Infinity'", "'nan'",
		"'-nan'", "'+NaN'", "'+-nan'", "'1_0.5'", "'--1'", "'1e400'", "'zz'", "'infinit'", "'0x'",
		"'1 2'", "'é'"}
	for _, s := range texts {
		for _, f := range []string{"int(%s)", "int(%s, 0)", "int(%s, 16)", "int(%s, 2)", "int(%s, 36)",
			"float(%s)"} {
			list = append(list, "r = "+fmt.Sprintf(f, s))
		}
	}
	for _, x := range []string{"0.5", "1.5", "2.5", "-0.5", "2.675", "1e22", "123.456", "-1234.5", "5e-324",
		"1.7976931348623157e308", "0.1", "1/3", "2/3", "1e16", "9999999999999998.0", "123456789012345678",
		"25", "15", "-15", "1e-5", "0.0001"} {
		for _, f := range []string{"round(%s)", "round(%s, 0)", "round(%s, 2)", "round(%s, -1)",
			"round(%s, -2)", "repr(%s)", "int(%s)", "(%s).__class__", "float(%s).hex()", "'%%.3g' %% (%s)",
			"f'{%s:.10g}'", "str(%s)"} {
			list = append(list, "r = "+fmt.Sprintf(f, x))
		}
	}
	compare(t, list, false)
}

func TestMath(t *testing.T) {
	var list []string
	xs := []string{"0", "1", "-1", "2", "0.5", "-0.5", "3.7", "-3.7", "10", "100", "1e-10", "1e10", "0.1",
		"2.5", "1e300", "710", "float('inf')", "float('nan')", "2**70", "True"}
	for _, f := range []string{"sqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "floor", "ceil",
		"trunc", "fabs", "isnan", "isinf", "isfinite", "degrees", "radians", "frexp", "modf", "isqrt",
		"gcd", "ulp"} {
		for _, x := range xs {
			list = append(list, fmt.Sprintf("import math\nr = math.%s(%s)", f, x))
		}
	}
	for _, f := range []string{"pow", "log", "fmod", "copysign", "hypot", "gcd", "lcm", "comb", "perm",
		"ldexp", "isclose", "remainder", "dist"} {
		for _, x := range xs {
			for _, y := range []string{"2", "0.5", "-3", "10", "0"} {
				list = append(list, fmt.Sprintf("import math\nr = math.%s(%s, %s)", f, x, y))
			}
		}
	}
	for _, x := range []string{"1.1", "2", "0.3", "7", "1e5", "3.3e-5", "123.456"} {
		for _, y := range []string{"0.5", "-0.5", "1.5", "10", "-10", "0.1", "3.3", "1/3", "100"} {
			list = append(list, fmt.Sprintf("r = %s ** %s", x, y),
				fmt.Sprintf("import math\nr = math.exp(%s), math.log(%s), math.exp(-%s * 0.001)", y, x, x))
		}
	}
	compare(t, list, true)
}
