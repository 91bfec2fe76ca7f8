package lower

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFenceBeforeRefill checks that threads that have read a buffer execute a proxy fence, and then meet,
// before the copy engine fills the buffer again, wherever the barrier comes from.
func TestFenceBeforeRefill(t *testing.T) {
	const (
		expect = "ttng.barrier_expect %b, 8192, %true : !ttg.memdesc<1xi64, #bar, #smem, mutable>\n"
		met    = "ttg.local_barrier\n"
		fence  = "ttng.fence_async_shared {bCluster = false}\n"
		// transposed exchanges values through scratch memory, with a barrier of its own inside.
		transposed = "%y = ttg.convert_layout %x : tensor<64x64xf16, #rows> -> " +
			"tensor<64x64xf16, #columns>\nttg.local_store %y, %n : tensor<64x64xf16, #columns> -> " +
			"!ttg.memdesc<64x64xf16, #shared, #smem, mutable>\n"
	)
	for _, c := range []struct {
		name, between string
		want          string // between the read and the copy that follows
	}{
		{"arming meets", expect, "fence bar"},
		{"barrier", met, "fence bar"},
		{"fence without a barrier", fence, "fence bar"},
		{"fence behind the barrier", met + fence, "bar fence bar"},
		{"barrier inside an operation", transposed, "bar fence bar"},
	} {
		text := strings.ReplaceAll(refillKernel, "BETWEEN", c.between)
		_, ptx := compile(t, parseIR(t, "k.ttgir", []byte(text)), "k", 90)
		if got := orderOf(string(ptx)); !strings.HasPrefix(got, c.want) || strings.Count(got, "bar") > 2 {
			t.Errorf("%s: %q between read and copy, not %q:\n%s", c.name, got, c.want, ptx)
		}
	}
}

// orderOf returns the fences and barriers between the first reads of shared memory and the second copy.
func orderOf(ptx string) string {
	words := regexp.MustCompile(`ld\.shared|ldmatrix|fence\.proxy\.async|bar\.sync|cp\.async\.bulk\.tensor`).
		FindAllString(ptx, -1)
	isRead := func(w string) bool { return strings.HasPrefix(w, "ld") }
	words = words[slices.IndexFunc(words, isRead):]
	var out []string
	for _, w := range words[:slices.Index(words, "cp.async.bulk.tensor")] {
		switch w {
		case "bar.sync":
			out = append(out, "bar")
		case "fence.proxy.async":
			out = append(out, "fence")
		}
	}
	return strings.Join(out, " ")
}

// refillKernel has the copy engine fill a buffer twice; threads read it in between.
const refillKernel = `
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<
    {sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
    ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%d: !tt.tensordesc<tensor<64x64xf16, #shared>>, %p: !tt.ptr<f16>, %i: i32) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %n = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.init_barrier %b, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.barrier_expect %b, 8192, %true : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.async_tma_copy_global_to_local %d[%i, %c0] %m, %b, %true :
        !tt.tensordesc<tensor<64x64xf16, #shared>>,
        !ttg.memdesc<1xi64, #bar, #smem, mutable>
        -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ttng.wait_barrier %b, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    %x = ttg.local_load %m : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #rows>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #rows>
    tt.store %q, %x : tensor<64x64x!tt.ptr<f16>, #rows>
    BETWEEN
    ttng.async_tma_copy_global_to_local %d[%c0, %i] %m, %b, %true :
        !tt.tensordesc<tensor<64x64xf16, #shared>>,
        !ttg.memdesc<1xi64, #bar, #smem, mutable>
        -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ttng.wait_barrier %b, %c1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    %z = ttg.local_load %m : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #rows>
    tt.store %q, %z : tensor<64x64x!tt.ptr<f16>, #rows>
    tt.return
  }
}
`
