package memref

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/indexlist"
	"github.com/nereid-lang/nereid/internal/ir"
)

var _ = Dialect.Verifiers(map[*ir.OpDef]ir.VerifyFunc{
	Alloc: func(op *ir.Op) error {
		return dynamicSizes(op.Result(0).Type, len(op.Group(0)))
	},
	Alloca: func(op *ir.Op) error {
		return dynamicSizes(op.Result(0).Type, len(op.Group(0)))
	},
	View: func(op *ir.Op) error {
		return dynamicSizes(op.Result(0).Type, len(op.Group(2)))
	},
	Load: func(op *ir.Op) error {
		return indexCount(op.Operand(0).Type, op.NumOperands()-1)
	},
	Store: func(op *ir.Op) error {
		return indexCount(op.Operand(1).Type, op.NumOperands()-2)
	},
	AtomicRMW: func(op *ir.Op) error {
		return indexCount(op.Operand(1).Type, op.NumOperands()-2)
	},
	Prefetch: func(op *ir.Op) error {
		return indexCount(op.Operand(0).Type, op.NumOperands()-1)
	},
	GenericAtomicRMW: verifyGenericRMW,
	AllocaScope:      verifyScope,
	Copy:             func(op *ir.Op) error { return sameElem(op.Operand(0).Type, op.Operand(1).Type) },
	Cast:             func(op *ir.Op) error { return sameElem(op.Operand(0).Type, op.Result(0).Type) },
	SubView: func(op *ir.Op) error {
		return verifyView(op, len(ir.ShapeOf(op.Operand(0).Type)), 0)
	},
	ReinterpretCast: func(op *ir.Op) error {
		return verifyView(op, len(ir.ShapeOf(op.Result(0).Type)), 1)
	},
	Transpose:              verifyTranspose,
	ExtractStridedMetadata: verifyMetadata,
	Global:                 verifyGlobal,
})

var _ = Dialect.SymbolUses(map[*ir.OpDef]ir.SymbolUseFunc{
	GetGlobal: verifyGetGlobal,
})

func dynamicSizes(t ir.Type, got int) error {
	n := 0
	for _, d := range ir.ShapeOf(t) {
		if d == ir.Dynamic {
			n++
		}
	}
	if n != got {
		return fmt.Errorf("dimension operand count does not equal memref dynamic dimension count: %d and %d",
			got, n)
	}
	return nil
}

func indexCount(t ir.Type, got int) error {
	if n := len(ir.ShapeOf(t)); n != got {
		return fmt.Errorf("incorrect number of indices, has %d, expected %d", got, n)
	}
	return nil
}

func sameElem(a, b ir.Type) error {
	if ir.ElemOf(a) != ir.ElemOf(b) {
		return fmt.Errorf("'%s' and '%s' differ in element type", a, b)
	}
	return nil
}

func verifyGenericRMW(op *ir.Op) error {
	elem := op.Result(0).Type
	body := op.Body(0)
	if body == nil || len(body.Args()) != 1 || body.Arg(0).Type != elem {
		return errors.New("expects a region with one argument of the element type")
	}
	y := body.Terminator()
	if y == nil || y.Def != AtomicYield || y.Operand(0).Type != elem {
		return errors.New("expects a region that yields the element type")
	}
	return indexCount(op.Operand(0).Type, op.NumOperands()-1)
}

// verifyView checks n sizes and strides, and as many offsets unless their number is fixed.
func verifyView(op *ir.Op, n, offsets int) error {
	if offsets == 0 {
		offsets = n
	}
	for i, name := range []string{"static_offsets", "static_sizes", "static_strides"} {
		want := n
		if i == 0 {
			want = offsets
		}
		if err := indexlist.Check(op, 1+i, name, want); err != nil {
			return err
		}
	}
	return sameElem(op.Operand(0).Type, op.Result(0).Type)
}

func verifyTranspose(op *ir.Op) error {
	m := op.Attr("permutation").(*ir.AffineMapAttr).Map
	n := len(ir.ShapeOf(op.Operand(0).Type))
	seen := make([]bool, n)
	if m.NumDims != n || m.NumSyms != 0 || len(m.Results) != n {
		return errors.New("expected a permutation map")
	}
	for _, r := range m.Results {
		if r.Kind != ir.AffineDim || seen[r.N] {
			return errors.New("expected a permutation map")
		}
		seen[r.N] = true
	}
	return sameElem(op.Operand(0).Type, op.Result(0).Type)
}

func verifyMetadata(op *ir.Op) error {
	if n := 2 + 2*len(ir.ShapeOf(op.Operand(0).Type)); op.NumResults() != n {
		return fmt.Errorf("has %d results, expected %d", op.NumResults(), n)
	}
	return nil
}

func verifyGlobal(op *ir.Op) error {
	t, ok := op.Attr("type").(*ir.TypeAttr).Type.(*ir.MemRefType)
	if !ok || t.Unranked {
		return errors.New("type should be static shaped memref")
	}
	if d, ok := op.Attr("initial_value").(*ir.DenseAttr); ok &&
		d.Type != ir.Type(ir.Tensor(t.Shape, t.Elem, nil)) {
		return errors.New("initial value does not match the type")
	}
	return nil
}

func verifyGetGlobal(op *ir.Op, lookup func(string) *ir.Op) error {
	ref, ok := op.Attr("name").(*ir.SymbolRefAttr)
	if !ok {
		return nil
	}
	g := lookup(ref.Root)
	if g == nil || g.Def != Global {
		return fmt.Errorf("'%s' does not reference a valid global memref", ref.Root)
	}
	if t, ok := g.Attr("type").(*ir.TypeAttr); !ok || t.Type != op.Result(0).Type {
		return fmt.Errorf("result type '%s' does not match type of the global memref @%s",
			op.Result(0).Type, ref.Root)
	}
	return nil
}

// verifyScope: a scope has a body, which ends by handing over its results.
func verifyScope(op *ir.Op) error {
	b := op.Body(0)
	if b == nil {
		return errors.New("region #0 ('bodyRegion') failed to verify constraint: region with 1 blocks")
	}
	if t := b.Terminator(); t != nil && t.Def == AllocaScopeReturn &&
		!slices.EqualFunc(t.Operands(), op.ResultTypes(),
			func(v *ir.Value, t ir.Type) bool { return v.Type == t }) {
		return errors.New("has results other than those its body returns")
	}
	return nil
}
