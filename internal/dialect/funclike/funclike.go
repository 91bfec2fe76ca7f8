// Package funclike is what func.func and tt.func share: MLIR's syntax of a function, access to its type and
// argument attributes, and the checks of both.
//
// A function without a body is a declaration. The entry block's arguments are the function's.
package funclike

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
)

// Attribute names of a function.
const (
	typeAttr = "function_type"
	argAttrs = "arg_attrs"
	resAttrs = "res_attrs"
	symName  = "sym_name"
	symVis   = "sym_visibility"
)

// Attrs is the attribute list of a function's row.
func Attrs() []ir.AttrSlot {
	return ir.Attrs(symName, ir.AnyString, typeAttr, ir.AnyTypeRef, symVis, ir.OptAttr(ir.AnyString),
		argAttrs, ir.OptAttr(ir.AnyArray), resAttrs, ir.OptAttr(ir.AnyArray))
}

// Type is a function's type, or nil when the op has none.
func Type(op *ir.Op) *ir.FunctionType {
	if a, ok := op.Attr(typeAttr).(*ir.TypeAttr); ok {
		if t, ok := a.Type.(*ir.FunctionType); ok {
			return t
		}
	}
	return nil
}

// SetType changes a function's type; the entry block is the caller's to change.
func SetType(op *ir.Op, t *ir.FunctionType) { op.SetAttr(typeAttr, ir.TypeOf(t)) }

// State is a function ready to be made: its entry block has one argument for each input, unless it is a
// declaration.
func State(def *ir.OpDef, name string, t *ir.FunctionType, visibility string, declaration bool) ir.State {
	s := ir.State{Def: def, Regions: []*ir.Region{ir.NewRegion()}}
	s.Attrs = []ir.NamedAttr{ir.A(symName, ir.Str(name)), ir.A(typeAttr, ir.TypeOf(t))}
	if visibility != "" {
		s.Attrs = append(s.Attrs, ir.A(symVis, ir.Str(visibility)))
	}
	if !declaration {
		s.Regions[0].Append(ir.NewBlock(t.Ins...))
	}
	return s
}

// IsDeclaration reports whether a function has no body.
func IsDeclaration(op *ir.Op) bool { return op.Region(0).Empty() }

// ArgAttrs are the attributes of argument i, or nil.
func ArgAttrs(op *ir.Op, i int) *ir.DictAttr { return dictAt(op, argAttrs, i) }

// ResultAttrs are the attributes of result i, or nil.
func ResultAttrs(op *ir.Op, i int) *ir.DictAttr { return dictAt(op, resAttrs, i) }

// ArgAttr is one attribute of argument i, or nil.
func ArgAttr(op *ir.Op, i int, name string) ir.Attr {
	if d := ArgAttrs(op, i); d != nil {
		return d.Get(name)
	}
	return nil
}

// SetArgAttr sets an attribute of argument i; nil removes it.
func SetArgAttr(op *ir.Op, i int, name string, a ir.Attr) {
	dicts := allArgAttrs(op)
	var list []ir.NamedAttr
	if dicts[i] != nil {
		list = slices.DeleteFunc(slices.Clone(dicts[i].Elems), func(n ir.NamedAttr) bool {
			return n.Name == name
		})
	}
	if a != nil {
		list = append(list, ir.A(name, a))
	}
	dicts[i] = ir.Dict(list...)
	op.SetAttr(argAttrs, dictArray(dicts))
}

// AddArg adds an argument without attributes to a function with a body.
func AddArg(op *ir.Op, t ir.Type, loc ir.Loc) *ir.Value {
	ft := Type(op)
	SetType(op, ir.Func(append(slices.Clone(ft.Ins), t), ft.Outs))
	if op.Attr(argAttrs) != nil {
		op.SetAttr(argAttrs, dictArray(allArgAttrs(op)))
	}
	return op.Body(0).AddArg(t, loc)
}

// allArgAttrs returns the attributes of each argument, nil for none.
func allArgAttrs(op *ir.Op) []*ir.DictAttr {
	dicts := make([]*ir.DictAttr, len(Type(op).Ins))
	for i := range dicts {
		dicts[i] = ArgAttrs(op, i)
	}
	return dicts
}

func dictAt(op *ir.Op, name string, i int) *ir.DictAttr {
	a, ok := op.Attr(name).(*ir.ArrayAttr)
	if !ok || i >= len(a.Elems) {
		return nil
	}
	d, _ := a.Elems[i].(*ir.DictAttr)
	if d == nil || len(d.Elems) == 0 {
		return nil
	}
	return d
}

// dictArray is the array of dictionaries, or nil when all are empty.
func dictArray(dicts []*ir.DictAttr) ir.Attr {
	elems := make([]ir.Attr, len(dicts))
	some := false
	for i, d := range dicts {
		if d == nil {
			d = ir.Dict()
		}
		elems[i] = d
		some = some || len(d.Elems) > 0
	}
	if !some {
		return nil
	}
	return ir.Array(elems...)
}

// Print writes `visibility @name(args) -> results attributes {…} { body }`.
func Print(p *ir.Printer, op *ir.Op) {
	p.Text(" ")
	if vis := op.Text(symVis); vis != "" {
		p.Text(vis + " ")
	}
	p.Symbol(op.Text(symName))
	printArgs(p, op)
	printResults(p, op)
	p.AttrDictKeyword(op, symName, typeAttr, symVis, argAttrs, resAttrs)
	if !IsDeclaration(op) {
		p.Text(" ")
		p.Region(op.Region(0), false, true)
	}
}

func printArgs(p *ir.Printer, op *ir.Op) {
	p.Text("(")
	for i, t := range Type(op).Ins {
		if i > 0 {
			p.Text(", ")
		}
		if IsDeclaration(op) {
			printTyped(p, t, ArgAttrs(op, i))
		} else {
			p.Arg(op.Body(0).Arg(i), ArgAttrs(op, i))
		}
	}
	p.Text(")")
}

func printResults(p *ir.Printer, op *ir.Op) {
	outs := Type(op).Outs
	if len(outs) == 0 {
		return
	}
	_, function := outs[0].(*ir.FunctionType)
	parens := len(outs) > 1 || function || ResultAttrs(op, 0) != nil
	p.Text(" -> ")
	if parens {
		p.Text("(")
	}
	for i, t := range outs {
		if i > 0 {
			p.Text(", ")
		}
		printTyped(p, t, ResultAttrs(op, i))
	}
	if parens {
		p.Text(")")
	}
}

func printTyped(p *ir.Printer, t ir.Type, attrs *ir.DictAttr) {
	p.Type(t)
	if attrs != nil {
		p.Text(" ")
		p.Attr(attrs)
	}
}

// Parse reads what Print writes.
func Parse(p *ir.Parser, s *ir.State) bool {
	for _, vis := range []string{"public", "private", "nested"} {
		if p.Try(vis) {
			s.Attrs = append(s.Attrs, ir.A(symVis, ir.Str(vis)))
			break
		}
	}
	name, ok := p.Symbol()
	if !ok {
		return false
	}
	s.Attrs = append(s.Attrs, ir.A(symName, ir.Str(name)))
	args, named, ok := parseArgs(p)
	if !ok {
		return false
	}
	outs, outAttrs, ok := parseResults(p)
	if !ok || !p.AttrDictKeyword(s) {
		return false
	}
	setSignature(s, args, outs, outAttrs)
	if p.Peek("{") {
		if !named && len(args) > 0 {
			return p.Errorf(p.Pos(), "a function with a body names its arguments")
		}
		return p.Region(s, args)
	}
	s.Regions = append(s.Regions, ir.NewRegion())
	return true
}

func setSignature(s *ir.State, args []ir.Arg, outs []ir.Type, outAttrs []*ir.DictAttr) {
	ins, inAttrs := make([]ir.Type, len(args)), make([]*ir.DictAttr, len(args))
	for i, a := range args {
		ins[i], inAttrs[i] = a.Type, a.Attrs
	}
	s.Attrs = append(s.Attrs, ir.A(typeAttr, ir.TypeOf(ir.Func(ins, outs))))
	if a := dictArray(inAttrs); a != nil {
		s.Attrs = append(s.Attrs, ir.A(argAttrs, a))
	}
	if a := dictArray(outAttrs); a != nil {
		s.Attrs = append(s.Attrs, ir.A(resAttrs, a))
	}
}

// parseArgs reads (%a: t {…} loc(…), …), or for a declaration (t {…}, …).
func parseArgs(p *ir.Parser) (args []ir.Arg, named, ok bool) {
	ok = p.List("(", ")", func() bool {
		pos := p.Pos()
		var a ir.Arg
		o, has := p.TryOperand()
		if len(args) > 0 && has != named {
			return p.Errorf(pos, "either all arguments of a function have names or none has")
		}
		if named = has; named {
			a.Operand = o
			if !p.Literal(":") {
				return false
			}
		}
		var ok bool
		if a.Type, a.Attrs, ok = parseTyped(p); !ok {
			return false
		}
		if a.Loc, ok = p.Loc(); !ok {
			return false
		}
		args = append(args, a)
		return true
	})
	return args, named, ok
}

func parseResults(p *ir.Parser) (types []ir.Type, attrs []*ir.DictAttr, ok bool) {
	if !p.Try("->") {
		return nil, nil, true
	}
	if !p.Peek("(") {
		t, ok := p.Type()
		return []ir.Type{t}, []*ir.DictAttr{nil}, ok
	}
	ok = p.List("(", ")", func() bool {
		t, a, ok := parseTyped(p)
		types, attrs = append(types, t), append(attrs, a)
		return ok
	})
	return types, attrs, ok
}

func parseTyped(p *ir.Parser) (ir.Type, *ir.DictAttr, bool) {
	t, ok := p.Type()
	if !ok || !p.Peek("{") {
		return t, nil, ok
	}
	a, ok := p.Attr(nil)
	d, _ := a.(*ir.DictAttr)
	return t, d, ok
}

// Verify checks a function's type against its entry block and its lists of attributes.
func Verify(op *ir.Op) error {
	t := Type(op)
	if t == nil {
		return fmt.Errorf("has a %s that is no function type", typeAttr)
	}
	for name, n := range map[string]int{argAttrs: len(t.Ins), resAttrs: len(t.Outs)} {
		if a, ok := op.Attr(name).(*ir.ArrayAttr); ok && len(a.Elems) != n {
			return fmt.Errorf("has %d entries in %s, expected %d", len(a.Elems), name, n)
		}
	}
	if IsDeclaration(op) {
		return nil
	}
	args := op.Body(0).Args()
	if len(args) != len(t.Ins) {
		return fmt.Errorf("the type has %d parameters, but the first block %d arguments",
			len(t.Ins), len(args))
	}
	for i, a := range args {
		if a.Type != t.Ins[i] {
			return fmt.Errorf("argument #%d of the first block has type '%s', but the function's type "+
				"says '%s'",
				i, a.Type, t.Ins[i])
		}
	}
	return nil
}

// VerifyReturn checks a function's terminator against the function of the given kind around it.
func VerifyReturn(ret *ir.Op, fn *ir.OpDef) error {
	f := ret.Parent()
	if f == nil || f.Def != fn {
		return fmt.Errorf("expects parent op '%s'", fn)
	}
	t := Type(f)
	if t == nil {
		return nil
	}
	if ret.NumOperands() != len(t.Outs) {
		return fmt.Errorf("returns %d values, but function @%s is declared with %d", ret.NumOperands(),
			f.Text(symName), len(t.Outs))
	}
	for i, v := range ret.Operands() {
		if v.Type != t.Outs[i] {
			return fmt.Errorf("value #%d has type '%s', but a result of type '%s' is declared by function @%s",
				i, v.Type, t.Outs[i], f.Text(symName))
		}
	}
	return nil
}

// VerifyCall checks a call against the function of the given kind that it names.
func VerifyCall(call *ir.Op, fn *ir.OpDef, lookup func(string) *ir.Op) error {
	ref, ok := call.Attr("callee").(*ir.SymbolRefAttr)
	if !ok {
		return nil
	}
	f := lookup(ref.Root)
	if f == nil || f.Def != fn || Type(f) == nil || ref.Nested != "" {
		return fmt.Errorf("there is no function @%s here", ref.Root)
	}
	t := Type(f)
	if call.NumOperands() != len(t.Ins) {
		return fmt.Errorf("passes %d operands, but function @%s is declared with %d", call.NumOperands(),
			ref.Root, len(t.Ins))
	}
	for i, v := range call.Operands() {
		if v.Type != t.Ins[i] {
			return fmt.Errorf("operand #%d has type '%s', but the parameter '%s'", i, v.Type, t.Ins[i])
		}
	}
	if !slices.Equal(call.ResultTypes(), t.Outs) {
		return fmt.Errorf("result types do not match those of @%s", ref.Root)
	}
	return nil
}
