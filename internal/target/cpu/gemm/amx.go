package gemm

import (
	"fmt"
	"strings"
)

// AMX multiplies tiles of 16 rows of 64 bytes. Elements of B that are multiplied with neighbours in a row of
// A lie side by side, in groups of 32 bits: rows k and k+1 (and k+2, k+3 of bytes) are interleaved. A is read
// in place if its rows are contiguous.

// amxOps holds the multiply instruction for each element type.
var amxOps = map[Elem]string{BF16: "llvm.x86.tdpbf16ps", I8: "llvm.x86.tdpbssd"}

func (l *Lib) usesAMX(s Spec) bool {
	granted := s.Elem == BF16 && l.target.AMXBF16 || s.Elem == I8 && l.target.AMXInt8
	return granted && s.K >= group(s.Elem) && s.M > 1 && s.N > 1
}

// group returns the number of elements in 32 bits.
func group(e Elem) int { return 4 / elems[e].size }

// tiles describes a multiplication: up to two by two tiles of C at once, so that each tile that is read is
// used twice.
type tiles struct {
	s          Spec
	rows, cols int    // size of a tile of C
	deep       int    // elements of K in a tile
	down, wide int    // tiles of C at once
	fresh      string // whether C is zero
}

func (l *Lib) amx(s Spec) *Kernel {
	t := tiles{s: s, rows: min(16, s.M), cols: min(16, s.N), deep: min(64/elems[s.Elem].size, s.K),
		down: 1, wide: 1}
	if s.M >= 32 {
		t.down = 2
	}
	if s.N >= 32 {
		t.wide = 2
	}
	size := elems[s.Elem].size
	lda := s.K + 64/size
	rowsA := align(s.M * lda * size)
	panelSize := align(s.K * t.cols * size) // one tile wide
	k := &Kernel{Name: "nereid.gemm.amx." + s.name(), Scratch: rowsA, Panels: s.N / t.cols * panelSize}
	weave := l.weave(weaving{elem: s.Elem, acc: rawOf(s.Elem), group: group(s.Elem), lanes: t.cols,
		strip: min(s.N, 4*cacheLine/size)})

	w := l.writer()
	w.intrinsic("void", "llvm.x86.ldtilecfg", []string{"ptr"}, l.tileConfig(t))
	dense := w.and(w.is("eq", "%acs", "1"), w.and(w.is("sge", "%arows", fmt.Sprint(s.M)),
		w.is("sge", "%acols", fmt.Sprint(s.K))))
	a, rows := w.inPlace(dense, "%ars", fmt.Sprint(lda), func() {
		raw := rawOf(s.Elem)
		w.callPack(s.Elem, raw, "%a", "%ars", "%acs", "%arows", "%acols", "%scratch", s.M, s.K, s.K, lda)
	})
	stride := w.mul(rows, fmt.Sprint(size))
	t.fresh = w.flag(Fresh)
	w.branch(w.flag(Packed), func() {}, func() {
		b := "ptr %b, i64 %brs, i64 %bcs, i64 %brows, i64 %bcols, ptr %panels"
		w.do("call void @%s(%s, i64 %d, i64 %d)", weave, b, s.K, s.N)
	})
	w.each(fmt.Sprint(s.N), t.wide*t.cols, func(n string) {
		c, two := w.at("i32", "%c", n), w.at("i8", "%panels", w.mul(n, fmt.Sprint(panelSize/t.cols)))
		w.each(fmt.Sprint(s.M), t.down*t.rows, func(m string) {
			t.multiply(w, c, a, stride, two, panelSize, m)
		})
	})
	w.intrinsic("void", "llvm.x86.tilerelease", nil)
	w.define(k.Name, params)
	return k
}

// tileC returns the number of the tile register of C by row and column; tileA is by row, tileB by column.
func tileC(i, j int) string { return fmt.Sprint(2*i + j) }
func tileA(i int) string    { return fmt.Sprint(4 + i) }
func tileB(j int) string    { return fmt.Sprint(6 + j) }

// multiply adds to tiles of C, from row m on.
func (t tiles) multiply(w *writer, c, a, stride, panels string, panelSize int, m string) {
	move := []string{"i8 immarg", "ptr", "i64"}
	c = w.at("i32", c, w.mul(m, fmt.Sprint(t.s.N)))
	a = w.at("i8", a, w.mul(m, stride))
	eachC := func(f func(i, j int, at string)) {
		for i := range t.down {
			for j := range t.wide {
				f(i, j, w.at("i32", c, fmt.Sprint(i*t.rows*t.s.N+j*t.cols)))
			}
		}
	}
	w.branch(t.fresh, func() {
		eachC(func(i, j int, _ string) { w.tile("llvm.x86.tilezero", []string{"i8 immarg"}, tileC(i, j)) })
	}, func() {
		eachC(func(i, j int, at string) {
			w.tile("llvm.x86.tileloadd64", move, tileC(i, j), at, fmt.Sprint(4*t.s.N))
		})
	})
	size := elems[t.s.Elem].size
	w.each(fmt.Sprint(t.s.K), t.deep, func(k string) {
		loadA := func(i int) {
			row := w.at("i8", a, w.add(w.mul(k, fmt.Sprint(size)), w.mul(stride, fmt.Sprint(i*t.rows))))
			w.tile(t.loadOfA(), move, tileA(i), row, stride)
		}
		loadB := func(j int) {
			at := w.at("i8", panels, w.addN(w.mul(k, fmt.Sprint(t.cols*size)), j*panelSize))
			w.tile("llvm.x86.tileloadd64", move, tileB(j), at, fmt.Sprint(4*t.cols))
		}
		t.fetchPanels(w, panels, panelSize, m, k)
		// Each tile is loaded right before its first use, so that loads overlap with products.
		loadA(0)
		for j := range t.wide {
			loadB(j)
			t.product(w, 0, j)
		}
		for i := 1; i < t.down; i++ {
			loadA(i)
			for j := range t.wide {
				t.product(w, i, j)
			}
		}
	})
	eachC(func(i, j int, at string) {
		w.tile("llvm.x86.tilestored64", move, tileC(i, j), at, fmt.Sprint(4*t.s.N))
	})
}

// firstLevel is the bytes of the first-level data cache that operands may fill, of 48 KB.
const firstLevel = 40 << 10

// loadOfA returns the instruction that loads tiles of A. The panels of B are read again for the next rows of
// A, and A only for the next panels: unless all of it stays in the first-level cache beside the panels, A
// must not displace them from there.
func (t tiles) loadOfA() string {
	if bytes := t.s.K * elems[t.s.Elem].size; (t.s.M+t.wide*t.cols)*bytes > firstLevel {
		return "llvm.x86.tileloaddt164"
	}
	return "llvm.x86.tileloadd64"
}

// fetchPanels fetches some lines of the panels behind the current ones, which are probably needed next, into
// the second-level cache: all their lines while the rows of A pass by.
func (t tiles) fetchPanels(w *writer, panels string, panelSize int, m, k string) {
	if t.s.N/t.cols*panelSize < fetchedPanels {
		return
	}
	steps := t.s.M / (t.down * t.rows) * (t.s.K / t.deep)
	lines := (t.wide*panelSize/cacheLine + steps - 1) / steps
	perRow, perStep := lines*cacheLine*(t.s.K/t.deep)/(t.down*t.rows), lines*cacheLine/t.deep
	at := w.add(w.mul(m, fmt.Sprint(perRow)), w.mul(k, fmt.Sprint(perStep)))
	next := w.at("i8", panels, w.addN(at, t.wide*panelSize))
	for i := range lines {
		w.prefetch(w.at("i8", next, fmt.Sprint(i*cacheLine)), 2)
	}
}

// product adds a tile of A times a tile of B to a tile of C.
func (t tiles) product(w *writer, i, j int) {
	w.tile(amxOps[t.s.Elem], []string{"i8 immarg", "i8 immarg", "i8 immarg"}, tileC(i, j), tileA(i), tileB(j))
}

// tile writes an instruction on tile registers.
func (w *writer) tile(name string, types []string, args ...string) {
	w.lib.declares[name] = fmt.Sprintf("declare void @%s(%s)", name, strings.Join(types, ", "))
	typed := make([]string, len(args))
	for i, a := range args {
		typed[i] = strings.TrimSuffix(types[i], " immarg") + " " + a
	}
	w.do("call void @%s(%s)", name, strings.Join(typed, ", "))
}

// tileConfig returns a constant with the size of each tile register.
func (l *Lib) tileConfig(t tiles) string {
	var config [64]byte
	config[0] = 1 // the only palette
	set := func(reg string, rows, bytes int) {
		i := int(reg[0] - '0')
		config[16+2*i] = byte(bytes)
		config[48+i] = byte(rows)
	}
	for i := range 2 {
		for j := range 2 {
			set(tileC(i, j), t.rows, 4*t.cols)
		}
		set(tileA(i), t.rows, t.deep*elems[t.s.Elem].size)
		set(tileB(i), t.deep/group(t.s.Elem), 4*t.cols)
	}
	name := "@nereid.tiles." + t.s.name()
	parts := make([]string, len(config))
	for i, b := range config {
		parts[i] = fmt.Sprintf("i8 %d", b)
	}
	fmt.Fprintf(&l.text, "%s = internal constant [64 x i8] [%s], align 64\n", name, strings.Join(parts, ", "))
	return name
}

// rawOf returns the integer type of an element in memory.
func rawOf(e Elem) string { return fmt.Sprintf("i%d", 8*elems[e].size) }
