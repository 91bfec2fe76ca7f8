package lower

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestPrefetch: a request for memory is one instruction where a load would be one. It does not wait for a
// store of other threads, as a load does.
func TestPrefetch(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
	shape := []int{512}
	other := strings.Replace(enc, "[4]", "[2]", 1)
	load := accessText("y", "b", "u", shape, "i32", other, false)
	last := strings.LastIndex(load, " : ")
	text := moduleText(4, "tt.func public @k(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, "+
		"%y: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {\n"+
		offsetsText("a", shape, enc)+offsetsText("b", shape, other)+
		accessText("x", "a", "v", shape, "i32", enc, false)+
		"%w = arith.addi %v, %v : tensor<512xi32, "+enc+">\n"+
		accessText("y", "a", "w", shape, "i32", enc, true)+
		load[:last]+" {nereid.prefetch}"+load[last:]+"tt.return\n}\n")
	runBoth(t, text, launch{"k", [3]int{1, 1, 1}, []any{ints(ir.I32, 512, 100), ints(ir.I32, 512, 100)}}, 0)
	_, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 90)
	if got := strings.Count(string(ptx), "prefetch.global.L2"); got != 2 {
		t.Errorf("%d requests, not 2:\n%s", got, ptx)
	}
	if strings.Contains(string(ptx), "bar.sync") {
		t.Errorf("the request waits for the store:\n%s", ptx)
	}
}

// TestPrefetchSectors: a thread asks once for a sector of 32 bytes, however many of its elements it holds.
func TestPrefetchSectors(t *testing.T) {
	const enc = "#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1], " +
		"threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>}>"
	shape := []int{64}
	for elem, want := range map[string]int{"bf16": 4, "f32": 8, "f64": 16} {
		load := accessText("x", "a", "u", shape, elem, enc, false)
		last := strings.LastIndex(load, " : ")
		text := moduleText(4, "tt.func public @k(%x: !tt.ptr<"+elem+"> {tt.divisibility = 16 : i32}) {\n"+
			offsetsText("a", shape, enc)+load[:last]+" {nereid.prefetch}"+load[last:]+"tt.return\n}\n")
		_, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 90)
		if got := strings.Count(string(ptx), "prefetch.global.L2"); got != want {
			t.Errorf("%s: %d requests, not %d", elem, got, want)
		}
	}
}
