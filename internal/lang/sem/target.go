package sem

import (
	"strings"

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
	arch, warp := object.Value(object.Str(o.Arch)), int64(32)
	if n := o.Capability(); o.Backend == "cuda" {
		arch = object.MakeInt(int64(n))
	}
	if o.Backend == "hip" && strings.HasPrefix(o.Arch, "gfx9") {
		warp = 64
	}
	return &object.Tuple{Items: []object.Value{object.Str(o.Backend), arch, object.MakeInt(warp)},
		Class: targetClass}
}

// isBackend returns a builtin that asks for a back end and, unless it is empty, an architecture.
func isBackend(backend, arch string) impl {
	return func(c *Call) object.Value {
		o := &c.B.Opts
		return object.Bool(o.Backend == backend && (arch == "" || o.Arch == arch))
	}
}

func capabilityAtLeast(c *Call) object.Value {
	o := &c.B.Opts
	return object.Bool(o.Backend == "cuda" && int64(o.Capability()) >= 10*c.int("major")+c.int("minor"))
}
