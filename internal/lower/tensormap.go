package lower

import (
	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// TensorMapBytes is the size of a tensor map: an argument that is passed by value, aligned to 64 bytes.
const TensorMapBytes = 128

// What a launch must know of tensor maps.
type (
	TensorMap = gpucode.TensorMap
	ElemType  = gpucode.ElemType
)

// isDesc reports whether v is a tensor descriptor.
func isDesc(v *ir.Value) bool { return tt.DescBlock(v.Type) != nil }

// mapOf describes the tensor map of a kernel's argument.
func mapOf(fn *ir.Op, i int, t ir.Type) TensorMap {
	block := tt.DescBlock(t)
	enc, ok := ttg.As[ttg.NVMMAShared](block.Encoding)
	if !ok {
		fail(fn, "a descriptor without a layout: %s", t)
	}
	box := ttglayout.Box(block.Encoding, block.Shape)
	if box == nil {
		fail(fn, "no box of the copy engine fits %s", t)
	}
	return TensorMap{
		Param: i, Type: elemType(block.Elem), ElemBytes: bitsOf(block.Elem) / 8,
		Swizzle: int(enc.SwizzlingByteWidth), Box: box, FP4Padded: enc.Fp4Padded,
	}
}

// mapElems holds the element types whose arithmetic the copy engine knows.
var mapElems = map[ir.Type]ElemType{ir.F16: gpucode.ElemF16, ir.F32: gpucode.ElemF32, ir.F64: gpucode.ElemF64,
	ir.BF16: gpucode.ElemBF16}

// elemType returns an element's type for a tensor map; fp8 and other small types are bytes.
func elemType(t ir.Type) ElemType {
	if e, ok := mapElems[t]; ok {
		return e
	}
	e := map[int]ElemType{8: gpucode.ElemU8, 16: gpucode.ElemU16, 32: gpucode.ElemU32,
		64: gpucode.ElemU64}[bitsOf(t)]
	if it, ok := t.(*ir.IntegerType); ok && it.Sign == ir.Signed && it.Width >= 32 {
		e++
	}
	return e
}

// tensorMaps describes the tensor maps among a kernel's arguments.
func tensorMaps(fn *ir.Op) []TensorMap {
	var out []TensorMap
	for i, a := range fn.Body(0).Args() {
		if isDesc(a) {
			m := mapOf(fn, i, a.Type)
			m.Tile = tt.TileOf(fn, i)
			out = append(out, m)
		}
	}
	return out
}

// mapWords returns the number of words of a descriptor: address, sizes, strides, padding.
func mapWords(rank int) int { return 2*rank + 2 }

// mapParamBytes returns the size of argument i of a kernel, a tensor map with or without words behind it.
func mapParamBytes(fn *ir.Op, i int, hasWords bool) int {
	if !hasWords || tt.TileOf(fn, i) != nil {
		return TensorMapBytes
	}
	return describedBytes(tt.DescBlock(fn.Body(0).Arg(i).Type).Rank())
}

// describedBytes returns the size of a tensor map with its words.
func describedBytes(rank int) int { return TensorMapBytes + 8*mapWords(rank) }

// maxMapRank is the largest number of dimensions of a tensor map.
const maxMapRank = 5

// needsMapWords reports whether an operation of the module may store outside of a tensor, before its first
// row or column.
func needsMapWords(m *ir.Op, v Vendor) bool {
	if v == nil {
		return false
	}
	own := v.ops()
	for op := range m.Ops() {
		if own[op.Def].effects.global == puts && mayBeOutside(op) {
			return true
		}
	}
	return false
}

// mayBeOutside reports whether a store through a descriptor may begin at a negative coordinate.
func mayBeOutside(op *ir.Op) bool {
	desc := op.Slot(0)
	if fn := op.ParentOf(tt.Func); desc.Def() == nil && desc.Block() == fn.Body(0) &&
		tt.TileOf(fn, desc.Index()) != nil {
		return false
	}
	for _, c := range op.Group(1) {
		if n, ok := arith.IntOf(c); !ok || n < 0 {
			return true
		}
	}
	return false
}
