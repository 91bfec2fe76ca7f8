package gemm

import (
	"fmt"
	"slices"
	"strconv"
)

// vector writes a multiplication with vector registers. B is packed into panels as wide as a tile. Each panel
// is multiplied with all rows of A, so that the panel in use stays in the nearest caches. A is read in
// place if its rows lie well, else packed too.
func (l *Lib) vector(s Spec) *Kernel {
	acc := s.Acc()
	size := sizes[acc]
	t := l.tile(s)
	a := l.packed(s)
	k := &Kernel{Name: "nereid.gemm." + s.name(), Scratch: align(a.size(s) * size)}
	k.Panels = align(s.K * s.N * size)
	w := l.writer()
	t.chunk = min(s.K, 32)
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

// tile returns the tile of a multiplication. If it has fewer vectors than the registers have room for, it has
// more rows.
func (l *Lib) tile(s Spec) tile {
	t := tile{acc: s.Acc(), rows: l.target.Rows, vectors: l.target.Vectors, m: s.M, n: s.N, k: s.K,
		unroll: min(4, s.K), ahead: l.target.Ahead}
	if t.acc == "i32" { // products need registers of their own, more of them if more are in sight
		t.unroll, t.ahead = min(2, s.K), t.ahead-1
	}
	t.lanes = min(l.target.VectorBytes/sizes[t.acc], s.N)
	if t.width() > s.N {
		t.vectors = s.N / t.lanes
		t.rows *= 2
	}
	return t
}

// heights returns how many tiles there are from top to bottom, and of how many rows each: whole ones first.
// If few rows remain, the last two tiles share theirs, since low tiles wait for their own sums.
func (t tile) heights() (all [][2]int) {
	whole, rest := t.m/t.rows, t.m%t.rows
	if whole > 0 && rest > 0 && 2*rest <= t.rows {
		all = [][2]int{{whole - 1, t.rows}, {2, (t.rows + rest) / 2}}
	} else {
		all = [][2]int{{whole, t.rows}, {1, rest}}
	}
	return slices.DeleteFunc(all, func(h [2]int) bool { return h[0] == 0 || h[1] == 0 })
}

// loops writes the loops over all tiles of C.
func (t tile) loops(w *writer, a left) {
	w.each(fmt.Sprint(t.n), t.width(), func(n string) {
		c, panel := w.at(t.acc, "%c", n), w.at(t.acc, "%panels", w.mul(n, fmt.Sprint(t.k)))
		first := 0
		for _, h := range t.heights() {
			count, rows := h[0], h[1]
			from := first
			w.each(fmt.Sprint(count*rows), rows, func(m string) {
				t.multiply(w, rows, c, a, panel, w.addN(m, from))
			})
			first += count * rows
		}
	})
}

// left is how A lies: by rows, or in pairs of rows, each pair by columns, so that a tile reads few places.
type left struct {
	at     string
	stride string // elements between rows
	pairs  bool
}

// packed returns how A lies when it is packed: in pairs where vectors divide its rows.
func (l *Lib) packed(s Spec) left {
	if s.M%2 == 0 && s.K >= l.lanes(s) {
		return left{at: "%scratch", pairs: true}
	}
	line := cacheLine / sizes[s.Acc()]
	lda := s.K + line // so that rows do not displace each other from the first-level cache
	if s.K < line {   // a row fits a cache line
		lda = s.K
	}
	return left{at: "%scratch", stride: fmt.Sprint(lda)}
}

// lanes returns the number of sums in a vector.
func (l *Lib) lanes(s Spec) int { return l.target.VectorBytes / sizes[s.Acc()] }

// size returns the number of elements of A when it is packed.
func (a left) size(s Spec) int {
	if a.pairs {
		return s.M * s.K
	}
	lda, _ := strconv.Atoi(a.stride)
	return s.M * lda
}

// pack copies A.
func (a left) pack(w *writer, s Spec) {
	if a.pairs {
		weave := w.lib.weave(weaving{elem: s.Elem, acc: s.Acc(), group: 2, lanes: w.lib.lanes(s),
			strip: min(s.K, 16*w.lib.lanes(s)), onePanel: true})
		w.do("call void @%s(ptr %%a, i64 %%ars, i64 %%acs, i64 %%arows, i64 %%acols, ptr %s, i64 %d, i64 %d)",
			weave, a.at, s.M, s.K)
		return
	}
	lda, _ := strconv.Atoi(a.stride)
	w.callPack(s.Elem, s.Acc(), "%a", "%ars", "%acs", "%arows", "%acols", a.at, s.M, s.K, s.K, lda)
}

// from returns the addresses of some rows of A from row m on, or of pairs of them.
func (a left) from(w *writer, t tile, m string, rows int) []string {
	stride, step := a.stride, 1
	if a.pairs {
		stride, step = fmt.Sprint(t.k), 2
	}
	var from []string
	for r := 0; r < rows; r += step {
		from = append(from, w.at(t.acc, a.at, w.mul(w.addN(m, r), stride)))
	}
	return from
}

// columns returns the addresses of column k of rows that begin at from.
func (a left) columns(w *writer, t tile, from []string, k string, rows int) []string {
	out := make([]string, rows)
	for r := range out {
		if a.pairs {
			pair := w.at(t.acc, from[r/2], w.mul(k, "2"))
			out[r] = w.at(t.acc, pair, fmt.Sprint(r%2))
		} else {
			out[r] = w.at(t.acc, from[r], k)
		}
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
	rows           int    // rows of most tiles
	m, n, k        int    // of the whole multiplication
	chunk          int    // steps of k between fetches
	unroll         int    // steps of k in a round of the inner loop
	ahead          int    // elements of A that are loaded before their use
	fresh          string // whether C is zero
}

func (t tile) width() int { return t.lanes * t.vectors }

// multiply adds rows of A times a panel of B to rows of C, from row m on and as wide as the tile. The
// products are summed before C is added: its tile is then read while the next one begins.
func (t tile) multiply(w *writer, rows int, c string, a left, panel, m string) {
	typ := vec(t.lanes, t.acc)
	c = w.at(t.acc, c, w.mul(m, fmt.Sprint(t.n)))
	from := a.from(w, t, m, rows)
	types, sums := make([]string, rows*t.vectors), make([]string, rows*t.vectors)
	for i := range sums {
		types[i], sums[i] = typ, zero(typ)
	}
	sums = w.loop(fmt.Sprint(t.k), t.chunk, types, sums, func(first string, sums []string) []string {
		t.fetchPanel(w, rows, panel, m, first)
		t.fetchTile(w, rows, c, first)
		inner := func(i string, sums []string) []string {
			k := w.add(first, i)
			var factors []string
			for u := range t.unroll {
				factors = append(factors, a.columns(w, t, from, w.addN(k, u), rows)...)
			}
			return t.steps(w, factors, w.at(t.acc, panel, w.mul(k, fmt.Sprint(t.width()))), sums)
		}
		return w.loop(fmt.Sprint(t.chunk), t.unroll, types, sums, inner)
	})
	t.finish(w, c, sums)
}

// finish adds the tile of C to the sums and stores them there.
func (t tile) finish(w *writer, c string, sums []string) {
	typ := vec(t.lanes, t.acc)
	store := func(sum func(at, products string) string) {
		for i, x := range sums {
			at := w.at(t.acc, c, fmt.Sprint(i/t.vectors*t.n+i%t.vectors*t.lanes))
			w.do("store %s %s, ptr %s, align 4", typ, sum(at, x), at)
		}
	}
	add := "fadd"
	if t.acc == "i32" {
		add = "add"
	}
	w.branch(t.fresh, func() {
		store(func(_, products string) string { return products })
	}, func() {
		store(func(at, products string) string {
			return w.val("%s %s %s, %s", add, typ, w.val("load %s, ptr %s, align 4", typ, at), products)
		})
	})
}

// fetchTile fetches some of the tile of C into the first-level cache, in the last chunks. All at once, its
// lines would hold up those that products wait for; earlier, the panel would displace them.
func (t tile) fetchTile(w *writer, rows int, c, first string) {
	chunks := t.k / t.chunk
	if t.k < 64 {
		return
	}
	last := min(chunks, 4)
	some := (rows + last - 1) / last // rows for each chunk
	chunk := w.addN(w.val("udiv i64 %s, %d", first, t.chunk), last-chunks)
	chunk = w.val("select i1 %s, i64 0, i64 %s", w.is("slt", chunk, "0"), chunk)
	from := w.at(t.acc, c, w.mul(chunk, fmt.Sprint(some*t.n)))
	for r := range some {
		for v := range t.vectors {
			w.prefetch(w.at(t.acc, from, fmt.Sprint(r*t.n+v*t.lanes)), 3)
		}
	}
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
	whole := t.k * t.width() * size // bytes of the panel
	perStep := (whole*rows/t.m*t.chunk/t.k + cacheLine - 1) &^ (cacheLine - 1)
	at := w.add(w.mul(m, fmt.Sprint(whole/t.m)), w.mul(first, fmt.Sprint(perStep/t.chunk)))
	next := w.at("i8", panel, w.addN(at, whole))
	for i := 0; i < perStep; i += cacheLine {
		w.prefetch(w.at("i8", next, fmt.Sprint(i)), 2)
	}
}

// steps adds the products of some columns of A, whose elements lie at factors, and as many rows of the panel.
// Elements of A are loaded some rows before their use, as far as registers allow: measured, that is
// faster on busy machines.
func (t tile) steps(w *writer, factors []string, panel string, sums []string) []string {
	typ := vec(t.lanes, t.acc)
	sums, rows := slices.Clone(sums), len(sums)/t.vectors
	x := make([]string, len(factors))
	load := func(i int) {
		if i < len(x) {
			x[i] = w.splatOf(t.lanes, t.acc, w.val("load %s, ptr %s", t.acc, factors[i]))
		}
	}
	var row []string
	for i := range factors {
		if i%rows == 0 {
			row = nil
			for v := range t.vectors {
				at := w.at(t.acc, panel, fmt.Sprint(i/rows*t.width()+v*t.lanes))
				row = append(row, w.val("load %s, ptr %s, align 4", typ, at))
			}
		}
		if i == 0 {
			for j := range t.ahead {
				load(j)
			}
		}
		for v := range row {
			sum := &sums[i%rows*t.vectors+v]
			*sum = t.fma(w, x[i], row[v], *sum)
		}
		load(i + t.ahead)
	}
	return sums
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
