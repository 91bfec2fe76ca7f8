package gcnsim

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// TestBufferEnds: an access through a buffer descriptor that does not lie inside to its last byte reads zeros
// and writes nothing, wherever it begins.
func TestBufferEnds(t *testing.T) {
	const records, room = 40, 64
	for _, c := range []struct {
		name     string
		op, size int
		store    bool
	}{{"buffer_load_dword", 20, 4, false}, {"buffer_load_dwordx2", 21, 8, false},
		{"buffer_load_dwordx3", 22, 12, false}, {"buffer_load_dwordx4", 23, 16, false},
		{"buffer_store_dword", 28, 4, true}, {"buffer_store_dwordx2", 29, 8, true},
		{"buffer_store_dwordx3", 30, 12, true}, {"buffer_store_dwordx4", 31, 16, true}} {
		for at := 20; at < 48; at += 4 {
			regs := fmt.Sprintf("v[4:%d]", 3+c.size/4)
			if c.size == 4 {
				regs = "v4"
			}
			low := uint32(0xe0000000 | c.op<<18 | 1<<12)
			high := uint32(2 | 4<<8 | 2<<16 | 0x80<<24)
			code := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, low), high)
			w, decode := newTestWave(t)
			s := decode(c.name+" "+regs+", v2, s[8:11], 0 offen", code...)
			w.g.run.m, w.g.run.Memory = &Module{Object: &gcn.Object{}}, NewMemory()
			mem := bytes.Repeat([]byte{7}, room)
			addr := w.g.run.Memory.Alloc(mem)
			for i, v := range []uint32{uint32(addr), uint32(addr >> 32), records, 0} {
				w.s[8+i] = v
				w.sUndef[8+i] = 0
			}
			for r := range 6 {
				w.define(2+r, ^uint64(0), ^uint64(0))
			}
			w.setPair(gcn.Exec, 1)
			w.v[2][0] = uint32(at)
			for r := range 4 {
				w.v[4+r][0] = 0x09090909
			}
			s.run(w)
			w.drain()
			inside := at+c.size <= records
			for i := range mem {
				want := byte(7)
				if c.store && inside && i >= at && i < at+c.size {
					want = 9
				}
				if mem[i] != want {
					t.Errorf("%s at %d of %d: byte %d is %d, not %d", c.name, at, records, i, mem[i], want)
					break
				}
			}
			want := uint32(0)
			if inside {
				want = 0x07070707
			}
			if got := w.v[4][0]; !c.store && got != want {
				t.Errorf("%s at %d of %d reads %#x, not %#x", c.name, at, records, got, want)
			}
		}
	}
}
