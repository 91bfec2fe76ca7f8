package nereid_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestMaskedColumns: on a CPU without an instruction that scales by powers of two (AVX2), a softmax of half
// as many columns as the block has takes no longer than one of all columns. Before exp came to zero by a
// factor of zero, the masked half took nine times as long as the other, since its products were subnormal.
// The bound of 2 leaves room for a busy machine; otherwise the ratio is about 1.1.
func TestMaskedColumns(t *testing.T) {
	m, err := nereid.Load(txtest.Path(t, "kernels", "softmax.py"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("softmax_kernel")
	if err != nil {
		t.Fatal(err)
	}
	const rows, block = 64, 1024
	compiled, err := k.CompileFor(t.Context(), "cpu:x86-64-v3", "*fp16, *fp16, i32, i32, i32, 1024",
		nereid.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	var saved bytes.Buffer
	if err := compiled.Save(&saved); err != nil {
		t.Fatal(err)
	}
	s := stream(t, "cpu")
	code, err := nereid.LoadCompiled(s.Device(), &saved)
	if err != nil {
		txtest.LeftOut(t, "this processor does not run code for x86-64-v3: %v", err)
	}
	x := nereid.FromBytes(nereid.Float16, make([]byte, 2*rows*block))
	y := nereid.FromBytes(nereid.Float16, make([]byte, 2*rows*block))
	least := map[int]time.Duration{}
	for range 300 {
		for _, n := range []int{block, block / 2} {
			start := time.Now()
			if err := code.Launch(s, nereid.Grid{rows}, y, x, block, block, n); err != nil {
				t.Fatal(err)
			}
			if err := s.Sync(); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); least[n] == 0 || took < least[n] {
				least[n] = took
			}
		}
	}
	ratio := float64(least[block/2]) / float64(least[block])
	t.Logf("%d columns %v, %d columns %v: %.2f", block, least[block], block/2, least[block/2], ratio)
	if ratio > 2 {
		t.Errorf("masked columns take %.2f times as long as unmasked ones", ratio)
	}
}
