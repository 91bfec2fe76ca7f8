package interleave

import (
	"context"
	"maps"
	"math"
	"slices"
)

// explorer visits the states of a run, one level after another: the states of a level have the same number of
// steps behind them.
type explorer struct {
	classes []class
	copies  []Step // the kinds of copies: the end of one, with the phase that counted it
	kinds   [][]int32
	homes   []int // places of the barriers

	bound  int
	result Result
	next   map[string]*state
	buf    []byte
}

// class is warps of one block that have the same steps.
type class struct {
	block, threads, first int // first is one of the warps
	warps                 int32
	steps                 []Step
}

// Explore visits the states that the warps of a run can be in, up to a bound on their number. The error is a
// *Violation, or that of the context.
func Explore(ctx context.Context, run *Run, bound int) (Result, error) {
	e := &explorer{homes: run.Objects, bound: bound}
	start := &state{objects: make([]object, len(run.Objects)), paths: 1}
	for i := range start.objects {
		start.objects[i].want = -1
	}
	for i := range run.Warps {
		e.classify(i, &run.Warps[i])
	}
	for _, c := range e.classes {
		start.places = append(start.places, []place{{0, c.warps}})
	}
	e.findCopies()
	start.flying = make([]int32, len(e.copies))
	err := e.levels(ctx, start)
	return e.result, err
}

// classify puts a warp into the class of those with the same steps.
func (e *explorer) classify(i int, w *Warp) {
	e.result.Steps += len(w.Steps) + 1
	for k := range e.classes {
		c := &e.classes[k]
		if c.block == w.Block && c.threads == w.Threads && slices.Equal(c.steps[:len(c.steps)-1], w.Steps) {
			c.warps++
			return
		}
	}
	steps := append(slices.Clone(w.Steps), Step{Kind: Exit})
	e.classes = append(e.classes, class{w.Block, w.Threads, i, 1, steps})
}

// findCopies lists the kinds of copies. Those that bring as many bytes to the same phase are alike.
func (e *explorer) findCopies() {
	for _, c := range e.classes {
		kinds := make([]int32, len(c.steps))
		for i, p := range c.steps {
			if p.Kind != Issue {
				continue
			}
			e.result.Steps += int(c.warps)
			p.Kind = land
			k := slices.IndexFunc(e.copies, func(o Step) bool {
				return o.Object == p.Object && o.Bytes == p.Bytes && o.Phase == p.Phase
			})
			if k < 0 {
				k = len(e.copies)
				e.copies = append(e.copies, p)
			}
			kinds[i] = int32(k)
		}
		e.kinds = append(e.kinds, kinds)
	}
}

// levels visits the states that come behind a first one.
func (e *explorer) levels(ctx context.Context, start *state) error {
	level := map[string]*state{"": start}
	for len(level) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.result.States += len(level); e.result.States > e.bound {
			return nil
		}
		e.next = map[string]*state{}
		for _, key := range slices.Sorted(maps.Keys(level)) { // so that the same violation is found each time
			if err := e.moves(level[key]); err != nil {
				return err
			}
		}
		e.scale(level)
		level = e.next
	}
	e.result.Finished = true
	return nil
}

// scale keeps the numbers of interleavings within floats.
func (e *explorer) scale(level map[string]*state) {
	most := 0.0
	for _, s := range e.next {
		most = max(most, s.paths)
	}
	if len(e.next) == 0 {
		for _, s := range level { // the last level is the one state in which all is done
			e.result.Log10 += math.Log10(s.paths)
		}
		return
	}
	for _, s := range e.next {
		s.paths /= most
	}
	e.result.Log10 += math.Log10(most)
}

// moves takes all steps that are possible in a state.
func (e *explorer) moves(s *state) error {
	some, done := false, true
	for c, places := range s.places {
		for _, p := range places {
			left := int(p.step) < len(e.classes[c].steps)
			done = done && !left
			if !left || !e.enabled(s, c, p.step) {
				continue
			}
			some = true
			if err := e.take(s, c, p); err != nil {
				return err
			}
		}
	}
	for k, n := range s.flying {
		if done = done && n == 0; n > 0 {
			some = true
			if err := e.landOne(s, k, n); err != nil {
				return err
			}
		}
	}
	if !some && !done {
		return e.deadlock(s)
	}
	return nil
}

// enabled reports whether a warp of a class can take a step: it is not behind a barrier that others have not
// reached, and what it waits for is there.
func (e *explorer) enabled(s *state, c int, step int32) bool {
	steps := e.classes[c].steps
	if step > 0 {
		if p := &steps[step-1]; p.Kind == Meet && int(s.objects[p.Object].phases) <= p.Phase {
			return false
		}
	}
	p := &steps[step]
	if p.Kind != Wait {
		return true
	}
	phases := int(s.objects[p.Object].phases)
	if p.Parity < 0 {
		return phases >= p.Phase
	}
	return phases&1 != p.Parity
}

// take takes a step of one of the warps at a place.
func (e *explorer) take(s *state, c int, at place) error {
	class := &e.classes[c]
	p := &class.steps[at.step]
	n := s.next(Move{int32(class.first), p.At}, at.warps)
	n.advance(c, at.step)
	var err error
	switch p.Kind {
	case Exit:
		e.leave(n, class.block)
	case Meet, Arrive:
		err = e.arrive(n, class.first, p)
	case Wait:
		if got := int(n.objects[p.Object].phases); got != p.Phase {
			err = n.violated(class.first, p, "the wait ends behind phase %d of the barrier; in the usual order "+
				"it ends behind phase %d", got, p.Phase)
		}
	case Issue:
		n.flying[e.kinds[c][at.step]]++
	}
	if err != nil {
		return err
	}
	e.add(n)
	return nil
}

// add adds a state to the next level.
func (e *explorer) add(n *state) {
	e.buf = n.key(e.buf[:0])
	if old := e.next[string(e.buf)]; old != nil {
		old.paths += n.paths
		return
	}
	e.next[string(e.buf)] = n
}

// landOne ends one of the copies of a kind.
func (e *explorer) landOne(s *state, kind int, many int32) error {
	p := &e.copies[kind]
	n := s.next(Move{-1, p.At}, many)
	n.flying[kind]--
	o := &n.objects[p.Object]
	if int(o.phases) != p.Phase {
		return n.violated(-1, p, "the copy's bytes count for phase %d of the mbarrier; in the usual order they "+
			"count for phase %d", o.phases, p.Phase)
	}
	o.bytes -= p.Bytes
	e.settle(n, p.Object)
	e.add(n)
	return nil
}

// arrive counts a warp's arrival at a barrier, and the bytes that it expects.
func (e *explorer) arrive(s *state, warp int, p *Step) error {
	o := &s.objects[p.Object]
	if int(o.phases) != p.Phase {
		return s.violated(warp, p, "the arrival counts for phase %d of the barrier; in the usual order it "+
			"counts for phase %d", o.phases, p.Phase)
	}
	if o.want >= 0 && int(o.want) != p.Want {
		return s.violated(warp, p, "the barrier is for %d threads here, for %d where others came", p.Want,
			o.want)
	}
	o.want = int32(p.Want)
	o.bytes += p.Bytes
	if p.N == 0 {
		return nil
	}
	if o.arrived += int32(p.N); p.Want > 0 && int(o.arrived) > p.Want {
		return s.violated(warp, p, "%d arrivals at a barrier of %d", o.arrived, p.Want)
	}
	e.settle(s, p.Object)
	return nil
}

// settle ends a barrier's phase if it is complete.
func (e *explorer) settle(s *state, object int) {
	o := &s.objects[object]
	want := int(o.want)
	if want == 0 {
		want = e.alive(s, e.homes[object])
	}
	if o.arrived > 0 && int(o.arrived) == want && o.bytes == 0 {
		o.phases, o.arrived, o.want = o.phases+1, 0, -1
	}
}

// alive returns the number of a block's threads that have not ended.
func (e *explorer) alive(s *state, block int) (n int) {
	for c := range e.classes {
		k := &e.classes[c]
		if k.block != block && block != All {
			continue
		}
		for _, p := range s.places[c] {
			if int(p.step) < len(k.steps) {
				n += k.threads * int(p.warps)
			}
		}
	}
	return n
}

// leave looks for barriers of all threads that wait for nobody but a warp that has ended.
func (e *explorer) leave(s *state, block int) {
	for i := range s.objects {
		if home := e.homes[i]; s.objects[i].want == 0 && (home == block || home == All) {
			e.settle(s, i)
		}
	}
}

// deadlock returns the violation of a state in which nobody goes on.
func (e *explorer) deadlock(s *state) error {
	for c, places := range s.places {
		class := &e.classes[c]
		for _, p := range places {
			if int(p.step) == len(class.steps) {
				continue
			}
			step := &class.steps[p.step]
			if step.Kind != Wait {
				step = &class.steps[p.step-1] // the barrier at which it waits
			}
			return s.violated(class.first, step, "deadlock: the warp waits, %d phases are complete, and no "+
				"other warp goes on", s.objects[step.Object].phases)
		}
	}
	return nil
}
