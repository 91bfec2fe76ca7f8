package lower

import (
	"fmt"
	"slices"
	"sort"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
)

// dot multiplies by MFMA or WMMA if the accumulator has its layout.
func (v amd) dot(l *lowering, op *ir.Op) bool {
	p := tileProduct{l: l, op: op}
	switch enc := ttg.Decode(op.Result(0).Type.(*ir.TensorType).Encoding).(type) {
	case ttg.AMDMfma:
		p.rows, p.cols, p.transposed = int(enc.InstrShape[0]), int(enc.InstrShape[1]), enc.IsTransposed
		p.emit = v.mfma(l, op, enc)
	case ttg.AMDWmma:
		p.rows, p.cols, p.transposed = 16, 16, enc.IsTransposed
		p.emit = v.wmma(l, op, enc.IsTransposed)
	default:
		return false
	}
	p.run()
	return true
}

// tileInstruction multiplies a tile: as and bs are the elements along k that a lane has, acc what it has of
// the tile. It returns the new accumulator.
type tileInstruction struct {
	depth int // elements along k of a lane
	call  func(as, bs, acc []string) []string
}

// tileProduct is a product tile by tile. A lane's registers of the operands hold a row or a column and some
// of k; its registers of the accumulator lie in a column of the tile, or in a row if transposed.
type tileProduct struct {
	l          *lowering
	op         *ir.Op
	rows, cols int
	transposed bool // the instruction computes the transposed tile, from exchanged operands
	emit       tileInstruction

	a, b, c operand
	acc     []string
}

func (p *tileProduct) run() {
	l, op := p.l, p.op
	p.a, p.b, p.c = l.operand(op, op.Operand(0)), l.operand(op, op.Operand(1)), l.operand(op, op.Operand(2))
	p.acc = slices.Clone(p.c.regs)
	ka, kb := p.a.offsets(2), p.b.offsets(1)
	if !slices.Equal(ka, kb) || len(ka)%p.emit.depth != 0 {
		l.fail(op, "the operands' layouts do not go with the instruction: %d and %d elements along k",
			len(ka), len(kb))
	}
	tiles := p.tiles()
	// outermost, so that consecutive instructions are independent
	for ks := range slices.Chunk(ka, p.emit.depth) {
		for _, t := range tiles {
			p.multiply(t, ks)
		}
	}
	for r, coord := range p.c.coord { // registers that hold copies
		p.acc[r] = p.acc[p.c.where[key3(coord)]]
	}
	l.set(op.Result(0), p.acc)
}

// tile is a lane's part of a tile: where it begins, and its registers in the instruction's order.
type tile struct {
	at   [3]int
	regs []int
}

// tiles returns the thread's tiles in the order of their first registers.
func (p *tileProduct) tiles() (out []tile) {
	index := map[[3]int]int{}
	for r, coord := range p.c.coord {
		k := key3(coord)
		if p.c.where[k] != r {
			continue // a copy
		}
		at := [3]int{k[0], k[1] / p.rows * p.rows, k[2] / p.cols * p.cols}
		i, ok := index[at]
		if !ok {
			i = len(out)
			index[at] = i
			out = append(out, tile{at: at})
		}
		out[i].regs = append(out[i].regs, r)
	}
	for _, t := range out {
		sort.Slice(t.regs, func(i, j int) bool {
			x, y := key3(p.c.coord[t.regs[i]]), key3(p.c.coord[t.regs[j]])
			if p.transposed {
				return x[2] < y[2]
			}
			return x[1] < y[1]
		})
	}
	return out
}

// multiply adds the products over ks to a tile.
func (p *tileProduct) multiply(t tile, ks []int) {
	as, bs, acc := make([]string, len(ks)), make([]string, len(ks)), make([]string, len(t.regs))
	for i, k := range ks {
		as[i] = p.a.at(p.l, p.op, t.at[0], t.at[1], k)
		bs[i] = p.b.at(p.l, p.op, t.at[0], k, t.at[2])
	}
	for i, r := range t.regs {
		acc[i] = p.acc[r]
	}
	if p.transposed {
		as, bs = bs, as
	}
	for i, v := range p.emit.call(as, bs, acc) {
		p.acc[t.regs[i]] = v
	}
}

// amdMatrix is a matrix instruction of LLVM.
type amdMatrix struct {
	name  string // name of the intrinsic
	depth int    // elements of an operand in a lane
	in    string // LLVM type of a lane's part of an operand
}

// mfmaShape selects a matrix instruction of CDNA: rows and columns of its tile, elements along k, and their
// type; that of 8-bit floats is I8 here.
type mfmaShape struct {
	tile, k int
	elem    ir.Type
}

// mfmas has CDNA's instructions for tiles of 16x16 and 32x32.
var mfmas = map[mfmaShape]amdMatrix{
	{32, 8, ir.F16}:   {"f32.32x32x8f16", 4, "<4 x half>"},
	{16, 16, ir.F16}:  {"f32.16x16x16f16", 4, "<4 x half>"},
	{32, 16, ir.F16}:  {"f32.32x32x16.f16", 8, "<8 x half>"},
	{16, 32, ir.F16}:  {"f32.16x16x32.f16", 8, "<8 x half>"},
	{32, 4, ir.BF16}:  {"f32.32x32x4bf16", 2, "<2 x i16>"},
	{16, 8, ir.BF16}:  {"f32.16x16x8bf16", 2, "<2 x i16>"},
	{32, 8, ir.BF16}:  {"f32.32x32x8bf16.1k", 4, "<4 x i16>"},
	{16, 16, ir.BF16}: {"f32.16x16x16bf16.1k", 4, "<4 x i16>"},
	{32, 16, ir.BF16}: {"f32.32x32x16.bf16", 8, "<8 x bfloat>"},
	{16, 32, ir.BF16}: {"f32.16x16x32.bf16", 8, "<8 x bfloat>"},
	{32, 2, ir.F32}:   {"f32.32x32x2f32", 1, "float"},
	{16, 4, ir.F32}:   {"f32.16x16x4f32", 1, "float"},
	{32, 4, ir.F32}:   {"f32.32x32x4.xf32", 2, "<2 x float>"},
	{16, 8, ir.F32}:   {"f32.16x16x8.xf32", 2, "<2 x float>"},
	{16, 4, ir.F64}:   {"f64.16x16x4f64", 1, "double"},
	{32, 8, ir.I8}:    {"i32.32x32x8i8", 4, "i32"},
	{16, 16, ir.I8}:   {"i32.16x16x16i8", 4, "i32"},
	{32, 16, ir.I8}:   {"i32.32x32x16.i8", 8, "i64"},
	{16, 32, ir.I8}:   {"i32.16x16x32.i8", 8, "i64"},
	{32, 32, ir.I8}:   {"i32.32x32x32.i8", 16, "<4 x i32>"},
	{16, 64, ir.I8}:   {"i32.16x16x64.i8", 16, "<4 x i32>"},
}

// smallFloats has the names of 8-bit floats in matrix instructions. The chip decides whether they are OCP's
// or AMD's own.
var smallFloats = map[ir.Type]string{
	ir.F8E4M3FNUZ: "fp8", ir.F8E4M3FN: "fp8", ir.F8E5M2FNUZ: "bf8", ir.F8E5M2: "bf8",
}

// instructionTypes returns the element types of the instruction's operands, in its order.
func instructionTypes(op *ir.Op, transposed bool) (x, y ir.Type) {
	x, y = ir.ElemOf(op.Operand(0).Type), ir.ElemOf(op.Operand(1).Type)
	if transposed {
		return y, x
	}
	return x, y
}

func (v amd) mfma(l *lowering, op *ir.Op, enc ttg.AMDMfma) tileInstruction {
	x, y := instructionTypes(op, enc.IsTransposed)
	rows, cols, k := int(enc.InstrShape[0]), int(enc.InstrShape[1]),
		int(enc.InstrShape[len(enc.InstrShape)-1])
	m, ok := mfmas[mfmaShape{rows, k, x}]
	fp8 := smallFloats[x] != "" && smallFloats[y] != "" && rows*k == 512
	if fp8 {
		m = amdMatrix{fmt.Sprintf("f32.%dx%[1]dx%d.%s.%s", rows, k, smallFloats[x], smallFloats[y]), 8, "i64"}
	}
	if !fp8 && (!ok || x != y) || rows != cols {
		l.fail(op, "there is no matrix instruction of %dx%dx%d for %s and %s on %s", rows, cols, k, x, y,
			v.chip.Name)
	}
	n := rows * cols / v.chip.WarpSize
	typ := fmt.Sprintf("<%d x %s>", n, llvmType(ir.ElemOf(op.Result(0).Type)))
	return tileInstruction{m.depth, func(as, bs, acc []string) []string {
		r := l.call(typ, "llvm.amdgcn.mfma."+m.name,
			m.in+" "+l.vectorOf(as, x, m.in), m.in+" "+l.vectorOf(bs, y, m.in),
			typ+" "+l.vector(typ, acc, ir.ElemOf(op.Result(0).Type)), "i32 0", "i32 0", "i32 0")
		return l.elements(typ, r, n)
	}}
}

// wmmas has RDNA3's instructions. A lane has all of k, and both halves of a wave the same.
var wmmas = map[ir.Type]amdMatrix{
	ir.F16:  {"f32.16x16x16.f16.v8f32.v16f16", 16, "<16 x half>"},
	ir.BF16: {"f32.16x16x16.bf16.v8f32.v16i16", 16, "<16 x i16>"},
	ir.I8:   {"i32.16x16x16.iu8.v8i32.v4i32", 16, "<4 x i32>"},
}

// wmmas12 has RDNA4's, which divide k between the halves of a wave.
var wmmas12 = map[ir.Type]amdMatrix{
	ir.F16:  {"f32.16x16x16.f16.v8f32.v8f16", 8, "<8 x half>"},
	ir.BF16: {"f32.16x16x16.bf16.v8f32.v8i16", 8, "<8 x i16>"},
	ir.I8:   {"i32.16x16x16.iu8.v8i32.v2i32", 8, "<2 x i32>"},
}

func (v amd) wmma(l *lowering, op *ir.Op, transposed bool) tileInstruction {
	elem, other := instructionTypes(op, transposed)
	sum := ir.ElemOf(op.Result(0).Type)
	table := wmmas
	rdna4 := v.chip.RDNA >= 4
	if rdna4 {
		table = wmmas12
	}
	m, ok := table[elem]
	fp8 := rdna4 && smallFloats[elem] != "" && smallFloats[other] != ""
	if fp8 {
		name := fmt.Sprintf("f32.16x16x16.%s.%s.v8f32.v2i32", smallFloats[elem], smallFloats[other])
		m = amdMatrix{name, 8, "<2 x i32>"}
	}
	if !fp8 && (!ok || elem != other) {
		l.fail(op, "there is no matrix instruction for %s and %s on %s", elem, other, v.chip.Name)
	}
	typ := fmt.Sprintf("<8 x %s>", llvmType(sum))
	return tileInstruction{m.depth, func(as, bs, acc []string) []string {
		a, b := m.in+" "+l.vectorOf(as, elem, m.in), m.in+" "+l.vectorOf(bs, elem, m.in)
		args := []string{a, b, typ + " " + l.vector(typ, acc, sum)}
		if elem == ir.Type(ir.I8) {
			args = []string{"i1 true", a, "i1 true", b, args[2], "i1 false"}
		}
		return l.elements(typ, l.call(typ, "llvm.amdgcn.wmma."+m.name, args...), 8)
	}}
}

// vectorOf returns elements of a type as a value of type in, which has as many bits.
func (l *lowering) vectorOf(elems []string, t ir.Type, in string) string {
	if len(elems) == 1 {
		return elems[0]
	}
	typ := fmt.Sprintf("<%d x %s>", len(elems), llvmType(t))
	return l.bitcast(l.vector(typ, elems, t), typ, in)
}

// vector returns a vector of elements.
func (l *lowering) vector(typ string, elems []string, t ir.Type) string {
	v := "poison"
	for i, e := range elems {
		v = l.val("insertelement %s %s, %s %s, i32 %d", typ, v, llvmType(t), e, i)
	}
	return v
}

// elements returns the elements of a vector.
func (l *lowering) elements(typ, v string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = l.val("extractelement %s %s, i32 %d", typ, v, i)
	}
	return out
}
