package gemm

import (
	"fmt"
	"strconv"
)

// vector writes a multiplication with vector registers. B is packed into panels as wide as a tile. Each panel
// is multiplied with all rows of A, so that the panel in use stays in the first-level cache. A is read in
// place if its rows lie well, else packed too.
func (l *Lib) vector(s Spec) *Kernel {
	acc := s.Acc()
	size := sizes[acc]
	lanes := min(l.target.VectorBytes/size, s.N)
	vectors := 1
	for vectors < l.target.Vectors && (vectors+1)*lanes <= s.N && s.N%((vectors+1)*lanes) == 0 {
		vectors++
	}
	t := tile{acc: acc, lanes: lanes, vectors: vectors, rows: l.target.Rows, m: s.M, n: s.N, k: s.K}
	a := l.packed(s)
	k := &Kernel{Name: "nereid.gemm." + s.name(), Scratch: align(a.size(s) * size)}
	k.Panels = align(s.K * s.N * size)
	w := l.writer()
	t.chunk = min(s.K, 32)
	calls := max(1, s.M/l.target.Rows) * (s.N / t.width()) * (s.K / t.chunk)
	t.ahead = []*ahead{w.ahead("a", s.Elem, s.M, s.K, calls), w.ahead("b", s.Elem, s.K, s.N, calls)}
	t.fresh = w.flag(Fresh)
	w.branch(w.flag(Packed), func() {}, func() {
		width := t.width()
		w.callPack(s.Elem, acc, "%b", "%brs", "%bcs", "%brows", "%bcols", "%panels", s.K, s.N, width, width)
	})
	copied := func() {
		a.pack(w, s)
		t.loops(w, a)
	}
	if rawOf(s.Elem) != fmt.Sprintf("i%d", 8*size) { // converted
		copied()
	} else {
		w.branch(w.liesWell(s), func() { t.loops(w, left{at: "%a", stride: "%ars"}) }, copied)
	}
	w.define(k.Name, params)
	return k
}

// loops writes the loops over all tiles of C.
func (t tile) loops(w *writer, a left) {
	w.each(fmt.Sprint(t.n), t.width(), func(n string) {
		c, panel := w.at(t.acc, "%c", n), w.at(t.acc, "%panels", w.mul(n, fmt.Sprint(t.k)))
		whole := t.m / t.rows * t.rows
		if whole > 0 {
			w.each(fmt.Sprint(whole), t.rows, func(m string) { t.multiply(w, t.rows, c, a, panel, m) })
		}
		if whole < t.m {
			t.multiply(w, t.m-whole, c, a, panel, fmt.Sprint(whole))
		}
	})
}

// left is how A lies: by rows, or in groups of rows, each by columns, so that a tile reads one place.
type left struct {
	at     string
	stride string // elements between rows
	group  int    // rows of a group, or 0
}

// packed returns how A lies when it is packed: in groups as high as a tile where these divide it.
func (l *Lib) packed(s Spec) left {
	g := l.target.Rows
	if g&(g-1) == 0 && s.M%g == 0 && s.K >= g {
		return left{at: "%scratch", group: g}
	}
	line := cacheLine / sizes[s.Acc()]
	lda := s.K + line // so that rows do not displace each other from the first-level cache
	if s.K < line {   // a row fits a cache line
		lda = s.K
	}
	return left{at: "%scratch", stride: fmt.Sprint(lda)}
}

// size returns the number of elements of A when it is packed.
func (a left) size(s Spec) int {
	if a.group > 0 {
		return s.M * s.K
	}
	lda, _ := strconv.Atoi(a.stride)
	return s.M * lda
}

// pack copies A. Groups of rows by columns are panels of its transpose.
func (a left) pack(w *writer, s Spec) {
	if a.group > 0 {
		w.callPack(s.Elem, s.Acc(), "%a", "%acs", "%ars", "%acols", "%arows", a.at, s.K, s.M, a.group,
			a.group)
		return
	}
	lda, _ := strconv.Atoi(a.stride)
	w.callPack(s.Elem, s.Acc(), "%a", "%ars", "%acs", "%arows", "%acols", a.at, s.M, s.K, s.K, lda)
}

// from returns the addresses of some rows of A from row m on: one for all of a group.
func (a left) from(w *writer, t tile, m string, rows int) []string {
	if a.group > 0 {
		return []string{w.at(t.acc, a.at, w.mul(m, fmt.Sprint(t.k)))}
	}
	from := make([]string, rows)
	for r := range from {
		from[r] = w.at(t.acc, a.at, w.mul(w.addN(m, r), a.stride))
	}
	return from
}

// columns returns the addresses of column k of rows that begin at from.
func (a left) columns(w *writer, t tile, from []string, k string, rows int) []string {
	out := make([]string, rows)
	if a.group > 0 {
		first := w.at(t.acc, from[0], w.mul(k, fmt.Sprint(a.group)))
		for r := range out {
			out[r] = w.at(t.acc, first, fmt.Sprint(r))
		}
		return out
	}
	for r := range out {
		out[r] = w.at(t.acc, from[r], k)
	}
	return out
}

// liesWell returns whether A can be read in place: all of it is there, and its rows are contiguous, but not a
// multiple of a page apart: a tile's rows would displace each other and the panel of B from the first-level
// cache.
func (w *writer) liesWell(s Spec) string {
	apart := w.val("and i64 %s, %d", w.mul("%ars", fmt.Sprint(sizes[s.Acc()])), page-1)
	dense := w.and(w.is("eq", "%acs", "1"), w.is("ne", apart, "0"))
	there := w.and(w.is("sge", "%arows", fmt.Sprint(s.M)), w.is("sge", "%acols", fmt.Sprint(s.K)))
	return w.and(dense, there)
}

const page = 4096 // bytes after which addresses use the same lines of the first-level cache

// inPlace returns the address and the stride of A if a condition holds, else those of scratch, which copy
// fills.
func (w *writer) inPlace(cond, stride, copied string, copy func()) (a, by string) {
	from, other, ready := w.block, w.label("copy"), w.label("ready")
	w.do("br i1 %s, label %%%s, label %%%s", cond, ready, other)
	w.begin(other)
	copy()
	end := w.block
	w.do("br label %%%s", ready)
	w.begin(ready)
	a = w.val("phi ptr [ %%a, %%%s ], [ %%scratch, %%%s ]", from, end)
	return a, w.val("phi i64 [ %s, %%%s ], [ %s, %%%s ]", stride, from, copied, end)
}

func align(n int) int { return (n + 63) &^ 63 }

// tile is a tile of C in registers.
type tile struct {
	acc            string
	lanes, vectors int
	rows           int    // of the tile
	m, n, k        int    // of the whole multiplication
	chunk          int    // steps of k between fetches
	fresh          string // whether C is zero
	ahead          []*ahead
}

func (t tile) width() int { return t.lanes * t.vectors }

// multiply adds rows of A times a panel of B to rows of C, from row m on and as wide as the tile.
func (t tile) multiply(w *writer, rows int, c string, a left, panel, m string) {
	typ := vec(t.lanes, t.acc)
	c = w.at(t.acc, c, w.mul(m, fmt.Sprint(t.n)))
	from := a.from(w, t, m, rows)
	var types, sums, at []string
	for r := range rows {
		for v := range t.vectors {
			p := w.at(t.acc, c, fmt.Sprint(r*t.n+v*t.lanes))
			at = append(at, p)
			types = append(types, typ)
		}
	}
	sums = t.start(w, at)
	if t.k >= 64 { // the rows below are next: their lines arrive in the first-level cache meanwhile
		for _, p := range at {
			w.prefetch(w.at(t.acc, p, fmt.Sprint(rows*t.n)), 3)
		}
	}
	unroll := min(2, t.k)
	sums = w.loop(fmt.Sprint(t.k), t.chunk, types, sums, func(first string, sums []string) []string {
		for _, f := range t.ahead {
			f.fetch(w)
		}
		t.fetchPanel(w, rows, panel, m, first)
		return w.loop(fmt.Sprint(t.chunk), unroll, types, sums, func(i string, sums []string) []string {
			k := w.add(first, i)
			bk := w.at(t.acc, panel, w.mul(k, fmt.Sprint(t.width())))
			for u := range unroll {
				sums = t.step(w, a.columns(w, t, from, w.addN(k, u), rows), bk, u, sums)
			}
			return sums
		})
	})
	for i, p := range at {
		w.do("store %s %s, ptr %s, align 4", typ, sums[i], p)
	}
}

// start returns the tile of C at these addresses, or zeros.
func (t tile) start(w *writer, at []string) []string {
	typ := vec(t.lanes, t.acc)
	from, read, ready := w.block, w.label("read"), w.label("start")
	w.do("br i1 %s, label %%%s, label %%%s", t.fresh, ready, read)
	w.begin(read)
	sums := make([]string, len(at))
	for i, p := range at {
		sums[i] = w.val("load %s, ptr %s, align 4", typ, p)
	}
	w.do("br label %%%s", ready)
	w.begin(ready)
	for i, x := range sums {
		sums[i] = w.val("phi %s [ %s, %%%s ], [ %s, %%%s ]", typ, zero(typ), from, x, read)
	}
	return sums
}

// fetchedPanels is the least size of B's panels, in bytes, that are fetched. Smaller ones stay in the
// second-level cache, also those of the other rounds of a loop.
const fetchedPanels = 128 << 10

// fetchPanel fetches a few lines of the panel behind this one, which is probably needed next, into the
// second-level cache: all its lines while the rows of A pass by. A panel that an earlier program packed lies
// in the third-level cache.
func (t tile) fetchPanel(w *writer, rows int, panel, m, first string) {
	size := sizes[t.acc]
	if t.k*t.n*size < fetchedPanels {
		return
	}
	perRow := max(1, t.k*t.width()/t.m) // elements of the panel for a row of A
	perStep := max(1, rows*t.width()/t.m)
	at := w.add(w.mul(m, fmt.Sprint(perRow)), w.mul(first, fmt.Sprint(perStep)))
	next := w.at(t.acc, panel, w.addN(at, t.k*t.width()))
	for i := 0; i < perStep*t.chunk*size; i += cacheLine {
		w.prefetch(w.at("i8", next, fmt.Sprint(i)), 2)
	}
}

// step adds the product of one k: a column of A, at these addresses, times a row of B.
func (t tile) step(w *writer, a []string, b string, u int, sums []string) []string {
	typ := vec(t.lanes, t.acc)
	row := make([]string, t.vectors)
	for v := range row {
		row[v] = w.val("load %s, ptr %s, align 4", typ, w.at(t.acc, b, fmt.Sprint(u*t.width()+v*t.lanes)))
	}
	next := make([]string, 0, len(sums))
	for r, at := range a {
		x := w.splatOf(t.lanes, t.acc, w.val("load %s, ptr %s", t.acc, at))
		for v := range row {
			next = append(next, t.fma(w, x, row[v], sums[r*t.vectors+v]))
		}
	}
	return next
}

func (t tile) fma(w *writer, a, b, c string) string {
	typ := vec(t.lanes, t.acc)
	if t.acc == "i32" {
		return w.val("add %s %s, %s", typ, c, w.val("mul %s %s, %s", typ, a, b))
	}
	suffix := map[string]string{"float": "f32", "double": "f64"}[t.acc]
	if t.lanes > 1 {
		suffix = fmt.Sprintf("v%d%s", t.lanes, suffix)
	}
	return w.intrinsic(typ, "llvm.fma."+suffix, []string{typ, typ, typ}, a, b, c)
}
