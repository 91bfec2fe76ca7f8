package middle_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/middle"
	"github.com/nereid-lang/nereid/internal/pass"
)

const sumsOfOnes = `
tt.func public @sums(%x: !tt.ptr<bf16>, %y: !tt.ptr<bf16>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %p0 = tt.splat %x : !tt.ptr<bf16> -> tensor<1024x!tt.ptr<bf16>>
  %p = tt.addptr %p0, %r : tensor<1024x!tt.ptr<bf16>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<bf16>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: bf16, %b: bf16):
    %c = arith.addf %a, %b : bf16
    tt.reduce.return %c : bf16
  }) : (tensor<1024xbf16>) -> bf16
  tt.store %y, %s : !tt.ptr<bf16>
  %w = tt.reshape %v : tensor<1024xbf16> -> tensor<2x512xbf16>
  %t = "tt.reduce"(%w) <{axis = 1 : i32}> ({
  ^bb0(%a: bf16, %b: bf16):
    %c = arith.addf %a, %b : bf16
    tt.reduce.return %c : bf16
  }) : (tensor<2x512xbf16>) -> tensor<2xbf16>
  %r2 = tt.make_range {end = 3 : i32, start = 1 : i32} : tensor<2xi32>
  %q0 = tt.splat %y : !tt.ptr<bf16> -> tensor<2x!tt.ptr<bf16>>
  %q = tt.addptr %q0, %r2 : tensor<2x!tt.ptr<bf16>>, tensor<2xi32>
  tt.store %q, %t : tensor<2x!tt.ptr<bf16>>
  tt.return
}
`

// TestWidenSums: with widen-sums, sums of bf16 are added in 32 bits and rounded once, as triton-shared does:
// MLIR's own tools run the result, in which 1024 ones come to 1024. Without, they are stuck at 256, where
// the next number of bf16 is 258.
func TestWidenSums(t *testing.T) {
	for _, c := range []struct {
		options string
		want    []uint64
	}{{"widen-sums=true", []uint64{0x4480, 0x4400, 0x4400}}, {"", []uint64{0x4380, 0x4380, 0x4380}}} {
		p, err := middle.TritonToLinalg.With(c.options)
		if err != nil {
			t.Fatal(err)
		}
		m := parse(t, "sums", sumsOfOnes)
		ctx := &pass.Context{Options: pass.Options{Verify: true}}
		if err := pass.Run(ctx, m, []pass.Pass{p}); err != nil {
			t.Fatal(err)
		}
		text := m.String()
		for _, op := range []string{"arith.extf %in : bf16 to f32", "arith.truncf %extracted : f32 to bf16",
			"outs(%1 : tensor<f32>)"} {
			if strings.Contains(text, op) != (c.options != "") {
				t.Errorf("with %q, it has %s, or has not:\n%s", c.options, op, text)
			}
		}
		run := &program{m: ir.NewModule(ir.Unknown)}
		run.add(t, launch{grid: [3]int{1, 1, 1}, args: []arg{
			{elem: ir.BF16, data: bytes.Repeat([]byte{0x80, 0x3f}, 1024)},
			{elem: ir.BF16, data: make([]byte, 6)},
		}}, m)
		got := run.run(t)[1]
		for i, bits := range c.want {
			if got[i]&0xffff != bits {
				t.Errorf("with %q, sum %d is %#x, want %#x", c.options, i, got[i]&0xffff, bits)
			}
		}
	}
	if _, err := middle.TritonToLinalg.With("wide"); err == nil {
		t.Error("an option that does not exist is accepted")
	}
}
