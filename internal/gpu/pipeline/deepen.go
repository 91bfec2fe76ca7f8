package pipeline

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/rules"
)

// Occupancy is how many blocks of a launch an SM runs at a time, and the shared memory that they divide.
type Occupancy struct {
	// SM is the shared memory of a multiprocessor in bytes, 0 if it is not to be filled.
	SM int
	// Programs bounds the programs that run on one multiprocessor at a time: a power of two up to
	// gpucode.MostShared; 0 if there may be more.
	Programs int
}

// of returns the occupancy for a module. A persistent kernel has one block per SM whatever the launch, so the
// number of programs says nothing.
func (s Occupancy) of(m *ir.Module) Occupancy {
	if ttgir.Persistent(m) {
		s.Programs = 0
	}
	return s
}

// programsOf is the inverse of gpucode.KindOf.
func programsOf(kind int) int { return 1 << kind >> 1 }

const (
	// depthAttr is the number of stages of a loop, from LoadAtOnce or DeepenPipelines to AssignLatencies.
	depthAttr = "nereid.stages"
	// depthsAttr of a module holds, for each kind of launch (gpucode.KindOf), the sum of the stages of its
	// deepened loops.
	depthsAttr = "nereid.depths"
)

// ReservedShared is what the system and barriers take of a program's shared memory.
const ReservedShared = 2 << 10

// DeepenPipelines gives loops of products more stages than the caller asks for, if a launch leaves shared
// memory unused: with few programs, each has more of it. All programs of a small product read new memory in
// the same iteration. Its latency is then what a shallow pipeline waits for.
//
//	scf.for … {                                scf.for … {
//	  %a = tt.load …                    =>       …
//	  %d = ttng.warp_group_dot %a, …           } {nereid.stages = 7}
//	}
//
// Only loops count of which all shared memory is known here: loads go to operands of products, and nothing
// else needs a buffer but conversions in branches, such as those that store a tile of a fused loop.
//
// Other loops have products of single warps, as recurrences over chunks of a sequence do. Programs that share
// out heads and columns alone are few, and with the two stages that libraries ask for, each iteration takes
// the latency of its loads. They get a third one.
//
// Loops like that of attention get fewer stages instead if two programs of one warp group then share a
// multiprocessor (pairedStages).
func DeepenPipelines(numStages int, with Occupancy) pass.Pass {
	return pass.Pass{
		Name: "nereid-gpu-deepen-pipelines",
		Doc:  "give loops of products the shared memory that a launch leaves",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			if with.SM == 0 || numStages < 2 {
				return nil
			}
			with := with.of(m)
			var sums [gpucode.Kinds]int
			for _, loop := range ttgir.ForLoops(m.Op) {
				stages := with.stagesOf(loop, numStages)
				if stages == nil || loop.HasAttr(depthAttr) { // LoadAtOnce has chosen
					continue
				}
				for kind := range sums {
					sums[kind] += stages(programsOf(kind))
				}
				if n := stages(with.Programs); n != numStages {
					ctx.At(loop)
					loop.SetAttr(depthAttr, ir.I32Attr(int64(n)))
				}
			}
			if slices.Max(sums[:]) > slices.Min(sums[:]) {
				m.Op.SetAttr(depthsAttr, ir.I32Array(sums[:]...))
			}
			return nil
		},
	}
}

// TakeDepths removes depthsAttr from a module and returns its numbers, nil if there are none.
func TakeDepths(m *ir.Module) (depths []int) {
	if a, ok := m.Op.Attr(depthsAttr).(*ir.DenseArrayAttr); ok {
		for _, n := range a.Values {
			depths = append(depths, int(n))
		}
		m.Op.SetAttr(depthsAttr, nil)
	}
	return depths
}

// stagesOf returns a function from the number of blocks per SM (0: any) to the number of pipeline stages of a
// loop, or nil if all numbers of blocks get the same stages.
func (s Occupancy) stagesOf(loop *ir.Op, n int) func(programs int) int {
	stages := s.stagesOfFew(loop, n)
	if stages == nil {
		return nil
	}
	return func(programs int) int {
		if !ttgir.Satisfies(loop, rules.DeepenPrograms, programs) {
			programs = 0
		}
		return stages(programs)
	}
}

// stagesOfFew is stagesOf for the few programs of rules.DeepenPrograms.
func (s Occupancy) stagesOfFew(loop *ir.Op, n int) func(programs int) int {
	if bytes := stageBytes(loop); bytes > 0 {
		others := storedBytes(loop) + outerBytes(loop) + convertedBytes(loop)
		return func(programs int) int {
			return s.stages(loop, n, bytes, others, programs, rules.DeepestStages)
		}
	}
	if bytes := warpBytes(loop); bytes > 0 {
		others := outerBytes(loop) + convertedBytes(loop)
		return func(programs int) int {
			return s.stages(loop, n, bytes, others, programs, rules.DeepestWarpStages)
		}
	}
	if bytes := chainBytes(loop); bytes > 0 {
		others := outerBytes(loop)
		return func(programs int) int { return s.pairedStages(n, bytes, others, programs) }
	}
	return nil
}

// pairedStages returns the largest number of stages, at most n, with which two programs share a
// multiprocessor, n if there is none. A warp group that is alone computes and multiplies in turn; of two, one
// multiplies while the other computes, which gains more than a further stage: on an H200, tutorial 06 with
// heads of 128 in tiles of 128×64 takes 0.35 ms with 2 stages and 0.39 ms with 3.
func (s Occupancy) pairedStages(n, bytes, others, programs int) int {
	if programs == 1 {
		return n
	}
	for k := n; k >= 2; k-- {
		if s.SM/(k*bytes+others+ReservedShared) >= 2 {
			return k
		}
	}
	return n
}

// stages returns the number of stages of a loop with so many bytes in each, and others besides, in a launch
// with at most that many programs on a multiprocessor (0: any number); most bounds the number.
func (s Occupancy) stages(loop *ir.Op, n, bytes, others, programs int, most *rules.Rule) int {
	fit := s.SM / (n*bytes + others + ReservedShared)
	if programs == 0 || fit == 0 {
		return n
	}
	room := (s.SM/min(fit, programs) - ReservedShared - others) / bytes
	return max(n, rules.Capped(ttgir.Ruled(loop), most, room, rules.F("bytes", bytes),
		rules.F("programs", programs)))
}

// stageBytes returns how many bytes of shared memory the loads of an iteration take, 0 if the loop is not one
// of products of loaded operands alone.
func stageBytes(loop *ir.Op) int {
	if loop.HasAttr(StagesAttr) || ttg.NumCTAs(loop) > 1 || !MayPipeline(loop) {
		return 0
	}
	bytes, products := 0, 0
	for op := range ttgir.Body(loop) {
		switch {
		case isLoad(op):
			t := ttgir.TensorOf(op.Result(0))
			if t == nil || !onlyInBuffers(op.Result(0)) {
				return 0
			}
			bytes += BlockBytes(t, t.Encoding)
		case op.Def == ttng.WarpGroupDot:
			if ttgir.TensorOf(op.Operand(0)) != nil { // its left operand is in registers
				return 0
			}
			products++
		case op.Def == scf.If && isFrugal(op):
		case len(op.Regions()) > 0 || !needsNoBuffer(op):
			return 0
		}
	}
	if products == 0 {
		return 0
	}
	return bytes
}

// warpBytes returns how many bytes of shared memory the loads of an iteration take, at most, in a loop of
// products of single warps, 0 in other loops. What else such a loop needs is not known here: if the code
// takes more than there is, it is not made, and launches run the ordinary code.
func warpBytes(loop *ir.Op) int {
	if loop.HasAttr(StagesAttr) || ttg.NumCTAs(loop) > 1 || !MayPipeline(loop) {
		return 0
	}
	bytes, products := 0, 0
	for op := range ttgir.Body(loop) {
		switch {
		case op.Def == ttng.WarpGroupDot:
			return 0
		case op.Def == tt.Dot:
			products++
		case isLoad(op):
			if t := ttgir.TensorOf(op.Result(0)); t != nil {
				bytes += BlockBytes(t, t.Encoding)
			}
		}
	}
	if products == 0 {
		return 0
	}
	return bytes
}

// chainBytes returns how many bytes of shared memory the loads of an iteration take in a loop whose only warp
// group computes the left operand of one product from the result of another, 0 in other loops.
func chainBytes(loop *ir.Op) int {
	if loop.HasAttr(StagesAttr) || ttg.NumCTAs(loop) > 1 || ttg.NumWarps(loop) != ttgir.GroupWarps ||
		!MayPipeline(loop) {
		return 0
	}
	bytes, chain := 0, false
	for op := range ttgir.Body(loop) {
		if isLoad(op) && onlyInBuffers(op.Result(0)) {
			if t := ttgir.TensorOf(op.Result(0)); t != nil {
				bytes += BlockBytes(t, t.Encoding)
			}
		}
		if op.Def == ttng.WarpGroupDot && ttgir.TensorOf(op.Operand(0)) != nil {
			chain = chain || FromProduct(op.Operand(0), loop, ttng.WarpGroupDot)
		}
	}
	if !chain {
		return 0
	}
	return bytes
}

// onlyInBuffers reports whether all users of a value copy it to shared memory.
func onlyInBuffers(v *ir.Value) bool {
	for u := range v.Users() {
		if u.Def != ttg.LocalAlloc {
			return false
		}
	}
	return true
}

// needsNoBuffer reports whether an op of a loop is known to take no shared memory, besides that of loads.
func needsNoBuffer(op *ir.Op) bool {
	known := []*ir.OpDef{tt.AddPtr, tt.Splat, tt.Broadcast, tt.ExpandDims, tt.MakeRange, arith.Constant,
		ttg.LocalAlloc, ttg.MemDescTrans}
	return op.Def.Traits&ir.Elementwise != 0 || slices.Contains(known, op.Def)
}

// isFrugal reports whether the ops of a branch are known to take no shared memory, besides conversions and
// stores through descriptors.
func isFrugal(branch *ir.Op) bool {
	known := []*ir.OpDef{tt.Load, tt.Store, tt.DescStore, tt.DescReduce, tt.Split, scf.If, scf.Yield}
	for op := range branch.Ops() {
		if op != branch && !needsNoBuffer(op) && !op.Def.Has(ir.View) && !slices.Contains(known, op.Def) {
			return false
		}
	}
	return true
}

// convertedBytes returns the size of the largest tensor that a branch of a loop converts to another layout:
// copies for later iterations are under way meanwhile. What is stored through a descriptor needs no other
// layout.
func convertedBytes(loop *ir.Op) int {
	most := 0
	for op := range loop.Ops() {
		if op.Def != ttg.ConvertLayout {
			continue
		}
		if u := ttgir.FirstUse(op); u != nil && (u.Def == tt.DescStore || u.Def == tt.DescReduce) {
			continue
		}
		t := ttgir.TensorOf(op.Result(0))
		most = max(most, BlockBytes(t, t.Encoding))
	}
	return most
}

// outerBytes returns how many bytes the buffers have that a loop uses and something before it has filled.
func outerBytes(loop *ir.Op) int {
	bytes, seen := 0, map[*ir.Value]bool{}
	for op := range ttgir.Body(loop) {
		for _, v := range op.Operands() {
			m, ok := ttg.MemDescOf(v.Type)
			if !ok || seen[v] || v.Block().IsInside(loop) {
				continue
			}
			seen[v] = true
			n := ir.BitWidth(m.Elem) / 8
			for _, d := range m.Shape {
				n *= int(d)
			}
			bytes += n
		}
	}
	return bytes
}

// storedBytes returns the size of the largest block that is stored through a descriptor around a loop inside
// another one: its buffer is in use while the next tile is loaded.
func storedBytes(loop *ir.Op) int {
	outer := loop
	for p := loop.Parent(); p != nil && p.Def != tt.Func; p = p.Parent() {
		if p.Def == scf.For || p.Def == scf.While {
			outer = p
		}
	}
	most := 0
	for op := range outer.Ops() {
		if op.Def == tt.DescStore || op.Def == tt.DescReduce {
			t := ttgir.TensorOf(ttgir.DescValue(op))
			most = max(most, BlockBytes(t, t.Encoding))
		}
	}
	return most
}
