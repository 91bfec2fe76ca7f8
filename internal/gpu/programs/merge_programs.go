package programs

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/rules"
)

// MergePrograms lets one program do the work of n neighbours along the first axis of the grid, operation by
// operation, so that the loads of all are under way at once:
//
//	%p = tt.get_program_id x         %q = tt.get_program_id x
//	%x = tt.load f(%p)          =>   %x0 = tt.load f(%q*2)
//	tt.store g(%p), %x               %x1 = tt.load f(%q*2 + 1)
//	                                 tt.store g(%q*2), %x0
//	                                 tt.store g(%q*2 + 1), %x1
//
// The launch then has one n-th of the programs. A GPU starts about one program in a cycle: a grid of many
// programs that move few bytes each takes the time of its starts, whatever it computes. What does not depend
// on the program's number is computed once. Programs run in no order that a kernel could rely on, so theirs
// may be mixed; Mergeable says which kernels are. unit makes the code one for launches whose Strides are 1.
func MergePrograms(n int, unit bool) pass.Pass {
	return pass.Pass{
		Name: "nereid-gpu-merge-programs",
		Doc:  "let a program do the work of several",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			fns := ttgir.OpsOf(m.Op, tt.Func)
			if n < 2 || len(fns) != 1 || !separate(fns[0]) {
				return nil
			}
			ctx.At(fns[0])
			if unit {
				setStrides(m, fns[0])
			}
			newMerger(n).merge(fns[0].Body(0))
			return nil
		},
	}
}

// MayMerge reports whether programs of a kernel may become one.
func MayMerge(m *ir.Module, mach ttgir.Machine) bool {
	fns := ttgir.OpsOf(m.Op, tt.Func)
	return mach.NumCTAs <= 1 && len(fns) == 1 && separate(fns[0]) &&
		slices.ContainsFunc(ttgir.OpsOf(fns[0], tt.GetProgramID), isNumber)
}

// Mergeable returns how many programs of a kernel should become one, 1 if it is not worth while.
func Mergeable(m *ir.Module, mach ttgir.Machine) int {
	if !MayMerge(m, mach) {
		return 1
	}
	threads := int64(32 * MergedWarps(m, mach.NumWarps))
	axes := axisinfo.Module(m)
	var bytes, moved, ops, cases, divisions int64
	for op := range ttgir.OpsOf(m.Op, tt.Func)[0].Ops() {
		ops += perThread(op, threads)
		if hasCases(op) {
			cases = max(cases, perThread(op, threads))
		}
		divisions += perThread(op, threads) * divisionOps(op)
		switch op.Def {
		case tt.Load:
			bytes += perThread(op, threads) * ttgir.ElementBytes(op.Result(0).Type)
			moved += apartBytes(axes, op.Operand(0))
		case tt.Store:
			bytes += perThread(op, threads) * ttgir.ElementBytes(op.Operand(1).Type)
			moved += apartBytes(axes, op.Operand(0))
		}
	}
	s := ttgir.Ruled(m.Op)
	if bytes == 0 || !rules.Holds(s, rules.SmallProgram, max(moved, bytes*threads)) ||
		!rules.Holds(s, rules.MergedDivisions, divisions*threads/32) {
		return 1
	}
	n := int64(1)
	for rules.Holds(s, rules.MostMerged, n) && rules.Holds(s, rules.MergedBytes, n*bytes) &&
		rules.Holds(s, rules.MergedOps, 2*n*ops) && rules.Holds(s, rules.MergedCases, 2*n*cases) {
		n *= 2
	}
	return int(min(n, largestMerge))
}

// largestMerge bounds the programs that one block does the work of: nvidia.Others compiles code for 2, 4
// and 8.
const largestMerge = 8

// memoryBytes is the least that the memory of a GPU transfers at a time.
const memoryBytes = 64

// apartBytes returns how many bytes memory moves for an access through ptr whose elements are known to lie
// apart, as those of a column; 0 for others.
func apartBytes(axes *axisinfo.Analysis, ptr *ir.Value) int64 {
	add := ptr.DefBy(tt.AddPtr)
	if ttgir.TensorOf(ptr) == nil || add == nil || add.Operand(0).DefBy(tt.Splat) == nil {
		return 0
	}
	t, info, step := ttgir.TensorOf(add.Operand(1)), axes.Of(add.Operand(1)), int64(1)
	for d := range t.Shape {
		if info.Contiguity[d] > 1 || info.Constancy[d] > 1 {
			return 0
		}
		step = max(step, info.Divisibility[d])
	}
	size := ttgir.ElementBytes(tt.Pointee(ptr.Type))
	return t.NumElements() * max(size, min(step*size, memoryBytes))
}

// hasCases reports whether op becomes code with a branch for each range of its argument, as sin and pow do.
func hasCases(op *ir.Op) bool {
	switch op.Def {
	case math.Exp, math.Exp2, math.Sqrt, math.Rsqrt:
		return false
	}
	return op.Def == tt.ExternElementwise || slices.Contains(layouts.SlowMath, op.Def)
}

// divisionOps returns about how many instructions a thread takes for an integer division by what is known
// only at the launch; 0 for other operations.
func divisionOps(op *ir.Op) int64 {
	switch op.Def {
	case arith.DivSI, arith.DivUI, arith.RemSI, arith.RemUI:
	default:
		return 0
	}
	switch by := op.Operand(1); {
	case by.DefBy(arith.Constant) != nil:
		return 0
	case ttgir.ElementBytes(by.Type) > 4:
		return 64
	}
	return 16
}

// MergedWarps returns the number of warps for a merged program whose parts were written for n warps. It is
// less than n if no tensor has an element for each thread: threads without an own element repeat the work
// of others.
func MergedWarps(m *ir.Module, n int) int {
	most := int64(1)
	for op := range m.Op.Ops() {
		for _, v := range slices.Concat(op.Operands(), op.Results()) {
			if t := ttgir.TensorOf(v); t != nil {
				most = max(most, t.NumElements())
			}
		}
	}
	for n > 1 && ttgir.Satisfies(m.Op, rules.MergedElements, most/int64(n)) {
		n /= 2
	}
	return n
}

// perThread returns how many elements a thread has of the largest tensor of an op.
func perThread(op *ir.Op, threads int64) int64 {
	most := int64(1)
	for _, v := range slices.Concat(op.Operands(), op.Results()) {
		if t := ttgir.TensorOf(v); t != nil {
			most = max(most, (t.NumElements()+threads-1)/threads)
		}
	}
	return most
}

// separate reports whether the programs of a kernel have nothing to do with each other, and are one block of
// code: numbers, loads and stores, and branches without loops.
func separate(fn *ir.Op) bool {
	r := fn.Region(0)
	if r.Empty() || r.NumBlocks() != 1 {
		return false
	}
	for op := range fn.Ops() {
		switch {
		case op == fn || op.Def == tt.Store || op.Def == scf.If || op.Def.Has(ir.Terminator):
		case isNumber(op) && op.Block() != r.First() || ttgir.ReadsMachine(op):
			return false
		case op.Def == tt.Load && !tt.IsVolatile(op):
		case op.Def == scf.For || op.Def == scf.While || layouts.IsProduct(op) || op.Effects() != 0:
			return false
		}
	}
	return true
}

// isNumber reports whether op is tt.get_program_id or tt.get_num_programs of the first axis.
func isNumber(op *ir.Op) bool {
	return (op.Def == tt.GetProgramID || op.Def == tt.GetNumPrograms) && op.IntOr("axis", 0) == 0
}

// merger copies the operations of a program.
type merger struct {
	maps    []*ir.Mapping // the copy of a value in each merged program
	depends map[*ir.Value]bool
}

func newMerger(n int) *merger {
	g := &merger{depends: map[*ir.Value]bool{}}
	for range n {
		g.maps = append(g.maps, ir.NewMapping())
	}
	return g
}

func (g *merger) merge(b *ir.Block) {
	var copied []*ir.Op
	for _, op := range slices.Collect(b.Ops()) {
		switch {
		case isNumber(op) && op.Def == tt.GetProgramID:
			g.number(op)
		case isNumber(op):
			g.count(op)
		case !op.Def.Has(ir.Terminator) && g.differs(op):
			g.copy(op)
			copied = append(copied, op)
		}
	}
	for _, op := range slices.Backward(copied) {
		op.Erase()
	}
}

// number computes the ids of the merged programs from the id of the block that does their work.
func (g *merger) number(op *ir.Op) {
	b := ir.NewBuilder(op.Block())
	b.After(op)
	b.Loc = op.Loc
	// The grid has less than 2^31 programs. LLVM narrows divisions of numbers that it knows to be positive.
	fits := func(v *ir.Value) *ir.Value {
		v.Def().SetAttr("overflowFlags", arith.NoSignedWrap.Attr())
		return v
	}
	first := fits(b.Val(arith.MulI, ir.I32, op.Result(0), arith.ConstInt(b, int64(len(g.maps)), ir.I32)))
	for i, m := range g.maps {
		m.Map(op.Result(0), fits(b.Val(arith.AddI, ir.I32, first, arith.ConstInt(b, int64(i), ir.I32))))
	}
	g.depends[op.Result(0)] = true
}

// count multiplies what tt.get_num_programs returns by the number of merged programs: kernels see the grid of
// the launch, not the smaller one that runs.
func (g *merger) count(op *ir.Op) {
	b := ir.NewBuilder(op.Block())
	b.After(op)
	b.Loc = op.Loc
	all := b.Val(arith.MulI, ir.I32, op.Result(0), arith.ConstInt(b, int64(len(g.maps)), ir.I32))
	op.Result(0).ReplaceUsesIf(all, func(u *ir.Use) bool { return u.Owner() != all.Def() })
}

// differs reports whether an operation, or one in its regions, depends on the program id: merged programs
// then need a copy each.
func (g *merger) differs(op *ir.Op) bool {
	for o := range op.Ops() {
		if slices.ContainsFunc(o.Operands(), func(v *ir.Value) bool { return g.depends[v] }) {
			return true
		}
	}
	return false
}

// copy replaces op by one copy for each merged program.
func (g *merger) copy(op *ir.Op) {
	b := ir.NewBuilder(op.Block())
	b.Before(op)
	for i, m := range g.maps {
		of := op.Clone(m)
		for o := range of.Ops() {
			if o.Def == tt.Load || o.Def == tt.Store {
				o.SetAttr(ttg.ProgramAttr, ir.I32Attr(int64(i)))
			}
		}
		b.Insert(of)
	}
	for _, r := range op.Results() {
		g.depends[r] = true
	}
}
