package lsp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// faultsAndWork compiles a kernel with this body, below `def k(x_ptr, W: tl.constexpr)`. It returns the codes
// of its faults with their lines in the body, and the number of expressions that were compiled.
func faultsAndWork(t *testing.T, params, body string) (faults []string, work int) {
	t.Helper()
	head := "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(" + params + "):\n"
	text := head + "    " + strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n    ") + "\n"
	d := &document{file: filepath.Join(t.TempDir(), "k.py"), text: text}
	(&Server{}).analyse(d)
	for _, f := range d.faults {
		faults = append(faults, fmt.Sprintf("%d %s", f.Range.Start.Line-strings.Count(head, "\n")+1, f.Code))
	}
	return faults, d.work
}

// TestDoubt: a fault in or behind a nest of unrolled loops, 64 x 64 iterations of numbers that were made up,
// costs no more than some iterations, and a fault that iterations left out may have caused is not told.
func TestDoubt(t *testing.T) {
	nest := `
acc = 0.0
for i in tl.static_range(W):
    for j in tl.static_range(W):
        acc += tl.load(x_ptr + i * W + j)
`
	for _, c := range []struct {
		name, body string
		want       []string
		most       int // 64 x 64 iterations are some 40,000 expressions
	}{
		{"no fault", nest + "tl.store(x_ptr, acc)", nil, 800},
		{"before the nest", "tl.store(x_ptr, 1 + z)" + nest, []string{"1 undefined"}, 800},
		{"in the nest", nest + "        tl.store(x_ptr, acc + z)", []string{"5 undefined"}, 800},
		{"of types, in the nest", nest + "        tl.store(acc, 1)", []string{"5 type-mismatch"}, 800},
		{"a name behind the nest", nest + "tl.store(x_ptr, acc + z)", []string{"5 undefined"}, 800},
		{"a function that tl lacks", nest + "tl.stor(x_ptr, acc)", []string{"5 python-attribute"}, 800},
		{"a parameter", nest + "tl.store(x_ptr, value=acc, msk=1)", []string{"5 bad-arguments"}, 800},
		{"of an early iteration", strings.Replace(nest, "acc +=", "if j == 30: z = 1.0\n        acc +=", 1) +
			"tl.store(x_ptr, z)", nil, 6000},
		{"of a late iteration", strings.Replace(nest, "acc +=", "if i == 30 and j == 30: z = 1.0\n        acc +=",
			1) + "tl.store(x_ptr, z)", nil, 6000},
		{"of types, behind few", strings.ReplaceAll(nest, "(W)", "(12)") + "tl.store(acc, 1)",
			[]string{"5 type-mismatch"}, 6000},
	} {
		got, work := faultsAndWork(t, "x_ptr, W: tl.constexpr", c.body)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: faults %q, want %q", c.name, got, c.want)
		}
		if work > c.most {
			t.Errorf("%s: %d expressions were compiled, want at most %d", c.name, work, c.most)
		}
	}
}

// TestAttempts: a large kernel that fits no signature is not compiled for each, and of further attempts only
// what stands before their first fault is.
func TestAttempts(t *testing.T) {
	var params []string
	for i := range 20 {
		params = append(params, fmt.Sprintf("x%d_ptr", i))
	}
	body := ""
	for _, p := range params {
		body += "tl.store(" + p + ", tl.load(" + p + ") + 1)\n"
	}
	list := strings.Join(params, ", ")
	got, early := faultsAndWork(t, list, "tl.store(1, 1)\n"+strings.Repeat(body, 5))
	if len(got) == 0 || early > 1500 {
		t.Errorf("faults %q, and %d expressions were compiled, want those of one attempt", got, early)
	}
	got, late := faultsAndWork(t, list, strings.Repeat(body, 5)+"tl.store(1, 1)")
	if len(got) == 0 || late > 3500 {
		t.Errorf("faults %q, and %d expressions were compiled, want few attempts", got, late)
	}
}

// TestOneWorld: all kernels of a file see one evaluation of what stands around them, as in a process of
// Python's: the second default is the second number, also after its kernel's parameters were asked for twice.
func TestOneWorld(t *testing.T) {
	text := `import triton
import triton.language as tl
GIVEN = []
def next_number():
    GIVEN.append(1)
    return len(GIVEN)


@triton.jit
def first(x_ptr, N: tl.constexpr = next_number()):
    tl.store(x_ptr, N)


@triton.jit
def second(x_ptr, N: tl.constexpr = next_number()):
    tl.store(x_ptr, N)
`
	d := &document{file: filepath.Join(t.TempDir(), "k.py"), text: text}
	(&Server{}).analyse(d)
	if a, b := d.args["first"]["N"], d.args["second"]["N"]; a != "constexpr[1]" || b != "constexpr[2]" {
		t.Errorf("the defaults are %s and %s, want 1 and 2; faults %v", a, b, d.faults)
	}
}
