package layouts

import (
	"maps"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// fact is the knowledge of the passes about an op. The zero value fits an elementwise op that is cheap, and
// an op without tensors.
type fact struct {
	// demand gives operands and results, which have default layouts, the layouts that the op needs.
	demand func(m ttgir.Threads, op *ir.Op) error

	// forward returns the results' layout given the operands', backward the reverse; nil if no layout
	// follows. Without them, an op with one layout for all its tensors passes it on, and no other does.
	forward, backward func(op *ir.Op, enc ir.Attr) ir.Attr
	// flow returns the values that get their layout from operand i. Without it, these are the results of an
	// op with one layout.
	flow func(op *ir.Op, i int) []*ir.Value
	// fix converts the operands that do not have the layout they need, after propagation. Without it, all
	// operands get one layout.
	fix func(p *propagation, op *ir.Op)

	anchor func(op *ir.Op) bool // it keeps its layout, which was chosen for it
	once   func(op *ir.Op) bool // it must not be computed twice
	// absorbs reports whether the op can produce its result in layout enc at once; fold makes it do so in the
	// place of a conversion.
	absorbs func(op *ir.Op, enc ir.Attr) bool
	fold    func(rw *pass.Rewriter, cvt, op *ir.Op) bool
	// cost returns the cost of computing the op again, in units; ok is false if it must not be computed
	// again. Without it, a byte of arithmetic costs 1, and other ops nothing.
	cost func(op *ir.Op) (units int64, ok bool)

	view     bool              // its result has the operand's elements, in another shape or order
	grows    func(*ir.Op) bool // its result has more bytes than its operand
	product  bool              // it multiplies matrices
	Access   bool              // it accesses global memory by the pointers or the descriptor in operand 0
	Reads    bool              // it accesses memory and does not write
	Local    bool              // it writes no memory but shared memory
	Mask     int               // index of the operand that disables the op; 0 for none
	Harmless bool              // it may run in iterations that do not exist, without a mask
}

// Facts has a row for every op of which there is something to know.
var Facts map[*ir.OpDef]fact

func init() { // not an initializer: functions of the rows ask the table
	Facts = map[*ir.OpDef]fact{}
	for _, part := range factParts() {
		maps.Copy(Facts, part)
	}
	for _, def := range SlowMath {
		Facts[def] = fact{cost: perByte(8)}
	}
}

// factParts returns the rows of the table in parts that have no operation in common.
func factParts() []map[*ir.OpDef]fact {
	return []map[*ir.OpDef]fact{
		viewFacts(), productFacts(), globalFacts(), descriptorFacts(),
		sharedFacts(), freeFacts(), controlFacts(), costFacts(),
	}
}

// viewFacts returns the rows of operations that change layouts: views and reductions.
func viewFacts() map[*ir.OpDef]fact {
	return map[*ir.OpDef]fact{
		tt.ExpandDims: {demand: expandDims, forward: parentOf, backward: sliceOf, flow: toResults,
			view: true, grows: always},
		tt.Reduce: {demand: reduce, forward: sliceOf, backward: parentOf, flow: toResults, fix: fixReduce,
			cost: reduceCost},
		tt.Trans: {demand: transpose, forward: transForward, backward: transBackward, flow: toResults,
			view: true},
		tt.Reshape: {demand: reshape, forward: reshapeForward, backward: reshapeBackward, flow: toResults,
			view: true, anchor: reorders, absorbs: reshapeAbsorbs, fold: foldIntoReshape},
		tt.Join: {demand: join, forward: joinForward, backward: joinBackward, flow: toResults,
			view: true},
		tt.Split: {demand: split, forward: splitForward, backward: splitBackward, flow: toResults,
			view: true},
		ttg.Fp4ToFp: {forward: unpackForward, backward: unpackBackward},
		// The lowering of scans knows no other.
		tt.Scan:      {forward: onlyBlocked, backward: onlyBlocked, flow: toResults},
		tt.Broadcast: {demand: broadcast, grows: always},
		tt.Cat:       {demand: cat, absorbs: catAbsorbs, fold: foldIntoCat},
		// The layout is that of the indices; the source may have any.
		tt.Gather: {forward: unchanged, backward: unchanged, flow: gatherFlow, fix: fixGather,
			anchor: efficient, once: efficient},
	}
}

// productFacts returns the rows of products.
func productFacts() map[*ir.OpDef]fact {
	return map[*ir.OpDef]fact{
		tt.Dot:            {demand: dot, anchor: always, once: always, product: true},
		tt.DotScaled:      {anchor: always, product: true},
		ttng.WarpGroupDot: {anchor: always, product: true},
		ttng.WarpGroupDotWait: {forward: unchanged, backward: unchanged, flow: toSameResult,
			fix: asValues(0, (*ir.Op).Results)},
	}
}

// globalFacts returns the rows of accesses to global memory.
func globalFacts() map[*ir.OpDef]fact {
	return map[*ir.OpDef]fact{
		tt.Load: {forward: unchanged, backward: unchanged, anchor: isExpensiveAccess, once: isExpensiveAccess,
			Access: true, Reads: true, Mask: 1, cost: perByte(8)}, // the data is in the cache
		tt.Store:       {anchor: isExpensiveAccess, once: isExpensiveAccess, Access: true, Mask: 2},
		tt.AtomicRMW:   {anchor: always, once: always, Access: true, Mask: 2},
		tt.AtomicCAS:   {anchor: always, once: always, Access: true},
		ttg.AsyncCopy:  {Access: true, Reads: true, Mask: 2},
		tt.DescLoad:    {anchor: always, Access: true, Reads: true},
		tt.DescStore:   {anchor: always, Access: true},
		tt.DescReduce:  {anchor: always, Access: true},
		tt.DescGather:  {anchor: always, Access: true, Reads: true, demand: gatherIndices},
		tt.DescScatter: {anchor: always, Access: true, demand: gatherIndices},
	}
}

// descriptorFacts returns the rows of copies through descriptors, and of the barriers that say when they
// are done.
func descriptorFacts() map[*ir.OpDef]fact {
	return map[*ir.OpDef]fact{
		ttng.AsyncTMACopyGlobalToLocal: {Access: true, Reads: true, Mask: 4},
		ttng.AsyncTMACopyLocalToGlobal: {Access: true},
		ttng.AsyncTMAReduce:            {Access: true},
		ttng.AsyncTMAStoreWait:         {Local: true},
		ttng.InitBarrier:               {Local: true},
		ttng.InvalBarrier:              {Local: true},
		ttng.BarrierExpect:             {Local: true, Mask: 1},
		ttng.WaitBarrier:               {Local: true, Mask: 2},
	}
}

// sharedFacts returns the rows of operations on shared and tensor memory.
func sharedFacts() map[*ir.OpDef]fact {
	return map[*ir.OpDef]fact{
		ttg.LocalAlloc:        {absorbs: anyLayout},
		ttg.LocalLoad:         {absorbs: anyLayout, fold: foldIntoLocalLoad, cost: perByte(8)},
		ttg.LocalStore:        {absorbs: anyLayout, Local: true, Harmless: true},
		ttng.TMEMLoad:         {anchor: always},
		ttg.LocalDealloc:      {Local: true},
		ttng.FenceAsyncShared: {Local: true},
		ttg.AsyncCommitGroup:  {Local: true, Harmless: true},
		ttg.AsyncWait:         {Local: true, Harmless: true},
	}
}

// freeFacts returns the rows of operations that can produce any layout.
func freeFacts() map[*ir.OpDef]fact {
	return map[*ir.OpDef]fact{
		arith.Constant:    {absorbs: anyLayout, fold: foldIntoConstant, cost: perByte(0)},
		tt.MakeRange:      {absorbs: anyLayout, fold: retyped},
		tt.Splat:          {absorbs: anyLayout, fold: retyped},
		tt.Histogram:      {absorbs: anyLayout, fold: retyped},
		ttg.ConvertLayout: {flow: toResults, fix: anyOperands, absorbs: conversionAbsorbs, fold: retyped},
	}
}

// controlFacts returns the rows of control flow.
func controlFacts() map[*ir.OpDef]fact {
	return map[*ir.OpDef]fact{
		scf.For: {forward: unchanged, flow: forFlow, fix: asValues(3, scf.IterArgs)},
		scf.While: {forward: unchanged, backward: unchanged, flow: whileFlow, fix: asValues(0, whileArgs),
			once: always},
		scf.If:    {fix: anyOperands, Harmless: true},
		scf.Yield: {forward: unchanged, backward: unchanged, flow: yieldsTo, fix: fixYield},
		scf.Condition: {forward: unchanged, backward: unchanged, flow: conditionFlow,
			fix: asValues(1, parentResults), once: always},
		tt.Assert: {fix: anyOperands},
	}
}

// costFacts returns the rows of operations with a cost or a size of their own.
func costFacts() map[*ir.OpDef]fact {
	return map[*ir.OpDef]fact{
		arith.ExtSI: {grows: always},
		arith.ExtUI: {grows: always},
		arith.ExtF:  {grows: always},
		tt.FpToFp:   {grows: widens},

		arith.DivF: {cost: perByte(8)},
	}
}

// SlowMath lists ops that take several instructions or the special function unit.
var SlowMath = []*ir.OpDef{
	math.Erfc, math.Sinh, math.Cosh, math.Tanh, math.Asinh, math.Acosh, math.Atanh, math.CtPop,
	math.CtLZ, math.CtTZ, math.Exp, math.Exp2, math.ExpM1, math.Log, math.Log2, math.Log10, math.Log1p,
	math.Sin, math.Cos, math.Tan, math.Asin, math.Acos, math.Atan, math.Atan2, math.PowF, math.Sqrt,
	math.Rsqrt, math.Erf, math.Cbrt,
}

func always(*ir.Op) bool { return true }

// holds reports what a row's function says of op; none says no.
func holds(f func(*ir.Op) bool, op *ir.Op) bool { return f != nil && f(op) }

func isAnchor(op *ir.Op) bool { return holds(Facts[op.Def].anchor, op) }

func canRemat(op *ir.Op) bool { return !holds(Facts[op.Def].once, op) }

func growsData(op *ir.Op) bool { return holds(Facts[op.Def].grows, op) }

func IsView(op *ir.Op) bool { return Facts[op.Def].view }

func IsProduct(op *ir.Op) bool { return Facts[op.Def].product }

// MemAccessPtr returns the pointer operand of an access to global memory, or nil.
func MemAccessPtr(op *ir.Op) *ir.Value {
	if !Facts[op.Def].Access {
		return nil
	}
	return op.Operand(0)
}

// Handles reports whether the passes know how layouts pass through an op: it has a row, or one layout for all
// its tensors.
func Handles(def *ir.OpDef) bool {
	_, row := Facts[def]
	return row || def.Has(ir.SameOperandsAndResultEncoding) || def.Has(ir.Elementwise)
}

// OnePlace reports whether all tensors of an op have the same layout.
func OnePlace(op *ir.Op) bool {
	return op.Def.Has(ir.SameOperandsAndResultEncoding) || op.Def.Has(ir.Elementwise)
}

// inferDst returns the layout of op's results given that of an operand, or nil if it does not follow.
func inferDst(op *ir.Op, enc ir.Attr) ir.Attr { return follow(Facts[op.Def].forward, op, enc) }

// inferSrc returns the layout of op's operands given that of the results, or nil if it does not follow.
func inferSrc(op *ir.Op, enc ir.Attr) ir.Attr { return follow(Facts[op.Def].backward, op, enc) }

func follow(f func(*ir.Op, ir.Attr) ir.Attr, op *ir.Op, enc ir.Attr) ir.Attr {
	switch {
	case f != nil:
		return f(op, enc)
	case OnePlace(op):
		return enc
	}
	return nil
}

// flowsTo returns the values that get their layout from a use.
func flowsTo(u *ir.Use) []*ir.Value {
	op := u.Owner()
	switch f := Facts[op.Def].flow; {
	case f != nil:
		return f(op, u.Index())
	case OnePlace(op):
		return op.Results()
	}
	return nil
}

// canFoldConversion reports whether a conversion of op's result to enc can become part of op.
func canFoldConversion(op *ir.Op, enc ir.Attr) bool {
	f := Facts[op.Def].absorbs
	return f != nil && f(op, enc)
}

// opCost returns the cost of an op in units; ok is false for ops that must not be computed twice.
func opCost(op *ir.Op) (units int64, ok bool) {
	f := Facts[op.Def].cost
	switch {
	case f != nil:
		return f(op)
	case op.Def.Dialect == arith.Dialect || op.Def.Dialect == math.Dialect:
		return perByte(1)(op)
	}
	return 0, true
}

// perByte returns a cost of n for each byte of the results.
func perByte(n int64) func(op *ir.Op) (int64, bool) {
	return func(op *ir.Op) (int64, bool) {
		cost := int64(0)
		for _, v := range op.Results() {
			cost += n * byteCount(v, 0, 0)
		}
		return cost, true
	}
}
