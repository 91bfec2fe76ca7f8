package lower

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestConvertInRounds gives tensors other layouts with less shared memory than they have bytes, and with
// what a buffer leaves.
func TestConvertInRounds(t *testing.T) {
	blocked := func(per, threads, warps, order string) string {
		return fmt.Sprintf("#ttg.blocked<{sizePerThread = [%s], threadsPerWarp = [%s], warpsPerCTA = "+
			"[%s], order = [%s]}>", per, threads, warps, order)
	}
	mma := "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>"
	rowWise, columnWise := blocked("1, 4", "2, 16", "4, 1", "1, 0"), blocked("1, 1", "32, 1", "1, 4", "0, 1")
	for _, c := range []struct {
		name     string
		from, to string
		elem     ir.Type
		buffer   bool // there is a buffer of the tensor's size, not needed any more
		shared   int  // bytes in all
		barriers int
	}{
		{"rows to columns", rowWise, columnWise, ir.F32, false, 32 << 10, 1}, // no register bits in common
		{"products to rows", mma, rowWise, ir.F32, false, 8 << 10, 7},
		{"rows to products", rowWise, mma, ir.F16, false, 8 << 10, 3},
		{"where a buffer was", mma, rowWise, ir.F32, true, 32 << 10, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			shape, elem := []int{128, 64}, fmt.Sprint(c.elem)
			tensor := func(enc string) string {
				return fmt.Sprintf("tensor<%s, %s>", shapeText(shape, elem), enc)
			}
			body := fmt.Sprintf("tt.func public @k(%%x: !tt.ptr<%s>, %%y: !tt.ptr<%s>) {\n", elem, elem) +
				offsetsText("o", shape, c.from) + accessText("x", "o", "v", shape, elem, c.from, false)
			value := "v"
			if c.buffer {
				mem := fmt.Sprintf("!ttg.memdesc<%s, #ttg.swizzled_shared<{vec = 1, perPhase = 1, "+
					"maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory>", shapeText(shape, elem))
				body += fmt.Sprintf("%%m = ttg.local_alloc %%v : (%s) -> %s\n%%d = ttg.local_load %%m : "+
					"%s -> %s\n", tensor(c.from), mem, mem, tensor(c.from))
				value = "d"
			}
			body += fmt.Sprintf("%%w = ttg.convert_layout %%%s : %s -> %s\n", value, tensor(c.from),
				tensor(c.to)) +
				offsetsText("n", shape, c.to) + accessText("y", "n", "w", shape, elem, c.to, true) +
				"tt.return\n}\n"
			text := moduleText(4, body)
			n := size(shape)
			runBoth(t, text, launch{"k", [3]int{1, 1, 1}, []any{floats(c.elem, n), floats(c.elem, n)}}, 0)
			k, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 80)
			if got := bytes.Count(ptx, []byte("bar.sync")); k.Shared != c.shared || got != c.barriers {
				t.Errorf("%d bytes of shared memory and %d barriers, not %d and %d", k.Shared, got, c.shared,
					c.barriers)
			}
		})
	}
}

// TestConvertByMatrices: where one side has rows of 16 bytes in its registers and the other in parts, as
// products have them, matrices are moved at once.
func TestConvertByMatrices(t *testing.T) {
	blocked := func(per, threads, warps, order string) string {
		return fmt.Sprintf("#ttg.blocked<{sizePerThread = [%s], threadsPerWarp = [%s], warpsPerCTA = "+
			"[%s], order = [%s]}>", per, threads, warps, order)
	}
	mma := func(version int, warps, instr string) string {
		return fmt.Sprintf("#ttg.nvidia_mma<{versionMajor = %d, versionMinor = 0, warpsPerCTA = [%s], "+
			"instrShape = [%s]}>", version, warps, instr)
	}
	rows, columns := blocked("1, 8", "4, 8", "4, 1", "1, 0"), blocked("8, 1", "8, 4", "1, 4", "0, 1")
	const store, load = "stmatrix.sync.aligned.m8n8.x4.", "ldmatrix.sync.aligned.m8n8.x4."
	narrow := blocked("1, 1", "16, 2", "1, 4", "0, 1")
	// A matrix takes the first register bit of spread, which whole has too: it tells no rounds apart.
	spread := blocked("1, 8", "8, 4", "4, 1", "1, 0")
	const whole = "#ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 32], [1, 0], [2, 0], [4, 0]], " +
		"lane = [[0, 8], [0, 16], [0, 0], [0, 0], [0, 0]], warp = [[8, 0], [16, 0]], block = []}>"
	for _, c := range []struct {
		name, from, to string
		height         int
		elem           ir.Type
		want           string
	}{
		{"group to rows", mma(3, "4, 1", "16, 64, 16"), rows, 128, ir.F16, store + "shared"},
		{"group to columns", mma(3, "4, 1", "16, 64, 16"), columns, 128, ir.BF16, store + "trans.shared"},
		{"product to rows", mma(2, "2, 2", "16, 8"), rows, 128, ir.BF16, store + "shared"},
		{"rows to product", rows, mma(2, "2, 2", "16, 8"), 128, ir.F16, load + "shared"},
		{"columns to product", columns, mma(2, "4, 1", "16, 8"), 128, ir.I16, load + "trans.shared"},
		{"wide", mma(3, "4, 1", "16, 64, 16"), rows, 128, ir.F32, ""},
		{"words to columns", rows, narrow, 16, ir.F32, store + "shared"},
		{"words from columns", narrow, rows, 16, ir.F32, load + "shared"},
		{"another register", rows, narrow, 32, ir.BF16, store + "shared"},
		{"to another register", narrow, rows, 32, ir.BF16, load + "shared"},
		{"a register of both", spread, whole, 32, ir.F16, "stmatrix.sync.aligned.m8n8.x1.trans"},
		{"from a register of both", whole, spread, 32, ir.F16, "ldmatrix.sync.aligned.m8n8.x1.trans"},
	} {
		t.Run(c.name, func(t *testing.T) {
			shape, elem := []int{c.height, 64}, fmt.Sprint(c.elem)
			tensor := func(enc string) string {
				return fmt.Sprintf("tensor<%s, %s>", shapeText(shape, elem), enc)
			}
			body := fmt.Sprintf("tt.func public @k(%%x: !tt.ptr<%s>, %%y: !tt.ptr<%s>) {\n", elem, elem) +
				offsetsText("o", shape, c.from) + accessText("x", "o", "v", shape, elem, c.from, false) +
				fmt.Sprintf("%%w = ttg.convert_layout %%v : %s -> %s\n", tensor(c.from), tensor(c.to)) +
				offsetsText("n", shape, c.to) + accessText("y", "n", "w", shape, elem, c.to, true) +
				"tt.return\n}\n"
			n := size(shape)
			l := launch{"k", [3]int{1, 1, 1}, []any{ints(c.elem, n, 1000), ints(c.elem, n, 1000)}}
			ptx := runBothOn(t, 90, moduleText(4, body), l, 0)
			if c.want == "" && bytes.Contains(ptx, []byte("matrix.")) ||
				!bytes.Contains(ptx, []byte(c.want)) {
				t.Errorf("expected %q in\n%s", c.want, clip(ptx))
			}
		})
	}
}

// TestConvertOnHopper changes layouts chosen at random of 16 and 32 bits, some of which move matrices.
func TestConvertOnHopper(t *testing.T) {
	for i := range 24 { // f32 and f16 in turn
		text, l, scale := convertKernel(len(testTypes)*(i/2)+i%2, randomLinear)
		runBothOn(t, 90, text, l, scale)
	}
}

// neighbours makes pairs of layouts that differ by one or two exchanges among registers and lanes:
// conversions that stay within warps.
func neighbours(seed uint64) encodings {
	var vectors [][]int
	return func(r *rand.Rand, shape []int, warps int) string {
		if vectors != nil {
			own := rand.New(rand.NewPCG(seed, 8))
			for range 1 + own.IntN(2) {
				i, j := own.IntN(5), own.IntN(5)
				if own.IntN(4) > 0 {
					j = 5 + own.IntN(len(vectors)-5-log2(warps))
				}
				vectors[i], vectors[j] = vectors[j], vectors[i]
			}
		} else {
			for v := 1; v < size(shape); v *= 2 {
				vectors = append(vectors, coordsAt(v, shape))
			}
			for len(vectors) < 6+log2(warps) || r.IntN(3) == 0 {
				vectors = append(vectors, coordsAt(0, shape))
			}
			r.Shuffle(len(vectors), func(i, j int) { vectors[i], vectors[j] = vectors[j], vectors[i] })
		}
		n := len(vectors) - log2(warps)
		return fmt.Sprintf("#ttg.linear<{register = %s, lane = %s, warp = %s, block = []}>",
			rows(vectors[5:n]), rows(vectors[:5]), rows(vectors[n:]))
	}
}

// TestConvertInWarp changes layouts between which bits of registers and of lanes change places. Most of the
// conversions take shuffles and no shared memory.
func TestConvertInWarp(t *testing.T) {
	inWarp, seeds := 0, 64
	for seed := range seeds {
		text, l, scale := convertKernel(seed, neighbours(uint64(seed)))
		ptx := runBothOn(t, 80, text, l, scale)
		if !bytes.Contains(ptx, []byte("st.shared")) && bytes.Contains(ptx, []byte("selp")) {
			inWarp++
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if inWarp < seeds/4 {
		t.Errorf("%d of %d conversions choose registers by lanes", inWarp, seeds)
	}
}

// TestConvertCopies converts a vector of which every warp and eight lanes of each hold copies: all of them
// store, without a condition.
func TestConvertCopies(t *testing.T) {
	const blocked = "#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = " +
		"[4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>}>"
	const mma = "#ttg.slice<{dim = 0, parent = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, " +
		"warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>}>"
	tensor := func(enc string) string { return "tensor<64xf32, " + enc + ">" }
	shape := []int{64}
	body := "tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {\n" + offsetsText("o", shape, blocked) +
		accessText("x", "o", "v", shape, "f32", blocked, false) +
		fmt.Sprintf("%%w = ttg.convert_layout %%v : %s -> %s\n", tensor(blocked), tensor(mma)) +
		offsetsText("n", shape, mma) + accessText("y", "n", "w", shape, "f32", mma, true) + "tt.return\n}\n"
	l := launch{"k", [3]int{1, 1, 1}, []any{ints(ir.F32, 64, 1000), ints(ir.F32, 64, 1000)}}
	ptx := runBothOn(t, 90, moduleText(4, body), l, 0)
	if n := len(regexp.MustCompile(`\bst\.shared`).FindAll(ptx, -1)); n == 0 {
		t.Errorf("nothing is stored to shared memory in\n%s", clip(ptx))
	}
	if m := regexp.MustCompile(`@\S+ st\.shared.*`).Find(ptx); m != nil {
		t.Errorf("%q has a condition", m)
	}
}

// TestConvertForProducts: the sum of a product of warp groups becomes the left operand of the next one
// without shared memory, also where elements have 8 bits and lie in other lanes.
func TestConvertForProducts(t *testing.T) {
	const mma = "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = " +
		"[16, 64, 32]}>"
	to := "#ttg.dot_op<{opIdx = 0, parent = " + mma + ", kWidth = 4}>"
	tensor := func(enc string) string { return "tensor<128x64xi8, " + enc + ">" }
	shape := []int{128, 64}
	body := "tt.func public @k(%x: !tt.ptr<i8>, %y: !tt.ptr<i8>) {\n" + offsetsText("o", shape, mma) +
		accessText("x", "o", "v", shape, "i8", mma, false) +
		fmt.Sprintf("%%w = ttg.convert_layout %%v : %s -> %s\n", tensor(mma), tensor(to)) +
		offsetsText("n", shape, to) + accessText("y", "n", "w", shape, "i8", to, true) + "tt.return\n}\n"
	n := size(shape)
	l := launch{"k", [3]int{1, 1, 1}, []any{ints(ir.I8, n, 100), ints(ir.I8, n, 100)}}
	ptx := runBothOn(t, 90, moduleText(4, body), l, 0)
	if got := bytes.Count(ptx, []byte("shfl.sync")); got != 16 || bytes.Contains(ptx, []byte("bar.sync")) {
		t.Errorf("%d shuffles, not 16, or a barrier in\n%s", got, clip(ptx))
	}
}

// TestConvertByLanes: where a conversion should take no shared memory, the four threads that have a row of a
// product exchange its elements in two steps, until each has 16 bytes in a row.
func TestConvertByLanes(t *testing.T) {
	const mma = "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = " +
		"[16, 64, 16]}>"
	for elem, to := range map[ir.Type]string{
		ir.F16: "register = [[0, 1], [0, 2], [0, 4], [0, 32], [8, 0]], lane = [[0, 8], [0, 16], ",
		ir.F32: "register = [[0, 1], [0, 2], [0, 16], [0, 32], [8, 0]], lane = [[0, 4], [0, 8], ",
	} {
		to = "#ttg.linear<{" + to + "[1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>"
		tensor := func(enc string) string { return fmt.Sprintf("tensor<64x64x%s, %s>", elem, enc) }
		shape, name := []int{64, 64}, fmt.Sprint(elem)
		body := fmt.Sprintf("tt.func public @k(%%x: !tt.ptr<%s>, %%y: !tt.ptr<%s>) {\n", name, name) +
			offsetsText("o", shape, mma) + accessText("x", "o", "v", shape, name, mma, false) +
			fmt.Sprintf("%%w = ttg.convert_layout %%v {nereid.by_lanes} : %s -> %s\n", tensor(mma),
				tensor(to)) + offsetsText("n", shape, to) +
			accessText("y", "n", "w", shape, name, to, true) + "tt.return\n}\n"
		n := size(shape)
		l := launch{"k", [3]int{1, 1, 1}, []any{floats(elem, n), floats(elem, n)}}
		ptx := runBothOn(t, 90, moduleText(4, body), l, 0)
		if !bytes.Contains(ptx, []byte("shfl.sync")) || bytes.Contains(ptx, []byte("st.shared")) {
			t.Errorf("%s: no shuffles, or shared memory in\n%s", name, clip(ptx))
		}
	}
}

// TestConvertInWarps: threads of a warp that exchange elements among themselves wait for no other warp,
// once or again in the same memory, and a few values travel by shuffles.
func TestConvertInWarps(t *testing.T) {
	blocked := func(per, threads, warps string) string {
		return fmt.Sprintf("#ttg.blocked<{sizePerThread = [%s], threadsPerWarp = [%s], warpsPerCTA = "+
			"[%s], order = [1, 0]}>", per, threads, warps)
	}
	mma := func(warps string) string {
		return fmt.Sprintf("#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [%s], "+
			"instrShape = [16, 8]}>", warps)
	}
	line := "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>"
	slice := func(dim int) string {
		return fmt.Sprintf("#ttg.slice<{dim = %d, parent = %s}>", dim, mma("1, 1"))
	}
	for _, c := range []struct {
		name             string
		a, b             string
		elem             ir.Type
		shape            []int
		warps            int
		blocks, inWarps  bool // whether the block and warps meet
		shuffles, shared int
	}{
		{"rows of each warp", mma("4, 1"), blocked("2, 8", "8, 4", "4, 1"), ir.F16, []int{64, 64}, 4, false,
			true, 0, 4096},
		{"words", mma("4, 1"), blocked("2, 4", "8, 4", "4, 1"), ir.F32, []int{64, 64}, 4, false,
			true, 0, 8192},
		{"rows of other warps", mma("4, 1"), blocked("1, 8", "4, 8", "4, 1"), ir.F16, []int{64, 64}, 4, true,
			false, 0, 8192},
		{"a single warp", mma("1, 1"), blocked("1, 8", "4, 8", "1, 1"), ir.F16, []int{64, 64}, 1, false,
			true, 0, 2048},
		{"two registers", blocked("1, 2", "16, 2", "4, 1"), blocked("2, 1", "8, 4", "4, 1"), ir.F32,
			[]int{64, 4}, 4, false, false, 4, 0},
		{"copies of four registers", "#ttg.slice<{dim = 1, parent = " + blocked("4, 1", "4, 8", "1, 1") +
			"}>", line, ir.F32, []int{16}, 1, false, false, 8, 0},
		{"copies", slice(0), slice(1), ir.F32, []int{16}, 1, false, false, 8, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			elem := fmt.Sprint(c.elem)
			tensor := func(enc string) string {
				return fmt.Sprintf("tensor<%s, %s>", shapeText(c.shape, elem), enc)
			}
			body := fmt.Sprintf("tt.func public @k(%%x: !tt.ptr<%s>, %%y: !tt.ptr<%s>) {\n", elem, elem) +
				offsetsText("o", c.shape, c.a) + accessText("x", "o", "v", c.shape, elem, c.a, false) +
				fmt.Sprintf("%%u = ttg.convert_layout %%v : %s -> %s\n", tensor(c.a), tensor(c.b)) +
				fmt.Sprintf("%%w = ttg.convert_layout %%u : %s -> %s\n", tensor(c.b), tensor(c.a)) +
				accessText("y", "o", "w", c.shape, elem, c.a, true) + "tt.return\n}\n"
			n, text := size(c.shape), moduleText(c.warps, body)
			ptx := runBothOn(t, 90, text, launch{"k", [3]int{1, 1, 1},
				[]any{floats(c.elem, n), floats(c.elem, n)}}, 0)
			k, _ := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 90)
			has := func(s string) bool { return bytes.Contains(ptx, []byte(s)) }
			if has("bar.sync") != c.blocks || has("bar.warp.sync") != c.inWarps {
				t.Errorf("the block meets: %v, warps meet: %v, not %v and %v", has("bar.sync"),
					has("bar.warp.sync"), c.blocks, c.inWarps)
			}
			if got := bytes.Count(ptx, []byte("shfl.sync")); got != c.shuffles || k.Shared != c.shared {
				t.Errorf("%d shuffles and %d bytes of shared memory, not %d and %d", got, k.Shared,
					c.shuffles, c.shared)
			}
		})
	}
}
