package ptxsim

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// Products of warp groups: wgmma.mma_async, its fence, commit and wait. Each warp of the four computes its
// own 16 rows, when the product is issued. products.go checks the accesses to its operands until a wait.

var groupOps = map[string]decoder{"wgmma": wgmma}

func wgmma(s *stmt) (action, error) {
	switch {
	case s.has("mma_async"):
		return groupProduct(s)
	case s.has("fence"):
		return onWarp(func(c *block, w int) { c.productsOf(w).fenced = true }), nil
	case s.has("commit_group"):
		return onWarp(func(c *block, w int) { c.productsOf(w).commit() }), nil
	case s.has("wait_group"):
		if err := s.need(1); err != nil {
			return nil, err
		}
		n := int(s.ops[0].imm)
		return onWarp(func(c *block, w int) { c.waitProducts(w, n) }), nil
	}
	return nil, fmt.Errorf("wgmma.%s is not known", strings.Join(s.parts, "."))
}

// onWarp wraps f, which executes an instruction for a whole warp, as an action.
func onWarp(f func(c *block, w int)) action {
	return func(c *block, act []int32) {
		if len(act) != 32 {
			c.fail(act[0], "wgmma with %d threads of a warp", len(act))
		}
		f(c, int(act[0]/32))
	}
}

// groupShape is the shape and the types of a product, as in the instruction's name.
type groupShape struct {
	n, k           int
	d, a, b        typ
	negA, negB     bool
	transA, transB bool
	fromRegs       bool
}

// groupProduct decodes wgmma.mma_async: D = A*B + D, or A*B where scale-d is false.
func groupProduct(s *stmt) (action, error) {
	if err := s.need(4); err != nil {
		return nil, err
	}
	g, err := readGroupShape(s)
	if err != nil {
		return nil, err
	}
	d, a, b, scale := s.ops[0].elems, s.ops[1], s.src(2, types["b64"]), s.src(3, types["pred"])
	if want := g.n / 2 * g.d.bits / 32; len(d) != want {
		return nil, fmt.Errorf("%d registers for the result, not %d", len(d), want)
	}
	if g.fromRegs && len(a.elems) != 4 {
		return nil, fmt.Errorf("%d registers for A, not 4", len(a.elems))
	}
	multiplyAdd := s.multiplier(g.d)
	p := product{dst: registersOf(d), src: registersOf(a.elems)}
	return onWarp(func(c *block, w int) {
		t := int32(32 * w)
		q := p
		c.startProduct(w, &q)
		at, desc, sums := a, matrixDescriptor(b.get(c, t)), scale.get(c, t)&1 != 0
		if !g.fromRegs {
			at = operand{kind: isImm, imm: a.get(c, t)}
		}
		compute := func(q *product) {
			left, right := g.left(c, w, at, q), g.right(c, t, desc, q)
			acc := make([]float64, 16*g.n)
			if sums {
				g.eachResult(func(i, at, reg, part int) {
					acc[at] = g.d.value(c.regs[d[reg].reg*c.n+int(t)+i] >> (16 * part))
				})
			}
			multiplyAdd(left, right, acc, 16, g.n, g.k)
			g.eachResult(func(i, at, reg, part int) {
				cell := &c.regs[d[reg].reg*c.n+int(t)+i]
				*cell = g.put(*cell, acc[at], part)
			})
		}
		if c.late() {
			g.left(c, w, at, &q) // for the addresses
			g.right(c, t, desc, &q)
			q.compute = func() { compute(&product{}) }
		} else {
			c.productsOf(w).compute(math.MaxInt) // products of a warp come in order
			compute(&q)
		}
		c.issueProduct(w, &q)
	}), nil
}

// readGroupShape reads the instruction's name and its immediates: imm-scale-a and -b of floats, imm-trans-a,
// unless A is in registers, and -b of elements of 16 bits.
func readGroupShape(s *stmt) (g groupShape, err error) {
	shape := ""
	for _, p := range s.parts {
		if strings.HasPrefix(p, "m64n") {
			shape = p
		}
	}
	if _, err := fmt.Sscanf(shape, "m64n%dk%d", &g.n, &g.k); err != nil || len(s.types) != 3 ||
		s.ops[0].kind != isVector {
		return g, fmt.Errorf("this form of wgmma is not known")
	}
	g.d, g.a, g.b = s.types[0], s.factor(s.types[1]), s.factor(s.types[2])
	g.fromRegs = s.ops[1].kind == isVector
	if g.k*g.a.bits != 256 || g.a.bits != g.b.bits || g.n%8 != 0 || g.n > 256 {
		return g, fmt.Errorf("there is no wgmma of this shape")
	}
	if g.a.kind != 'f' {
		return g, nil
	}
	imm := s.ops[4:]
	flags := []*bool{&g.negA, &g.negB}
	if g.a.bits == 16 {
		if !g.fromRegs {
			flags = append(flags, &g.transA)
		}
		flags = append(flags, &g.transB)
	}
	if len(imm) != len(flags) {
		return g, fmt.Errorf("%d immediates, not %d", len(imm), len(flags))
	}
	for i, f := range flags {
		*f = int64(imm[i].imm) == -1 || i > 1 && imm[i].imm == 1
	}
	return g, nil
}

// registersOf returns the numbers of registers.
func registersOf(ops []operand) []int32 {
	var out []int32
	for _, o := range ops {
		if o.kind == isReg {
			out = append(out, int32(o.reg))
		}
	}
	return out
}

// eachResult goes over the results of a warp: lane i has element at of its 16 rows in a register, f16 in one
// part of it.
func (g *groupShape) eachResult(f func(i, at, reg, part int)) {
	for col := 0; col < g.n; col += 8 {
		for half := range 4 { // two rows, eight apart, of two columns
			reg, part := col/2+half, 0
			if g.d.bits == 16 {
				reg, part = reg/2, reg%2
			}
			for i := range 32 {
				f(i, (i/4+half/2*8)*g.n+col+i%4*2+half%2, reg, part)
			}
		}
	}
}

// put returns a register with a result put into it.
func (g *groupShape) put(old uint64, v float64, part int) uint64 {
	switch {
	case g.d.kind != 'f':
		return g.d.mask(uint64(int64(v)))
	case g.d.bits == 16:
		return old&^(0xffff<<(16*part)) | g.d.round(v)<<(16*part)
	}
	return uint64(math.Float32bits(float32(v)))
}

// left returns the warp's 16 rows of A.
func (g *groupShape) left(c *block, w int, a operand, p *product) []float64 {
	t := int32(32 * w)
	if g.fromRegs {
		return g.signed(readTile(c, t, a.elems, g.a, 16, g.k, operandA(32/g.a.bits)), g.negA)
	}
	out := make([]float64, 16*g.k)
	d := matrixDescriptor(a.get(c, t))
	vals := valuesOf(g.a)
	d.each(g.transA, g.a.bits/8, 0, 64, g.k, func(row, k, at int) {
		// all four warps are taken to read all of A: which of them does is nobody's promise
		if bits := c.matrixBytes(t, at, g.a.bits/8, p); row/16 == w%4 {
			out[(row%16)*g.k+k] = vals(bits)
		}
	})
	return g.signed(out, g.negA)
}

// right returns the k rows of B.
func (g *groupShape) right(c *block, t int32, d matrixDescriptor, p *product) []float64 {
	out := make([]float64, g.k*g.n)
	vals := valuesOf(g.b)
	d.each(g.transB, g.b.bits/8, 0, g.n, g.k, func(col, k, at int) {
		out[k*g.n+col] = vals(c.matrixBytes(t, at, g.b.bits/8, p))
	})
	return g.signed(out, g.negB)
}

func (g *groupShape) signed(v []float64, neg bool) []float64 {
	if neg {
		for i := range v {
			v[i] = -v[i]
		}
	}
	return v
}

// matrixDescriptor says where a matrix is in shared memory: bits 0 to 13 are its address, 16 to 29 and 32 to
// 45 the leading and the stride offset, all in units of 16 bytes, 49 to 51 the base offset, 62 and 63 the
// swizzle: none, 128, 64, or 32 bytes.
type matrixDescriptor uint64

func (d matrixDescriptor) start() int   { return int(d&0x3fff) << 4 }
func (d matrixDescriptor) leading() int { return int(d>>16&0x3fff) << 4 }
func (d matrixDescriptor) stride() int  { return int(d>>32&0x3fff) << 4 }
func (d matrixDescriptor) width() int   { return []int{16, 128, 64, 32}[d>>62] }

// each goes over elements of size bytes: rows first to first+rows of A, or columns of B, and depth of them
// along k. A matrix has its k in a row or, transposed, its rows (of B: columns) in a row. Core matrices are
// eight rows of the swizzle's width:
//
//   - k in a row: a core matrix is eight rows of A. The next eight are the stride further; without a
//     swizzle 16 bytes make a row, and the next along k are the leading offset further.
//   - transposed: a core matrix is eight steps of k. What does not fit in a row is the leading offset
//     further, the next eight steps the stride; without a swizzle it is the other way round.
//
// The swizzle exchanges units of 16 bytes by the three bits of the address above the 128 bytes.
func (d matrixDescriptor) each(trans bool, size, first, rows, depth int, f func(row, k, at int)) {
	width, lead, stride := d.width(), d.leading(), d.stride()
	inRow, swizzled := width/size, width > 16
	if trans && !swizzled {
		lead, stride = stride, lead
	}
	mask := width/16 - 1
	for row := first; row < first+rows; row++ {
		for k := range depth {
			at := d.start()
			switch {
			case trans:
				at += row%inRow*size + row/inRow*lead + k%8*width + k/8*stride
			case swizzled:
				at += row%8*width + row/8*stride + k*size
			default:
				at += row%8*width + row/8*stride + k%inRow*size + k/inRow*lead
			}
			f(row, k, at^at>>3&(mask<<4))
		}
	}
}

// matrixBytes returns an element that a product reads.
func (c *block) matrixBytes(t int32, at, size int, p *product) uint64 {
	if at+size > len(c.shared) {
		c.fail(t, "shared address %#x of a matrix is outside of %d", at, len(c.shared))
	}
	if at%16 == 0 {
		p.units = append(p.units, int32(at>>4))
	}
	return simmem.Load(c.shared[at:], size)
}

// valuesOf returns the function from a type's bits to its values. Types of up to 16 bits go by a table.
func valuesOf(t typ) func(uint64) float64 {
	if t.bits > 16 {
		return t.value
	}
	table := tableOf(t)
	return func(bits uint64) float64 { return table[bits] }
}

var tables sync.Map // the name of a type to its values

func tableOf(t typ) []float64 {
	key := string(t.kind) + strconv.Itoa(t.bits)
	if t.fmt != nil {
		key = t.fmt.Name
	}
	if v, ok := tables.Load(key); ok {
		return v.([]float64)
	}
	out := make([]float64, 1<<t.bits)
	for i := range out {
		out[i] = t.value(uint64(i))
	}
	tables.Store(key, out)
	return out
}
