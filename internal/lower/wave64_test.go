package lower

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// onWave64 lowers a kernel for AMD's CDNA, of 64 lanes, and has LLVM verify the IR and make assembly of it.
func onWave64(t *testing.T, text []byte, kernel string) (*Kernel, string) {
	t.Helper()
	lib := txtest.LLVM(t, llvm.Load)
	target, err := lib.AMDGPU("gfx942")
	txtest.Need(t, "llvm", err)
	m := parseIR(t, kernel+".ttgir", text)
	opts := testOptions(m, 0)
	opts.Vendor = AMD(chip.Of("hip", "gfx942"), AMDOptions{})
	k, err := Lower(m, kernel, opts)
	if err != nil {
		t.Fatal(err)
	}
	ir := bytes.ReplaceAll(k.IR, []byte(` asm sideeffect "", "~{memory}"`), nil) // a barrier of the compiler
	if bytes.Contains(ir, []byte("nvvm")) || bytes.Contains(ir, []byte(" asm ")) {
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

// TestWave64Goldens lowers Triton's own TTGIR for gfx942: vector add, reductions over lanes and warps, and
// atomics. Goldens with operations of AMD's dialect are left out.
func TestWave64Goldens(t *testing.T) {
	ran := map[string]bool{}
	for _, name := range goldenNames(t, "hip-gfx942") {
		text := goldenFile(t, "hip-gfx942", name, "ttgir")
		if bytes.Contains(text, []byte("amdg.")) || bytes.Contains(text, []byte("rocdl.")) {
			continue
		}
		ran[name] = true
		t.Run(name, func(t *testing.T) {
			_, asm := onWave64(t, text, goldenLaunches[name].kernel)
			has(t, asm, "global_load_", ".amdhsa_kernel")
			for part, instruction := range map[string]string{
				"tt.store": "global_store_", "tt.atomic": "global_atomic_",
				"tt.reduce": "ds_bpermute_b32", "tt.dot": "v_mfma_",
			} {
				if bytes.Contains(text, []byte(part)) {
					has(t, asm, instruction)
				}
			}
		})
	}
	for _, name := range []string{"add_f32", "total_sum_f32", "attention_d64", "cross_entropy_bf16"} {
		if !ran[name] {
			t.Errorf("%s did not run: only %v", name, ran)
		}
	}
}

// TestWave64Reduce: a warp of 64 lanes takes six exchanges, each by the cheapest instruction that has the
// distance, and a block of four such warps leaves four partial sums.
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
	for name, want := range map[string]int{"ds.bpermute": 1, "ds.swizzle": 1, "update.dpp": 5} {
		if n := bytes.Count(k.IR, []byte("call i32 @llvm.amdgcn."+name)); n != want {
			t.Errorf("%d of %s, not %d", n, name, want)
		}
	}
	if k.Shared != 4*4 {
		t.Errorf("%d bytes of shared memory, not 16", k.Shared)
	}
}

const wideRow = "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>"

// TestWave64Convert changes layouts of 64 lanes: by shuffles and through shared memory.
func TestWave64Convert(t *testing.T) {
	blocked := func(per, threads, warps, order string) string {
		return fmt.Sprintf("#ttg.blocked<{sizePerThread = [%s], threadsPerWarp = [%s], warpsPerCTA = "+
			"[%s], order = [%s]}>",
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
