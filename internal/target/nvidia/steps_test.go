package nvidia

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestStepsInTime: the registers of a step may be written when the step that read them is complete.
func TestStepsInTime(t *testing.T) {
	const loop = `.entry k() {
$L__BB0_1:
%s
	wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%%r1,%%r2}, {%%r3,%%r4}, %%rd4, 1, 1, 1, 1;
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned %d;
%s
	wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%%r1,%%r2}, {%%r5,%%r6}, %%rd5, 1, 1, 1, 1;
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned %d;
%s
	@%%p1 bra $L__BB0_1;
}
`
	const first, second = "\tcvt.rn.f16.f32 %r3, %r9;", "\tld.shared.v2.b32 {%r5, %r6}, [%r9];"
	for _, c := range []struct {
		name            string
		before, between string
		pending, end    int
		behind          string
		want            bool
	}{
		{"each behind its wait", first, second, 1, 1, "", true},
		{"both first", first + "\n" + second, "", 1, 1, "", false},
		{"both first, all complete", first + "\n" + second, "", 1, 0, "", true},
		{"two under way", first, second, 2, 2, "", false},
		{"at the end", "", second, 1, 1, first, true},
		{"the second one at the end", first, "", 1, 1, second, false},
		{"a copy between", first + "\n\tld.shared.v2.b32 {%r7, %r8}, [%r9];",
			"\tmov.b32 %r5, %r7;\n\tmov.b32 %r6, %r8;", 1, 1, "", false},
		{"a pair of halves between", first + "\n\tcvt.rn.f16.f32 %rs1, %r9;",
			second + "\n\tmov.b32 %r5, {%rs1, %rs2};", 1, 1, "", false},
		{"a sum", first, second + "\n\tadd.s32 %r8, %r5, 1;", 1, 1, "", true},
	} {
		ptx := fmt.Sprintf(loop, c.before, c.pending, c.between, c.end, c.behind)
		if got := stepsInTime([]byte(ptx)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// convertedProduct is a loop with a product whose left operand it converts.
const convertedProduct = `module { tt.func public @k(%a: !tt.ptr<i8> {tt.divisibility = 16 : i32},
%b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
%width = arith.constant dense<64> : tensor<64x1xi32>
%zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%size = arith.constant 4096 : i32
%r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
%r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
%r2 = arith.muli %r1, %width : tensor<64x1xi32>
%r3 = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
%r4 = tt.broadcast %r2 : tensor<64x1xi32> -> tensor<64x64xi32>
%r5 = tt.broadcast %r3 : tensor<1x64xi32> -> tensor<64x64xi32>
%at = arith.addi %r4, %r5 : tensor<64x64xi32>
%sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
  %o = arith.muli %i, %size : i32
  %a1 = tt.addptr %a, %o : !tt.ptr<i8>, i32
  %a2 = tt.splat %a1 : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>>
  %a3 = tt.addptr %a2, %at : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
  %a4 = tt.load %a3 : tensor<64x64x!tt.ptr<i8>>
  %a5 = arith.sitofp %a4 : tensor<64x64xi8> to tensor<64x64xf16>
  %b1 = tt.addptr %b, %o : !tt.ptr<f16>, i32
  %b2 = tt.splat %b1 : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %b3 = tt.addptr %b2, %at : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %b4 = tt.load %b3 : tensor<64x64x!tt.ptr<f16>>
  %d = tt.dot %a5, %b4, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  scf.yield %d : tensor<64x64xf32>
}
%c2 = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
%c3 = tt.addptr %c2, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
tt.store %c3, %sum : tensor<64x64x!tt.ptr<f32>>
tt.return
} }`

// TestJoinSteps: where LLVM has moved conversions too far, the same TTGIR is compiled with whole products.
func TestJoinSteps(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	m, err := ir.Parse(diag.NewFileSet(), "k.ttir", []byte(convertedProduct))
	if err != nil {
		t.Fatal(err)
	}
	c := Compiler{Capability: 90}
	in := &target.Input{Module: m, Kernel: "k",
		Options: target.Options{NumWarps: 4, NumStages: 3, NumCTAs: 1}}
	if _, err := c.ttgir(in, nil); err != nil {
		t.Fatal(err)
	}
	waits := func() int {
		code, err := c.FromTTGIR(t.Context(), in, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !stepsInTime(code.PTX) {
			t.Errorf("registers are written too early:\n%s", code.PTX)
		}
		return strings.Count(string(code.PTX), "wgmma.wait_group.sync.aligned 2;")
	}
	if n := waits(); n != 4 || !gpu.HasSteps(in.Module) {
		t.Errorf("%d waits for steps, not 4", n)
	}
	gpu.JoinSteps(in.Module)
	if n := waits(); n != 0 || gpu.HasSteps(in.Module) {
		t.Errorf("%d waits for steps of whole products", n)
	}
}
