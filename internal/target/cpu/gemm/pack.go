package gemm

import "fmt"

// pack returns a function that copies a matrix into scratch, converted to type acc:
//
//	void name(ptr src, i64 rowStride, i64 colStride, i64 rows, i64 cols, ptr dst, i64 R, i64 C)
//
// rows and cols are how many are there, which may be more than R and C or below zero; the rest of the R×C
// elements becomes zero. The result is panels, each width columns wide, one after the other; a panel is
// row-major with ld elements to a row. C and width are multiples of the lanes and width is a power of two; if
// square, R is a multiple of the lanes too. The function has a path for contiguous rows that are all there,
// one for contiguous rows, one for contiguous columns if square, and one for anything else.
func (l *Lib) pack(elem Elem, acc string, lanes, width, ld int, square bool) string {
	name := fmt.Sprintf("nereid.pack.%s.%s.%d.%d.%d", elem, acc, lanes, width, ld)
	if square {
		name += ".square"
	}
	if l.funcs[name] {
		return name
	}
	l.funcs[name] = true
	p := &packer{writer: l.writer(), elem: elem, acc: acc, lanes: lanes, width: width, ld: ld}
	p.rows, p.cols = p.limit("%rows", "%R"), p.limit("%cols", "%C")
	p.panelSize = p.mul("%R", fmt.Sprint(ld))
	whole := p.and(p.is("eq", p.rows, "%R"), p.is("eq", p.cols, "%C"))
	p.branch(p.is("eq", "%cs", "1"), func() { p.branch(whole, p.wholeRows, p.byRows) }, func() {
		if square {
			p.branch(p.is("eq", "%rs", "1"), p.byColumns, p.oneByOne)
		} else {
			p.oneByOne()
		}
	})
	p.define(name, "ptr %src, i64 %rs, i64 %cs, i64 %rows, i64 %cols, ptr noalias %dst, i64 %R, i64 %C")
	return name
}

// callPack writes a call that packs R×C elements into panels of a width.
func (w *writer) callPack(elem Elem, acc, src, rs, cs, rows, cols, dst string, R, C, width, ld int) {
	// more would make squares of very many instructions
	lanes := min(w.lib.target.VectorBytes/sizes[acc], width, 16)
	name := w.lib.pack(elem, acc, lanes, width, ld, lanes > 1 && R >= lanes)
	w.do("call void @%s(ptr %s, i64 %s, i64 %s, i64 %s, i64 %s, ptr %s, i64 %d, i64 %d)",
		name, src, rs, cs, rows, cols, dst, R, C)
}

type packer struct {
	*writer
	elem       Elem
	acc        string
	lanes      int
	width, ld  int
	rows, cols string // rows and columns that are there
	panelSize  string // elements of a panel
}

func (p *packer) raw() string { return rawOf(p.elem) }

// sizes holds the bytes of the types that matrices are packed as.
var sizes = map[string]int{"float": 4, "i32": 4, "double": 8, "i16": 2, "i8": 1}

// convert converts elements from their form in memory to the accumulator's type.
func (p *packer) convert(n int, raw string) string {
	if p.acc == p.raw() {
		return raw
	}
	in, out := vec(n, p.raw()), vec(n, p.acc)
	switch p.elem {
	case F16:
		return p.val("fpext %s %s to %s", vec(n, "half"),
			p.val("bitcast %s %s to %s", in, raw, vec(n, "half")), out)
	case BF16: // the upper half of a float
		wide := p.val("zext %s %s to %s", in, raw, vec(n, "i32"))
		sixteen := p.splatOf(n, "i32", "16")
		return p.val("bitcast %s %s to %s", vec(n, "i32"),
			p.val("shl %s %s, %s", vec(n, "i32"), wide, sixteen), out)
	case I8:
		return p.val("sext %s %s to %s", in, raw, out)
	}
	return p.val("bitcast %s %s to %s", in, raw, out)
}

// row returns the address of a row of the first panel. to returns the address of column c of a row.
func (p *packer) row(r string) string { return p.at(p.acc, "%dst", p.mul(r, fmt.Sprint(p.ld))) }

func (p *packer) to(row, c string) string {
	panel := p.mul(p.val("udiv i64 %s, %d", c, p.width), p.panelSize)
	return p.at(p.acc, row, p.add(panel, p.val("and i64 %s, %d", c, p.width-1)))
}

// wholeRows copies rows that are all there, up to eight vectors of a panel at once.
func (p *packer) wholeRows() {
	n := p.lanes
	step := min(8*n, p.width)
	p.each("%R", 1, func(r string) {
		src, dst := p.at(p.raw(), "%src", p.mul(r, "%rs")), p.row(r)
		p.each("%C", step, func(c string) {
			from, to := p.at(p.raw(), src, c), p.to(dst, c)
			soon := p.at(p.raw(), from, p.mul("%rs", fmt.Sprint(rowsAhead)))
			for i := 0; i < step*elems[p.elem].size; i += cacheLine {
				p.prefetch(p.at("i8", soon, fmt.Sprint(i)), 3)
			}
			for i := 0; i < step*sizes[p.acc]; i += cacheLine {
				p.prefetchWrite(p.at("i8", to, fmt.Sprint(i+linesAhead*cacheLine)))
			}
			for i := 0; i < step; i += n {
				v := p.val("load %s, ptr %s, align 1", vec(n, p.raw()), p.at(p.raw(), from, fmt.Sprint(i)))
				at := p.at(p.acc, to, fmt.Sprint(i))
				p.do("store %s %s, ptr %s, align 1", vec(n, p.acc), p.convert(n, v), at)
			}
		})
	})
}

// clear zeroes the rows from a row on.
func (p *packer) clear(from string) {
	p.each(p.sub("%R", from), 1, func(i string) {
		row := p.row(p.add(i, from))
		p.each("%C", p.lanes, func(c string) {
			p.do("store %s %s, ptr %s, align 1", vec(p.lanes, p.acc), zero(vec(p.lanes, p.acc)), p.to(row, c))
		})
	})
}

// byRows copies vectors of a row, the last one masked.
func (p *packer) byRows() {
	n := p.lanes
	p.each(p.rows, 1, func(r string) {
		src, dst := p.at(p.raw(), "%src", p.mul(r, "%rs")), p.row(r)
		p.each("%C", n, func(c string) {
			from, to := p.at(p.raw(), src, c), p.to(dst, c)
			p.branch(p.is("sle", p.addN(c, n), p.cols), func() {
				p.do("store %s %s, ptr %s, align 1", vec(n, p.acc),
					p.convert(n, p.val("load %s, ptr %s, align 1", vec(n, p.raw()), from)), to)
			}, func() {
				p.do("store %s %s, ptr %s, align 1", vec(n, p.acc),
					p.convert(n, p.masked(n, from, p.sub(p.cols, c))), to)
			})
		})
	})
	p.clear(p.rows)
}

// masked loads the first count of n elements; the others are zero.
func (p *packer) masked(n int, from, count string) string {
	typ := vec(n, p.raw())
	if n == 1 {
		return p.guarded(from, p.is("sgt", count, "0"))
	}
	have := p.splatOf(n, "i64", count)
	mask := p.val("icmp slt %s %s, %s", vec(n, "i64"), counting(n, "i64"), have)
	name := fmt.Sprintf("llvm.masked.load.v%d%s.p0", n, p.raw())
	p.lib.declares[name] = fmt.Sprintf("declare %s @%s(ptr, i32 immarg, %s, %s)", typ, name,
		vec(n, "i1"), typ)
	return p.val("call %s @%s(ptr %s, i32 1, %s %s, %s zeroinitializer)", typ, name, from,
		vec(n, "i1"), mask, typ)
}

// guarded loads an element if it is there, else zero.
func (p *packer) guarded(from, there string) string {
	zero := p.block
	yes, end := p.label("there"), p.label("end")
	p.do("br i1 %s, label %%%s, label %%%s", there, yes, end)
	p.begin(yes)
	v := p.val("load %s, ptr %s, align 1", p.raw(), from)
	p.do("br label %%%s", end)
	p.begin(end)
	return p.val("phi %s [ 0, %%%s ], [ %s, %%%s ]", p.raw(), zero, v, yes)
}

// byColumns transposes squares of vectors, down some columns before the next: columns may lie so far apart
// that they displace each other from the caches. Squares that are not wholly there are copied element by
// element.
func (p *packer) byColumns() {
	n := p.lanes
	p.each("%C", n, func(c string) {
		p.each("%R", n, func(r string) {
			inside := p.and(p.is("sle", p.addN(r, n), p.rows), p.is("sle", p.addN(c, n), p.cols))
			p.branch(inside, func() {
				p.transpose(r, c)
			}, func() { p.elements(r, c, fmt.Sprint(n), fmt.Sprint(n)) })
		})
	})
}

// transpose copies a square whose columns are vectors in memory.
func (p *packer) transpose(r, c string) {
	n := p.lanes
	vs := make([]string, n)
	for j := range vs {
		from := p.at(p.raw(), "%src", p.add(r, p.mul(p.addN(c, j), "%cs")))
		vs[j] = p.convert(n, p.val("load %s, ptr %s, align 1", vec(n, p.raw()), from))
	}
	for i, v := range p.transposed(n, p.acc, vs) {
		p.do("store %s %s, ptr %s, align 1", vec(n, p.acc), v, p.to(p.row(p.addN(r, i)), c))
	}
}

// transposed transposes n vectors of n lanes in log n rounds that swap blocks off the diagonal.
func (w *writer) transposed(n int, elem string, vs []string) []string {
	for half := n / 2; half >= 1; half /= 2 {
		next := make([]string, n)
		low, high := make([]int, n), make([]int, n)
		for k := range n {
			if k&half == 0 {
				low[k], high[k] = k, k+half
			} else {
				low[k], high[k] = n+k-half, n+k
			}
		}
		for i := range n {
			if i&half == 0 {
				next[i] = w.shuffle(n, elem, vs[i], vs[i+half], low)
				next[i+half] = w.shuffle(n, elem, vs[i], vs[i+half], high)
			}
		}
		vs = next
	}
	return vs
}

// oneByOne copies elements of any strides.
func (p *packer) oneByOne() { p.elements("0", "0", "%R", "%C") }

// elements copies R×C elements from row r and column c on.
func (p *packer) elements(r, c, R, C string) {
	p.each(R, 1, func(i string) {
		y := p.add(r, i)
		dst := p.row(y)
		inside := p.is("slt", y, p.rows)
		p.each(C, 1, func(j string) {
			x := p.add(c, j)
			from := p.at(p.raw(), "%src", p.add(p.mul(y, "%rs"), p.mul(x, "%cs")))
			v := p.guarded(from, p.and(inside, p.is("slt", x, p.cols)))
			p.do("store %s %s, ptr %s, align 1", p.acc, p.convert(1, v), p.to(dst, x))
		})
	})
}
