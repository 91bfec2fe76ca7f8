package compile

import (
	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/signature"
	"github.com/nereid-lang/nereid/internal/target"
)

// describe returns what a launch must know of a compiled kernel, without its code.
func (k *Kernel) describe(s Spec, r *code.Result) *code.Saved {
	out := &code.Saved{
		Kernel: k.Name, File: r.Variant.File, Signature: r.Variant.Signature, Options: r.Variant.Options,
		Triton:    r.Variant.Triton,
		Constants: r.Constants, Facts: device.FactsOf(r.Exec), Compiler: cache.Build(),
	}
	for i, p := range k.Params {
		constant := s.Args[i].Constant()
		out.Params = append(out.Params, code.SavedParam{Name: p.Name,
			Spec: signature.Format(s.Args[i : i+1]), Constant: constant})
	}
	out.Args = code.Args(code.Words(k.Params, s.Args, r.Params, out.Facts), out.Facts.Params)
	if s.Dev == nil {
		out.Target = "ttir"
		return out
	}
	out.Target, out.Machine = device.Kind(s.Dev.Backend), device.Machine(s.Dev.Backend)
	if g, ok := s.Dev.Backend.(target.Keeper); ok {
		out.Generator = g.Fingerprint()
	} else if g, ok := s.Dev.Backend.(target.Generated); ok {
		out.Generator = g.Generator()
	}
	return out
}

// describeArgs returns the arguments that launches of a specialization pass, in order, and the values that
// are compiled in, as Python literals by parameter.
func describeArgs(params []signature.Param, specs []signature.Arg) (list []device.Param,
	constants map[string]string) {
	constants = map[string]string{}
	list = args.Describe(params, specs, func(name string, c *signature.Const) {
		constants[name] = lang.Repr(lang.ValueOf(c))
	})
	return list, constants
}
