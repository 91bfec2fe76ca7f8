package sem

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/gpud"
	"github.com/nereid-lang/nereid/internal/dialect/llvmd"
	"github.com/nereid-lang/nereid/internal/dialect/proton"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// hintAttr returns a builtin that keeps a promise about a value's elements as an attribute of the operation
// that defines it.
func hintAttr(attr string, scalars bool) impl {
	return func(c *Call) object.Value {
		x := c.device("input")
		values := c.ints("values", c.list("values"))
		rank := len(ShapeOf(x.Type))
		if scalars {
			rank = max(1, rank)
		}
		if len(values) != rank {
			panic(bad(CodeShape, "%s takes a value for each dimension: the shape is %s, the values are %s",
				c.Fn.Name, plainShape(ShapeOf(x.Type)), plainShape(values)))
		}
		c.B.Keep(Hint{x.V, attr, hintValue(values), true})
		return x
	}
}

// hintValue returns dense<values> : tensor<nxi32>.
func hintValue(values []int64) ir.Attr {
	t := ir.Tensor([]int64{int64(len(values))}, ir.I32, nil)
	bits := make([]uint64, len(values))
	splat := true
	for i, v := range values {
		bits[i] = uint64(uint32(v))
		splat = splat && v == values[0]
	}
	if splat && len(values) > 0 {
		return ir.DenseSplat(t, ir.I32Attr(values[0]))
	}
	return ir.DenseOf(t, bits)
}

// Hint is a promise about a value.
type Hint struct {
	V      *ir.Value
	Name   string
	Attr   ir.Attr
	Always bool // whenever V's block runs
}

// Keep puts a hint on the op that defines the value or, for an argument of a region, on the op around it with
// the argument's number. Hints on the arguments of a loop's body wait for BodyHints. A hint on a function's
// parameter is lost, as in Triton.
func (b *Builder) Keep(h Hint) {
	if op := h.V.Def(); op != nil {
		op.SetAttr(h.Name, h.Attr)
		return
	}
	block := h.V.Block()
	switch parent := block.Parent(); {
	case parent == nil:
		h.Always = h.Always && b.Block() == block
		b.waiting = append(b.waiting, h)
	case parent.Def != tt.Func && block.Region().First() == block:
		parent.SetAttr(h.Name+"_arg"+strconv.Itoa(h.V.Index()), h.Attr)
	}
}

// BodyHints returns the hints on the arguments of a loop's body, which the builder forgets.
func (b *Builder) BodyHints(body *ir.Block) (out []Hint) {
	b.waiting = slices.DeleteFunc(b.waiting, func(h Hint) bool {
		here := h.V.Block() == body
		if here {
			out = append(out, h)
		}
		return here
	})
	return out
}

func debugBarrier(c *Call) object.Value {
	c.B.Op(gpud.Barrier, nil, nil)
	return object.None
}

// recordScope marks the beginning or the end of a scope of triton.profiler.language where a profiler asks for
// scopes, and does nothing otherwise.
func recordScope(c *Call) object.Value {
	name, ok := c.Named("name").(object.Str)
	if !ok {
		panic(c.wrong("name", "a string"))
	}
	if !c.B.Opts.Scopes {
		return object.None
	}
	attrs := []ir.NamedAttr{ir.A("name", ir.Str(string(name)))}
	if c.bool("is_start") {
		attrs = append(attrs, ir.A("isStart", ir.Unit))
	}
	c.B.Op(proton.Record, nil, nil, attrs...)
	return object.None
}

func assume(c *Call) object.Value {
	x := c.tensor("cond")
	if x.Type != Int1 {
		panic(bad(CodeType, "tl.assume takes a scalar bool, not %s", x.Type))
	}
	c.B.Op(llvmd.Assume, []*ir.Value{x.V}, nil)
	return object.None
}

func deviceAssert(c *Call) object.Value {
	msg := ""
	if c.B.Opts.Debug { // otherwise nobody looks at it
		msg = c.str("msg")
	}
	mask := c.optTensor("mask")
	c.B.deviceAssert(c.tensor("cond"), msg, mask)
	return object.None
}

// DeviceAssert makes the assertion of an assert statement.
func (b *Builder) DeviceAssert(cond object.Value, msg string) (err error) {
	defer guard(&err)
	b.deviceAssert(b.toTensor(cond), msg, nil)
	return nil
}

// deviceAssert checks a condition in debug mode, where the mask holds.
func (b *Builder) deviceAssert(cond *Tensor, msg string, mask *Tensor) {
	if !b.Opts.Debug {
		return
	}
	if mask != nil {
		cond = b.or(cond, b.not(mask))
	}
	if Scalar(cond.Type) != Int1 {
		panic(bad(CodeType, "device_assert takes a bool, not %s", cond.Type))
	}
	b.Op(tt.Assert, []*ir.Value{cond.V}, nil, ir.A("message", ir.Str(msg)))
}

func devicePrint(c *Call) object.Value {
	prefix, ok := c.Named("prefix").(object.Str)
	if !ok {
		panic(c.wrong("prefix", "a string"))
	}
	for _, r := range string(prefix) {
		if r > '~' || r < ' ' && !strings.ContainsRune("\t\n\r\v\f", r) {
			panic(bad(CodeValue, "the prefix %q has a character that cannot be printed: ASCII is expected",
				string(prefix)))
		}
	}
	vs, _ := items(c.Named("args"))
	var operands []*ir.Value
	var signs []int64
	for _, v := range vs {
		x := c.B.toTensor(v)
		operands = append(operands, x.V)
		signs = append(signs, boolInt(isSigned(Scalar(x.Type))))
	}
	c.B.Op(tt.Print, operands, nil, ir.A("prefix", ir.Str(printPrefix(string(prefix), len(vs) > 0))),
		ir.A("hex", ir.BoolAttr(c.bool("hex"))), ir.A("isSigned", ir.DenseArray(ir.I32, signs...)))
	return object.None
}

// printPrefix makes a prefix end in ": " where values follow, and begin with a space.
func printPrefix(p string, values bool) string {
	if values && !strings.HasSuffix(p, " ") {
		p += " "
	}
	if values && !strings.HasSuffix(p, ": ") {
		p = p[:len(p)-1] + ": "
	}
	if len(p) > 2 && !strings.HasPrefix(p, " ") {
		p = " " + p
	}
	return p
}
