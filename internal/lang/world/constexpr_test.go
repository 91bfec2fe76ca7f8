package world

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// TestConstexprOperators: a constant of the language stands on either side of an operator, beside a number or
// another constant, and the result is what Python's operator gives for their values in that order.
func TestConstexprOperators(t *testing.T) {
	const file = `import triton.language as tl

def wrong():
    numbers, integers = [(7, 3), (3, 7), (-7, 2), (2.5, 4), (6, 0.5)], [(12, 2), (2, 12), (0, 5)]
    found = []
    for op, compute, pairs in [
            ("-", lambda x, y: x - y, numbers), ("+", lambda x, y: x + y, numbers),
            ("*", lambda x, y: x * y, numbers), ("/", lambda x, y: x / y, numbers),
            ("//", lambda x, y: x // y, numbers), ("%", lambda x, y: x % y, numbers),
            ("**", lambda x, y: x ** y, numbers),
            ("<", lambda x, y: x < y, numbers), ("<=", lambda x, y: x <= y, numbers),
            ("<<", lambda x, y: x << y, integers), (">>", lambda x, y: x >> y, integers),
            ("&", lambda x, y: x & y, integers), ("|", lambda x, y: x | y, integers),
            ("^", lambda x, y: x ^ y, integers)]:
        for a, b in pairs:
            want = compute(a, b)
            for x, y in [(tl.constexpr(a), b), (a, tl.constexpr(b)), (tl.constexpr(a), tl.constexpr(b))]:
                got = compute(x, y)
                if not isinstance(got, tl.constexpr) or got.value != want:
                    found.append((op, x, y, got, want))
    return found
`
	if got := called(t, file, "wrong"); got != "[]" {
		t.Error(got)
	}
}

// TestTypeOf: type() of a value of the language is its class in triton.language, also as __class__ and as
// a key.
func TestTypeOf(t *testing.T) {
	const file = `import triton.language as tl

def kinds():
    names = {tl.constexpr: "a constant", tl.dtype: "a type", tl.pointer_type: "a pointer"}
    one, pointer, block = tl.constexpr(1), tl.pointer_type(tl.float32), tl.block_type(tl.int8, [4])
    return [type(one) is tl.constexpr, type(one) == tl.dtype, type(1) is tl.constexpr,
            type(tl.float32) is tl.dtype, type(pointer) is tl.pointer_type, type(block) is tl.block_type,
            one.__class__ is tl.constexpr, type(one)(2).value, type(one).__name__, type(block).__qualname__,
            type(one).__module__, repr(type(tl.float32)), [names[type(x)] for x in (one, tl.int1, pointer)],
            isinstance(one, type(tl.constexpr(2))), type(one + 1) is type(one)]
`
	const want = "[True, False, False, True, True, True, True, 2, 'constexpr', 'block_type', " +
		"'triton.language.core', \"<class 'triton.language.core.dtype'>\", " +
		"['a constant', 'a type', 'a pointer'], True, True]" // as CPython prints with Triton 3.6
	if got := called(t, file, "kinds"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// called returns the repr of what a function of a file returns.
func called(t *testing.T, file, name string) (got string) {
	t.Helper()
	s, err := Load("file.py", []byte(file), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Host().Call(name, nil, func(in *object.Interp, v object.Value) (err error) {
		got, err = object.Repr(in, v)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}
