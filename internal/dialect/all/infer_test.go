package all_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestInference: wherever result types follow from operands and attributes, they are those that the example
// has.
func TestInference(t *testing.T) {
	follows := map[*ir.OpDef]bool{}
	check := func(name string, m *ir.Module) {
		m.Op.Walk(func(op *ir.Op) bool {
			s := ir.State{Def: op.Def, Operands: op.Operands(), Segments: op.Segments(), Attrs: op.Attrs()}
			types, err := op.Def.Infer(&s)
			if err != nil {
				return true
			}
			follows[op.Def] = true
			if !slices.Equal(types, op.ResultTypes()) {
				t.Errorf("%s: %s infers %v, has %v", name, op.Name(), types, op.ResultTypes())
			}
			return true
		})
	}
	for _, dir := range []string{"mlir", "triton", "triton-3.9"} {
		for _, e := range examples(t, dir) {
			check(e.name, parse(t, e.name, e.src))
		}
	}
	for _, path := range txtest.Glob(t, "testdata/golden/*/*.ttgir") {
		check(filepath.Base(path), parse(t, path, txtest.Read(t, path)))
	}
	for _, name := range mustFollow {
		if !follows[ir.LookupOp(name)] {
			t.Errorf("the result types of %s do not follow from its operands", name)
		}
	}
}

// mustFollow are ops whose makers rely on inference.
var mustFollow = []string{
	"arith.addf", "arith.cmpf", "arith.cmpi", "arith.constant", "arith.select", "arith.addui_extended",
	"math.exp", "math.isnan", "math.sincos", "scf.for", "tt.addptr", "tt.load", "tt.expand_dims", "tt.trans",
	"tt.join", "tt.split", "tt.reduce", "tt.scan", "tt.dot", "tt.dot_scaled", "tt.gather", "tt.unsplat",
	"tt.advance", "tt.get_program_id", "tt.mulhiui", "tt.clampf", "ttg.async_wait",
	"ttg.async_copy_global_to_local", "ttng.warp_group_dot", "ttng.warp_group_dot_wait", "tensor.extract",
	"tensor.insert_slice", "tensor.dim", "memref.load", "memref.dim", "affine.apply",
}
