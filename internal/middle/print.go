package middle

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// convertPrint calls a function of the runtime for each operand:
//
//	@nereid_print_f32(%prefix: memref<*xi8>, %values: memref<*xf32>,
//	    %operand: i32, %operands: i32, %hex: i1, %signed: i1,
//	    %pid_x: i32, %pid_y: i32, %pid_z: i32)
//
// The buffer has the shape of what is printed. Without operands it is @nereid_print, which takes the prefix
// and the ids.
func convertPrint(c *converter, op *ir.Op) {
	prefix := c.text(op.Text("prefix"))
	n := op.NumOperands()
	if n == 0 {
		c.runtime("nereid_print", append([]*ir.Value{prefix}, c.grid[3:]...))
		return
	}
	signs, _ := op.Attr("isSigned").(*ir.DenseArrayAttr)
	for i, v := range op.Operands() {
		buf := c.printed(v)
		signed := signs != nil && i < len(signs.Values) && signs.Values[i] != 0
		args := []*ir.Value{
			prefix, buf, arith.ConstInt(c.b, int64(i), ir.I32), arith.ConstInt(c.b, int64(n), ir.I32),
			arith.Const(c.b, ir.BoolAttr(op.IntOr("hex", 0) != 0)), arith.Const(c.b, ir.BoolAttr(signed)),
		}
		c.runtime("nereid_print_"+ir.ElemOf(buf.Type).String(), append(args, c.grid[3:]...))
	}
}

// printed emits a buffer that holds a value.
func (c *converter) printed(v *ir.Value) *ir.Value {
	t, tensor := v.Type.(*ir.TensorType)
	var buf *ir.Value
	switch {
	case tensor && tt.IsPtr(t.Elem):
		buf = c.alloc(t.Shape, ir.I64)
		c.materialize(c.absolute(v), buf)
	case tensor:
		buf = c.alloc(t.Shape, t.Elem)
		c.materialize(c.val(v), buf)
	default:
		x := (*ir.Value)(nil)
		if tt.IsPtr(v.Type) {
			x = c.address(c.stateOf(v))
		} else {
			x = c.val(v)
		}
		buf = c.alloc([]int64{}, x.Type)
		c.b.Op(memref.Store, []*ir.Value{x, buf}, nil)
	}
	return c.b.Val(memref.Cast, ir.UnrankedMemRef(ir.ElemOf(buf.Type), nil), buf)
}

// text returns a global buffer of the module that holds a string.
func (c *converter) text(s string) *ir.Value {
	t := ir.Tensor([]int64{int64(len(s))}, ir.I8, nil)
	buf := ir.MemRef(t.Shape, ir.I8, nil, nil)
	value := ir.Dense(t, false, []byte(s))
	if len(s) == 0 {
		value = ir.Dense(ir.Tensor([]int64{1}, ir.I8, nil), false, []byte{0})
		buf = ir.MemRef([]int64{1}, ir.I8, nil, nil)
	}
	name := ""
	for i := 0; name == ""; i++ {
		name = fmt.Sprintf("text_%d", i)
		if old := c.m.Lookup(name); old != nil && old.Attr("initial_value") != ir.Attr(value) {
			name = ""
		}
	}
	if c.m.Lookup(name) == nil {
		c.m.Block().Append(ir.NewOp(ir.State{Def: memref.Global, Attrs: []ir.NamedAttr{
			ir.A("sym_name", ir.Str(name)), ir.A("sym_visibility", ir.Str("private")),
			ir.A("constant", ir.Unit), ir.A("type", ir.TypeOf(buf)), ir.A("initial_value", value),
		}}))
	}
	g := c.b.ValA(memref.GetGlobal, buf, []ir.NamedAttr{ir.A("name", ir.SymbolRef(name))})
	return c.b.Val(memref.Cast, ir.UnrankedMemRef(ir.I8, nil), g)
}

// runtime calls a function that the module only declares.
func (c *converter) runtime(name string, args []*ir.Value) { c.call(name, args, nil, true) }

// call calls a function by name and declares it when nobody has. byC functions are called with C's
// conventions: buffers by reference.
func (c *converter) call(name string, args []*ir.Value, results []ir.Type, byC bool) []*ir.Value {
	if c.m.Lookup(name) == nil {
		var ins []ir.Type
		for _, v := range args {
			ins = append(ins, v.Type)
		}
		fn := ir.NewOp(funclike.State(funcd.Func, name, ir.Func(ins, results), "private", true))
		if byC {
			fn.SetAttr("llvm.emit_c_interface", ir.Unit)
		}
		c.m.Block().Append(fn)
	}
	return c.b.Op(funcd.Call, args, results, ir.A("callee", ir.SymbolRef(name))).Results()
}
