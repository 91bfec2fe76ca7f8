package gemm

import "fmt"

// weaving is a copy of a matrix in which elements of a column are side by side, in groups of rows.
type weaving struct {
	elem     Elem
	acc      string // type of the copy's elements
	group    int    // rows of a group
	lanes    int    // elements of a vector
	strip    int    // columns that are copied before the next: see whole
	onePanel bool   // the copy is one panel as wide as the matrix; else panels are as wide as a vector
}

// weave returns a function that copies a matrix of R×C elements so that groups of elements of a column are
// side by side, in panels, each dst[r/g][c][r%g], one after the other. It has a path for contiguous rows that
// are all there, one for contiguous rows, one for contiguous columns, and one for anything else. C is a
// multiple of the strip and of the lanes.
func (l *Lib) weave(v weaving) string {
	name := fmt.Sprintf("nereid.weave.%s.%s.%d.%d.%d", v.elem, v.acc, v.group, v.lanes, v.strip)
	if v.onePanel {
		name += ".one"
	}
	if l.funcs[name] {
		return name
	}
	l.funcs[name] = true
	p := &weaver{packer: &packer{writer: l.writer(), elem: v.elem, acc: v.acc, lanes: v.lanes},
		group: v.group, strip: v.strip, onePanel: v.onePanel}
	p.rows, p.cols = p.limit("%rows", "%R"), p.limit("%cols", "%C")
	square := p.and(p.is("eq", p.val("urem i64 %%R, %d", p.square()*p.group), "0"), p.is("eq", "%rs", "1"))
	whole := p.and(p.is("eq", p.rows, "%R"), p.is("eq", p.cols, "%C"))
	p.branch(p.is("eq", "%cs", "1"), func() {
		p.branch(whole, p.whole, p.byRows)
	}, func() {
		p.branch(p.and(whole, square), p.byColumns, p.oneByOne)
	})
	p.define(name, "ptr %src, i64 %rs, i64 %cs, i64 %rows, i64 %cols, ptr noalias %dst, i64 %R, i64 %C")
	return name
}

type weaver struct {
	*packer
	group, strip int
	onePanel     bool
}

// woven returns the address of the group of row r and column c, which is a multiple of the lanes.
func (p *weaver) woven(r, c string) string {
	if p.onePanel {
		return p.at(p.acc, "%dst", p.add(p.mul(r, "%C"), p.mul(c, fmt.Sprint(p.group))))
	}
	return p.at(p.acc, "%dst", p.add(p.mul(c, "%R"), p.mul(r, fmt.Sprint(p.lanes))))
}

const (
	rowsAhead  = 8 // rows of the matrix before their use when they are fetched
	linesAhead = 4 // lines of a panel before their use when they are fetched
)

// whole interleaves neighbouring rows that are all there, a strip of some columns before the next, so that
// only the panels of a strip are written in turn: they lie far apart, and the processor follows few places.
func (p *weaver) whole() {
	g, n, size := p.group, p.lanes, elems[p.elem].size
	p.each("%C", p.strip, func(first string) {
		p.each("%R", g, func(r string) {
			rows := make([]string, g)
			for i := range rows {
				rows[i] = p.at(p.raw(), "%src", p.add(p.mul(p.addN(r, i), "%rs"), first))
				soon := p.at(p.raw(), rows[i], p.mul("%rs", fmt.Sprint(rowsAhead)))
				for at := 0; at < p.strip*size; at += cacheLine {
					p.prefetch(p.at("i8", soon, fmt.Sprint(at)), 3)
				}
			}
			for c := 0; c < p.strip; c += n {
				vs := make([]string, g)
				for i := range vs {
					vs[i] = p.read(n, p.at(p.raw(), rows[i], fmt.Sprint(c)))
				}
				to := p.woven(r, p.addN(first, c))
				p.prefetchWrite(p.at("i8", to, fmt.Sprint(linesAhead*cacheLine)))
				p.store(vs, to)
			}
		})
	})
}

// read loads and converts neighbours.
func (p *weaver) read(n int, from string) string {
	return p.convert(n, p.val("load %s, ptr %s, align 1", vec(n, p.raw()), from))
}

// byRows interleaves vectors of neighbouring rows.
func (p *weaver) byRows() {
	g, n := p.group, p.lanes
	p.each("%R", g, func(r string) {
		p.each("%C", n, func(c string) {
			to := p.woven(r, c)
			from := make([]string, g)
			for i := range from {
				from[i] = p.at(p.raw(), "%src", p.add(p.mul(p.addN(r, i), "%rs"), c))
			}
			vs := make([]string, g)
			p.branch(p.and(p.is("sle", p.addN(c, n), p.cols), p.is("sle", p.addN(r, g), p.rows)), func() {
				for i := range vs {
					vs[i] = p.read(n, from[i])
				}
				p.store(vs, to)
			}, func() {
				for i := range vs { // a row that is not there has no columns
					have := p.val("select i1 %s, i64 %s, i64 0", p.is("slt", p.addN(r, i), p.rows),
						p.sub(p.cols, c))
					vs[i] = p.convert(n, p.masked(n, from[i], have))
				}
				p.store(vs, to)
			})
		})
	})
}

// store stores lanes of the vectors in turn.
func (p *weaver) store(vs []string, to string) {
	n := p.lanes
	for len(vs) > 1 { // halves that are far apart first, so that the last round puts neighbours side by side
		half := len(vs) / 2
		lanes := make([]int, 2*n)
		for i := range n {
			lanes[2*i], lanes[2*i+1] = i, n+i
		}
		next := make([]string, half)
		for i := range half {
			next[i] = p.shuffle(n, p.acc, vs[i], vs[i+half], lanes)
		}
		vs, n = next, 2*n
	}
	p.do("store %s %s, ptr %s, align 4", vec(n, p.acc), vs[0], to)
}

// square returns how many groups of rows, and columns, a square has that is transposed at once.
func (p *weaver) square() int {
	return min(p.lanes, max(1, p.lib.target.VectorBytes/(p.group*sizes[p.acc])))
}

// byColumns transposes squares of groups.
func (p *weaver) byColumns() {
	g, n := p.group, p.square()
	groups := vec(n, fmt.Sprintf("i%d", 8*g*sizes[p.acc]))
	p.each("%C", n, func(c string) {
		p.each("%R", n*g, func(r string) {
			vs := make([]string, n)
			for j := range vs {
				column := p.read(n*g, p.at(p.raw(), "%src", p.add(r, p.mul(p.addN(c, j), "%cs"))))
				vs[j] = p.val("bitcast %s %s to %s", vec(n*g, p.acc), column, groups)
			}
			for i, v := range p.transposed(n, fmt.Sprintf("i%d", 8*g*sizes[p.acc]), vs) {
				p.do("store %s %s, ptr %s, align 4", groups, v, p.woven(p.addN(r, i*g), c))
			}
		})
	})
}

func (p *weaver) oneByOne() {
	g, n := p.group, p.lanes
	p.each("%R", 1, func(r string) {
		inside := p.is("slt", r, p.rows)
		in := p.val("urem i64 %s, %d", r, g)
		p.each("%C", 1, func(c string) {
			v := p.guarded(p.at(p.raw(), "%src", p.add(p.mul(r, "%rs"), p.mul(c, "%cs"))),
				p.and(inside, p.is("slt", c, p.cols)))
			col := p.val("urem i64 %s, %d", c, n)
			to := p.woven(p.sub(r, in), p.sub(c, col))
			p.do("store %s %s, ptr %s", p.acc, p.convert(1, v),
				p.at(p.acc, to, p.add(p.mul(col, fmt.Sprint(g)), in)))
		})
	})
}
