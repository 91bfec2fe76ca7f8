package gpucode

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
	Tile *Tile `json:",omitempty"`
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
