package interp

import (
	"slices"
	"testing"
)

// TestRecord: of 4 programs of 2 by 2 elements each, the last two leave the buffer of 10 elements.
func TestRecord(t *testing.T) {
	mem := NewMemory()
	x, o := mem.Alloc(make([]byte, 40), "x_ptr"), mem.Alloc(make([]byte, 64), "o_ptr")
	d := NewDevice(DeviceOptions{})
	r := d.Record()
	err := launch(t, loadStore, [3]int{4, 1, 1}, Options{Workers: 2, Record: r}, mem, x, o, 0)
	wantFault(t, err, `
kernel.py:12:5: out of bounds load of 4 bytes at offset 40 of buffer "x_ptr" (40 bytes), element (1, 0)
    tt.load in k, program (2, 0, 0)
    called at kernel.py:30:12`)

	if n := len(r.Faults()); n != 2 || r.Faults()[1].Program != [3]int{3, 0, 0} {
		t.Errorf("%d faults, want those of programs 2 and 3: %v", n, r.Faults())
	}
	sites := r.Sites()
	if len(sites) != 2 || sites[0].What != "load" || sites[1].What != "store" {
		t.Fatalf("sites %+v, want a load and a store", sites)
	}
	if s := sites[0]; s.Lanes != 16 || s.Active != 16 || !slices.Equal(s.Places, []string{"kernel.py:12:5",
		"kernel.py:30:12"}) {
		t.Errorf("the load is %+v", *s)
	}
	if s := sites[1]; s.Lanes != 8 { // programs 2 and 3 do not get there
		t.Errorf("the store has %d lanes, want 8", s.Lanes)
	}
	tile := func(program int64, site int, b *Buffer, offset int64, n int, out bool) Tile {
		return Tile{Program: program, Site: site, Buffer: b.Addr(), Offset: offset, Size: 4, Count: n,
			Rows: 1, Out: out}
	}
	want := []Tile{
		tile(0, 0, x, 0, 4, false), tile(0, 1, o, 0, 4, false),
		tile(1, 0, x, 16, 4, false), tile(1, 1, o, 16, 4, false),
		tile(2, 0, x, 32, 2, false), tile(2, 0, x, 40, 2, true),
		tile(3, 0, x, 48, 4, true),
	}
	if got := r.Tiles(); !slices.Equal(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if r.Dropped() != 0 {
		t.Errorf("%d tiles dropped", r.Dropped())
	}
}

// TestTileJoin: rows a constant distance apart are one tile.
func TestTileJoin(t *testing.T) {
	at := func(offset int64, n int) Tile { return Tile{Offset: offset, Size: 2, Count: n, Rows: 1} }
	tile := at(100, 8)
	for i := range 3 {
		if !tile.join(at(100+64*int64(i+1), 8)) {
			t.Fatalf("row %d does not join %+v", i+1, tile)
		}
	}
	if want := (Tile{Offset: 100, Size: 2, Count: 8, Rows: 4, Stride: 64}); tile != want {
		t.Errorf("got %+v, want %+v", tile, want)
	}
	for _, n := range []Tile{at(100+64*5, 8), at(100+64*4, 7),
		{Offset: 100 + 64*4, Size: 2, Count: 8, Rows: 1, Out: true}} {
		if tile.join(n) {
			t.Errorf("%+v joined %+v", n, tile)
		}
	}
	line := at(0, 4)
	if !line.join(at(8, 2)) || line.Count != 6 || line.Rows != 1 {
		t.Errorf("neighbours make %+v, want one row of 6", line)
	}
}
