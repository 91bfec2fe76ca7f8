package pipeline

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// copier replaces the loads of a scheduled loop that run stages before their users by asynchronous copies to
// shared memory. Each copy has as many buffers as stages lie between, used in turn; a counter for the copies
// and one for the users select the buffer. The loop still computes the same in the same order: only expand
// takes it apart.
//
//	%x = tt.load %p, %m {stage 0}   =>   %i = (%i' + 1) mod 2 {stage 0}
//	%d = tt.dot %x, … {stage 2}          %t = ttg.async_copy_global_to_local %p, %buf[%i] mask %m {stage 0}
//	                                     %c = ttg.async_commit_group tokens %t {stage 0}
//	                                     %j = (%j' + 1) mod 2 {stage 2}
//	                                     %w = ttg.async_wait %c {num = 0} {stage 2}
//	                                     %x = ttg.local_load %buf[%j] token %w {stage 2}
//	                                     %d = tt.dot %x, … {stage 2}
//
// On a GPU without asynchronous copies, a load goes through registers: it is the first thing that an
// iteration does, and what it loaded is stored to the buffer at the end, so that the products run in
// between.
type copier struct {
	*schedule
	plain bool // the GPU has no asynchronous copies
	// of plain copies: where addresses are computed, where loads begin, and where they are stored
	addresses, first, last *cluster
	axes                   func() *axisinfo.Analysis
	copies                 []*asyncCopy
	groups                 []*ring // one for each number of buffers, in the order of first use
}

// isLoad reports whether op loads from global memory and can run ahead of its users.
func isLoad(op *ir.Op) bool { return op.Def == tt.Load || op.Def == tt.DescLoad }

// asyncCopy is a load that is to become a copy.
type asyncCopy struct {
	load    *ir.Op
	wide    bool // a thread has at least 4 adjacent bytes in global memory
	clash   bool // users demand different layouts
	width   int  // elements that a thread copies at once, 0 if the load must stay a load
	buf     ir.Attr
	buffers int
	tight   bool // the next copy overwrites the slot that products of its iteration still read
	roomy   bool // a copy never overwrites the slot that products of its iteration read
	alloc   *ir.Value

	// Of a copy through a descriptor: the barrier that its bytes arrive at, and the wait for it.
	barrier *ir.Value
	wait    *ir.Op
}

// isTMA reports whether the copy goes through a descriptor.
func (a *asyncCopy) isTMA() bool { return a.load.Def == tt.DescLoad }

// ring holds the counters of all copies with the same number of buffers.
type ring struct {
	buffers         int
	insert, extract *ir.Value
	// phase is the parity of the round that extract is in, nil if no copy goes through a descriptor.
	phase *ir.Value
	tma   bool
}

// lowerLoads replaces loads by copies where that is possible.
func (s *schedule) lowerLoads(axes func() *axisinfo.Analysis) {
	c := copier{schedule: s, axes: axes, plain: ttgir.LacksCopies(s.loop)}
	for op := range ttgir.Body(s.loop) {
		if isLoad(op) {
			c.consider(op)
		}
	}
	if len(c.copies) == 0 {
		return
	}
	for _, a := range c.copies {
		if ttgir.TensorOf(a.load.Result(0)) == nil {
			c.asTensor(a.load)
		}
		c.allocate(a)
	}
	c.count()
	c.barriers()
	if c.plain {
		c.first, c.last = s.newAtFront(), s.newAtBack()
		c.addresses = s.newAtFront()
	}
	byThreads := false
	for _, a := range c.copies {
		switch {
		case a.isTMA():
			c.copyTMA(a)
		case c.plain:
			c.copyPlain(a)
		default:
			c.copy(a)
			byThreads = true
		}
	}
	s.insertAllDeps()
	if byThreads {
		b := ir.At(s.loop)
		b.After(s.loop)
		// copies for iterations that never ran
		b.Op(ttg.AsyncWait, nil, []ir.Type{ttg.Token}, ir.A("num", ir.I32Attr(0)))
	}
}

// consider adds a load that becomes a copy. A load that is too narrow stays a load in an earlier stage, and
// its values are carried in registers.
func (c *copier) consider(op *ir.Op) {
	n := c.stagesBetween(op)
	a := readCopy(op)
	if n == 0 {
		return
	}
	if a == nil {
		a = newCopy(c.axes(), op)
	}
	if a.width == 0 {
		return
	}
	a.buffers = n
	if readByProducts(op) {
		if op.Result(0).HasOneUse() {
			a.buffers++ // a product may still read a buffer while the next copy is under way
			a.roomy = true
		} else {
			a.tight = true // as many buffers as in Triton, which lets the product run on regardless
		}
	}
	c.copies = append(c.copies, a)
}

// newCopy chooses the buffer and the width of a load's copy. A width of 0 means that there can be none.
func newCopy(axes *axisinfo.Analysis, load *ir.Op) *asyncCopy {
	a := &asyncCopy{load: load}
	r := load.Result(0)
	if a.isTMA() { // the copy engine copies whole blocks
		a.buf, a.wide, a.width = SharedOf(load.Operand(0), ttgir.TensorOf(r)), true, 1
		return a
	}
	if tt.IsPtrLike(r.Type) || tt.IsTensorPtr(load.Slot(0).Type) {
		return a
	}
	t, bits := ttgir.TensorOf(r), ir.BitWidth(ir.ElemOf(r.Type))
	if t == nil {
		if a.wide = bits >= 32; a.wide {
			a.buf, a.width = ttg.Swizzled{Vec: 1, PerPhase: 1, MaxPhase: 1, Order: []int64{0}}.Attr(), 1
		}
		return a
	}
	n := copyWidth(axes, load.Slot(0), load.Slot(1))
	if a.wide = n*bits >= 32; a.wide {
		a.buf, a.clash = bufferOf(load)
		if copyBytes(t, a.buf) >= 4 {
			a.width = n
		}
	}
	return a
}

// Attributes that pass the width and the buffer of a copy from AssignLatencies to SoftwarePipeline.
const (
	widthAttr  = "nereid.width"
	bufferAttr = "nereid.buffer"
)

func (a *asyncCopy) write() {
	a.load.SetAttr(widthAttr, ir.I32Attr(int64(a.width)))
	a.load.SetAttr(bufferAttr, a.buf)
}

// readCopy removes the attributes from a load and returns the copy, nil if there are none.
func readCopy(load *ir.Op) *asyncCopy {
	n, ok := load.Int(widthAttr)
	if !ok {
		return nil
	}
	a := &asyncCopy{load: load, width: int(n), buf: load.Attr(bufferAttr)}
	load.SetAttr(widthAttr, nil)
	load.SetAttr(bufferAttr, nil)
	return a
}

// bufferOf returns the layout of a load's buffers: that of a buffer filled from it, or one that suits the
// product's operand, or rows without a swizzle.
func bufferOf(load *ir.Op) (enc ir.Attr, clash bool) {
	enc, ok, clash := operandBuffer(load.Result(0))
	for u := range load.Result(0).Users() {
		if u.Def == ttg.LocalAlloc {
			return EncodingOfBuffer(u.Result(0)), clash
		}
	}
	if ok && enc != nil {
		return enc, clash
	}
	t := ttgir.TensorOf(load.Result(0))
	order := ttgir.RowMajor(t.Rank())
	if l, err := ttglayout.Of(t); err == nil {
		for i, d := range l.Order() {
			order[i] = int64(d)
		}
	}
	return ttg.Swizzled{Vec: 1, PerPhase: 1, MaxPhase: 1, Order: order,
			CGALayout: ttgir.CgaOf(t.Encoding)}.Attr(),
		clash
}

// stagesBetween returns how many stages a load runs before its first user. A user behind the load in the new
// body reads the buffer after the next copy has begun, so it needs one more.
func (c *copier) stagesBetween(load *ir.Op) int {
	def := c.places[load]
	users := c.usersOf(load)
	for _, u := range slices.Clone(users) {
		if u.Def == ttg.LocalAlloc { // the copy replaces the allocation
			users = append(users, c.usersOf(u)...)
		}
	}
	least := -1
	for _, u := range users {
		use := c.places[u]
		if use.cluster.id > def.cluster.id {
			use.stage++
		}
		if least < 0 || use.stage < least {
			least = use.stage
		}
	}
	return max(0, least-def.stage)
}

// usersOf returns the ops of the body that use op, also in the next iteration and through views of buffers.
func (s *schedule) usersOf(op *ir.Op) []*ir.Op {
	var out []*ir.Op
	seen := map[*ir.Value]bool{}
	var visit func(v *ir.Value)
	visit = func(v *ir.Value) {
		if seen[v] {
			return
		}
		seen[v] = true
		for use := range v.Uses() {
			u := use.Owner()
			switch {
			case u == s.loop.Body(0).Last():
				visit(scf.IterArgs(s.loop)[use.Index()])
			case isBufferView(u):
				visit(u.Result(0))
			default:
				out = append(out, ttgir.AncestorIn(s.loop.Body(0), u))
			}
		}
	}
	visit(op.Result(0))
	return out
}

func isBufferView(op *ir.Op) bool {
	switch op.Def {
	case ttg.MemDescIndex, ttg.MemDescSubslice, ttg.MemDescTrans, ttg.MemDescReshape, ttg.MemDescReinterpret:
		return true
	}
	return false
}

// firstUser returns the user of ops that runs first.
func (c *copier) firstUser(ops ...*ir.Op) *ir.Op {
	var first *ir.Op
	for _, op := range ops {
		for _, u := range c.usersOf(op) {
			if first == nil || c.places[u].before(c.places[first]) || c.places[u] == c.places[first] &&
				u.Before(first) {
				first = u
			}
		}
	}
	return first
}

// readByProducts reports whether products of warp groups will read a load's buffer.
func readByProducts(load *ir.Op) bool {
	if load.Def == tt.Load {
		if other := load.Slot(2); other != nil && !ttgir.IsZero(other) {
			return false
		}
	}
	var read func(v *ir.Value) bool
	read = func(v *ir.Value) bool {
		for u := range v.Users() {
			if u.Def == ttng.WarpGroupDot || isBufferView(u) && read(u.Result(0)) {
				return true
			}
		}
		return false
	}
	for u := range load.Result(0).Users() {
		if u.Def == ttg.LocalAlloc && read(u.Result(0)) {
			// a buffer with another layout than the descriptor's is filled from registers
			return load.Def == tt.Load || EncodingOfBuffer(u.Result(0)) == SharedOf(load.Operand(0),
				ttgir.TensorOf(load.Result(0)))
		}
	}
	return false
}

// asTensor makes a scalar load a load of a tensor of one element.
func (c *copier) asTensor(load *ir.Op) {
	scalar := load.Result(0).Type
	enc := ttgir.ThreadsOf(load).DefaultEncoding([]int64{1})
	tensor := func(t ir.Type) *ir.TensorType { return ir.Tensor([]int64{1}, t, enc) }
	at := c.places[load]
	b := c.builder(load, at)
	for i, v := range load.Operands() {
		load.SetOperand(i, b.Val(tt.Splat, tensor(v.Type), v))
	}
	b = c.builder(load.Next(), c.places[c.firstUser(load)])
	load.Result(0).Type = tensor(scalar)
	back := b.Val(tt.Unsplat, scalar, load.Result(0))
	load.Result(0).ReplaceUsesIf(back, func(u *ir.Use) bool { return u.Owner() != back.Def() })
}

// builder returns a builder before op that schedules the ops it creates at a place.
func (s *schedule) builder(op *ir.Op, at place) *ir.Builder {
	b := ir.At(op)
	b.OnCreate = func(o *ir.Op) { s.insert(o, at) }
	return b
}
