package indexlist

import (
	"slices"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

func TestSplit(t *testing.T) {
	v := ir.NewBlock(ir.Index).Arg(0)
	list := []Entry{{Value: v}, {Const: 4}, {Value: v}}
	dynamic, static := Split(list)
	if !slices.Equal(dynamic, []*ir.Value{v, v}) ||
		!slices.Equal(static.Values, []int64{ir.Dynamic, 4, ir.Dynamic}) {
		t.Errorf("got %v and %v", dynamic, static)
	}
	if !Consts(1, 2)[1].IsConst(2) || list[0].IsConst(0) {
		t.Error("what is constant")
	}
	def := &ir.OpDef{Name: "test", Operands: ir.Slots("sizes", ir.Variadic(ir.IndexOnly)),
		Attrs: ir.Attrs("static_sizes", ir.I64s)}
	op := ir.NewOp(ir.State{Def: def, Operands: dynamic, Attrs: []ir.NamedAttr{ir.A("static_sizes", static)}})
	if got := Of(op, 0, "static_sizes"); !slices.Equal(got, list) {
		t.Errorf("got back %v", got)
	}
	if err := Check(op, 0, "static_sizes", 3); err != nil {
		t.Error(err)
	}
	if Check(op, 0, "static_sizes", 2) == nil {
		t.Error("there are three entries")
	}
	op.SetOperands(dynamic[:1], nil)
	if Check(op, 0, "static_sizes", 3) == nil {
		t.Error("an operand is missing")
	}
}
