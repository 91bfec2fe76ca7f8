package lower

import (
	"strings"
	"testing"
)

// TestBarrierBeforeLoads: a load from shared memory that needs no barrier is behind the barrier of the load
// that follows it, unless the buffer that it reads could then only be written behind one more barrier.
func TestBarrierBeforeLoads(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
	const typ = "tensor<1024xf32, " + enc + ">"
	const mem = "!ttg.memdesc<1024xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, " +
		"order = [0]}>, #ttg.shared_memory, mutable>"
	for _, c := range []struct {
		name, written string
		before        bool // whether something is loaded before the last barrier
	}{
		{"read alone", "", false},
		{"written later", "ttg.local_store %b, %old : " + typ + " -> " + mem + "\n", true},
	} {
		body := "tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {\n" +
			offsetsText("o", []int{1024}, enc) + accessText("x", "o", "v", []int{1024}, "f32", enc, false) +
			"%old = ttg.local_alloc %v : (" + typ + ") -> " + mem + "\n" +
			"gpu.barrier\n" +
			"%new = ttg.local_alloc %v : (" + typ + ") -> " + mem + "\n" +
			"%a = ttg.local_load %old : " + mem + " -> " + typ + "\n" +
			"%b = ttg.local_load %new : " + mem + " -> " + typ + "\n" + c.written +
			"%s = arith.addf %a, %b : " + typ + "\n" +
			accessText("y", "o", "s", []int{1024}, "f32", enc, true) + "tt.return\n}\n"
		_, ptx := compile(t, parseIR(t, "early.ttgir", []byte(moduleText(4, body))), "k", 90)
		parts := strings.Split(string(ptx), "bar.sync")
		if len(parts) != 3 {
			t.Errorf("%s: the threads meet %d times, not twice", c.name, len(parts)-1)
			continue
		}
		if got := strings.Contains(parts[0]+parts[1], "ldmatrix"); got != c.before {
			t.Errorf("%s: loaded before the last barrier: %v, not %v", c.name, got, c.before)
		}
	}
}
