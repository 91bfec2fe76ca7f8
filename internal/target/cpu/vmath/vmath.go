// Package vmath has the mathematics of the CPU back end: functions on vectors of floats as LLVM IR, inlined
// where they are called, without libm. The functions are those of internal/mathlib; this package knows the
// host and the names that kernels use.
//
// Its input is the name of a function or the symbol of a device library, and a number of lanes. Its output is
// LLVM functions that a module calls, and their text for the module's end.
package vmath

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/mathlib"
)

// Func is an LLVM function; Call writes a call of it.
type Func = mathlib.Func

// Lib collects the functions that a module uses. It must not be used by several goroutines at once.
type Lib struct {
	math *mathlib.Library
}

// New returns an empty library for a CPU with these features in LLVM's notation ("+avx2,+avx512f").
func New(features string) *Lib {
	all := strings.Split(features, ",")
	t := mathlib.Target{AVX512: slices.Contains(all, "+avx512vl") && slices.Contains(all, "+avx512dq")}
	return &Lib{math: mathlib.New(t, "alwaysinline nounwind")}
}

// Func returns a function by its name in the math dialect ("exp", "erf", "powf", "atan2"), on elements of
// type "float" or "double". With one lane it takes scalars. The caller computes half precisions in float.
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

// Extern returns a function of a device library by its symbol ("__nv_ldexpf"). The result says which types it
// takes and returns.
func (l *Lib) Extern(symbol string, lanes int) (*Func, error) { return l.math.Device(symbol, lanes) }

// renamed holds the functions whose names in the math dialect differ from C's.
var renamed = map[string]string{"powf": "pow", "absf": "fabs", "roundeven": "rint", "remf": "fmod"}

// Text returns the definitions of all functions so far and the tables they read.
func (l *Lib) Text() string {
	return strings.Join(l.math.Globals(), "\n") + "\n" + l.math.Text()
}

// Declares returns the declarations of intrinsics that Text needs, by name without @, so that the module
// declares each once.
func (l *Lib) Declares() map[string]string { return l.math.Declares() }
