package ptxsim

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/ptx"
)

// barrierOp is an instruction of the block's barriers: bar.sync, bar.arrive, barrier.sync, barrier.cta.sync.
type barrierOp struct {
	id, count operand
	all       bool // it names no number of threads: all that live
	arrive    bool // the thread goes on
	anywhere  bool // threads of a warp may be at different instructions
}

// barrier is one of the 16 barriers of a block.
type barrier struct {
	threads []int32 // threads that wait
	arrived int     // threads that came and went on
	want    int     // how many must come; 0 for all that live
	behind  clock   // what those that went on did
	at      int32   // the instruction of the first that waits
	phases  int32   // how often it has opened
}

const numBarriers = 16

// barrierOf reads the operands of a barrier.
func (p *parser) barrierOf(s *stmt, args string) (*barrierOp, error) {
	parts := ptx.Split(args)
	b := &barrierOp{arrive: s.has("arrive"), all: len(parts) < 2, anywhere: s.name == "barrier" &&
		!s.has("aligned")}
	if s.has("red") || len(parts) > 2 {
		return nil, fmt.Errorf("%s.%s is not known", s.name, strings.Join(s.parts, "."))
	}
	for i, o := range []*operand{&b.id, &b.count} {
		if i >= len(parts) {
			*o = operand{kind: isImm}
			continue
		}
		x, err := p.operand(parts[i])
		if err != nil {
			return nil, err
		}
		*o = x
	}
	if b.arrive && b.all {
		return nil, fmt.Errorf("an arrival says how many threads the barrier counts")
	}
	return b, nil
}

// reach lets a thread come to a barrier.
func (c *block) reach(op *barrierOp, t int32) {
	id := op.id.get(c, t)
	if id >= numBarriers {
		c.fail(t, "barrier %d of %d", id, numBarriers)
	}
	b, want := &c.bars[id], 0
	if !op.all {
		if want = int(op.count.get(c, t)); want == 0 || want%32 != 0 || want > c.n {
			c.fail(t, "a barrier of %d threads in a block of %d", want, c.n)
		}
	}
	if first := len(b.threads)+b.arrived == 0; !first && b.want != want {
		c.fail(t, "barrier %d is for %d threads here, for %d where others came (0: all)", id, want, b.want)
	}
	b.want = want
	if op.arrive {
		b.arrived++
		if c.races != nil {
			b.behind = joined(b.behind, c.cluster.clocks.release(c.global(t)))
		}
	} else {
		if len(b.threads) == 0 {
			b.at = c.pc[t]
		}
		if op.all && !op.anywhere && c.pc[t] != b.at {
			c.fail(t, "threads wait at different barriers: lines %d and %d",
				c.m.code[b.at-1].line, c.m.code[c.pc[t]-1].line)
		}
		b.threads = append(b.threads, t)
		c.state[t] = waiting
	}
	if want > 0 && len(b.threads)+b.arrived == want {
		c.open(b)
	}
}

// open lets the threads go on that wait at a barrier.
func (c *block) open(b *barrier) {
	for _, t := range b.threads {
		c.state[t] = running
	}
	c.meet(b.threads)
	if c.races != nil && b.behind != nil {
		for _, t := range b.threads {
			c.cluster.clocks.acquire(c.global(t), b.behind)
		}
	}
	*b = barrier{threads: b.threads[:0], phases: b.phases + 1}
}

// openFull opens the barriers that all living threads have reached, and reports whether there were any.
// Threads that have left count as arrived.
func (c *block) openFull(alive int) (some bool) {
	for i := range c.bars {
		if b := &c.bars[i]; b.want == 0 && len(b.threads) > 0 && len(b.threads) == alive {
			c.open(b)
			some = true
		}
	}
	return some
}

// stuck stops a block of which all threads wait for what will not come.
func (c *block) stuck() {
	var at, cluster int32 = -1, -1
	for t := range int32(c.n) {
		switch c.state[t] {
		case atWarp:
			c.failAbsent(t)
		case atMbarrier:
			c.at = int(c.pc[t])
			c.fail(t, "deadlock: %s", c.waitsFor[t].missing())
		case waiting:
			at = max(at, t)
		case atCluster:
			cluster = max(cluster, t)
		}
	}
	if at < 0 {
		return
	}
	c.at = int(c.pc[at] - 1)
	if cluster >= 0 {
		c.fail(at, "some threads wait for the block, others for the cluster")
	}
	for id, b := range c.bars {
		if len(b.threads) > 0 {
			c.at = int(b.at - 1)
			c.fail(b.threads[0], "deadlock: %d threads came to barrier %d, which is for %d (0: all), and "+
				"no other thread goes on", len(b.threads)+b.arrived, id, b.want)
		}
	}
}
