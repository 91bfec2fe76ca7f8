package gcnsim

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/nereid-lang/nereid/internal/target/interleave"
)

// Order.States asks for all interleavings: the workgroup runs once, in the usual order, while a record takes
// down where each wave's accesses begin, where a wait ends them at the latest, and where it meets the others.
// Then every two waves are brought into all states in which they can be together: no access of the one may
// be under way beside an access of the other that it conflicts with.
//
// Two waves suffice. Waves share nothing but memory and the barrier of the workgroup, at which every wave
// waits for all others, so that the states of two of them are those that the states of all leave of these
// two; and a conflict has two sides. Whether an access ends at once or at its wait makes no difference,
// since all states between are visited with the access under way. Epochs (shadow.go) are not asked: this
// finds by states what they find by counting barriers.

// record is the steps of the waves of a workgroup.
type record struct {
	waves []track
	steps int
	bound int
	why   string // why the run does not stand for others; "" if it does
}

// track is the steps of a wave, and its accesses.
type track struct {
	steps    []mark
	accesses []noted
	open     map[*transfer]int32 // accesses under way
}

// mark is a step: the beginning or the end of an access, or the arrival at a barrier.
type mark struct {
	kind   markKind
	access int32
}

type markKind uint8

const (
	begins markKind = iota
	ends
	meets
)

// noted is an access: the step of the program, and the places that it touches, by space and address.
type noted struct {
	from   int
	how    access
	places []*bytePlace
}

// bytePlace is some bytes of a memory, and what a write writes there.
type bytePlace struct {
	space space
	addr  uint64
	n     int
	data  [16]byte
}

func newRecord(waves, bound int) *record {
	r := &record{waves: make([]track, waves), bound: bound}
	for i := range r.waves {
		r.waves[i].open = map[*transfer]int32{}
	}
	return r
}

// add adds a step of a wave. There are more states than steps: too many of these need not be kept.
func (r *record) add(w *wave, m mark) {
	if r.steps++; r.steps <= r.bound {
		t := &r.waves[w.id]
		t.steps = append(t.steps, m)
	}
}

// begins notes that an access begins.
func (r *record) begins(w *wave, t *transfer) {
	n := noted{from: t.from, how: t.how}
	for part := range t.parts {
		for e := t.exec; e != 0; e &= e - 1 {
			lane := bits.TrailingZeros64(e)
			if s := t.space[lane]; t.mem[part][lane] != nil && (s == inLDS || s == inGlobal) {
				p := &bytePlace{space: s, addr: t.addr[part][lane], n: t.bytes}
				copy(p.data[:], t.stored(part, lane))
				n.places = append(n.places, p)
			}
		}
	}
	if len(n.places) == 0 || r.steps > r.bound {
		return
	}
	if t.how == atomics && len(t.regs) > 0 && r.why == "" {
		r.why = "the result of an atomic is used, at " + w.where(t.from)
	}
	slices.SortFunc(n.places, func(a, b *bytePlace) int {
		return cmp.Or(cmp.Compare(a.space, b.space), cmp.Compare(a.addr, b.addr))
	})
	list := &r.waves[w.id]
	list.open[t] = int32(len(list.accesses))
	r.add(w, mark{begins, int32(len(list.accesses))})
	list.accesses = append(list.accesses, n)
}

// ends notes that an access has ended at the latest. Those of a wave that has left end at any time.
func (r *record) ends(w *wave, t *transfer) {
	if i, ok := r.waves[w.id].open[t]; ok && !w.done {
		delete(r.waves[w.id].open, t)
		r.add(w, mark{ends, i})
	}
}

// meets notes that a wave comes to a barrier. Where the waves of a workgroup share a cache, the barrier keeps
// accesses to global memory in order.
func (r *record) meets(w *wave) {
	if !w.p.apart {
		for _, t := range w.vm.items {
			if !t.toLDS {
				r.ends(w, t)
			}
		}
	}
	r.add(w, mark{kind: meets})
}

// explore visits the states of every two waves.
func (g *group) explore() error {
	r := g.record
	res := interleave.Result{Steps: r.steps, Log10: r.log10(), Finished: r.steps <= r.bound}
	defer func() {
		if g.run.Explored != nil {
			g.run.Explored(res)
		}
	}()
	for i := range r.waves {
		for j := range i {
			if !res.Finished {
				break
			}
			p := newPair(&r.waves[j], &r.waves[i], r.bound-res.States)
			p.visit()
			res.States += p.states
			if res.Finished = res.States <= r.bound; p.clash != nil {
				return g.clash(j, i, p.clash)
			}
		}
	}
	switch {
	case !res.Finished:
		return fmt.Errorf("gcnsim: %s: workgroup %v: there are more than %d states of its waves; all is "+
			"well in the usual order, nothing is said about others", g.run.Kernel, g.id, r.bound)
	case r.why != "":
		return fmt.Errorf("gcnsim: %s: workgroup %v: the usual order does not stand for others: %s",
			g.run.Kernel, g.id, r.why)
	}
	return nil
}

// clash returns the fault of two accesses that are under way together.
func (g *group) clash(a, b int, found *[2]noted) error {
	w := g.waves[b]
	w.at = found[1].from
	return g.faultOf(w, &fault{lane: -1, race: true, other: found[0].from + 1,
		msg: fmt.Sprintf("race: in another order, wave %d's access at %s is under way at the same time", a,
			w.where(found[0].from))})
}

// log10 returns the logarithm of the number of interleavings of the waves' steps: between two barriers, any.
func (r *record) log10() (sum float64) {
	var phases [][]int // the steps of each wave between two barriers
	for i, t := range r.waves {
		phase := 0
		for _, m := range t.steps {
			if len(phases) <= phase {
				phases = append(phases, make([]int, len(r.waves)))
			}
			phases[phase][i]++
			if m.kind == meets {
				phase++
			}
		}
	}
	for _, waves := range phases {
		all := 0
		for _, n := range waves {
			all += n
			sum -= logFactorial(n)
		}
		sum += logFactorial(all)
	}
	return sum / math.Ln10
}

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}

// pair is two waves whose states are visited. A state is how many steps of each are behind it.
type pair struct {
	waves  [2]*track
	met    [2][]int     // barriers that a wave has come to, by its steps
	flying [2][][]int32 // accesses under way
	seen   map[[2]int32]bool
	known  map[[2]int32]bool // pairs of accesses: whether they conflict
	bound  int
	states int
	clash  *[2]noted
}

func newPair(a, b *track, bound int) *pair {
	p := &pair{waves: [2]*track{a, b}, seen: map[[2]int32]bool{}, known: map[[2]int32]bool{}, bound: bound}
	for i, t := range p.waves {
		met, flying := 0, []int32(nil)
		p.met[i], p.flying[i] = append(p.met[i], 0), append(p.flying[i], nil)
		for _, m := range t.steps {
			switch m.kind {
			case begins:
				flying = append(slices.Clone(flying), m.access)
			case ends:
				flying = slices.DeleteFunc(slices.Clone(flying), func(k int32) bool { return k == m.access })
			case meets:
				met++
			}
			p.met[i], p.flying[i] = append(p.met[i], met), append(p.flying[i], flying)
		}
	}
	return p
}

// visit visits all states.
func (p *pair) visit() {
	next := [][2]int32{{}}
	p.seen[next[0]] = true
	for len(next) > 0 && p.clash == nil {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		if p.states++; p.states > p.bound {
			return
		}
		p.check(at)
		for i := range at {
			to := at
			if to[i]++; p.enabled(at, i) && !p.seen[to] {
				p.seen[to] = true
				next = append(next, to)
			}
		}
	}
}

// enabled reports whether wave i can take its next step: it is not behind a barrier to which the other has
// not come.
func (p *pair) enabled(at [2]int32, i int) bool {
	steps, o := p.waves[i].steps, 1-i
	k := at[i]
	if int(k) == len(steps) {
		return false
	}
	left := int(at[o]) == len(p.waves[o].steps)
	return k == 0 || steps[k-1].kind != meets || p.met[o][at[o]] >= p.met[i][k] || left
}

// check looks for accesses that are under way together in a state.
func (p *pair) check(at [2]int32) {
	for _, a := range p.flying[0][at[0]] {
		for _, b := range p.flying[1][at[1]] {
			x, y := &p.waves[0].accesses[a], &p.waves[1].accesses[b]
			bad, ok := p.known[[2]int32{a, b}]
			if !ok {
				bad = x.conflicts(y)
				p.known[[2]int32{a, b}] = bad
			}
			if bad {
				p.clash = &[2]noted{*x, *y}
				return
			}
		}
	}
}

// conflicts reports whether two accesses need an order.
func (x *noted) conflicts(y *noted) bool {
	if x.how == y.how && x.how != writes {
		return false
	}
	for _, a := range x.places {
		first, _ := slices.BinarySearchFunc(y.places, a, func(b, a *bytePlace) int {
			return cmp.Or(cmp.Compare(b.space, a.space), cmp.Compare(b.addr+uint64(b.n), a.addr+1))
		})
		for _, b := range y.places[first:] {
			if b.space != a.space || b.addr >= a.addr+uint64(a.n) {
				break
			}
			if x.how != y.how || !agree(x, y, a, b) {
				return true
			}
		}
	}
	return false
}

// agree reports whether two writes to the same bytes need no order.
func agree(x, y *noted, a, b *bytePlace) bool {
	same := true
	for at := max(a.addr, b.addr); at < min(a.addr+uint64(a.n), b.addr+uint64(b.n)); at++ {
		same = same && a.data[at-a.addr] == b.data[at-b.addr]
	}
	rule := sameGlobal
	if a.space == inLDS {
		rule = sameStore
	}
	return rule(touch{at: uint32(x.from)}, touch{at: uint32(y.from)}, same)
}
