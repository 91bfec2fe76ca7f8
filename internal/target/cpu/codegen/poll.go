package codegen

import (
	"fmt"
	"math"

	devcpu "github.com/nereid-lang/nereid/internal/device/cpu"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/ir"
)

// A launch ends with its context even if the kernel would not: each program, and each round of a loop that is
// not known to be short, reads a word that the launch sets,
//
//	%x = load volatile i32, ptr %stop
//	br i1 (%x != 0), label %stopped, label %go
//
// and leaves the function with the code Stopped in the status. The fourth word of the status is the address
// of that word.

// unpolled is the number of rounds of loops that may pass without reading the word: some milliseconds of work
// on blocks.
const unpolled = 4096

// loadStop loads the address of the word.
func (g *gen) loadStop() {
	g.do("%%stop = load ptr, ptr %s", g.op("getelementptr i64, ptr %%status, i64 3"))
}

// poll leaves the function if the launch has ended.
func (g *gen) poll() {
	on := g.label("go")
	x := g.op("load volatile i32, ptr %%stop, align 4")
	g.do("br i1 %s, label %%stopped, label %%%s, !prof !5", g.op("icmp ne i32 %s, 0", x), on)
	g.begin(on)
}

// stopped returns the block that poll branches to.
func (g *gen) stopped() string {
	return fmt.Sprintf("stopped:\n  store i64 %d, ptr %%status\n  ret void%s\n", devcpu.Stopped,
		g.lines.at(g.fn.Loc, ""))
}

// polling begins the body of a loop of that many rounds, 0 if unknown, and polls if it must. Loops of few
// rounds do not poll, above all those that the middle layer makes of unstructured accesses. The returned
// function must be called behind the loop.
func (g *gen) polling(rounds int64) func() {
	old := g.rounds
	around := max(1, old)
	if rounds > 0 && rounds <= unpolled/around {
		g.rounds = rounds * around
	} else {
		g.poll()
		g.rounds = 1
	}
	return func() { g.rounds = old }
}

// rounds returns how often the body of a scf.for runs, or 0 if that is unknown.
func rounds(op *ir.Op) int64 {
	lo, ok1 := arith.IntOf(scf.LowerBound(op))
	hi, ok2 := arith.IntOf(scf.UpperBound(op))
	step, ok3 := arith.IntOf(scf.Step(op))
	if !ok1 || !ok2 || !ok3 || step <= 0 || hi < lo || hi-lo > math.MaxInt32 {
		return 0
	}
	return max(1, (hi-lo+step-1)/step)
}
