package lower

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// Kernels with layouts chosen at random: any linear layout that the dialect has, with copies.

// randomLinear is the text of a linear layout for a shape.
func randomLinear(r *rand.Rand, shape []int, warps int) string {
	return randomLinearOn(r, shape, 32, warps)
}

func randomLinearOn(r *rand.Rand, shape []int, lanes, warps int) string {
	var vectors []int // flat, over the bits of all dimensions
	n := 0
	for _, d := range shape {
		n += log2(d)
	}
	for i := range n {
		vectors = append(vectors, 1<<i)
	}
	r.Shuffle(len(vectors), func(i, j int) { vectors[i], vectors[j] = vectors[j], vectors[i] })
	copies := 0
	if len(vectors) > 3 {
		copies = r.IntN(3)
	}
	take := func(k int) [][]int {
		var out [][]int
		for range k {
			v := 0
			if copies > 0 && r.IntN(4) == 0 {
				copies--
			} else if len(vectors) > 0 {
				v, vectors = vectors[0], vectors[1:]
			}
			out = append(out, coordsAt(v, shape))
		}
		return out
	}
	lane, warp := take(log2(lanes)), take(log2(warps))
	copies = 0
	if r.IntN(3) == 0 && len(vectors) > 0 {
		vectors = append(vectors, 0) // a copy among registers
		r.Shuffle(len(vectors), func(i, j int) { vectors[i], vectors[j] = vectors[j], vectors[i] })
	}
	reg := take(len(vectors))
	return fmt.Sprintf("#ttg.linear<{register = %s, lane = %s, warp = %s, block = []}>", rows(reg),
		rows(lane), rows(warp))
}

func rows(v [][]int) string { return strings.ReplaceAll(fmt.Sprint(v), " ", ", ") }

func shapeText(shape []int, elem string) string {
	var b strings.Builder
	for _, d := range shape {
		fmt.Fprintf(&b, "%dx", d)
	}
	return b.String() + elem
}

// offsetsText are operations that compute the row-major number of each element of a tensor in a layout, as
// %name.
func offsetsText(name string, shape []int, enc string) string {
	var b strings.Builder
	if len(shape) == 1 {
		fmt.Fprintf(&b, "%%%s = tt.make_range {start = 0 : i32, end = %d : i32} : tensor<%dxi32, %s>\n", name,
			shape[0], shape[0], enc)
		return b.String()
	}
	full := fmt.Sprintf("tensor<%s, %s>", shapeText(shape, "i32"), enc)
	acc := ""
	for d, n := range shape {
		cur, layout := []int{n}, enc
		for k := len(shape) - 1; k >= 0; k-- { // from the outermost slice in
			if k != d {
				layout = fmt.Sprintf("#ttg.slice<{dim = %d, parent = %s}>", k, layout)
			}
		}
		v := fmt.Sprintf("%s_%d", name, d)
		t := fmt.Sprintf("tensor<%s, %s>", shapeText(cur, "i32"), layout)
		fmt.Fprintf(&b, "%%%s = tt.make_range {start = 0 : i32, end = %d : i32} : %s\n", v, n, t)
		for k := range shape { // put the dimensions back, the innermost slice first
			if k == d {
				continue
			}
			layout = layout[strings.Index(layout, "parent = ")+9 : len(layout)-2]
			cur = append(append(append([]int{}, cur[:k]...), 1), cur[k:]...)
			next := fmt.Sprintf("tensor<%s, %s>", shapeText(cur, "i32"), layout)
			fmt.Fprintf(&b, "%%%s_e%d = tt.expand_dims %%%s {axis = %d : i32} : %s -> %s\n", v, k,
				v, k, t, next)
			v, t = fmt.Sprintf("%s_e%d", v, k), next
		}
		fmt.Fprintf(&b, "%%%s_b = tt.broadcast %%%s : %s -> %s\n", v, v, t, full)
		stride := 1
		for _, m := range shape[d+1:] {
			stride *= m
		}
		fmt.Fprintf(&b, "%%%s_c = arith.constant dense<%d> : %s\n%%%s_m = arith.muli %%%s_b, %%%s_c : %s\n",
			v, stride, full, v, v, v, full)
		if acc == "" {
			acc = v + "_m"
		} else {
			out := fmt.Sprintf("%s_s%d", name, d)
			if d == len(shape)-1 {
				out = name
			}
			fmt.Fprintf(&b, "%%%s = arith.addi %%%s, %%%s_m : %s\n", out, acc, v, full)
			acc = out
		}
	}
	return b.String()
}

// accessText loads from, or stores to, a pointer argument at offsets.
func accessText(ptr, off, val string, shape []int, elem, enc string, isStore bool) string {
	pt := fmt.Sprintf("tensor<%s, %s>", shapeText(shape, "!tt.ptr<"+elem+">"), enc)
	s := fmt.Sprintf("%%%s_p = tt.splat %%%s : !tt.ptr<%s> -> %s\n%%%s_q = tt.addptr %%%s_p, %%%s : %s, "+
		"tensor<%s, %s>\n",
		val, ptr, elem, pt, val, val, off, pt, shapeText(shape, "i32"), enc)
	if isStore {
		return s + fmt.Sprintf("tt.store %%%s_q, %%%s : %s\n", val, val, pt)
	}
	return s + fmt.Sprintf("%%%s = tt.load %%%s_q : %s\n", val, val, pt)
}

func moduleText(warps int, body string) string {
	return fmt.Sprintf("module attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = %d : i32, "+
		"ttg.target = \"cuda:80\", \"ttg.threads-per-warp\" = 32 : i32} {\n%s}\n",
		warps, body)
}

// runBoth runs a module on the interpreter and, compiled, on the simulator.
func runBoth(t *testing.T, text string, l launch, scale float64) {
	t.Helper()
	runBothOn(t, 80, text, l, scale)
}

// runBothOn is runBoth for a compute capability; it returns the PTX.
func runBothOn(t *testing.T, capability int, text string, l launch, scale float64) []byte {
	t.Helper()
	want, got := l.memory(3)
	onInterp(t, parseIR(t, "test.ttgir", []byte(text)), l, want)
	k, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), l.kernel, capability)
	onSim(t, ptx, k.Shared, l, got, true)
	sameMemory(t, l, want, got, scale)
	if t.Failed() && testing.Verbose() {
		t.Log(text)
	}
	return ptx
}

var testShapes = [][]int{{1}, {2}, {16}, {128}, {512}, {4, 8}, {16, 32}, {32, 16}, {64, 8}, {1, 64},
	{2, 2, 2}, {4, 8, 16}}
var testTypes = []struct {
	name string
	elem ir.Type
}{{"f32", ir.F32}, {"f16", ir.F16}, {"i8", ir.I8}, {"i64", ir.I64}, {"bf16", ir.BF16}, {"i16", ir.I16},
	{"f64", ir.F64}, {"i32", ir.I32}}

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// layoutKernel is a kernel whose layouts a seed decides; enc makes them.
type layoutKernel func(seed int, enc encodings) (text string, l launch, scale float64)

// encodings makes the text of a layout for a shape.
type encodings func(r *rand.Rand, shape []int, warps int) string

// anyLayout runs a kernel with many layouts, every other one at each commit.
func anyLayout(t *testing.T, seeds int, k layoutKernel) {
	chosen := txtest.Sample(t, 2)
	for seed := range seeds {
		if !chosen(seed) {
			continue
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			text, l, scale := k(seed, randomLinear)
			runBoth(t, text, l, scale)
		})
	}
}

func TestConvertAnyLayout(t *testing.T) { anyLayout(t, 48, convertKernel) }
func TestReduceAnyLayout(t *testing.T)  { anyLayout(t, 48, reduceKernel) }
func TestScanAnyLayout(t *testing.T)    { anyLayout(t, 64, scanKernel) }

func convertKernel(seed int, enc encodings) (string, launch, float64) {
	r := rand.New(rand.NewPCG(uint64(seed), 5))
	shape, typ, warps := testShapes[r.IntN(len(testShapes))], testTypes[seed%len(testTypes)], 1<<r.IntN(4)
	a, b := enc(r, shape, warps), enc(r, shape, warps)
	ty := func(enc string) string { return fmt.Sprintf("tensor<%s, %s>", shapeText(shape, typ.name), enc) }
	body := fmt.Sprintf("tt.func public @k(%%x: !tt.ptr<%s>, %%y: !tt.ptr<%s>) {\n", typ.name, typ.name) +
		offsetsText("o", shape, a) + accessText("x", "o", "v", shape, typ.name, a, false) +
		fmt.Sprintf("%%w = ttg.convert_layout %%v : %s -> %s\n", ty(a), ty(b)) +
		offsetsText("n", shape, b) + accessText("y", "n", "w", shape, typ.name, b, true) + "tt.return\n}\n"
	n := size(shape)
	return moduleText(warps, body), launch{"k", [3]int{1, 1, 1},
		[]any{ints(typ.elem, n, 100), ints(typ.elem, n, 100)}}, 0
}

// combineText is a region that combines values: a sum, or the larger of pairs with their numbers.
func combineText(kind, elem string) string {
	if kind == "sum" {
		op := "arith.addi"
		if strings.Contains(elem, "f") {
			op = "arith.addf"
		}
		return fmt.Sprintf("({\n^bb0(%%a: %s, %%b: %s):\n%%c = %s %%a, %%b : %s\ntt.RETURN %%c : %s\n})",
			elem, elem, op, elem, elem)
	}
	cmp := "arith.cmpi sgt"
	if strings.Contains(elem, "f") {
		cmp = "arith.cmpf ogt"
	}
	return fmt.Sprintf(`({
^bb0(%%a: %[1]s, %%i: i32, %%b: %[1]s, %%j: i32):
%%g = %[2]s, %%a, %%b : %[1]s
%%c = arith.select %%g, %%a, %%b : %[1]s
%%d = arith.select %%g, %%i, %%j : i32
tt.RETURN %%c, %%d : %[1]s, i32
})`, elem, cmp)
}

func reduceKernel(seed int, encs encodings) (string, launch, float64) {
	r := rand.New(rand.NewPCG(uint64(seed), 6))
	shape, typ, warps := testShapes[r.IntN(len(testShapes))], testTypes[seed%len(testTypes)], 1<<r.IntN(4)
	axis := r.IntN(len(shape))
	enc := encs(r, shape, warps)
	rest := dropAxis(shape, axis)
	slice := fmt.Sprintf("#ttg.slice<{dim = %d, parent = %s}>", axis, enc)
	in, out := fmt.Sprintf("tensor<%s, %s>", shapeText(shape, typ.name), enc),
		fmt.Sprintf("tensor<%s, %s>", shapeText(rest, typ.name), slice)
	if len(rest) == 0 {
		out = typ.name
	}
	body := fmt.Sprintf("tt.func public @k(%%x: !tt.ptr<%s>, %%y: !tt.ptr<%s>) {\n", typ.name, typ.name) +
		offsetsText("o", shape, enc) + accessText("x", "o", "v", shape, typ.name, enc, false) +
		fmt.Sprintf("%%w = \"tt.reduce\"(%%v) <{axis = %d : i32}> %s : (%s) -> %s\n", axis,
			strings.ReplaceAll(combineText("sum", typ.name), "tt.RETURN", "tt.reduce.return"), in, out)
	switch {
	case len(rest) == 0:
		body += fmt.Sprintf("tt.store %%y, %%w : !tt.ptr<%s>\n", typ.name)
	case seed%3 == 0: // the only use is a conversion
		other := encs(r, rest, warps)
		body += fmt.Sprintf("%%u = ttg.convert_layout %%w : %s -> tensor<%s, %s>\n", out,
			shapeText(rest, typ.name), other) +
			offsetsText("n", rest, other) + accessText("y", "n", "u", rest, typ.name, other, true)
	default:
		body += offsetsText("n", rest, slice) + accessText("y", "n", "w", rest, typ.name, slice, true)
	}
	return moduleText(warps, body+"tt.return\n}\n"),
		launch{"k", [3]int{1, 1, 1}, []any{ints(typ.elem, size(shape), 4), ints(typ.elem, size(rest), 2)}}, 4
}

func scanKernel(seed int, encs encodings) (string, launch, float64) {
	r := rand.New(rand.NewPCG(uint64(seed), 7))
	shape, typ, warps := testShapes[r.IntN(len(testShapes))], testTypes[seed%len(testTypes)], 1<<r.IntN(4)
	axis := r.IntN(len(shape))
	enc := encs(r, shape, warps)
	if seed%4 == 3 && len(shape) > 1 {
		enc = blockedText(shape, warps, r.IntN(2) == 0)
	}
	in := fmt.Sprintf("tensor<%s, %s>", shapeText(shape, typ.name), enc)
	num := fmt.Sprintf("tensor<%s, %s>", shapeText(shape, "i32"), enc)
	region := strings.ReplaceAll(combineText("max", typ.name), "tt.RETURN", "tt.scan.return")
	body := fmt.Sprintf("tt.func public @k(%%x: !tt.ptr<%s>, %%y: !tt.ptr<%s>, %%z: !tt.ptr<i32>) {\n",
		typ.name, typ.name) +
		offsetsText("o", shape, enc) + accessText("x", "o", "v", shape, typ.name, enc, false) +
		fmt.Sprintf("%%w:2 = \"tt.scan\"(%%v, %%o) <{axis = %d : i32, reverse = %v}> %s : (%s, %s) -> "+
			"(%s, %s)\n", axis, seed%3 == 0, region, in, num, in, num) +
		strings.ReplaceAll(accessText("y", "o", "w#0", shape, typ.name, enc, true), "w#0_", "w0_") +
		strings.ReplaceAll(accessText("z", "o", "w#1", shape, "i32", enc, true), "w#1_", "w1_") +
		"tt.return\n}\n"
	n := size(shape)
	return moduleText(warps, body), launch{"k", [3]int{1, 1, 1},
		[]any{ints(typ.elem, n, 100), ints(typ.elem, n, 2), ints(ir.I32, n, 2)}}, 0
}

// blockedText is a plain layout: lanes and warps along one dimension.
func blockedText(shape []int, warps int, last bool) string {
	dim := 0
	order := make([]int, len(shape))
	for i := range order {
		order[i] = i
	}
	if last {
		dim = len(shape) - 1
		for i := range order {
			order[i] = len(shape) - 1 - i
		}
	}
	list := func(v int) string {
		out := make([]string, len(shape))
		for i := range out {
			out[i] = "1"
		}
		out[dim] = fmt.Sprint(v)
		return strings.Join(out, ", ")
	}
	return fmt.Sprintf("#ttg.blocked<{sizePerThread = [%s], threadsPerWarp = [%s], warpsPerCTA = [%s], "+
		"order = %s}>", list(2), list(32), list(warps),
		strings.ReplaceAll(fmt.Sprint(order), " ", ", "))
}

// coordsAt are the coordinates of a tensor's element by its number, the first dimension counting quickest.
func coordsAt(v int, shape []int) []int {
	row := make([]int, len(shape))
	for d, size := range shape {
		row[d] = v & (size - 1)
		v >>= log2(size)
	}
	return row
}

// sameBlocked returns one blocked layout for all shapes of a rank.
func sameBlocked(seed int) encodings {
	return func(_ *rand.Rand, shape []int, warps int) string {
		r := rand.New(rand.NewPCG(uint64(seed), uint64(len(shape))))
		split := func(n int) []int {
			out := make([]int, len(shape))
			for i := range out {
				out[i] = 1
			}
			for ; n > 1; n /= 2 {
				out[r.IntN(len(out))] *= 2
			}
			return out
		}
		return fmt.Sprintf("#ttg.blocked<{sizePerThread = %s, threadsPerWarp = %s, warpsPerCTA = %s, "+
			"order = %s}>",
			list(split(1<<r.IntN(3))), list(split(32)), list(split(warps)), list(r.Perm(len(shape))))
	}
}

func list(v []int) string { return strings.ReplaceAll(fmt.Sprint(v), " ", ", ") }

// TestGatherLayouts gathers in any layouts, and in layouts that keep elements in their warp, where no thread
// waits for another.
func TestGatherLayouts(t *testing.T) {
	anyLayout(t, 32, gatherKernel)
	alone := 0
	for seed := range 64 {
		text, l, scale := gatherKernel(seed, sameBlocked(seed))
		if ptx := runBothOn(t, 80, text, l, scale); !bytes.Contains(ptx, []byte("bar.sync")) {
			alone++
		}
	}
	if alone < 24 {
		t.Errorf("%d of 64 gathers need no barrier, expected at least 24", alone)
	}
}
