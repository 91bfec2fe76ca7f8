package pipeline

import (
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/rules"
)

// LoadAtOnce gives loops of products that run two to four times, as the compiler knows, a stage for each
// iteration: the loads of all iterations begin before the first.
//
//	scf.for %i = 0 to 2 {                      scf.for %i = 0 to 2 {
//	  %a = tt.load …                    =>       …
//	  %d = tt.dot %a, …                        } {nereid.stages = 3}
//	}
//
// With the two stages that libraries ask for, a program waits for the latency of memory as often as such a
// loop runs, and it does little else.
func LoadAtOnce(numStages int) pass.Pass {
	return pass.Pass{
		Name: "nereid-gpu-load-at-once",
		Doc:  "begin all loads of loops with few iterations before the first",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			if numStages < 2 {
				return nil
			}
			for _, loop := range ttgir.ForLoops(m.Op) {
				if n, ok := pass.TripCount(loop); ok && int(n) >= numStages &&
					ttgir.Satisfies(loop, rules.LoadsAtOnce, n) && fitAtOnce(loop, int(n)) {
					ctx.At(loop)
					loop.SetAttr(depthAttr, ir.I32Attr(int64(n)+1))
				}
			}
			return nil
		},
	}
}

// fitAtOnce reports whether the loads of n iterations of a loop of products of single warps take at most as
// many bytes of shared memory as the program has in registers. A multiprocessor has about as much of one as
// of the other, so that as many programs run on it as before.
func fitAtOnce(loop *ir.Op, n int) bool {
	bytes, registers := warpBytes(loop), rules.Get(ttgir.Ruled(loop), rules.AtOnceRegisters)
	for _, v := range loop.Results() {
		registers += ttgir.WordsOf(v)
	}
	threads := ttg.NumWarps(loop) * ttg.ThreadsPerWarp(loop)
	return bytes > 0 && n*bytes+outerBytes(loop) <= 4*registers*threads
}
