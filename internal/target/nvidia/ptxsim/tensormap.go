package ptxsim

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// TensorMapBytes is the size of a tensor map.
const TensorMapBytes = 128

// TensorMap describes a tensor for bulk tensor copies. NVIDIA does not say what its 128 bytes hold; here they
// are, little endian:
//
//	0   address, 8 bytes
//	8   rank less 1, element type, interleave, swizzle, fill: a byte each, numbered as in tensormap.replace
//	16  sizes, 4 bytes each, of up to 5 dimensions, the contiguous one first
//	36  box, likewise
//	56  element strides, likewise
//	80  strides in bytes, 8 bytes each, of the dimensions behind the first
type TensorMap struct {
	Address uint64
	Type    int      // number of tensormap.replace.elemtype
	Swizzle int      // bytes: 0, 32, 64, 128
	NaN     bool     // what lies outside is NaN, not 0
	Dims    []uint64 // in elements, the contiguous one first
	Strides []uint64 // in bytes, of the dimensions behind the first
	Box     []uint32
}

const (
	mapRank, mapType, mapInterleave, mapSwizzle, mapFill = 8, 9, 10, 11, 12
	mapDims, mapBox, mapSteps, mapStrides                = 16, 36, 56, 80

	maxRank = 5
)

// mapTypes holds the element types by their numbers.
var mapTypes = []string{"u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f32", "f64", "bf16", "f32",
	"f32"}

// TypeOfDriver returns the number that PTX has for an element type of the driver, CUtensorMapDataType.
func TypeOfDriver(t int) int {
	switch t {
	case 8, 9: // f64, bf16
		return t + 1
	case 10: // f32, without denormals
		return 8
	}
	return t
}

// Encode returns the map as bytes.
func (m *TensorMap) Encode() []byte {
	b := make([]byte, TensorMapBytes)
	le := binary.LittleEndian
	le.PutUint64(b, m.Address)
	b[mapRank], b[mapType], b[mapSwizzle] = byte(len(m.Dims)-1), byte(m.Type),
		byte(slices.Index(swizzles, m.Swizzle))
	if m.NaN {
		b[mapFill] = 1
	}
	for i := range m.Dims {
		le.PutUint32(b[mapDims+4*i:], uint32(m.Dims[i]))
		le.PutUint32(b[mapBox+4*i:], m.Box[i])
		le.PutUint32(b[mapSteps+4*i:], 1)
	}
	for i, s := range m.Strides {
		le.PutUint64(b[mapStrides+8*i:], s)
	}
	return b
}

var swizzles = []int{0, 32, 64, 128}

// decodeTensorMap reads a map and checks what the hardware demands of it.
func decodeTensorMap(b []byte) (*TensorMap, error) {
	le := binary.LittleEndian
	m := &TensorMap{Address: le.Uint64(b), Type: int(b[mapType]), NaN: b[mapFill] == 1}
	rank := int(b[mapRank]) + 1
	switch {
	case rank > maxRank || m.Type >= len(mapTypes) || int(b[mapSwizzle]) >= len(swizzles) ||
		b[mapInterleave] != 0 || b[mapFill] > 1:
		return nil, fmt.Errorf("no tensor map: rank %d, type %d, interleave %d, swizzle %d, fill %d",
			rank, m.Type, b[mapInterleave], b[mapSwizzle], b[mapFill])
	case m.Address%16 != 0:
		return nil, fmt.Errorf("the tensor's address %#x is not aligned to 16", m.Address)
	}
	m.Swizzle = swizzles[b[mapSwizzle]]
	for i := range rank {
		dim, box := uint64(le.Uint32(b[mapDims+4*i:])), le.Uint32(b[mapBox+4*i:])
		if dim == 0 { // 2^32 has no bits left
			dim = 1 << 32
		}
		if box == 0 || box > 256 || le.Uint32(b[mapSteps+4*i:]) != 1 {
			return nil, fmt.Errorf("dimension %d: a box of %d, steps of %d",
				i, box, le.Uint32(b[mapSteps+4*i:]))
		}
		m.Dims, m.Box = append(m.Dims, dim), append(m.Box, box)
	}
	for i := range rank - 1 {
		s := le.Uint64(b[mapStrides+8*i:])
		if s%16 != 0 || s >= 1<<40 {
			return nil, fmt.Errorf("the stride of %d bytes is no multiple of 16 below 2^40", s)
		}
		m.Strides = append(m.Strides, s)
	}
	row := int(m.Box[0]) * m.elem()
	if row%16 != 0 || m.Swizzle > 0 && row > m.Swizzle {
		return nil, fmt.Errorf("rows of %d bytes: a multiple of 16 and, with a swizzle of %d, not more "+
			"than that",
			row, m.Swizzle)
	}
	return m, nil
}

func (m *TensorMap) typ() typ  { return types[mapTypes[m.Type]] }
func (m *TensorMap) elem() int { return m.typ().bits / 8 }

// bytes returns the size of a box in shared memory.
func (m *TensorMap) bytes() int {
	n := m.elem()
	for _, b := range m.Box {
		n *= int(b)
	}
	return n
}

// place returns where a byte of a box lies that begins at an address of shared memory. The swizzle exchanges
// units of 16 bytes by the bits of the address above the 128 bytes.
func (m *TensorMap) place(to uint64, off int) uint64 {
	at := to + uint64(off)
	if m.Swizzle == 0 {
		return at
	}
	return at ^ at>>3&uint64((m.Swizzle/16-1)<<4)
}

// rows calls f for each part of a row of a box that lies in the tensor: n bytes at an address, and at off of
// the box, its elements in order.
func (m *TensorMap) rows(at []int64, f func(addr uint64, off, n int)) {
	elem := int64(m.elem())
	lo, hi := max(0, -at[0]), min(int64(m.Box[0]), int64(m.Dims[0])-at[0])
	if hi <= lo {
		return
	}
	row := int(int64(m.Box[0]) * elem)
	index := make([]uint32, len(m.Box))
	for off := 0; ; off += row {
		addr, in := m.Address+uint64((at[0]+lo)*elem), true
		for d := 1; d < len(m.Box); d++ {
			x := at[d] + int64(index[d])
			in = in && x >= 0 && uint64(x) < m.Dims[d]
			addr += uint64(x) * m.Strides[d-1]
		}
		if in {
			f(addr, off+int(lo*elem), int((hi-lo)*elem))
		}
		d := 1
		for ; d < len(m.Box); d++ {
			if index[d]++; index[d] < m.Box[d] {
				break
			}
			index[d] = 0
		}
		if d == len(m.Box) {
			return
		}
	}
}

// filled returns a box of what lies outside of the tensor.
func (m *TensorMap) filled() []byte {
	out := make([]byte, m.bytes())
	if t := m.typ(); m.NaN && t.kind == 'f' {
		n := m.elem()
		for i := 0; i < len(out); i += n {
			simmem.Store(out[i:], t.bitsOf(math.NaN()), n)
		}
	}
	return out
}

var tensormapOps = map[string]decoder{"tensormap": tensormapOp}

// tensormapOp decodes tensormap.replace and tensormap.cp_fenceproxy.
func tensormapOp(s *stmt) (action, error) {
	switch {
	case s.has("replace"):
		return replaceField(s)
	case s.has("cp_fenceproxy"):
		return publishMap(s)
	}
	return nil, fmt.Errorf("tensormap.%s is not known", strings.Join(s.parts, "."))
}

// mapFields holds where tensormap.replace writes, how many bytes, and whether the field is one of a list.
var mapFields = map[string]struct {
	at, size int
	list     bool
}{
	"global_address": {0, 8, false}, "rank": {mapRank, 1, false}, "elemtype": {mapType, 1, false},
	"interleave_layout": {mapInterleave, 1, false},
	"swizzle_mode":      {mapSwizzle, 1, false}, "fill_mode": {mapFill, 1, false},
	"global_dim": {mapDims, 4, true}, "box_dim": {mapBox, 4, true},
	"element_stride": {mapSteps, 4, true}, "global_stride": {mapStrides, 8, true},
}

func replaceField(s *stmt) (action, error) {
	var name string
	for _, p := range s.parts {
		if _, ok := mapFields[p]; ok {
			name = p
		}
	}
	f, ok := mapFields[name]
	if !ok || !s.has("tile") || !s.has("b1024") {
		return nil, fmt.Errorf("this field is not known")
	}
	want := 2
	if f.list {
		want = 3
	}
	if len(s.ops) != want {
		return nil, fmt.Errorf("%d operands, not %d", len(s.ops), want)
	}
	b, off, err := s.base(0)
	if err != nil {
		return nil, err
	}
	value, index, sp := s.src(want-1, s.typ()), 0, s.space()
	if f.list {
		if index = int(s.ops[1].imm); s.ops[1].kind != isImm || index >= maxRank || name == "global_stride" &&
			index == maxRank-1 {
			return nil, fmt.Errorf("there is no number %d of %s", index, name)
		}
	}
	return func(c *block, act []int32) {
		for _, t := range act {
			at := s.shorten(sp, b.get(c, t)+off)
			if at%TensorMapBytes != 0 {
				c.fail(t, "a tensor map at %#x, which is not aligned to 128", at)
			}
			simmem.Store(c.bytes(sp, t, at+uint64(f.at+f.size*index), f.size, true), value.get(c, t), f.size)
			c.settle()
		}
	}, nil
}

// publishMap decodes tensormap.cp_fenceproxy: a warp copies a map from shared to global memory.
func publishMap(s *stmt) (action, error) {
	if err := s.need(3); err != nil {
		return nil, err
	}
	to, toOff, err := s.base(0)
	if err != nil {
		return nil, err
	}
	from, err := s.sharedAddress(1)
	if s.ops[2].imm != TensorMapBytes {
		return nil, fmt.Errorf("%d bytes", s.ops[2].imm)
	}
	return func(c *block, act []int32) {
		if len(act) != 32 {
			c.fail(act[0], "tensormap.cp_fenceproxy with %d threads of a warp", len(act))
		}
		for _, t := range act[:c.readersOfMap()] { // which of them copies is nobody's promise
			c.bytes(shared, t, from(c, t), TensorMapBytes, false)
		}
		c.meet(act)
		t := act[0]
		addr := to.get(c, t) + toOff
		copy(c.bytes(global, t, addr, TensorMapBytes, true),
			c.bytes(shared, t, from(c, t), TensorMapBytes, false))
		c.settle()
		c.replaceMap(t, addr)
		c.meet(act)
	}, err
}

// replaceMap forgets who may use a map that a thread makes anew. Copies that used the old one must come
// before: a copy that is issued later would take its tensor from the new one.
func (c *block) replaceMap(t int32, addr uint64) {
	delete(c.cluster.maps, addr)
	if c.races == nil {
		return
	}
	if r := c.cluster.mapUses[addr].unordered(c.cluster.clocks, c.global(t)); r != nil {
		c.fail(t, "the tensor map at %#x is made anew; a copy of thread %d uses it (%s), and no barrier "+
			"lies between", addr, r.thread%int32(c.n), c.m.where(r.at))
	}
	delete(c.cluster.mapUses, addr)
}

// readersOfMap returns how many lanes of a warp may copy a map: all, since nothing says which does.
func (c *block) readersOfMap() int {
	if c.launch.Lax {
		return 0
	}
	return 32
}

// acquireMap decodes fence.proxy.tensormap::generic.acquire: copies of the thread, and of those behind it,
// see the map in global memory.
func acquireMap(s *stmt) (action, error) {
	if err := s.need(1); err != nil {
		return nil, err
	}
	b, off, err := s.base(0)
	return func(c *block, act []int32) {
		if c.races == nil {
			return
		}
		for _, t := range act {
			addr := b.get(c, t) + off
			if c.cluster.maps == nil {
				c.cluster.maps = map[uint64]*readers{}
			}
			c.cluster.maps[addr] = c.cluster.maps[addr].add(c.cluster.clocks, c.global(t), int32(c.at), false)
		}
	}, err
}

// tensorMap returns the map at a generic address: an argument of the kernel, or in global memory.
func (c *block) tensorMap(t int32, addr uint64) *TensorMap {
	if addr%64 != 0 {
		c.fail(t, "a tensor map at %#x, which is not aligned to 64", addr)
	}
	var data []byte
	if addr&windowMask == paramBase {
		at := addr &^ windowMask
		if at+TensorMapBytes > uint64(c.paramSize) {
			c.fail(t, "a tensor map at %#x of %d bytes of parameters", at, c.paramSize)
		}
		data = c.params[int(t)*c.paramSize+int(at):][:TensorMapBytes]
	} else {
		var err error
		if data, err = c.launch.Memory.At(addr, TensorMapBytes); err != nil {
			c.fail(t, "a tensor map: %v", err)
		}
		if c.races != nil && !c.cluster.maps[addr].anyBefore(c.cluster.clocks, c.global(t)) {
			c.fail(t, "the tensor map at %#x was not made visible by fence.proxy.tensormap", addr)
		}
		if c.races != nil {
			if c.cluster.mapUses == nil {
				c.cluster.mapUses = map[uint64]*readers{}
			}
			old := c.cluster.mapUses[addr]
			c.cluster.mapUses[addr] = old.add(c.cluster.clocks, c.global(t), int32(c.at), false)
		}
	}
	m, err := decodeTensorMap(data)
	if err != nil {
		c.fail(t, "%v", err)
	}
	return m
}

// anyBefore reports whether some access comes before what a thread does now.
func (r *readers) anyBefore(k *clocks, thread int32) bool {
	for ; r != nil; r = r.before {
		if k.before(r.thread, r.time, thread) {
			return true
		}
	}
	return false
}
