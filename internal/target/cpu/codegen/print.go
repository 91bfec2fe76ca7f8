package codegen

import (
	"strings"

	devcpu "github.com/nereid-lang/nereid/internal/device/cpu"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Print describes a device_print of one operand, as far as it is known at compile time.
type Print = devcpu.Print

func isPrint(name string) bool { return strings.HasPrefix(name, devcpu.PrintFunction) }

func emitPrint(g *gen, op *ir.Op) {
	p := Print{Prefix: g.textOf(op.Operand(0)), Of: 1}
	data, pids := "null", op.Operands()[1:]
	if op.NumOperands() > 4 {
		buf := op.Operand(1).DefBy(memref.Cast)
		if buf == nil {
			g.fail(op, "a print of a buffer that is not known")
			return
		}
		w := g.viewOf(buf.Operand(0))
		t := buf.Operand(0).Type.(*ir.MemRefType)
		p.Elem, p.Shape, data = printElem(t.Elem), t.Shape, g.address(w, "0")
		flag := func(i int) int { n, _ := arith.IntOf(op.Operand(i)); return int(n) }
		p.Operand, p.Of, p.Hex, p.Signed = flag(2), flag(3), flag(4) != 0, flag(5) != 0
		pids = op.Operands()[6:]
	}
	g.prints = append(g.prints, p)
	args := []string{
		"i64 " + g.op("load i64, ptr %s", g.op("getelementptr i64, ptr %%grid, i64 4")),
		"i64 " + itoa(int64(len(g.prints)-1)), "ptr " + data,
	}
	for _, v := range pids {
		args = append(args, "i64 "+g.op("zext i32 %s to i64", g.plain(g.scalar(v), 1).s))
	}
	g.call("void", devcpu.PrintFunction, args...)
}

// printElem returns the type of printed elements.
func printElem(t ir.Type) devcpu.PrintElem {
	e := devcpu.PrintElem{Bits: ir.BitWidth(t)}
	if f, ok := t.(*ir.FloatType); ok {
		e.Float = f.Format
	}
	return e
}

// textOf returns the text in a buffer of the module.
func (g *gen) textOf(v *ir.Value) string {
	cast := v.DefBy(memref.Cast)
	if cast == nil {
		return ""
	}
	get := cast.Operand(0).DefBy(memref.GetGlobal)
	if get == nil {
		return ""
	}
	global := g.m.Lookup(get.Attr("name").(*ir.SymbolRefAttr).Root)
	if global == nil {
		return ""
	}
	d, ok := global.Attr("initial_value").(*ir.DenseAttr)
	if !ok {
		return ""
	}
	var b strings.Builder
	for i := range d.Len() {
		if c := byte(d.Bits(i)); c != 0 {
			b.WriteByte(c)
		}
	}
	return b.String()
}
