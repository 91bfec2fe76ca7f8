package ptxsim

import "math/rand/v2"

// turns picks which warp of a block runs next, and for how long. Code whose result depends on it has a race.
type turns struct {
	backward bool
	rand     *rand.Rand // nil where each warp runs until it waits
}

func newTurns(l *Launch, id [3]int) turns {
	t := turns{backward: l.Backward}
	if l.Turns != 0 {
		t.rand = rand.New(rand.NewPCG(l.Turns, uint64(id[0]+id[1]<<20+id[2]<<40)))
	}
	return t
}

// warps calls run for n warps with the number of instructions that the warp may run. Random turns are short
// mostly, and leave warps out.
func (t *turns) warps(n int, run func(w, steps int)) {
	for i := range n {
		switch {
		case t.rand != nil:
			run(t.rand.IntN(n), 1+t.rand.IntN(2<<t.rand.IntN(8)))
		case t.backward:
			run(n-1-i, turnSteps)
		default:
			run(i, turnSteps)
		}
	}
}
