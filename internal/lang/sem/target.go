package sem

import (
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// register returns a builtin that reads a special register of the GPU.
func register(a asmText, t *DType) impl {
	return func(c *Call) object.Value { return c.B.inlineAsm(a, nil, []Type{t})[0] }
}

// dependency returns an instruction of programmatic dependent launch. The assembly must have a result, which
// nobody uses.
func dependency(code string) impl {
	return func(c *Call) object.Value {
		c.B.inlineAsm(asmText{code, "=r", false, 1}, nil, []Type{Int32})
		return object.None
	}
}

func convertCustomFloat8(c *Call) object.Value {
	x, to := c.device("arg"), Scalar(c.dtype("dst_ty"))
	t, ok := to.(*DType)
	if !ok || t != Float8E4B15 && Scalar(x.Type) != Float8E4B15 {
		panic(bad(CodeType, "only conversions from or to fp8e4b15 are custom, not %s to %s", Scalar(x.Type),
			to))
	}
	return c.B.castE4B15(x, t)
}

var targetClass = &object.NamedTuple{Name: "GPUTarget", Fields: []string{"backend", "arch", "warp_size"}}

func currentTarget(c *Call) object.Value {
	o := &c.B.Opts
	chip, arch := o.Chip(), object.Value(object.Str(o.Arch))
	if chip.Backend == o.Backend && chip.Capability > 0 {
		arch = object.MakeInt(int64(chip.Capability))
	}
	return &object.Tuple{Class: targetClass,
		Items: []object.Value{object.Str(o.Backend), arch, object.MakeInt(int64(chip.WarpSize))}}
}

// isBackend returns a builtin that asks for a back end.
func isBackend(backend string) impl {
	return func(c *Call) object.Value { return object.Bool(c.B.Opts.Backend == backend) }
}

// isCDNA returns a builtin that asks for a generation of AMD's CDNA.
func isCDNA(generation int) impl {
	return func(c *Call) object.Value {
		return object.Bool(c.B.Opts.Chip().MFMA == generation)
	}
}

func capabilityAtLeast(c *Call) object.Value {
	o := &c.B.Opts
	have, want := o.Chip(), 10*c.int("major")+c.int("minor")
	return object.Bool(have.Backend == o.Backend && have.Capability > 0 && int64(have.Capability) >= want)
}
