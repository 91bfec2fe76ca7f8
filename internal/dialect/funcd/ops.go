// Package funcd is MLIR's func dialect: functions, calls and returns. (func itself is a keyword of Go.)
package funcd

import (
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Dialect is func.
var Dialect = ir.NewDialect("func", "Functions, calls and returns.")

var (
	Func = Dialect.Op(ir.OpDef{
		Name:    "func",
		Doc:     "A function with a name.",
		Traits:  ir.Isolated | ir.SymbolOp,
		Attrs:   append(funclike.Attrs(), ir.Attrs("no_inline", ir.OptAttr(ir.AnyUnit))...),
		Regions: []string{"body"},
		PrintFn: funclike.Print,
		ParseFn: funclike.Parse,

		ElideDialect: true,
	})
	Call = Dialect.Op(ir.OpDef{
		Name:     "call",
		Doc:      "Calls a function by name.",
		Operands: ir.Slots("operands", ir.Variadic(ir.AnyType)),
		Results:  ir.Slots("results", ir.Variadic(ir.AnyType)),
		Attrs: ir.Attrs("callee", ir.AnySymbol, "arg_attrs", ir.OptAttr(ir.AnyArray), "res_attrs",
			ir.OptAttr(ir.AnyArray), "no_inline", ir.OptAttr(ir.AnyUnit)),
		Format: "$callee `(` $operands `)` attr-dict `:` functional-type($operands, results)",
	})
	CallIndirect = Dialect.Op(ir.OpDef{
		Name:     "call_indirect",
		Doc:      "Calls a function that is a value.",
		Operands: ir.Slots("callee", anyFunction, "callee_operands", ir.Variadic(ir.AnyType)),
		Results:  ir.Slots("results", ir.Variadic(ir.AnyType)),
		Attrs:    ir.Attrs("arg_attrs", ir.OptAttr(ir.AnyArray), "res_attrs", ir.OptAttr(ir.AnyArray)),
		PrintFn:  printCallIndirect,
		ParseFn:  parseCallIndirect,
	})
	Constant = Dialect.Op(ir.OpDef{
		Name:    "constant",
		Doc:     "A function of the module as a value.",
		Traits:  ir.Pure | ir.ConstantLike,
		Results: ir.Slots("results", anyFunction),
		Attrs:   ir.Attrs("value", ir.AnySymbol),
		Format:  "attr-dict $value `:` type($results)",

		ResultName: func(*ir.Op, int) string { return "f" },
	})
	Return = Dialect.Op(ir.OpDef{
		Name:     "return",
		Doc:      "Ends a function and hands back its results.",
		Traits:   ir.Pure | ir.Terminator | ir.ReturnLike,
		Operands: ir.Slots("operands", ir.Variadic(ir.AnyType)),
		Format:   "attr-dict ($operands^ `:` type($operands))?",
	})
)

var anyFunction = ir.Constraint{Desc: "function type", Ok: func(t ir.Type) bool {
	_, ok := t.(*ir.FunctionType)
	return ok
}}

func printCallIndirect(p *ir.Printer, op *ir.Op) {
	p.Text(" ")
	p.Value(op.Operand(0))
	p.Text("(")
	p.Values(op.Operands()[1:])
	p.Text(")")
	p.AttrDict(op)
	p.Text(" : ")
	p.Type(op.Operand(0).Type)
}

func parseCallIndirect(p *ir.Parser, s *ir.State) bool {
	callee, ok := p.Operand()
	if !ok || !p.Literal("(") {
		return false
	}
	args, ok := p.Operands()
	if !ok || !p.Literal(")") || !p.AttrDict(s) || !p.Literal(":") {
		return false
	}
	t, ok := p.FuncType()
	if !ok {
		return false
	}
	s.Results = append(s.Results, t.Outs...)
	return p.Resolve(s, callee, t) && p.ResolveAll(s, args, t.Ins)
}
