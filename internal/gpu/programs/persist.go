package programs

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/pipeline"
	"github.com/nereid-lang/nereid/internal/gpu/tma"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/rules"
)

// PersistPrograms makes kernels persistent whose warp groups ping-pong: a program stays on its SM and does
// the work of many. Such a program has an SM for itself, so nothing else would run there while it starts,
// waits for its first copies, and stores. In the loop over programs, copies for the next one are under way
// while the current one computes its last products and stores its results:
//
//	first copies of this program          copies of the first blocks of program 0
//	scf.for %n … {                        scf.for programs {
//	  products                     =>       scf.for %n … {
//	  copies for %n + 2 blocks                products
//	}                                         copies of the block after next, of this program or a later one
//	stores                                  }
//	                                        stores
//	                                      }
//
// Copies have a place of their own in the sequence of all blocks (cursor in persist_loop.go). Slots, their
// barriers and turns go on from one program to the next. The operands from before the loop, such as the
// queries, have one buffer: it is free when all warps have computed the last of the products that read it,
// which is when the slot that the product read is free.
//
// The kernel gets three more parameters, the sizes of the launch's grid, and is launched with a program for
// each SM. Programs run in no order that a kernel could rely on; kernels with atomics stay as they are.
//
// Launches choose between this code and the ordinary one, which with persist unset is only marked with the
// condition for it: in no program, the loop has more than rules.PersistTrips iterations.
func PersistPrograms(persist bool) pass.Pass {
	return pass.Pass{
		Name: "nereid-gpu-persist-programs",
		Doc:  "let a program do the work of many, with copies for the next under way",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			fns := ttgir.OpsOf(m.Op, tt.Func)
			if len(fns) != 1 || ttg.NumCTAs(fns[0]) > 1 {
				return nil
			}
			if ttgir.Persistent(m) { // LoopOverPrograms has done it
				convertByLanes(ttgir.OpsOf(fns[0], ttg.ConvertLayout))
				return nil
			}
			p := findPersistent(fns[0])
			if p == nil {
				return nil
			}
			ctx.At(p.loop)
			if persist {
				p.persist()
				m.Op.SetAttr(ttgir.PersistentAttr, ir.Unit)
			} else if guard := p.isShort(); guard != nil {
				SetShortLoop(m, guard)
			}
			return nil
		},
	}
}

// convertByLanes keeps conversions away from shared memory, which is filled for the next program.
func convertByLanes(conversions []*ir.Op) {
	for _, op := range conversions {
		op.SetAttr(ttg.ByLanesAttr, ir.Unit)
	}
}

// isShort returns the condition that the loop has few iterations in all programs, nil if the host cannot know
// that.
func (p *persistent) isShort() tt.TileGuard {
	argument := func(v *ir.Value) int {
		if !v.IsArg() || v.Block() != p.fn.Body(0) || v.Type != ir.Type(ir.I32) {
			return -1
		}
		return v.Index()
	}
	for i, arg := range p.fn.Body(0).Args() { // other descriptors have several words
		if tt.DescTensor(arg.Type) != nil && funclike.ArgAttr(p.fn, i, tt.TileAttr) == nil {
			return nil
		}
	}
	w := tma.GuardWriter{Argument: argument}
	trips := int64(rules.Get(ttgir.Ruled(p.fn), rules.PersistTrips, rules.F("step", p.step)))
	guard, ok := w.Steps(scf.UpperBound(p.loop), tt.TileGuard{tt.GuardNumber, trips * p.step})
	if !ok {
		return nil
	}
	if guard, ok = w.Steps(scf.LowerBound(p.loop), guard); !ok {
		return nil
	}
	guard = append(guard, tt.GuardSub, 0, tt.GuardSub, 0)
	if !guard.Valid() {
		return nil
	}
	return guard
}

// ShortLoop returns the condition under which a launch should run persistent code, nil if it never should.
func ShortLoop(m *ir.Module) tt.TileGuard {
	if a, ok := m.Op.Attr(ttgir.ShortAttr).(*ir.DenseArrayAttr); ok {
		return tt.TileGuard(a.Values)
	}
	return nil
}

// SetShortLoop sets that condition.
func SetShortLoop(m *ir.Module, guard tt.TileGuard) {
	m.Op.SetAttr(ttgir.ShortAttr, ir.DenseArray(ir.I64, guard...))
}

// persistent is a kernel that can become persistent.
type persistent struct {
	fn, loop *ir.Op
	few      *ir.Op   // the branch of the loop in which a few warps start the copies into slots
	fills    []*ir.Op // the copies in that branch
	more     *ir.Value
	slot     *ir.Value // the index of the slot that copies fill
	ahead    int64     // how many iterations copies run ahead
	step     int64

	setup  []*ir.Op // allocations and barriers, once for all programs
	first  []*ir.Op // copies before the loop for slots
	whole  []*ir.Op // copies before the loop for its other operands
	tile   []*ir.Op // the ops that are repeated for each program
	end    []*ir.Op // deallocations behind the loop
	enter  *ir.Op
	turn   *ir.Op   // the wait for the group's first turn of the ping-pong
	waits  []*ir.Op // for the copies of whole
	passed *ir.Op   // the arrival that ends the last turn of the ping-pong

	varies  map[*ir.Value]bool // values that depend on the program id
	rings   []int              // indices of iteration arguments that keep counting in the next program
	parity  int                // index of the iteration argument with the ping-pong's parity
	ids     [3]*ir.Value       // the results of tt.get_program_id, by axis; nil if unused
	grid    [3]*ir.Value
	longest bool // programs with the longest loops have the lowest ids

	programs, last, stop *ir.Value
	me                   [2]*ir.Value // the id of this block, counted from the first and from the last
}

// findPersistent analyses a kernel, and returns nil if it cannot become persistent.
func findPersistent(fn *ir.Op) *persistent {
	r := fn.Region(0)
	if r.Empty() || r.NumBlocks() != 1 || ttgir.IsOrdered(fn) {
		return nil
	}
	p := &persistent{fn: fn, varies: map[*ir.Value]bool{}, parity: -1}
	for op := range r.First().Ops() {
		if !p.sort(op) {
			return nil
		}
	}
	ok := p.loop != nil && p.enter != nil && p.turn != nil && p.passed != nil && p.findFills() &&
		p.findRings() && p.canCopy()
	if !ok {
		return nil
	}
	return p
}

// sort assigns an operation of the kernel to one of the fields, and reports whether one fits.
func (p *persistent) sort(op *ir.Op) bool {
	p.noteVarying(op)
	switch op.Def {
	case ttg.LocalAlloc, ttng.InitBarrier:
		p.setup = append(p.setup, op)
		return p.loop == nil && (op.Def == ttng.InitBarrier || op.NumOperands() == 0)
	case ttng.BarrierExpect, ttng.AsyncTMACopyGlobalToLocal:
		if op.Slot(pipeline.FillSlots[op.Def]).DefBy(ttg.MemDescIndex) != nil {
			p.first = append(p.first, op)
		} else {
			p.whole = append(p.whole, op)
		}
		return p.loop == nil
	case ttg.LocalBarrier:
		if p.loop == nil {
			ok := p.enter == nil
			p.enter = op
			return ok
		}
		p.end = append(p.end, op)
		return true
	case ttng.WaitBarrier:
		return p.loop == nil && p.noteWait(op)
	case ttng.ArriveBarrier:
		ok := p.loop != nil && op.HasAttr(ttg.PingPongAttr) && p.passed == nil
		p.passed = op
		p.tile = append(p.tile, op)
		return ok
	case ttng.InvalBarrier, ttg.LocalDealloc, tt.Return:
		p.end = append(p.end, op)
		return p.loop != nil
	case scf.For:
		ok := p.loop == nil
		p.loop = op
		p.tile = append(p.tile, op)
		return ok
	case tt.GetProgramID, tt.GetNumPrograms:
		p.noteNumber(op)
		return true
	case tt.Store, ttng.WarpGroupDotWait:
		p.tile = append(p.tile, op)
		return p.loop != nil
	}
	if !op.IsPure() && !(op.Def == tt.Load && !tt.IsVolatile(op)) {
		return false
	}
	switch {
	case op.Def == ttg.MemDescIndex && p.loop == nil:
		p.setup = append(p.setup, op)
	case op.Def == tt.Load || p.loop != nil || p.isVarying(op):
		p.tile = append(p.tile, op)
	default:
		p.setup = append(p.setup, op)
	}
	p.longest = p.longest || op.Def == arith.SubI && ttgir.IsLastFirst(op)
	return true
}

// noteVarying notes whether the results of an operation depend on the program id.
func (p *persistent) noteVarying(op *ir.Op) {
	id := op.Def == tt.GetProgramID
	if id || op.Def == tt.Load || p.isVarying(op) {
		for _, r := range op.Results() {
			p.varies[r] = true
		}
	}
}

// isVarying reports whether an operation, or one in its regions, uses a value that depends on the program id.
func (p *persistent) isVarying(op *ir.Op) bool {
	for o := range op.Ops() {
		if slices.ContainsFunc(o.Operands(), func(v *ir.Value) bool { return p.varies[v] }) {
			return true
		}
	}
	return false
}

// noteWait notes a wait before the loop: for the first turn of the ping-pong, or for copies.
func (p *persistent) noteWait(op *ir.Op) bool {
	n, ok := arith.IntOf(op.Slot(1))
	if !ok || n != 0 || op.Slot(2) != nil {
		return false
	}
	if op.HasAttr(ttg.PingPongAttr) {
		ok = p.turn == nil
		p.turn = op
	} else {
		p.waits = append(p.waits, op)
	}
	p.tile = append(p.tile, op)
	return ok && p.enter != nil
}

// noteNumber notes a tt.get_program_id or tt.get_num_programs.
func (p *persistent) noteNumber(op *ir.Op) {
	axis := op.IntOr("axis", 0)
	if op.Def == tt.GetProgramID {
		if p.ids[axis] != nil {
			op.Result(0).ReplaceAllUses(p.ids[axis])
			return
		}
		p.ids[axis] = op.Result(0)
	}
}

// findFills finds the branch of the loop that fills slots, and reports whether it has the form that
// guardSlots makes.
func (p *persistent) findFills() bool {
	step, ok := arith.IntOf(scf.Step(p.loop))
	if !ok || step <= 0 || scf.IV(p.loop).Type != ir.Type(ir.I32) {
		return false
	}
	p.step = step
	for op := range p.loop.Ops() {
		if _, fills := pipeline.FillSlots[op.Def]; !fills {
			continue
		}
		branch := op.Parent()
		if branch.Def != scf.If || branch.Block() != p.loop.Body(0) || branch.NumResults() > 0 ||
			p.few != nil && p.few != branch {
			return false
		}
		p.few = branch
		if !p.noteFill(op) {
			return false
		}
	}
	return p.few != nil && p.isAhead() && len(p.first) == int(p.ahead)*len(p.fills) && p.fillsAlone()
}

// noteFill notes a copy into a slot, and reports whether its slot and its condition are those of the copies
// before it.
func (p *persistent) noteFill(op *ir.Op) bool {
	cond, _ := pipeline.Condition(op)
	index := op.Slot(pipeline.FillSlots[op.Def]).DefBy(ttg.MemDescIndex)
	if index == nil || p.more != nil && p.more != cond || p.slot != nil && p.slot != index.Operand(1) {
		return false
	}
	p.more, p.slot = cond, index.Operand(1)
	p.fills = append(p.fills, op)
	return true
}

// isAhead finds out how many iterations the copies are ahead, from the condition n < end - ahead*step
// under which there are more.
func (p *persistent) isAhead() bool {
	cmp := p.more.DefBy(arith.CmpI)
	if cmp == nil || cmp.IntOr("predicate", -1) != arith.SLT || cmp.Operand(0) != scf.IV(p.loop) {
		return false
	}
	end, from := arith.PlusConstant(scf.UpperBound(p.loop))
	less, to := arith.PlusConstant(cmp.Operand(1))
	p.ahead = (from - to) / p.step
	return end == less && from > to && (from-to)%p.step == 0
}

// fillsAlone reports whether the branch contains nothing but the wait for a slot, and what fills it.
func (p *persistent) fillsAlone() bool {
	for op := range p.few.Body(0).Ops() {
		wait := op.Def == ttng.WaitBarrier && op == p.few.Body(0).First()
		if !wait && !slices.Contains(p.fills, op) && !op.IsPure() && !op.Def.Has(ir.Terminator) {
			return false
		}
	}
	return p.few.Body(0).First().Def == ttng.WaitBarrier
}

// findRings finds the iteration arguments that the pipeline added: indices of slots in multi-buffers and
// the parities of mbarriers. It reports whether the parity of the ping-pong barriers is among them. These
// go on from program to program; what the kernel itself counts begins anew in each.
func (p *persistent) findRings() bool {
	for i, arg := range scf.IterArgs(p.loop) {
		turns, ok := p.countsSlots(arg, arg.Type == ir.Type(ir.I32), map[*ir.Value]bool{})
		if !ok || p.loop.Result(i).HasUses() {
			continue
		}
		if _, known := arith.IntOf(scf.Inits(p.loop)[i]); !known {
			return false
		}
		p.rings = append(p.rings, i)
		if turns {
			p.parity = i
		}
	}
	return p.parity >= 0
}

// countsSlots reports whether v is used only as an index of slots or as the parity of a barrier's wait, and
// whether that is the parity of the ping-pong barriers.
func (p *persistent) countsSlots(v *ir.Value, is bool, seen map[*ir.Value]bool) (turns, ok bool) {
	if seen[v] || !is {
		return false, is
	}
	seen[v] = true
	for u := range v.Uses() {
		op := u.Owner()
		switch {
		case op.Def == ttg.MemDescIndex, op.Def == scf.Yield && op.Parent() == p.loop:
		case op.Def == ttng.WaitBarrier && op.Slot(1) == v:
			turns = turns || op.HasAttr(ttg.PingPongAttr)
		case op.Block().IsInside(p.loop) && op.IsPure() && op.NumResults() == 1 && len(op.Regions()) == 0 &&
			ttgir.TensorOf(op.Result(0)) == nil:
			t, ok := p.countsSlots(op.Result(0), true, seen)
			if turns = turns || t; !ok {
				return false, false
			}
		default:
			return false, false
		}
	}
	return turns, true
}

// canCopy reports whether the copies of a later program can be started ahead of time: their coordinates and
// the bounds of the loop can be computed for any program, and the kernel waits for every copy outside of
// the loop.
func (p *persistent) canCopy() bool {
	p.varies[scf.IV(p.loop)] = true
	values := []*ir.Value{scf.LowerBound(p.loop), scf.UpperBound(p.loop)}
	for _, op := range slices.Concat(p.fills, p.whole) {
		if op.Def == ttng.AsyncTMACopyGlobalToLocal {
			values = append(values, op.Group(1)...)
		}
	}
	for _, op := range p.whole {
		cond, _ := pipeline.Condition(op)
		if n, ok := arith.IntOf(cond); !ok || n == 0 {
			return false
		}
		if op.Def == ttng.BarrierExpect && !slices.ContainsFunc(p.waits, func(w *ir.Op) bool {
			return w.Slot(0) == op.Operand(0)
		}) {
			return false
		}
	}
	can := ir.Once(p.canCompute)
	return !slices.ContainsFunc(values, func(v *ir.Value) bool { return !can(v) })
}

// canCompute reports whether a number depends on nothing but arguments, the program, and the block; can says
// so of operands.
func (p *persistent) canCompute(v *ir.Value, can func(*ir.Value) bool) bool {
	op := v.Def()
	switch {
	case op == nil:
		return v == scf.IV(p.loop) || v.Block() == p.fn.Body(0)
	case op.Def == tt.GetProgramID:
		return true
	case op.Block().IsInside(p.loop) && op.Block() != p.loop.Body(0) && op.Parent() != p.few:
		return false
	}
	return op.IsPure() && len(op.Regions()) == 0 && !slices.ContainsFunc(op.Operands(),
		func(x *ir.Value) bool { return !can(x) })
}
