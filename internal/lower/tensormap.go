package lower

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// TensorMapBytes is the size of a tensor map: an argument that is passed by value, aligned to 64 bytes.
const TensorMapBytes = 128

// TensorMap says how the host encodes a descriptor that a kernel takes as a tensor map. Address, sizes,
// strides and the value outside of the tensor are the launch's.
type TensorMap struct {
	Param     int      // number of the argument in the function
	Type      ElemType // element type for the hardware
	ElemBytes int      // bytes of an element
	Swizzle   int      // bytes over which 16-byte units are exchanged: 0, 32, 64 or 128
	// Box is what one copy moves, in elements along each dimension of the descriptor, the last one
	// contiguous. With a swizzle its rows are at most as wide as that.
	Box []int
	// Tile says how the host makes the descriptor of other arguments, if it is none of the launch's.
	Tile *tt.Tile `json:",omitempty"`
	// FP4Padded says that elements are bytes of two fp4 numbers, spread over 16 bytes in shared memory.
	FP4Padded bool `json:",omitempty"`
}

// ElemType is CUtensorMapDataType: what the hardware takes elements for, when it fills or reduces.
type ElemType int

const (
	ElemU8 ElemType = iota
	ElemU16
	ElemU32
	ElemS32
	ElemU64
	ElemS64
	ElemF16
	ElemF32
	ElemF64
	ElemBF16
	ElemF32FTZ
	ElemTF32
	ElemTF32FTZ
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
var mapElems = map[ir.Type]ElemType{ir.F16: ElemF16, ir.F32: ElemF32, ir.F64: ElemF64, ir.BF16: ElemBF16}

// elemType returns an element's type for a tensor map; fp8 and other small types are bytes.
func elemType(t ir.Type) ElemType {
	if e, ok := mapElems[t]; ok {
		return e
	}
	e := map[int]ElemType{8: ElemU8, 16: ElemU16, 32: ElemU32, 64: ElemU64}[bitsOf(t)]
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
