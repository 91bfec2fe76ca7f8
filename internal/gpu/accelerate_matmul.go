package gpu

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass"
)

// AccelerateMatmul puts matrix products on tensor cores: mma.sync from sm_80 on and, where WarpGroups is set and the shapes
// fit, wgmma on sm_90. A product gets the layout that the instruction's result has, its operands what the instruction reads.
// Products that no instruction takes stay with fused multiply-add; fp8 that the hardware does not multiply becomes f16. A
// dot_scaled is taken apart into its conversions and a plain product.
//
//	%d = tt.dot %a, %b, %c :                          %a2 = ttg.convert_layout %a : … -> tensor<…, #dot_op<#mma>>
//	  tensor<…, #dot_op<#blocked>> * … ->        =>   %b2, %c2 = …
//	  tensor<128x128xf32, #blocked>                   %e = tt.dot %a2, %b2, %c2 : … -> tensor<128x128xf32, #mma>
//	                                                  %d = ttg.convert_layout %e : … -> tensor<…, #blocked>
func AccelerateMatmul(o MatmulOptions) pass.Pass {
	return pass.Pass{
		Name: "tritongpu-accelerate-matmul",
		Doc:  "put matrix products on tensor cores",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			a := accelerator{capability: capability(ttg.Target(m.Op)), warpGroups: o.WarpGroups}
			for _, op := range opsOf(m.Op, tt.DotScaled) {
				ctx.At(op)
				decomposeScaled(op)
			}
			// The last of a chain of products decides how warps share all of them, as in Triton.
			for _, op := range slices.Backward(opsOf(m.Op, tt.Dot)) {
				ctx.At(op)
				a.accelerate(op)
			}
			for _, op := range opsOf(m.Op, tt.Dot) {
				ctx.At(op)
				a.promote(op)
			}
			return nil
		},
	}
}

// MatmulOptions choose among instructions.
type MatmulOptions struct {
	WarpGroups bool // use wgmma where it is to be had
}

type accelerator struct {
	capability int
	warpGroups bool
}

// Versions of tensor cores, by their instructions.
const (
	mmaSync = 2
	wgmma   = 3
)

func (a accelerator) accelerate(op *ir.Op) {
	t := tensorOf(op.Result(0))
	if a.capability < 80 || ttg.IsMma(t.Encoding) || !a.takesF64(op) {
		return
	}
	part, err := ttglayout.ShapePerCTA(t.Encoding, t.Shape)
	if err != nil {
		return
	}
	switch a.version(op, part) {
	case wgmma:
		toWarpGroup(op, part)
	case mmaSync:
		toMma(op, part)
	}
}

// takesF64: only the A100 and H100 families multiply f64 on tensor cores at speed.
func (a accelerator) takesF64(op *ir.Op) bool {
	for _, v := range []*ir.Value{op.Operand(0), op.Operand(1), op.Result(0)} {
		if ir.ElemOf(v.Type) == ir.F64 && a.capability != 80 && a.capability != 90 {
			return false
		}
	}
	return true
}

// version is the best instruction for a product, 0 for none.
func (a accelerator) version(op *ir.Op, part []int64) int {
	if a.capability/10 == 9 && a.warpGroups && fitsWarpGroup(op, part) && takesTypes(op) && blocksAgree(op) {
		return wgmma
	}
	if takesTypes(op) {
		return mmaSync
	}
	return 0
}

// takesTypes reports whether tensor cores multiply the operands' types, if need be after fp8 became f16.
func takesTypes(op *ir.Op) bool {
	x, y := ir.ElemOf(op.Operand(0).Type), ir.ElemOf(op.Operand(1).Type)
	if x == ir.F32 && y == ir.F32 {
		return op.IntOr("inputPrecision", tt.PrecisionIEEE) == tt.PrecisionTF32
	}
	return takesType(x) && takesType(y)
}

func takesType(t ir.Type) bool {
	switch t {
	case ir.F16, ir.BF16, ir.F32, ir.F64, ir.Type(ir.I8):
		return true
	}
	return isFP8(t)
}

func isFP8(t ir.Type) bool { return ir.IsFloat(t) && ir.BitWidth(t) == 8 }

func fitsWarpGroup(op *ir.Op, part []int64) bool {
	elem := ir.ElemOf(op.Operand(0).Type)
	k := tensorOf(op.Operand(0)).Shape[tensorOf(op.Operand(0)).Rank()-1]
	switch {
	case len(part) != 2 || k < int64(256/ir.BitWidth(elem)) || machineOf(op).numWarps%4 != 0:
		return false
	case part[0]%64 != 0 || part[1]%16 != 0 || elem == ir.F64:
		return false
	case isFP8(elem) && op.IntOr("maxNumImpreciseAcc", 0) < 32 && ir.ElemOf(op.Result(0).Type) == ir.F32:
		return false // its sums of fp8 products have less precision than f32
	}
	return true
}

// blocksAgree reports whether each block of a cluster has the rows of the left and the columns of the right operand that it needs: products of
// warp groups read the block's own memory.
func blocksAgree(op *ir.Op) bool {
	blocks := cgaOf(tensorOf(op.Result(0)).Encoding)
	if blocks == nil {
		return true
	}
	for i := range 2 {
		v := op.Operand(i)
		if i == 0 && !isLoaded(v) { // in registers, and converted
			continue
		}
		own := cgaOf(tensorOf(unconverted(v)).Encoding)
		if len(own) != len(blocks) {
			return false
		}
		for b := range own {
			if own[b][i] != blocks[b][i] || own[b][1-i] != 0 {
				return false
			}
		}
	}
	return true
}

// unconverted is a value before changes of its layout.
func unconverted(v *ir.Value) *ir.Value {
	for v.DefBy(ttg.ConvertLayout) != nil {
		v = v.Def().Operand(0)
	}
	return v
}

// toMma gives a product the layout of mma.sync's result.
func toMma(op *ir.Op, part []int64) {
	t := tensorOf(op.Result(0))
	rank := t.Rank()
	instr := slices.Repeat([]int64{1}, rank)
	instr[rank-2], instr[rank-1] = 16, 8
	enc := ttg.NvidiaMma{VersionMajor: mmaSync, WarpsPerCTA: warpsOfMma(op, part), InstrShape: instr, CGALayout: cgaOf(t.Encoding)}.Attr()
	bits := min(loadedBits(op.Operand(0)), loadedBits(op.Operand(1)))
	for i := range 2 {
		operand(op, i, dotOperand(i, enc, kWidth(bits)))
	}
	operand(op, 2, enc)
	setResults(op, enc)
}

// kWidth is the number of elements along k that fill a register of 32 bits; of wider ones, one.
func kWidth(bits int) int64 { return int64(max(1, 32/bits)) }

// warpsOfMma shares the result among warps: all in one row or column where another product follows, so that its operand is
// in the warp that needs it, else so that tiles are about square, since these need the fewest operands.
func warpsOfMma(op *ir.Op, part []int64) []int64 {
	n := machineOf(op).numWarps
	if len(part) == 3 {
		return []int64{n, 1, 1}
	}
	chained := false
	for _, other := range around(op) {
		if other == op || other.Def != tt.Dot && other.Def != tt.DotScaled {
			continue
		}
		t := tensorOf(other.Result(0))
		if t.Rank() != len(part) {
			continue
		}
		if mma, ok := ttg.As[ttg.NvidiaMma](t.Encoding); ok {
			return mma.WarpsPerCTA
		}
		chained = true
	}
	switch {
	case chained && part[0] >= part[1]:
		return []int64{n, 1}
	case chained:
		return []int64{1, n}
	}
	warps := []int64{1, 1}
	reps := []int64{(part[0] + 15) / 16, (part[1] + 7) / 8}
	for warps[0]*warps[1] < n {
		d := 0
		if reps[0] < reps[1] {
			d = 1
		}
		warps[d] *= 2
		reps[d] = max(1, reps[d]/2)
	}
	return warps
}

// around are the ops of op's own region that share data with it, over any chain of uses without a transpose.
func around(op *ir.Op) []*ir.Op {
	seen := map[*ir.Op]bool{op: true}
	list := []*ir.Op{op}
	add := func(o *ir.Op) {
		if o != nil && !seen[o] && o.Block() != nil && o.Block().Region() == op.Block().Region() && o.Def != tt.Trans {
			seen[o] = true
			list = append(list, o)
		}
	}
	for i := 0; i < len(list); i++ {
		for _, v := range list[i].Operands() {
			add(v.Def())
		}
		for _, r := range list[i].Results() {
			for u := range r.Users() {
				add(u)
			}
		}
	}
	return list
}

// loadedBits is the width of a value's elements where they come from memory: an operand that was converted from narrower ones is
// laid out for those, so that the conversion needs no data from other threads.
func loadedBits(v *ir.Value) int {
	bits := ir.BitWidth(ir.ElemOf(v.Type))
	joined := false
	seen := map[*ir.Op]bool{}
	var visit func(v *ir.Value)
	visit = func(v *ir.Value) {
		op := v.Def()
		if op == nil || seen[op] || !passesData(op) {
			return
		}
		seen[op] = true
		switch op.Def {
		case ttg.Fp4ToFp:
			bits = 4
		case tt.Load, tt.DescLoad:
			if t := tensorOf(op.Result(0)); t != nil {
				bits = min(bits, ir.BitWidth(t.Elem))
			}
		case tt.Join:
			joined = true
		}
		for _, o := range op.Operands() {
			visit(o)
		}
	}
	visit(v)
	if joined { // each join takes half of a row of elements
		bits /= 2
	}
	return max(1, bits)
}

// passesData reports whether an op hands elements on without moving them between threads.
func passesData(op *ir.Op) bool {
	switch op.Def {
	case ttg.Fp4ToFp, tt.Load, tt.DescLoad, tt.Broadcast, ttg.ConvertLayout:
		return true
	}
	return op.Def.Has(ir.Elementwise) && op.IsPure() || isView(op)
}

// promote widens operands that the product's instruction does not take.
func (a accelerator) promote(op *ir.Op) {
	x := ir.ElemOf(op.Operand(0).Type)
	to := ir.ElemOf(op.Result(0).Type)
	if ttg.IsMma(encodingOf(op.Result(0))) {
		if !isFP8(x) || a.capability == 89 || a.capability == 120 {
			return
		}
		to = ir.F16
	} else if x == to || !ir.IsFloat(x) || !ir.IsFloat(to) {
		return
	}
	b := ir.At(op)
	for i := range 2 {
		v := op.Operand(i)
		t := tensorOf(v)
		def := arith.ExtF
		if isFP8(t.Elem) {
			def = tt.FpToFp
		}
		if t.Elem != to {
			op.SetOperand(i, b.Val(def, t.With(to), v))
		}
	}
}

// toWarpGroup turns a product into one of a warp group, with operands in shared memory; the left one, if it was computed, in
// registers.
func toWarpGroup(op *ir.Op, part []int64) {
	t := tensorOf(op.Result(0))
	x := ir.ElemOf(op.Operand(0).Type)
	instr := warpGroupShape(part, x, machineOf(op).numWarps)
	enc := ttg.NvidiaMma{VersionMajor: wgmma, WarpsPerCTA: warpsOfGroup(op, part, instr), InstrShape: instr, CGALayout: cgaOf(t.Encoding)}.Attr()
	b := ir.At(op)
	acc := convert(b, op.Operand(2), enc)
	eitherOrder := x == ir.F16 || x == ir.BF16 // of other types, only rows along k are read
	left := op.Operand(0)
	if isLoaded(left) {
		left = sharedOperand(left, 0, eitherOrder)
	} else {
		left = convert(b, left, dotOperand(0, enc, kWidth(ir.BitWidth(x))))
	}
	right := sharedOperand(op.Operand(1), 1, eitherOrder)
	d := b.ValA(ttng.WarpGroupDot, t.WithEncoding(enc), []ir.NamedAttr{
		ir.A("inputPrecision", op.Attr("inputPrecision")), ir.A("maxNumImpreciseAcc", op.Attr("maxNumImpreciseAcc")),
	}, left, right, acc)
	op.ReplaceWith(convert(b, d, t.Encoding))
}

// isLoaded reports whether a value comes from memory, or from where we cannot see, over views only.
func isLoaded(v *ir.Value) bool {
	for {
		op := v.Def()
		if op == nil {
			return true
		}
		switch op.Def {
		case ttg.ConvertLayout, tt.Trans:
			v = op.Operand(0)
		case tt.Load, tt.DescLoad, tt.DescGather:
			return true
		default:
			return false
		}
	}
}

// warpGroupShape is the largest instruction that divides what each group of warps has.
func warpGroupShape(part []int64, elem ir.Type, numWarps int64) []int64 {
	rows := max(part[0]/16, 1)
	most := max(part[1]/max(numWarps/rows, 1), 8)
	step, limit := int64(8), int64(256)
	if elem == ir.Type(ir.I8) { // beyond 32 only every second size exists, and Triton takes none beyond 224
		step, limit = 16, 224
	}
	n := int64(8)
	for c := step; c <= min(limit, most); c += step {
		if part[1]%c == 0 {
			n = c
		}
	}
	return []int64{16, n, int64(256 / ir.BitWidth(elem))}
}

func warpsOfGroup(op *ir.Op, part, instr []int64) []int64 {
	n := machineOf(op).numWarps
	if feedsDot(op) {
		return []int64{n, 1}
	}
	warps := []int64{4, 1}
	for warps[0]*warps[1] < n {
		if part[0] > 16*warps[0] {
			warps[0] *= 2
		} else {
			warps[1] *= 2
		}
	}
	return warps
}

// feedsDot reports whether another product is computed from op's result.
func feedsDot(op *ir.Op) bool {
	seen := map[*ir.Op]bool{op: true}
	list := []*ir.Op{op}
	for i := 0; i < len(list); i++ {
		if o := list[i]; o != op && (o.Def == tt.Dot || o.Def == tt.DotScaled || o.Def == ttng.WarpGroupDot) {
			return true
		}
		for _, r := range list[i].Results() {
			for u := range r.Users() {
				if !seen[u] {
					seen[u] = true
					list = append(list, u)
				}
			}
		}
	}
	return false
}

// sharedOperand stores an operand to shared memory as wgmma reads it.
func sharedOperand(v *ir.Value, index int, eitherOrder bool) *ir.Value {
	v = unconverted(v)
	t := tensorOf(v)
	order := memoryOrder(t)
	if !eitherOrder {
		order = []int64{1, 0}
		if index == 1 {
			order = []int64{0, 1}
		}
	}
	m := ttg.MemDesc{Shape: t.Shape, Elem: t.Elem, Encoding: nvmmaLayout(t, order).Attr(), Space: ttg.SharedMemory}
	return afterValue(v).Val(ttg.LocalAlloc, m.Type(), v)
}

// nvmmaLayout is the layout with the widest swizzle that the contiguous dimension has room for.
func nvmmaLayout(t *ir.TensorType, order []int64) ttg.NVMMAShared {
	l := ttg.NVMMAShared{Transposed: order[0] == 0, ElementBitWidth: int64(ir.BitWidth(t.Elem)), CGALayout: cgaOf(t.Encoding), Dims: int64(t.Rank())}
	part, err := ttglayout.ShapePerCTA(t.Encoding, t.Shape)
	if err != nil {
		part = t.Shape
	}
	outer := int64(1)
	for _, d := range order[1:] {
		outer *= part[d]
	}
	bytes := part[order[0]] * l.ElementBitWidth / 8
	for _, w := range []int64{128, 64, 32} {
		if bytes >= w && bytes%w == 0 && outer >= 8 {
			l.SwizzlingByteWidth = w
			break
		}
	}
	return l
}

// memoryOrder is the order of dimensions in which a tensor is best stored: that of a thread's elements, or of threads when a
// thread has just one along their fastest dimension.
func memoryOrder(t *ir.TensorType) []int64 {
	l, err := ttglayout.Of(t)
	if err != nil {
		return rowMajor(t.Rank())
	}
	order, threads := l.Order(), l.ThreadOrder()
	if !slices.Equal(order, threads) && l.CountPerDimWithCopies("register")[threads[0]] == 1 {
		order = threads
	}
	out := make([]int64, len(order))
	for i, d := range order {
		out[i] = int64(d)
	}
	return out
}
