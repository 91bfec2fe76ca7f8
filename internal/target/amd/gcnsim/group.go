package gcnsim

import (
	"math/bits"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// lanes is the size of a wave.
const lanes = 64

// group is a workgroup.
type group struct {
	run   *run
	id    [3]int
	waves []*wave
	first uint32 // epoch

	record *record // nil unless all interleavings are asked for
	ranks  []int   // ranks of waves, the first of which goes first
}

// group runs a workgroup.
func (r *run) group(id [3]int) error {
	g := &group{run: r, id: id}
	r.lds.clear()
	r.accesses.begin()
	r.epoch++
	g.first = r.epoch
	for i := range (r.Threads + r.p.lanes - 1) / r.p.lanes {
		g.waves = append(g.waves, newWave(g, i))
	}
	if n := r.Order.States; n > 0 {
		g.record = newRecord(len(g.waves), n)
	}
	for g.running() {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		for _, t := range g.turns() {
			if err := g.turn(t); err != nil {
				return err
			}
		}
	}
	if g.record != nil {
		return g.explore()
	}
	return nil
}

// running reports whether waves are left to run. Where all wait at a barrier, they pass it.
func (g *group) running() bool {
	alive, waiting := 0, 0
	for _, w := range g.waves {
		if !w.done {
			alive++
		}
		if w.waiting {
			waiting++
		}
	}
	if alive > 0 && waiting == alive {
		g.barrier()
	}
	return alive > 0
}

// barrier lets all waves of the workgroup pass.
func (g *group) barrier() {
	g.run.epoch++
	for _, w := range g.waves {
		w.waiting = false
		w.passBarrier()
	}
}

// turn runs a wave until it waits, ends or has had its share.
func (g *group) turn(t turn) (err error) {
	w := t.wave
	defer func() {
		if x := recover(); x != nil {
			f, ok := x.(*fault)
			if !ok {
				panic(x)
			}
			err = g.faultOf(w, f)
		}
	}()
	steps, random := w.p.steps, g.run.Order.Ends == Random
	for range t.steps {
		if w.pc < 0 || w.pc >= len(steps) {
			w.fail(-1, "the wave runs past the end of its code")
		}
		w.at = w.pc
		s := &steps[w.pc]
		w.pc++
		if w.busy > 0 {
			w.checkBusy(s)
		}
		if y := g.run.tally; y != nil {
			y.issued(w, s)
		}
		s.run(w)
		if random {
			w.endSome()
		}
		w.count++
		if s.vector {
			w.lanes += uint64(bits.OnesCount64(w.exec()))
		} else {
			w.lanes++
		}
		if w.done || w.waiting {
			break
		}
	}
	if w.count > g.run.steps {
		w.fail(-1, "the wave has run %d instructions without an end", w.count)
	}
	if w.done {
		g.run.add(w)
	}
	return nil
}

func (r *run) add(w *wave) {
	if r.Count != nil {
		r.Count.Instructions += uint64(w.count)
		r.Count.Lanes += w.lanes
	}
}

func (g *group) faultOf(w *wave, f *fault) *Fault {
	in := w.p.steps[min(w.at, len(w.p.steps)-1)].in
	return &Fault{Kernel: g.run.Kernel, Program: g.id, Wave: w.id, Lane: f.lane, Msg: f.msg, Race: f.race,
		Wait: f.wait, Other: g.run.place(w, f.other),
		Access: f.access, Addr: in.Addr, Text: in.String(), Place: g.run.m.Object.Place(in.Addr)}
}

// wave is a wave of a workgroup and its registers.
type wave struct {
	g             *group
	p             *program
	id            int
	pc, at        int // the next step, the one that runs
	count         int
	lanes         uint64 // lanes that instructions ran in
	done, waiting bool

	s      [sgprs]uint32
	sUndef [sgprs]uint32 // bits that nothing wrote
	sCut   [sgprs]uint32 // bits that an and with 0xffff took off a word
	scc    bool
	sccUn  bool // scc depends on what nothing wrote
	v      [][lanes]uint32
	vOK    []uint64 // lanes of each register that something wrote
	// spilled holds, for words that v_writelane_b32 put into lanes, the bits that nothing wrote: compilers
	// spill masks there, in which only the bits of some lanes have values.
	spilled map[place]uint32
	// plain holds the values of lanes that stay floats in a ring: see ring.go
	plain map[place]uint32
	mode  uint32

	vm, lgkm queue
	stores   queue  // stores in flight on RDNA, which counts them apart
	busy     int    // registers that a load under way writes
	begun    int    // transfers so far
	toLDS    int    // loads to LDS under way
	fresh    uint32 // the epoch in which the wave's cache was last emptied
	pending  [regs]uint8

	last    simmem.Span // where the last access to global memory was
	scratch []byte
	unknown map[place]bool   // words of scratch, in the lanes' own, that hold what nothing wrote
	buf     [4][lanes]uint64 // sources of an instruction
	product *product
}

// place is a lane of a vector register.
type place struct{ reg, lane int }

// Numbers of registers: those of a wave's bookkeeping are SGPRs, then VGPRs, then AGPRs.
const (
	sgprs   = 128
	vectors = 256
	regs    = sgprs + 2*vectors
)

func newWave(g *group, id int) *wave {
	p := g.run.p
	w := &wave{g: g, p: p, id: id, v: make([][lanes]uint32, p.vectors), vOK: make([]uint64, p.vectors),
		mode: p.mode,
		pc:   p.entry, fresh: g.run.epoch}
	for i := range w.sUndef {
		w.sUndef[i] = ^uint32(0)
	}
	if n := p.kernel.Scratch; n > 0 {
		w.scratch, w.unknown = make([]byte, n*lanes), map[place]bool{}
	}
	w.sUndef[gcn.Null] = 0
	w.setPair(gcn.Exec, g.firstExec(id))
	w.setPair(gcn.VCC, 0)
	w.setS(gcn.M0, 0)
	for i := range lanes {
		w.v[0][i] = uint32(id*p.lanes + i)
	}
	w.vOK[0] = ^uint64(0)
	w.sccUn = true
	w.userRegisters()
	return w
}

// firstExec returns the lanes of a wave that hold threads.
func (g *group) firstExec(id int) uint64 {
	return ^uint64(0) >> (lanes - min(g.run.Threads-id*g.run.p.lanes, g.run.p.lanes))
}

// userRegisters sets the SGPRs that the kernel's descriptor asks for.
func (w *wave) userRegisters() {
	r, d := w.g.run, &w.p.kernel.Descriptor
	at := 0
	for _, u := range d.Users() {
		if u.What == gcn.KernargPtr {
			w.setPair(u.SGPR, r.kernarg)
		}
		at = u.SGPR + u.N
	}
	n, from := d.Preload()
	for i := range n {
		if off := 4 * (from + i); off+4 <= len(r.packed) {
			w.setS(at+i, uint32(simmem.Load(r.packed[off:], 4)))
		}
	}
	at = d.UserSGPRs()
	for i, want := range d.WorkgroupIDs() {
		if want {
			w.setS(at, uint32(w.g.id[i]))
			at++
		}
	}
}

func (w *wave) setS(reg int, v uint32) {
	if reg != gcn.Null { // which stays 0
		w.s[reg], w.sUndef[reg], w.sCut[reg] = v, 0, 0
	}
}

func (w *wave) setPair(reg int, v uint64) {
	w.setS(reg, uint32(v))
	w.setS(reg+1, uint32(v>>32))
}

func (w *wave) pair(reg int) uint64 { return uint64(w.s[reg]) | uint64(w.s[reg+1])<<32 }

// mask returns a register, or pair, that has a bit for each lane, and its bits that nothing wrote.
func (w *wave) mask(reg int) (v, undef uint64) {
	if w.p.lanes == 32 {
		return uint64(w.s[reg]), uint64(w.sUndef[reg])
	}
	return w.pair(reg), uint64(w.sUndef[reg]) | uint64(w.sUndef[reg+1])<<32
}

func (w *wave) exec() uint64 {
	v, _ := w.mask(gcn.Exec)
	return v
}
