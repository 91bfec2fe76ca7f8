package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// dot multiplies with mma.sync if the accumulator has its layout.
func (nvidia) dot(l *lowering, op *ir.Op) bool {
	mma, ok := ttg.As[ttg.NvidiaMma](op.Result(0).Type.(*ir.TensorType).Encoding)
	switch {
	case !ok:
		return false
	case mma.VersionMajor != 2:
		l.fail(op, "tt.dot on a layout of version %d", mma.VersionMajor)
	}
	l.dotMMA(op)
	return true
}

// mmaShape describes an mma instruction.
type mmaShape struct {
	name  string // for example ".m16n8k16"
	kRegs int    // registers of an operand along k in each thread
	in    string // type suffix of the operands
}

// mmaShapes holds the instruction for each operand type. The instruction for f64 covers 8 rows and 4 columns
// of A, so a tile takes several.
var mmaShapes = map[ir.Type]mmaShape{
	ir.F16:      {".m16n8k16", 2, ".f16"},
	ir.BF16:     {".m16n8k16", 2, ".bf16"},
	ir.F32:      {".m16n8k8", 2, ".tf32"},
	ir.I8:       {".m16n8k32", 2, ".s8"},
	ir.F8E4M3FN: {".m16n8k32", 2, ".e4m3"},
	ir.F8E5M2:   {".m16n8k32", 2, ".e5m2"},
	ir.F64:      {".m8n8k4", 1, ".f64"},
}

// mmaFor returns the instruction for operands of type t.
func mmaFor(l *lowering, op *ir.Op, t ir.Type) mmaShape {
	s, ok := mmaShapes[t]
	if !ok {
		l.fail(op, "there is no instruction of the tensor cores for %s", t)
	}
	return s
}

// dotMMA tiles the product for mma.sync. A thread's registers of A hold rows i and i+8 of each tile and a
// share of k; its registers of B hold a column. Any assignment of k to registers is right as long as A and B
// agree, which equal kWidths of their layouts guarantee. If the result has fewer than 8 rows or columns,
// threads hold copies, and rows and columns wrap around.
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
		// outermost, so that consecutive instructions are independent
		for ks := range slices.Chunk(ka, per*s.kRegs) {
			p.slab(batch, slices.Collect(slices.Chunk(ks, per)))
		}
	}
	for r, coord := range c.coord { // registers that hold copies
		p.acc[r] = p.acc[c.where[key3(coord)]]
	}
	l.set(op.Result(0), p.acc)
}

// product is the state of a product on tensor cores.
type product struct {
	l       *lowering
	op      *ir.Op
	s       mmaShape
	a, b, c operand
	acc     []string
}

// slab adds the products over ks, one register's worth of k after another, to all tiles of a batch.
func (p *product) slab(batch int, ks [][]int) {
	l, op := p.l, p.op
	shape := ir.ShapeOf(op.Result(0).Type)
	if part, err := ttglayout.ShapePerCTA(op.Result(0).Type.(*ir.TensorType).Encoding, shape); err == nil {
		shape = part // the block's part of the result
	}
	rows, cols := int(shape[len(shape)-2]), int(shape[len(shape)-1])
	ns := slices.DeleteFunc(p.c.offsets(2), func(n int) bool { return n&1 != 0 })
	right := map[int][]string{}
	for _, n := range ns {
		for _, part := range ks {
			right[n] = append(right[n], l.fragment(part, p.b.elem, func(k int) string {
				return p.b.at(l, op, batch, k, n)
			}))
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
				left = append(left, l.fragment(part, p.a.elem, func(k int) string {
					return p.a.at(l, op, batch, row, k)
				}))
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

// mma multiplies one tile and adds it to the four registers acc[tile[i]]. The fragments as come in the order
// row, row+8, then k.
func (l *lowering) mma(op *ir.Op, s mmaShape, inB string, elem ir.Type, acc []string, tile []int, as,
	bs []string) {
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
		if tile[2] != tile[0] { // otherwise rows i and i+8 are copies
			l.mmaCall(code(".f64"), "double", "d", acc, tile[2:], typed("double", as[1:]),
				typed("double", bs))
		}
	case ir.F16:
		if strings.HasPrefix(s.in, ".e") { // summing fp8 products in f16 needs PTX 8.7
			l.mmaWidened(func(wide []string) {
				l.mmaCall(code(".f32"), "float", "f", wide, []int{0, 1, 2, 3}, typed("i32", as),
					typed("i32", bs))
			}, acc, tile)
			return
		}
		l.mmaHalf(code(".f16"), acc, tile, typed("i32", as), typed("i32", bs))
	default:
		l.fail(op, "an accumulator of %s", elem)
	}
}

// mmaHalf multiplies like mma, with an f16 accumulator, of which a register holds two elements.
func (l *lowering) mmaHalf(code string, acc []string, tile []int, as, bs []string) {
	two := newAccess(ir.F16, 2)
	pairs := []string{l.pack(two, []string{acc[tile[0]], acc[tile[1]]})[0],
		l.pack(two, []string{acc[tile[2]], acc[tile[3]]})[0]}
	l.mmaCall(code, "i32", "r", pairs, []int{0, 1}, as, bs)
	for i, p := range pairs {
		v := l.val("bitcast i32 %s to <2 x half>", p)
		for j := range 2 {
			acc[tile[2*i+j]] = l.val("extractelement <2 x half> %s, i32 %d", v, j)
		}
	}
}

// mmaWidened calls f with the f16 accumulators of tile converted to f32 and converts them back.
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

// mmaCall emits the instruction; acc[places[i]] are its accumulators and results.
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
	text := fmt.Sprintf("%s %s, %s, %s, %s;", code, list(0, n), list(n, len(as)), list(n+len(as), len(bs)),
		list(n+len(as)+len(bs), n))
	in := "r"
	if strings.HasPrefix(as[0], "double") {
		in = "d"
	}
	constraints := slices.Concat(slices.Repeat([]string{"=" + reg}, n),
		slices.Repeat([]string{in}, len(as)+len(bs)), slices.Repeat([]string{reg}, n))
	ret := structOf(slices.Repeat([]string{typ}, n))
	r := l.asm(ret, text, strings.Join(constraints, ","), false, args...)
	for i, f := range l.fields(ret, r, n) {
		acc[places[i]] = f
	}
}
