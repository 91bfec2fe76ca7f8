package gemm

import "fmt"

// vector writes a multiplication with vector registers. B is packed into panels as wide as a tile. Each panel
// is multiplied with all rows of A, packed too, so that the panel in use stays in the first-level cache.
func (l *Lib) vector(s Spec) *Kernel {
	acc := s.Acc()
	size := sizes[acc]
	lanes := min(l.target.VectorBytes/size, s.N)
	vectors := 1
	for vectors < l.target.Vectors && (vectors+1)*lanes <= s.N && s.N%((vectors+1)*lanes) == 0 {
		vectors++
	}
	t := tile{acc: acc, lanes: lanes, vectors: vectors, n: s.N, k: s.K, lda: s.K + 64/size, fresh: s.Fresh}
	if s.K < 64/size { // a row fits a cache line
		t.lda = s.K
	}
	k := &Kernel{Name: "nereid.gemm." + s.name(), Scratch: align(s.M*t.lda*size) + align(s.K*s.N*size)}
	w := l.writer()
	t.chunk = min(s.K, 32)
	calls := max(1, s.M/l.target.Rows) * (s.N / t.width()) * (s.K / t.chunk)
	t.ahead = []*ahead{w.ahead("a", s.Elem, s.M, s.K, calls), w.ahead("b", s.Elem, s.K, s.N, calls)}
	w.callPack(s.Elem, acc, "%a", "%ars", "%acs", "%arows", "%acols", "%scratch", s.M, s.K, s.K, t.lda)
	panels := w.at("i8", "%scratch", fmt.Sprint(align(s.M*t.lda*size)))
	w.callPack(s.Elem, acc, "%b", "%brs", "%bcs", "%brows", "%bcols", panels, s.K, s.N, t.width(), t.width())
	w.each(fmt.Sprint(s.N), t.width(), func(n string) {
		c, panel := w.at(acc, "%c", n), w.at(acc, panels, w.mul(n, fmt.Sprint(s.K)))
		whole := s.M / l.target.Rows * l.target.Rows
		if whole > 0 {
			w.each(fmt.Sprint(whole), l.target.Rows, func(m string) { t.multiply(w, l.target.Rows, c, "%scratch", panel, m) })
		}
		if whole < s.M {
			t.multiply(w, s.M-whole, c, "%scratch", panel, fmt.Sprint(whole))
		}
	})
	w.define(k.Name, params)
	return k
}

func align(n int) int { return (n + 63) &^ 63 }

// tile is a tile of C in registers.
type tile struct {
	acc            string
	lanes, vectors int
	n, k           int // of the whole multiplication
	lda            int // elements between rows of packed A
	chunk          int // steps of k between fetches
	fresh          bool
	ahead          []*ahead
}

func (t tile) width() int { return t.lanes * t.vectors }

// multiply adds packed rows of A times a panel of B to rows of C, from row m on and as wide as the tile.
func (t tile) multiply(w *writer, rows int, c, a, panel, m string) {
	typ := vec(t.lanes, t.acc)
	c = w.at(t.acc, c, w.mul(m, fmt.Sprint(t.n)))
	a = w.at(t.acc, a, w.mul(m, fmt.Sprint(t.lda)))
	var types, sums, at []string
	for r := range rows {
		for v := range t.vectors {
			p := w.at(t.acc, c, fmt.Sprint(r*t.n+v*t.lanes))
			at = append(at, p)
			types = append(types, typ)
			sum := zero(typ)
			if !t.fresh {
				sum = w.val("load %s, ptr %s, align 4", typ, p)
			}
			sums = append(sums, sum)
		}
	}
	unroll := min(2, t.k)
	sums = w.loop(fmt.Sprint(t.k), t.chunk, types, sums, func(first string, sums []string) []string {
		for _, f := range t.ahead {
			f.fetch(w)
		}
		return w.loop(fmt.Sprint(t.chunk), unroll, types, sums, func(i string, sums []string) []string {
			k := w.add(first, i)
			ak, bk := w.at(t.acc, a, k), w.at(t.acc, panel, w.mul(k, fmt.Sprint(t.width())))
			for u := range unroll {
				sums = t.step(w, rows, ak, bk, u, sums)
			}
			return sums
		})
	})
	for i, p := range at {
		w.do("store %s %s, ptr %s, align 4", typ, sums[i], p)
	}
}

// step adds the product of one k: a column of A times a row of B.
func (t tile) step(w *writer, rows int, a, b string, u int, sums []string) []string {
	typ := vec(t.lanes, t.acc)
	row := make([]string, t.vectors)
	for v := range row {
		row[v] = w.val("load %s, ptr %s, align 4", typ, w.at(t.acc, b, fmt.Sprint(u*t.width()+v*t.lanes)))
	}
	next := make([]string, 0, len(sums))
	for r := range rows {
		x := w.splatOf(t.lanes, t.acc, w.val("load %s, ptr %s", t.acc, w.at(t.acc, a, fmt.Sprint(r*t.lda+u))))
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
