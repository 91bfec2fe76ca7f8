package gcnsim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Order picks one of the behaviours that the hardware leaves open. The zero value is the kindest: transfers
// end at once, and waves run in turn.
type Order struct {
	Ends  Ends
	Waves Waves
	Seed  uint64
	// States, if not 0, has all interleavings of each workgroup explored, unless its waves reach more than
	// this number of states (explore.go).
	States int
}

// Ends says when transfers end.
type Ends uint8

// When transfers end.
const (
	Earliest Ends = iota // at once
	Latest               // when a wait asks for it
	Random               // at any time in between
)

// Waves says how the waves of a workgroup are interleaved.
type Waves uint8

// How waves are interleaved.
const (
	InTurn   Waves = iota // each runs for a quantum, in the order of their numbers
	Backward              // the same, from the last to the first
	Shuffled              // at random, some instructions at a time
	Ranked                // one runs as far ahead as barriers allow, another stays as far behind
)

// orders are the names of orders; those with a seed have it behind a colon.
var orders = map[string]struct {
	order Order
	seeds bool
}{
	"usual":       {Order{}, false},
	"backward":    {Order{Waves: Backward}, false},
	"earliest":    {Order{}, false},
	"latest":      {Order{Ends: Latest, Waves: Backward}, false},
	"random":      {Order{Ends: Random, Waves: Shuffled}, true},
	"adversarial": {Order{Ends: Random, Waves: Ranked}, true},
	"all":         {Order{}, true},
}

// ParseOrder reads an order: "usual", "backward", "earliest", "latest", "random:SEED", "adversarial:SEED",
// "all:STATES".
func ParseOrder(text string) (Order, error) {
	name, seed, seeded := strings.Cut(text, ":")
	row, ok := orders[name]
	if !ok || seeded != row.seeds {
		return Order{}, fmt.Errorf("%q is no order", text)
	}
	if !seeded {
		return row.order, nil
	}
	n, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return Order{}, fmt.Errorf("%q is no order: a seed is a number", text)
	}
	if name == "all" {
		return Order{States: int(min(n, math.MaxInt))}, nil
	}
	row.order.Seed = n
	return row.order, nil
}

// quantum is the number of instructions after which another wave gets its turn.
const quantum = 4096

// Bounds of turns: of random ones, and of a wave that runs ahead, which may be waiting for others in a loop.
const (
	shortTurn = 64
	longTurn  = 1 << 14
)

// turn is a wave and the instructions that it runs before the next wave may.
type turn struct {
	wave  *wave
	steps int
}

// turns returns which waves run next, and for how long.
func (g *group) turns() []turn {
	var out []turn
	for _, w := range g.waves {
		if !w.done && !w.waiting {
			out = append(out, turn{w, quantum})
		}
	}
	switch r := g.run; r.Order.Waves {
	case Backward:
		slices.Reverse(out)
	case Shuffled:
		return []turn{{out[r.random.IntN(len(out))].wave, 1 + r.random.IntN(shortTurn)}}
	case Ranked:
		return []turn{{g.highest(), longTurn}}
	}
	return out
}

// highest returns the wave of the highest rank that can run. Now and then the first becomes the last.
func (g *group) highest() *wave {
	if g.ranks == nil {
		g.ranks = g.run.random.Perm(len(g.waves))
	}
	if g.run.random.IntN(rerank) == 0 {
		g.ranks = append(g.ranks[1:], g.ranks[0])
	}
	for _, i := range g.ranks {
		if w := g.waves[i]; !w.done && !w.waiting {
			return w
		}
	}
	return nil
}

// rerank is how many turns pass, on average, before ranks change.
const rerank = 8

// chance is how many instructions run, on average, between two ends at random.
const chance = 6

// endSome ends some transfers at random: the oldest of a queue, or any of those that come in any order.
func (w *wave) endSome() {
	r := w.g.run.random
	if r.IntN(chance) != 0 {
		return
	}
	q := []*queue{&w.vm, &w.lgkm, &w.stores}[r.IntN(3)]
	if len(q.items) == 0 {
		return
	}
	upTo := r.IntN(len(q.items))
	if t := q.items[upTo]; t.anyOrder {
		w.finish(t)
		return
	}
	for _, t := range q.items[:upTo+1] {
		if !t.anyOrder {
			w.finish(t)
		}
	}
}

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)) }
