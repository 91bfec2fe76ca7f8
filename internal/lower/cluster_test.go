package lower

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/target/nvidia/ptxsim"
)

// clusterLinear makes linear layouts for clusters: of each bit of a block's number, blocks have another
// part of the tensor, or the same.
func clusterLinear(ctas int) encodings {
	return func(r *rand.Rand, shape []int, warps int) string {
		var vectors []int
		n := 0
		for _, d := range shape {
			n += log2(d)
		}
		for i := range n {
			vectors = append(vectors, 1<<i)
		}
		r.Shuffle(len(vectors), func(i, j int) { vectors[i], vectors[j] = vectors[j], vectors[i] })
		take := func(k int, copies float64) [][]int {
			var out [][]int
			for range k {
				v := 0
				if len(vectors) > 0 && r.Float64() >= copies {
					v, vectors = vectors[0], vectors[1:]
				}
				out = append(out, coordsAt(v, shape))
			}
			return out
		}
		block, lane, warp := take(log2(ctas), 0.3), take(5, 0.1), take(log2(warps), 0.2)
		return fmt.Sprintf("#ttg.linear<{register = %s, lane = %s, warp = %s, block = %s}>",
			rows(take(len(vectors), 0)), rows(lane), rows(warp), rows(block))
	}
}

// TestHomes holds what find says against what it is for: after each block has written what it has to its
// own memory, every place reads the element that it wants. The layouts are any linear maps, in which blocks
// have the same in all ways that there are.
func TestHomes(t *testing.T) {
	dims := []layout.Dim{{Name: "dim0", Size: 4}, {Name: "dim1", Size: 8}}
	for seed := range 200 {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		make := func() layout.Layout {
			for {
				var ins []layout.Bases
				for _, in := range []struct {
					name string
					bits int
				}{{layout.Register, 2}, {layout.Lane, 2}, {layout.Warp, 1}, {layout.Block, 3}} {
					b := layout.Bases{Name: in.name}
					for range in.bits {
						b.Vectors = append(b.Vectors, []int{r.IntN(4), r.IntN(8)})
					}
					ins = append(ins, b)
				}
				if ll := layout.Must(layout.New(ins, dims)); ll.IsSurjective() {
					return ll
				}
			}
		}
		from, to := make(), make()
		h := homesOf(from)
		memory := map[[2]int]int{} // by block and offset
		each := func(ll layout.Layout, f func(block int, place, element []int)) {
			for i := range ll.TotalInSize() {
				in := []int{i & 3, i >> 2 & 3, i >> 4 & 1, i >> 5}
				f(in[3], h.find(ll).Apply(in...), ll.Apply(in...))
			}
		}
		each(from, func(block int, place, e []int) {
			if place[1] != block {
				t.Fatalf("seed %d: block %d writes to block %d", seed, block, place[1])
			}
			if old, ok := memory[[2]int{block, place[0]}]; ok && old != flat(e, []int{4, 8}) {
				t.Fatalf("seed %d: offset %d of block %d has two elements", seed, place[0], block)
			}
			memory[[2]int{block, place[0]}] = flat(e, []int{4, 8})
		})
		each(to, func(block int, place, e []int) {
			if got, ok := memory[[2]int{place[1], place[0]}]; !ok || got != flat(e, []int{4, 8}) {
				t.Fatalf("seed %d: offset %d of block %d has not %v", seed, place[0], place[1], e)
			}
		})
	}
}

// onCluster runs a module for programs of several blocks on the simulator, in both orders of turns, and on
// the interpreter.
func onCluster(t *testing.T, text string, l launch, scale float64, ctas int) {
	t.Helper()
	text = strings.Replace(text, `"ttg.num-ctas" = 1`, fmt.Sprintf(`"ttg.num-ctas" = %d`, ctas), 1)
	text = strings.Replace(text, "cuda:80", "cuda:90", 1)
	want, got := l.memory(3)
	onInterp(t, parseIR(t, "test.ttgir", []byte(text)), l, want)
	k, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), l.kernel, 90)
	blocks := l
	blocks.grid[0] *= ctas
	for _, backward := range []bool{false, true} {
		mem := make([][]byte, len(got))
		for i, b := range got {
			mem[i] = slices.Clone(b)
		}
		onSim(t, ptx, k.Shared, blocks, mem, backward)
		sameMemory(t, l, want, mem, scale)
	}
	if t.Failed() && testing.Verbose() {
		t.Log(text)
	}
}

// TestClusterAnyLayout moves, reduces and scans tensors that clusters share in any way.
func TestClusterAnyLayout(t *testing.T) {
	for name, k := range map[string]layoutKernel{"convert": convertKernel, "reduce": reduceKernel,
		"scan": scanKernel, "gather": gatherKernel} {
		for seed := range 24 {
			t.Run(fmt.Sprintf("%s/%d", name, seed), func(t *testing.T) {
				ctas := 2 << (seed % 3)
				text, l, scale := k(seed, clusterLinear(ctas))
				onCluster(t, text, l, scale, ctas)
			})
		}
	}
}

// gatherKernel gathers along an axis.
func gatherKernel(seed int, enc encodings) (string, launch, float64) {
	r := rand.New(rand.NewPCG(uint64(seed), 8))
	shape, typ, warps := testShapes[r.IntN(len(testShapes))], testTypes[seed%len(testTypes)], 1<<r.IntN(3)
	axis := r.IntN(len(shape))
	to := slices.Clone(shape)
	to[axis] = 1 << r.IntN(7)
	a, b := enc(r, shape, warps), enc(r, to, warps)
	ty := func(shape []int, elem, enc string) string {
		return fmt.Sprintf("tensor<%s, %s>", shapeText(shape, elem), enc)
	}
	body := fmt.Sprintf("tt.func public @k(%%x: !tt.ptr<%s>, %%i: !tt.ptr<i32>, %%y: !tt.ptr<%s>) {\n",
		typ.name, typ.name) +
		offsetsText("o", shape, a) + accessText("x", "o", "v", shape, typ.name, a, false) +
		offsetsText("n", to, b) + accessText("i", "n", "j", to, "i32", b, false) +
		fmt.Sprintf("%%w = tt.gather %%v[%%j] {axis = %d : i32} : (%s, %s) -> %s\n", axis,
			ty(shape, typ.name, a), ty(to, "i32", b), ty(to, typ.name, b)) +
		accessText("y", "n", "w", to, typ.name, b, true) + "tt.return\n}\n"
	return moduleText(warps, body), launch{"k", [3]int{1, 1, 1}, []any{ints(typ.elem, size(shape), 100),
		ints(ir.I32, size(to), float64(shape[axis])), ints(typ.elem, size(to), 100)}}, 0
}

// bufferText is a kernel that puts a tensor into a buffer in shared memory and reads it in another layout.
func bufferText(from, mem, to, between string) string {
	return `#a = ` + from + `
#b = ` + to + `
#m = ` + mem + `
#smem = #ttg.shared_memory
` + moduleText(4, `tt.func public @k(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>) {
`+offsetsText("o", []int{32, 64}, "#a")+accessText("x", "o", "v", []int{32, 64}, "f16", "#a", false)+`
%buf = ttg.local_alloc %v : (tensor<32x64xf16, #a>)
  -> !ttg.memdesc<32x64xf16, #m, #smem, mutable> loc("k.py":7:3)
`+between+`
%w = ttg.local_load %buf : !ttg.memdesc<32x64xf16, #m, #smem, mutable> -> tensor<32x64xf16, #b>
`+offsetsText("n", []int{32, 64}, "#b")+accessText("y", "n", "w", []int{32, 64}, "f16", "#b", true)+
		"tt.return\n}\n")
}

const (
	overBlocks = `#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1],
    order = [1, 0], CGALayout = `
	inBlocks = `#ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [1, 0], CGALayout = `

	byRows    = overBlocks + `[[1, 0]]}>`
	byColumns = overBlocks + `[[0, 1]]}>`
	asOne     = overBlocks + `[[0, 0]]}>`
	memRows   = inBlocks + `[[1, 0]]}>`
	memOne    = inBlocks + `[[0, 0]]}>`
	operandA  = `#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{
    versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], CGALayout = [[0, 1]],
    instrShape = [16, 8]}>, kWidth = 2}>`
)

// TestClusterBuffers reads from buffers of which blocks have parts, and writes to them again.
func TestClusterBuffers(t *testing.T) {
	again := "ttg.local_store %v, %buf : tensor<32x64xf16, #a> -> !ttg.memdesc<32x64xf16, #m, #smem, mutable>"
	l := launch{"k", [3]int{1, 1, 1}, []any{ints(ir.F16, 32*64, 100), ints(ir.F16, 32*64, 100)}}
	for _, c := range []struct{ name, from, mem, to string }{
		{"the same", byRows, memRows, byRows}, {"across", byRows, memRows, byColumns},
		{"to all", byRows, memRows, asOne}, {"from one", asOne, memOne, byColumns},
		{"operand", byRows, memRows, operandA}, {"own operand", asOne, memOne, operandA},
	} {
		t.Run(c.name, func(t *testing.T) {
			onCluster(t, bufferText(c.from, c.mem, c.to, ""), l, 0, 2)
			onCluster(t, bufferText(c.from, c.mem, c.to, again), l, 0, 2)
			onCluster(t, bufferText(c.from, c.mem, c.to, "%z = ttg.local_load %buf : "+
				"!ttg.memdesc<32x64xf16, #m, #smem, mutable> -> tensor<32x64xf16, #b>\n"+again), l, 0, 2)
		})
	}
}

// TestClusterRefused: what blocks cannot do together is refused, with its place.
func TestClusterRefused(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"part to all", bufferText(byRows, memOne, byRows, ""),
			"num_ctas=2: a buffer of which blocks hold other parts"},
		{"rows to columns", bufferText(byColumns, memRows, byRows, ""),
			"num_ctas=2: a buffer of which blocks hold other parts"},
		{"scratch", moduleText(4, "tt.func public @k() {\n%p = ttg.global_scratch_alloc {alignment = 16 : "+
			"i32, nbytes = 16 : i32} : !tt.ptr<i8> loc(\"k.py\":7:3)\ntt.return\n}\n"),
			"scratch in global memory"},
	} {
		text := strings.Replace(strings.Replace(c.text, `"ttg.num-ctas" = 1`, `"ttg.num-ctas" = 2`, 1),
			"cuda:80", "cuda:90", 1)
		m := parseIR(t, "test.ttgir", []byte(text))
		_, err := Lower(m, "k", testOptions(m, 90))
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "k.py:7:4: ") {
			t.Errorf("%s: %v, want %q and a place", c.name, err, c.want)
		}
		_, err = Lower(m, "k", testOptions(m, 80))
		if err == nil || !strings.Contains(err.Error(),
			"num_ctas=2: clusters of blocks need compute capability 9.0 or higher, and this is for sm_80") {
			t.Errorf("%s on sm_80: %v", c.name, err)
		}
	}
}

// TestClusterProducts: a block multiplies what its own memory has. A product whose operands are split along k
// over the blocks is refused, whatever its depth; one whose rows are split is not.
func TestClusterProducts(t *testing.T) {
	for _, k := range []int{16, 32, 64, 128} {
		for _, split := range []string{"none", "left", "right", "both"} {
			operand := func(shape, part string) string {
				return mem(shape, "f16", strings.Replace(nvmma(32, false, 16), "}>", ", CGALayout = "+part+"}>",
					1), true)
			}
			left, right := "[[1, 0]]", "[[0, 0]]"
			if split == "left" || split == "both" {
				left = "[[0, 1]]"
			}
			if split == "right" || split == "both" {
				right = "[[1, 0]]"
			}
			a, b := operand(fmt.Sprintf("128x%d", k), left), operand(fmt.Sprintf("%dx64", k), right)
			acc := "tensor<128x64xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = " +
				"[4, 1], CGALayout = [[1, 0]], instrShape = [16, 64, 16]}>>"
			text := moduleText(4, "tt.func public @k() {\n%a = ttg.local_alloc : () -> "+a+
				"\n%b = ttg.local_alloc : () -> "+b+"\n%c = arith.constant dense<0.0> : "+acc+
				"\n%d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32} : "+a+" * "+b+" -> "+acc+
				"\ntt.return\n}\n")
			text = strings.Replace(strings.Replace(text, `"ttg.num-ctas" = 1`, `"ttg.num-ctas" = 2`, 1),
				"cuda:80", "cuda:90", 1)
			m := parseIR(t, "test.ttgir", []byte(text))
			_, err := Lower(m, "k", testOptions(m, 90))
			if (err != nil) != (split != "none") {
				t.Errorf("a depth of %d, split: %s: %v", k, split, err)
			}
		}
	}
}

// TestClusterReadBack: blocks meet before they load what others of the program have stored to global
// memory; a barrier of their own, as the reduction has, is not enough.
func TestClusterReadBack(t *testing.T) {
	shape := []int{32, 64}
	tensor := fmt.Sprintf("tensor<%s, %s>", shapeText(shape, "i32"), byRows)
	text := moduleText(4, "tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {\n"+
		offsetsText("o", shape, byRows)+accessText("x", "o", "v", shape, "i32", byRows, false)+
		fmt.Sprintf("%%v2 = arith.addi %%v, %%v : %s\n", tensor)+accessText("y", "o", "v2", shape, "i32",
		byRows, true)+
		fmt.Sprintf("%%r = \"tt.reduce\"(%%v) <{axis = 1 : i32}> %s : (%s) -> tensor<32xi32, "+
			"#ttg.slice<{dim = 1, parent = %s}>>\n",
			strings.ReplaceAll(combineText("sum", "i32"), "tt.RETURN", "tt.reduce.return"), tensor, byRows)+
		offsetsText("n", shape, byColumns)+accessText("y", "n", "w", shape, "i32", byColumns, false)+
		strings.ReplaceAll(accessText("z", "n", "w", shape, "i32", byColumns, true), "%w_", "%s_")+
		"tt.return\n}\n")
	onCluster(t, text, launch{"k", [3]int{1, 1, 1}, []any{ints(ir.I32, 2048, 100), ints(ir.I32, 2048, 100),
		ints(ir.I32, 2048, 100)}}, 0, 2)
	text = strings.Replace(strings.Replace(text, `"ttg.num-ctas" = 1`, `"ttg.num-ctas" = 2`, 1), "cuda:80",
		"cuda:90", 1)
	_, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 90)
	if n := strings.Count(string(ptx), "barrier.cluster.wait"); n != 1 {
		t.Errorf("%d barriers of the cluster, want 1\n%s", n, clip(ptx))
	}
}

// A layout for more blocks than a program has would leave a part of a tensor to nobody.
func TestClusterTooSmall(t *testing.T) {
	for _, ctas := range []int{1, 2} {
		enc := strings.Replace(byRows, "[[1, 0]]", "[[1, 0], [2, 0]]", 1)
		text := moduleText(4, "tt.func public @k(%x: !tt.ptr<f16>) {\n"+offsetsText("o", []int{32, 64}, enc)+
			accessText("x", "o", "v", []int{32, 64}, "f16", enc, false)+"tt.return\n}\n")
		text = strings.Replace(strings.Replace(text, `"ttg.num-ctas" = 1`,
			fmt.Sprintf(`"ttg.num-ctas" = %d`, ctas), 1), "cuda:80", "cuda:90", 1)
		m := parseIR(t, "test.ttgir", []byte(text))
		want := fmt.Sprintf("a layout for 4 blocks, where a program has %d", ctas)
		if _, err := Lower(m, "k", testOptions(m, 90)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestClusterBarriers: without the barriers of the cluster, or with those of blocks in their place, the
// simulator finds the race, so they are what keeps it away.
func TestClusterBarriers(t *testing.T) {
	text := strings.Replace(strings.Replace(bufferText(byRows, memRows, byColumns, ""), `"ttg.num-ctas" = 1`,
		`"ttg.num-ctas" = 2`, 1), "cuda:80", "cuda:90", 1)
	l := launch{"k", [3]int{2, 1, 1}, []any{ints(ir.F16, 32*64, 100), ints(ir.F16, 32*64, 100)}}
	k, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 90)
	pairs := strings.Count(string(ptx), "barrier.cluster.wait")
	if pairs != 2 {
		t.Fatalf("%d barriers of the cluster, want 2\n%s", pairs, ptx)
	}
	for skip := range pairs {
		var lines []string
		seen := 0
		for _, line := range strings.Split(string(ptx), "\n") {
			if strings.Contains(line, "barrier.cluster") {
				seen++
				if (seen-1)/2 == skip {
					line = "\tbar.sync 0;"
				}
			}
			lines = append(lines, line)
		}
		m, err := ptxsim.Parse([]byte(strings.Join(lines, "\n")))
		if err != nil {
			t.Fatal(err)
		}
		mem, _ := l.memory(3)
		pm := ptxsim.NewMemory()
		args := l.words(mem, func(_ int, data []byte) uint64 { return pm.Alloc(data) })
		if err := m.Run(context.Background(), &ptxsim.Launch{Kernel: "k", Grid: l.grid, Shared: k.Shared,
			Args: args, Memory: pm}); err == nil {
			t.Errorf("nothing is wrong without barrier %d", skip)
		}
	}
}
