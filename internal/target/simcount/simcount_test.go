package simcount

import "testing"

// TestAccess: rows that share a piece count it once, and a row that straddles two counts both.
func TestAccess(t *testing.T) {
	for _, c := range []struct {
		piece uint64
		rows  []Row
		want  Work
	}{
		{32, []Row{{64, 4}, {68, 4}, {92, 4}}, Work{Loaded: 12, Sectors: 1, Least: 1}},
		{32, []Row{{30, 4}, {128, 32}}, Work{Loaded: 36, Sectors: 3, Least: 2}},
		{64, []Row{{30, 4}, {128, 32}}, Work{Loaded: 36, Sectors: 2, Least: 1}},
		{64, []Row{{0, 0}}, Work{}},
		{64, nil, Work{}},
	} {
		var got Work
		g := Global{Piece: c.piece}
		if g.Access(&got, c.rows, false); got != c.want {
			t.Errorf("%v in pieces of %d: %+v, want %+v", c.rows, c.piece, got, c.want)
		}
		stored := c.want
		stored.Loaded, stored.Stored = 0, c.want.Loaded
		got = Work{}
		if g.Access(&got, c.rows, true); got != stored {
			t.Errorf("%v in pieces of %d, stored: %+v, want %+v", c.rows, c.piece, got, stored)
		}
	}
}

// TestBanks: lanes that want one word share it, words of one bank follow each other.
func TestBanks(t *testing.T) {
	var b Banks
	for _, c := range []struct {
		stride, n   uint64
		most, ideal int64
	}{
		{4, 4, 1, 1}, {0, 4, 1, 1}, {8, 4, 2, 1}, {128, 4, 32, 1}, {132, 4, 1, 1}, {16, 16, 4, 4},
		{2, 2, 1, 1},
	} {
		for lane := range uint64(32) {
			b.Add(lane*c.stride, int(c.n))
		}
		if most, ideal := b.Wave(); most != c.most || ideal != c.ideal {
			t.Errorf("%d bytes every %d: %d wavefronts, %d at best, want %d and %d", c.n, c.stride, most,
				ideal, c.most, c.ideal)
		}
	}
	if most, ideal := b.Wave(); most != 0 || ideal != 0 {
		t.Errorf("nothing takes %d wavefronts, %d at best", most, ideal)
	}
}

// TestChartCut: a chart that is full says so.
func TestChartCut(t *testing.T) {
	var h Chart
	for range maxMarks {
		h.Add(Mark{At: h.Issue(1)})
	}
	if h.Cut || h.Last(1) != maxMarks-1 || h.Marks[maxMarks-1].At != maxMarks-1 {
		t.Errorf("cut %v, last %d", h.Cut, h.Last(1))
	}
	if h.Add(Mark{}); !h.Cut || len(h.Marks) != maxMarks {
		t.Errorf("cut %v with %d marks", h.Cut, len(h.Marks))
	}
}
