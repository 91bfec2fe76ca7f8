package sem

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/pyrun"
)

// register reads a special register of the GPU.
func register(a asmText, t *DType) impl {
	return func(c *Call) pyrun.Value { return c.B.inlineAsm(a, nil, []Type{t})[0] }
}

// dependency is an instruction of programmatic dependent launch. The assembly must return something; nobody uses it.
func dependency(code string) impl {
	return func(c *Call) pyrun.Value {
		c.B.inlineAsm(asmText{code, "=r", false, 1}, nil, []Type{Int32})
		return pyrun.None
	}
}

func convertCustomFloat8(c *Call) pyrun.Value {
	x, to := c.device("arg"), Scalar(c.dtype("dst_ty"))
	t, ok := to.(*DType)
	if !ok || t != Float8E4B15 && Scalar(x.Type) != Float8E4B15 {
		panic(bad(CodeType, "only conversions from or to fp8e4b15 are custom, not %s to %s", Scalar(x.Type), to))
	}
	return c.B.castE4B15(x, t)
}

var targetClass = &pyrun.NamedTuple{Name: "GPUTarget", Fields: []string{"backend", "arch", "warp_size"}}

func currentTarget(c *Call) pyrun.Value {
	o := &c.B.Opts
	arch, warp := pyrun.Value(pyrun.Str(o.Arch)), int64(32)
	if n := o.Capability(); o.Backend == "cuda" {
		arch = pyrun.MakeInt(int64(n))
	}
	if o.Backend == "hip" && strings.HasPrefix(o.Arch, "gfx9") {
		warp = 64
	}
	return &pyrun.Tuple{Items: []pyrun.Value{pyrun.Str(o.Backend), arch, pyrun.MakeInt(warp)}, Class: targetClass}
}

// isBackend asks for a backend and, unless it is empty, an architecture.
func isBackend(backend, arch string) impl {
	return func(c *Call) pyrun.Value {
		o := &c.B.Opts
		return pyrun.Bool(o.Backend == backend && (arch == "" || o.Arch == arch))
	}
}

func capabilityAtLeast(c *Call) pyrun.Value {
	o := &c.B.Opts
	return pyrun.Bool(o.Backend == "cuda" && int64(o.Capability()) >= 10*c.int("major")+c.int("minor"))
}
