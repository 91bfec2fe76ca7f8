package interp

import (
	"slices"
	"sync"

	"github.com/nereid-lang/nereid/internal/ir"
)

// Record holds every access to memory of the launches of a device after Device.Record, for pictures of what
// a grid does. A program that goes out of bounds ends after that access, with its other lanes recorded too;
// the others go on.
type Record struct {
	mu      sync.Mutex
	sites   []*Site
	byOp    map[*ir.Op]int
	tiles   []Tile
	faults  []*Fault
	dropped int64
}

// Site is an operation that accesses memory.
type Site struct {
	What   string   // "load", "store" or "atomic"
	Op     string   // "tt.load"
	Places []string // places of the operation, then of each call around it: "softmax.py:11:16"
	Lanes  int64    // elements of all executions together
	Active int64    // and those that a mask did not leave out
}

// Tile is elements that a program accessed in one operation: rows of neighbours, a constant distance apart.
type Tile struct {
	Program int64 // number in the grid, x fastest
	Site    int   // index into Sites
	Buffer  uint64
	Offset  int64 // bytes from the start of the buffer to the first element; negative before it
	Size    int   // bytes of an element
	Count   int   // elements of a row
	Rows    int
	Stride  int64 // bytes from a row to the next; 0 for a single row
	Out     bool  // out of bounds, or misaligned
}

// maxTiles bounds the memory of a record.
const maxTiles = 1 << 18

// Record records the accesses of launches from now on.
func (d *Device) Record() *Record {
	d.record = &Record{byOp: map[*ir.Op]int{}}
	return d.record
}

// Sites returns the operations that accessed memory, in the order of their first execution.
func (r *Record) Sites() []*Site { return r.sites }

// Tiles returns the accesses, ordered by program and in each by time.
func (r *Record) Tiles() []Tile {
	slices.SortStableFunc(r.tiles, func(a, b Tile) int { return int(a.Program - b.Program) })
	return r.tiles
}

// Dropped returns the number of tiles beyond those that a record holds.
func (r *Record) Dropped() int64 { return r.dropped }

// Faults returns the fault of each program that had one, ordered by program.
func (r *Record) Faults() []*Fault {
	slices.SortStableFunc(r.faults, func(a, b *Fault) int {
		return slices.Compare([]int{a.Program[2], a.Program[1], a.Program[0]},
			[]int{b.Program[2], b.Program[1], b.Program[0]})
	})
	return r.faults
}

// site returns the index of the operation that w executes. The caller holds the lock.
func (r *Record) site(w *worker, what string) int {
	if i, ok := r.byOp[w.at.op]; ok {
		return i
	}
	i := len(r.sites)
	r.byOp[w.at.op] = i
	r.sites = append(r.sites, &Site{What: what, Op: w.at.op.Name(), Places: ir.CallChain(w.newFault("").Loc)})
	return i
}

// lanes counts the lanes of an access that is about to begin.
func (w *worker) lanes(what string, n int, mask []uint8) {
	r := w.opts.Record
	if r == nil {
		return
	}
	active := n
	if mask != nil {
		active = count(mask)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sites[r.site(w, what)]
	s.Lanes, s.Active = s.Lanes+int64(n), s.Active+int64(active)
}

// noted records a run of elements of a buffer.
func (w *worker) noted(what string, b *Buffer, addr uint64, count, size int, out bool) {
	r := w.opts.Record
	if r == nil || b == nil || b.freed {
		return
	}
	whole, at := b.whole()
	t := Tile{Program: w.id, Buffer: whole.addr, Offset: int64(at) + int64(addr-b.addr), Size: size,
		Count: count, Rows: 1, Out: out}
	r.mu.Lock()
	defer r.mu.Unlock()
	t.Site = r.site(w, what)
	if w.tile.Rows > 0 && w.tile.join(t) {
		return
	}
	r.keep(w.tile)
	w.tile = t
}

// strayed records a run of which some elements do not lie in the buffer.
func (w *worker) strayed(what string, addr uint64, count, size int) {
	for i := range count {
		at := addr + uint64(i*size)
		b := find(w.table, at)
		in := b != nil && at%uint64(size) == 0 && b.holds(at, uint64(size))
		w.noted(what, b, at, 1, size, !in)
	}
}

// join makes n part of the tile, if it goes on where the tile ends.
func (t *Tile) join(n Tile) bool {
	if n.Program != t.Program || n.Site != t.Site || n.Buffer != t.Buffer || n.Size != t.Size ||
		n.Out != t.Out {
		return false
	}
	if t.Rows == 1 && n.Offset == t.Offset+int64(t.Count*t.Size) {
		t.Count += n.Count
		return true
	}
	if n.Count != t.Count {
		return false
	}
	if t.Rows == 1 && n.Offset != t.Offset {
		t.Stride = n.Offset - t.Offset
	}
	if t.Stride == 0 || n.Offset != t.Offset+int64(t.Rows)*t.Stride {
		return false
	}
	t.Rows++
	return true
}

// keep adds a finished tile. The caller holds the lock.
func (r *Record) keep(t Tile) {
	switch {
	case t.Rows == 0:
	case len(r.tiles) == maxTiles:
		r.dropped++
	default:
		r.tiles = append(r.tiles, t)
	}
}

// recorded ends the record of a program, with its fault if it had one.
func (w *worker) recorded(e *Fault) {
	r := w.opts.Record
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keep(w.tile)
	w.tile = Tile{}
	if e != nil {
		r.faults = append(r.faults, e)
	}
}

// settle stops the program if the access that ends here went out of bounds while it was recorded.
func (w *worker) settle() {
	if e := w.stray; e != nil {
		w.stray = nil
		panic(e)
	}
}
