// Package gemm writes matrix multiplication of blocks as LLVM IR: C += A·B for blocks of a static size.
//
// Its input is the sizes and the type of the elements. Its output is an LLVM function that takes the
// accumulator, the operands in memory (pointer, strides, how much of them is there), and scratch.
//
// The operands are copied into scratch in the order in which the inner loops read them, converted to the type
// of the products, with zeros where nothing is there; the copies are cheap compared with the products. The
// inner loops keep a tile of C in registers: as many rows and vectors as the host has registers for, or the
// tiles of AMX.
package gemm

import (
	"fmt"
	"strings"
)

// Elem is the type of the operands' elements, under LLVM's name.
type Elem string

// The element types. F32 also stands for tf32.
const (
	F32  Elem = "float"
	F64  Elem = "double"
	F16  Elem = "half"
	BF16 Elem = "bfloat"
	I8   Elem = "i8" // signed
)

// elems holds the type of the accumulator, in which operands are also multiplied, and the size of an element.
var elems = map[Elem]struct {
	acc  string
	size int
}{
	F32: {"float", 4}, F64: {"double", 8}, F16: {"float", 2}, BF16: {"float", 2}, I8: {"i32", 1},
}

// Spec is a multiplication: C[M,N] += A[M,K]·B[K,N]. Sizes are powers of two.
type Spec struct {
	M, N, K int
	Elem    Elem
}

// Acc returns the type of the accumulator's elements: float, double or i32.
func (s Spec) Acc() string { return elems[s.Elem].acc }

func (s Spec) check() error {
	if _, ok := elems[s.Elem]; !ok {
		return fmt.Errorf("gemm: no multiplication of %s", s.Elem)
	}
	for _, n := range []int{s.M, s.N, s.K} {
		if n < 1 || n&(n-1) != 0 {
			return fmt.Errorf("gemm: %d×%d×%d: sizes must be powers of two", s.M, s.N, s.K)
		}
	}
	return nil
}

func (s Spec) name() string { return fmt.Sprintf("%s.%dx%dx%d", s.Elem, s.M, s.N, s.K) }

// Target describes the registers of the host.
type Target struct {
	VectorBytes int  // bytes of a vector register
	Rows        int  // rows of a tile of C in registers
	Vectors     int  // vectors in a row of the tile
	Ahead       int  // registers for elements of the left operand that are loaded before their use
	AMXBF16     bool // tiles, which the operating system must have granted: see RequestAMX
	AMXInt8     bool
}

// Host returns the target for a CPU with these features in LLVM's notation. amx says that the operating
// system grants tiles.
func Host(features string, amx bool) Target {
	has := map[string]bool{}
	for _, f := range strings.Split(features, ",") {
		has[f] = true
	}
	t := Target{VectorBytes: 16, Rows: 4, Vectors: 2, Ahead: 2} // SSE: 16 registers
	switch {
	case has["+avx512f"] && has["+avx512vl"] && has["+avx512bw"]:
		t = Target{VectorBytes: 64, Rows: 6, Vectors: 4, Ahead: 4}
	case has["+avx2"] && has["+fma"]:
		t = Target{VectorBytes: 32, Rows: 6, Vectors: 2, Ahead: 2}
	case has["+neon"]:
		t = Target{VectorBytes: 16, Rows: 8, Vectors: 2, Ahead: 4}
	}
	t.AMXBF16 = amx && has["+amx-tile"] && has["+amx-bf16"] && has["+avx512bw"]
	t.AMXInt8 = amx && has["+amx-tile"] && has["+amx-int8"] && has["+avx512bw"]
	return t
}

// Kernel is the LLVM function of a multiplication:
//
//	void name(ptr C, ptr A, i64 rowStride, i64 colStride, i64 rows, i64 cols,
//	          ptr B, i64 rowStride, i64 colStride, i64 rows, i64 cols,
//	          ptr panels, i64 flags, ptr scratch)
//
// C is row-major and dense. Strides count elements and may be anything, also negative or zero. rows and cols
// say how many are there, from the first on; the rest counts as zero and is not accessed. panels has Panels
// bytes for B in the order in which the inner loops read it, scratch has Scratch bytes. Both are aligned to
// 64. flags are Packed and Fresh.
type Kernel struct {
	Name    string // without @
	Scratch int
	Panels  int
}

// The flags of a call.
const (
	Packed = 1 << iota // B is in panels already, from an earlier call
	Fresh              // C[M,N] = A[M,K]·B[K,N]: what C holds before is not read
)

// flag returns whether a call has a flag.
func (w *writer) flag(f int) string {
	return w.val("icmp ne i64 %s, 0", w.val("and i64 %%flags, %d", f))
}

// Lib collects the functions that a module uses. It must not be used by several goroutines at once.
type Lib struct {
	target   Target
	kernels  map[string]*Kernel
	funcs    map[string]bool // other functions by name
	text     strings.Builder
	declares map[string]string
}

// New returns an empty library.
func New(t Target) *Lib {
	return &Lib{target: t, kernels: map[string]*Kernel{}, funcs: map[string]bool{},
		declares: map[string]string{}}
}

// Kernel returns the function of a multiplication and defines it at the first call.
func (l *Lib) Kernel(s Spec) (*Kernel, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if k := l.kernels[s.name()]; k != nil {
		return k, nil
	}
	var k *Kernel
	if l.usesAMX(s) {
		k = l.amx(s)
	} else {
		k = l.vector(s)
	}
	l.kernels[s.name()] = k
	return k, nil
}

// Text returns the definitions of all functions so far.
func (l *Lib) Text() string { return l.text.String() }

// Declares returns the declarations of intrinsics that Text needs, by name without @, so that the module
// declares each once.
func (l *Lib) Declares() map[string]string { return l.declares }

// params are the parameters of every kernel.
const params = "ptr noalias %c, ptr %a, i64 %ars, i64 %acs, i64 %arows, i64 %acols, " +
	"ptr %b, i64 %brs, i64 %bcs, i64 %brows, i64 %bcols, " +
	"ptr noalias %panels, i64 %flags, ptr noalias %scratch"

// attrs returns the attributes of the functions. They are too large to be inlined into every place that
// multiplies. A tile takes every vector register, and some of LLVM's scheduling models load operands so early
// that accumulators spill in the inner loop (fp64 with the models of Skylake-X and Ice Lake, all floats with
// Zen 4's): the loops have the order of a model that spills nothing, whichever CPU runs them.
func (t Target) attrs() string {
	const all = "noinline nounwind optsize"
	switch t.VectorBytes {
	case 64:
		return all + ` "tune-cpu"="sapphirerapids"`
	case 32:
		return all + ` "tune-cpu"="znver3"`
	}
	return all
}
