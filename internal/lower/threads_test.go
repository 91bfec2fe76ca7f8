package lower

import (
	"bytes"
	"regexp"
	"testing"
)

// TestRowsApart: the rows of a thread lie constants apart, also if its lane and its warp choose them, so a
// loop advances one address for all of them.
func TestRowsApart(t *testing.T) {
	const aliases = "#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], " +
		"warpsPerCTA = [2, 1], " +
		"order = [1, 0]}>\n#r = #ttg.slice<{dim = 1, parent = #b}>\n" +
		"#c = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 1], " +
		"order = [1, 0]}>\n#w = #ttg.slice<{dim = 1, parent = #c}>\n"
	text := aliases + moduleText(2, rowsText)
	_, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 80)
	advanced := regexp.MustCompile(`add\.s64 \t(%rd\d+), (%rd\d+), 65536;`)
	n := 0
	for _, m := range advanced.FindAllSubmatch(ptx, -1) {
		if bytes.Equal(m[1], m[2]) {
			n++
		}
	}
	if n != 1 {
		t.Errorf("a loop advances %d addresses, not 1:\n%s", n, clip(ptx))
	}
}

// rowsText loads rows in a loop, each behind an address of 64 bits, and stores once for each warp.
const rowsText = `tt.func public @k(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %n: i32) {
	%c0 = arith.constant 0 : i32
	%c1 = arith.constant 1 : i32
	%c64 = arith.constant 64 : i64
	%zero = arith.constant dense<0.0> : tensor<64x32xf16, #b>
	%stride = arith.constant dense<512> : tensor<64x1xi64, #b>
	%rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #r>
	%wide = arith.extsi %rows : tensor<64xi32, #r> to tensor<64xi64, #r>
	%xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #b>
	%sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x32xf16, #b>) : i32 {
		%i64 = arith.extsi %i : i32 to i64
		%first = arith.muli %i64, %c64 : i64
		%firsts = tt.splat %first : i64 -> tensor<64xi64, #r>
		%row = arith.addi %firsts, %wide : tensor<64xi64, #r>
		%row2 = tt.expand_dims %row {axis = 1 : i32} : tensor<64xi64, #r> -> tensor<64x1xi64, #b>
		%off = arith.muli %row2, %stride : tensor<64x1xi64, #b>
		%p = tt.addptr %xs, %off : tensor<64x1x!tt.ptr<f16>, #b>, tensor<64x1xi64, #b>
		%ps = tt.broadcast %p : tensor<64x1x!tt.ptr<f16>, #b> -> tensor<64x32x!tt.ptr<f16>, #b>
		%v = tt.load %ps : tensor<64x32x!tt.ptr<f16>, #b>
		%next = arith.addf %acc, %v : tensor<64x32xf16, #b>
		scf.yield %next : tensor<64x32xf16, #b>
	}
	%to = tt.splat %y : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #b>
	tt.store %to, %sum : tensor<64x32x!tt.ptr<f16>, #b>
	%warps = tt.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32, #w>
	%ys = tt.splat %y : !tt.ptr<f16> -> tensor<2x!tt.ptr<f16>, #w>
	%each = tt.addptr %ys, %warps : tensor<2x!tt.ptr<f16>, #w>, tensor<2xi32, #w>
	%one = arith.constant dense<1.0> : tensor<2xf16, #w>
	tt.store %each, %one : tensor<2x!tt.ptr<f16>, #w>
	tt.return
}
`
