package ptxsim

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/interleave"
)

var mbarrierOps = map[string]decoder{"mbarrier": mbarrierOp, "setmaxnreg": setMaxRegs}

// mbarrierOp decodes mbarrier instructions.
func mbarrierOp(s *stmt) (action, error) {
	if len(s.parts) == 0 {
		return nil, fmt.Errorf("mbarrier alone")
	}
	forms := map[string]func(*stmt) (action, error){
		"init": mbarrierInit, "inval": mbarrierInval, "arrive": mbarrierArrive, "expect_tx": mbarrierExpect,
		"try_wait": mbarrierWait, "test_wait": mbarrierWait,
	}
	f := forms[s.parts[0]]
	if f == nil || s.has("noComplete") {
		return nil, fmt.Errorf("mbarrier.%s is not known", strings.Join(s.parts, "."))
	}
	return f(s)
}

// sharedAddress returns a function from a thread to the address that operand i is in shared memory.
func (s *stmt) sharedAddress(i int) (func(c *block, t int32) uint64, error) {
	if err := s.need(i + 1); err != nil {
		return nil, err
	}
	b, off, err := s.base(i)
	if err != nil {
		return nil, err
	}
	return func(c *block, t int32) uint64 { return (b.get(c, t) + off) & 0xffffffff }, nil
}

// barrierAndCount returns the address of a barrier and the number behind it.
func (s *stmt) barrierAndCount() (at func(c *block, t int32) uint64, n operand, err error) {
	if at, err = s.sharedAddress(0); err != nil {
		return nil, n, err
	}
	if err = s.need(2); err != nil {
		return nil, n, err
	}
	return at, s.src(1, types["u32"]), nil
}

func mbarrierInit(s *stmt) (action, error) {
	at, n, err := s.barrierAndCount()
	if err != nil {
		return nil, err
	}
	return func(c *block, act []int32) {
		for _, t := range act {
			c.initMbarrier(t, at(c, t), int(n.get(c, t)))
		}
	}, nil
}

func mbarrierInval(s *stmt) (action, error) {
	at, err := s.sharedAddress(0)
	return func(c *block, act []int32) {
		for _, t := range act {
			c.dropMbarrier(t, at(c, t))
		}
	}, err
}

// mbarrierArrive decodes "state, [addr], count" and, with expect_tx, "state, [addr], bytes". The state is the
// number of complete phases.
func mbarrierArrive(s *stmt) (action, error) {
	d := -1
	if len(s.ops) > 0 && s.ops[0].kind != isAddress {
		var err error
		if d, err = s.dst(0); err != nil {
			return nil, err
		}
		s.ops = s.ops[1:]
	}
	at, err := s.sharedAddress(0)
	if err != nil {
		return nil, err
	}
	n := operand{kind: isImm, imm: 1}
	if len(s.ops) > 1 {
		n = s.src(1, types["u32"])
	}
	expects := s.has("expect_tx")
	if expects && len(s.ops) < 2 {
		return nil, fmt.Errorf("how many bytes are expected?")
	}
	return func(c *block, act []int32) {
		for _, t := range act {
			b := c.mbarrierAt(t, at(c, t))
			c.atBarrier(t, at(c, t), "arrive")
			if d >= 0 {
				c.set(d, t, uint64(b.phases))
			}
			if !expects {
				b.arrive(c, t, int(n.get(c, t)), 0)
				continue
			}
			b.arrive(c, t, 1, int64(n.get(c, t)))
		}
	}, nil
}

func mbarrierExpect(s *stmt) (action, error) {
	at, n, err := s.barrierAndCount()
	if err != nil {
		return nil, err
	}
	return func(c *block, act []int32) {
		for _, t := range act {
			b, bytes := c.mbarrierAt(t, at(c, t)), int64(n.get(c, t))
			c.cluster.record.uses(c, t, b, interleave.Step{Kind: interleave.Arrive, Bytes: bytes})
			b.missed += bytes
		}
	}, nil
}

// mbarrierWait decodes "p, [addr], state" and, with parity, "p, [addr], parity". A thread's first try_wait
// fails where the phase is not complete, or copies have to move their bytes: on a GPU its time may be up. The
// next one takes as long as the phase does. test_wait goes on at once.
func mbarrierWait(s *stmt) (action, error) {
	if err := s.need(3); err != nil {
		return nil, err
	}
	d, err := s.dst(0)
	if err != nil {
		return nil, err
	}
	at, err := s.sharedAddress(1)
	if err != nil {
		return nil, err
	}
	which, parity, blocks := s.src(2, types["b64"]), s.has("parity"), s.parts[0] == "try_wait"
	s.kind = kindWait
	return func(c *block, act []int32) {
		for _, t := range act {
			b := c.mbarrierAt(t, at(c, t))
			if b.block != c {
				c.fail(t, "a wait for the mbarrier of another block")
			}
			complete := uint64(b.phases) > which.get(c, t)
			if parity {
				complete = uint64(b.phases)&1 != which.get(c, t)&1
			}
			again := c.tried[t] == b
			passed := (again || !c.hesitates(t, b)) && b.passed(c, t, complete)
			if d >= 0 {
				c.set(d, t, truth(passed))
			}
			switch {
			case passed:
				c.atBarrier(t, at(c, t), "wait")
				if !parity {
					c.cluster.record.doubt(c, "a wait for a state of an mbarrier")
				}
				c.cluster.record.uses(c, t, b,
					interleave.Step{Kind: interleave.Wait, Parity: int(which.get(c, t) & 1)})
				c.tried[t] = nil
			case blocks && again:
				c.pc[t], c.state[t], c.waitsFor[t] = int32(c.at), atMbarrier, b
			default:
				c.tried[t], c.yields = b, true // others must get their turn
			}
		}
	}, nil
}

// hesitates reports whether a first try of a wait fails although the phase is complete, because copies have
// to move their bytes or, if the run stands for all orders, because the phase is not complete in all of them.
func (c *block) hesitates(t int32, b *mbarrier) bool {
	if c.cluster.record != nil {
		return !c.knows(t, b)
	}
	return len(b.landed) > 0 && !(c.launch.Order.Ends == EndsAny && c.early())
}

// setMaxRegs decodes setmaxnreg, which changes nothing that can be seen.
func setMaxRegs(s *stmt) (action, error) {
	if err := s.need(1); err != nil {
		return nil, err
	}
	if n := s.ops[0].imm; s.ops[0].kind != isImm || n < 24 || n > 256 || n%8 != 0 {
		return nil, fmt.Errorf("%d registers: 24 to 256, a multiple of 8", n)
	}
	return nothing(s)
}
