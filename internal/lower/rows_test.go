package lower

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestDivideRows divides rows by numbers of any size, each with one reciprocal for a row.
func TestDivideRows(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], " +
		"order = [1, 0]}>"
	slice := "#ttg.slice<{dim = 1, parent = " + enc + "}>"
	body := "tt.func public @k(%x: !tt.ptr<f32>, %d: !tt.ptr<f32>, %y: !tt.ptr<f32>) {\n" +
		offsetsText("o", []int{32, 16}, enc) + accessText("x", "o", "v", []int{32, 16}, "f32", enc, false) +
		offsetsText("p", []int{32}, slice) + accessText("d", "p", "e", []int{32}, "f32", slice, false) +
		fmt.Sprintf("%%f = tt.expand_dims %%e {axis = 1 : i32} : tensor<32xf32, %s>", slice) +
		fmt.Sprintf(" -> tensor<32x1xf32, %s>\n", enc) +
		fmt.Sprintf("%%g = tt.broadcast %%f : tensor<32x1xf32, %s> -> tensor<32x16xf32, %[1]s>\n", enc) +
		fmt.Sprintf("%%w = arith.divf %%v, %%g : tensor<32x16xf32, %s>\n", enc) +
		accessText("y", "o", "w", []int{32, 16}, "f32", enc, true) + "tt.return\n}\n"
	_, ptx := compile(t, parseIR(t, "divide.ttgir", []byte(moduleText(1, body))), "k", 90)
	if bytes.Contains(ptx, []byte("div.full")) || bytes.Count(ptx, []byte("rcp.approx")) != 1 {
		t.Errorf("want one reciprocal and no division\n%s", clip(ptx))
	}
	divisors := []float64{3, -7, 0, 1e-40, -3e-45, 1e38, 0x1.8p127, math.Inf(1), math.NaN(), 0x1p-126,
		0x1p126, 1}
	divisor := func(row int) float64 { return divisors[row%len(divisors)] }
	l := launch{"k", [3]int{1, 1, 1}, []any{floats(ir.F32, 512), &buf{elem: ir.F32, n: 32, fill: divisor},
		floats(ir.F32, 512)}}
	in, out := l.memory(1)
	onSim(t, ptx, 0, l, out, false)
	at := func(mem []byte, i int) float64 { return decode(ir.F32, get(mem[4*i:], 4)) }
	for i := range 512 {
		got, want := at(out[2], i), at(in[0], i)/at(in[1], i/16)
		size := math.Abs(want)
		tooFar := size <= math.MaxFloat32 && size >= 0x1p-126 && math.Abs(got-want) > 2*ulpOf(ir.F32, want)
		if math.IsNaN(want) != math.IsNaN(got) || size > math.MaxFloat32 && !math.IsInf(got, 0) || tooFar {
			t.Errorf("%v / %v = %v, want %v", at(in[0], i), at(in[1], i/16), got, want)
		}
	}
}

// TestReduceInChains compares reductions with several partial results with the interpreter.
func TestReduceInChains(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [1, 32], threadsPerWarp = [16, 2], warpsPerCTA = [1, 1], " +
		"order = [1, 0]}>"
	slice := "#ttg.slice<{dim = 1, parent = " + enc + "}>"
	for _, op := range []string{"arith.maxnumf", "arith.addf"} {
		body := "tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {\n" +
			offsetsText("o", []int{16, 64}, enc) +
			accessText("x", "o", "v", []int{16, 64}, "f32", enc, false) +
			fmt.Sprintf("%%w = \"tt.reduce\"(%%v) <{axis = 1 : i32}> ({\n^bb0(%%a: f32, %%b: f32):\n"+
				"%%c = %s %%a, %%b : f32\ntt.reduce.return %%c : f32\n"+
				"}) {nereid.chains} : (tensor<16x64xf32, %s>) -> tensor<16xf32, %s>\n", op, enc, slice) +
			offsetsText("p", []int{16}, slice) + accessText("y", "p", "w", []int{16}, "f32", slice, true) +
			"tt.return\n}\n"
		args := []any{floats(ir.F32, 1024), floats(ir.F32, 16)}
		runBoth(t, moduleText(1, body), launch{"k", [3]int{1, 1, 1}, args}, 16)
	}
}
