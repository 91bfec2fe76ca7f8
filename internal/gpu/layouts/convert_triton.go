package layouts

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass"
)

// ConvertTriton records the machine on the module and gives every tensor a layout: the default layout of its
// shape. Ops whose result layout follows from the operands, or that need special layouts, are put between
// conversions.
//
//	%r = tt.reduce(%x) {axis = 1} :              %a = tt.reduce(%x) {axis = 1} :
//	  (tensor<8x32xf32>) -> tensor<8xf32>   =>     (tensor<8x32xf32, #blocked>) -> tensor<8xf32, #slice>
//	                                             %r = ttg.convert_layout %a : … -> tensor<8xf32, #blocked1>
func ConvertTriton(o ttgir.Machine) pass.Pass {
	return pass.Pass{
		Name: "convert-triton-to-tritongpu",
		Doc:  "give every tensor a layout",
		Run:  func(ctx *pass.Context, m *ir.Module) error { return convertTriton(ctx, m, o) },
	}
}

func convertTriton(ctx *pass.Context, m *ir.Module, o ttgir.Machine) error {
	c, err := setMachine(m, o)
	if err != nil {
		return err
	}
	return encodeAll(ctx, c, m.Op)
}

// setMachine records the machine on the module.
func setMachine(m *ir.Module, o ttgir.Machine) (ttgir.Threads, error) {
	c := ttgir.Threads{NumWarps: int64(max(1, o.NumWarps)), ThreadsPerWarp: int64(o.ThreadsPerWarp),
		NumCTAs: int64(max(1, o.NumCTAs))}
	if c.ThreadsPerWarp == 0 {
		c.ThreadsPerWarp = 32
	}
	for _, x := range []struct {
		name string
		n    int64
	}{{"num_warps", c.NumWarps}, {"threads per warp", c.ThreadsPerWarp}, {"num_ctas", c.NumCTAs}} {
		if x.n&(x.n-1) != 0 {
			return c, diag.Refuse(fmt.Sprintf("%s=%d", x.name, x.n), "must be a power of two")
		}
	}
	m.Op.SetAttr(ttg.NumWarpsAttr, ir.I32Attr(c.NumWarps))
	m.Op.SetAttr(ttg.ThreadsPerWarpAttr, ir.I32Attr(c.ThreadsPerWarp))
	m.Op.SetAttr(ttg.NumCTAsAttr, ir.I32Attr(c.NumCTAs))
	if o.Target != "" {
		m.Op.SetAttr(ttg.TargetAttr, ir.Str(o.Target))
	}
	return c, nil
}

// encodeAll gives all values their default layout, then rewrites the ops that demand others.
func encodeAll(ctx *pass.Context, m ttgir.Threads, root *ir.Op) error {
	var special []*ir.Op
	for op := range root.Ops() {
		for _, r := range op.Results() {
			ttgir.SetType(r, encodeType(m, r.Type))
		}
		for _, region := range op.Regions() {
			for b := range region.Blocks() {
				for _, a := range b.Args() {
					a.Type = encodeType(m, a.Type)
				}
			}
		}
		if op.Def == tt.Func {
			encodeSignature(m, op)
		}
		if Facts[op.Def].demand != nil {
			special = append(special, op)
		}
	}
	for _, op := range special {
		ctx.At(op)
		if err := Facts[op.Def].demand(m, op); err != nil {
			return err
		}
	}
	return nil
}

// encodeType returns a type with the default layout.
func encodeType(m ttgir.Threads, t ir.Type) ir.Type {
	if tensor, ok := t.(*ir.TensorType); ok && tensor.Encoding == nil && tensor.Rank() > 0 {
		return tensor.WithEncoding(m.DefaultEncoding(tensor.Shape))
	}
	if tt.IsTensorPtr(t) {
		pointee, space, _ := tt.AsPtr(t)
		return tt.PtrIn(encodeType(m, pointee), space)
	}
	return t
}

func encodeSignature(m ttgir.Threads, fn *ir.Op) {
	t := funclike.Type(fn)
	ins, outs := slices.Clone(t.Ins), slices.Clone(t.Outs)
	for _, list := range [][]ir.Type{ins, outs} {
		for i := range list {
			list[i] = encodeType(m, list[i])
		}
	}
	funclike.SetType(fn, ir.Func(ins, outs))
}

func broadcast(m ttgir.Threads, op *ir.Op) error {
	return inferResults(op, ttgir.EncodingOf(op.Operand(0)))
}

func join(m ttgir.Threads, op *ir.Op) error {
	x := op.Operand(0)
	return inferResults(op, ttglayout.Join(ttgir.EncodingOf(x), ttgir.TensorOf(x).Shape))
}

// inferResults gives op's results layout enc and converts them back for their users.
func inferResults(op *ir.Op, enc ir.Attr) error {
	if enc == nil {
		return fmt.Errorf("no layout for the result of %s", op)
	}
	ttgir.SetResults(op, enc)
	return nil
}

// Operand converts operand i to layout enc.
func Operand(op *ir.Op, i int, enc ir.Attr) {
	op.SetOperand(i, ttgir.Convert(ir.At(op), op.Operand(i), enc))
}

// expandDims makes the operand a slice of the result, which has one thread and one warp along the new
// dimension.
func expandDims(m ttgir.Threads, op *ir.Op) error {
	src, ok := ttg.As[ttg.Blocked](ttgir.EncodingOf(op.Operand(0)))
	if !ok {
		return fmt.Errorf("the operand of %s has no blocked layout", op)
	}
	axis := int(op.IntOr("axis", 0))
	insert := func(v []int64, n int64) []int64 { return slices.Insert(slices.Clone(v), axis, n) }
	result := ttg.Blocked{SizePerThread: insert(src.SizePerThread, 1),
		ThreadsPerWarp: insert(src.ThreadsPerWarp, 1), WarpsPerCTA: insert(src.WarpsPerCTA, 1)}
	for i := range result.SizePerThread {
		result.Order = append(result.Order, int64(i))
	}
	for _, v := range src.CGALayout {
		result.CGALayout = append(result.CGALayout, insert(v, 0))
	}
	Operand(op, 0, ttg.Slice{Dim: int64(axis), Parent: result.Attr()}.Attr())
	return inferResults(op, result.Attr())
}

func transpose(m ttgir.Threads, op *ir.Op) error {
	order := op.Attr("order").(*ir.DenseArrayAttr).Values
	x := op.Operand(0)
	return inferResults(op, ttglayout.Trans(ttgir.EncodingOf(x), ttgir.TensorOf(x).Shape, order))
}

func reduce(m ttgir.Threads, op *ir.Op) error {
	if ttgir.TensorOf(op.Result(0)) == nil {
		return nil
	}
	parent := ttgir.EncodingOf(op.Operand(0))
	return inferResults(op, ttg.Slice{Dim: op.IntOr("axis", 0), Parent: parent}.Attr())
}

// reshape keeps default layouts, which follow row-major order on both sides. Only in clusters with more
// blocks than elements they differ: which blocks hold copies depends on the shape.
func reshape(m ttgir.Threads, op *ir.Op) error {
	src, dst := ttgir.TensorOf(op.Operand(0)), ttgir.TensorOf(op.Result(0))
	if m.NumCTAs == 1 || src == nil || dst == nil {
		return nil
	}
	enc := ttglayout.Reshape(src.Encoding, src.Shape, dst.Shape)
	if enc == nil || ttglayout.Equivalent(enc, dst.Encoding, dst.Shape) {
		return nil
	}
	return inferResults(op, enc)
}

// split gives a thread both elements of each pair.
func split(m ttgir.Threads, op *ir.Op) error {
	t := ttgir.TensorOf(op.Operand(0))
	half := t.Shape[:t.Rank()-1]
	paired := ttglayout.Join(m.DefaultEncoding(half), half)
	Operand(op, 0, paired)
	return inferResults(op, ttglayout.Split(paired, t.Shape))
}

// dot gives a thread up to 4x4 elements of the result, and the operands the layout that belongs to it.
func dot(m ttgir.Threads, op *ir.Op) error {
	t := ttgir.TensorOf(op.Result(0))
	rank := t.Rank()
	perThread := slices.Repeat([]int64{1}, rank)
	each := t.NumElements() / (m.NumWarps * m.ThreadsPerWarp)
	side := int64(1)
	switch {
	case each >= 16:
		side = 4
	case each >= 4:
		side = 2
	}
	perThread[rank-1], perThread[rank-2] = min(side, t.Shape[rank-1]), min(side, t.Shape[rank-2])
	enc := m.Spread(t.Shape, perThread, ttgir.RowMajor(rank)).Attr()
	for i := range 2 {
		Operand(op, i, DotOperand(i, enc, 0))
	}
	Operand(op, 2, enc)
	return inferResults(op, enc)
}

// DotOperand returns the layout of a product's operand. kWidth is 0 for products without tensor cores.
func DotOperand(i int, parent ir.Attr, kWidth int64) ir.Attr {
	return ttg.DotOp{OpIdx: int64(i), Parent: parent, KWidth: kWidth}.Attr()
}

// cat gives the result as many registers as both operands together.
func cat(m ttgir.Threads, op *ir.Op) error {
	enc, ok := ttg.As[ttg.Blocked](ttgir.EncodingOf(op.Result(0)))
	if !ok {
		return fmt.Errorf("the result of %s has no blocked layout", op)
	}
	need := int64(2 * ttgir.ElemsPerThread(op.Operand(0).Type))
	have := int64(ttgir.ElemsPerThread(op.Result(0).Type))
	enc.SizePerThread = slices.Clone(enc.SizePerThread)
	enc.SizePerThread[enc.Order[0]] *= max(1, need/have)
	return inferResults(op, enc.Attr())
}

// gatherIndices puts four row numbers into a thread, as the instruction wants them.
func gatherIndices(m ttgir.Threads, op *ir.Op) error {
	i := slices.IndexFunc(op.Operands(), func(v *ir.Value) bool {
		t := ttgir.TensorOf(v)
		return t != nil && t.Rank() == 1
	})
	if i < 0 {
		return nil
	}
	parent := ttg.Blocked{SizePerThread: []int64{1, 4}, ThreadsPerWarp: []int64{m.ThreadsPerWarp, 1},
		WarpsPerCTA: []int64{1, m.NumWarps}, Order: []int64{1, 0}}
	Operand(op, i, ttg.Slice{Dim: 0, Parent: parent.Attr()}.Attr())
	return nil
}
