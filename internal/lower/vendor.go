package lower

import (
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/mathlib"
)

// Vendor is the set of intrinsics by which the algorithms of this package reach a maker's GPUs: each method
// is a fact about the machine, or writes the instructions of one step into the function under construction.
// Values are LLVM names. A condition may be "" for true. Global memory is address space 1 and shared memory
// address space 3, which LLVM's GPU targets have in common.
//
// Only the files of a vendor know its instructions: nvvm.go and nvvm_*.go for NVIDIA, amd.go and amd_*.go for
// AMD. The other files never name a declaration of a vendor's file, which TestVendorSeam checks.
type Vendor interface {
	machine
	vendorModule
	vendorThreads
	vendorMemory
	vendorCopies
	vendorMath
	vendorProducts
}

// machine holds the facts that algorithms compute with.
type machine interface {
	lanes() int // threads of a warp, a power of two
	banks() int // banks of shared memory, 4 bytes wide
	// checkCluster returns an error unless the GPU can run programs of that many blocks.
	checkCluster(ctas int) error
	// bufferAlign returns the alignment in bytes of a buffer of ttg.local_alloc.
	bufferAlign(m ttg.MemDesc) int
}

// vendorModule writes what surrounds the functions.
type vendorModule interface {
	header() string     // target triple and data layout
	kernelHead() string // what stands before a kernel's name
	// blockParam returns the type of a kernel's parameter of so many bytes, with that alignment.
	blockParam(bytes, align int) string
	// fetchMap lets the fetch of a tensor map that is a parameter begin.
	fetchMap(l *lowering, param string)
	// record has each warp write that it enters a scope, by its number, or leaves it.
	record(l *lowering, scope int, start bool)
	limits(g *program) string // a kernel's attributes
	mathTarget() mathlib.Target
	// ringUnit returns a call that stands for a function of floats in certified code: see certify.go.
	ringUnit(name string, args []string) string
	// ringCopy returns the assembly of a copy of a float, and its constraints.
	ringCopy() (code, constraints string)
	// expands reports whether LLVM expands square roots and rounding to bf16 to many instructions.
	expands() bool
	// widensShifts reports whether LLVM makes wide vectors of elements that a loop shifts: see carried.go.
	widensShifts() bool
	ops() map[*ir.OpDef]fact // operations that this vendor alone has
}

// vendorThreads numbers threads and lets them meet and exchange words of 32 bits.
type vendorThreads interface {
	threadID(l *lowering) string
	blockRank(l *lowering) string // the block's number in its cluster
	programID(l *lowering, axis int) string
	numPrograms(l *lowering, axis int) string
	// meet waits for the threads of a level and makes their writes to memory visible to each other.
	meet(l *lowering, who level)

	// meetIf is meet of the block if pred is true. It is the same in all threads.
	meetIf(l *lowering, pred string)
	shuffleXor(l *lowering, word string, bits int) string
	shuffleIdx(l *lowering, word, lane string) string
	// halves returns a word of the lower halves of words a and b, and one of the upper halves; b comes first
	// in lanes where swap is true.
	halves(l *lowering, a, b, swap string) (lo, hi string)
	// reduceWarp combines a value of every lane, of type i32 or i1, by an operation; ok is false if no
	// instruction does it.
	reduceWarp(l *lowering, by *ir.OpDef, t ir.Type, v string) (all string, ok bool)
}

// memory says which memory an access goes to, and how.
type memory struct {
	space        space
	volatile     bool
	cache, evict int64 // tt.Cache…, tt.Evict…
	// base and offset (in elements) of a buffer access; the hardware skips offsets beyond the buffer.
	base, offset string
}

// space is a kind of memory.
type space uint8

const (
	inGlobal  space = iota
	inShared        // of this block
	inCluster       // shared memory of another block, at an address of mapTo
)

// vendorMemory accesses memory, word by word as access describes.
type vendorMemory interface {
	// loadWords reads words at ptr. Where pred is false the result is other, or zero if other is nil.
	loadWords(l *lowering, a access, m memory, ptr, pred string, other []string) []string
	storeWords(l *lowering, a access, m memory, words []string, ptr, pred string)
	// prefetch asks the L2 cache for the memory at ptr where pred is true, if the GPU can be asked.
	prefetch(l *lowering, ptr, pred string)
	// mapTo returns the address, an i32, of ptr in the shared memory of block rank.
	mapTo(l *lowering, ptr, rank string) string
	// atomic changes adjacent elements in global memory where pred is true, and returns the old ones, which
	// have no meaning if u.unused. It changes at most atomicWidth elements.
	atomic(l *lowering, u update, ptr, pred string) []string
	atomicWidth(u update) int
	// orderAtomics returns how to make each of n updates of a thread that are ordered together as u is, and
	// what to do behind them.
	orderAtomics(l *lowering, u update, n int) (each update, end func())
	// countShared adds 1 to an i32 in shared memory, atomically.
	countShared(l *lowering, ptr, pred string)
	// loadMatrices reads the registers that cvt places in b with instructions that move matrices; ok is false
	// if none fits. storeMatrices is the inverse.
	loadMatrices(l *lowering, b smem, cvt layout.Layout) (regs []string, ok bool)
	storeMatrices(l *lowering, b smem, cvt layout.Layout, regs []string) (ok bool)
	// rowFinder returns how conversions choose the rows of such matrices, or nil if they move none.
	rowFinder() rowFinder
}

// update describes an atomic.
type update struct {
	kind       int64 // tt.RMW…; for a compare-and-swap, swap is true instead
	swap       bool
	elem       ir.Type
	vals       []string // one for each element
	cmp        string   // the expected value of a compare-and-swap
	unused     bool     // nobody looks at the old values
	sem, scope int64
}

// vendorCopies copies from global to shared memory while the threads go on.
type vendorCopies interface {
	// copyAsync copies bytes where owner is true: those that are valid, and zeros behind.
	copyAsync(l *lowering, to, from string, bytes int, valid validity, owner string)
	commitCopies(l *lowering)
	// waitCopies waits until at most pending groups of copies are under way; allCopies waits for every copy.
	waitCopies(l *lowering, pending int)
	// showCopies makes the copies of this thread that wait, an async_wait, has waited for visible to products
	// that read shared memory by themselves.
	showCopies(l *lowering, wait *ir.Op)
	// orderEngine makes what threads wrote where says visible to the engine that copies blocks, and what the
	// engine wrote to the threads. With flush it waits for the engine's stores before.
	orderEngine(l *lowering, flush bool, where proxy)
}

// allCopies makes waitCopies wait for copies of no group, too.
const allCopies = -1

// vendorMath is the arithmetic that LLVM IR has no instruction for.
type vendorMath interface {
	// approximate returns Triton's approximation of an f32 function: div, exp, exp2, sqrt or rsqrt; expflush
	// is exp, and rcp 1/x, with zero for subnormal results. ok is false if the exact one is meant to be used.
	approximate(l *lowering, name string, args ...string) (v string, ok bool)
	// clip returns an f32 within ±limit, for a limit that is not negative. nans says that NaN stays NaN. ok
	// is false if that takes two instructions.
	clip(l *lowering, x, limit string, nans bool) (v string, ok bool)
	// smallPairs reports whether the hardware converts between these types, of which one has 8 bits.
	smallPairs(from, to ir.Type) bool
	// toSmallPair converts two f32 to 8-bit floats in the halves of an i16; fromSmallPair converts such a
	// pair to a vector of two f16.
	toSmallPair(l *lowering, lo, hi string, to ir.Type) string
	fromSmallPair(l *lowering, pair string, from ir.Type) string
	// keepsSubnormals reports whether a multiplication of bf16 reads numbers below the least normal one as
	// they are.
	keepsSubnormals() bool
	// difference returns x - y, hidden from LLVM where its loop passes would spread it over registers.
	difference(l *lowering, x, y string) string
	// hiddenZero returns a word that is zero, without LLVM's knowledge.
	hiddenZero(l *lowering) string
	// mulHigh returns the upper half of the product of two signed numbers of a type, i32 or i64.
	mulHigh(l *lowering, typ, a, b string) string
	// wideProduct returns the product of two unsigned words in 64 bits.
	wideProduct(l *lowering, x, y string) string
	// intToBF16 converts an integer of type i32 or i64 to bf16. ok is false if there is no such instruction.
	intToBF16(l *lowering, typ, x string, signed bool) (v string, ok bool)
	// roundToZero converts f64 to f32, or f32 to f16 or bf16.
	roundToZero(l *lowering, x string, from, to ir.Type) string
	// extern returns a function of the vendor's device library whose first argument has type t, or nil.
	extern(symbol string, t ir.Type) externFunc
	printf(l *lowering, format string, args []arg)
	assertFail(l *lowering, message, file string, line int, function string)
}

// vendorProducts multiplies matrices.
type vendorProducts interface {
	// dot lowers tt.dot on the units for products, and returns false if the accumulator's layout is not
	// theirs.
	dot(l *lowering, op *ir.Op) bool
}

// fact returns what is known of an operation.
func (g *program) fact(def *ir.OpDef) fact {
	if f, ok := g.ownOps[def]; ok {
		return f
	}
	return facts[def]
}

// Handles returns a function that reports whether there is a lowering for an operation on a vendor's GPUs.
func Handles(v Vendor) func(*ir.OpDef) bool {
	own := v.ops()
	return func(def *ir.OpDef) bool { return facts[def].lower != nil || own[def].lower != nil }
}
