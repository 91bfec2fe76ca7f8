package pipeline

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/rules"
)

// FetchAhead lets loops without products ask the L2 cache for the memory that their next iteration loads, in
// launches with few programs on a multiprocessor:
//
//	scf.for %i = … {                           scf.for %i = … {
//	  %x = tt.load f(%i)               =>        tt.load f(%i + step), %i + step < ub {nereid.prefetch}
//	  …                                          %x = tt.load f(%i)
//	}                                            …
//
// Where many warps share a multiprocessor, others compute while one waits for memory. A program that is alone
// there, such as one that accumulates the gradients of its rows, waits in each iteration, and so do a few
// programs of one warp, such as those of a recurrence.
//
// A short loop that only loads and computes needs no requests: the assembler unrolls it and begins with the
// loads of four iterations. With requests, the loop would be too long for that.
//
// A request changes no value. It may pass stores, even those whose values the next iteration loads.
func FetchAhead(with Occupancy) pass.Pass {
	return pass.Pass{
		Name: "nereid-gpu-fetch-ahead",
		Doc:  "ask for the memory of the next iteration where few programs run",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			if with.SM == 0 || m.Op.HasAttr(depthsAttr) {
				return nil
			}
			found := false
			for _, loop := range ttgir.ForLoops(m.Op) {
				loads := fetchable(loop)
				found = found || len(loads) > 0
				if awaits(with.Programs, m.Op) {
					ctx.At(loop)
					fetchAhead(loop, loads)
				}
			}
			if found {
				m.Op.SetAttr(depthsAttr, ir.I32Array(fetching(m.Op)...))
			}
			return nil
		},
	}
}

// awaits reports whether so many programs of a module on a multiprocessor (0: any number) leave it waiting
// for memory. With products, more than rules.DeepenPrograms have the code for any launch.
func awaits(programs int, m *ir.Op) bool {
	if ttgir.Satisfies(m, rules.DeepenPrograms, programs) {
		return programs > 0
	}
	products := slices.ContainsFunc(slices.Collect(m.Ops()), layouts.IsProduct)
	return !products && ttgir.Satisfies(m, rules.FetchWarps, programs*ttg.NumWarps(m))
}

// fetching returns the depths of code that makes requests: every kind of launch for which it does has code of
// its own, which may use its share of the registers.
func fetching(m *ir.Op) (depths []int) {
	for kind := range gpucode.Kinds {
		if !awaits(programsOf(kind), m) {
			kind = 0
		}
		depths = append(depths, kind)
	}
	return depths
}

// fetchable returns the loads of a loop whose addresses in the next iteration are known; none for a loop that
// waits for more than its loads, or that has many loads under way.
func fetchable(loop *ir.Op) (loads []*ir.Op) {
	if waitsForMore(loop) {
		return nil
	}
	bytes, accesses := int64(0), int64(0)
	for op := range ttgir.Body(loop) {
		if op.Def == tt.Load && !tt.IsVolatile(op) && !op.HasAttr(ttg.PrefetchAttr) && moves(loop, op) {
			loads = append(loads, op)
			if t := ttgir.TensorOf(op.Result(0)); t != nil {
				bytes += t.NumElements() * ttgir.ElementBytes(t)
				accesses += accessesPerThread(t)
			}
		}
	}
	if len(loads) == 0 || !ttgir.Satisfies(loop, rules.FetchBytes, bytes) ||
		!ttgir.Satisfies(loop, rules.FetchAccesses, accesses) || isUnrolled(loop) {
		return nil
	}
	return loads
}

// accessesPerThread returns the number of memory instructions by which a thread loads its part of a tensor
// with this layout: contiguous elements of a thread are one instruction.
func accessesPerThread(t *ir.TensorType) int64 {
	n := int64(ttgir.ElemsPerThread(t))
	if b, ok := ttg.As[ttg.Blocked](t.Encoding); ok {
		n /= min(n, b.SizePerThread[b.Order[0]])
	}
	return n
}

// waitsForMore reports whether a loop waits for more than its loads: for products, loops inside, or the L2
// cache, which is busy with atomic operations on tensors.
func waitsForMore(loop *ir.Op) bool {
	for op := range loop.Ops() {
		inner := op != loop && (op.Def == scf.For || op.Def == scf.While)
		atomic := op.Def == tt.AtomicRMW && ttgir.TensorOf(op.Operand(0)) != nil
		if inner || atomic || layouts.IsProduct(op) || op.Def == ttg.AsyncWait {
			return true
		}
	}
	return false
}

// isUnrolled reports whether the assembler is expected to unroll a loop: it is short, and nothing in it
// writes memory or waits for other threads.
func isUnrolled(loop *ir.Op) bool {
	n := 0
	data := map[*ir.Value]bool{} // what depends on a load; the rest is mostly addresses of many elements
	for op := range ttgir.Body(loop) {
		load := op.Def == tt.Load
		if !load && !needsNoBuffer(op) && op.Def != scf.Yield {
			return false
		}
		loaded := load || slices.ContainsFunc(op.Operands(), func(v *ir.Value) bool { return data[v] })
		for _, r := range op.Results() {
			data[r] = loaded
			switch {
			case loaded && !load:
				n += ttgir.ElemsPerThread(r.Type)
			case load:
				n += rules.Get(ttgir.Ruled(loop), rules.LoadInstructions) * max(1, (ttgir.WordsOf(r)+3)/4)
			default:
				n++
			}
		}
	}
	return ttgir.Satisfies(loop, rules.UnrolledInstructions, n)
}

// moves reports whether the address of a load changes from one iteration to the next, and is known before.
func moves(loop, load *ir.Op) bool {
	k := known{loop: loop, seen: map[later]bool{}}
	for i := range 2 { // address and mask
		if v := load.Slot(i); v != nil && !k.ahead(later{v, 1}) {
			return false
		}
	}
	return k.changes
}

// later is a value of a loop's body, as it will be some iterations from now.
type later struct {
	v *ir.Value
	n int
}

// known finds out which values of later iterations can be computed in the present one.
type known struct {
	loop    *ir.Op
	changes bool // some value found so far depends on the iteration
	seen    map[later]bool
}

// ahead reports whether x, a value of a later iteration, can be computed in this one, by arithmetic alone.
func (k *known) ahead(x later) bool {
	if k.seen[x] || !x.v.Block().IsInside(k.loop) {
		return true
	}
	k.seen[x] = true
	op := x.v.Def()
	switch {
	case op == nil && x.v.Index() == 0, op == nil && x.n == 0:
		k.changes = true
		return true
	case op == nil:
		return k.ahead(later{ttgir.Yielded(x.v), x.n - 1})
	case !op.IsPure() || len(op.Regions()) > 0 || op.Def == ttg.ConvertLayout:
		return false
	}
	for _, v := range op.Operands() {
		if !k.ahead(later{v, x.n}) {
			return false
		}
	}
	return true
}

// fetchAhead puts requests for the memory of the next iteration before the loads of a loop.
func fetchAhead(loop *ir.Op, loads []*ir.Op) {
	for _, load := range loads {
		f := fetcher{loop: loop, b: ir.At(load), made: map[later]*ir.Value{}}
		m := ir.NewMapping()
		for i := range 2 {
			if v := load.Slot(i); v != nil {
				m.Map(v, f.value(later{v, 1}))
			}
		}
		exists := f.b.ValA(arith.CmpI, ir.I1, []ir.NamedAttr{ir.A("predicate", ir.I64Attr(arith.SLT))},
			f.value(later{loop.Body(0).Arg(0), 1}), scf.UpperBound(loop))
		request := f.b.Insert(load.Clone(m))
		request.SetGroup(2, nil)
		request.SetAttr(ttg.PrefetchAttr, ir.Unit)
		predicate(request, exists)
	}
}

// fetcher computes values of later iterations.
type fetcher struct {
	loop *ir.Op
	b    *ir.Builder
	made map[later]*ir.Value
}

// value computes x, a value for which known.ahead returned true.
func (f *fetcher) value(x later) *ir.Value {
	op := x.v.Def()
	switch {
	case !x.v.Block().IsInside(f.loop), op == nil && x.n == 0:
		return x.v
	case op == nil && x.v.Index() == 0:
		return f.b.Val(arith.AddI, x.v.Type, f.value(later{x.v, x.n - 1}), scf.Step(f.loop))
	case op == nil:
		return f.value(later{ttgir.Yielded(x.v), x.n - 1})
	}
	if f.made[x] == nil {
		m := ir.NewMapping()
		for _, v := range op.Operands() {
			m.Map(v, f.value(later{v, x.n}))
		}
		clone := f.b.Insert(op.Clone(m))
		for i, r := range op.Results() {
			f.made[later{r, x.n}] = clone.Result(i)
		}
	}
	return f.made[x]
}
