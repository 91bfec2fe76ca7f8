package ptxsim

import (
	"fmt"
	"math"
	"math/bits"
)

// The lanes of a warp part at branches and go on independently of each other, as they do from sm_70 on. An
// instruction with a member mask (shfl, vote, redux, match, elect, bar.warp) holds the lanes that come to it
// until all lanes that the mask names and that have not left are there; one of all lanes (mma, ldmatrix,
// wgmma: .aligned) holds them until the whole warp is there. Nothing else brings lanes together: where they
// meet by chance, since those that are furthest behind go first, they run together, which is faster.

// runWarps gives the warps of a block turns.
func (c *block) runWarps() {
	n := (c.n + 31) / 32
	if !c.launch.Order.Adverse {
		c.turns.warps(n, func(w, steps int) {
			c.someEnd()
			c.runWarp(w, steps)
		})
		return
	}
	c.someEnd()
	c.turns.adverse(n, func(w, steps int) bool {
		before := c.steps
		c.runWarp(w, steps)
		return !c.yields && c.steps > before && c.steps < before+steps
	})
}

// runWarp runs the threads of a warp. Of threads at different places the furthest behind go first, unless
// they run on and on: then they may be waiting for others.
func (c *block) runWarp(w, steps int) {
	var lanes [32]int32
	c.yields = false
	from := int32(0)
	for end := c.steps + steps; c.steps < end && !c.yields; {
		grp, next := c.group(w, from, lanes[:0])
		if len(grp) == 0 && from > 0 {
			from = 0
			continue
		}
		if len(grp) == 0 {
			if !c.gathered(w) {
				return
			}
			continue
		}
		if err := c.ctx.Err(); err != nil {
			panic(ended{err})
		}
		slice := min(end, c.steps+watchSteps)
		c.runGroup(grp, next, slice)
		if from = 0; c.steps >= slice {
			from = c.pc[grp[0]] + 1
		}
	}
}

// group returns the running threads of a warp with the least pc, from on, and the next pc where others are.
func (c *block) group(w int, from int32, into []int32) ([]int32, int32) {
	least, next := int32(math.MaxInt32), int32(math.MaxInt32)
	for t := int32(w * 32); t < int32(min(w*32+32, c.n)); t++ {
		if c.state[t] != running || c.pc[t] < from {
			continue
		}
		switch pc := c.pc[t]; {
		case pc < least:
			if least < next {
				next = least
			}
			least, into = pc, append(into[:0], t)
		case pc == least:
			into = append(into, t)
		case pc < next:
			next = pc
		}
	}
	return into, next
}

// maskAt is the operand of a member mask in instructions that have one.
var maskAt = map[string]int{"shfl": 4, "vote": 2, "redux": 2, "match": 2, "elect": 1}

// ofWarp makes an instruction one of the lanes of a warp, if it is.
func (s *stmt) ofWarp(in *instr) error {
	at, masked := maskAt[s.name]
	switch {
	case in.kind != kindRun || !s.has("sync"):
		return nil
	case masked && len(s.ops) <= at:
		return fmt.Errorf("%s: no member mask", in.text)
	case masked:
		in.setMembers(s.src(at, types["b32"]))
	}
	in.kind = kindWarp
	return nil
}

// setMembers notes a member mask, unless it names all lanes.
func (in *instr) setMembers(mask operand) {
	if mask.kind != isImm || uint32(mask.imm) != math.MaxUint32 {
		in.members = &mask
	}
}

// gather holds threads of a warp at an instruction until all lanes are there that it is for.
func (c *block) gather(in *instr, act []int32) {
	for _, t := range act {
		mask := uint32(math.MaxUint32)
		if in.members != nil {
			mask = uint32(in.members.get(c, t))
		}
		if mask>>(t&31)&1 == 0 {
			c.fail(t, "the member mask %#x does not name lane %d, which is there", mask, t&31)
		}
		c.pc[t], c.state[t], c.members[t] = int32(c.at), atWarp, mask
	}
	c.gathered(int(act[0] / 32))
}

// gathered lets lanes of a warp run the instruction at which they wait, where all of its members have come
// that have not left. It reports whether there were any.
func (c *block) gathered(w int) (some bool) {
	for t := int32(32 * w); t < int32(min(32*w+32, c.n)); t++ {
		if c.state[t] != atWarp || c.absent(t) != 0 {
			continue
		}
		var lanes [32]int32
		act := lanes[:0]
		for o := t; o < int32(min(32*w+32, c.n)); o++ {
			if c.members[t]>>(o&31)&1 != 0 && c.state[o] != exited {
				act = append(act, o)
				c.pc[o], c.state[o] = c.pc[o]+1, running
			}
		}
		c.at = int(c.pc[t] - 1)
		c.runMembers(&c.m.code[c.at], act)
		some = true
	}
	return some
}

// absent returns the lanes for which a thread waits that have neither come nor left.
func (c *block) absent(t int32) uint32 {
	mask, first := c.members[t], t&^31
	for o := first; o < min(first+32, int32(c.n)); o++ {
		there := c.state[o] == atWarp && c.pc[o] == c.pc[t] && c.members[o] == c.members[t]
		if there || c.state[o] == exited {
			mask &^= 1 << (o & 31)
		}
	}
	if over := c.n - int(first); over < 32 {
		mask &= 1<<over - 1
	}
	return mask
}

// runMembers runs an instruction of the lanes of a warp.
func (c *block) runMembers(in *instr, act []int32) {
	if c.underWay > 0 {
		c.checkProducts(in, act)
	}
	in.run(c, act)
}

// failAbsent stops a block of which a thread waits for lanes that do not come.
func (c *block) failAbsent(t int32) {
	c.at = int(c.pc[t])
	absent := c.absent(t)
	o := t&^31 + int32(bits.TrailingZeros32(absent))
	c.fail(t, "deadlock: the instruction waits for the lanes %#x of its member mask %#x, which do not come: "+
		"lane %d is at %s", absent, c.members[t], o&31, c.m.where(c.pc[o]))
}
