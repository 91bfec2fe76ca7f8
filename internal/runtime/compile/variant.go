package compile

import (
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/signature"
	"github.com/nereid-lang/nereid/internal/target"
)

// variant returns the name of a specialization, whose options are complete.
func (k *Kernel) variant(specs []signature.Arg, opts target.Options) code.Variant {
	return code.Variant{File: k.Source.Name, Kernel: k.Name, Signature: signature.Format(specs),
		Options: opts,
		Triton:  k.Source.Version().Chosen()}
}

// VariantOf returns the variant of a specialization, with the device's defaults.
func (k *Kernel) VariantOf(s Spec) code.Variant { return k.variant(s.Args, s.Dev.Defaults(s.Opts)) }

// ErrNotCompiled is wrapped by the error of a launch in strict mode that would have to compile or tune.
var ErrNotCompiled = code.ErrNotCompiled

// Vetoed is the error of a hook that refused to let a kernel be compiled.
type Vetoed struct{ Err error }

func (v *Vetoed) Error() string { return v.Err.Error() }
func (v *Vetoed) Unwrap() error { return v.Err }
