package interp

import (
	"fmt"
	"math"
	"strings"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/dialect/gpud"
	"github.com/nereid-lang/nereid/internal/dialect/llvmd"
	"github.com/nereid-lang/nereid/internal/dialect/proton"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/num"
)

func lowerProgramID(c *compiler, op *ir.Op) step {
	d, axis := c.out(op.Result(0)).reg, op.IntOr("axis", 0)
	if axis < 0 || axis > 2 {
		return c.errorf(op, "the grid has no axis %d", axis)
	}
	return func(f *frame) { row[int32](f, d)[0] = int32(f.w.pid[axis]) }
}

// lowerSubgroupID makes a program one warp.
func lowerSubgroupID(c *compiler, op *ir.Op) step {
	d := c.out(op.Result(0)).reg
	return func(f *frame) { row[int64](f, d)[0] = 0 }
}

func lowerNumPrograms(c *compiler, op *ir.Op) step {
	d, axis := c.out(op.Result(0)).reg, op.IntOr("axis", 0)
	if axis < 0 || axis > 2 {
		return c.errorf(op, "the grid has no axis %d", axis)
	}
	return func(f *frame) { row[int32](f, d)[0] = int32(f.w.grid[axis]) }
}

func lowerAssert(c *compiler, op *ir.Op) step {
	cond, shape := c.in(op.Operand(0)).reg, ir.ShapeOf(op.Operand(0).Type)
	msg := op.Text("message") + op.Text("msg") // of tt.assert, of cf.assert
	return func(f *frame) {
		for i, ok := range row[uint8](f, cond) {
			if ok == 0 {
				f.w.failAt(i, shape, "assertion failed: %s", msg)
			}
		}
	}
}

// lowerPrint prints as Triton does on a GPU: one line for each element, with the program and the element's
// place.
func lowerPrint(c *compiler, op *ir.Op) step {
	c.p.prints = true
	prefix := op.Text("prefix")
	if op.NumOperands() == 0 {
		return func(f *frame) { fmt.Fprintf(&f.w.text, "pid %s%s\n", tuple(f.w.pid[:]), prefix) }
	}
	signs, _ := op.Attr("isSigned").(*ir.DenseArrayAttr)
	var lines []func(f *frame)
	for i, v := range op.Operands() {
		p := printer{v: c.full(v), shape: ir.ShapeOf(v.Type), hex: op.IntOr("hex", 0) != 0,
			ptr: tt.IsPtrLike(v.Type), prefix: prefix}
		p.signed = signs != nil && i < len(signs.Values) && signs.Values[i] > 0
		if op.NumOperands() > 1 {
			p.prefix += fmt.Sprintf("(operand %d) ", i)
		}
		lines = append(lines, p.print)
	}
	return func(f *frame) {
		for _, l := range lines {
			l(f)
		}
	}
}

type printer struct {
	v                value
	shape            []int64
	hex, signed, ptr bool
	prefix           string
}

func (p *printer) print(f *frame) {
	for i := range p.v.n {
		fmt.Fprintf(&f.w.text, "pid %s idx (%s)%s%s\n", tuple(f.w.pid[:]), p.index(i), p.prefix,
			p.element(f, i))
	}
}

// index returns an element's place, each number as wide as the largest of its dimension.
func (p *printer) index(i int) string {
	at := unravel(i, p.shape)
	parts := make([]string, len(at))
	for d, x := range at {
		width := int(math.Ceil(math.Log10(float64(p.shape[d]))))
		parts[d] = fmt.Sprintf("%*d", width, x)
	}
	return strings.Join(parts, ", ")
}

// element returns an element in C's notation: %f, %i, %u, %p or hexadecimal.
func (p *printer) element(f *frame, i int) string {
	bits := f.bitsOf(p.v, i)
	width := p.v.memBytes() * 8
	switch {
	case p.ptr:
		return fmt.Sprintf("%#x", bits)
	case p.hex:
		return fmt.Sprintf("0x%0*x", width/4, bits)
	case p.v.kind.isFloat():
		return num.FormatC(f.floatOf(p.v, i))
	case p.signed && p.v.kind != kI1:
		return fmt.Sprint(int64(bits) << (64 - width) >> (64 - width))
	}
	return fmt.Sprint(bits)
}

// bitsOf returns the bits of an element in its own format, zero-extended.
func (f *frame) bitsOf(v value, i int) uint64 {
	switch {
	case v.small():
		return uint64(smallFor(v.fmt).encode(row[float32](f, v.reg)[i]))
	case v.kind.bytes() == 1:
		return uint64(row[uint8](f, v.reg)[i])
	case v.kind.bytes() == 2:
		return uint64(row[uint16](f, v.reg)[i])
	case v.kind.bytes() == 4:
		return uint64(row[uint32](f, v.reg)[i])
	}
	return row[uint64](f, v.reg)[i]
}

// floatOf returns the value of a float.
func (f *frame) floatOf(v value, i int) float64 {
	if v.kind == kF64 {
		return row[float64](f, v.reg)[i]
	}
	return float64(row[float32](f, v.reg)[i])
}

// lowerRecord tells whoever asks for scopes how many operations the program has executed.
func lowerRecord(_ *compiler, op *ir.Op) step {
	name, start := op.Text("name"), op.HasAttr("isStart")
	return func(f *frame) {
		if tell := f.w.opts.Scopes; tell != nil {
			tell(device.ScopeMark{Name: name, Start: start, Block: int(f.w.id), Clock: uint64(f.w.done)})
		}
	}
}

// nothing lowers operations that only matter to a GPU, or to the optimiser.
func nothing(*compiler, *ir.Op) step { return nil }

func lowerInlineAsm(c *compiler, op *ir.Op) step {
	return c.errorf(op, "inline assembly cannot be interpreted: %q", op.Text("asm_string"))
}

// ignored are operations of dialects that nobody declares, which only matter to a GPU.
var ignored = map[string]bool{"gpu.barrier": true, "nvvm.barrier0": true}

var programOps = map[*ir.OpDef]lowering{
	tt.GetProgramID:   lowerProgramID,
	gpud.SubgroupID:   lowerSubgroupID,
	tt.GetNumPrograms: lowerNumPrograms,
	tt.Assert:         lowerAssert,
	cf.Assert:         lowerAssert,
	tt.Print:          lowerPrint,
	tt.InlineAsm:      lowerInlineAsm,
	llvmd.Assume:      nothing,
	proton.Record:     lowerRecord,
}
