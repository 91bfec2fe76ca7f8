package pass_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
	"github.com/nereid-lang/nereid/internal/target/interp"
)

// loopCount is a loop with its bounds, which are numbers of 32 bits, with a sign or without.
type loopCount struct {
	lo, hi, step uint32
	unsigned     bool
	factor       int
	constant     bool // the bounds are part of the code
}

// want returns how often the loop runs and the sum of its counters, found by counting.
func (l loopCount) want() (n, sum uint32) {
	less := func(a, b uint64) bool { return a < b }
	lo, hi := uint64(l.lo), uint64(l.hi)
	if !l.unsigned {
		lo, hi = uint64(int64(int32(l.lo))), uint64(int64(int32(l.hi)))
		less = func(a, b uint64) bool { return int64(a) < int64(b) }
	}
	for i := lo; less(i, hi); i += uint64(l.step) {
		n, sum = n+1, sum+uint32(i)
	}
	return n, sum
}

func (l loopCount) text() string {
	bounds := ""
	if l.constant {
		for i, v := range []uint32{l.lo, l.hi, l.step} {
			bounds += fmt.Sprintf("%%%s = arith.constant %d : i32\n", []string{"a", "b", "s"}[i], int32(v))
		}
	}
	args := "%p: !tt.ptr<i32>, %a: i32, %b: i32, %s: i32"
	if l.constant {
		args = "%p: !tt.ptr<i32>, %a0: i32, %b0: i32, %s0: i32"
	}
	unsigned := ""
	if l.unsigned {
		unsigned = "unsigned "
	}
	return fmt.Sprintf(`module {
tt.func public @k(%s) {
%s%%zero = arith.constant 0 : i32
%%one = arith.constant 1 : i32
%%r:2 = scf.for %s%%i = %%a to %%b step %%s iter_args(%%n = %%zero, %%sum = %%zero) -> (i32, i32) : i32 {
%%m = arith.addi %%n, %%one : i32
%%t = arith.addi %%sum, %%i : i32
scf.yield %%m, %%t : i32, i32
} {tt.loop_unroll_factor = %d : i32}
%%q = tt.addptr %%p, %%one : !tt.ptr<i32>, i32
tt.store %%p, %%r#0 : !tt.ptr<i32>
tt.store %%q, %%r#1 : !tt.ptr<i32>
tt.return
}
}
`, args, bounds, unsigned, l.factor)
}

// run returns what the loop leaves.
func (l loopCount) run(t *testing.T, m *ir.Module) (n, sum uint32) {
	t.Helper()
	p, err := interp.Compile(m, "k")
	if err != nil {
		t.Fatal(err)
	}
	mem, out := interp.NewMemory(), make([]byte, 8)
	words := []uint64{mem.Alloc(out, "p").Addr(), uint64(l.lo), uint64(l.hi), uint64(l.step)}
	err = p.Run(context.Background(), mem, [3]int{1, 1, 1}, words, interp.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint32(out), binary.LittleEndian.Uint32(out[4:])
}

// TestLoopCounts: loops over every part of the numbers of 32 bits, with a sign and without, run as often
// behind the passes that change loops as they say.
func TestLoopCounts(t *testing.T) {
	bounds := [][2]uint32{{0, 7}, {3, 8}, {5, 5}, {9, 2}, {0xfffffffb, 4}, {0x7ffffffa, 0x7fffffff},
		{0x7ffffffa, 0x80000005}, {0x80000000, 0x80000007}, {0xfffffff0, 0xfffffffe},
		{0xfffffff7, 0xffffffff}}
	for _, unsigned := range []bool{false, true} {
		for _, b := range bounds {
			for _, step := range []uint32{1, 3} {
				for _, factor := range []int{1, 2, 4} {
					for _, constant := range []bool{false, true} {
						l := loopCount{b[0], b[1], step, unsigned, factor, constant}
						if overflows(l) {
							continue
						}
						l.judge(t)
					}
				}
			}
		}
	}
}

// overflows reports whether the counter would leave its type, or the loop would run for too long.
func overflows(l loopCount) bool {
	lo, hi, limit := int64(l.lo), int64(l.hi), int64(1)<<32
	if !l.unsigned {
		lo, hi, limit = int64(int32(l.lo)), int64(int32(l.hi)), 1<<31
	}
	return hi-lo > 100 || lo < hi && hi+int64(l.step)*4 > limit
}

func (l loopCount) judge(t *testing.T) {
	t.Helper()
	n, sum := l.want()
	for _, passes := range [][]pass.Pass{nil, {pass.LoopUnroll}, {pass.Canonicalize},
		{pass.LoopUnroll, pass.Canonicalize, pass.SCCP, pass.LICM}} {
		m := passtest.Parse(t, "loop.ttir", l.text())
		passtest.Run(t, m, passes)
		if gotN, gotSum := l.run(t, m); gotN != n || gotSum != sum {
			t.Errorf("%+v: runs %d times with the sum %d, not %d and %d, behind %d passes\n%s", l, gotN,
				gotSum, n, sum, len(passes), m)
			return
		}
	}
}
