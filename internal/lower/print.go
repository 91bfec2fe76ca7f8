package lower

import (
	"fmt"
	"math"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// lowerPrint prints a line for each element, by the first thread that holds it:
//
//	pid (1, 0, 0) idx ( 3, 12)prefix: value
//
// Indices are padded to the width of the largest of their dimension.
func lowerPrint(l *lowering, op *ir.Op) {
	prefix := strings.ReplaceAll(op.Text("prefix"), "%", "%%")
	var pids []arg
	for axis := range 3 {
		pids = append(pids, arg{"i32", l.vendor.programID(l, axis)})
	}
	if op.NumOperands() == 0 {
		l.when(l.scalarOwner(), func() { l.vendor.printf(l, "pid (%u, %u, %u)"+prefix+"\n", pids) })
		return
	}
	signs, _ := op.Attr("isSigned").(*ir.DenseArrayAttr)
	hex, _ := op.Int("hex")
	for i, v := range op.Operands() {
		text := prefix
		if op.NumOperands() > 1 {
			text += fmt.Sprintf("(operand %d) ", i)
		}
		signed := signs != nil && i < len(signs.Values) && signs.Values[i] > 0
		l.printValue(op, v, text, pids, hex != 0, signed)
	}
}

func (l *lowering) printValue(op *ir.Op, v *ir.Value, prefix string, pids []arg, hex, signed bool) {
	tensor, ok := v.Type.(*ir.TensorType)
	if !ok {
		l.when(l.scalarOwner(), func() {
			spec, a := l.printable(l.scalar(v), v.Type, hex, signed)
			l.vendor.printf(l, "pid (%u, %u, %u) idx ()"+prefix+spec+"\n", append(pids[:3:3], a))
		})
		return
	}
	ll := l.layout(op, tensor)
	var index []string
	for _, d := range tensor.Shape {
		index = append(index, fmt.Sprintf("%%%du", int(math.Ceil(math.Log10(float64(d))))))
	}
	format := "pid (%u, %u, %u) idx (" + strings.ReplaceAll(strings.Join(index, ", "), "%0u", "%u") +
		")" + prefix
	free := ll.FreeVariablesIn(layout.Register)
	l.when(l.owns(ll), func() {
		for r, x := range l.regs(v) {
			if r&free != 0 {
				continue
			}
			args := pids[:3:3]
			for d := range tensor.Shape {
				args = append(args, arg{"i32", l.coordinate(ll, r, layout.TensorDim(d))})
			}
			spec, a := l.printable(x, tensor.Elem, hex, signed)
			l.vendor.printf(l, format+spec+"\n", append(args, a))
		}
	})
}

// arg is an LLVM value with its type.
type arg struct{ typ, name string }

// printable returns the format of an element and the value that printf takes for it.
func (l *lowering) printable(x string, t ir.Type, hex, signed bool) (string, arg) {
	typ := llvmType(t)
	bits := ir.BitWidth(t)
	if tt.IsPtr(t) {
		return "%p", arg{"i64", l.val("ptrtoint %s %s to i64", typ, x)}
	}
	if ft, ok := t.(*ir.FloatType); ok {
		if hex {
			x, typ = l.bitcast(x, typ, fmt.Sprintf("i%d", bits)), fmt.Sprintf("i%d", bits)
		} else {
			if ft != ir.F64 {
				x = l.extend(x, t, ir.F64)
			}
			return "%f", arg{"double", x}
		}
	}
	ext, spec := "zext", "u"
	if signed && bits > 1 {
		ext, spec = "sext", "i"
	}
	if hex {
		ext, spec = "zext", fmt.Sprintf("0%dx", max(bits, 8)/4)
	}
	if bits == 64 {
		if hex {
			return "0x%016llx", arg{"i64", x}
		}
		return "%ll" + spec, arg{"i64", x}
	}
	if bits < 32 {
		x = l.val("%s %s %s to i32", ext, typ, x)
	}
	if hex {
		return "0x%" + spec, arg{"i32", x}
	}
	return "%" + spec, arg{"i32", x}
}

// when emits f under a condition; "" means always.
func (l *lowering) when(cond string, f func()) {
	if cond == "" {
		f()
		return
	}
	yes, end := l.label("when"), l.label("end")
	l.condBr(cond, yes, end)
	l.begin(yes)
	f()
	l.lastWhen = l.writer.block
	l.br(end)
	l.begin(end)
}

// lowerAssert stops the kernel with a message if an element is false.
func lowerAssert(l *lowering, op *ir.Op) {
	bad := ""
	for _, c := range l.regs(op.Operand(0)) {
		not := l.val("xor i1 %s, true", c)
		if bad == "" {
			bad = not
		} else {
			bad = l.val("or i1 %s, %s", bad, not)
		}
	}
	l.failWhen(op, bad)
	if _, ok := op.Operand(0).Type.(*ir.TensorType); ok {
		l.barrier() // no thread enters the code that the assertion guards before all have checked
	}
}

// failWhen makes an assertion fail where bad is true.
func (l *lowering) failWhen(op *ir.Op, bad string) {
	message := op.Text("message") + op.Text("msg")
	if l.check != nil {
		l.fault(op, Site{Message: message}, "0", bad)
		return
	}
	file, line, fn := "unknown", 0, "unknown"
	if f := ir.FileLocOf(op.Loc); f != nil {
		file, line = f.File, f.Line
	}
	fn = l.fn.Text("sym_name")
	l.when(bad, func() {
		l.vendor.assertFail(l, message, file, line, fn)
	})
}

// lowerAssume passes the condition to LLVM's optimizer.
func lowerAssume(l *lowering, op *ir.Op) {
	l.call("void", "llvm.assume", "i1 "+l.scalar(op.Operand(0)))
}
