package ptxsim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// bulkOp decodes cp.async.bulk and cp.reduce.async.bulk, with a tensor map and without, and their groups.
func bulkOp(s *stmt) (action, error) {
	switch {
	case s.has("commit_group"):
		return func(c *block, act []int32) {
			for _, t := range act {
				g := c.bulkOf(t)
				g.groups, g.now = append(g.groups, g.now), nil
			}
		}, nil
	case s.has("wait_group"):
		if err := s.need(1); err != nil {
			return nil, err
		}
		n, readOnly := int(s.ops[0].imm), s.has("read")
		return func(c *block, act []int32) {
			for _, t := range act {
				c.waitBulk(t, n, readOnly)
			}
		}, nil
	case s.has("prefetch"):
		return nothing(s)
	case s.has("mbarrier::complete_tx::bytes") && !s.has("reduce"):
		return bulkToShared(s)
	case s.has("bulk_group"):
		return bulkFromShared(s)
	}
	return nil, fmt.Errorf("cp.%s is not known", strings.Join(s.parts, "."))
}

// copiesOf says where the other end of a copy is, for a thread.
type copyEnd func(c *block, t int32) (parts []globalPart, size int, m *TensorMap)

// end returns the end of a copy in global memory: a box of a tensor, which operand i names with its
// coordinates, or bytes, whose number is operand i+1.
func (s *stmt) end(i, size int) (copyEnd, error) {
	if s.has("tensor") {
		return s.boxEnd(i)
	}
	b, off, err := s.base(i)
	if err != nil {
		return nil, err
	}
	n := s.src(size, types["u32"])
	return func(c *block, t int32) ([]globalPart, int, *TensorMap) {
		addr, bytes := b.get(c, t)+off, int(n.get(c, t))
		if addr%16 != 0 || bytes%16 != 0 || bytes == 0 {
			c.fail(t, "a bulk copy of %d bytes at %#x: both are multiples of 16", bytes, addr)
		}
		return []globalPart{c.part(t, addr, 0, bytes)}, bytes, &TensorMap{}
	}, nil
}

func (s *stmt) boxEnd(i int) (copyEnd, error) {
	if s.has("im2col") || s.has("tile::gather4") || s.has("tile::scatter4") || s.ops[i].kind != isAddress ||
		len(s.ops[i].elems) != 2 {
		return nil, fmt.Errorf("this form is not known")
	}
	b, off, err := s.base(i)
	if err != nil {
		return nil, err
	}
	coords := s.ops[i].elems[1].elems
	rank := fmt.Sprintf("%dd", len(coords))
	if !s.has(rank) || len(coords) > maxRank {
		return nil, fmt.Errorf("%d coordinates", len(coords))
	}
	return func(c *block, t int32) ([]globalPart, int, *TensorMap) {
		m := c.tensorMap(t, b.get(c, t)+off)
		if len(m.Dims) != len(coords) {
			c.fail(t, "%d coordinates for a tensor map of rank %d", len(coords), len(m.Dims))
		}
		at := make([]int64, len(coords))
		for k := range coords {
			at[k] = int64(int32(coords[k].get(c, t)))
		}
		if first := at[0] * int64(m.elem()); first%16 != 0 {
			c.fail(t, "illegal instruction: a bulk copy at column %d, which is byte %d of a row and no "+
				"multiple of 16",
				at[0], first)
		}
		store := i == 0 // memory is the destination
		if least := slices.Min(at); store && least < 0 {
			c.fail(t, "illegal instruction: a bulk store at coordinate %d, which is negative", least)
		}
		return c.parts(t, m, at, store), m.bytes(), m
	}, nil
}

// bulkToShared decodes copies that an mbarrier waits for: "[to], [from…], [mbarrier]", the number of bytes
// before the mbarrier where there is no tensor map, behind it a mask of blocks, and a hint for the cache.
func bulkToShared(s *stmt) (action, error) {
	last := 2
	if !s.has("tensor") {
		last = 3
	}
	if err := s.need(last + 1); err != nil {
		return nil, err
	}
	if !s.has("global") {
		return nil, fmt.Errorf("copies between blocks are not known")
	}
	to, err := s.sharedAddress(0)
	if err != nil {
		return nil, err
	}
	from, err := s.end(1, 2)
	if err != nil {
		return nil, err
	}
	bar, err := s.sharedAddress(last)
	if err != nil {
		return nil, err
	}
	var mask *operand
	if s.has("multicast::cluster") {
		if err := s.need(last + 2); err != nil {
			return nil, err
		}
		o := s.src(last+1, types["u16"])
		mask = &o
	}
	return func(c *block, act []int32) {
		for _, t := range act {
			parts, size, m := from(c, t)
			dst, at := to(c, t), bar(c, t)
			c.tally.parts(c.at, parts, false)
			c.atBarrier(t, at, "copy")
			blocks := []*block{c.blockAt(t, dst)}
			if mask != nil {
				blocks = c.masked(t, mask.get(c, t))
			}
			for _, o := range blocks {
				l := &bulkLoad{block: o, t: t, to: dst & (1<<rankShift - 1), size: size, parts: parts}
				c.checkBox(t, l.to, m)
				l.fetch = func() []byte { return gather(parts, size, m) }
				l.place = func(off int) uint64 { return m.place(l.to, off) }
				c.startLoad(l, c.mbarrierAt(t, at&(1<<rankShift-1)|uint64(o.rank+1)<<rankShift))
			}
		}
	}, nil
}

// masked returns the blocks of a cluster that a mask names.
func (c *block) masked(t int32, mask uint64) (out []*block) {
	if mask>>len(c.cluster.blocks) != 0 || mask == 0 {
		c.fail(t, "blocks %#b of a cluster of %d", mask, len(c.cluster.blocks))
	}
	for i, o := range c.cluster.blocks {
		if mask>>i&1 != 0 {
			out = append(out, o)
		}
	}
	return out
}

// checkBox checks the place of a box in shared memory.
func (c *block) checkBox(t int32, at uint64, m *TensorMap) {
	align := uint64(16)
	if m.Dims != nil {
		align = 128
	}
	if at%align != 0 {
		c.fail(t, "shared address %#x of a bulk copy is not aligned to %d", at, align)
	}
}

// gather returns the bytes of a copy.
func gather(parts []globalPart, size int, m *TensorMap) []byte {
	out := make([]byte, size)
	if m.Dims != nil {
		out = m.filled()
	}
	for _, p := range parts {
		copy(out[p.off:], p.data)
	}
	return out
}

// bulkFromShared decodes copies and reductions whose groups their thread waits for: "[to…], [from]", then
// the number of bytes where there is no tensor map.
func bulkFromShared(s *stmt) (action, error) {
	if err := s.need(2); err != nil {
		return nil, err
	}
	if !s.has("tensor") {
		if err := s.need(3); err != nil {
			return nil, err
		}
	}
	to, err := s.end(0, 2)
	if err != nil {
		return nil, err
	}
	from, err := s.sharedAddress(1)
	if err != nil {
		return nil, err
	}
	reduce := s.parts[0] == "reduce"
	return func(c *block, act []int32) {
		for _, t := range act {
			parts, size, m := to(c, t)
			c.tally.parts(c.at, parts, true)
			q := &bulkStore{t: t, from: from(c, t), size: size, parts: parts}
			c.checkBox(t, q.from, m)
			q.place = func(off int) uint64 { return m.place(q.from, off) }
			if reduce {
				typ := s.typ()
				if m.Dims != nil {
					typ = m.typ()
				}
				f, err := reduceFunc(s, typ)
				if err != nil {
					c.fail(t, "%v", err)
				}
				q.merge = merger(f, typ)
			}
			c.startStore(q)
		}
	}, nil
}

// reduceFunc returns what a reduction does with two values. A GPU (H200) takes and, or and xor of signed
// integers of 64 bits for illegal instructions, and runs minima and maxima of them.
func reduceFunc(s *stmt, t typ) (func(old, x uint64) uint64, error) {
	if t.kind == 's' && t.bits == 64 && !s.has("min") && !s.has("max") {
		return nil,
			fmt.Errorf("illegal instruction: this reduction of a tensor map of signed 64-bit integers")
	}
	if t.kind != 'f' || s.has("add") {
		return atomicFunc(s, t)
	}
	pick := map[string]func(a, b float64) float64{"min": math.Min, "max": math.Max}
	for name, f := range pick {
		if s.has(name) && t.bits == 16 {
			return func(a, b uint64) uint64 { return t.bitsOf(f(t.float(a), t.float(b))) }, nil
		}
	}
	return nil, fmt.Errorf("there is no such reduction of %d-bit floats", t.bits)
}

// merger applies a function of two values to rows of them.
func merger(f func(old, x uint64) uint64, t typ) func(old, x []byte) {
	n := t.bits / 8
	return func(old, x []byte) {
		for i := 0; i < len(old); i += n {
			simmem.Store(old[i:], f(simmem.Load(old[i:], n), simmem.Load(x[i:], n)), n)
		}
	}
}
