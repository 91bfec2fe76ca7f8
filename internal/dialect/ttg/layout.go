package ttg

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
)

// Layout is an encoding, taken apart: how the elements of a tensor lie in registers (distributed) or of a
// buffer in shared memory. Each layout is a struct; Attr gives the interned attribute and Decode goes back.
// Slices in a decoded layout are shared with the attribute and must not be changed.
type Layout interface {
	Attr() ir.Attr // the attribute
	Rank() int     // the number of dimensions
	check() error  // what is wrong with the parameters
	print(d *dict)
}

// Blocked is `#ttg.blocked`: each thread holds a block of elements, each warp a block of threads, each CTA
// a block of warps. Order lists the dimensions from the fastest. CGALayout says where each bit of a CTA's
// number in its cluster goes; empty for one CTA.
type Blocked struct {
	SizePerThread, ThreadsPerWarp, WarpsPerCTA, Order []int64
	CGALayout                                         [][]int64
}

// Slice is `#ttg.slice`: a layout with one dimension squeezed out, as after a reduction.
type Slice struct {
	Dim    int64
	Parent ir.Attr
}

// DotOp is `#ttg.dot_op`: operand 0 or 1 of a matrix product whose result has the parent's layout. KWidth
// is the number of elements along k that a thread holds in a row.
type DotOp struct {
	OpIdx  int64
	Parent ir.Attr
	KWidth int64 // 0 when it does not matter
}

// NvidiaMma is `#ttg.nvidia_mma`: the result of tensor core instructions.
type NvidiaMma struct {
	VersionMajor, VersionMinor int64
	WarpsPerCTA                []int64
	CGALayout                  [][]int64
	InstrShape                 []int64
}

// AMDMfma is `#ttg.amd_mfma`: the result of CDNA's matrix instructions.
type AMDMfma struct {
	Version                 int64
	WarpsPerCTA, InstrShape []int64
	IsTransposed            bool
	CGALayout               [][]int64
	TilesPerWarp            []int64 // nil for ones
	ElementBitWidth         int64   // 0 for 32
}

// AMDWmma is `#ttg.amd_wmma`: the result of RDNA's matrix instructions.
type AMDWmma struct {
	Version      int64
	IsTransposed bool
	WarpsPerCTA  []int64
	CGALayout    [][]int64
	TilesPerWarp []int64 // nil for ones
	InstrShape   []int64 // nil for 16x16x16
}

// Linear is `#ttg.linear`: a linear map over bits, given by the coordinates that each bit of the register,
// lane, warp and block number adds.
type Linear struct{ Register, Lane, Warp, Block [][]int64 }

// Swizzled is `#ttg.swizzled_shared`: rows of shared memory whose vectors are exchanged by a xor with the
// row's phase.
type Swizzled struct {
	Vec, PerPhase, MaxPhase int64
	Order                   []int64
	CGALayout               [][]int64
}

// Rotating is `#ttg.amd_rotating_shared`: swizzled shared memory whose phases also rotate with blocks of
// rows.
type Rotating struct {
	Vec, PerPhase, MaxPhase int64
	Order                   []int64
	CGALayout               [][]int64
}

// NVMMAShared is `#ttg.nvmma_shared`: shared memory as wgmma and TMA read it.
type NVMMAShared struct {
	SwizzlingByteWidth int64
	Transposed         bool
	ElementBitWidth    int64
	Fp4Padded          bool
	CGALayout          [][]int64
	Dims               int64 // the rank; 0 for 2
}

// Padded is `#ttg.padded_shared`: shared memory, ordered by a linear map, with Paddings[i] free elements
// after every Intervals[i].
type Padded struct {
	Intervals, Paddings []int64
	Dims                int64
	Offset, Block       [][]int64
}

// SharedLinear is `#ttg.shared_linear`: shared memory ordered by a linear map.
type SharedLinear struct {
	Offset, Block [][]int64
	Alignment     int64
}

func (l Blocked) Rank() int      { return len(l.SizePerThread) }
func (l Slice) Rank() int        { return rankOf(l.Parent) - 1 }
func (l DotOp) Rank() int        { return rankOf(l.Parent) }
func (l NvidiaMma) Rank() int    { return len(l.WarpsPerCTA) }
func (l AMDMfma) Rank() int      { return len(l.WarpsPerCTA) }
func (l AMDWmma) Rank() int      { return len(l.WarpsPerCTA) }
func (l Linear) Rank() int       { return basisRank(l.Register, l.Lane, l.Warp, l.Block) }
func (l Swizzled) Rank() int     { return len(l.Order) }
func (l Rotating) Rank() int     { return len(l.Order) }
func (l NVMMAShared) Rank() int  { return int(orElse(l.Dims, 2)) }
func (l Padded) Rank() int       { return int(l.Dims) }
func (l SharedLinear) Rank() int { return basisRank(l.Offset, l.Block) }

func (l Blocked) Attr() ir.Attr {
	return blocked.Get(l.SizePerThread, l.ThreadsPerWarp, l.WarpsPerCTA, l.Order, l.CGALayout)
}
func (l Slice) Attr() ir.Attr { return slice.Get(l.Dim, l.Parent) }
func (l DotOp) Attr() ir.Attr { return dotOp.Get(l.OpIdx, l.Parent, l.KWidth) }
func (l NvidiaMma) Attr() ir.Attr {
	return nvidiaMma.Get(l.VersionMajor, l.VersionMinor, l.WarpsPerCTA, l.CGALayout, l.InstrShape)
}
func (l AMDMfma) Attr() ir.Attr {
	return amdMfma.Get(l.Version, l.WarpsPerCTA, l.InstrShape, l.IsTransposed, l.CGALayout,
		orOnes(l.TilesPerWarp, len(l.InstrShape)), orElse(l.ElementBitWidth, 32))
}
func (l AMDWmma) Attr() ir.Attr {
	shape := l.InstrShape
	if shape == nil {
		shape = wmmaShape
	}
	return amdWmma.Get(l.Version, l.IsTransposed, l.WarpsPerCTA, l.CGALayout,
		orOnes(l.TilesPerWarp, len(shape)), shape)
}
func (l Linear) Attr() ir.Attr { return linear.Get(l.Register, l.Lane, l.Warp, l.Block) }
func (l Swizzled) Attr() ir.Attr {
	return swizzled.Get(l.Vec, l.PerPhase, l.MaxPhase, l.Order, l.CGALayout)
}
func (l Rotating) Attr() ir.Attr {
	return rotating.Get(l.Vec, l.PerPhase, l.MaxPhase, l.Order, l.CGALayout)
}
func (l NVMMAShared) Attr() ir.Attr {
	return nvmmaShared.Get(l.SwizzlingByteWidth, l.Transposed, l.ElementBitWidth, l.Fp4Padded, l.CGALayout,
		orElse(l.Dims, 2))
}
func (l Padded) Attr() ir.Attr       { return padded.Get(l.Intervals, l.Paddings, l.Dims, l.Offset, l.Block) }
func (l SharedLinear) Attr() ir.Attr { return sharedLinear.Get(l.Offset, l.Block, l.Alignment) }

var wmmaShape = []int64{16, 16, 16}

// decoders make a layout of an attribute's parameters, which are those of Attr above. (A map made when the
// program starts: the attributes' definitions refer to it.)
var decoders map[*ir.AttrTypeDef]func(p []any) Layout

func init() {
	decoders = map[*ir.AttrTypeDef]func(p []any) Layout{
		blocked: func(p []any) Layout {
			return Blocked{ints(p[0]), ints(p[1]), ints(p[2]), ints(p[3]), bases(p[4])}
		},
		slice: func(p []any) Layout { return Slice{p[0].(int64), p[1].(ir.Attr)} },
		dotOp: func(p []any) Layout { return DotOp{p[0].(int64), p[1].(ir.Attr), p[2].(int64)} },
		nvidiaMma: func(p []any) Layout {
			return NvidiaMma{p[0].(int64), p[1].(int64), ints(p[2]), bases(p[3]), ints(p[4])}
		},
		amdMfma: func(p []any) Layout {
			return AMDMfma{p[0].(int64), ints(p[1]), ints(p[2]), p[3].(bool), bases(p[4]), ints(p[5]),
				p[6].(int64)}
		},
		amdWmma: func(p []any) Layout {
			return AMDWmma{p[0].(int64), p[1].(bool), ints(p[2]), bases(p[3]), ints(p[4]), ints(p[5])}
		},
		linear: func(p []any) Layout { return Linear{bases(p[0]), bases(p[1]), bases(p[2]), bases(p[3])} },
		swizzled: func(p []any) Layout {
			return Swizzled{p[0].(int64), p[1].(int64), p[2].(int64), ints(p[3]), bases(p[4])}
		},
		rotating: func(p []any) Layout {
			return Rotating{p[0].(int64), p[1].(int64), p[2].(int64), ints(p[3]), bases(p[4])}
		},
		nvmmaShared: func(p []any) Layout {
			return NVMMAShared{p[0].(int64), p[1].(bool), p[2].(int64), p[3].(bool), bases(p[4]),
				p[5].(int64)}
		},
		padded: func(p []any) Layout {
			return Padded{ints(p[0]), ints(p[1]), p[2].(int64), bases(p[3]), bases(p[4])}
		},
		sharedLinear: func(p []any) Layout { return SharedLinear{bases(p[0]), bases(p[1]), p[2].(int64)} },
	}
}

func ints(p any) []int64    { v, _ := p.([]int64); return v }
func bases(p any) [][]int64 { v, _ := p.([][]int64); return v }

// Decode takes an encoding apart, nil when it is none of this dialect's.
func Decode(a ir.Attr) Layout {
	if d, ok := a.(*ir.DialectAttr); ok {
		if f := decoders[d.Def]; f != nil {
			return f(d.Params)
		}
	}
	return nil
}

// As takes an encoding of a known kind apart: As[Blocked](enc).
func As[L Layout](a ir.Attr) (L, bool) {
	l, ok := Decode(a).(L)
	return l, ok
}

// IsShared reports whether an encoding is one of shared memory.
func IsShared(a ir.Attr) bool {
	switch Decode(a).(type) {
	case Swizzled, Rotating, NVMMAShared, Padded, SharedLinear:
		return true
	}
	return false
}

// IsDistributed reports whether an encoding is one of registers.
func IsDistributed(a ir.Attr) bool { return Decode(a) != nil && !IsShared(a) }

// IsMma reports whether an encoding is that of a matrix instruction's result.
func IsMma(a ir.Attr) bool {
	switch Decode(a).(type) {
	case NvidiaMma, AMDMfma, AMDWmma:
		return true
	}
	return false
}

func rankOf(a ir.Attr) int {
	if l := Decode(a); l != nil {
		return l.Rank()
	}
	return 0
}

// basisRank is the length of the first basis vector, 0 when there is none.
func basisRank(lists ...[][]int64) int {
	for _, l := range lists {
		if len(l) > 0 {
			return len(l[0])
		}
	}
	return 0
}

func orElse(v, def int64) int64 {
	if v == 0 {
		return def
	}
	return v
}

func orOnes(v []int64, n int) []int64 {
	if v == nil {
		return slices.Repeat([]int64{1}, n)
	}
	return v
}

func (l Blocked) check() error {
	n := l.Rank()
	if n == 0 || len(l.ThreadsPerWarp) != n || len(l.WarpsPerCTA) != n || len(l.Order) != n {
		return errors.New("sizePerThread, threadsPerWarp, warpsPerCTA and order have one number for each " +
			"dimension, and there is at least one")
	}
	if err := powersOfTwo(l.SizePerThread, l.ThreadsPerWarp, l.WarpsPerCTA); err != nil {
		return err
	}
	return errors.Join(permutation(l.Order), sameRank(n, l.CGALayout))
}

func (l Slice) check() error {
	n := rankOf(l.Parent)
	switch {
	case !IsDistributed(l.Parent):
		return errors.New("parent must be a distributed layout")
	case n < 2:
		return fmt.Errorf("a slice drops one dimension of two or more, but its parent has %d", n)
	case l.Dim < 0 || int(l.Dim) >= n:
		return fmt.Errorf("a slice cannot drop dimension %d of a parent that has %d", l.Dim, n)
	}
	return nil
}

func (l DotOp) check() error {
	switch {
	case l.OpIdx != 0 && l.OpIdx != 1:
		return fmt.Errorf("opIdx is 0 for the first operand or 1 for the second, not %d", l.OpIdx)
	case !IsMma(l.Parent) && !is[Blocked](l.Parent):
		return errors.New("parent must be a blocked or an mma layout")
	case l.KWidth < 0:
		return fmt.Errorf("kWidth must not be negative, but is %d", l.KWidth)
	}
	return nil
}

func is[L Layout](a ir.Attr) bool { _, ok := As[L](a); return ok }

func (l NvidiaMma) check() error {
	if len(l.WarpsPerCTA) == 0 || len(l.InstrShape) == 0 {
		return errors.New("warpsPerCTA and instrShape must not be empty")
	}
	return errors.Join(powersOfTwo(l.WarpsPerCTA), sameRank(l.Rank(), l.CGALayout))
}

func (l AMDMfma) check() error {
	if len(l.InstrShape) < 2 || len(l.WarpsPerCTA) == 0 {
		return errors.New("warpsPerCTA must not be empty and instrShape needs two numbers or more")
	}
	if l.Version < 0 || l.Version > 4 {
		return fmt.Errorf("MFMA has versions 0 to 4, not %d", l.Version)
	}
	m, n := l.InstrShape[0], l.InstrShape[1]
	if !slices.Contains([][2]int64{{32, 32}, {16, 16}, {64, 4}, {4, 64}}, [2]int64{m, n}) {
		return fmt.Errorf("invalid (mDim, nDim) combination: (%d, %d)", m, n)
	}
	if w := orElse(l.ElementBitWidth, 32); w != 32 && w != 64 {
		return fmt.Errorf("elements of 32 or 64 bits are expected, but elementBitWidth is %d", w)
	}
	return errors.Join(powersOfTwo(l.WarpsPerCTA), sameRank(l.Rank(), l.CGALayout))
}

func (l AMDWmma) check() error {
	if len(l.WarpsPerCTA) == 0 {
		return errors.New("warpsPerCTA must not be empty")
	}
	if l.Version < 1 || l.Version > 3 {
		return fmt.Errorf("WMMA has versions 1 to 3, not %d", l.Version)
	}
	return errors.Join(powersOfTwo(l.WarpsPerCTA), sameRank(l.Rank(), l.CGALayout))
}

func (l Linear) check() error {
	if l.Rank() == 0 {
		return errors.New("an empty layout is not supported")
	}
	for _, list := range [][][]int64{l.Register, l.Lane, l.Warp, l.Block} {
		if err := errors.Join(sameRank(l.Rank(), list), oneDim(list)); err != nil {
			return err
		}
	}
	return nil
}

func (l Swizzled) check() error {
	return errors.Join(powersOfTwo([]int64{l.Vec, l.PerPhase, l.MaxPhase}), permutation(l.Order),
		sameRank(l.Rank(), l.CGALayout))
}

func (l Rotating) check() error { return Swizzled(l).check() }

func (l NVMMAShared) check() error {
	if !slices.Contains([]int64{0, 32, 64, 128}, l.SwizzlingByteWidth) {
		return fmt.Errorf("swizzlingByteWidth must be 0, 32, 64 or 128, but is %d", l.SwizzlingByteWidth)
	}
	if l.Rank() <= 0 {
		return errors.New("rank must be positive")
	}
	return sameRank(l.Rank(), l.CGALayout)
}

func (l Padded) check() error {
	if len(l.Intervals) != len(l.Paddings) || len(l.Intervals) == 0 {
		return fmt.Errorf("a padding for each interval is expected, one or more: there are %d intervals "+
			"and %d paddings", len(l.Intervals), len(l.Paddings))
	}
	if l.Dims <= 0 {
		return errors.New("an empty layout is not supported")
	}
	if err := powersOfTwo(l.Intervals, l.Paddings); err != nil {
		return err
	}
	return errors.Join(sameRank(l.Rank(), l.Offset), sameRank(l.Rank(), l.Block), oneDim(l.Offset),
		oneDim(l.Block))
}

func (l SharedLinear) check() error {
	if l.Rank() == 0 {
		return errors.New("an empty layout is not supported")
	}
	if l.Alignment <= 0 || l.Alignment&(l.Alignment-1) != 0 {
		return fmt.Errorf("alignment is %d, not a power of two", l.Alignment)
	}
	return errors.Join(sameRank(l.Rank(), l.Offset), sameRank(l.Rank(), l.Block))
}

func powersOfTwo(lists ...[]int64) error {
	for _, l := range lists {
		for _, v := range l {
			if v <= 0 || v&(v-1) != 0 {
				return fmt.Errorf("%d is no positive power of two", v)
			}
		}
	}
	return nil
}

func permutation(order []int64) error {
	seen := make([]bool, len(order))
	for _, d := range order {
		if d < 0 || int(d) >= len(order) || seen[d] {
			return fmt.Errorf("order %v does not name each of %d dimensions once", order, len(order))
		}
		seen[d] = true
	}
	return nil
}

func sameRank(n int, vectors [][]int64) error {
	for _, v := range vectors {
		if len(v) != n {
			return fmt.Errorf("the basis vector %v has %d coordinates, but the layout %d dimensions",
				v, len(v), n)
		}
	}
	return nil
}

// oneDim demands that each vector moves along at most one dimension, by a power of two.
func oneDim(vectors [][]int64) error {
	for _, v := range vectors {
		moves := 0
		for _, x := range v {
			if x != 0 {
				moves++
			}
			if x < 0 || x&(x-1) != 0 {
				return fmt.Errorf("%d in a basis is neither 0 nor a power of two", x)
			}
		}
		if moves > 1 {
			return fmt.Errorf("the basis vector %v moves along several dimensions; one at most is expected",
				v)
		}
	}
	return nil
}
