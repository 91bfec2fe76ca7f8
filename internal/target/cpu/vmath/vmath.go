// Package vmath is the mathematics of the CPU back end: functions on vectors of floats as LLVM IR, inlined where they are called, with
// no call of libm. The functions are those of internal/mathlib; this package knows the host and the names that kernels use.
//
// In: the name of a function or the symbol of a device library, and a number of lanes. Out: LLVM functions that a module calls, and
// their text for the module's end.
package vmath

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/mathlib"
)

// Func is an LLVM function: Call writes a call of it.
type Func = mathlib.Func

// Lib gathers the functions that one module uses. It belongs to one goroutine.
type Lib struct {
	math *mathlib.Library
}

// New is an empty library for a CPU with these features, as LLVM lists them ("+avx2,+avx512f").
func New(features string) *Lib {
	t := mathlib.Target{}
	for _, f := range strings.Split(features, ",") {
		t.AVX512 = t.AVX512 || f == "+avx512vl"
	}
	return &Lib{math: mathlib.New(t, "alwaysinline nounwind")}
}

// Func is a function by the name it has in the math dialect ("exp", "erf", "powf", "atan2"), on elements of type "float" or "double";
// with one lane it takes scalars. Half precisions are computed in float by the caller.
func (l *Lib) Func(name, elem string, lanes int) (*Func, error) {
	p, ok := map[string]mathlib.Prec{"float": mathlib.F32, "double": mathlib.F64}[elem]
	if !ok {
		return nil, fmt.Errorf("vmath: no functions on %s", elem)
	}
	if n := renamed[name]; n != "" {
		name = n
	}
	return l.math.Func(name, p, lanes)
}

// Extern is a function of a device library by its symbol ("__nv_ldexpf"); Func says which types it takes and gives.
func (l *Lib) Extern(symbol string, lanes int) (*Func, error) { return l.math.Device(symbol, lanes) }

// renamed are functions whose names in the math dialect are not those of C.
var renamed = map[string]string{"powf": "pow", "absf": "fabs", "roundeven": "rint", "remf": "fmod"}

// Text are the definitions of all functions so far, and the tables they read.
func (l *Lib) Text() string {
	return strings.Join(l.math.Globals(), "\n") + "\n" + l.math.Text()
}

// Declares are the declarations of intrinsics that Text needs, by name without @, for the module to have each once.
func (l *Lib) Declares() map[string]string { return l.math.Declares() }
