package fingerprint

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const text = `
import triton
import triton.language as tl

@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, i < n) + 1, i < n)
`

// lineOf returns the line of a kernel's text.
func lineOf(t *testing.T, text, signature string, to Target) string {
	t.Helper()
	src, err := lang.Load("k.py", []byte(text), lang.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return Of(t.Context(), Kernel{Name: "k", Source: src, Kernel: "kernel", Signature: signature}, to)
}

// TestOf: a line depends on the code of a kernel, and not on where its text is or how its names are.
func TestOf(t *testing.T) {
	txtest.LLVMTool(t, "opt")
	const sig = "*fp32:16, *fp32:16, i32:16, 256"
	for _, target := range []string{"cuda:90", "hip:gfx942", "cpu:x86-64-v3"} {
		to := Target{Name: target, Count: true}
		line := lineOf(t, text, sig, to)
		if again := lineOf(t, "\n\n# further down\n"+text, sig, to); again != line {
			t.Errorf("%s: %s\nelsewhere: %s", target, line, again)
		}
		if other := lineOf(t, strings.Replace(text, "+ 1", "+ 2", 1), sig, to); other == line {
			t.Errorf("%s: the line of another constant is the same: %s", target, line)
		}
		if other := lineOf(t, text, "*fp32:16, *fp32:16, i32, 256", to); other == line {
			t.Errorf("%s: the line of other arguments is the same: %s", target, line)
		}
	}
}

// TestDifferences: lines are told apart by their names, and all others are shown.
func TestDifferences(t *testing.T) {
	table := tableOf("a 1\nb 2\nc 3\n")
	if got := differences(table, "a 1\nb 2\nc 3\n", false); got != "" {
		t.Errorf("equal tables differ: %s", got)
	}
	got := differences(table, "a 1\nb 3\nd 4\n", false)
	if want := "3 lines differ, of which 3:\n+d 4\n-b 2\n+b 3\n-c is gone\n"; got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
	if got := differences(table, "a 1\nb 2\n", true); got != "" {
		t.Errorf("a part of the table differs: %s", got)
	}
}

// TestLineless removes line information and nothing else.
func TestLineless(t *testing.T) {
	got := lineless("  %v = add i32 %a, 1, !dbg !5\ndefine void @f() !dbg !4 {\n!3 = !DIFile()\n\t.loc 1 2 3\n" +
		"\tadd.s32 %r1;\n// x\n\t.section .debug\n\tadd\n")
	if want := "  %v = add i32 %a, 1\ndefine void @f() {\n\tadd.s32 %r1;\n"; got != want {
		t.Errorf("%q\nnot\n%q", got, want)
	}
}
