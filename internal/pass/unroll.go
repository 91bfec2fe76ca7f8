package pass

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/ir"
)

// LoopUnroll repeats the body of each loop that carries the attribute tt.loop_unroll_factor, and leaves the
// iterations that do not make up a whole round to a second loop, which is not to be pipelined.
//
//	scf.for %i = %lo to %hi step %s {        scf.for %i = %lo to %mid step %s*2 {
//	  f(%i)                            =>      f(%i)  f(%i + %s)
//	} {tt.loop_unroll_factor = 2}            }
//	                                         scf.for %i = %mid to %hi step %s {
//	                                           f(%i)
//	                                         } {tt.num_stages = 1}
var LoopUnroll = Pass{
	Name: "triton-loop-unroll",
	Doc:  "unroll loops by their tt.loop_unroll_factor",
	Run: func(ctx *Context, m *ir.Module) error {
		var loops []*ir.Op
		m.Op.WalkPost(func(op *ir.Op) {
			if op.Def == scf.For && op.IntOr(unrollFactor, 1) > 1 {
				loops = append(loops, op)
			}
		})
		total := 0
		if len(loops) > 0 {
			total = countOps(m.Op)
		}
		for _, loop := range loops {
			ctx.At(loop)
			factor := loop.IntOr(unrollFactor, 1)
			loop.SetAttr(unrollFactor, nil)
			total += unroll(loop, factor)
			ctx.Budget.Ops(total)
		}
		return nil
	},
}

const (
	unrollFactor = "tt.loop_unroll_factor"
	numStages    = "tt.num_stages"
)

// maxUnrolled bounds the operations that unrolling one loop may make; a loop that would need more stays as it
// is.
const maxUnrolled = 1 << 16

// unroll repeats the body of a loop factor times, and returns about how many operations that made.
func unroll(loop *ir.Op, factor int64) int {
	body := loop.Body(0)
	size, fits := unrolledSize(body, factor)
	if n, ok := TripCount(loop); body.First() == body.Last() || !fits || ok && n < uint64(factor) {
		return 0
	}
	b := ir.At(loop)
	step := scf.Step(loop)
	mid, wideStep, rest := unrolledBounds(b, loop, factor)
	if rest {
		epilogue(loop, mid)
	}
	loop.SetOperand(1, mid)
	loop.SetOperand(2, wideStep)
	repeatBody(loop, step, factor)
	promote(loop)
	return size
}

// unrolledSize returns the number of operations of an unrolled body, and whether that is allowed. It counts
// only as far as it must.
func unrolledSize(body *ir.Block, factor int64) (size int, fits bool) {
	n := int64(0)
	for op := range body.Ops() {
		for range op.Ops() {
			n++
		}
		if n > maxUnrolled/factor {
			return 0, false
		}
	}
	return int(n * factor), true
}

// unrolledBounds returns the upper bound and the step of the unrolled loop, and whether iterations are left
// over.
func unrolledBounds(b *ir.Builder, loop *ir.Op, factor int64) (mid, step *ir.Value, rest bool) {
	t := scf.LowerBound(loop).Type
	if n, ok := TripCount(loop); ok {
		lb, _ := constfold.IntOf(scf.LowerBound(loop))
		s, _ := constfold.IntOf(scf.Step(loop))
		even := n - n%uint64(factor)
		step = arith.ConstInt(b, s*factor, t)
		if even == n {
			return scf.UpperBound(loop), step, false
		}
		return arith.ConstInt(b, lb+int64(even)*s, t), step, true
	}
	lb, s := scf.LowerBound(loop), scf.Step(loop)
	f := arith.ConstInt(b, factor, t)
	// count = ceil((ub - lb) / step) or 0, even = count - count % factor, mid = lb + even * step
	count := dynamicCount(b, loop)
	even := b.Val(arith.SubI, t, count, b.Val(arith.RemUI, t, count, f))
	mid = b.Val(arith.AddI, t, lb, b.Val(arith.MulI, t, even, s))
	return mid, b.Val(arith.MulI, t, s, f), true
}

// dynamicCount computes how often a loop runs: (ub - lb - 1) / step + 1, which no range makes overflow, if it
// runs at all.
func dynamicCount(b *ir.Builder, loop *ir.Op) *ir.Value {
	lb, ub, t := scf.LowerBound(loop), scf.UpperBound(loop), scf.LowerBound(loop).Type
	one := arith.ConstInt(b, 1, t)
	last := b.Val(arith.SubI, t, b.Val(arith.SubI, t, ub, lb), one)
	count := b.Val(arith.AddI, t, b.Val(arith.DivUI, t, last, scf.Step(loop)), one)
	return b.Val(arith.Select, t, cmpi(b, loopPredicate(loop), lb, ub), count, arith.ConstInt(b, 0, t))
}

// loopPredicate returns how a loop compares its counter with its upper bound.
func loopPredicate(loop *ir.Op) int64 {
	if loop.HasAttr("unsignedCmp") {
		return arith.ULT
	}
	return arith.SLT
}

// epilogue puts a copy of loop behind it, which begins at from and goes on with the loop's results.
func epilogue(loop *ir.Op, from *ir.Value) {
	rest := loop.Clone(nil)
	rest.SetOperand(0, from)
	after := ir.At(loop)
	after.After(loop)
	after.Insert(rest)
	for i, r := range loop.Results() {
		r.ReplaceAllUses(rest.Result(i))
		rest.SetOperand(3+i, r)
	}
	rest.SetAttr(numStages, ir.I32Attr(1))
	promote(rest)
}

// repeatBody appends copies of the body to it: copy k counts k steps further and takes over what the one
// before yields.
func repeatBody(loop *ir.Op, step *ir.Value, factor int64) {
	body := loop.Body(0)
	yield := body.Last()
	var ops []*ir.Op
	for op := range body.Ops() {
		if op != yield {
			ops = append(ops, op)
		}
	}
	first := yield.Operands()
	carried := first
	b := ir.At(yield)
	for k := int64(1); k < factor; k++ {
		m := ir.NewMapping()
		if iv := scf.IV(loop); iv.HasUses() {
			m.Map(iv, b.Val(arith.AddI, iv.Type, iv, times(b, step, k)))
		}
		for i, a := range scf.IterArgs(loop) {
			m.Map(a, carried[i])
		}
		for _, op := range ops {
			b.Insert(op.Clone(m))
		}
		next := make([]*ir.Value, len(first))
		for i, v := range first {
			next[i] = m.Get(v)
		}
		carried = next
	}
	yield.SetOperands(carried, nil)
}

// times returns k steps.
func times(b *ir.Builder, step *ir.Value, k int64) *ir.Value {
	if s, ok := constfold.IntOf(step); ok {
		return arith.ConstInt(b, s*k, step.Type)
	}
	if k == 1 {
		return step
	}
	return b.Val(arith.MulI, step.Type, step, arith.ConstInt(b, k, step.Type))
}

// promote puts the body of a loop that runs once in its place.
func promote(loop *ir.Op) {
	if n, ok := TripCount(loop); !ok || n != 1 {
		return
	}
	body := loop.Body(0)
	scf.IV(loop).ReplaceAllUses(scf.LowerBound(loop))
	for i, a := range scf.IterArgs(loop) {
		a.ReplaceAllUses(scf.Inits(loop)[i])
	}
	yield := body.Last()
	results := yield.Operands()
	yield.Erase()
	for op := range body.Ops() {
		op.MoveBefore(loop)
	}
	loop.ReplaceWith(results...)
}
