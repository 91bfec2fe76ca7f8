package ptxsim

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Order says in which order the simulator does what no rule orders. A kernel whose result depends on it has
// a race. The zero Order is the fastest.
type Order struct {
	Backward bool   // warps take their turns from the last to the first
	Turns    uint64 // if not 0, the seed of random turns: any warp goes next, for any number of instructions
	// Adverse gives warps priorities, under the seed Turns: one runs as far ahead as barriers allow, another
	// stays as far behind. Now and then the priorities change.
	Adverse bool
	Ends    Ends
	// States, if not 0, asks for all interleavings of the synchronizing steps, as long as warps and copies
	// have no more states together than that (record.go).
	States int
}

// Ends says when asynchronous instructions do what they do.
type Ends uint8

const (
	EndsUsual Ends = iota // copies when they are waited for, products when they are issued
	Earliest              // when they are issued
	Latest                // when they are waited for
	EndsAny               // at a random moment between, under the seed Turns
)

// orders are the names of orders; those with a seed have it behind a colon.
var orders = map[string]struct {
	order Order
	seeds bool
}{
	"usual":       {Order{}, false},
	"backward":    {Order{Backward: true}, false},
	"earliest":    {Order{Ends: Earliest}, false},
	"latest":      {Order{Ends: Latest, Backward: true}, false},
	"random":      {Order{Ends: EndsAny}, true},
	"adversarial": {Order{Ends: EndsAny, Adverse: true}, true},
	"all":         {Order{}, true},
}

// ParseOrder reads an order: "earliest", "latest", "backward", "random:SEED", "adversarial:SEED",
// "all:STATES".
func ParseOrder(text string) (Order, error) {
	name, seed, _ := strings.Cut(text, ":")
	row, ok := orders[name]
	o := row.order
	if ok && row.seeds {
		n, err := strconv.ParseUint(seed, 10, 62)
		if ok = err == nil; name == "all" {
			o.States, ok = int(n), ok && n > 0
		} else {
			o.Turns = n + 1
		}
	} else if seed != "" {
		ok = false
	}
	if !ok {
		return o, fmt.Errorf("%q is no order: usual, backward, earliest, latest, random:SEED, "+
			"adversarial:SEED or all:STATES", text)
	}
	return o, nil
}

// turns picks which warp of a block runs next, and for how long.
type turns struct {
	backward bool
	rand     *rand.Rand // nil where each warp runs until it waits
	rank     []int      // where turns are adverse: the warps, the first of which goes first
}

func newTurns(l *Launch, id [3]int) turns {
	t := turns{backward: l.Order.Backward}
	if l.Order.Turns != 0 || l.Order.Adverse || l.Order.Ends == EndsAny {
		t.rand = rand.New(rand.NewPCG(l.Order.Turns, uint64(id[0]+id[1]<<20+id[2]<<40)))
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

// adverseSteps is the number of instructions after which a warp with priority lets others run: it may be
// waiting for them in a loop.
const adverseSteps = 1 << 14

// adverse runs the first of n warps, by priority, that can run. One that only tries to run, again and again,
// lets the next go on.
func (t *turns) adverse(n int, run func(w, steps int) (moved bool)) {
	if t.rank == nil {
		t.rank = t.rand.Perm(n)
	}
	if t.rand.IntN(64) == 0 { // the first becomes the last
		t.rank = append(t.rank[1:], t.rank[0])
	}
	for _, w := range t.rank {
		if run(w, adverseSteps) {
			return
		}
	}
}
