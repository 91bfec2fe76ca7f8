package motion

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// TestOffsetsCost: pointers to which offsets are added at random, outside of loops and in them, cost at most
// as many additions after the pass as before, and some cost less.
func TestOffsetsCost(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	less := 0
	for range 150 {
		m := randomOffsets(t, r)
		text, before := m.String(), additions(m)
		if err := pass.Run(&pass.Context{}, m, []pass.Pass{OrderOffsets}); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		switch after := additions(m); {
		case after > before:
			t.Fatalf("%d additions become %d:\n%s\n%s", before, after, text, m)
		case after < before:
			less++
		}
	}
	if less < 20 {
		t.Errorf("the pass saves additions in %d of 150 kernels", less)
	}
}

// offsetShape is the shape of the tensors of randomOffsets.
var offsetShape = []int64{32, 64}

// randomOffsets returns a kernel that adds offsets along rows, columns or both to a pointer, some of them
// inside of one loop or two, and stores there.
func randomOffsets(t *testing.T, r *rand.Rand) *ir.Module {
	const full = "tensor<32x64xi32>"
	var b strings.Builder
	b.WriteString("tt.func @k(%p: !tt.ptr<f32>, %n: i32, %rows: tensor<32x1xi32>, %cols: tensor<1x64xi32>, " +
		"%each: tensor<32x64xi32>, %v: tensor<32x64xf32>) {\n%c0 = arith.constant 0 : i32\n" +
		"%c1 = arith.constant 1 : i32\n%p0 = tt.splat %p : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>\n")
	steps, loops := 2+r.IntN(4), 0
	for i := range steps {
		for loops < 2 && r.IntN(3) == 0 {
			loops++
			fmt.Fprintf(&b, "scf.for %%i%d = %%c0 to %%n step %%c1 : i32 {\n", loops)
		}
		switch r.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "%%o%d = tt.splat %%n : i32 -> %s\n", i, full)
		case 1:
			fmt.Fprintf(&b, "%%o%d = tt.broadcast %%rows : tensor<32x1xi32> -> %s\n", i, full)
		case 2:
			fmt.Fprintf(&b, "%%o%d = tt.broadcast %%cols : tensor<1x64xi32> -> %s\n", i, full)
		case 3:
			fmt.Fprintf(&b, "%%o%d = arith.addi %%each, %%each : %s\n", i, full)
		}
		fmt.Fprintf(&b, "%%p%d = tt.addptr %%p%d, %%o%d : tensor<32x64x!tt.ptr<f32>>, %s\n", i+1, i, i, full)
	}
	fmt.Fprintf(&b, "tt.store %%p%d, %%v : tensor<32x64x!tt.ptr<f32>>\n%stt.return\n}\n", steps,
		strings.Repeat("}\n", loops))
	m, err := ir.Parse(&diag.FileSet{}, "k.mlir", []byte(b.String()))
	if err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	return m
}

// additions returns how many additions a kernel executes, for each element that differs from others, if a
// loop runs a hundred times.
func additions(m *ir.Module) (n int64) {
	of := spread{}
	m.Op.Walk(func(op *ir.Op) bool {
		if op.Def != tt.AddPtr && op.Def != arith.AddI {
			return true
		}
		each := int64(1)
		for i, d := range offsetShape {
			if of.axes(op.Result(0))&(1<<i) != 0 {
				each *= d
			}
		}
		for p := op.Parent(); p != nil; p = p.Parent() {
			if p.Def == scf.For {
				each *= 100
			}
		}
		n += each
		return true
	})
	return n
}
