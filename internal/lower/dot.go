package lower

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// lowerDot multiplies on tensor cores when the accumulator's layout is theirs, else by multiply-add.
func lowerDot(l *lowering, op *ir.Op) {
	enc := op.Result(0).Type.(*ir.TensorType).Encoding
	mma, ok := ttg.As[ttg.NvidiaMma](enc)
	switch {
	case !ok:
		l.dotFMA(op)
	case mma.VersionMajor == 2:
		l.dotMMA(op)
	default:
		l.fail(op, "tt.dot on a layout of version %d", mma.VersionMajor)
	}
}

// operand is a tensor with its registers by coordinates.
type operand struct {
	regs  []string
	where map[[3]int]int
	coord [][]int
	elem  ir.Type
}

func (l *lowering) operand(op *ir.Op, v *ir.Value) operand {
	ll := l.layout(op, v.Type)
	o := operand{regs: l.regs(v), where: map[[3]int]int{}, elem: ir.ElemOf(v.Type)}
	for r := range ll.InSize(layout.Register) {
		c := registerCoords(ll, r)
		o.coord = append(o.coord, c)
		if _, ok := o.where[key3(c)]; !ok {
			o.where[key3(c)] = r
		}
	}
	return o
}

// key3 is coordinates as (batch, row, column).
func key3(c []int) [3]int {
	if len(c) == 3 {
		return [3]int{c[0], c[1], c[2]}
	}
	return [3]int{0, c[0], c[1]}
}

// offsets are the distinct values of one coordinate, sorted.
func (o operand) offsets(dim int) []int {
	seen := map[int]bool{}
	for _, c := range o.coord {
		seen[key3(c)[dim]] = true
	}
	var out []int
	for n := range seen {
		out = append(out, n)
	}
	sort.Ints(out)
	return out
}

func (o operand) at(l *lowering, op *ir.Op, b, i, j int) string {
	r, ok := o.where[[3]int{b, i, j}]
	if !ok {
		l.fail(op, "an operand's layout does not go with the accumulator's: no register at (%d, %d, %d)", b, i, j)
	}
	return o.regs[r]
}

// dotFMA computes each element that the thread holds as a chain of multiply-adds.
func (l *lowering) dotFMA(op *ir.Op) {
	a, b, c := l.operand(op, op.Operand(0)), l.operand(op, op.Operand(1)), l.operand(op, op.Operand(2))
	ks := a.offsets(2)
	out := slices.Clone(c.regs)
	for r, coord := range c.coord {
		p := key3(coord)
		acc := c.regs[r]
		for _, k := range ks {
			x := l.widen(a.at(l, op, p[0], p[1], k), a.elem, c.elem)
			y := l.widen(b.at(l, op, p[0], k, p[2]), b.elem, c.elem)
			typ := llvmType(c.elem)
			if ir.IsFloat(c.elem) {
				acc = l.call(typ, "llvm.fma."+suffix(c.elem), typ+" "+x, typ+" "+y, typ+" "+acc)
			} else {
				acc = l.val("add %s %s, %s", typ, acc, l.val("mul %s %s, %s", typ, x, y))
			}
		}
		out[r] = acc
	}
	l.set(op.Result(0), out)
}

func (l *lowering) widen(x string, from, to ir.Type) string {
	switch {
	case from == to:
		return x
	case ir.IsFloat(to):
		return l.extend(x, from, to)
	}
	return l.val("sext %s %s to %s", llvmType(from), x, llvmType(to))
}

// mmaShape is an instruction of the tensor cores.
type mmaShape struct {
	name  string // ".m16n8k16"
	kRegs int    // registers of an operand along k in each thread
	in    string // type of the operands
}

// mmaShapes are the instructions for operand types. One for f64 has 8 rows and 4 columns of A, so a tile takes several.
var mmaShapes = map[ir.Type]mmaShape{
	ir.F16:      {".m16n8k16", 2, ".f16"},
	ir.BF16:     {".m16n8k16", 2, ".bf16"},
	ir.F32:      {".m16n8k8", 2, ".tf32"},
	ir.I8:       {".m16n8k32", 2, ".s8"},
	ir.F8E4M3FN: {".m16n8k32", 2, ".e4m3"},
	ir.F8E5M2:   {".m16n8k32", 2, ".e5m2"},
	ir.F64:      {".m8n8k4", 1, ".f64"},
}

// mmaFor is the instruction for an operand type.
func mmaFor(l *lowering, op *ir.Op, t ir.Type) mmaShape {
	s, ok := mmaShapes[t]
	if !ok {
		l.fail(op, "there is no instruction of the tensor cores for %s", t)
	}
	return s
}

// dotMMA tiles the product for mma.sync. A thread's registers of A hold rows i and i+8 of each tile and its share of k; those of B hold
// one column. Which k they are does not matter, as long as A and B agree, which they do when their layouts have the same kWidth. Of a
// result with less than 8 rows or columns threads hold copies: rows and columns go around.
func (l *lowering) dotMMA(op *ir.Op) {
	a, b, c := l.operand(op, op.Operand(0)), l.operand(op, op.Operand(1)), l.operand(op, op.Operand(2))
	s := mmaFor(l, op, a.elem)
	ka, kb := a.offsets(2), b.offsets(1)
	if !slices.Equal(ka, kb) {
		l.fail(op, "the operands' layouts differ along k")
	}
	per := max(1, 32/ir.BitWidth(a.elem))
	if len(ka)%(per*s.kRegs) != 0 {
		l.fail(op, "%d elements along k in a thread are less than an instruction takes", len(ka))
	}
	p := product{l: l, op: op, s: s, a: a, b: b, c: c, acc: slices.Clone(c.regs)}
	for _, batch := range c.offsets(0) {
		for ks := range slices.Chunk(ka, per*s.kRegs) { // outermost, so that neighbours do not wait for each other
			p.slab(batch, slices.Collect(slices.Chunk(ks, per)))
		}
	}
	for r, coord := range c.coord { // copies
		p.acc[r] = p.acc[c.where[key3(coord)]]
	}
	l.set(op.Result(0), p.acc)
}

// product is a product on tensor cores while it is computed.
type product struct {
	l       *lowering
	op      *ir.Op
	s       mmaShape
	a, b, c operand
	acc     []string
}

// slab adds the products of the columns ks of A, register by register, to all tiles.
func (p *product) slab(batch int, ks [][]int) {
	l, op := p.l, p.op
	shape := ir.ShapeOf(op.Result(0).Type)
	if part, err := ttglayout.ShapePerCTA(op.Result(0).Type.(*ir.TensorType).Encoding, shape); err == nil {
		shape = part // what the block has
	}
	rows, cols := int(shape[len(shape)-2]), int(shape[len(shape)-1])
	ns := slices.DeleteFunc(p.c.offsets(2), func(n int) bool { return n&1 != 0 })
	right := map[int][]string{}
	for _, n := range ns {
		for _, part := range ks {
			right[n] = append(right[n], l.fragment(part, p.b.elem, func(k int) string { return p.b.at(l, op, batch, k, n) }))
		}
	}
	for _, m := range p.c.offsets(1) {
		if m&8 != 0 {
			continue
		}
		pair := []int{m, (m + 8) % rows}
		var left []string
		for _, part := range ks {
			for _, row := range pair {
				left = append(left, l.fragment(part, p.a.elem, func(k int) string { return p.a.at(l, op, batch, row, k) }))
			}
		}
		for _, n := range ns {
			var tile []int
			for _, i := range pair {
				tile = append(tile, p.c.index(l, op, batch, i, n), p.c.index(l, op, batch, i, (n+1)%cols))
			}
			l.mma(op, p.s, mmaShapes[p.b.elem].in, p.c.elem, p.acc, tile, left, right[n])
		}
	}
}

func (o operand) index(l *lowering, op *ir.Op, b, i, j int) int {
	r, ok := o.where[[3]int{b, i, j}]
	if !ok {
		l.fail(op, "the accumulator has no element (%d, %d, %d)", b, i, j)
	}
	return r
}

// fragment packs elements into a register of 32 bits, or of 64 for one f64.
func (l *lowering) fragment(ks []int, t ir.Type, at func(k int) string) string {
	if t == ir.F64 {
		return at(ks[0])
	}
	elems := make([]string, len(ks))
	for i, k := range ks {
		elems[i] = at(k)
	}
	return l.pack(newAccess(t, len(ks)), elems)[0]
}

// mma multiplies one tile and puts the results into acc, where the tile's four elements are at places. The fragments of A go row,
// row+8, then k.
func (l *lowering) mma(op *ir.Op, s mmaShape, inB string, elem ir.Type, acc []string, tile []int, as, bs []string) {
	code := func(kind string) string {
		return "mma.sync.aligned" + s.name + ".row.col" + kind + s.in + inB + kind
	}
	if strings.HasPrefix(s.in, ".e") {
		l.ptx = max(l.ptx, 84)
	}
	switch elem {
	case ir.I32:
		l.mmaCall(code(".s32"), "i32", "r", acc, tile, typed("i32", as), typed("i32", bs))
	case ir.F32:
		l.mmaCall(code(".f32"), "float", "f", acc, tile, typed("i32", as), typed("i32", bs))
	case ir.F64:
		l.mmaCall(code(".f64"), "double", "d", acc, tile[:2], typed("double", as[:1]), typed("double", bs))
		if tile[2] != tile[0] { // else the rows are copies
			l.mmaCall(code(".f64"), "double", "d", acc, tile[2:], typed("double", as[1:]), typed("double", bs))
		}
	case ir.F16:
		if strings.HasPrefix(s.in, ".e") { // sums of fp8 in f16 are for PTX 8.7
			l.mmaWidened(func(wide []string) {
				l.mmaCall(code(".f32"), "float", "f", wide, []int{0, 1, 2, 3}, typed("i32", as), typed("i32", bs))
			}, acc, tile)
			return
		}
		l.mmaHalf(code(".f16"), acc, tile, typed("i32", as), typed("i32", bs))
	default:
		l.fail(op, "an accumulator of %s", elem)
	}
}

func typed(typ string, vals []string) []string {
	out := make([]string, len(vals))
	for i, v := range vals {
		out[i] = typ + " " + v
	}
	return out
}

// mmaHalf is mma with an accumulator of f16, which has two elements in a register.
func (l *lowering) mmaHalf(code string, acc []string, tile []int, as, bs []string) {
	two := newAccess(ir.F16, 2)
	pairs := []string{l.pack(two, []string{acc[tile[0]], acc[tile[1]]})[0], l.pack(two, []string{acc[tile[2]], acc[tile[3]]})[0]}
	l.mmaCall(code, "i32", "r", pairs, []int{0, 1}, as, bs)
	for i, p := range pairs {
		v := l.val("bitcast i32 %s to <2 x half>", p)
		for j := range 2 {
			acc[tile[2*i+j]] = l.val("extractelement <2 x half> %s, i32 %d", v, j)
		}
	}
}

// mmaWidened does f on an f16 accumulator as f32.
func (l *lowering) mmaWidened(f func(wide []string), acc []string, tile []int) {
	wide := make([]string, len(tile))
	for i, t := range tile {
		wide[i] = l.extend(acc[t], ir.F16, ir.F32)
	}
	f(wide)
	for i, t := range tile {
		acc[t] = l.truncate(wide[i], ir.F32, ir.F16)
	}
}

// mmaCall is the instruction: places of acc are its accumulators and results.
func (l *lowering) mmaCall(code, typ, reg string, acc []string, places []int, as, bs []string) {
	args := slices.Concat(as, bs)
	for _, i := range places {
		args = append(args, typ+" "+acc[i])
	}
	n := len(places)
	list := func(from, count int) string {
		var regs []string
		for i := range count {
			regs = append(regs, fmt.Sprintf("$%d", from+i))
		}
		return "{ " + strings.Join(regs, ", ") + " }"
	}
	text := fmt.Sprintf("%s %s, %s, %s, %s;", code, list(0, n), list(n, len(as)), list(n+len(as), len(bs)), list(n+len(as)+len(bs), n))
	in := "r"
	if strings.HasPrefix(as[0], "double") {
		in = "d"
	}
	constraints := slices.Concat(slices.Repeat([]string{"=" + reg}, n), slices.Repeat([]string{in}, len(as)+len(bs)), slices.Repeat([]string{reg}, n))
	ret := structOf(slices.Repeat([]string{typ}, n))
	r := l.asm(ret, text, strings.Join(constraints, ","), false, args...)
	for i, f := range l.fields(ret, r, n) {
		acc[places[i]] = f
	}
}
