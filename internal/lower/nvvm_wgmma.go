package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// Products of warp groups: four warps multiply 64 rows of A, in shared memory or in their registers, by a
// matrix in shared memory. The instructions run while the threads go on. The results and the registers of A
// are operands and results of the wait, so that LLVM cannot use or overwrite them before it.

// groupTypes holds, for operand types of wgmma, the type in its name and those of accumulators that it can
// add to.
var groupTypes = map[ir.Type]struct {
	name         string
	accumulators []ir.Type
}{
	ir.F16: {"f16", []ir.Type{ir.F32, ir.F16}}, ir.BF16: {"bf16", []ir.Type{ir.F32}},
	ir.F32: {"tf32", []ir.Type{ir.F32}}, ir.I8: {"s8", []ir.Type{ir.I32}},
	ir.F8E4M3FN: {"e4m3", []ir.Type{ir.F32, ir.F16}}, ir.F8E5M2: {"e5m2", []ir.Type{ir.F32, ir.F16}},
}

// groupAccumulators holds, for types of wgmma's accumulators, the type in its name, the LLVM type of a
// register and its constraint.
var groupAccumulators = map[ir.Type]struct{ name, llvm, reg string }{
	ir.F32: {"f32", "float", "f"}, ir.F16: {"f16", "i32", "r"}, ir.I32: {"s32", "i32", "r"},
}

// groupProduct is a product of warp groups under construction.
type groupProduct struct {
	l        *lowering
	op       *ir.Op
	c        operand
	m, n, k  int // rows and columns that all warps compute in a step; k of an instruction
	width    int // columns of an instruction
	depth    int
	a, b     matrixView
	regs     *operand // A if it is in registers
	name     string   // instruction
	behind   string   // immediates at the end of the instruction
	useC     string   // whether the first step adds to the accumulator: "0", "1", or an i1
	typ, reg string   // LLVM type and constraint of an accumulator's register
}

func (v nvidia) warpGroupDot(l *lowering, op *ir.Op) {
	p := v.newGroupProduct(l, op)
	tiles := p.tiles()
	words := make([][]string, len(tiles))
	left := make([][][]string, len(tiles))
	for i, t := range tiles {
		words[i] = p.words(t)
		left[i] = p.left(t)
	}
	switch {
	case p.inParts():
		words = p.fence(words, left)
		for i, t := range tiles {
			words[i] = p.sumParts(t, words[i], left[i], i == len(tiles)-1)
		}
	case op.HasAttr(ttg.StepsAttr):
		p.sumApart(tiles, words, left)
	default:
		words = p.fence(words, left)
		for i, t := range tiles {
			words[i] = p.sum(t, words[i], left[i])
		}
		l.groupAsm("void", commitGroup, "")
		if !isAsync(op) {
			words = p.wait(words)
		}
	}
	acc := slices.Clone(p.c.regs)
	for i, t := range tiles {
		p.unpack(t, words[i], acc)
	}
	for r, coord := range p.c.coord { // registers that hold copies
		acc[r] = acc[p.c.where[key3(coord)]]
	}
	l.set(op.Result(0), acc)
}

// groupLayout returns the layout of a product's result. It fails if the layout or the GPU is not for warp
// groups.
func (v nvidia) groupLayout(l *lowering, op *ir.Op) ttg.NvidiaMma {
	enc, _ := ttg.As[ttg.NvidiaMma](op.Result(0).Type.(*ir.TensorType).Encoding)
	if enc.VersionMajor != 3 || len(enc.InstrShape) != 3 || len(enc.WarpsPerCTA) != 2 ||
		enc.WarpsPerCTA[0]%4 != 0 {
		l.fail(op, "no layout of a warp group's product: %s", op.Result(0).Type)
	}
	if !v.chip.WarpGroups {
		l.fail(op, "sm_%d has no such instruction", v.chip.Capability)
	}
	return enc
}

func (v nvidia) newGroupProduct(l *lowering, op *ir.Op) *groupProduct {
	enc := v.groupLayout(l, op)
	x, y := op.Operand(0), op.Operand(1)
	elem := ir.ElemOf(x.Type)
	if m, ok := ttg.MemDescOf(x.Type); ok {
		elem = m.Elem
	}
	right, _ := ttg.MemDescOf(y.Type)
	p := &groupProduct{l: l, op: op, c: l.operand(op, op.Operand(2))}
	p.width, p.k = int(enc.InstrShape[1]), int(enc.InstrShape[2])
	p.m, p.n = int(enc.InstrShape[0]*enc.WarpsPerCTA[0]), p.width*int(enc.WarpsPerCTA[1])
	p.depth = int(right.Shape[0])
	sum, typeA, typeB := groupAccumulators[p.c.elem], groupTypes[elem], groupTypes[right.Elem]
	alike := elem == right.Elem || ir.BitWidth(elem) == 8 && ir.IsFloat(elem) == ir.IsFloat(right.Elem)
	if !alike || typeB.name == "" || !slices.Contains(typeA.accumulators, p.c.elem) ||
		p.k*ir.BitWidth(elem) != 256 || enc.InstrShape[0] != 16 {
		l.fail(op, "there is no instruction for %s times %s to %s", elem, right.Elem, p.c.elem)
	}
	if p.width%8 != 0 || p.width > 256 {
		l.fail(op, "there is no instruction with %d columns", p.width)
	}
	if p.depth%p.k != 0 {
		l.fail(op, "%d steps along k are no multiple of an instruction's %d", p.depth, p.k)
	}
	p.typ, p.reg = sum.llvm, sum.reg
	p.name = fmt.Sprintf("wgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s.%s", p.width, p.k, sum.name,
		typeA.name, typeB.name)
	if typeA.name != "s8" {
		p.behind = ", 1, 1"
	}
	p.b = l.matrixView(op, y, 1, p.width, p.k)
	p.b.base = l.addInLoop(op, y, p.b.base)
	if ttg.IsMemDesc(x.Type) {
		p.a = l.matrixView(op, x, 0, 64, p.k)
		p.a.base = l.addInLoop(op, x, p.a.base)
	} else {
		regs := l.operand(op, x)
		p.regs = &regs
	}
	p.immediates(ir.BitWidth(elem) == 16)
	p.useC = p.scale()
	return p
}

// immediates adds the transpose flags. Only 16-bit operands have them.
func (p *groupProduct) immediates(canTranspose bool) {
	flag := map[bool]string{false: ", 0", true: ", 1"}
	switch {
	case !canTranspose && (p.a.trans || p.b.trans):
		p.l.fail(p.op, "an operand that is not in the order of k")
	case canTranspose && p.regs == nil:
		p.behind += flag[p.a.trans] + flag[p.b.trans]
	case canTranspose:
		p.behind += flag[p.b.trans]
	}
}

// scale returns whether the accumulator is added: "0" if it is known to be zero.
func (p *groupProduct) scale() string {
	zero := literal(0, p.c.elem)
	if !slices.ContainsFunc(p.c.regs, func(r string) bool { return r != zero }) {
		return "0"
	}
	use := p.op.Slot(3)
	if use == nil {
		return "1"
	}
	switch s := p.l.scalar(use); s {
	case "true", "1", "-1":
		return "1"
	case "false", "0":
		return "0"
	default:
		return s
	}
}

// groupTile is the part of the result that an instruction computes.
type groupTile struct {
	row, col int
	places   []int // registers of the accumulator in the instruction's order
}

// tiles returns the tiles of the first warp. The layout makes those of other warps the same registers.
func (p *groupProduct) tiles() []groupTile {
	t := p.op.Result(0).Type.(*ir.TensorType)
	shape, err := ttglayout.ShapePerCTA(t.Encoding, t.Shape)
	if err != nil {
		p.l.fail(p.op, "%v", err)
	}
	var out []groupTile
	for row := 0; row < int(shape[0]); row += p.m {
		for col := 0; col < int(shape[1]); col += p.n {
			g := groupTile{row: row, col: col}
			for c := 0; c < p.width; c += 8 {
				for i := range 4 {
					g.places = append(g.places, p.c.index(p.l, p.op, 0, row+i/2*8, col+c+i%2))
				}
			}
			out = append(out, g)
		}
	}
	return out
}

// words returns the registers of a tile's accumulator. f16 elements are packed in pairs.
func (p *groupProduct) words(t groupTile) []string {
	if p.useC == "0" {
		return nil
	}
	var out []string
	for _, i := range t.places {
		out = append(out, p.c.regs[i])
	}
	if p.c.elem == ir.F16 {
		return p.l.pack(newAccess(ir.F16, len(out)), out)
	}
	return out
}

// unpack writes the registers of a tile to their places in acc.
func (p *groupProduct) unpack(t groupTile, words, acc []string) {
	if p.c.elem == ir.F16 {
		words = p.l.unpack(newAccess(ir.F16, len(t.places)), words)
	}
	for i, at := range t.places {
		acc[at] = words[i]
	}
}

// left returns A's registers for each step along k, or nil if A is in shared memory.
func (p *groupProduct) left(t groupTile) [][]string {
	if p.regs == nil {
		return nil
	}
	l, op := p.l, p.op
	per := 32 / ir.BitWidth(p.regs.elem)
	var out [][]string
	for k := 0; k < p.depth; k += p.k {
		var step []string
		for i := range 4 { // rows row and row+8, then both again for the second half of k
			row, from := t.row+i%2*8, k+i/2*p.k/2
			ks := make([]int, per)
			for j := range ks {
				ks[j] = from + j
			}
			step = append(step, l.fragment(ks, p.regs.elem, func(k int) string {
				return p.regs.at(l, op, 0, row, k)
			}))
		}
		out = append(out, step)
	}
	return out
}

// sum adds all steps along k to a tile's accumulator.
func (p *groupProduct) sum(t groupTile, words []string, left [][]string) []string {
	use := p.useC
	for i := range p.depth / p.k {
		words = p.step(t, words, left, i, use)
		use = "1"
	}
	return words
}

// inParts reports whether partial results must be added up in f32 registers: the tensor cores accumulate
// products of fp8 with less precision.
func (p *groupProduct) inParts() bool {
	narrow := strings.Contains(p.name, ".e4m3") || strings.Contains(p.name, ".e5m2")
	return narrow && p.c.elem == ir.F32 && int(p.op.IntOr("maxNumImpreciseAcc", 0)) <= p.depth
}

// sumParts multiplies as sum does, but lets the tensor cores accumulate at most maxNumImpreciseAcc
// products at a time, and adds these parts up in f32 registers.
func (p *groupProduct) sumParts(t groupTile, words []string, left [][]string, last bool) []string {
	most := max(1, int(p.op.IntOr("maxNumImpreciseAcc", 0)))
	if words != nil && p.useC != "1" {
		for i, w := range words {
			words[i] = p.l.val("select i1 %s, float %s, float %s", p.useC, w, literal(0, ir.F32))
		}
	}
	var part []string
	added, steps := 0, p.depth/p.k
	for i := range steps {
		part = p.step(t, part, left, i, map[bool]string{false: "1", true: "0"}[part == nil])
		if added += p.k; added < most && i < steps-1 {
			continue
		}
		p.l.groupAsm("void", commitGroup, "")
		part = p.wait([][]string{part})[0]
		if words == nil {
			words = part
		} else {
			for j := range words {
				part[j] = p.l.val("fadd float %s, %s", words[j], part[j])
			}
			words = part
		}
		if part, added = nil, 0; !last || i < steps-1 {
			p.l.groupAsm("void", groupFence, "")
		}
	}
	return words
}

// step emits one instruction, which adds to words unless use is "0".
func (p *groupProduct) step(t groupTile, words []string, left [][]string, i int, use string) []string {
	n := len(t.places)
	if p.c.elem == ir.F16 {
		n /= 2
	}
	c := newAsmCall(n, p.typ, p.reg)
	if use != "0" {
		for j, w := range words {
			c.in(p.typ+" "+w, itoa(j))
		}
	}
	var a string
	if p.regs == nil {
		a = c.in("i64 "+p.a.descriptor(p.op, t.row, i*p.k), "l")
	} else {
		var regs []string
		for _, r := range left[i] {
			regs = append(regs, c.in("i32 "+r, "r"))
		}
		a = "{" + strings.Join(regs, ",") + "}"
	}
	b := c.in("i64 "+p.b.descriptor(p.op, t.col, i*p.k), "l")
	if use != "0" && use != "1" {
		use = c.in("i1 "+use, "b")
	}
	return c.emit(p.l, fmt.Sprintf("%s {%s}, %s, %s, %s%s;", p.name, strings.Join(c.outs(), ","), a, b,
		use, p.behind))
}

// fence orders earlier writes to the registers of accumulators and of A before the instructions that use
// them. The registers are its operands, so that LLVM does not move a write behind it.
func (p *groupProduct) fence(words [][]string, left [][][]string) [][]string {
	w := newGroupWait(p.l)
	for _, tile := range words {
		for _, r := range tile {
			w.add(p.typ, p.reg, r)
		}
	}
	for _, tile := range left {
		for _, step := range tile {
			w.uses = append(w.uses, step...)
		}
	}
	return cut(words, w.emit(groupFence))
}

// cut splits all into parts as long as those of like.
func cut(like [][]string, all []string) [][]string {
	var out [][]string
	for _, part := range like {
		out = append(out, all[:len(part):len(part)])
		all = all[len(part):]
	}
	return out
}

// wait emits the wait for all products.
func (p *groupProduct) wait(tiles [][]string) [][]string {
	w := newGroupWait(p.l)
	for _, words := range tiles {
		for _, r := range words {
			w.add(p.typ, p.reg, r)
		}
	}
	return cut(tiles, w.emit(waitGroup(0)))
}
