package ptxsim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/interleave"
)

// Order.States asks for all interleavings: the cluster runs once, in the usual order, while a record takes
// down the synchronizing steps of its warps; package interleave then visits every state that they and the
// bulk copies can be in together. The checks of accesses go by clocks, so that the one run checks them for
// all interleavings in which barriers order the same.

// record is the synchronizing steps of a cluster's warps.
type record struct {
	run     interleave.Run
	objects map[any]int // barriers, by the block and number, and mbarriers
	last    []taken     // last step of each warp
	why     string      // why the run does not stand for others; "" if it does
}

// taken says which instruction of a warp's run took a step.
type taken struct{ steps, at int }

// clusterBarrier names the barrier of the cluster among the objects.
type clusterBarrier struct{}

// blockBarrier names one of the barriers of a block.
type blockBarrier struct {
	block *block
	id    uint64
}

func newRecord(g *cluster) *record {
	r := &record{objects: map[any]int{}}
	for i, c := range g.blocks {
		for t := 0; t < c.n; t += 32 {
			r.run.Warps = append(r.run.Warps, interleave.Warp{Block: i, Threads: min(32, c.n-t)})
		}
	}
	r.last = make([]taken, len(r.run.Warps))
	return r
}

// object returns the number of a barrier.
func (r *record) object(name any, block int) int {
	i, ok := r.objects[name]
	if !ok {
		i = len(r.run.Objects)
		r.objects[name], r.run.Objects = i, append(r.run.Objects, block)
	}
	return i
}

// doubt notes why the run does not stand for others.
func (r *record) doubt(c *block, format string, args ...any) {
	if r != nil && r.why == "" {
		r.why = fmt.Sprintf(format, args...) + " (" + c.m.where(int32(c.at)) + ")"
	}
}

// step notes a step of thread t. Steps that lanes take by one instruction are one.
func (r *record) step(c *block, t int32, s interleave.Step) {
	w := c.rank*((c.n+31)/32) + int(t)/32
	list, now := &r.run.Warps[w].Steps, taken{c.steps, c.at}
	s.At = int32(c.at)
	if n := len(*list); n > 0 && r.last[w] == now && s.Kind != interleave.Issue {
		if o := &(*list)[n-1]; o.Kind == s.Kind && o.Object == s.Object && o.Parity == s.Parity {
			if s.Kind != interleave.Wait {
				o.N, o.Bytes = o.N+s.N, o.Bytes+s.Bytes
			}
			return
		}
	}
	r.last[w] = now
	*list = append(*list, s)
}

// meets notes that lanes of a warp come to a barrier of the block.
func (r *record) meets(c *block, op *barrierOp, act []int32) {
	t := act[0]
	s := interleave.Step{Kind: interleave.Meet, N: len(act)}
	if op.arrive {
		s.Kind = interleave.Arrive
	}
	id := op.id.get(c, t)
	if !op.all {
		s.Want = int(op.count.get(c, t))
	}
	for _, o := range act {
		r.decided(c, o, nil)
		if op.id.get(c, o) != id {
			r.doubt(c, "lanes of a warp come to different barriers")
		}
	}
	if alive := c.aliveIn(int(t) / 32); alive != len(act) {
		r.doubt(c, "%d of %d lanes of a warp come to a barrier", len(act), alive)
	}
	if id < numBarriers {
		s.Object, s.Phase = r.object(blockBarrier{c, id}, c.rank), int(c.bars[id].phases)
	}
	r.step(c, t, s)
}

// aliveIn returns how many lanes of a warp have not left.
func (c *block) aliveIn(w int) (n int) {
	for _, s := range c.state[32*w : min(32*w+32, c.n)] {
		if s != exited {
			n++
		}
	}
	return n
}

// meetsCluster notes that lanes of a warp arrive at the cluster's barrier, or wait there.
func (r *record) meetsCluster(c *block, k kind, act []int32) {
	s := interleave.Step{Kind: interleave.Arrive, N: len(act), Phase: int(c.cluster.epoch),
		Object: r.object(clusterBarrier{}, interleave.All)}
	if k == kindClusterWait {
		s.Kind, s.N, s.Phase, s.Parity = interleave.Wait, 0, s.Phase+1, -1
	}
	for _, t := range act {
		r.decided(c, t, nil)
	}
	r.step(c, act[0], s)
}

// uses notes a step of thread t at an mbarrier.
func (r *record) uses(c *block, t int32, b *mbarrier, s interleave.Step) {
	if r == nil {
		return
	}
	if s.Kind == interleave.Wait {
		r.decided(c, t, b)
	} else {
		r.decided(c, t, nil)
	}
	s.Object, s.Phase, s.Want = r.object(b, b.block.rank), int(b.phases), b.count
	r.step(c, t, s)
}

// decided checks that a thread has repeated its last wait for an mbarrier if that failed: what a thread does
// where a wait has failed must not differ from what it does else.
func (r *record) decided(c *block, t int32, b *mbarrier) {
	if c.tried[t] != nil && c.tried[t] != b {
		r.doubt(c, "a wait for an mbarrier that failed is not repeated before")
	}
}

// explore visits all interleavings of the cluster's steps.
func (g *cluster) explore(ctx context.Context, l *Launch) error {
	r := g.record
	for _, c := range g.blocks {
		for t := range c.n {
			if c.at = int(c.pc[t] - 1); c.tried[t] != nil {
				r.doubt(c, "a wait for an mbarrier that failed is not repeated before the end")
			}
		}
	}
	c := g.blocks[0]
	if r.why != "" {
		return fmt.Errorf("ptxsim: %s: block %v: the usual order does not stand for others: %s", l.Kernel,
			c.id, r.why)
	}
	res, err := interleave.Explore(ctx, &r.run, l.Order.States)
	if l.Explored != nil {
		l.Explored(res)
	}
	var v *interleave.Violation
	switch {
	case errors.As(err, &v):
		g.violated(v)
	case err == nil && !res.Finished:
		err = fmt.Errorf("ptxsim: %s: block %v: there are more than %d states of its warps; all is well in the "+
			"usual order, nothing is said about others", l.Kernel, c.id, l.Order.States)
	}
	return err
}

// violated stops a cluster that an interleaving breaks.
func (g *cluster) violated(v *interleave.Violation) {
	c, t := g.blocks[0], 0
	if v.Warp >= 0 {
		warps := (c.n + 31) / 32
		c, t = g.blocks[v.Warp/warps], v.Warp%warps*32
	}
	c.at = int(v.At)
	var steps []string
	for _, p := range v.Path[max(0, len(v.Path)-8):] {
		who := fmt.Sprintf("warp %d", p.Warp)
		if p.Warp < 0 {
			who = "the end of a copy"
		}
		steps = append(steps, fmt.Sprintf("%s (%s)", who, c.m.where(p.At)))
	}
	c.fail(int32(t), "%s; the last of %d steps of this order: %s", v.Msg, len(v.Path), strings.Join(steps, ", "))
}

// knows reports whether a thread is behind the last complete phase of an mbarrier.
func (c *block) knows(t int32, b *mbarrier) bool {
	return b.phases == 0 || c.races == nil || c.cluster.clocks.seen[c.global(t)].has(b.number, b.phases)
}

// answers reports whether an atomic has a result.
func answers(outs []operand) bool {
	return slices.ContainsFunc(outs, func(o operand) bool { return o.kind == isReg })
}
