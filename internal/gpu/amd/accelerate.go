package amd

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/products"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// AMDMatmulOptions chooses among matrix instructions.
type AMDMatmulOptions struct {
	Tile  int // rows and columns of a tile: 16 or 32; 0 chooses
	KPack int // instructions that one read of shared memory feeds; 0 means 1
}

// AccelerateAMDMatmul puts matrix products on the matrix cores of AMD's GPUs: MFMA on CDNA, WMMA on RDNA.
// Products without an instruction keep fused multiply-adds; 8-bit floats that the hardware does not multiply
// become f16.
func AccelerateAMDMatmul(o AMDMatmulOptions) pass.Pass {
	return pass.Pass{
		Name: "tritonamdgpu-accelerate-matmul",
		Doc:  "put matrix products on the matrix cores of AMD's GPUs",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			c := chip.Target(ttg.Target(m.Op))
			a := amdAccelerator{AMDMatmulOptions: o, mfma: int64(c.MFMA), wmma: int64(c.WMMA)}
			for _, op := range ttgir.OpsOf(m.Op, tt.DotScaled) {
				ctx.At(op)
				products.DecomposeScaled(op, false)
			}
			for _, op := range ttgir.OpsOf(m.Op, tt.Dot) {
				ctx.At(op)
				a.accelerate(op)
			}
			return nil
		},
	}
}

type amdAccelerator struct {
	AMDMatmulOptions
	mfma, wmma int64 // the versions of the chip's matrix instructions, 0 for none
}

// matrixShape is an instruction: its depth, and the elements along k that a lane has of an operand.
type matrixShape struct{ k, lane int64 }

func (a amdAccelerator) accelerate(op *ir.Op) {
	if ttg.IsMma(ttgir.TensorOf(op.Result(0)).Encoding) {
		return
	}
	a.widen(op)
	shape, tile := matrixShape{}, int64(0)
	switch {
	case a.mfma > 0:
		tile = a.mfmaTile(op)
		shape = a.mfmaShape(op, tile)
	case a.wmma > 0:
		tile, shape = 16, a.wmmaShape(op)
	}
	t, left := ttgir.TensorOf(op.Result(0)), ttgir.TensorOf(op.Operand(0))
	rows, cols := t.Shape[t.Rank()-2], t.Shape[t.Rank()-1]
	if shape.k == 0 || left.Shape[t.Rank()-1]%shape.k != 0 || rows < tile || cols < tile {
		products.PromoteOperands(op)
		return
	}
	a.lay(op, tile, shape)
}

// lay gives a product the layouts of a matrix instruction.
func (a amdAccelerator) lay(op *ir.Op, tile int64, shape matrixShape) {
	t := ttgir.TensorOf(op.Result(0))
	warps := amdWarps(op, t.Shape, ttgir.ThreadsOf(op).NumWarps, tile)
	instr := []int64{tile, tile, shape.k}
	bits := int64(32)
	if t.Elem == ir.F64 {
		bits = 64
	}
	var enc ir.Attr = ttg.AMDMfma{
		Version: a.mfma, WarpsPerCTA: warps, InstrShape: instr, IsTransposed: true,
		CGALayout: ttgir.CgaOf(t.Encoding), TilesPerWarp: slices.Repeat([]int64{1}, t.Rank()),
		ElementBitWidth: bits,
	}.Attr()
	if a.wmma > 0 {
		enc = ttg.AMDWmma{
			Version: a.wmma, IsTransposed: true, WarpsPerCTA: warps, CGALayout: ttgir.CgaOf(t.Encoding),
			TilesPerWarp: slices.Repeat([]int64{1}, t.Rank()), InstrShape: instr,
		}.Attr()
	}
	width := shape.lane
	switch is16 := ir.BitWidth(ir.ElemOf(op.Operand(0).Type)) == 16; {
	case a.mfma > 0 && is16 && followsProduct(op):
		width = 4 // as the first product's result lies, which is then this one's operand as it is
	case a.mfma > 0 && !followsProduct(op):
		width *= int64(max(1, a.KPack))
	}
	k := ttgir.TensorOf(op.Operand(0)).Shape[t.Rank()-1]
	if width > shape.lane && k < shape.k*width/shape.lane {
		width = shape.lane
	}
	for i := range 2 {
		layouts.Operand(op, i, layouts.DotOperand(i, enc, width))
	}
	layouts.Operand(op, 2, enc)
	ttgir.SetResults(op, enc)
}

// widen makes operands of types that the cores do not multiply f16, and makes an f16 accumulator f32: the
// cores accumulate in f32.
func (a amdAccelerator) widen(op *ir.Op) {
	x, y := ir.ElemOf(op.Operand(0).Type), ir.ElemOf(op.Operand(1).Type)
	if (products.IsFP8(x) || products.IsFP8(y)) && (!a.multipliesFP8(x) || !a.multipliesFP8(y)) {
		products.CastOperands(op, ir.F16)
	}
	t := ttgir.TensorOf(op.Result(0))
	if t.Elem != ir.F16 && t.Elem != ir.BF16 || !isCoreType(ir.ElemOf(op.Operand(0).Type)) {
		return
	}
	b := ir.At(op)
	op.SetOperand(2, products.CastFloat(b, op.Operand(2), ir.F32))
	ttgir.SetType(op.Result(0), t.With(ir.F32))
	b.After(op)
	back := products.CastFloat(b, op.Result(0), t.Elem)
	op.Result(0).ReplaceUsesIf(back, func(u *ir.Use) bool { return u.Owner() != back.Def() })
}

func isCoreType(t ir.Type) bool { return t == ir.F16 || t == ir.BF16 || products.IsFP8(t) }

// mfmaTile returns the rows and columns of a tile.
func (a amdAccelerator) mfmaTile(op *ir.Op) int64 {
	t := ttgir.TensorOf(op.Result(0))
	least := min(t.Shape[t.Rank()-2], t.Shape[t.Rank()-1])
	switch {
	case a.Tile != 0:
		return int64(a.Tile)
	case least >= 32 && t.Elem != ir.F64:
		return 32
	}
	return 16
}

// mfmaShape returns the deepest instruction for the operands' types that k elements fill, or the least deep.
func (a amdAccelerator) mfmaShape(op *ir.Op, tile int64) (s matrixShape) {
	t := ttgir.TensorOf(op.Operand(0))
	for _, s = range a.mfmaShapes(op, tile) {
		if t.Shape[t.Rank()-1] >= s.k {
			return s
		}
	}
	return s
}

// mfmaShapes returns the instructions for the operands' types, the deepest first, by tiles of 32x32; those of
// 16x16 are twice as deep.
func (a amdAccelerator) mfmaShapes(op *ir.Op, tile int64) (out []matrixShape) {
	x, y := ir.ElemOf(op.Operand(0).Type), ir.ElemOf(op.Operand(1).Type)
	add := func(has bool, k int64) {
		if has {
			out = append(out, matrixShape{k * 32 / tile, k / 2})
		}
	}
	switch {
	case a.multipliesFP8(x) && a.multipliesFP8(y):
		add(true, 16)
	case x != y:
	case x == ir.F16:
		add(a.mfma > 3, 16)
		add(true, 8)
	case x == ir.BF16:
		add(a.mfma > 3, 16)
		add(a.mfma > 1, 8)
		add(a.mfma <= 2, 4)
	case x == ir.F32:
		tf32 := a.mfma == 3 && op.IntOr("inputPrecision", tt.PrecisionIEEE) == tt.PrecisionTF32
		add(tf32, 4)
		add(!tf32, 2)
	case x == ir.F64 && a.mfma > 1:
		return []matrixShape{{4, 1}}
	case x == ir.Type(ir.I8):
		add(a.mfma > 3, 32)
		add(a.mfma > 2, 16)
		add(a.mfma <= 2, 8)
	}
	return out
}

// multipliesFP8 reports whether the matrix cores take an 8-bit float type: CDNA3 takes AMD's own formats,
// later chips those of OCP.
func (a amdAccelerator) multipliesFP8(t ir.Type) bool {
	switch {
	case a.mfma == 3:
		return t == ir.F8E4M3FNUZ || t == ir.F8E5M2FNUZ
	case a.mfma > 3, a.wmma > 1:
		return t == ir.F8E4M3FN || t == ir.F8E5M2
	}
	return false
}

func (a amdAccelerator) wmmaShape(op *ir.Op) matrixShape {
	x, y := ir.ElemOf(op.Operand(0).Type), ir.ElemOf(op.Operand(1).Type)
	fp8 := a.multipliesFP8(x) && a.multipliesFP8(y)
	if !fp8 && (x != y || x != ir.F16 && x != ir.BF16 && x != ir.Type(ir.I8)) {
		return matrixShape{}
	}
	return matrixShape{16, 16 / a.wmma}
}

// amdWarps deals a result out to warps. The first of two products in a row has all warps below each other, so
// that its rows need no exchange between warps; the second, as many as it has rows for.
func amdWarps(op *ir.Op, shape []int64, n, tile int64) []int64 {
	switch {
	case len(shape) == 3:
		return []int64{n, 1, 1}
	case leadsToProduct(op):
		return []int64{n, 1}
	case followsProduct(op):
		rows := min(n, (shape[0]+tile-1)/tile)
		return []int64{rows, n / rows}
	}
	warps := []int64{1, 1}
	for warps[0]*warps[1] < n {
		tall := shape[0]/(2*tile)/warps[0] >= shape[1]/tile/warps[1]
		if tall && warps[0] < shape[0]/tile {
			warps[0] *= 2
		} else {
			warps[1] *= 2
		}
	}
	if warps[1]*tile > shape[1] {
		warps[0], warps[1] = warps[1], warps[0]
	}
	return warps
}

// leadsToProduct reports whether the result becomes the left operand of another product of the region.
func leadsToProduct(op *ir.Op) bool {
	return slices.ContainsFunc(products.Around(op), func(other *ir.Op) bool {
		return other != op && other.Def == tt.Dot && comesFrom(other.Operand(0), op)
	})
}

// followsProduct reports whether the left operand is made of another product's result.
func followsProduct(op *ir.Op) bool {
	return slices.ContainsFunc(products.Around(op), func(other *ir.Op) bool {
		return other != op && other.Def == tt.Dot && comesFrom(op.Operand(0), other)
	})
}

// comesFrom reports whether v is computed from op's result within op's block.
func comesFrom(v *ir.Value, op *ir.Op) bool {
	seen := map[*ir.Op]bool{}
	var visit func(v *ir.Value) bool
	visit = func(v *ir.Value) bool {
		def := v.Def()
		if def == nil || def.Block() != op.Block() || seen[def] {
			return false
		}
		seen[def] = true
		return def == op || slices.ContainsFunc(def.Operands(), visit)
	}
	return visit(v)
}
