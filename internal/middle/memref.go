package middle

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/bufferization"
	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/linalg"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/dialect/tensor"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/tts"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// StructuredToMemref ends what TritonToStructured, TritonToUnstructured and TritonArithToLinalg begin:
// accesses become copies and stores of memref, pointers buffers. Its input may also have what they left, as
// TritonToLinalg converts it, and functions may be tt.func still.
var StructuredToMemref = pass.Pass{
	Name: "structured-to-memref",
	Doc:  "convert the accesses of dialect tts, and what else has pointers, to memref",
	Run:  Options{}.toMemref,
}

func (o Options) toMemref(ctx *pass.Context, m *ir.Module) error {
	for op := range m.Op.Ops() {
		if op.Def.Dialect == tts.Dialect && slices.ContainsFunc(op.Operands(), func(v *ir.Value) bool {
			return tt.IsTensorPtr(v.Type)
		}) {
			return errAt(op, "of a block with an order is not supported")
		}
	}
	for _, fn := range functions(m) {
		if err := structureRegion(fn, returns[fn.Def]); err != nil {
			return err
		}
	}
	return o.run(ctx, m)
}

// hasPointers reports whether a func.func takes pointers, as those do that TritonArithToLinalg makes, or has
// operations inside that are to be converted.
func hasPointers(fn *ir.Op) bool {
	if fn.Def != funcd.Func || funclike.IsDeclaration(fn) {
		return false
	}
	if slices.ContainsFunc(funclike.Type(fn).Ins, tt.IsPtrLike) {
		return true
	}
	for op := range fn.Ops() {
		if op.Def.Dialect == tt.Dialect {
			return true
		}
	}
	return false
}

// passing are the dialects whose operations on tensors and scalars stay what they are.
var passing = []*ir.Dialect{linalg.Dialect, tensor.Dialect, cf.Dialect, memref.Dialect, bufferization.Dialect,
	funcd.Dialect}

// pass copies an operation with the regions in it.
func (c *converter) pass(op *ir.Op) {
	if onPointerTensors(op) {
		c.failAt(op, "on a tensor of pointers is not supported: triton-arith-to-linalg can leave those "+
			"alone (keep-tensor-pointers)")
		return
	}
	m := ir.NewMapping()
	op.Walk(func(o *ir.Op) bool {
		for _, v := range o.Operands() {
			if !v.Block().IsInside(op) && m.Values[v] == nil {
				m.Map(v, c.val(v))
			}
		}
		return true
	})
	out := op.Clone(m)
	c.b.Insert(out)
	for i, v := range op.Results() {
		c.setVal(v, out.Result(i))
	}
}
