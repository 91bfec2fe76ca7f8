package llvm

import (
	"sync"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/dl"
)

// Code generation for GPUs begins with straight-line strength reduction (slsr), which computes a sum, a
// product or an address from a similar one before it. LLVM 22 compares each of them with all that dominate
// it. Small kernels gain instructions by it; in large ones, nearly every pair is refused, after minutes. The
// C API cannot leave a pass of code generation out, and LLVM's options hold for a whole process. But LLVM
// asks the gate of a compilation's context before each pass (llvm::OptPassGate), so large kernels get a gate
// that refuses this one.

// Strength reduction runs up to these numbers. Its time grows with the number of pairs of a sum and an
// address, to about a second for 100,000, and with the square of all that it compares.
const (
	maxReduced      = 1500
	maxReducedPairs = 100_000
)

// LLVMOpcode of the instructions that strength reduction compares.
const (
	opAdd = 8
	opMul = 12
	opGEP = 29
)

// limitReduction closes the gate for strength reduction if the module is too large for it.
func (c *compilation) limitReduction() {
	r := &c.lib.raw
	if c.lib.version.Major < 22 || !r.knowsGate() {
		return
	}
	var sums, products, addresses int
	walk := walker{raw: r, args: make([]uintptr, 1)}
	walk.instructions(c.module, func(v valueRef) {
		switch int32(walk.call(r.opcode, uintptr(v))) {
		case opAdd:
			sums++
		case opMul:
			products++
		case opGEP:
			addresses++
		}
	})
	if sums*addresses > maxReducedPairs || sums+products+addresses > maxReduced {
		dl.Call(r.setPassGate, uintptr(c.context), uintptr(unsafe.Pointer(noReduction())))
	}
}

// knowsGate reports whether this LLVM has gates, with the methods in the order of passGate. LLVM's own gate
// OptDisable shows the order: its table has the method that decides behind two words about the class and two
// destructors.
func (r *raw) knowsGate() bool {
	if r.setPassGate == 0 || r.disableTable == 0 || r.disableShouldRun == 0 {
		return false
	}
	table := (*[5]uintptr)(*(*unsafe.Pointer)(unsafe.Pointer(&r.disableTable)))
	return table[4] == r.disableShouldRun
}

// passGate is a llvm::OptPassGate: an object of C++ whose only word is the address of its methods.
type passGate struct{ methods *gateMethods }

// gateMethods are the virtual methods of a gate, behind two destructors, which LLVM, not owning gates, never
// calls.
type gateMethods struct {
	_                  [2]uintptr
	shouldRun, enabled uintptr
}

// noReduction returns a gate that lets every pass run but strength reduction. It stays for the whole process.
var noReduction = sync.OnceValue(func() *passGate {
	return &passGate{&gateMethods{
		shouldRun: dl.NewCallback(func(_ uintptr, name *byte, n uintptr, _, _ uintptr) uintptr {
			return uintptr(boolean(string(unsafe.Slice(name, n)) != "slsr"))
		}),
		enabled: dl.NewCallback(func(uintptr) uintptr { return 1 }),
	}}
})
