package lower

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestEvictionPolicy: a policy holds for both caches where the L2 has one, from sm_80 on, and one register
// holds it for all accesses.
func TestEvictionPolicy(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
	shape := []int{128}
	access := func(base, v string, store bool) string {
		text := accessText(base, "a", v, shape, "i32", enc, store)
		last := strings.LastIndex(text, " : ") // of the load or the store
		return text[:last] + " evictionPolicy = evict_first" + text[last:]
	}
	text := moduleText(4, "tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {\n"+
		offsetsText("a", shape, enc)+access("x", "v", false)+
		"%w = arith.addi %v, %v : tensor<128xi32, "+enc+">\n"+access("y", "w", true)+"tt.return\n}\n")
	runBoth(t, text, launch{"k", [3]int{1, 1, 1}, []any{ints(ir.I32, 128, 100), ints(ir.I32, 128, 100)}}, 0)
	for capability, want := range map[int]int{75: 0, 80: 2, 90: 2} {
		_, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", capability)
		if got := strings.Count(string(ptx), ".L1::evict_first"); got != 2 {
			t.Errorf("sm_%d: %d accesses with a policy of L1, not 2:\n%s", capability, got, ptx)
		}
		if got := strings.Count(string(ptx), ".L2::cache_hint"); got != want {
			t.Errorf("sm_%d: %d accesses with a policy of L2, not %d:\n%s", capability, got, want, ptx)
		}
		if got := strings.Count(string(ptx), "createpolicy"); got != min(want, 1) {
			t.Errorf("sm_%d: %d policies are made, not %d", capability, got, min(want, 1))
		}
	}
}
