package amd_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/amd/sim"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// copiesText multiplies a matrix of ones by one of twos and adds fives, in a layout with several tiles for
// each warp, and stores the result, sums of its rows, and the result in another layout.
const copiesText = `
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], tilesPerWarp = TILES, instrShape = [32, 32, 8],
  isTransposed = TURNED}>
#rows = #ttg.slice<{dim = 1, parent = #mma}>
#cols = #ttg.slice<{dim = 0, parent = #mma}>
#flat = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942",
  "ttg.threads-per-warp" = 64 : i32} {
tt.func public @k(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %x = arith.constant dense<1.0> : tensor<ROWSx16xf16, #a>
  %y = arith.constant dense<2.0> : tensor<16xCOLSxf16, #b>
  %z = arith.constant dense<5.0> : tensor<ROWSxCOLSxf32, #mma>
  %d = tt.dot %x, %y, %z : tensor<ROWSx16xf16, #a> * tensor<16xCOLSxf16, #b> -> tensor<ROWSxCOLSxf32, #mma>
  %i = tt.make_range {end = ROWS : i32, start = 0 : i32} : tensor<ROWSxi32, #rows>
  %j = tt.make_range {end = COLS : i32, start = 0 : i32} : tensor<COLSxi32, #cols>
  %ii = tt.expand_dims %i {axis = 1 : i32} : tensor<ROWSxi32, #rows> -> tensor<ROWSx1xi32, #mma>
  %jj = tt.expand_dims %j {axis = 0 : i32} : tensor<COLSxi32, #cols> -> tensor<1xCOLSxi32, #mma>
  %n = arith.constant dense<COLS> : tensor<ROWSx1xi32, #mma>
  %in = arith.muli %ii, %n : tensor<ROWSx1xi32, #mma>
  %ib = tt.broadcast %in : tensor<ROWSx1xi32, #mma> -> tensor<ROWSxCOLSxi32, #mma>
  %jb = tt.broadcast %jj : tensor<1xCOLSxi32, #mma> -> tensor<ROWSxCOLSxi32, #mma>
  %at = arith.addi %ib, %jb : tensor<ROWSxCOLSxi32, #mma>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<ROWSxCOLSx!tt.ptr<f32>, #mma>
  %pp = tt.addptr %ps, %at : tensor<ROWSxCOLSx!tt.ptr<f32>, #mma>, tensor<ROWSxCOLSxi32, #mma>
  tt.store %pp, %d : tensor<ROWSxCOLSx!tt.ptr<f32>, #mma>
  %s = "tt.reduce"(%d) <{axis = 1 : i32}> ({
  ^bb0(%u: f32, %v: f32):
    %w = arith.addf %u, %v : f32
    tt.reduce.return %w : f32
  }) : (tensor<ROWSxCOLSxf32, #mma>) -> tensor<ROWSxf32, #rows>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<ROWSx!tt.ptr<f32>, #rows>
  %qq = tt.addptr %qs, %i : tensor<ROWSx!tt.ptr<f32>, #rows>, tensor<ROWSxi32, #rows>
  tt.store %qq, %s : tensor<ROWSx!tt.ptr<f32>, #rows>
  %e = ttg.convert_layout %d : tensor<ROWSxCOLSxf32, #mma> -> tensor<ROWSxCOLSxf32, #flat>
  %ae = ttg.convert_layout %at : tensor<ROWSxCOLSxi32, #mma> -> tensor<ROWSxCOLSxi32, #flat>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<ROWSxCOLSx!tt.ptr<f32>, #flat>
  %oo = tt.addptr %os, %ae : tensor<ROWSxCOLSx!tt.ptr<f32>, #flat>, tensor<ROWSxCOLSxi32, #flat>
  tt.store %oo, %e : tensor<ROWSxCOLSx!tt.ptr<f32>, #flat>
  tt.return
}
}
`

// TestProductCopies: where a layout of another compiler has more tiles than a product's result, so that
// registers hold copies of its elements, the result is right all the same.
func TestProductCopies(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	devices, err := sim.Devices()
	if err != nil {
		t.Fatal(err)
	}
	d := devices[0] // gfx942
	for _, tiles := range []string{"[1, 1]", "[2, 1]", "[1, 2]", "[2, 2]"} {
		for _, turned := range []string{"true", "false"} {
			text := strings.NewReplacer("TILES", tiles, "TURNED", turned, "ROWS", "32", "COLS", "32").
				Replace(copiesText)
			checkCopies(t, d, text, tiles, 32, 32)
		}
	}
}

func checkCopies(t *testing.T, d target.Backend, text, tiles string, m, n int) {
	t.Helper()
	exe, err := d.Compile(t.Context(), &target.Input{Kernel: "k",
		Given: &target.Given{Stage: "ttgir", Text: []byte(text)}})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	var bufs [3]target.Buffer
	var args []uint64
	for i, size := range []int{4 * m * n, 4 * m, 4 * m * n} {
		if bufs[i], err = d.Alloc(size); err != nil {
			t.Fatal(err)
		}
		args = append(args, bufs[i].Addr())
	}
	if err := exe.Launch(t.Context(), s, [3]int{1, 1, 1}, args); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{37, 37 * float32(n), 37} {
		host := bufs[i].Host()
		for at := 0; at < len(host); at += 4 {
			if got := math.Float32frombits(binary.LittleEndian.Uint32(host[at:])); got != want {
				t.Errorf("tiles %s, %d x %d, buffer %d: element %d is %v, not %v", tiles, m, n, i, at/4, got,
					want)
				break
			}
		}
	}
}
