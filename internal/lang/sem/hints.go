package sem

import (
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/gpud"
	"github.com/nereid-lang/nereid/internal/dialect/llvmd"
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
		setHint(x.V, attr, hintValue(values))
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

// setHint puts the attribute on the defining op or, for an argument of a region, on the op around it with the
// argument's number. A hint on a function's parameter is lost, as in Triton.
func setHint(v *ir.Value, name string, a ir.Attr) {
	if op := v.Def(); op != nil {
		op.SetAttr(name, a)
		return
	}
	block := v.Block()
	parent := block.Parent()
	if parent != nil && parent.Def != tt.Func && block.Region().First() == block {
		parent.SetAttr(name+"_arg"+strconv.Itoa(v.Index()), a)
	}
}

func debugBarrier(c *Call) object.Value {
	c.B.Op(gpud.Barrier, nil, nil)
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
