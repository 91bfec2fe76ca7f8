package lower

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
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
	name   string // ".m16n8k16"
	perReg int    // elements of an operand in a 32-bit register
	kRegs  int    // of those registers along k in each thread: two for all but fp64
	in     string // type of the operands
}

// mmaFor is the instruction for an operand type.
func mmaFor(l *lowering, op *ir.Op, t ir.Type) mmaShape {
	switch t {
	case ir.F16:
		return mmaShape{".m16n8k16", 2, 2, ".f16"}
	case ir.BF16:
		return mmaShape{".m16n8k16", 2, 2, ".bf16"}
	case ir.F32:
		return mmaShape{".m16n8k8", 1, 2, ".tf32"}
	case ir.I8:
		return mmaShape{".m16n8k32", 4, 2, ".s8"}
	case ir.F8E4M3FN:
		return mmaShape{".m16n8k32", 4, 2, ".e4m3"}
	case ir.F8E5M2:
		return mmaShape{".m16n8k32", 4, 2, ".e5m2"}
	}
	l.fail(op, "there is no instruction of the tensor cores for %s", t)
	return mmaShape{}
}

// dotMMA tiles the product for mma.sync. A thread's registers of A hold rows i and i+8 of each tile and its share of k; those of B hold
// one column. Which k they are does not matter, as long as A and B agree, which they do when their layouts have the same kWidth.
func (l *lowering) dotMMA(op *ir.Op) {
	a, b, c := l.operand(op, op.Operand(0)), l.operand(op, op.Operand(1)), l.operand(op, op.Operand(2))
	s := mmaFor(l, op, a.elem)
	ka, kb := a.offsets(2), b.offsets(1)
	if !slices.Equal(ka, kb) {
		l.fail(op, "the operands' layouts differ along k")
	}
	step := s.perReg * s.kRegs
	acc := slices.Clone(c.regs)
	for batch := range c.offsets(0) {
		for _, m := range c.offsets(1) {
			if m&8 != 0 {
				continue
			}
			for _, n := range c.offsets(2) {
				if n&1 != 0 {
					continue
				}
				tile := []int{c.index(l, op, batch, m, n), c.index(l, op, batch, m, n+1), c.index(l, op, batch, m+8, n), c.index(l, op, batch, m+8, n+1)}
				for k := 0; k+step <= len(ka); k += step {
					var as, bs []string
					for h := range s.kRegs {
						ks := ka[k+h*s.perReg : k+(h+1)*s.perReg]
						for _, row := range []int{m, m + 8} {
							as = append(as, l.fragment(ks, a.elem, func(kk int) string { return a.at(l, op, batch, row, kk) }))
						}
						bs = append(bs, l.fragment(ks, b.elem, func(kk int) string { return b.at(l, op, batch, kk, n) }))
					}
					l.mma(op, s, c.elem, acc, tile, as, bs)
				}
			}
		}
	}
	l.set(op.Result(0), acc)
}

func (o operand) index(l *lowering, op *ir.Op, b, i, j int) int {
	r, ok := o.where[[3]int{b, i, j}]
	if !ok {
		l.fail(op, "the accumulator has no element (%d, %d, %d)", b, i, j)
	}
	return r
}

// fragment packs elements into a 32-bit register.
func (l *lowering) fragment(ks []int, t ir.Type, at func(k int) string) string {
	elems := make([]string, len(ks))
	for i, k := range ks {
		elems[i] = at(k)
	}
	return l.pack(newAccess(t, len(ks)), elems)[0]
}

// mma does one instruction and puts its results into acc.
func (l *lowering) mma(op *ir.Op, s mmaShape, elem ir.Type, acc []string, tile []int, as, bs []string) {
	typ, reg, kind := "float", "f", ".f32"
	switch elem {
	case ir.I32:
		typ, reg, kind = "i32", "r", ".s32"
	case ir.F32:
	default:
		l.fail(op, "an accumulator of %s", elem)
	}
	ret := fmt.Sprintf("{ %s, %s, %s, %s }", typ, typ, typ, typ)
	code := fmt.Sprintf("mma.sync.aligned%s.row.col%s%s%s%s { $0, $1, $2, $3 }, { $4, $5, $6, $7 }, { $8, $9 }, { $10, $11, $12, $13 };",
		s.name, kind, s.in, s.in, kind)
	// The fragments of A go row, row+8, then k: that is how they were made.
	var args []string
	for _, x := range append(append([]string{}, as...), bs...) {
		args = append(args, "i32 "+x)
	}
	for _, i := range tile {
		args = append(args, typ+" "+acc[i])
	}
	constraints := strings.Repeat("="+reg+",", 4) + "r,r,r,r,r,r," + strings.TrimSuffix(strings.Repeat(reg+",", 4), ",")
	r := l.asm(ret, code, constraints, false, args...)
	for i, t := range tile {
		acc[t] = l.val("extractvalue %s %s, %d", ret, r, i)
	}
}
