package lower

import (
	"bytes"
	"strings"
	"testing"
)

// TestBoxesPerWarp: the boxes of a block are dealt out to the warps, so that each warp starts one copy.
func TestBoxesPerWarp(t *testing.T) {
	for _, c := range []struct {
		warps, columns string
		copies         int // instructions of a load and a store
	}{{"4", "64", 2}, {"4", "128", 2}, {"4", "256", 2}, {"1", "128", 4}, {"2", "256", 4}} {
		ptx := boxPTX(t, c.warps, c.columns)
		if n := bytes.Count(ptx, []byte("cp.async.bulk.tensor.2d")); n != c.copies {
			t.Errorf("%s warps, %s columns: %d copies, not %d", c.warps, c.columns, n, c.copies)
		}
	}
}

// TestBarrierArmedBehindMeeting: threads meet between the making of a barrier and its arming, not between the
// arming and the copy. The first thread does both, so that either is right; but its warp executes the first
// as one instruction, which compute-sanitizer takes for an access of other lanes.
func TestBarrierArmedBehindMeeting(t *testing.T) {
	ptx := string(boxPTX(t, "4", "64"))
	at := -1
	for _, part := range []string{"mbarrier.init", "bar.sync", "mbarrier.arrive.expect_tx", "cp.async.bulk"} {
		next := strings.Index(ptx, part)
		if next <= at {
			t.Fatalf("%s comes too early in\n%s", part, ptx)
		}
		at = next
	}
	if n := strings.Count(ptx[:at], "bar.sync"); n != 1 {
		t.Errorf("threads meet %d times before the copy, not once", n)
	}
}

// boxPTX compiles boxKernel for a number of warps and of columns.
func boxPTX(t *testing.T, warps, columns string) []byte {
	t.Helper()
	text := strings.NewReplacer("WARPS", warps, "COLUMNS", columns).Replace(boxKernel)
	_, ptx := compile(t, parseIR(t, "k.ttgir", []byte(text)), "k", 90)
	return ptx
}

// boxKernel copies a block of 64 rows to another place.
const boxKernel = `
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = WARPS : i32,
    ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%d: !tt.tensordesc<tensor<64xCOLUMNSxf16, #shared>>, %i: i32) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %m = ttg.local_alloc : () -> !ttg.memdesc<64xCOLUMNSxf16, #shared, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.init_barrier %b, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.barrier_expect %b, 8192, %true : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.async_tma_copy_global_to_local %d[%i, %c0] %m, %b, %true :
        !tt.tensordesc<tensor<64xCOLUMNSxf16, #shared>>,
        !ttg.memdesc<1xi64, #bar, #smem, mutable>
        -> !ttg.memdesc<64xCOLUMNSxf16, #shared, #smem, mutable>
    ttng.wait_barrier %b, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.async_tma_copy_local_to_global %d[%c0, %i] %m : !tt.tensordesc<tensor<64xCOLUMNSxf16, #shared>>,
        !ttg.memdesc<64xCOLUMNSxf16, #shared, #smem, mutable>
    ttng.async_tma_store_wait {pendings = 0 : i32}
    tt.return
  }
}
`
