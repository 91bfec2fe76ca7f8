package ptxsim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/simmem"
)

var memoryOps = map[string]decoder{
	"ld": loadOp, "ldu": loadOp, "st": storeOp, "atom": atomicOp, "red": atomicOp, "cp": cpAsync,
	"membar": nothing, "fence": fence, "prefetch": nothing, "prefetchu": nothing,
	"createpolicy": createPolicy, "griddepcontrol": gridWait, "discard": nothing, "mapa": mapa,
}

// fence decodes fences. Memory is in order here without them, but for three cases: accesses of threads
// against products of warp groups and bulk copies, which need fence.proxy.async for shared memory, global
// memory or both; mbarriers that copies or other blocks use; and tensor maps made by the kernel.
func fence(s *stmt) (action, error) {
	if s.has("tensormap::generic") && s.has("acquire") {
		return acquireMap(s)
	}
	if s.has("mbarrier_init") {
		return (*block).showMbarriers, nil
	}
	if !s.has("proxy") || !slices.ContainsFunc(s.parts, func(p string) bool {
		return strings.HasPrefix(p, "async")
	}) {
		return nothing(s)
	}
	onShared, onGlobal := !s.has("global"), !s.has("shared::cta") && !s.has("shared::cluster")
	return func(c *block, act []int32) {
		if c.races == nil {
			return
		}
		for _, t := range act {
			k, who := c.cluster.clocks, c.global(t)
			if onShared {
				c.fences[t].add(k, who)
			}
			if onGlobal {
				c.globalFences[t].add(k, who)
			}
			k.now[who]++
		}
	}, nil
}

func createPolicy(s *stmt) (action, error) {
	d, err := s.dst(0)
	return each(d, func(*block, int32) uint64 { return 0 }), err
}

func (s *stmt) space() space {
	for _, p := range s.parts {
		if sp, ok := spaces[p]; ok {
			return sp
		}
	}
	return generic
}

// elems returns the registers of operand i: all of a vector, or a single register.
func (s *stmt) elems(i int, t typ) []operand {
	if s.ops[i].kind != isVector {
		return []operand{s.src(i, t)}
	}
	out := make([]operand, len(s.ops[i].elems))
	for k, e := range s.ops[i].elems {
		if e.kind == isImm {
			e.imm = t.mask(e.imm)
		}
		out[k] = e
	}
	return out
}

// base returns the operand that an address starts from, and the offset.
func (s *stmt) base(i int) (operand, uint64, error) {
	o := s.ops[i]
	if o.kind != isAddress {
		return o, 0, fmt.Errorf("operand %d is no address", i)
	}
	b := o.elems[0]
	if b.kind == isName {
		if s.p.m.symbols[b.name] == nil {
			return b, 0, fmt.Errorf("no variable %s", b.name)
		}
		b = operand{kind: isImm, imm: s.p.addressOf(b.name)}
	}
	return b, o.imm, nil
}

func loadOp(s *stmt) (action, error) {
	if err := s.need(2); err != nil {
		return nil, err
	}
	t := s.typ()
	size := t.bits * t.lanes / 8
	outs := s.elems(0, t)
	extend := func(r int, v uint64) uint64 {
		if t.kind == 's' {
			return typ{bits: s.p.widths[r]}.mask(uint64(t.signed(v)))
		}
		return v
	}
	if q := s.ops[1]; q.kind == isParam {
		off := q.param.off + int(q.imm)
		return func(c *block, act []int32) {
			for _, th := range act {
				for i, o := range outs {
					c.set(o.reg, th, extend(o.reg,
						simmem.Load(c.params[int(th)*c.paramSize+off+i*size:], size)))
				}
			}
		}, nil
	}
	b, off, err := s.base(1)
	if err != nil {
		return nil, err
	}
	if s.has("param") { // at an address in a register
		return func(c *block, act []int32) {
			for _, th := range act {
				at := b.get(c, th) + off
				if at+uint64(size*len(outs)) > uint64(c.paramSize) {
					c.fail(th, "a parameter at %#x of %d bytes", at, c.paramSize)
				}
				for i, o := range outs {
					c.set(o.reg, th, extend(o.reg,
						simmem.Load(c.params[int(th)*c.paramSize+int(at)+i*size:], size)))
				}
			}
		}, nil
	}
	sp := s.space()
	addr := func(c *block, th int32) uint64 { return s.shorten(sp, b.get(c, th)+off) }
	return func(c *block, act []int32) {
		c.countAccess(sp, act, size*len(outs), false, addr)
		for _, th := range act {
			at := c.bytes(sp, th, addr(c, th), size*len(outs), false)
			for i, o := range outs {
				if o.kind == isReg {
					c.set(o.reg, th, extend(o.reg, simmem.Load(at[i*size:], size)))
				}
			}
		}
	}, nil
}

// shorten makes an address of shared memory 32 bits: registers may hold it with the window.
func (s *stmt) shorten(sp space, a uint64) uint64 {
	if sp == shared || sp == clusterShared {
		return a & 0xffffffff
	}
	return a
}

func storeOp(s *stmt) (action, error) {
	if err := s.need(2); err != nil {
		return nil, err
	}
	t := s.typ()
	size := t.bits * t.lanes / 8
	ins := s.elems(1, t)
	if q := s.ops[0]; q.kind == isParam {
		off := q.param.off + int(q.imm)
		return func(c *block, act []int32) {
			for _, th := range act {
				for i := range ins {
					simmem.Store(c.params[int(th)*c.paramSize+off+i*size:], ins[i].get(c, th), size)
				}
			}
		}, nil
	}
	b, off, err := s.base(0)
	if err != nil {
		return nil, err
	}
	sp := s.space()
	addr := func(c *block, th int32) uint64 { return s.shorten(sp, b.get(c, th)+off) }
	return func(c *block, act []int32) {
		c.countAccess(sp, act, size*len(ins), true, addr)
		for _, th := range act {
			at := c.bytes(sp, th, addr(c, th), size*len(ins), true)
			for i := range ins {
				simmem.Store(at[i*size:], ins[i].get(c, th), size)
			}
			c.settle()
		}
	}, nil
}

// atomicOp does atom and red; one instruction of one warp runs at a time, so nothing comes between.
func atomicOp(s *stmt) (action, error) {
	t := s.typ()
	var outs []operand
	at := 0
	if s.name == "atom" {
		outs, at = s.elems(0, t), 1
	}
	b, off, err := s.base(at)
	if err != nil {
		return nil, err
	}
	f, err := atomicFunc(s, t)
	if err != nil {
		return nil, err
	}
	args := s.elems(at+1, t)
	var third []operand
	if s.has("cas") {
		third = s.elems(at+2, t)
	}
	size := t.bits * t.lanes / 8
	sp, returns := s.space(), answers(outs)
	return func(c *block, act []int32) {
		if returns {
			c.cluster.record.doubt(c, "what an atomic returns depends on the order")
		}
		c.countAccess(sp, act, size*len(args), true,
			func(c *block, t int32) uint64 { return s.shorten(sp, b.get(c, t)+off) })
		for _, th := range act {
			addr := s.shorten(sp, b.get(c, th)+off)
			mem := c.atomicBytes(sp, th, addr, size*len(args))
			for i := range args {
				old := simmem.Load(mem[i*size:], size)
				x := args[i].get(c, th)
				if third != nil {
					if x = old; old == (typ{bits: size * 8}).mask(args[i].get(c, th)) {
						x = third[i].get(c, th)
					}
				} else {
					x = f(old, x)
				}
				simmem.Store(mem[i*size:], x, size)
				if outs != nil && outs[i].kind == isReg {
					c.set(outs[i].reg, th, old)
				}
			}
		}
	}, nil
}

// atomicBytes returns bytes that atomics touch: atomics do not race with one another.
func (c *block) atomicBytes(sp space, t int32, addr uint64, n int) []byte {
	if sp == generic && addr&windowMask == sharedBase {
		sp, addr = shared, addr&^windowMask
	}
	if sp == clusterShared {
		c.fail(t, "an atomic on the shared memory of a cluster")
	}
	if sp == shared && c.races != nil {
		races := c.races
		races.atomic(c, t, int(addr), n)
		c.races = nil
		defer func() { c.races = races }()
	}
	if globals := c.globals; globals != nil && sp != shared {
		c.globals = nil
		defer func() { c.globals = globals }()
		b := c.bytes(sp, t, addr, n, true)
		if sp == global || addr&windowMask == 0 {
			c.globals = globals
			globals.touch(c, t, addr, b, true, true)
		}
		return b
	}
	return c.bytes(sp, t, addr, n, true)
}

func atomicFunc(s *stmt, t typ) (func(old, x uint64) uint64, error) {
	if t.kind == 'f' && s.has("add") {
		return func(a, b uint64) uint64 {
			return t.halves([]uint64{a, b}, func(a []uint64) uint64 {
				return s.sum(t, a[0], a[1])
			})
		}, nil
	}
	switch {
	case s.has("add"), s.has("min"), s.has("max"):
		for _, name := range []string{"add", "min", "max"} {
			if s.has(name) {
				return intBinary[name](t, s), nil
			}
		}
	case s.has("and"):
		return func(a, b uint64) uint64 { return a & b }, nil
	case s.has("or"):
		return func(a, b uint64) uint64 { return a | b }, nil
	case s.has("xor"):
		return func(a, b uint64) uint64 { return a ^ b }, nil
	case s.has("exch"):
		return func(_, b uint64) uint64 { return b }, nil
	case s.has("cas"):
		return nil, nil
	case s.has("inc"):
		return func(a, b uint64) uint64 {
			if a >= b {
				return 0
			}
			return a + 1
		}, nil
	case s.has("dec"):
		return func(a, b uint64) uint64 {
			if a == 0 || a > b {
				return b
			}
			return a - 1
		}, nil
	}
	return nil, fmt.Errorf("atomic operation %s", strings.Join(s.parts, "."))
}

// copies are the asynchronous copies of a thread: groups that were committed, oldest first, and the open
// group.
type copies struct {
	groups [][]copyJob
	now    []copyJob
}

type copyJob struct {
	to   uint64
	from uint64
	n    int // bytes read; the rest of size are zeros
	size int
	seq  int64 // writes to global memory when it began

	moved bool
}

// cpAsync decodes cp.async. The bytes move when they are waited for, as late as they may.
func cpAsync(s *stmt) (action, error) {
	if s.has("bulk") {
		return bulkOp(s)
	}
	if len(s.parts) == 0 || s.parts[0] != "async" {
		return nil, fmt.Errorf("cp.%s", strings.Join(s.parts, "."))
	}
	switch {
	case s.has("mbarrier"):
		return nil, fmt.Errorf("cp.%s is not known", strings.Join(s.parts, "."))
	case s.has("commit_group"):
		return func(c *block, act []int32) {
			for _, t := range act {
				p := &c.pending[t]
				p.groups = append(p.groups, p.now)
				p.now = nil
			}
		}, nil
	case s.has("wait_group"):
		n := int(s.ops[0].imm)
		return func(c *block, act []int32) {
			for _, t := range act {
				c.complete(t, n)
			}
		}, nil
	case s.has("wait_all"):
		return func(c *block, act []int32) {
			for _, t := range act {
				p := &c.pending[t]
				p.groups, p.now = append(p.groups, p.now), nil
				c.complete(t, 0)
			}
		}, nil
	}
	return copyStart(s)
}

func copyStart(s *stmt) (action, error) {
	if err := s.need(3); err != nil {
		return nil, err
	}
	to, toOff, err := s.base(0)
	if err != nil {
		return nil, err
	}
	from, fromOff, err := s.base(1)
	if err != nil {
		return nil, err
	}
	size := int(s.ops[2].imm)
	if size != 4 && size != 8 && size != 16 || s.has("cg") && size != 16 {
		return nil, fmt.Errorf("a copy of %d bytes", size)
	}
	valid := s.validBytes(size)
	addr := func(c *block, t int32) uint64 { return (to.get(c, t) + toOff) & 0xffffffff }
	return func(c *block, act []int32) {
		c.countShared(shared, act, size, addr)
		c.countCopy(act, valid, func(c *block, t int32) uint64 { return from.get(c, t) + fromOff })
		for _, t := range act {
			j := copyJob{to: addr(c, t), from: from.get(c, t) + fromOff,
				n: valid(c, t), size: size}
			if j.to%uint64(size) != 0 || j.n > 0 && j.from%uint64(size) != 0 {
				c.fail(t, "a copy of %d bytes from %#x to %#x is not aligned", size, j.from, j.to)
			}
			if j.to+uint64(size) > uint64(len(c.shared)) {
				c.fail(t, "shared address %#x is outside of %d", j.to, len(c.shared))
			}
			if c.races != nil {
				c.races.start(c, t, int(j.to), size)
			}
			if c.globals != nil && j.n > 0 {
				c.startCopy(t, &j)
			}
			if c.early() {
				c.move(t, &j)
			}
			c.pending[t].now = append(c.pending[t].now, j)
		}
	}, nil
}

// validBytes returns how many of the bytes that a thread's copy writes are read: the fourth operand is their
// number or a predicate to read none.
func (s *stmt) validBytes(size int) func(c *block, t int32) int {
	switch {
	case len(s.ops) <= 3:
		return func(*block, int32) int { return size }
	case s.ops[3].kind == isReg && s.p.widths[s.ops[3].reg] == 1:
		return func(c *block, t int32) int { return size * int(1-s.ops[3].get(c, t)&1) }
	}
	return func(c *block, t int32) int { return int(min(s.ops[3].get(c, t), uint64(size))) }
}

// startCopy notes the first moment at which a copy may read.
func (c *block) startCopy(t int32, j *copyJob) {
	if src, err := c.launch.Memory.At(j.from, j.n); err == nil { // where it is not, the copy's end says so
		c.globals.touch(c, t, j.from, src, false, false)
	}
	j.seq = c.globals.seq
}

// complete ends all groups of a thread but the last n.
func (c *block) complete(t int32, n int) {
	p := &c.pending[t]
	for len(p.groups) > n {
		for i := range p.groups[0] {
			c.completeCopy(t, &p.groups[0][i])
		}
		p.groups = p.groups[1:]
	}
}

func (c *block) completeCopy(t int32, j *copyJob) {
	if src := c.source(t, j); c.globals != nil && j.n > 0 {
		c.globals.copied(c, t, j.from, src, j.seq)
	}
	if c.races != nil {
		c.races.end(c, t, int(j.to), j.size)
	}
	c.move(t, j)
	c.settle()
}

// source returns the bytes that a copy reads.
func (c *block) source(t int32, j *copyJob) []byte {
	if j.n == 0 {
		return nil
	}
	src, err := c.launch.Memory.At(j.from, j.n)
	if err != nil {
		c.fail(t, "%v", err)
	}
	return src
}

// move moves the bytes of a copy.
func (c *block) move(t int32, j *copyJob) {
	if j.moved {
		return
	}
	j.moved = true
	dst := c.shared[j.to : j.to+uint64(j.size)]
	clear(dst[copy(dst, c.source(t, j)):])
}
