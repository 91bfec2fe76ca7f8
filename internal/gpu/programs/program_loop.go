package programs

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/pipeline"
	"github.com/nereid-lang/nereid/internal/gpu/tma"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/rules"
)

// LoopOverPrograms lets a program do the work of many, one after the other, in kernels of one loop of plain
// products whose operands the copy engine loads (TileLoads). Large programs have an SM for themselves:
// nothing else runs there while one starts, waits for its first copies, and stores. FuseNestedLoops makes one
// loop of both, so that the copies for the next program run while this one is stored:
//
//	%id = tt.get_program_id x             scf.for %t = this program to all step persistent programs {
//	scf.for %k … { products }        =>     scf.for %k … { products of program %t }
//	stores                                  stores
//	                                      } {tt.flatten}
//
// As with PersistPrograms, which does this for loops whose warp groups ping-pong, the kernel gets the sizes
// of the launch's grid, and launches choose between this code and the ordinary one, which is only marked if
// persist is not set.
func LoopOverPrograms(mach ttgir.Machine, numStages int, persist bool) pass.Pass {
	return pass.Pass{
		Name: "nereid-gpu-loop-over-programs",
		Doc:  "let a program do the work of many, one after the other, where that is products of tiles",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			fns := ttgir.OpsOf(m.Op, tt.Func)
			if len(fns) != 1 || mach.NumCTAs > 1 {
				return nil
			}
			p := findProgram(mach, fns[0])
			if p == nil {
				return nil
			}
			ctx.At(p.loop)
			if persist {
				p.limitStages(int64(numStages))
				p.repeat()
				m.Op.SetAttr(ttgir.PersistentAttr, ir.Unit)
			} else {
				SetShortLoop(m, tt.TileGuard{tt.GuardNumber, 0})
			}
			return nil
		},
	}
}

// program is a kernel of one loop of products.
type program struct {
	fn, loop *ir.Op
}

// findProgram returns the parts of a kernel, nil if it is of another kind.
func findProgram(mach ttgir.Machine, fn *ir.Op) *program {
	r := fn.Region(0)
	if r.Empty() || r.NumBlocks() != 1 || ttgir.IsOrdered(fn) {
		return nil
	}
	p := &program{fn: fn}
	for op := range r.First().Ops() {
		switch {
		case op.Def == scf.For && p.loop == nil:
			p.loop = op
		case op.Def == scf.For, op.Def == scf.While, ttgir.HasLoop(op), p.loop == nil && op.Effects() != 0:
			return nil
		}
	}
	if p.loop == nil || !p.hasTiles() || !p.hasOneAccumulator(mach) || p.boundsVary() || p.loadsBehind() {
		return nil
	}
	return p
}

// hasTiles reports whether the loop loads tiles and nothing else, and has no loop inside.
func (p *program) hasTiles() bool {
	found := false
	for op := range ttgir.Body(p.loop) {
		switch op.Def {
		case tt.Load, tt.Store:
			return false
		case tt.DescLoad:
			desc := op.Operand(0)
			if !desc.IsArg() || funclike.ArgAttr(p.fn, desc.Index(), tt.TileAttr) == nil {
				return false
			}
			found = true
		}
	}
	return found && !ttgir.HasLoop(p.loop)
}

// hasOneAccumulator reports whether the only tensor that the loop carries is the accumulator of one
// product, begins with zeros, and is so large that an SM runs one block at a time.
func (p *program) hasOneAccumulator(mach ttgir.Machine) bool {
	accumulators := 0
	for i, arg := range scf.IterArgs(p.loop) {
		t := ttgir.TensorOf(arg)
		if t == nil {
			continue
		}
		if t.Rank() != 2 || !ttgir.Satisfies(p.fn, rules.PersistAccumulators, t.Shape[0]*t.Shape[1]) {
			return false
		}
		accumulators++
		for u := range arg.Uses() {
			dot := u.Owner()
			if !tma.IsGroupProduct(mach, dot) || u.Index() != 2 || !ttgir.IsZero(scf.Inits(p.loop)[i]) ||
				p.loop.Body(0).Last().Operand(i) != dot.Result(0) {
				return false
			}
		}
	}
	return accumulators == 1 && scf.IV(p.loop).Type == ir.Type(ir.I32)
}

// loadsBehind reports whether the program loads a tile of its result's size behind the loop, such as a
// residual. Beside the accumulators and what a loop over programs holds, a thread has no registers for it: an
// int8 product of 128×256 with a residual spilled 264 bytes and was 1.2 times slower than ordinary programs.
func (p *program) loadsBehind() bool {
	for op := range p.fn.Body(0).Ops() {
		if op.Def != tt.Load || op.Before(p.loop) {
			continue
		}
		for _, r := range p.loop.Results() {
			acc, t := ttgir.TensorOf(r), ttgir.TensorOf(op.Result(0))
			if acc != nil && t != nil && slices.Equal(acc.Shape, t.Shape) {
				return true
			}
		}
	}
	return false
}

// boundsVary reports whether programs differ in their number of iterations.
func (p *program) boundsVary() bool {
	varies := ir.Once(func(v *ir.Value, varies func(*ir.Value) bool) bool {
		op := v.Def()
		return op != nil && (op.Def == tt.GetProgramID || len(op.Regions()) > 0 ||
			slices.ContainsFunc(op.Operands(), varies))
	})
	return slices.ContainsFunc(p.loop.Operands()[:3], varies)
}

// groupRate is the rate of wgmma: multiplications per SM and cycle, times the bytes of an element.
const groupRate = 4096

// limitStages gives the loop no more stages than it takes to hide what copies take. More would help a program
// that starts; here copies run ahead into the next program. On an H200, tiles of 128×256×64 are 1 to 2%
// faster with 3 stages than with 4.
func (p *program) limitStages(numStages int64) {
	for op := range ttgir.Body(p.loop) {
		if op.Def != tt.Dot {
			continue
		}
		x, out := ttgir.TensorOf(op.Operand(0)), ttgir.TensorOf(op.Result(0))
		cycles := out.Shape[0] * out.Shape[1] * x.Shape[1] * ttgir.ElementBytes(x.Elem) / groupRate
		ahead := int64(rules.Get(ttgir.Ruled(p.fn), rules.AheadCycles, rules.F("cycles", cycles)))
		most := min(1+(ahead+cycles-1)/max(1, cycles), tma.StagesBeside(p.loop, p.storedBytes()))
		if most < p.loop.IntOr(pipeline.StagesAttr, numStages) {
			p.loop.SetAttr(pipeline.StagesAttr, ir.I32Attr(most))
		}
	}
}

// storedBytes returns the size of the buffer through which tiles go to global memory.
func (p *program) storedBytes() (bytes int64) {
	for _, op := range ttgir.OpsOf(p.fn, tt.DescStore) {
		bytes = max(bytes, ttgir.TensorBytes(ttgir.TensorOf(ttgir.DescValue(op))))
	}
	return bytes
}

// repeat makes the loop over programs.
func (p *program) repeat() {
	grid := takeGrid(p.fn)
	ids := ttgir.OpsOf(p.fn, tt.GetProgramID)
	p.sink()
	var all []*ir.Op
	for op := range p.fn.Body(0).Ops() {
		if op.Def != tt.Return {
			all = append(all, op)
		}
	}
	b := ir.At(all[0])
	b.Loc = p.loop.Loc
	axis := ir.A("axis", ir.I32Attr(0))
	me := b.ValA(tt.GetProgramID, ir.I32, []ir.NamedAttr{axis})
	staying := b.ValA(tt.GetNumPrograms, ir.I32, []ir.NamedAttr{axis})
	count := b.Val(arith.MulI, ir.I32, b.Val(arith.MulI, ir.I32, grid[0], grid[1]), grid[2])
	outer := scf.NewFor(b, me, count, staying, nil)
	outer.SetAttr(pipeline.FlattenAttr, ir.Unit)
	outer.SetAttr(ttg.ProgramsAttr, ir.Unit)
	in := ir.NewBuilder(outer.Body(0))
	in.Loc = p.loop.Loc
	numbers := numbersOf(in, scf.IV(outer), grid)
	for _, op := range all {
		op.MoveToEnd(outer.Body(0))
	}
	in.ToEnd(outer.Body(0))
	scf.MakeYield(in)
	for _, id := range ids {
		id.ReplaceWith(numbers[id.IntOr("axis", 0)])
	}
}

// numbersOf returns the numbers of a program along the axes of a grid.
func numbersOf(b *ir.Builder, t *ir.Value, grid [3]*ir.Value) (ids [3]*ir.Value) {
	for axis := range 2 {
		ids[axis] = b.Val(arith.RemUI, ir.I32, t, grid[axis])
		t = b.Val(arith.DivUI, ir.I32, t, grid[axis])
	}
	ids[2] = t
	return ids
}

// sink moves ops whose results are used only behind the loop to there: their results then take no registers
// while the loop runs.
func (p *program) sink() {
	var before []*ir.Op
	for op := range p.fn.Body(0).Ops() {
		if op == p.loop {
			break
		}
		before = append(before, op)
	}
	for _, op := range slices.Backward(before) {
		behind := true
		for _, r := range op.Results() {
			for u := range r.Users() {
				a := ttgir.AncestorIn(p.fn.Body(0), u)
				behind = behind && a != p.loop && !a.Before(p.loop)
			}
		}
		if behind && op.IsPure() && op.Def != tt.GetProgramID {
			op.MoveAfter(p.loop)
		}
	}
}
