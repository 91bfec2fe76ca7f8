package lower

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/mathlib"
)

// wave64 is a second vendor, as small as can be: AMD's CDNA with 64 lanes. It shows that the algorithms work
// through Vendor alone. The methods that these tests do not need are those of a nil Vendor and would crash.
type wave64 struct{ Vendor }

func (wave64) lanes() int                   { return 64 }
func (wave64) banks() int                   { return 32 }
func (wave64) checkCluster(int) error       { return nil }
func (wave64) bufferAlign(ttg.MemDesc) int  { return bufferAlign }
func (wave64) header() string               { return "target triple = \"amdgcn-amd-amdhsa\"\n" }
func (wave64) kernelHead() string           { return "define amdgpu_kernel void" }
func (wave64) mathTarget() mathlib.Target   { return mathlib.Target{} }
func (wave64) ops() map[*ir.OpDef]fact      { return nil }
func (wave64) rowFinder() rowFinder         { return nil }
func (wave64) smallPairs(_, _ ir.Type) bool { return false }
func (wave64) dot(*lowering, *ir.Op) bool   { return false }
func (wave64) threadID(l *lowering) string  { return l.call("i32", "llvm.amdgcn.workitem.id.x") }

func (wave64) limits(g *program) string {
	return fmt.Sprintf("\"amdgpu-flat-work-group-size\"=\"%d,%[1]d\"", g.threads())
}

func (wave64) programID(l *lowering, axis int) string {
	return l.call("i32", "llvm.amdgcn.workgroup.id."+[]string{"x", "y", "z"}[axis])
}

func (w wave64) meetIf(l *lowering, pred string) { w.meet(l, theBlock) }

func (wave64) meet(l *lowering, who level) {
	if who == theWarp {
		l.call("void", "llvm.amdgcn.wave.barrier")
		return
	}
	l.do("fence syncscope(\"workgroup\") release")
	l.call("void", "llvm.amdgcn.s.barrier")
	l.do("fence syncscope(\"workgroup\") acquire")
}

func (v wave64) shuffleXor(l *lowering, word string, bits int) string {
	return v.shuffleIdx(l, word, l.xor(l.ids.lane, itoa(bits)))
}

func (wave64) halves(l *lowering, a, b, swap string) (lo, hi string) {
	return plainHalves(l, a, b, swap)
}

func (wave64) shuffleIdx(l *lowering, word, lane string) string {
	return l.call("i32", "llvm.amdgcn.ds.bpermute", "i32 "+l.mul(lane, 4), "i32 "+word)
}

func (wave64) reduceWarp(*lowering, *ir.OpDef, string) (string, bool) { return "", false }

func (wave64) approximate(*lowering, string, ...string) (string, bool) { return "", false }

func (wave64) loadMatrices(*lowering, smem, layout.Layout) ([]string, bool) { return nil, false }

// memoryType is the LLVM type of an access and of a pointer to it.
func (wave64) memoryType(a access, m memory) (typ, ptr string) {
	typ = fmt.Sprintf("i%d", a.wordBits)
	if a.words > 1 {
		typ = fmt.Sprintf("<%d x %s>", a.words, typ)
	}
	return typ, map[space]string{inGlobal: "ptr addrspace(1)", inShared: "ptr addrspace(3)"}[m.space]
}

// loadWords branches around a load whose condition is false.
func (v wave64) loadWords(l *lowering, a access, m memory, ptr, pred string, other []string) []string {
	typ, ptrType := v.memoryType(a, m)
	from, got := l.writer.block, ""
	l.when(pred, func() {
		got = l.val("load %s, %s %s, align %d", typ, ptrType, ptr, a.bits*a.vec/8)
	})
	if pred != "" {
		ph := l.phi(typ)
		ph.from(map[bool]string{true: "0", false: "zeroinitializer"}[a.words == 1], from)
		ph.from(got, l.lastWhen)
		l.patch(ph)
		got = ph.name
	}
	words := make([]string, a.words)
	for i := range words {
		words[i] = got
		if a.words > 1 {
			words[i] = l.val("extractelement %s %s, i32 %d", typ, got, i)
		}
		if a.wordBits < 16 {
			words[i] = l.val("zext i%d %s to i16", a.wordBits, words[i])
		}
		if pred != "" && other != nil {
			words[i] = l.val("select i1 %s, %s %s, %[2]s %s", pred, a.wordType(), words[i], other[i])
		}
	}
	return words
}

func (v wave64) storeWords(l *lowering, a access, m memory, words []string, ptr, pred string) {
	typ, ptrType := v.memoryType(a, m)
	val := words[0]
	switch {
	case a.words > 1:
		val = "poison"
		for i, w := range words {
			val = l.val("insertelement %s %s, i%d %s, i32 %d", typ, val, a.wordBits, w, i)
		}
	case a.wordBits < 16:
		val = l.val("trunc i16 %s to %s", val, typ)
	}
	l.when(pred, func() { l.do("store %s %s, %s %s, align %d", typ, val, ptrType, ptr, a.bits*a.vec/8) })
}

// onWave64 lowers a kernel for the second vendor and has LLVM verify the IR and make assembly of it.
func onWave64(t *testing.T, text []byte, kernel string) (*Kernel, string) {
	t.Helper()
	lib, err := llvm.Load()
	if err != nil {
		t.Skip(err)
	}
	target, err := lib.AMDGPU("gfx942")
	if err != nil {
		t.Skip(err)
	}
	m := parseIR(t, kernel+".ttgir", text)
	opts := testOptions(m, 0)
	opts.Vendor = wave64{}
	k, err := Lower(m, kernel, opts)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(k.IR, []byte("nvvm")) || bytes.Contains(k.IR, []byte(" asm ")) {
		t.Errorf("NVIDIA's code:\n%s", clip(k.IR))
	}
	out, err := lib.Compile(context.Background(), k.IR, llvm.Options{Target: target, Emit: llvm.EmitAsm})
	if err != nil {
		t.Fatalf("%v\n%s", err, clip(k.IR))
	}
	return k, string(out.Asm)
}

// has fails unless assembly contains all words.
func has(t *testing.T, asm string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(asm, w) {
			t.Errorf("no %s in\n%s", w, clip([]byte(asm)))
		}
	}
}

// TestWave64Goldens lowers Triton's own TTGIR for gfx942: vector add, and reductions over lanes and warps. Goldens
// with atomics, or with operations or layouts of AMD's alone, are left out.
func TestWave64Goldens(t *testing.T) {
	ran := map[string]bool{}
	for _, name := range goldenNames(t, "hip-gfx942") {
		text := goldenFile(t, "hip-gfx942", name, "ttgir")
		if slices.ContainsFunc([]string{"amdg.", "ttg.amd_", "tt.atomic"}, func(w string) bool { return bytes.Contains(text, []byte(w)) }) {
			continue
		}
		ran[name] = true
		t.Run(name, func(t *testing.T) {
			_, asm := onWave64(t, text, goldenLaunches[name].kernel)
			has(t, asm, "global_load_", "global_store_", ".amdhsa_kernel")
			if bytes.Contains(text, []byte("tt.reduce")) {
				has(t, asm, "ds_bpermute_b32", "s_barrier", "ds_write", "ds_read")
			}
		})
	}
	for _, name := range []string{"add_f32", "row_sum_f32", "layer_norm_f16", "cross_entropy_bf16"} {
		if !ran[name] {
			t.Errorf("%s did not run: only %v", name, ran)
		}
	}
}

// TestWave64Reduce: a warp of 64 lanes takes six shuffles, and a block of four such warps leaves four partial
// sums.
func TestWave64Reduce(t *testing.T) {
	text := `tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
` + offsetsText("o", []int{1024}, wideRow) + accessText("x", "o", "v", []int{1024}, "f32", wideRow, false) + `
%s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
^bb0(%a: f32, %b: f32):
  %c = arith.addf %a, %b : f32
  tt.reduce.return %c : f32
}) : (tensor<1024xf32, ` + wideRow + `>) -> f32
tt.store %y, %s : !tt.ptr<f32>
tt.return
}
`
	k, asm := onWave64(t, []byte(withLanes(moduleText(4, text), 64)), "k")
	has(t, asm, "global_load_dwordx4", "s_barrier")
	if n := bytes.Count(k.IR, []byte("call i32 @llvm.amdgcn.ds.bpermute")); n != 6 || k.Shared != 4*4 {
		t.Errorf("%d shuffles and %d bytes of shared memory, not 6 and 16", n, k.Shared)
	}
}

const wideRow = "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>"

// TestWave64Convert changes layouts of 64 lanes: by shuffles and through shared memory.
func TestWave64Convert(t *testing.T) {
	blocked := func(per, threads, warps, order string) string {
		return fmt.Sprintf("#ttg.blocked<{sizePerThread = [%s], threadsPerWarp = [%s], warpsPerCTA = [%s], order = [%s]}>",
			per, threads, warps, order)
	}
	convert := func(from, to string, shape []int) []byte {
		return []byte(withLanes(moduleText(4, conversionText(from, to, shape, "f32")), 64))
	}
	rows, columns := blocked("1, 4", "8, 8", "4, 1", "1, 0"), blocked("4, 1", "8, 8", "1, 4", "0, 1")
	k, asm := onWave64(t, convert(rows, columns, []int{64, 64}), "k")
	has(t, asm, "s_barrier", "ds_write_b", "ds_read")
	if k.Shared != 64*64*4 {
		t.Errorf("%d bytes of shared memory", k.Shared)
	}
	rows, columns = blocked("1, 1", "4, 16", "4, 1", "1, 0"), blocked("1, 1", "4, 16", "4, 1", "0, 1")
	k, asm = onWave64(t, convert(rows, columns, []int{16, 16}), "k")
	has(t, asm, "ds_bpermute_b32")
	if k.Shared != 0 {
		t.Errorf("%d bytes of shared memory", k.Shared)
	}
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 64))
		shape := []int{16 << r.IntN(3), 32 << r.IntN(2)}
		onWave64(t, convert(randomLinearOn(r, shape, 64, 4), randomLinearOn(r, shape, 64, 4), shape), "k")
	}
}

// conversionText is a kernel that loads in one layout and stores in another.
func conversionText(from, to string, shape []int, elem string) string {
	tensor := func(enc string) string { return fmt.Sprintf("tensor<%s, %s>", shapeText(shape, elem), enc) }
	return fmt.Sprintf("tt.func public @k(%%x: !tt.ptr<%s>, %%y: !tt.ptr<%[1]s>) {\n", elem) +
		offsetsText("o", shape, from) + accessText("x", "o", "v", shape, elem, from, false) +
		fmt.Sprintf("%%w = ttg.convert_layout %%v : %s -> %s\n", tensor(from), tensor(to)) +
		offsetsText("n", shape, to) + accessText("y", "n", "w", shape, elem, to, true) + "tt.return\n}\n"
}
