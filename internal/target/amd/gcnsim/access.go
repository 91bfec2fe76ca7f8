package gcnsim

import (
	"math/bits"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// shape is what a load or store moves for a lane.
type shape struct {
	bytes  int // in all
	signed bool
	store  bool
	high   bool // the upper half of the register
	d16    bool // a load that keeps the other half
}

// sizes are the sizes by the names of global, scratch and buffer accesses, and of accesses to LDS.
var sizes = map[string]shape{
	"ubyte": {bytes: 1}, "sbyte": {bytes: 1, signed: true}, "ushort": {bytes: 2},
	"sshort": {bytes: 2, signed: true},
	"byte":   {bytes: 1}, "short": {bytes: 2}, "dword": {bytes: 4}, "dwordx2": {bytes: 8},
	"dwordx3": {bytes: 12},
	"dwordx4": {bytes: 16},
	"u8":      {bytes: 1}, "i8": {bytes: 1, signed: true}, "u16": {bytes: 2}, "i16": {bytes: 2, signed: true},
	"b8": {bytes: 1}, "b16": {bytes: 2}, "b32": {bytes: 4}, "b64": {bytes: 8}, "b96": {bytes: 12},
	"b128": {bytes: 16},
}

// shapeOf returns the shape of an access such as global_load_short_d16_hi.
func shapeOf(base string) (shape, bool) {
	words := strings.Split(base, "_")
	if len(words) < 3 {
		return shape{}, false
	}
	s, ok := sizes[words[2]]
	s.store = words[1] == "store" || words[1] == "write"
	for _, word := range words[3:] {
		switch word {
		case "d16":
			s.d16 = true
		case "hi":
			s.high = true
		default:
			return shape{}, false
		}
	}
	return s, ok && (s.store || words[1] == "load" || words[1] == "read")
}

// loadLane puts bytes of memory into the registers of a lane.
func (w *wave) loadLane(s shape, b []byte, reg, lane int) {
	switch {
	case s.bytes > 4:
		for i := range s.bytes / 4 {
			w.v[reg+i][lane] = uint32(simmem.Load(b[4*i:], 4))
		}
		return
	case s.bytes == 4:
		w.v[reg][lane] = uint32(simmem.Load(b, 4))
		return
	}
	v := uint32(simmem.Load(b, s.bytes))
	if s.signed {
		shift := 32 - 8*s.bytes
		v = uint32(int32(v<<shift) >> shift)
	}
	old := w.v[reg][lane]
	switch {
	case s.d16 && s.high:
		v = old&0xffff | v<<16
	case s.d16:
		v = old&^0xffff | v&0xffff
	}
	w.v[reg][lane] = v
}

// storeLane puts the registers of a lane into bytes.
func (w *wave) storeLane(s shape, b []byte, reg, lane int) {
	if s.bytes > 4 {
		for i := range s.bytes / 4 {
			simmem.Store(b[4*i:], uint64(w.v[reg+i][lane]), 4)
		}
		return
	}
	v := w.v[reg][lane]
	if s.high {
		v >>= 16
	}
	simmem.Store(b, uint64(v), s.bytes)
}

// registers returns the number of registers of an access.
func (s shape) registers() int { return (s.bytes + 3) / 4 }

// defineLoad notes that the lanes of exec of the registers of a load were written.
func (w *wave) defineLoad(s shape, reg int, exec, ok uint64) {
	for i := range s.registers() {
		w.define(reg+i, exec, ok)
	}
}

// needVector stops the wave where an active lane of a register holds what nothing wrote.
func (w *wave) needVector(reg, n int, exec uint64, what string) {
	if w.g.run.NoUndef {
		return
	}
	for i := range n {
		if bad := exec &^ w.vOK[reg+i]; bad != 0 {
			w.fail(bits.TrailingZeros64(bad), "%s depends on %s, which nothing wrote", what,
				registerName(sgprs+reg+i))
		}
	}
}

// okVector returns the lanes in which all registers hold values.
func (w *wave) okVector(reg, n int) uint64 {
	ok := ^uint64(0)
	for i := range n {
		ok &= w.vOK[reg+i]
	}
	return ok
}

// value returns 4 or 8 bytes of a lane.
func (w *wave) value(reg, lane, n int) uint64 {
	v := uint64(w.v[reg][lane])
	if n == 8 {
		v |= uint64(w.v[reg+1][lane]) << 32
	}
	return v
}

func (w *wave) setValue(reg, lane, n int, v uint64) {
	w.v[reg][lane] = uint32(v)
	if n == 8 {
		w.v[reg+1][lane] = uint32(v >> 32)
	}
}

// memory is an access of an instruction to memory by address: what it does, and its registers.
type memory struct {
	shape
	op       atomicOp
	compare  bool
	data     int                                            // register, -1 for none
	dst      int                                            // -1 for none
	addr     func(w *wave, lane int) (addr uint64, ok bool) // not ok: dropped
	find     func(w *wave, t *transfer, lane int, addr uint64, data []byte) []byte
	results  []int
	check    func(w *wave, exec uint64)
	flat     bool // counts in both queues
	isAtomic bool
	apart    bool // stores are counted apart
	private  bool // scratch, to which compilers spill registers of which only a part holds values
	fresh    bool // does not read the cache of the wave's processor
}

// newMemory returns the access of an instruction whose data lie in the given fields.
func (p *program) newMemory(in *gcn.Inst, dataField, dstField string) *memory {
	m := &memory{data: -1, dst: -1, apart: in.RDNA(), fresh: in.Field("sc0") != 0}
	var ok bool
	if strings.Contains(in.Base, "_atomic_") {
		var n int
		m.op, n, m.compare = atomicOf(in.Base)
		m.isAtomic, m.op = true, p.atomic(in.Base, m.op)
		m.shape = shape{bytes: n}
		if m.op == nil && !m.compare {
			return nil
		}
	} else if m.shape, ok = shapeOf(strings.Replace(in.Base, "_load_lds_", "_load_", 1)); !ok {
		return nil
	}
	if a, ok := in.Arg(dataField); ok && (m.store || m.isAtomic) {
		m.data = vectorOf(a)
	}
	if a, ok := in.Arg(dstField); ok && !m.store && (!m.isAtomic || in.Field("sc0") != 0) {
		m.dst = vectorOf(a)
		m.results = registersOf(gcn.Operand{File: a.File, Code: a.Code, N: m.registers()})
	}
	return m
}

func (t *transfer) what() string {
	switch t.how {
	case atomics:
		return "atomic"
	case writes:
		return "store"
	}
	return "load"
}

func (m *memory) how() access {
	switch {
	case m.isAtomic:
		return atomics
	case m.store:
		return writes
	}
	return reads
}

// run begins the access.
func (m *memory) run(w *wave) {
	exec := w.exec()
	m.check(w, exec)
	t := w.begin(m.results, m.end)
	t.exec, t.parts, t.bytes, t.how, t.anyOrder = exec, 1, m.bytes, m.how(), m.flat
	if m.data >= 0 {
		m.take(w, t)
	}
	for e := exec; e != 0; e &= e - 1 {
		lane := bits.TrailingZeros64(e)
		addr, ok := m.addr(w, lane)
		if t.mem[0][lane] = nil; !ok {
			continue
		}
		if m.isAtomic && addr%uint64(m.bytes) != 0 {
			w.fail(lane, "the address %#x of an atomic is not aligned to %d", addr, m.bytes)
		}
		t.addr[0][lane] = addr
		t.mem[0][lane] = m.find(w, t, lane, addr, t.stored(0, lane))
	}
	queues := []*queue{&w.vm, &w.lgkm}
	if m.apart && m.dst < 0 {
		queues[0] = &w.stores
	}
	if !m.flat {
		queues = queues[:1]
	}
	w.issue(t, queues...)
}

// stored returns what a store writes to a place.
func (t *transfer) stored(part, lane int) []byte {
	if t.how != writes {
		return nil
	}
	return t.data[part][lane][:t.bytes]
}

// take reads the registers whose values go to memory.
func (m *memory) take(w *wave, t *transfer) {
	n := m.registers()
	if m.compare {
		n *= 2
	}
	if !m.private {
		w.needVector(m.data, n, t.exec, "a value that is stored")
	}
	for i := range n {
		t.ok[0][i] = w.vOK[m.data+i]
	}
	s := m.shape
	if m.compare {
		s.bytes *= 2
	}
	for e := t.exec; e != 0; e &= e - 1 {
		lane := bits.TrailingZeros64(e)
		w.storeLane(s, t.data[0][lane][:], m.data, lane)
	}
}

// end moves the data.
func (m *memory) end(w *wave, t *transfer) {
	var lost [4]uint64
	if m.private {
		lost = m.spill(w, t)
	}
	for e := t.exec; e != 0; e &= e - 1 {
		lane := bits.TrailingZeros64(e)
		b := t.mem[0][lane]
		switch {
		case b == nil && m.dst >= 0:
			for i := range m.registers() {
				w.v[m.dst+i][lane] = 0
			}
		case b == nil:
		case m.isAtomic:
			m.atomic(w, t, b, lane)
		case m.store:
			copy(b, t.data[0][lane][:m.bytes])
		default:
			w.loadLane(m.shape, b, m.dst, lane)
		}
	}
	if m.dst >= 0 {
		w.defineLoad(m.shape, m.dst, t.exec, ^uint64(0))
		for i := range m.registers() {
			w.define(m.dst+i, lost[i], 0)
		}
	}
}

// spill notes which words of scratch memory will hold what nothing wrote. For a load it returns the lanes of
// each register that get such words.
func (m *memory) spill(w *wave, t *transfer) (lost [4]uint64) {
	for e := t.exec; e != 0 && (len(w.unknown) > 0 || m.store); e &= e - 1 {
		lane := bits.TrailingZeros64(e)
		at := int(t.addr[0][lane] / 4)
		for i := range m.registers() {
			word := place{at + i, lane}
			switch {
			case !m.store && w.unknown[word]:
				lost[i] |= 1 << lane
			case m.store && t.ok[0][i]>>lane&1 == 0:
				w.unknown[word] = true
			case m.store && len(w.unknown) > 0:
				delete(w.unknown, word)
			}
		}
	}
	return lost
}

func (m *memory) atomic(w *wave, t *transfer, b []byte, lane int) {
	old, v := simmem.Load(b, m.bytes), t.word(lane, 0, m.bytes)
	if m.compare {
		if old == t.word(lane, m.bytes, m.bytes) {
			simmem.Store(b, v, m.bytes)
		}
	} else {
		simmem.Store(b, m.op(old, v), m.bytes)
	}
	if m.dst >= 0 {
		w.setValue(m.dst, lane, m.bytes, old)
	}
}
