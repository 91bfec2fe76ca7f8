package interp

import (
	"context"
	"testing"
)

// TestPredicateStage: stage 1 of four works while two more steps stay below the bound.
func TestPredicateStage(t *testing.T) {
	p := compileText(t, `tt.func public @k(%out: !tt.ptr<i32>, %iv: i32, %ub: i32, %step: i32) {
  %works = ttg.predicate_stage %iv, %ub, %step maxStage 3 stage 1 : i32 -> i1
  %n = arith.extui %works : i1 to i32
  tt.store %out, %n : !tt.ptr<i32>
  tt.return
}`, "k")
	for _, c := range []struct{ iv, ub, step, want int32 }{
		{0, 10, 1, 1}, {7, 10, 1, 1}, {8, 10, 1, 0}, {9, 10, 1, 0}, {11, 10, 1, 0},
		{0, 10, 5, 0}, {-1, 10, 5, 1}, {1, 10, 4, 1}, {2, 10, 4, 0},
	} {
		out := []int32{-1}
		mem := NewMemory()
		args := []uint64{mem.Alloc(bytesOf(out), "out").Addr(), uint64(c.iv), uint64(c.ub), uint64(c.step)}
		if err := p.Run(context.Background(), mem, [3]int{1, 1, 1}, args, Options{}); err != nil {
			t.Fatal(err)
		}
		if out[0] != c.want {
			t.Errorf("%d, bound %d, step %d: %d, want %d", c.iv, c.ub, c.step, out[0], c.want)
		}
	}
}
