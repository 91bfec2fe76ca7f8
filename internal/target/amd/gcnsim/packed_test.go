package gcnsim

import (
	"encoding/binary"
	"testing"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// TestPackedHalves: of v_pk_add_f32 v[10:11], v[12:13], s[4:5], a word that nothing wrote spoils its own half
// of the result alone.
func TestPackedHalves(t *testing.T) {
	set, err := gcn.SetOf("gfx942")
	if err != nil {
		t.Fatal(err)
	}
	word := uint64(0xd3b2400a) | (uint64(256+12)|4<<9|3<<27)<<32
	in, err := set.Decode(binary.LittleEndian.AppendUint64(nil, word), 0)
	if err != nil || in.String() != "v_pk_add_f32 v[10:11], v[12:13], s[4:5]" {
		t.Fatalf("%v, %v", in, err)
	}
	p := &program{lanes: lanes, vectors: 1}
	s := p.prepare(in)
	for undefined, want := range [][2]uint64{{0, ^uint64(0)}, {^uint64(0), 0}} {
		w := &wave{p: p, mode: modeKeep, v: make([][lanes]uint32, p.vectors), vOK: make([]uint64, p.vectors)}
		w.setPair(gcn.Exec, ^uint64(0))
		w.vOK[12], w.vOK[13] = ^uint64(0), ^uint64(0)
		w.sUndef[4+undefined] = ^uint32(0)
		s.run(w)
		if got := [2]uint64{w.vOK[10], w.vOK[11]}; got != want {
			t.Errorf("without s%d the result is known in lanes %x, expected %x", 4+undefined, got, want)
		}
	}
}
