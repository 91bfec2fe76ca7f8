package conform

import "fmt"

var _ = family(controlCases)
var _ = family(valueCases)

// program is a kernel of statements on a counter: it gets i, a block of 16 numbers, n and m, scalars, and
// leaves its result in z.
type program struct {
	name, body string
	n, m       int
	want       func(i, n, m int) int
}

// more are the cases that Triton refuses, with the reason why we do not.
var more = map[string]string{
	"control/if/chain":       "Python has chains of comparisons",
	"control/if/static/in":   "at compile time it means what it says",
	"control/refused/walrus": "later versions of Triton have it",
	"value/alias":            "a function under another name is a function",
}

func controlCases(s *suite) {
	mod := &module{name: "conform_control"}
	mod.define(`
@triton.jit
def twice(x):
    return x + x

@triton.jit
def choose(c, x, y):
    if c > 0:
        return x
    else:
        return y

@triton.jit
def early(x, limit):
    if limit > 5:
        return x * 0
    return x + limit

@triton.jit
def store_if(ptr, x, c):
    if c == 0:
        return
    tl.store(ptr, x)

@triton.jit
def pair(x, y):
    return x + y, x - y

@triton.jit
def power(x, N: tl.constexpr):
    if N == 0:
        return x * 0 + 1
    else:
        return x * power(x, N - 1)

@triton.jit
def apply(f, x, y):
    return f(x, y)

@triton.jit
def add_defaults(x, y=10, z: tl.constexpr = 5):
    return x + y + z

@triton.jit(noinline=True)
def scalar_only(a, b):
    return a * 10 + b

@triton.jit
def sum_all(x, *rest):
    return x
`)
	for _, p := range []program{
		{"for", "z = i\nfor k in range(n):\n    z += k", 5, 0, func(i, n, m int) int {
			return i + n*(n-1)/2
		}},
		{"for/empty", "z = i\nfor k in range(n):\n    z += k", 0, 0, func(i, n, m int) int { return i }},
		{"for/bounds", "z = i\nfor k in range(n, m):\n    z += k", 2, 6, func(i, n, m int) int {
			return i + 2 + 3 + 4 + 5
		}},
		{"for/step", "z = i\nfor k in range(n, m, 3):\n    z += k", 1, 11, func(i, n, m int) int {
			return i + 1 + 4 + 7 + 10
		}},
		{"for/down", "z = i\nfor k in range(n, m, -2):\n    z = z * 2 + k", 7, 0, func(i, n, m int) int {
			return ((((i*2)+7)*2+5)*2+3)*2 + 1
		}},
		{"for/down/const", "z = i\nfor k in range(4, -1, -1):\n    z = z * 2 + k", 0, 0,
			func(i, n, m int) int {
				return i*32 + 4*16 + 3*8 + 2*4 + 1*2
			}},
		{"for/const", "z = i\nfor k in range(3):\n    z += k", 0, 0, func(i, n, m int) int { return i + 3 }},
		{"for/tl", "z = i\nfor k in tl.range(0, n, 1):\n    z += k", 5, 0, func(i, n, m int) int {
			return i + 10
		}},
		{"for/nested", "z = i\nfor k in range(n):\n    for j in range(k):\n        z += j", 5, 0,
			func(i, n, m int) int {
				return i + 0 + 0 + 1 + 3 + 6
			}},
		{"for/unused", "z = i\nfor _ in range(n):\n    z += 2", 5, 0, func(i, n, m int) int {
			return i + 10
		}},
		{"for/two", "z = i\ny = i * 0 + 1\nfor k in range(n):\n    t = z\n    z = z + y\n    y = t", 3, 0,
			func(i, n, m int) int {
				a, b := i, 1
				for range n {
					a, b = a+b, a
				}
				return a
			}},
		{"for/if", "z = i\nfor k in range(n):\n    if k % 2 == 0:\n        z += k\n    else:\n        z -= 1",
			6, 0, func(i, n, m int) int {
				return i + 0 + 2 + 4 - 3
			}},
		{"for/variable", "z = i\nk = 7\nfor k in range(n):\n    z += 1", 4, 0, func(i, n, m int) int {
			return i + 4
		}},
		{"for/carried-scalar", "z = i\ns = 0\nfor k in range(n):\n    s += k * m\nz += s", 4, 3,
			func(i, n, m int) int {
				return i + 18
			}},
		{"static_range", "z = i\nfor k in tl.static_range(4):\n    z += k * k", 0, 0, func(i, n, m int) int {
			return i + 14
		}},
		{"static_range/bounds", "z = i\nfor k in tl.static_range(2, 9, 3):\n    z = z * 2 + k", 0, 0,
			func(i, n, m int) int {
				return i*8 + 2*4 + 5*2 + 8
			}},
		{"static_range/down", "z = i\nfor k in tl.static_range(3, 0, -1):\n    z = z * 2 + k", 0, 0,
			func(i, n, m int) int {
				return i*8 + 3*4 + 2*2 + 1
			}},
		{"static_range/if", "z = i\nfor k in tl.static_range(4):\n    if k == 2:\n        z += 100\n" +
			"    elif k == 3:\n        z += 1000", 0, 0, func(i, n, m int) int {
			return i + 1100
		}},
		{"static_range/keywords", "z = i\nfor k in tl.static_range(0, 6, step=2):\n    z += k", 0, 0,
			func(i, n, m int) int {
				return i + 6
			}},
		{"while", "z = i\nk = 0\nwhile k < n:\n    z += k\n    k += 1", 5, 0, func(i, n, m int) int {
			return i + 10
		}},
		{"while/and", "z = i\nk = 0\nwhile (k < n) & (k < m):\n    z += 1\n    k += 1", 5, 3,
			func(i, n, m int) int {
				return i + 3
			}},
		{"while/words", "z = i\nk = 0\nwhile k < n and k < m:\n    z += 1\n    k += 1", 5, 3,
			func(i, n, m int) int {
				return i + 3
			}},
		{"while/not", "z = i\nk = 0\nwhile not k >= n:\n    z += 1\n    k += 1", 5, 3, func(i, n, m int) int {
			return i + 5
		}},
		{"while/nested", "z = i\nk = 0\nwhile k < n:\n    j = 0\n    while j < k:\n        z += 1\n" +
			"        j += 1\n    k += 1", 4, 0, func(i, n, m int) int {
			return i + 6
		}},
		{"while/condition", "z = i\nk = 0\nwhile tl.condition(k < n, disable_licm=True):\n    z += 1\n" +
			"    k += 1", 4, 0, func(i, n, m int) int {
			return i + 4
		}},
		{"if", "z = i\nif n > 3:\n    z = z + 100", 5, 0, func(i, n, m int) int { return i + 100 }},
		{"if/false", "z = i\nif n > 3:\n    z = z + 100", 2, 0, func(i, n, m int) int { return i }},
		{"if/else", "if n > 3:\n    z = i + 1\nelse:\n    z = i - 1", 2, 0, func(i, n, m int) int {
			return i - 1
		}},
		{"if/elif", "if n > 3:\n    z = i + 1\nelif n > 1:\n    z = i + 2\nelse:\n    z = i + 3", 2, 0,
			func(i, n, m int) int {
				return i + 2
			}},
		{"if/int", "z = i\nif n:\n    z += 7", 4, 0, func(i, n, m int) int { return i + 7 }},
		{"if/and", "z = i\nif n > 1 and m > 1:\n    z += 7", 4, 0, func(i, n, m int) int { return i }},
		{"if/or", "z = i\nif n > 1 or m > 1:\n    z += 7", 4, 0, func(i, n, m int) int { return i + 7 }},
		{"if/not", "z = i\nif not n > 5:\n    z += 7", 4, 0, func(i, n, m int) int { return i + 7 }},
		{"if/chain", "z = i\nif 1 < n < 5:\n    z += 7", 4, 0, func(i, n, m int) int { return i + 7 }},
		{"if/nested", "z = i\nif n > 1:\n    if m > 1:\n        z += 1\n    else:\n        z += 2\nelse:\n" +
			"    z += 3", 4, 0, func(i, n, m int) int {
			return i + 2
		}},
		{"if/static", "z = i\nif N == 16:\n    z += 1\nelse:\n    z = nonsense", 0, 0, func(i, n, m int) int {
			return i + 1
		}},
		{"if/static/none", "z = i\nq = None\nif q is None:\n    z += 1\nif q is not None:\n    z += q", 0, 0,
			func(i, n, m int) int {
				return i + 1
			}},
		{"if/static/string", "z = i\nMODE: tl.constexpr = \"relu\"\nif MODE == \"relu\":\n    z = " +
			"tl.maximum(z, 3)", 0, 0, func(i, n, m int) int {
			return max(i, 3)
		}},
		{"if/static/in", "z = i\nif N in (8, 16):\n    z += 1\nif N not in [16]:\n    z += 10", 0, 0,
			func(i, n, m int) int {
				return i + 1
			}},
		{"if/dtype", "z = i\nif i.dtype == tl.int32:\n    z += 1\nif i.dtype is tl.float32:\n    z += 10", 0,
			0, func(i, n, m int) int {
				return i + 1
			}},
		{"if/new-name", "if n > 3:\n    t = i + 1\nelse:\n    t = i + 2\nz = t", 4, 0, func(i, n, m int) int {
			return i + 1
		}},
		{"ternary", "z = i + (5 if n > 3 else 6)", 4, 0, func(i, n, m int) int { return i + 5 }},
		{"ternary/static", "z = i + (5 if N > 3 else nonsense)", 4, 0, func(i, n, m int) int {
			return i + 5
		}},
		{"ternary/scalars", "z = i + (n if n > m else m)", 4, 9, func(i, n, m int) int { return i + 9 }},
		{"min-max", "z = i + min(n, m) * 10 + max(n, 3, m)", 4, 9, func(i, n, m int) int { return i + 49 }},
		{"min-max/const", "z = i + min(N, 3) + max(1, 2)", 4, 9, func(i, n, m int) int { return i + 5 }},
		{"call", "z = twice(i) + twice(n)", 4, 0, func(i, n, m int) int { return 2*i + 8 }},
		{"call/return", "z = choose(n, i, -i)", 4, 0, func(i, n, m int) int { return i }},
		{"call/return/other", "z = choose(n, i, -i)", -4, 0, func(i, n, m int) int { return -i }},
		{"call/early", "z = early(i, n)", 4, 0, func(i, n, m int) int { return i + 4 }},
		{"call/early/taken", "z = early(i, n)", 9, 0, func(i, n, m int) int { return 0 }},
		{"call/pair", "a, b = pair(i, n)\nz = a * b", 4, 0, func(i, n, m int) int {
			return (i + 4) * (i - 4)
		}},
		{"call/pair/tuple", "t = pair(i, n)\nz = t[0] * t[1]", 4, 0, func(i, n, m int) int {
			return (i + 4) * (i - 4)
		}},
		{"call/nested", "z = twice(twice(twice(i)))", 4, 0, func(i, n, m int) int { return 8 * i }},
		{"call/static-recursion", "z = power(i, 3)", 4, 0, func(i, n, m int) int { return i * i * i }},
		{"call/function", "z = apply(pair, i, n)[1]", 4, 0, func(i, n, m int) int { return i - 4 }},
		{"call/defaults", "z = add_defaults(i) + add_defaults(n, 1, z=2) + add_defaults(x=i, y=n)", 4, 0,
			func(i, n, m int) int {
				return i + 15 + 7 + i + 9
			}},
		{"call/spread", "t = (i, n)\na, b = pair(*t)\nz = a - b", 4, 0, func(i, n, m int) int { return 8 }},
		{"call/noinline", "z = i + scalar_only(n, m)", 4, 3, func(i, n, m int) int { return i + 43 }},
		{"call/constants", "z = twice(3) + i", 4, 3, func(i, n, m int) int { return i + 6 }},
		{"swap", "a = i\nb = i * 0 + n\na, b = b, a\nz = a * 100 + b", 4, 0, func(i, n, m int) int {
			return 400 + i
		}},
		{"augmented", "z = i\nz += 3\nz *= 5\nz -= 2\nz //= 2\nz %= 17\nz <<= 2\nz |= 1\nz &= 0xff\nz ^= " +
			"3\nz >>= 1", 0, 0, func(i, n, m int) int {
			z := (i+3)*5 - 2
			z /= 2
			z %= 17
			z <<= 2
			z |= 1
			z &= 255
			z ^= 3
			return z >> 1
		}},
		{"parameter", "n += 3\nn = n * 2\nz = i + n", 4, 0, func(i, n, m int) int { return i + 14 }},
		{"pass", "z = i\nif n > 3:\n    pass\nfor k in range(n):\n    pass", 4, 0, func(i, n, m int) int {
			return i
		}},
		{"docstring", "\"\"\"What it does.\"\"\"\nz = i\n\"a string\"\ni + 1", 4, 0, func(i, n, m int) int {
			return i
		}},
		{"constexpr/local", "K: tl.constexpr = N // 2\nz = i + K\nL: tl.constexpr = K + 1 if K > 3 else " +
			"0\nz += L", 4, 0, func(i, n, m int) int {
			return i + 8 + 9
		}},
		{"constexpr/expressions", "z = i + (N ** 2 - N % 5 + (N >> 1) + ~3 + (not False) + -N)", 4, 0,
			func(i, n, m int) int {
				return i + 256 - 1 + 8 - 4 + 1 - 16
			}},
		{"constexpr/runtime", "A: tl.constexpr = n\nz = i + A", 4, 0, func(i, n, m int) int { return i + 4 }},
		{"constexpr/big", "z = (i.to(tl.int64) + 4294967296 - (1 << 32)).to(tl.int32)", 4, 0,
			func(i, n, m int) int {
				return i
			}},
		{"unrolled-options", "z = i\nfor k in tl.range(0, n, 1, num_stages=2, loop_unroll_factor=2, " +
			"disallow_acc_multi_buffer=True, flatten=True, disable_licm=True):\n    z += k", 5, 0,
			func(i, n, m int) int {
				return i + 10
			}},
		{"warp_specialize", "z = i\nfor k in tl.range(n, warp_specialize=True):\n    z += k", 5, 0,
			func(i, n, m int) int {
				return i + 10
			}},
	} {
		s.program(mod, p)
	}
	earlyReturns(s, mod)
	refusedControl(s, mod)
}

// program adds a kernel of statements.
func (s *suite) program(mod *module, p program) {
	mod.raw(s, testCase{name: "control/" + p.name, beyond: more["control/"+p.name],
		args: []arg{scalar(p.n), scalar(p.m), out(i32, 16, func() array {
			return build(i32, []int{16}, func(at []int) uint64 {
				return uint64(int64(p.want(at[0], p.n, p.m))) & 0xffffffff
			})
		}), constant(16)}}, "n, m, z_ptr, N: tl.constexpr", "i = tl.arange(0, N)\n"+p.body+
		"\ntl.store(z_ptr + tl.arange(0, N), z)")
}

func earlyReturns(s *suite, mod *module) {
	for _, n := range []int{2, 9} {
		want := ofInts(i32, 1, 2)
		if n > 5 {
			want = ofInts(i32, 1)
		}
		mod.raw(s, testCase{name: fmt.Sprintf("control/return/%d", n),
			args: []arg{scalar(n), out(i32, 2, unchanged(want))}}, "n, z_ptr",
			"tl.store(z_ptr, 1)\nif n > 5:\n    return\ntl.store(z_ptr + 1, 2)")
		mod.raw(s, testCase{name: fmt.Sprintf("control/return/nested/%d", n),
			args: []arg{scalar(n), out(i32, 2, unchanged(want))}}, "n, z_ptr", `
tl.store(z_ptr, 1)
if n > 3:
    if n > 5:
        return
    tl.store(z_ptr + 1, 7)
tl.store(z_ptr + 1, 2)
`)
		mod.raw(s, testCase{name: fmt.Sprintf("control/return/both/%d", n),
			args: []arg{scalar(n), result(ofInts(i32, int64(map[int]int{2: 20, 9: 10}[n])))}}, "n, z_ptr", `
if n > 5:
    tl.store(z_ptr, 10)
    return
else:
    tl.store(z_ptr, 20)
    return
`)
	}
	mod.raw(s, testCase{name: "control/return/programs", grid: [3]int{8, 1, 1},
		args: []arg{scalar(5), out(i32, 8, unchanged(count(i32, 5)))}}, "n, z_ptr", `
pid = tl.program_id(0)
if pid >= n:
    return
tl.store(z_ptr + pid, pid)
`)
	mod.raw(s, testCase{name: "control/return/void-call", args: []arg{out(i32, 3, func() array {
		return concat(ofInts(i32, 4), array{i32, []int{2}, []uint64{0xa5a5a5a5, 6}})
	})}}, "z_ptr", `
store_if(z_ptr, 4, 1)
store_if(z_ptr + 1, 5, 0)
store_if(z_ptr + 2, 6, tl.program_id(0) + 1)
`)
	mod.raw(s, testCase{name: "control/return/last", args: []arg{out(i32, 1, unchanged(ofInts(i32, 3)))}},
		"z_ptr", "tl.store(z_ptr, 3)\nreturn")
}

// refusedControl is syntax and flow that Triton does not take.
func refusedControl(s *suite, mod *module) {
	for _, c := range []struct{ name, body string }{
		{"break", "for k in range(n):\n    break"}, {"continue", "while n > 0:\n    continue"},
		{"return-in-loop", "for k in range(n):\n    if k > 3:\n        return"},
		{"lambda", "f = lambda x: x"}, {"dict", "d = {1: 2}"}, {"set", "d = {1, 2}"},
		{"try", "try:\n    pass\nexcept Exception:\n    pass"}, {"with", "with i:\n    pass"},
		{"nested", "def f(x):\n    return x"}, {"class", "class A:\n    pass"}, {"import", "import math"},
		{"global", "global q\nq = 1"}, {"del", "del n"}, {"for-tuple", "for k in (1, 2):\n    pass"},
		{"for-else", "for k in range(n):\n    pass\nelse:\n    return"},
		{"while-else", "while n > 0:\n    n -= 1\nelse:\n    return"}, {"raise", "raise ValueError()"},
		{"subscript", "i[0] = 1"}, {"attribute", "i.x = 1"}, {"chained", "a = b = n"},
		{"star", "a, *b = (1, 2, 3)"}, {"undefined", "a = missing"}, {"unpack", "a, b = (1,)"},
		{"block-if", "if i > 3:\n    pass"}, {"block-while", "while i < 3:\n    pass"},
		{"string-if", "if \"a\":\n    pass"},
		{"branch-types", "if n > 3:\n    a = 1\nelse:\n    a = 2.0\nb = a"},
		{"loop-types", "a = 1\nfor k in range(n):\n    a = 2.0"},
		{"loop-shapes", "a = i\nfor k in range(n):\n    a = tl.arange(0, 8)"}, {"recursion", "forever(n)"},
		{"constexpr-twice", "A: tl.constexpr = 1\nA: tl.constexpr = 2"}, {"yield", "yield n"},
		{"walrus", "if (a := n) > 3:\n    pass"}, {"matmul", "a = i @ i"}, {"power", "a = n ** 2"},
		{"static-bounds", "for k in tl.static_range(n):\n    pass"},
		{"float-bounds", "for k in range(1.5):\n    pass"},
		{"zero-step", "for k in tl.static_range(0, 4, 0):\n    pass"}, {"arguments", "twice(n, n)"},
		{"missing", "twice()"}, {"keyword", "twice(y=n)"}, {"multiple", "twice(n, x=n)"},
		{"noinline-block", "scalar_only(i, n)"}, {"call-number", "n(3)"}, {"attribute-missing", "i.nothing"},
		{"tl-missing", "tl.nothing(i)"}, {"is-not-bool", "a = n is n\nif i is i:\n    b = missing"},
		{"star-args", "sum_all(n, n)"},
	} {
		if c.name == "recursion" {
			mod.define("@triton.jit\ndef forever(n):\n    return forever(n)\n")
		}
		k := testCase{name: "control/refused/" + c.name, args: []arg{scalar(5), constant(16)}}
		k.beyond = more[k.name]
		k.refused = k.beyond == ""
		mod.raw(s, k, "n, N: tl.constexpr", "i = tl.arange(0, N)\n"+c.body)
	}
}

// valueCases: tuples, named tuples, functions of compile time, module constants, arguments of all kinds.
func valueCases(s *suite) {
	m := &module{name: "conform_value"}
	m.define(`
from typing import NamedTuple
from collections import namedtuple
import math

SCALE = tl.constexpr(3)
RATIO: tl.constexpr = tl.constexpr(0.5)
NAME = tl.constexpr("three")
SHIFTED = tl.constexpr((1 << 4) + int(math.sqrt(81)))


class Point(NamedTuple):
    x: tl.tensor
    y: tl.tensor


Pair = namedtuple("Pair", ["first", "second"])


@triton.constexpr_function
def half(n):
    if n % 2:
        return n // 2 + 1
    return n // 2


@tl.constexpr
def plain(n):
    return n + 1


@triton.constexpr_function
def wider(dtype):
    return tl.int64 if dtype == tl.int32 else dtype


@triton.jit
def add(x, y):
    return x + y


@triton.jit
def mul(x, y):
    return x * y


@triton.jit
def norm1(p):
    return p.x + p.y


@triton.jit
def moved(p, d):
    return Point(p.x + d, p.y - d)


@triton.jit
def fold(f, t):
    r = t[0]
    for k in tl.static_range(1, len(t)):
        r = f(r, t[k])
    return r
`)
	for _, c := range []struct {
		name, body string
		want       int64
	}{
		{"tuple/index", "t = (n, n + 1, n + 2)\nz = t[0] + t[2] * 10 + t[-1] * 100", 4 + 60 + 600},
		{"tuple/slice", "t = (n, n + 1, n + 2)\nz = t[1:][0] * 10 + len(t[:2])", 52},
		{"tuple/nested", "t = (n, (n + 1, n + 2))\na, (b, c) = t\nz = a + b * 10 + c * 100", 4 + 50 + 600},
		{"tuple/concat", "t = (n,) + (n + 1,)\nz = t[0] * 10 + t[1]", 45},
		{"tuple/times", "t = (1, 2) * 2\nz = n + len(t)", 8},
		{"tuple/list", "t = [n, n + 1]\nz = t[1]", 5},
		{"tuple/comprehension", "t = [k * n for k in (1, 2, 3)]\nz = t[0] + t[1] + t[2]", 24},
		{"tuple/loop", "t = (n, n + 1)\nfor k in range(n):\n    t = (t[1], t[0] + 1)\nz = t[0] * 100 + t[1]",
			607},
		{"tuple/if", "t = (n, 0)\nif n > 3:\n    t = (n + 1, n + 2)\nz = t[0] * 10 + t[1]", 56},
		{"tuple/fold", "z = fold(add, (n, n, 1)) + fold(mul, (n, 2))", 17},
		{"named", "p = Point(n, n + 3)\nz = p.x * 10 + p.y", 47},
		{"named/call", "p = Point(x=n, y=1)\nz = norm1(p)", 5},
		{"named/return", "p = moved(Point(n, 9), 2)\nz = p.x * 10 + p[1]", 67},
		{"named/namedtuple", "p = Pair(n, 2)\nz = p.first * 10 + p.second", 42},
		{"named/unpack", "x, y = Point(n, 2)\nz = x * 10 + y", 42},
		{"global", "z = n + SCALE", 7},
		{"global/arithmetic", "z = n * SHIFTED + (1 if NAME == \"three\" else 2)", 101},
		{"global/float", "z = (n * RATIO).to(tl.int32)", 2},
		{"function", "z = n + half(9)", 9},
		{"function/type", "x = tl.full((1,), 5, wider(tl.int32))\nz = n + tl.max(x, 0).to(tl.int32) + " +
			"x.dtype.primitive_bitwidth", 73},
		{"function/triton", "z = n + triton.cdiv(10, 3) + triton.next_power_of_2(5)", 16},
		{"alias", "f = add\nz = f(n, 3)", 7},
		{"dtype/name", "z = n + tl.full((1,), 300, tl.dtype(\"int8\") if False else " +
			"tl.dtype(\"int32\")).dtype.primitive_bitwidth", 36},
		{"dtype/fstring", "B: tl.constexpr = 16\nd = tl.dtype(f\"int{B}\")\nz = n + d.primitive_bitwidth",
			20},
		{"dtype/queries", "z = n\nif tl.float16.is_floating() and tl.int32.is_int() and " +
			"tl.uint8.is_int_unsigned() and tl.bfloat16.is_bf16() and not tl.int8.is_fp8():\n    z += 1\n" +
			"if tl.float32.fp_mantissa_width == 23 and tl.int1.is_bool():\n    z += 10", 15},
		{"isinstance", "z = n\nif isinstance(n, tl.tensor):\n    z += 1\nif isinstance(SCALE, " +
			"tl.constexpr):\n    z += 10\nif isinstance(SCALE, int) and not isinstance(NAME, float):\n" +
			"    z += 100", 105},
		{"hasattr", "z = n\nif hasattr(p_ptr, \"dtype\"):\n    z += 1\nif hasattr(tl, \"nothing\"):\n" +
			"    z += 10", 5},
		{"getattr", "z = n + getattr(tl, \"int16\").primitive_bitwidth", 20},
		{"len", "z = n + len((1, 2, 3)) + len(tl.arange(0, 4).shape)", 8},
		{"float-int", "z = n + int(3.7) + int(float(\"2\"))", 9},
		{"none", "q = None\nz = n if q is None else 0", 4},
		{"shape", "x = tl.zeros((4, 8), tl.int32)\nz = n + x.shape[0] * 10 + x.shape[1] + x.numel", 84},
		{"attributes", "x = tl.zeros((4, 8), tl.int16)\nz = n + x.dtype.primitive_bitwidth + " +
			"x.type.scalar.int_bitwidth + len(x.type.shape)", 38},
		{"element", "z = n + p_ptr.dtype.element_ty.primitive_bitwidth + p_ptr.type.element_ty.int_bitwidth",
			68},
		{"item", "z = tl.full((1,), 3, tl.int32).item() + n", 7},
		{"scalar/reduce", "z = tl.sum(tl.arange(0, 4)) + n", 10},
		{"value", "z = n + SCALE.value + N.value", 15},
		{"types/max", "z = n + tl.TRITON_MAX_TENSOR_NUMEL // 1048576", 5},
		{"types/block", "x = tl.arange(0, 4)\nz = n\nif x.type == tl.block_type(tl.int32, [4]):\n    z += " +
			"1\nif x.type == tl.block_type(tl.int32, [8]):\n    z += 10", 5},
		{"types/tuple", "t = tl.tuple((n, n + 1))\nz = t[1]\nif isinstance(t, tl.tuple):\n    z += 10", 15},
		{"types/pointer", "z = n\nif p_ptr.dtype == tl.pi32_t:\n    z += 1\nif p_ptr.dtype.is_ptr():\n" +
			"    z += 10", 15},
		{"types/void", "z = n\nif tl.int32 != tl.void:\n    z += 1", 5},
		{"types/isinstance", "z = n\nif isinstance(n, tl.tensor_descriptor):\n    z += 1\nif " +
			"isinstance(n.type, tl.tuple_type):\n    z += 1\nif isinstance(n.type, " +
			"tl.tensor_descriptor_type):\n    z += 1\nif isinstance(n, tl.slice):\n    z += 1\nif " +
			"isinstance(n.type, tl.constexpr_type):\n    z += 1", 4},
		{"types/fp8", "z = n\nif tl.float8e4b8.is_fp8() and tl.float8e5b16.is_fp8e5b16() and " +
			"tl.float8e4b15.primitive_bitwidth == 8:\n    z += 1", 5},
	} {
		m.raw(s, testCase{name: "value/" + c.name, beyond: more["value/"+c.name],
			args: []arg{scalar(4), result(ofInts(i32, c.want)), constant(8)}}, "n, p_ptr, N: tl.constexpr",
			c.body+"\ntl.store(p_ptr, z)")
	}
	argumentCases(s, m)
	for _, c := range []struct{ name, body string }{
		{"plain-global", "z = n + PLAIN"}, {"plain-function", "z = plain_function(n)"},
		{"tuple-index", "t = (1, 2)\nz = t[n]"}, {"tuple-range", "t = (1, 2)\nz = t[5]"},
		{"named-field", "p = Point(n, n)\nz = p.w"}, {"constexpr-function", "z = half(n)"},
		{"fstring", "s = f\"{n}\""}, {"dtype", "d = tl.dtype(\"int12\")"}, {"len", "z = len(n)"},
		{"int", "z = int(n)"}, {"wrong-fields", "p = Point(n)"},
	} {
		if c.name == "plain-global" {
			m.define("PLAIN = 5\n\n\ndef plain_function(x):\n    return x\n")
		}
		m.raw(s, testCase{name: "value/refused/" + c.name, refused: true, args: []arg{scalar(4),
			result(ofInts(i32, 0)), constant(8)}}, "n, p_ptr, N: tl.constexpr", c.body)
	}
}

// argumentCases: what a launch can pass, and what the kernel sees of it.
func argumentCases(s *suite, m *module) {
	store := "tl.store(z_ptr, a)"
	for _, c := range []struct {
		name, params string
		a            arg
		want         array
	}{
		{"i32", "a, z_ptr", scalar(7), ofInts(i64, 7)}, {"i32/16", "a, z_ptr", scalar(48), ofInts(i64, 48)},
		{"i32/1", "a, z_ptr", scalar(1), ofInts(i64, 1)},
		{"i64", "a, z_ptr", scalar(1 << 40), ofInts(i64, 1<<40)},
		{"negative", "a, z_ptr", scalar(-5), ofInts(i64, -5)},
		{"u64", "a, z_ptr", scalar(uint64(1<<63 + 3)), array{u64, []int{1}, []uint64{1<<63 + 3}}},
		{"fp32", "a, z_ptr", scalar(0.1), ofFloats(f64, float64(float32(0.1)))},
		{"bool", "a, z_ptr", scalar(true), ofInts(i32, 1)},
		{"annotated/i64", "a: tl.int64, z_ptr", typed(i64, 7), ofInts(i64, 7)},
		{"annotated/i8", "a: tl.int8, z_ptr", typed(i8, 7), ofInts(i8, 7)},
		{"annotated/u32", "a: tl.uint32, z_ptr", typed(u32, 7), ofInts(u32, 7)},
		{"annotated/fp64", "a: tl.float64, z_ptr", typed(f64, 0.1), ofFloats(f64, 0.1)},
		{"annotated/fp16", "a: tl.float16, z_ptr", typed(f16, 0.1), ofFloats(f16, 0.1)},
		{"annotated/bf16", "a: tl.bfloat16, z_ptr", typed(bf16, 0.1), ofFloats(bf16, 0.1)},
		{"annotated/int", "a: int, z_ptr", typed(i32, 7), ofInts(i32, 7)},
		{"annotated/float", "a: float, z_ptr", scalar(2.5), ofFloats(f32, 2.5)},
		{"annotated/string", "a: \"tl.int64\", z_ptr", typed(i64, 7), ofInts(i64, 7)},
		{"annotated/tensor", "a: tl.tensor, z_ptr", scalar(7), ofInts(i32, 7)},
		{"constexpr/int", "a: tl.constexpr, z_ptr", constant(7), ofInts(i32, 7)},
		{"constexpr/float", "a: tl.constexpr, z_ptr", constant(2.5), ofFloats(f32, 2.5)},
		{"constexpr/bool", "a: tl.constexpr, z_ptr", constant(true), ofInts(i32, 1)},
		{"constexpr/string", "a: \"tl.constexpr\", z_ptr", constant(9), ofInts(i32, 9)},
	} {
		m.raw(s, testCase{name: "argument/" + c.name, args: []arg{c.a, result(c.want)}}, c.params, store)
	}
	m.raw(s, testCase{name: "argument/none", args: []arg{constant(nil), result(ofInts(i32, 3))}}, "a, z_ptr",
		"if a is None:\n    tl.store(z_ptr, 3)\nelse:\n    tl.store(z_ptr, tl.load(a))")
	m.raw(s, testCase{name: "argument/dtype",
		args: []arg{dtypeArg(f16), result(ofFloats(f32, float64(0.0999755859375)))}},
		"T: tl.constexpr, z_ptr", "x = tl.full((1,), 0.1, T)\ntl.store(z_ptr + tl.arange(0, 1), "+
			"x.to(tl.float32))")
	m.raw(s, testCase{name: "argument/text", args: []arg{constant("mul"), scalar(3), result(ofInts(i32, 9))}},
		"OP: tl.constexpr, n, z_ptr", "if OP == \"add\":\n    z = n + n\nelif OP == \"mul\":\n    z = n * "+
			"n\ntl.store(z_ptr, z)")
	m.raw(s, testCase{name: "argument/tuple",
		args: []arg{constant([]int{4, 2}), result(ofInts(i32, 0, 1, 2, 3, 4, 5, 6, 7))}},
		"SHAPE: tl.constexpr, z_ptr", "x = tl.arange(0, SHAPE[0] * SHAPE[1]).reshape(SHAPE)\n"+
			"tl.store(z_ptr + tl.arange(0, 8), x.reshape(8))")
	left := constant(12)
	left.omit = true
	m.raw(s, testCase{name: "argument/default", args: []arg{result(ofInts(i32, 12)), left}},
		"z_ptr, a: tl.constexpr = 12", "tl.store(z_ptr, a)")
}
