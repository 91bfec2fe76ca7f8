package lsp

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// several has kernels that share a helper, and one with the name of a function that calls others in a text.
const several = `import triton
import triton.language as tl


@triton.jit
def twice(x):
    return x * 2


@triton.jit
def first(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(x_ptr + i, twice(x), mask=i < n)


@triton.jit
def second(y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.load(y_ptr + i, mask=i < n)
    tl.store(y_ptr + i, twice(y) + 1, mask=i < n)


@triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=["launch"])
@triton.jit
def third(z_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(z_ptr + i) + 1)


LEAST = tl.constexpr(min(c.kwargs["BLOCK"] for c in third.configs))
KERNELS = [first, second]


@triton.jit
def fourth(z_ptr):
    tl.store(z_ptr, LEAST)


def launch(x):
    first[(1,)](x, 4, BLOCK=4)


def thi(x): # part of a kernel's name, and it calls them all
    first[(1,)](x, 4, BLOCK=4), second[(1,)](x, 4, BLOCK=4), third[(1,)](x)
`

// TestReuse: after an edit inside of one kernel the others are not compiled again, and all that is known of
// the text is the same as if they were.
func TestReuse(t *testing.T) {
	s := &Server{}
	d := &document{uri: "file:///k.py", file: "/k.py", text: several}
	s.analyse(d)
	if d.compiled != 4 || d.faults != nil {
		t.Fatalf("%d kernels were compiled, %+v", d.compiled, d.faults)
	}
	for i, c := range []struct {
		from, to string
		compiled int
	}{
		{"twice(x), mask", "twice(x) + x * 3, mask", 1},
		{"    x = tl.load(x_ptr", "    # a line more\n    x = tl.load(x_ptr", 1},
		{"+ 1, mask=i < n)\n", "+ 1, mask=i < n)\n    tl.store(y_ptr, 1\n", 0}, // no Python
		{"    tl.store(y_ptr, 1\n", "", 0},                                     // what it was before
		{"tl.load(z_ptr + i) + 1", "tl.load(z_ptr + i) + zz", 2},               // and fourth
		{"    x = tl.load(x_ptr", "    # and one\n    x = tl.load(x_ptr", 1},   // the fault of another moves
		{"+ zz", "+ 2", 2},
		{"    return x * 2", "    return x * 3", 2}, // two call it
		{"import triton\n", "import triton\nN = 3\n", 4},
	} {
		d.text = strings.Replace(d.text, c.from, c.to, 1)
		s.analyse(d)
		if d.compiled != c.compiled {
			t.Errorf("edit %d: %d kernels were compiled, want %d", i, d.compiled, c.compiled)
		}
		fresh := &document{uri: d.uri, file: d.file, text: d.text}
		s.analyse(fresh)
		if !reflect.DeepEqual(fresh.faults, d.faults) || !reflect.DeepEqual(fresh.args, d.args) ||
			fmt.Sprint(fresh.seen) != fmt.Sprint(d.seen) {
			t.Errorf("edit %d: what is known differs from that of a new document", i)
		}
	}
	// an import may have changed on disk
	d.stale, d.saved = true, true
	if s.analyse(d); d.compiled != 4 {
		t.Errorf("after a save %d kernels were compiled, want all", d.compiled)
	}
}
