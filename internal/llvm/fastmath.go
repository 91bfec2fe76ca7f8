package llvm

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dl"
)

// FastMath is a set of LLVM's fast-math flags: what an instruction may assume or do beyond IEEE 754.
type FastMath uint32

// The flags, as LLVMFastMathFlags numbers them.
const (
	Reassoc       FastMath = 1 << iota // sums and products in any order
	NoNaNs                             // no operand or result is NaN
	NoInfs                             // nor infinite
	NoSignedZeros                      // -0 is as good as 0
	Reciprocal                         // x/y may be x*(1/y)
	Contract                           // a multiplication and an addition may become one operation
	ApproxFunc                         // functions may be approximated

	FastMathAll = Reassoc | NoNaNs | NoInfs | NoSignedZeros | Reciprocal | Contract | ApproxFunc
)

// addFastMath adds flags to every instruction of a module that can have them. The C API has no such option
// of a target machine, and LLVM's command-line options hold for the whole process.
func (l *Lib) addFastMath(m moduleRef, flags FastMath) error {
	if flags == 0 {
		return nil
	}
	if l.raw.setFastMathFlags == 0 || l.raw.canUseFastMath == 0 || l.raw.getFastMathFlags == 0 {
		return fmt.Errorf("fast-math flags need LLVM 18, this is %v; the IR can carry them itself", l.version)
	}
	walk := walker{raw: &l.raw, args: make([]uintptr, 2)}
	walk.instructions(m, func(v valueRef) {
		if walk.call(l.raw.canUseFastMath, uintptr(v))&0xff == 0 {
			return
		}
		old := walk.call(l.raw.getFastMathFlags, uintptr(v))
		walk.args[1] = old | uintptr(flags)
		walk.call(l.raw.setFastMathFlags, uintptr(v))
	})
	return nil
}

// walker visits instructions, with one slice of arguments for all calls.
type walker struct {
	raw  *raw
	args []uintptr
}

func (w *walker) call(fn, arg uintptr) uintptr {
	w.args[0] = arg
	return dl.Call(fn, w.args...)
}

func (w *walker) instructions(m moduleRef, visit func(valueRef)) {
	r := w.raw
	for f := w.call(r.firstFunction, uintptr(m)); f != 0; f = w.call(r.nextFunction, f) {
		for b := w.call(r.firstBlock, f); b != 0; b = w.call(r.nextBlock, b) {
			for i := w.call(r.firstInstruction, b); i != 0; i = w.call(r.nextInstruction, i) {
				visit(valueRef(i))
			}
		}
	}
}
