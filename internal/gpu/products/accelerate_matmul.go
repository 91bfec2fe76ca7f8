package products

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass"
)

// AccelerateMatmul puts matrix products on tensor cores: mma.sync from sm_80 on and, if WarpGroups is set and
// the shapes fit, wgmma on sm_90. The result gets the layout that the instruction produces, the operands the
// layouts that it reads. Products without an instruction keep fused multiply-adds; fp8 types that the
// hardware does not multiply become f16. A dot_scaled is decomposed into conversions and a plain product.
//
//	%d = tt.dot %a, %b, %c :                   %a2 = ttg.convert_layout %a : … -> #dot_op<#mma>
//	  #dot_op<#blocked> * … -> #blocked   =>   %b2, %c2 = …
//	                                           %e = tt.dot %a2, %b2, %c2 : #dot_op<#mma> * … -> #mma
//	                                           %d = ttg.convert_layout %e : … -> #blocked
func AccelerateMatmul(o MatmulOptions) pass.Pass {
	return pass.Pass{
		Name: "tritongpu-accelerate-matmul",
		Doc:  "put matrix products on tensor cores",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			a := accelerator{chip: chip.Target(ttg.Target(m.Op)), warpGroups: o.WarpGroups}
			for _, op := range ttgir.OpsOf(m.Op, tt.DotScaled) {
				ctx.At(op)
				DecomposeScaled(op, true)
			}
			// From last to first: the last of a chain of products decides how warps share all of them, as in
			// Triton.
			for _, op := range slices.Backward(ttgir.OpsOf(m.Op, tt.Dot)) {
				ctx.At(op)
				a.accelerate(op)
			}
			for _, op := range ttgir.OpsOf(m.Op, tt.Dot) {
				ctx.At(op)
				a.promote(op)
			}
			return nil
		},
	}
}

// MatmulOptions chooses among instructions.
type MatmulOptions struct {
	WarpGroups bool // use wgmma where the target has it
}

type accelerator struct {
	chip       chip.Chip
	warpGroups bool
}

// Values of NvidiaMma.VersionMajor.
const (
	mmaSync = 2
	wgmma   = 3
)

func (a accelerator) accelerate(op *ir.Op) {
	t := ttgir.TensorOf(op.Result(0))
	if !a.chip.MMA || ttg.IsMma(t.Encoding) || !a.takesF64(op) {
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

// takesF64 reports whether the operand types allow tensor cores: not every chip multiplies f64 on
// them at full speed.
func (a accelerator) takesF64(op *ir.Op) bool {
	for _, v := range []*ir.Value{op.Operand(0), op.Operand(1), op.Result(0)} {
		if ir.ElemOf(v.Type) == ir.F64 && !a.chip.MMAF64 {
			return false
		}
	}
	return true
}

// version returns the best instruction for a product, 0 for none.
func (a accelerator) version(op *ir.Op, part []int64) int {
	hopper := a.chip.WarpGroups && a.warpGroups
	if hopper && FitsWarpGroup(op, part, ttgir.ThreadsOf(op).NumWarps) && TakesTypes(op) && blocksAgree(op) {
		return wgmma
	}
	if TakesTypes(op) {
		return mmaSync
	}
	return 0
}

// TakesTypes reports whether tensor cores multiply the operand types, if need be after promote has turned fp8
// into f16.
func TakesTypes(op *ir.Op) bool {
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
	return IsFP8(t)
}

func IsFP8(t ir.Type) bool { return ir.IsFloat(t) && ir.BitWidth(t) == 8 }

// FitsWarpGroup reports whether wgmma computes a block's part of a product, by its sizes and precision.
func FitsWarpGroup(op *ir.Op, part []int64, numWarps int64) bool {
	elem := ir.ElemOf(op.Operand(0).Type)
	k := ttgir.TensorOf(op.Operand(0)).Shape[ttgir.TensorOf(op.Operand(0)).Rank()-1]
	switch {
	case len(part) != 2 || k < int64(256/ir.BitWidth(elem)) || numWarps%ttgir.GroupWarps != 0:
		return false
	case part[0]%64 != 0 || part[1]%16 != 0 || elem == ir.F64:
		return false
	case IsFP8(elem) && op.IntOr("maxNumImpreciseAcc", 0) < 32 && ir.ElemOf(op.Result(0).Type) == ir.F32:
		return false // wgmma accumulates products of fp8 with less precision than f32
	}
	return true
}

// blocksAgree reports whether each block of a cluster already holds the rows of the left and the columns of
// the right operand that it needs: wgmma reads its own block's memory only.
func blocksAgree(op *ir.Op) bool {
	blocks := ttgir.CgaOf(ttgir.TensorOf(op.Result(0)).Encoding)
	if blocks == nil {
		return true
	}
	for i := range 2 {
		v := op.Operand(i)
		if i == 0 && !isLoaded(v) { // passed in registers, converted to any layout
			continue
		}
		own := ttgir.CgaOf(ttgir.TensorOf(unconverted(v)).Encoding)
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

// unconverted returns v before any layout conversions.
func unconverted(v *ir.Value) *ir.Value {
	for v.DefBy(ttg.ConvertLayout) != nil {
		v = v.Def().Operand(0)
	}
	return v
}

// toMma gives a product the layout of mma.sync.
func toMma(op *ir.Op, part []int64) {
	t := ttgir.TensorOf(op.Result(0))
	rank := t.Rank()
	instr := slices.Repeat([]int64{1}, rank)
	instr[rank-2], instr[rank-1] = 16, 8
	enc := ttg.NvidiaMma{VersionMajor: mmaSync, WarpsPerCTA: warpsOfMma(op, part), InstrShape: instr,
		CGALayout: ttgir.CgaOf(t.Encoding)}.Attr()
	bits := min(loadedBits(op.Operand(0)), loadedBits(op.Operand(1)))
	for i := range 2 {
		layouts.Operand(op, i, layouts.DotOperand(i, enc, kWidth(bits)))
	}
	layouts.Operand(op, 2, enc)
	ttgir.SetResults(op, enc)
}

// kWidth returns the number of elements along k that fill a 32-bit register, at least one.
func kWidth(bits int) int64 { return int64(max(1, 32/bits)) }

// warpsOfMma distributes the result over warps. If another product follows, all warps lie along one
// dimension, so that its operand is already in the warp that needs it; else tiles are about square, which
// needs the fewest operands.
func warpsOfMma(op *ir.Op, part []int64) []int64 {
	n := ttgir.ThreadsOf(op).NumWarps
	if len(part) == 3 {
		return []int64{n, 1, 1}
	}
	chained := false
	for _, other := range Around(op) {
		if other == op || other.Def != tt.Dot && other.Def != tt.DotScaled {
			continue
		}
		t := ttgir.TensorOf(other.Result(0))
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

// Around returns the ops in op's region that are connected with it by operands and uses, not passing through
// a transpose.
func Around(op *ir.Op) []*ir.Op {
	seen := map[*ir.Op]bool{op: true}
	list := []*ir.Op{op}
	add := func(o *ir.Op) {
		if o != nil && !seen[o] && o.Block() != nil && o.Block().Region() == op.Block().Region() &&
			!o.Def.Has(ir.Permutes) {
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

// loadedBits returns the element width that v was loaded with. An operand converted from narrower elements is
// laid out for those, so that the conversion moves no data between threads.
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
			if t := ttgir.TensorOf(op.Result(0)); t != nil {
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
	if joined { // each join holds half of a row
		bits /= 2
	}
	return max(1, bits)
}

// passesData reports whether op passes elements on without moving them between threads.
func passesData(op *ir.Op) bool {
	switch op.Def {
	case ttg.Fp4ToFp, tt.Load, tt.DescLoad, tt.Broadcast, ttg.ConvertLayout:
		return true
	}
	return op.Def.Has(ir.Elementwise) && op.IsPure() || layouts.IsView(op)
}

// promote widens operands to a type that the product's instruction takes.
func (a accelerator) promote(op *ir.Op) {
	if !ttg.IsMma(ttgir.EncodingOf(op.Result(0))) {
		PromoteOperands(op)
		return
	}
	if IsFP8(ir.ElemOf(op.Operand(0).Type)) && !a.chip.MMAFP8 {
		CastOperands(op, ir.F16)
	}
}

// PromoteOperands widens the operands of a product by multiply-adds to the type of its accumulator.
func PromoteOperands(op *ir.Op) {
	x, to := ir.ElemOf(op.Operand(0).Type), ir.ElemOf(op.Result(0).Type)
	if x != to && ir.IsFloat(x) && ir.IsFloat(to) {
		CastOperands(op, to)
	}
}

func CastOperands(op *ir.Op, to ir.Type) {
	for i := range 2 {
		op.SetOperand(i, CastFloat(ir.At(op), op.Operand(i), to))
	}
}

// CastFloat converts a tensor of floats to another element type.
func CastFloat(b *ir.Builder, v *ir.Value, to ir.Type) *ir.Value {
	t := ttgir.TensorOf(v)
	def := arith.ExtF
	switch {
	case t.Elem == to:
		return v
	case IsFP8(t.Elem) || IsFP8(to):
		def = tt.FpToFp
	case ir.BitWidth(t.Elem) > ir.BitWidth(to):
		def = arith.TruncF
	}
	return b.Val(def, t.With(to), v)
}

// toWarpGroup replaces a product by a warp group's product. Operands are in shared memory, or the left one in
// registers if it is computed in the loop of the product.
func toWarpGroup(op *ir.Op, part []int64) {
	t := ttgir.TensorOf(op.Result(0))
	x := ir.ElemOf(op.Operand(0).Type)
	instr := warpGroupShape(part, x, ttgir.ThreadsOf(op).NumWarps)
	enc := ttg.NvidiaMma{VersionMajor: wgmma, WarpsPerCTA: warpsOfGroup(op, part, instr), InstrShape: instr,
		CGALayout: ttgir.CgaOf(t.Encoding)}.Attr()
	b := ir.At(op)
	acc := ttgir.Convert(b, op.Operand(2), enc)
	eitherOrder := x == ir.F16 || x == ir.BF16 // for other types wgmma reads only rows along k
	left := op.Operand(0)
	if isLoaded(left) || IsInvariant(left, op) {
		left = sharedOperand(left, 0, eitherOrder)
	} else {
		left = ttgir.Convert(b, left, layouts.DotOperand(0, enc, kWidth(ir.BitWidth(x))))
	}
	right := sharedOperand(op.Operand(1), 1, eitherOrder)
	d := b.ValA(ttng.WarpGroupDot, t.WithEncoding(enc), []ir.NamedAttr{
		ir.A("inputPrecision", op.Attr("inputPrecision")),
		ir.A("maxNumImpreciseAcc", op.Attr("maxNumImpreciseAcc")),
	}, left, right, acc)
	op.ReplaceWith(ttgir.Convert(b, d, t.Encoding))
}

// isLoaded reports whether v comes from memory, or from outside the function's view, through conversions and
// transposes only.
func isLoaded(v *ir.Value) bool {
	for {
		op := v.Def()
		switch {
		case op == nil:
			return true
		case op.Def == ttg.ConvertLayout || op.Def.Has(ir.Permutes):
			v = op.Operand(0)
		default:
			return op.Def == tt.Load || op.Def == tt.DescLoad || op.Def == tt.DescGather
		}
	}
}

// IsInvariant reports whether v is computed before the loop of a product. In shared memory it costs the loop
// nothing, in registers a load in each iteration.
func IsInvariant(v *ir.Value, product *ir.Op) bool {
	for op := product.Parent(); op != nil; op = op.Parent() {
		if op.Def == scf.For || op.Def == scf.While {
			return !unconverted(v).Block().IsInside(op)
		}
	}
	return false
}

// warpGroupShape returns the largest instruction that divides a warp group's part of the result.
func warpGroupShape(part []int64, elem ir.Type, numWarps int64) []int64 {
	rows := max(part[0]/16, 1)
	most := max(part[1]/max(numWarps/rows, 1), 8)
	step, limit := int64(8), int64(256)
	// beyond 32 columns only every second size exists, and Triton uses none beyond 224
	if elem == ir.Type(ir.I8) {
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
	n := ttgir.ThreadsOf(op).NumWarps
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

// feedsDot reports whether another product depends on op's result.
func feedsDot(op *ir.Op) bool {
	seen := map[*ir.Op]bool{op: true}
	list := []*ir.Op{op}
	for i := 0; i < len(list); i++ {
		if o := list[i]; o != op && layouts.IsProduct(o) {
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

// sharedOperand stores an operand to shared memory in a layout that wgmma reads.
func sharedOperand(v *ir.Value, index int, eitherOrder bool) *ir.Value {
	v = unconverted(v)
	t := ttgir.TensorOf(v)
	order := MemoryOrder(t)
	if !eitherOrder {
		order = []int64{1, 0}
		if index == 1 {
			order = []int64{0, 1}
		}
	}
	m := ttg.MemDesc{Shape: t.Shape, Elem: t.Elem, Encoding: NvmmaLayout(t, order).Attr(),
		Space: ttg.SharedMemory}
	return ttgir.AfterValue(v).Val(ttg.LocalAlloc, m.Type(), v)
}

// NvmmaLayout returns the layout with the widest swizzle that the contiguous dimension has room for.
func NvmmaLayout(t *ir.TensorType, order []int64) ttg.NVMMAShared {
	l := ttg.NVMMAShared{Transposed: order[0] == 0, ElementBitWidth: int64(ir.BitWidth(t.Elem)),
		CGALayout: ttgir.CgaOf(t.Encoding), Dims: int64(t.Rank())}
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

// MemoryOrder returns the best order of dimensions for storing a tensor: that of a thread's elements, or that
// of threads if a thread holds a single element along their fastest dimension.
func MemoryOrder(t *ir.TensorType) []int64 {
	l, err := ttglayout.Of(t)
	if err != nil {
		return ttgir.RowMajor(t.Rank())
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
