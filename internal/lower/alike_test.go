package lower

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestCopiesAlike: threads hold the same bits of what is computed from arguments and loads without
// reductions, whatever scalars are among the operands and however often an operand is used.
func TestCopiesAlike(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
	const rows = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], " +
		"order = [1, 0]}>"
	chain := func(n int) string {
		s := "%c0 = tt.splat %f : f32 -> tensor<128xf32, #e>\n"
		for i := range n - 1 {
			s += fmt.Sprintf("%%c%d = arith.addf %%c%d, %%c%d : tensor<128xf32, #e>\n", i+1, i, i)
		}
		return s + fmt.Sprintf("%%v = arith.addf %%c%d, %%c%d : tensor<128xf32, #e>\n", n-1, n-1)
	}
	reduce := func(n int) string {
		return fmt.Sprintf(`%%m = tt.splat %%f : f32 -> tensor<128x%dxf32, #r>
%%s = "tt.reduce"(%%m) <{axis = 1 : i32}> ({
^bb0(%%a: f32, %%b: f32):
  %%c = arith.addf %%a, %%b : f32
  tt.reduce.return %%c : f32
}) : (tensor<128x%dxf32, #r>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #r}>>
%%v = ttg.convert_layout %%s : tensor<128xf32, #ttg.slice<{dim = 1, parent = #r}>> -> tensor<128xf32, #e>
`, n, n)
	}
	load := func(mark string) string {
		return offsetsText("o", []int{128}, "#e") + strings.Replace(accessText("x", "o", "v", []int{128}, "f32",
			"#e", false), "tt.load %v_q", "tt.load %v_q"+mark, 1)
	}
	for _, test := range []struct {
		name, body string
		alike      bool
	}{
		{"an argument", "%v = tt.splat %f : f32 -> tensor<128xf32, #e>\n", true},
		{"as many operations as are followed", chain(maxFollowed - 1), true},
		{"one more", chain(maxFollowed), false},
		{"a sum", reduce(4), false},
		{"a sum of one element", reduce(1), true},
		{"a load", load(""), true},
		{"a volatile load", load(" {isVolatile = true}"), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := parseIR(t, "test.ttgir", []byte("#e = "+enc+"\n#r = "+rows+"\n"+
				moduleText(4, "tt.func public @k(%x: !tt.ptr<f32>, %f: f32) {\n"+test.body+
					"%w = ttg.convert_layout %v : tensor<128xf32, #e> -> tensor<128xf32, #e>\ntt.return\n}\n")))
			var last *ir.Op
			m.Walk(func(op *ir.Op) bool {
				if op.Name() == "ttg.convert_layout" {
					last = op
				}
				return true
			})
			if got := copiesAlike(last.Operand(0)); got != test.alike {
				t.Errorf("copies are alike: %v, not %v", got, test.alike)
			}
		})
	}
}

// TestFloatsToInts converts every float type to integers on both sides of zero. Not every target converts
// bf16 itself.
func TestFloatsToInts(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>"
	direct := regexp.MustCompile(`fpto[su]i bfloat|[su]itofp \S+ \S+ to bfloat`)
	shape := []int{64}
	for _, elem := range []ir.Type{ir.BF16, ir.F16, ir.F32, ir.F64} {
		name := fmt.Sprint(elem)
		tensor := func(elem string) string { return fmt.Sprintf("tensor<64x%s, %s>", elem, enc) }
		body := fmt.Sprintf("tt.func public @k(%%x: !tt.ptr<%s>, %%y: !tt.ptr<i32>, %%z: !tt.ptr<%[1]s>) {\n",
			name) + offsetsText("o", shape, enc) + accessText("x", "o", "v", shape, name, enc, false) +
			fmt.Sprintf("%%w = arith.fptosi %%v : %s to %s\n", tensor(name), tensor("i32")) +
			accessText("y", "o", "w", shape, "i32", enc, true) +
			fmt.Sprintf("%%u = arith.sitofp %%w : %s to %s\n", tensor("i32"), tensor(name)) +
			accessText("z", "o", "u", shape, name, enc, true) + "tt.return\n}\n"
		text := moduleText(1, body)
		runBoth(t, text, launch{"k", [3]int{1, 1, 1}, []any{&buf{elem: elem, n: 64, lo: -90, hi: 90},
			ints(ir.I32, 64, 9), floats(elem, 64)}}, 0)
		k, _ := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 80)
		if m := direct.Find(k.IR); m != nil {
			t.Errorf("%s", m)
		}
	}
}

// TestAccessTypes: an access is of as many words as its elements fill, none wider than 32 bits unless an
// element is, and a single word is no vector.
func TestAccessTypes(t *testing.T) {
	for _, test := range []struct {
		elem ir.Type
		vec  int
		want string
	}{
		{ir.I8, 1, "i8"}, {ir.I8, 2, "i16"}, {ir.I8, 4, "i32"}, {ir.I8, 8, "<2 x i32>"}, {ir.F16, 1, "i16"},
		{ir.F16, 8, "<4 x i32>"}, {ir.F32, 1, "i32"}, {ir.F32, 4, "<4 x i32>"}, {ir.F64, 1, "i64"},
		{ir.F64, 2, "<2 x i64>"},
	} {
		if got := newAccess(test.elem, test.vec).llvmType(); got != test.want {
			t.Errorf("%d of %v: %s, not %s", test.vec, test.elem, got, test.want)
		}
	}
}

// TestNearestCopies: where blocks of a cluster hold the same partial results, each reads those of its own
// side.
func TestNearestCopies(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0], " +
		"CGALayout = [[1], [0]]}>"
	body := "tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {\n" + offsetsText("o", []int{64}, enc) +
		accessText("x", "o", "v", []int{64}, "f32", enc, false) +
		fmt.Sprintf(`%%s = "tt.reduce"(%%v) <{axis = 0 : i32}> ({
^bb0(%%a: f32, %%b: f32):
  %%c = arith.addf %%a, %%b : f32
  tt.reduce.return %%c : f32
}) : (tensor<64xf32, %s>) -> f32
tt.store %%y, %%s : !tt.ptr<f32>
tt.return
}
`, enc)
	text := moduleText(1, body)
	onCluster(t, text, launch{"k", [3]int{1, 1, 1}, []any{ints(ir.F32, 64, 9), floats(ir.F32, 1)}}, 1, 4)
	text = strings.Replace(text, `"ttg.num-ctas" = 1`, `"ttg.num-ctas" = 4`, 1)
	m := parseIR(t, "test.ttgir", []byte(strings.Replace(text, "cuda:80", "cuda:90", 1)))
	k, _ := compile(t, m, "k", 90)
	half := regexp.MustCompile(`(%v\d+) = and i32 %v\d+, 2\n(?:.*\n)*?.*mapa\S* .*i32 (%v\d+)\)`)
	side := half.FindSubmatch(k.IR)
	if side == nil || string(side[1]) != string(side[2]) {
		t.Errorf("blocks do not read what their own side has:\n%s", k.IR)
	}
}
