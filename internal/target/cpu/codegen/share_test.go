package codegen

import (
	"slices"
	"strings"
	"testing"
)

// TestShares: products keep packed operands for the next program only if no program writes their memory, and
// then the launch must check that it does not overlap with what is written.
func TestShares(t *testing.T) {
	text := golden(t, "matmul_f16")
	code := generate(t, text, avx512)
	pair := Apart{A: 1, B: 2} // b and c
	if !code.Shares || !slices.Contains(code.Apart, pair) {
		t.Errorf("shares %v, apart %v, want true and %v", code.Shares, code.Apart, pair)
	}
	overlap := avx512
	overlap.Overlap = true
	if generate(t, text, overlap).Shares {
		t.Error("a kernel whose arguments may overlap shares")
	}
	written := strings.ReplaceAll(text, "tt.splat %c_ptr", "tt.splat %b_ptr")
	if written == text {
		t.Fatal("the kernel does not store through c_ptr")
	}
	if generate(t, written, avx512).Shares {
		t.Error("a kernel that writes the operand shares it")
	}
}
