package sem

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/triton"
)

func inlineAsm(c *Call) object.Value {
	vs, ok := items(c.Named("args"))
	if !ok {
		panic(c.wrong("args", "a list of tensors"))
	}
	list, many := items(c.Named("dtype"))
	if !many {
		list = []object.Value{c.Named("dtype")}
	}
	types := make([]Type, len(list))
	for i, v := range list {
		if types[i], ok = v.(Type); !ok {
			panic(bad(CodeType, "dtype of inline_asm_elementwise must be a dtype or a tuple of them, not %s",
				describe(v)))
		}
	}
	if len(types) == 0 {
		panic(bad(CodeArgs,
			"inline assembly has no result: dtype is empty, and names the type of each value that the "+
				"code returns"))
	}
	out := c.B.inlineAsm(asmText{c.str("asm"), c.str("constraints"), c.bool("is_pure"), c.int("pack")}, vs,
		types)
	return result(out, !many)
}

// asmText is assembly with its constraints and how it is used.
type asmText struct {
	code, constraints string
	pure              bool
	pack              int64
}

// inlineAsm runs assembly on values of one shape.
func (b *Builder) inlineAsm(a asmText, vs []object.Value, elems []Type) []*Tensor {
	args := make([]*Tensor, len(vs))
	for i, v := range vs {
		args[i] = b.toTensor(v)
	}
	shape := Type(Int1)
	switch {
	case len(args) == 0:
	case b.has(triton.AsmInOrder):
		args = b.broadcastAll(args...)
		shape = args[0].Type
	default:
		args, shape = b.oneShape(args, ptrLeft|ptrRight|asIs, false)
	}
	out := make([]*Tensor, len(elems))
	types := make([]ir.Type, len(elems))
	for i, t := range elems {
		out[i] = &Tensor{Type: WithElem(shape, t)}
		types[i] = b.ir(out[i].Type)
	}
	op := b.Op(tt.InlineAsm, values(args), types, ir.A("asm_string", ir.Str(a.code)),
		ir.A("constraints", ir.Str(a.constraints)),
		ir.A("pure", ir.BoolAttr(a.pure)), ir.A("packed_element", ir.I32Attr(a.pack)))
	for i := range out {
		out[i].V = op.Result(i)
	}
	return out
}

// oneShape returns the arguments in one shape. It first finds the shape by broadcasting them all against one
// another, then broadcasts each to it. Scalars among themselves are not broadcast again unless always is set.
func (b *Builder) oneShape(args []*Tensor, m mode, always bool) ([]*Tensor, Type) {
	wide := args[0]
	for _, x := range args {
		_, wide = b.operands(x, wide, m)
	}
	if always || IsBlock(wide.Type) {
		for i, x := range args {
			args[i], _ = b.operands(x, wide, m)
		}
	}
	return args, wide.Type
}

func externElementwise(c *Call) object.Value {
	args, ok := items(c.Named("args"))
	dict, isDict := c.Named("arg_type_symbol_dict").(*object.Dict)
	if !ok || !isDict {
		panic(bad(CodeType,
			"extern_elementwise takes a list of arguments and a dict from argument types to symbols"))
	}
	var rows []externRow
	for k, v := range dict.All() {
		rows = append(rows, externEntry(k, v))
	}
	return c.B.extern(c.str("lib_name"), c.str("lib_path"), args, rows, c.bool("is_pure"))
}

// externEntry reads {(types...): (symbol, type)}.
func externEntry(k, v object.Value) externRow {
	types, ok1 := items(k)
	pair, ok2 := items(v)
	if !ok1 || !ok2 || len(pair) != 2 {
		panic(bad(CodeType, "an entry of arg_type_symbol_dict is {(dtypes...): (symbol, dtype)}"))
	}
	symbol, ok1 := pair[0].(object.Str)
	ret, ok2 := pair[1].(*DType)
	if !ok1 || !ok2 {
		panic(bad(CodeType, "an entry of arg_type_symbol_dict has a symbol and a dtype, not %s and %s",
			describe(pair[0]), describe(pair[1])))
	}
	r := externRow{symbol: string(symbol), ret: ret}
	for _, t := range types {
		d, ok := t.(*DType)
		if !ok {
			panic(bad(CodeType, "a key of arg_type_symbol_dict is a tuple of dtypes, not %s", describe(t)))
		}
		r.args = append(r.args, d)
	}
	return r
}

// externRow is a function of a device library for one tuple of argument types.
type externRow struct {
	args   []*DType
	symbol string
	ret    *DType
}

// extern calls a device library's function for each element.
func (b *Builder) extern(lib, path string, vs []object.Value, rows []externRow, pure bool) *Tensor {
	args := make([]*Tensor, len(vs))
	types := make([]Type, len(vs))
	for i, v := range vs {
		args[i] = b.toTensor(v)
		types[i] = Scalar(args[i].Type)
	}
	row := findExtern(rows, types)
	if row == nil {
		panic(bad(CodeType, "no variant takes arguments of types %s; there are %s", typeList(types),
			externTypes(rows)).
			hint("cast the arguments"))
	}
	out := Type(row.ret)
	if len(args) > 0 {
		var shape Type
		args, shape = b.oneShape(args, asIs, true)
		out = WithElem(shape, row.ret)
	}
	return b.opA(tt.ExternElementwise, out,
		[]ir.NamedAttr{ir.A("libname", ir.Str(lib)), ir.A("libpath", ir.Str(path)),
			ir.A("symbol", ir.Str(row.symbol)), ir.A("pure", ir.BoolAttr(pure))}, values(args)...)
}

func findExtern(rows []externRow, types []Type) *externRow {
next:
	for i := range rows {
		if len(rows[i].args) != len(types) {
			continue
		}
		for j, t := range rows[i].args {
			if Type(t) != types[j] {
				continue next
			}
		}
		return &rows[i]
	}
	return nil
}

func typeList[T Type](types []T) string {
	s := "("
	for i, t := range types {
		if i > 0 {
			s += ", "
		}
		s += t.String()
	}
	return s + ")"
}

func externTypes(rows []externRow) string {
	s := ""
	for i, r := range rows {
		if i > 0 {
			s += ", "
		}
		s += typeList(r.args)
	}
	return s
}
