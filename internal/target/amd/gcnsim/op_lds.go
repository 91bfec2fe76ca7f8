package gcnsim

import (
	"math/bits"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// buildLDS builds accesses to LDS and the permutations of lanes that go through it.
func buildLDS(_ *program, in *gcn.Inst) func(*wave) {
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
	return d.atomicBuilder(in)
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

func (d *shared) load(w *wave) {
	exec := w.exec()
	w.needVector(d.addr, 1, exec, "an LDS address")
	var spans []span
	for part, off := range d.parts {
		reg, ok := d.dst+part*d.registers(), uint64(0)
		for e := exec; e != 0; e &= e - 1 {
			lane := bits.TrailingZeros64(e)
			addr := uint64(uint32(w.v[d.addr][lane])) + uint64(off)
			b := w.shared(lane, addr, d.bytes, d.align, false)
			w.spare(d, part, lane, b)
			if w.g.run.lds.known(addr, d.bytes) {
				ok |= 1 << lane
			}
			spans = append(spans, span{int(addr), d.bytes, false})
		}
		w.takeSpare(d, part, exec)
		w.defineLoad(d.shape, reg, exec, ok)
	}
	w.issue(&w.lgkm, access{regs: d.results, bytes: spans})
}

// spare keeps what a lane read until all have: the result's registers may hold the addresses.
func (w *wave) spare(d *shared, part, lane int, b []byte) {
	copy(w.spares[part][lane][:], b)
}

func (w *wave) takeSpare(d *shared, part int, exec uint64) {
	if part < len(d.parts)-1 {
		return
	}
	for p := range d.parts {
		for e := exec; e != 0; e &= e - 1 {
			lane := bits.TrailingZeros64(e)
			w.loadLane(d.shape, w.spares[p][lane][:d.bytes], d.dst+p*d.registers(), lane)
		}
	}
}

func (d *shared) store(w *wave) {
	exec := w.exec()
	w.needVector(d.addr, 1, exec, "an LDS address")
	var spans []span
	for part, off := range d.parts {
		data := d.data
		if part == 1 {
			data = d.second
		}
		ok := w.okVector(data, d.registers())
		for e := exec; e != 0; e &= e - 1 {
			lane := bits.TrailingZeros64(e)
			addr := uint64(w.v[d.addr][lane]) + uint64(off)
			var b [16]byte
			w.storeLane(d.shape, b[:], data, lane)
			w.write(lane, addr, b[:d.bytes], d.align)
			w.g.run.lds.define(addr, d.bytes, ok>>lane&1 != 0)
			spans = append(spans, span{int(addr), d.bytes, true})
		}
	}
	w.issue(&w.lgkm, access{bytes: spans})
}

// atomicBuilder builds atomics on LDS.
func (d *shared) atomicBuilder(in *gcn.Inst) func(*wave) {
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
	d.shape = shape{bytes: n}
	if strings.Contains(in.Base, "cmpstore") { // whose operands are the other way round
		d.data, d.second = d.second, d.data
	}
	return func(w *wave) {
		exec := w.exec()
		w.needVector(d.addr, 1, exec, "an LDS address")
		w.needVector(d.data, n/4, exec, "an operand of an atomic")
		for e := exec; e != 0; e &= e - 1 {
			lane := bits.TrailingZeros64(e)
			addr := uint64(w.v[d.addr][lane]) + uint64(d.parts[0])
			d.atomic(w, lane, addr, compare)
		}
		if d.dst >= 0 {
			w.defineLoad(d.shape, d.dst, exec, ^uint64(0))
		}
		w.issue(&w.lgkm, access{regs: d.results})
	}
}

// atomic runs a lane of an atomic. Atomics need no order among themselves, so they leave no mark for races.
func (d *shared) atomic(w *wave, lane int, addr uint64, compare bool) {
	l := w.g.run.lds
	if addr+uint64(d.bytes) > uint64(len(l.data)) || addr%uint64(d.bytes) != 0 {
		w.fail(lane, "atomic of %d bytes at LDS address %#x of %d, not aligned or outside", d.bytes, addr,
			len(l.data))
	}
	b := l.data[addr:][:d.bytes]
	old, v := simmem.Load(b, d.bytes), w.value(d.data, lane, d.bytes)
	switch {
	case !compare:
		simmem.Store(b, d.op(old, v), d.bytes)
	case old == v:
		simmem.Store(b, w.value(d.second, lane, d.bytes), d.bytes)
	}
	if d.dst >= 0 {
		w.setValue(d.dst, lane, d.bytes, old)
	}
}

// buildPermute builds ds_bpermute_b32, which pulls from lanes, and ds_permute_b32, which pushes to them.
func buildPermute(in *gcn.Inst) func(*wave) {
	d := newShared(in)
	off := int(in.Offset())
	pull := in.Base == "ds_bpermute_b32"
	return func(w *wave) {
		exec := w.exec()
		w.needVector(d.addr, 1, exec, "the number of a lane")
		var out [lanes]uint32
		var ok uint64
		data, known := w.v[d.data], w.vOK[d.data]
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
		for e := exec; e != 0; e &= e - 1 {
			lane := bits.TrailingZeros64(e)
			w.v[d.dst][lane] = out[lane]
		}
		w.define(d.dst, exec, ok|bit(!pull)*^uint64(0))
		w.issue(&w.lgkm, access{regs: d.results})
	}
}

// buildSwizzle builds ds_swizzle_b32.
func buildSwizzle(in *gcn.Inst) func(*wave) {
	d := newShared(in)
	pattern := int(in.Offset())
	return func(w *wave) {
		exec := w.exec()
		data, known := w.v[d.addr], w.vOK[d.addr]
		var ok uint64
		for e := exec; e != 0; e &= e - 1 {
			lane := bits.TrailingZeros64(e)
			from := swizzle(pattern, lane)
			w.v[d.dst][lane] = 0
			if exec>>from&1 != 0 {
				w.v[d.dst][lane] = data[from]
			}
			ok |= (known>>from&1 | ^exec>>from&1) << lane
		}
		w.define(d.dst, exec, ok)
		w.issue(&w.lgkm, access{regs: d.results})
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
