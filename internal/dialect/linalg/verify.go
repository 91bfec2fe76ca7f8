package linalg

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
)

// Every structured op of the dialect is checked alike; ops with a region or lists of dimensions have more
// to check. (In init, when the table is complete.)
func init() {
	joinAll(moreChecks)
}

var moreChecks = map[*ir.OpDef]ir.VerifyFunc{
	Generic:   verifyGeneric,
	Map:       func(op *ir.Op) error { return verifyBody(op) },
	Reduce:    verifyReduce,
	Transpose: verifyTranspose,
	Broadcast: verifyBroadcast,
	Softmax: func(op *ir.Op) error {
		return inRange(op.IntOr("dimension", -1), len(ir.ShapeOf(op.Operand(0).Type)))
	},
}

func joinAll(more map[*ir.OpDef]ir.VerifyFunc) {
	verifiers, effects := map[*ir.OpDef]ir.VerifyFunc{}, map[*ir.OpDef]ir.EffectsFunc{}
	for op := range Dialect.Ops() {
		if op == Yield || op == Index {
			continue
		}
		verifiers[op] = verifyOutputs
		if extra := more[op]; extra != nil {
			verifiers[op] = func(o *ir.Op) error { return errors.Join(verifyOutputs(o), extra(o)) }
		}
		effects[op] = bufferEffects
	}
	Dialect.Verifiers(verifiers).Effects(effects)
}

// bufferEffects: an op on tensors has the effects of its region, one on buffers reads and writes besides.
func bufferEffects(op *ir.Op) ir.Effect {
	var e ir.Effect
	for _, v := range op.Operands() {
		if _, ok := v.Type.(*ir.MemRefType); ok {
			e |= ir.EffRead | ir.EffWrite
		}
	}
	for _, r := range op.Regions() {
		for b := range r.Blocks() {
			for o := range b.Ops() {
				e |= o.Effects()
			}
		}
	}
	return e
}

// verifyOutputs: a result for each output that is a tensor, with its type.
func verifyOutputs(op *ir.Op) error {
	var want []ir.Type
	for _, v := range Outputs(op) {
		if _, ok := v.Type.(*ir.TensorType); ok {
			want = append(want, v.Type)
		}
	}
	if len(Outputs(op)) == 0 && op.Def != Generic { // whose body may store by itself
		return errors.New("expects an output")
	}
	if !slices.Equal(op.ResultTypes(), want) {
		return errors.New("expected the results to have the types of the outputs that are tensors")
	}
	return nil
}

func elems(vs []*ir.Value) []ir.Type {
	ts := typesOf(vs)
	for i := range ts {
		ts[i] = ir.ElemOf(ts[i])
	}
	return ts
}

// verifyBody checks that a region takes an element of each operand and yields one for each output.
func verifyBody(op *ir.Op) error {
	body := op.Body(0)
	if body == nil {
		return errors.New("has an empty region")
	}
	if !slices.Equal(typesOf(body.Args()), elems(op.Operands())) {
		return errors.New("the region's arguments do not match the elements of the operands")
	}
	y := body.Terminator()
	if y == nil || y.Def != Yield || !slices.Equal(typesOf(y.Operands()), elems(Outputs(op))) {
		return errors.New("expected the region to yield an element for each output")
	}
	return nil
}

func verifyGeneric(op *ir.Op) error {
	maps, loops := Maps(op), Iterators(op)
	if len(maps) != op.NumOperands() {
		return fmt.Errorf("expected the number of indexing_map (%d) to be equal to the number of "+
			"input/output operands (%d)", len(maps), op.NumOperands())
	}
	if slices.Contains(loops, "") {
		return errors.New("iterator_types is a list of parallel, reduction and window")
	}
	for i, m := range maps {
		switch {
		case m == nil:
			return fmt.Errorf("indexing_map #%d is no affine map", i)
		case m.NumSyms != 0:
			return fmt.Errorf("unexpected symbols in indexing_map #%d", i)
		case m.NumDims != len(loops):
			return fmt.Errorf("expected indexing_map #%d to have %d dim(s) to match the number of loops",
				i, len(loops))
		case len(m.Results) != len(ir.ShapeOf(op.Operand(i).Type)):
			return fmt.Errorf("expected operand rank (%d) to match the result rank of indexing_map #%d (%d)",
				len(ir.ShapeOf(op.Operand(i).Type)), i, len(m.Results))
		}
	}
	return verifyBody(op)
}

func verifyReduce(op *ir.Op) error {
	if len(Inputs(op)) == 0 || len(Inputs(op)) != len(Outputs(op)) {
		return errors.New("expects as many inputs as outputs")
	}
	dims := op.Attr("dimensions").(*ir.DenseArrayAttr).Values
	rank := len(ir.ShapeOf(op.Operand(0).Type))
	if !slices.IsSorted(dims) {
		return errors.New("dimensions must be in increasing order")
	}
	for _, d := range dims {
		if err := inRange(d, rank); err != nil {
			return err
		}
	}
	if n := len(ir.ShapeOf(Outputs(op)[0].Type)); n != rank-len(dims) {
		return fmt.Errorf("the output has rank %d, expected %d", n, rank-len(dims))
	}
	return verifyBody(op)
}

func inRange(d int64, rank int) error {
	if d < 0 || int(d) >= rank {
		return fmt.Errorf("dimension %d is out of range", d)
	}
	return nil
}

func verifyTranspose(op *ir.Op) error {
	perm := op.Attr("permutation").(*ir.DenseArrayAttr).Values
	from, to := ir.ShapeOf(op.Operand(0).Type), ir.ShapeOf(op.Operand(1).Type)
	sorted := slices.Sorted(slices.Values(perm))
	if len(perm) != len(from) || len(to) != len(from) {
		return errors.New("the permutation and the shapes differ in rank")
	}
	for i, d := range sorted {
		if int64(i) != d {
			return errors.New("permutation is not valid")
		}
	}
	for i, d := range perm {
		if from[d] != to[i] {
			return fmt.Errorf("dim(result, %d) = %d doesn't match dim(input, permutation[%d]) = %d", i,
				to[i], i, from[d])
		}
	}
	return nil
}

func verifyBroadcast(op *ir.Op) error {
	dims := op.Attr("dimensions").(*ir.DenseArrayAttr).Values
	from, to := ir.ShapeOf(op.Operand(0).Type), ir.ShapeOf(op.Operand(1).Type)
	if len(from)+len(dims) != len(to) {
		return errors.New("input rank plus added dimensions does not match init rank")
	}
	for _, d := range dims {
		if err := inRange(d, len(to)); err != nil {
			return err
		}
	}
	i := 0
	for d, n := range to {
		if slices.Contains(dims, int64(d)) {
			continue
		}
		if i >= len(from) || from[i] != n {
			return errors.New("input and init differ in a dimension that is not added")
		}
		i++
	}
	return nil
}
