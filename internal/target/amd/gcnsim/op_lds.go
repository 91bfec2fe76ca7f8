package gcnsim

import (
	"math/bits"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// buildLDS builds accesses to LDS and the permutations of lanes that go through it.
func buildLDS(p *program, in *gcn.Inst) func(*wave) {
	switch in.Base {
	case "ds_bpermute_b32", "ds_permute_b32":
		return buildPermute(in)
	case "ds_swizzle_b32":
		return buildSwizzle(in)
	case "ds_nop":
		return func(*wave) {}
	}
	if in.Field("gds") != 0 {
		return nil
	}
	if in.TwoOffsets() {
		return buildTwo(in)
	}
	d := newShared(in)
	switch s, ok := shapeOf(in.Base); {
	case ok && s.store:
		d.shape = s
		return d.store
	case ok:
		d.shape = s
		d.parts = []int{int(in.Offset())}
		return d.load
	}
	return d.atomicBuilder(p, in)
}

// shared is an access to LDS.
type shared struct {
	shape
	addr         int
	data, second int // registers, -1 for none
	dst          int
	parts        []int // offsets; of two, the second's data follow the first's
	align        int   // of addresses: ds_read2 and ds_write2 need 4 even in the unaligned access mode
	results      []int
	op           atomicOp
}

func newShared(in *gcn.Inst) *shared {
	d := &shared{data: -1, second: -1, dst: -1, parts: []int{int(in.Offset())}, align: 1}
	a, _ := in.Arg("addr")
	d.addr = vectorOf(a)
	if a, ok := in.Arg("data0"); ok {
		d.data = vectorOf(a)
	}
	if a, ok := in.Arg("data1"); ok {
		d.second = vectorOf(a)
	}
	if a, ok := in.Arg("vdst"); ok {
		d.dst = vectorOf(a)
		d.results = registersOf(a)
	}
	return d
}

// buildTwo builds ds_read2 and ds_write2, whose offsets count elements.
func buildTwo(in *gcn.Inst) func(*wave) {
	d := newShared(in)
	n := 4
	if strings.HasSuffix(in.Base, "b64") {
		n = 8
	}
	scale := n
	if strings.Contains(in.Base, "st64") {
		scale *= 64
	}
	d.shape, d.align = shape{bytes: n}, 4
	d.parts = []int{int(in.Field("offset0")) * scale, int(in.Field("offset1")) * scale}
	switch {
	case strings.Contains(in.Base, "wrxchg"):
		return nil
	case strings.Contains(in.Base, "write"):
		return d.store
	}
	return d.load
}

// begin returns the transfer of the access, without its addresses.
func (d *shared) begin(w *wave, how access, end func(*wave, *transfer)) *transfer {
	exec := w.exec()
	w.needVector(d.addr, 1, exec, "an LDS address")
	t := w.begin(d.results, end)
	t.exec, t.parts, t.bytes, t.how = exec, len(d.parts), d.bytes, how
	return t
}

// find sets the places of a transfer.
func (d *shared) find(w *wave, t *transfer) {
	for part, off := range d.parts {
		for e := t.exec; e != 0; e &= e - 1 {
			lane := bits.TrailingZeros64(e)
			t.addr[part][lane] = uint64(w.v[d.addr][lane]) + uint64(off)
			t.mem[part][lane] = w.shared(t, part, lane, d.align)
		}
	}
	w.issue(t, &w.lgkm)
}

func (d *shared) load(w *wave) { d.find(w, d.begin(w, reads, d.endLoad)) }

func (d *shared) endLoad(w *wave, t *transfer) {
	for part := range d.parts {
		reg, ok := d.dst+part*d.registers(), uint64(0)
		for e := t.exec; e != 0; e &= e - 1 {
			lane := bits.TrailingZeros64(e)
			w.loadLane(d.shape, t.mem[part][lane], reg, lane)
			if w.g.run.lds.known(t.addr[part][lane], d.bytes) {
				ok |= 1 << lane
			}
		}
		w.defineLoad(d.shape, reg, t.exec, ok)
	}
}

func (d *shared) store(w *wave) {
	t := d.begin(w, writes, d.endStore)
	for part, data := range []int{d.data, d.second}[:len(d.parts)] {
		t.ok[part][0] = w.okVector(data, d.registers())
		for e := t.exec; e != 0; e &= e - 1 {
			lane := bits.TrailingZeros64(e)
			w.storeLane(d.shape, t.data[part][lane][:], data, lane)
		}
	}
	d.find(w, t)
}

func (d *shared) endStore(w *wave, t *transfer) {
	for part := range d.parts {
		for e := t.exec; e != 0; e &= e - 1 {
			lane := bits.TrailingZeros64(e)
			copy(t.mem[part][lane], t.stored(part, lane))
			w.g.run.lds.define(t.addr[part][lane], d.bytes, t.ok[part][0]>>lane&1 != 0)
		}
	}
}

// atomicBuilder builds atomics on LDS.
func (d *shared) atomicBuilder(p *program, in *gcn.Inst) func(*wave) {
	compare := strings.Contains(in.Base, "cmpst")
	var n int
	if compare {
		n = 4
		if strings.HasSuffix(in.Base, "64") {
			n = 8
		}
	} else if d.op, n = ldsAtomicOf(in.Base); d.op == nil {
		return nil
	}
	d.shape, d.op = shape{bytes: n}, p.atomic(in.Base, d.op)
	if strings.Contains(in.Base, "cmpstore") { // whose operands are the other way round
		d.data, d.second = d.second, d.data
	}
	d.align = n
	end := func(w *wave, t *transfer) { d.endAtomic(w, t, compare) }
	return func(w *wave) {
		t := d.begin(w, atomics, end)
		w.needVector(d.data, n/4, t.exec, "an operand of an atomic")
		for e := t.exec; e != 0; e &= e - 1 {
			lane := bits.TrailingZeros64(e)
			simmem.Store(t.data[0][lane][:], w.value(d.data, lane, n), n)
			if compare {
				simmem.Store(t.data[0][lane][8:], w.value(d.second, lane, n), n)
			}
		}
		d.find(w, t)
	}
}

// endAtomic runs the lanes of an atomic.
func (d *shared) endAtomic(w *wave, t *transfer, compare bool) {
	n := d.bytes
	for e := t.exec; e != 0; e &= e - 1 {
		lane := bits.TrailingZeros64(e)
		b := t.mem[0][lane]
		old, v := simmem.Load(b, n), t.word(lane, 0, n)
		switch {
		case !compare:
			simmem.Store(b, d.op(old, v), n)
		case old == v:
			simmem.Store(b, t.word(lane, 8, n), n)
		}
		if d.dst >= 0 {
			w.setValue(d.dst, lane, n, old)
		}
	}
	if d.dst >= 0 {
		w.defineLoad(d.shape, d.dst, t.exec, ^uint64(0))
	}
}

// buildPermute builds ds_bpermute_b32, which pulls from lanes, and ds_permute_b32, which pushes to them.
func buildPermute(in *gcn.Inst) func(*wave) {
	d := newShared(in)
	off := int(in.Offset())
	pull := in.Base == "ds_bpermute_b32"
	return func(w *wave) {
		t := w.begin(d.results, d.endPermute)
		exec := w.exec()
		w.needVector(d.addr, 1, exec, "the number of a lane")
		var out [lanes]uint32
		var ok uint64
		data, known := &w.v[d.data], w.vOK[d.data]
		for e := exec; e != 0; e &= e - 1 {
			lane := bits.TrailingZeros64(e)
			other := (int(w.v[d.addr][lane]) + off) / 4 % w.p.lanes
			from, to := other, lane
			if !pull {
				from, to = lane, other
			}
			if exec>>from&1 != 0 { // a lane that is off gives 0
				out[to] = data[from]
			}
			ok |= (known >> from & 1) << to
		}
		t.permuted(exec, ok|bit(!pull)*^uint64(0), &out)
		w.issue(t, &w.lgkm)
	}
}

// permuted keeps what lanes get of other lanes.
func (t *transfer) permuted(exec, ok uint64, out *[lanes]uint32) {
	t.exec, t.ok[0][0] = exec, ok
	for lane, v := range out {
		t.addr[0][lane] = uint64(v)
	}
}

func (d *shared) endPermute(w *wave, t *transfer) {
	for e := t.exec; e != 0; e &= e - 1 {
		lane := bits.TrailingZeros64(e)
		w.v[d.dst][lane] = uint32(t.addr[0][lane])
	}
	w.define(d.dst, t.exec, t.ok[0][0])
}

// buildSwizzle builds ds_swizzle_b32.
func buildSwizzle(in *gcn.Inst) func(*wave) {
	d := newShared(in)
	pattern := int(in.Offset())
	return func(w *wave) {
		t := w.begin(d.results, d.endPermute)
		exec := w.exec()
		data, known := &w.v[d.addr], w.vOK[d.addr]
		var out [lanes]uint32
		var ok uint64
		for e := exec; e != 0; e &= e - 1 {
			lane := bits.TrailingZeros64(e)
			from := swizzle(pattern, lane)
			if exec>>from&1 != 0 {
				out[lane] = data[from]
			}
			ok |= (known>>from&1 | ^exec>>from&1) << lane
		}
		t.permuted(exec, ok, &out)
		w.issue(t, &w.lgkm)
	}
}

// swizzle returns the lane that a lane reads.
func swizzle(pattern, lane int) int {
	if pattern&0x8000 != 0 { // within four lanes
		return lane&^3 | pattern>>(2*(lane&3))&3
	}
	and, or, xor := pattern&31, pattern>>5&31, pattern>>10&31
	return lane&32 | (lane&31&and | or) ^ xor
}
