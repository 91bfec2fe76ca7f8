package ptxsim

import (
	"context"
	"fmt"
	"io"

	"github.com/nereid-lang/nereid/internal/device/stray"
	"github.com/nereid-lang/nereid/internal/target/interleave"
	"github.com/nereid-lang/nereid/internal/target/simcount"
)

// Launch is one launch of a kernel.
type Launch struct {
	Kernel string
	Grid   [3]int // in blocks
	// Cluster is the number of blocks, neighbours along x, in a cluster: they run together and reach each
	// other's shared memory. 0 takes the number that the kernel asks for.
	Cluster int
	Shared  int      // bytes of dynamic shared memory
	Args    []uint64 // the bits of each argument
	// Bytes holds the arguments that are more than a word, by their numbers: tensor maps.
	Bytes  map[int][]byte
	Memory *Memory
	Print  io.Writer // what vprintf writes; nil for nothing

	// Before is what the launch before accessed, if this one may begin before that one has ended; Touched, if
	// not nil, receives what this one accesses, with that of the launch before if this one does not wait for
	// it.
	Before, Touched *Touched

	NoRaces  bool // memory is not watched
	NoGlobal bool // global memory is not
	Strict   bool // different values that one store writes to one place are an error too
	// Lax lets copies use an mbarrier that no fence has shown to them, and a warp publish a tensor map that
	// one of its lanes has just made, as Triton's code does.
	Lax bool
	// CopyFences wants a proxy fence between cp.async and products that read what it brought.
	CopyFences bool
	Order      Order
	// Explored, if not nil, is told what Order.States has found out about each cluster.
	Explored func(interleave.Result)
	// Banks, if not nil, is told at the end how the launch accessed shared memory.
	Banks func([]SharedAccess)
	// Counts, if not nil, is called at the end with the counters of each instruction; Chart with the
	// instructions of the first block's warps in the order of execution. cut reports that the chart was full.
	Counts func([]simcount.Count)
	Chart  func(marks []simcount.Mark, cut bool)
	Steps  int // how many instructions of a warp a block may run; 0 for a hundred million
}

// instr is a decoded instruction.
type instr struct {
	text    string
	line    int
	loc     string // location of the source, "" if unknown
	counts  bool   // it may write global memory
	kind    kind
	guard   int // register of its predicate, or -1
	neg     bool
	run     action
	touches touched
	targets []int
	barrier *barrierOp
	members *operand // the member mask of an instruction of a warp; nil for all lanes
	call    *callSite
}

// action does an instruction for the given threads, all of one warp.
type action func(c *block, act []int32)

type kind uint8

const (
	kindRun kind = iota
	kindBranch
	kindTable // brx.idx
	kindExit
	kindReturn
	kindCall
	kindBarrier
	kindWait // for an mbarrier
	kindWarp // of the lanes that its member mask names
	kindClusterArrive
	kindClusterWait
	kindTrap
)

// callSite is where the parameters of a call are.
type callSite struct {
	callee   string
	rets     []param
	args     []param
	external action
}

// block is the state of one block of threads.
type block struct {
	m       *Module
	launch  *Launch
	cluster *cluster
	rank    int // in the cluster
	id      [3]int
	n       int
	regs    []uint64 // register r of thread t is regs[r*n+t]
	pc      []int32
	state   []threadState
	stack   [][]frame
	params  []byte // paramSize for each thread
	local   []byte
	shared  []byte
	races   *races
	watched
	pending []copies
	carry   []uint64
	fences  []fences // proxy fences of each thread, for shared memory
	// globalFences are those for global memory.
	globalFences []fences
	waits        *gridWaits // nil if the launch before has ended

	products []products // asynchronous products of each warp; nil before the first
	underWay int        // how many there are

	bars      [numBarriers]barrier
	mbarriers map[uint64]*mbarrier // by address
	barriers  []*mbarrier          // all that were made
	waitsFor  []*mbarrier          // mbarrier of each thread that waits for one
	tried     []*mbarrier          // mbarrier of each thread whose last try was too early
	members   []uint32             // the member mask of each thread that waits for lanes of its warp
	bulks     []bulkGroups         // bulk copies of each thread; nil before the first

	counts map[int][]int32 // how often threads came to each instruction that may write global memory

	arrived []bool // threads that have arrived at the cluster's barrier and not waited there
	// the epoch of the cluster, from 1 on, in which another block last touched our shared memory
	reached int32
	left    bool // all threads have
	steps   int
	turns   turns
	ctx     context.Context // context of the launch
	yields  bool            // the warp's turn ends
	at      int             // the instruction that runs
	scratch [32]int32

	paramSize, localSize int
}

type frame struct {
	back int32
	site *callSite
}

type threadState uint8

const (
	running threadState = iota
	waiting
	atMbarrier
	atCluster // waits for the cluster
	atWarp    // waits for lanes of its warp that a member mask names
	exited
)

// fault is an error of the simulated program: it travels as a panic inside of the package.
type fault struct {
	block  *block
	thread int32
	msg    string
	race   bool
	other  int32 // the other thread of a race
	access *stray.Access
}

// ended is the panic of a launch whose context has ended.
type ended struct{ error }

func (c *block) fail(t int32, format string, args ...any) {
	panic(&fault{block: c, thread: t, msg: fmt.Sprintf(format, args...)})
}

// failRace stops thread t at an access that nothing orders behind one of another thread of the cluster.
func (c *block) failRace(t, other int32, format string, args ...any) {
	panic(&fault{block: c, thread: t, msg: fmt.Sprintf(format, args...), race: true,
		other: other % int32(c.n)})
}

// failAccess stops the kernel because of an access to global memory.
func (c *block) failAccess(t int32, addr uint64, n int, write bool, msg string) {
	panic(&fault{block: c, thread: t, msg: msg, access: c.accessOf(addr, n, write)})
}

// accessOf describes an access by the argument of the launch that points to that memory or nearest to it;
// nil if there is no memory.
func (c *block) accessOf(addr uint64, n int, write bool) *stray.Access {
	b, ok := c.launch.Memory.Near(addr)
	if !ok {
		return nil
	}
	a := &stray.Access{What: "load", Size: n, Word: -1, Offset: int64(addr - b.Addr),
		Bytes: int64(len(b.Data))}
	if write {
		a.What = "store"
	}
	for i, word := range c.launch.Args {
		if word >= b.Addr && word < b.Addr+uint64(max(len(b.Data), 1)) {
			a.Word = i
			break
		}
	}
	return a
}

// Run runs all blocks of a launch.
func (m *Module) Run(ctx context.Context, l *Launch) error {
	f := m.funcs[l.Kernel]
	if f == nil || !f.entry {
		return fmt.Errorf("ptxsim: the module has no kernel %s", l.Kernel)
	}
	for i, b := range l.Bytes {
		if i >= len(f.params) || len(b) != f.params[i].size {
			return fmt.Errorf("ptxsim: argument %d of %s has %d bytes", i, l.Kernel, len(b))
		}
	}
	if len(l.Args) > len(f.params) {
		return fmt.Errorf("ptxsim: %s takes %d arguments, got %d", l.Kernel, len(f.params), len(l.Args))
	}
	if f.threads == 0 {
		return fmt.Errorf("ptxsim: %s does not say how many threads it needs", l.Kernel)
	}
	size, err := clusterSize(f, l)
	if err != nil {
		return err
	}
	w := watched{banks: newBankCounter(m, l), tally: newTally(m, l)}
	if !l.NoRaces && !l.NoGlobal {
		w.globals = newGlobalRaces(l.Strict)
	}
	for z := range l.Grid[2] {
		for y := range l.Grid[1] {
			for x := 0; x < l.Grid[0]; x += size {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := m.runCluster(ctx, f, l, [3]int{x, y, z}, size, w); err != nil {
					return err
				}
			}
		}
	}
	if l.Touched != nil && (w.globals == nil || !w.globals.waited) {
		l.Touched.merge(l.Before)
	}
	if l.Banks != nil {
		l.Banks(w.banks.report(m))
	}
	if l.Counts != nil {
		l.Counts(w.tally.report(m, w.banks))
	}
	if l.Chart != nil {
		l.Chart(w.tally.chart.Marks, w.tally.chart.Cut)
	}
	return nil
}

// watched is the memory that all blocks of a launch share, as far as it is watched.
type watched struct {
	globals *globalRaces // nil if accesses to global memory are not
	banks   *bankCounter // nil if accesses to shared memory are not counted
	tally   *tally       // nil if instructions are not
}

func (m *Module) newBlock(f *function, l *Launch, id [3]int) *block {
	c := &block{m: m, launch: l, id: id, n: f.threads, turns: newTurns(l, id), paramSize: m.paramSize,
		localSize: m.localSize, arrived: make([]bool, f.threads)}
	c.regs = make([]uint64, m.numRegs*c.n)
	c.pc, c.state, c.stack = make([]int32, c.n), make([]threadState, c.n), make([][]frame, c.n)
	c.params, c.local = make([]byte, c.paramSize*c.n), make([]byte, c.localSize*c.n)
	c.shared = make([]byte, m.sharedSize+l.Shared)
	for i := range c.shared {
		c.shared[i] = 0xcd // nothing may depend on it
	}
	c.pending, c.carry, c.fences = make([]copies, c.n), make([]uint64, c.n), make([]fences, c.n)
	c.globalFences = make([]fences, c.n)
	c.waits = newGridWaits(l, c.n)
	c.waitsFor, c.tried = make([]*mbarrier, c.n), make([]*mbarrier, c.n)
	c.members = make([]uint32, c.n)
	if !l.NoRaces {
		c.counts = map[int][]int32{}
	}
	return c
}

// turn lets the warps run, each until all its threads wait or have left, and lets threads go on that wait for
// each other. It reports whether the block can do nothing more for now: it waits for its cluster or has left.
func (c *block) turn() (done bool) {
	c.runWarps()
	var count [exited + 1]int
	for t := range c.n {
		count[c.state[t]]++
	}
	switch {
	case count[running] > 0:
	case c.openFull(c.n - count[exited]):
	case count[waiting]+count[atMbarrier]+count[atCluster]+count[atWarp] > 0:
		return true
	default:
		if !c.left {
			c.left = true
			c.finish()
		}
		return true
	}
	budget := c.launch.Steps
	if budget == 0 {
		budget = 100_000_000
	}
	if c.steps > budget {
		c.fail(0, "ran %d instructions without an end", c.steps)
	}
	return false
}

// finish checks the block's state when all threads have left.
func (c *block) finish() {
	if c.reached > c.cluster.epoch {
		c.fail(0, "the block leaves while others of its cluster may still use its shared memory")
	}
	for w := range c.products {
		if n := c.products[w].open(); n > 0 {
			c.fail(int32(32*w), "left with %d products under way", n)
		}
	}
	c.endBulk()
}

// turnSteps is the number of instructions that a warp runs, unless turns are random, before the other warps
// get a chance: it may be waiting for them.
const turnSteps = 1 << 20

// watchSteps is the number of instructions that a warp runs before it looks whether the launch's context has
// ended: a millisecond or two.
const watchSteps = 1 << 12

// runGroup runs threads with the same program counter until they diverge, reach the counter of other threads
// (next), or block.
func (c *block) runGroup(grp []int32, next int32, end int) {
	cur := c.pc[grp[0]]
	for c.steps < end && cur < next {
		in := &c.m.code[cur]
		c.at = int(cur)
		c.steps++
		act := grp
		if in.counts && c.globals != nil {
			c.count(grp)
		}
		if in.guard >= 0 {
			act = c.guarded(in, grp)
		}
		if c.tally != nil {
			c.tally.issued(c, in, grp, act)
		}
		if in.kind == kindRun {
			if len(act) > 0 {
				if c.underWay > 0 {
					c.checkProducts(in, act)
				}
				in.run(c, act)
			}
			cur++
			continue
		}
		if in.kind == kindWarp && len(act) == 32 && in.members == nil {
			c.runMembers(in, act)
			cur++
			continue
		}
		for _, t := range grp {
			c.pc[t] = cur + 1
		}
		c.transfer(in, act)
		first := c.pc[grp[0]]
		for _, t := range grp {
			if c.pc[t] != first || c.state[t] != running {
				return
			}
		}
		cur = first
	}
	for _, t := range grp {
		c.pc[t] = cur
	}
}

// guarded returns the threads whose predicate holds.
func (c *block) guarded(in *instr, grp []int32) []int32 {
	act := c.scratch[:0]
	want := uint64(1)
	if in.neg {
		want = 0
	}
	for _, t := range grp {
		if c.regs[in.guard*c.n+int(t)]&1 == want {
			act = append(act, t)
		}
	}
	return act
}

// transfer runs the instructions that change the pc or the state of threads.
func (c *block) transfer(in *instr, act []int32) {
	if r := c.cluster.record; r != nil && len(act) > 0 {
		switch in.kind {
		case kindBarrier:
			r.meets(c, in.barrier, act)
		case kindClusterArrive, kindClusterWait:
			r.meetsCluster(c, in.kind, act)
		}
	}
	for _, t := range act {
		switch in.kind {
		case kindBranch:
			c.pc[t] = int32(in.targets[0])
		case kindExit:
			c.state[t] = exited
		case kindReturn:
			c.returnFrom(t)
		case kindBarrier:
			c.reach(in.barrier, t)
		case kindClusterArrive, kindClusterWait:
			c.meetCluster(in.kind, t)
		case kindCall:
			c.enter(in, t)
		case kindTrap:
			c.fail(t, "trap")
		}
	}
	if in.kind == kindWarp && len(act) > 0 {
		c.gather(in, act)
	}
	if (in.kind == kindTable || in.kind == kindWait) && len(act) > 0 {
		in.run(c, act)
	}
	if in.kind == kindCall && in.call.external != nil && len(act) > 0 {
		in.call.external(c, act)
	}
}

func (c *block) enter(in *instr, t int32) {
	if in.call.external != nil {
		return
	}
	f := c.m.funcs[in.call.callee]
	mem := c.params[int(t)*c.paramSize:]
	for i, a := range in.call.args {
		copy(mem[f.params[i].off:][:f.params[i].size], mem[a.off:][:a.size])
	}
	c.stack[t] = append(c.stack[t], frame{c.pc[t], in.call})
	c.pc[t] = int32(f.start)
}

func (c *block) returnFrom(t int32) {
	s := c.stack[t]
	if len(s) == 0 {
		c.state[t] = exited
		return
	}
	fr := s[len(s)-1]
	c.stack[t] = s[:len(s)-1]
	c.pc[t] = fr.back
	f := c.m.funcs[fr.site.callee]
	mem := c.params[int(t)*c.paramSize:]
	for i, r := range fr.site.rets {
		copy(mem[r.off:][:r.size], mem[f.rets[i].off:][:f.rets[i].size])
	}
}

func (c *block) set(reg int, t int32, v uint64) { c.regs[reg*c.n+int(t)] = v }

// get returns the value of an operand for a thread.
func (o *operand) get(c *block, t int32) uint64 {
	switch o.kind {
	case isReg:
		v := c.regs[o.reg*c.n+int(t)]
		if o.neg {
			return v ^ 1
		}
		return v
	case isSpecial:
		return o.read(c, t)
	}
	return o.imm
}
