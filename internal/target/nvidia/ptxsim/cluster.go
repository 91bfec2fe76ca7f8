package ptxsim

import (
	"context"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// cluster is the blocks that run together: each can read and write the shared memory of the others, and they
// meet at barriers of their own. Their turns come one after another; what the order hides on a GPU shows in
// the checks:
//
//   - nobody touches the shared memory of another block before the cluster has met once, since that block
//     may not have begun;
//   - of two accesses to one byte by different blocks, of which one writes, a barrier of the cluster lies
//     between;
//   - no block leaves before the cluster has met after the last access of another to its memory.
type cluster struct {
	blocks []*block
	epoch  int32               // barriers that are behind
	clocks *clocks             // nil if memory is not watched
	maps   map[uint64]*readers // tensor maps in global memory, and who has made them visible to copies
	// mapUses holds the threads whose copies used a map since it was made.
	mapUses map[uint64]*readers
	record  *record // record of synchronizing steps; nil if nobody asks for all interleavings
}

// clusterSize returns the number of blocks in a cluster of a launch.
func clusterSize(f *function, l *Launch) (int, error) {
	n := max(l.Cluster, 1)
	if l.Cluster == 0 && f.cluster > 0 {
		n = f.cluster
	}
	if f.cluster > 0 && f.cluster != n {
		return 0, fmt.Errorf("ptxsim: %s is for clusters of %d blocks, not of %d", l.Kernel, f.cluster, n)
	}
	if l.Grid[0]%n != 0 {
		return 0, fmt.Errorf("ptxsim: %d blocks of %s are no whole clusters of %d", l.Grid[0], l.Kernel, n)
	}
	return n, nil
}

// runCluster runs the cluster whose first block is id.
func (m *Module) runCluster(ctx context.Context, f *function, l *Launch, id [3]int, size int,
	w watched) (err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case *fault:
			err = m.faultOf(l, x, size)
		case ended:
			err = x.error
		default:
			panic(x)
		}
	}()
	g := &cluster{}
	if w.globals != nil {
		w.globals.begin()
	}
	for i := range size {
		c := m.newBlock(f, l, [3]int{id[0] + i, id[1], id[2]})
		c.cluster, c.rank, c.watched, c.ctx = g, i, w, ctx
		if !l.NoRaces {
			if g.clocks == nil {
				g.clocks = newClocks(size * c.n)
			}
			c.races = newRaces(len(c.shared), g.clocks)
		}
		for t := range c.n {
			for i, a := range l.Args {
				q := f.params[i]
				if q.size <= 8 {
					simmem.Store(c.params[t*c.paramSize+q.off:], a, q.size)
				}
			}
			for i, b := range l.Bytes {
				copy(c.params[t*c.paramSize+f.params[i].off:], b)
			}
			c.pc[t] = int32(f.start)
		}
		g.blocks = append(g.blocks, c)
	}
	if l.Order.States > 0 {
		g.record = newRecord(g)
	}
	g.run(l.Order.Backward)
	if g.record != nil {
		return g.explore(ctx, l)
	}
	return nil
}

// run gives the blocks turns until all have left.
func (g *cluster) run(backward bool) {
	for {
		idle, left := true, true
		for i := range g.blocks {
			if backward {
				i = len(g.blocks) - 1 - i
			}
			idle = g.blocks[i].turn() && idle
		}
		for _, c := range g.blocks {
			left = left && c.left
		}
		if left {
			return
		}
		for _, c := range g.blocks { // one may have been woken after its turn
			idle = idle && !slices.Contains(c.state, running)
		}
		if idle {
			for _, c := range g.blocks {
				c.stuck()
			}
			g.release()
		}
	}
}

// release resumes the threads that wait at the cluster barrier, once all have arrived. Threads that have
// exited count as arrived.
func (g *cluster) release() {
	at := int32(-1)
	for _, c := range g.blocks {
		for t := range c.n {
			if c.state[t] != atCluster {
				continue
			}
			if at >= 0 && c.pc[t] != at {
				c.at = int(at - 1)
				c.fail(int32(t), "threads wait for the cluster at different places: lines %d and %d",
					c.m.code[at-1].line, c.m.code[c.pc[t]-1].line)
			}
			at = c.pc[t]
			c.state[t], c.arrived[t] = running, false
		}
	}
	g.epoch++
	if g.clocks != nil {
		all := make([]int32, len(g.clocks.now))
		for i := range all {
			all[i] = int32(i)
		}
		g.clocks.meet(all)
	}
}

// meetCluster lets a thread arrive at the cluster's barrier, or wait there.
func (c *block) meetCluster(k kind, t int32) {
	switch {
	case k == kindClusterArrive && c.arrived[t]:
		c.fail(t, "arrives at the cluster's barrier twice")
	case k == kindClusterArrive:
		c.arrived[t] = true
	case !c.arrived[t]:
		c.fail(t, "waits for the cluster without having arrived")
	default:
		c.state[t] = atCluster
	}
}

// An address of the cluster's shared memory has the number of the block above the address there: 1 and up, 0
// is the block's own.
const rankShift = 24

// mapa decodes mapa: the address of the same place in another block.
func mapa(s *stmt) (action, error) {
	if !s.has("shared::cluster") || s.typ().bits != 32 {
		return nil, fmt.Errorf("mapa of generic addresses is not known")
	}
	if err := s.need(3); err != nil {
		return nil, err
	}
	d, err := s.dst(0)
	a, b := s.src(1, s.typ()), s.src(2, types["u32"])
	return each(d, func(c *block, t int32) uint64 {
		rank := b.get(c, t)
		if rank >= uint64(len(c.cluster.blocks)) {
			c.fail(t, "block %d of a cluster of %d", rank, len(c.cluster.blocks))
		}
		return a.get(c, t)&(1<<rankShift-1) | (rank+1)<<rankShift
	}), err
}

// blockAt returns the block of the cluster that an address is in.
func (c *block) blockAt(t int32, addr uint64) *block {
	rank := int(addr >> rankShift)
	if rank == 0 || rank-1 == c.rank {
		return c
	}
	if rank > len(c.cluster.blocks) {
		c.fail(t, "shared address %#x is in block %d of a cluster of %d", addr, rank-1, len(c.cluster.blocks))
	}
	o := c.cluster.blocks[rank-1]
	switch {
	case c.cluster.epoch == 0:
		c.fail(t, "the cluster has not met yet: block %d may not have begun", rank-1)
	case o.left:
		c.fail(t, "block %d has left", rank-1)
	}
	return o
}

// clusterBytes returns n bytes of the shared memory of a block of the cluster.
func (c *block) clusterBytes(t int32, addr uint64, n int, write bool) []byte {
	rank := int(addr >> rankShift)
	addr &= 1<<rankShift - 1
	if rank == 0 || rank-1 == c.rank {
		return c.bytes(shared, t, addr, n, write)
	}
	o := c.blockAt(t, uint64(rank)<<rankShift)
	if addr+uint64(n) > uint64(len(o.shared)) {
		c.fail(t, "shared address %#x of %d bytes is outside of the %d of block %d", addr, n,
			len(o.shared), rank-1)
	}
	o.reached = c.cluster.epoch + 1
	if o.races != nil {
		o.races.touch(c, o, t, int(addr), n, write)
	}
	return o.shared[addr : addr+uint64(n)]
}
