package tt

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

func tensor(n int64, elem ir.Type) *ir.TensorType { return ir.Tensor([]int64{n}, elem, nil) }

func TestPointers(t *testing.T) {
	block := ir.Tensor([]int64{8, 8}, ir.F16, nil)
	cases := []struct {
		t       ir.Type
		text    string
		pointee ir.Type
		like    bool
		block   bool
	}{
		{Ptr(ir.F32), "!tt.ptr<f32>", ir.F32, true, false},
		{PtrIn(ir.I8, 3), "!tt.ptr<i8, 3>", ir.I8, true, false},
		{Ptr(Ptr(ir.F32)), "!tt.ptr<!tt.ptr<f32>>", Ptr(ir.F32), true, false},
		{Ptr(block), "!tt.ptr<tensor<8x8xf16>>", block, true, true},
		{tensor(16, Ptr(ir.F32)), "tensor<16x!tt.ptr<f32>>", tensor(16, ir.F32), true, false},
		{ir.F32, "f32", nil, false, false},
	}
	for _, c := range cases {
		if got := c.t.String(); got != c.text {
			t.Errorf("prints %s, want %s", got, c.text)
		}
		if back, err := ir.ParseType(c.text); err != nil || back != c.t {
			t.Errorf("%s reads as %v, %v", c.text, back, err)
		}
		if Pointee(c.t) != c.pointee || IsPtrLike(c.t) != c.like || IsTensorPtr(c.t) != c.block {
			t.Errorf("%s: pointee %v, pointer %v, to a block %v", c.text, Pointee(c.t), IsPtrLike(c.t),
				IsTensorPtr(c.t))
		}
	}
	if got := PtrTo(tensor(4, ir.BF16)); got != ir.Type(tensor(4, Ptr(ir.BF16))) {
		t.Errorf("pointers to bf16 are %s", got)
	}
}

func TestDescriptors(t *testing.T) {
	d := Desc(tensor(16, ir.I8), false)
	if got := d.String(); got != "!tt.tensordesc<tensor<16xui8>>" {
		t.Error(got)
	}
	if DescTensor(d) != tensor(16, ir.I8) || DescBlock(ir.F32) != nil || DescTensor(ir.F32) != nil {
		t.Error("what a descriptor loads is signless, what is none loads nothing")
	}
	if Desc(tensor(16, ir.F16), true) != Desc(tensor(16, ir.F16), false) {
		t.Error("floats have no sign to keep")
	}
	if got, err := ir.ParseType("!tt.tensordesc<16xui8>"); err != nil || got != ir.Type(d) {
		t.Errorf("Triton 3.8's form of %s is %v, %v", d, got, err)
	}
	for _, bad := range []string{"!tt.tensordesc<f32>", "!tt.ptr<f32", "!tt.ptr<>",
		"!tt.tensordesc<tensor<*xf32>>"} {
		if _, err := ir.ParseType(bad); err == nil {
			t.Errorf("%s is no type", bad)
		}
	}
}

func TestEffects(t *testing.T) {
	p := ir.NewBlock(Ptr(ir.F32)).Arg(0)
	load := ir.NewOp(ir.State{Def: Load, Operands: []*ir.Value{p}, Segments: []int{1, 0, 0},
		Results: []ir.Type{ir.F32}})
	if load.Effects() != ir.EffRead || !load.IsDead() {
		t.Error("a load nobody uses can go")
	}
	load.SetAttr("isVolatile", ir.BoolAttr(true))
	if load.IsDead() {
		t.Error("a volatile load stays")
	}
	asm := ir.NewOp(ir.State{Def: InlineAsm, Results: []ir.Type{ir.I32},
		Attrs: []ir.NamedAttr{ir.A("pure", ir.BoolAttr(true))}})
	if !asm.IsPure() || !asm.IsDead() {
		t.Error("assembly marked pure can move and go")
	}
	asm.SetAttr("pure", ir.BoolAttr(false))
	if asm.IsPure() || asm.IsDead() {
		t.Error("other assembly stays")
	}
	if cat := ir.NewOp(ir.State{Def: Cat}); cat.IsPure() || cat.Effects() != 0 {
		t.Error("cat has no effects but must not be moved")
	}
}
