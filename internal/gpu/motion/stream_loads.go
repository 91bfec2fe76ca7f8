package motion

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/rules"
)

// StreamLoads makes what a launch reads once the first to leave the caches, in kernels that read far more
// than they write, such as sums of rows. Otherwise it pushes out what earlier kernels left there for later
// ones, which has to be written to memory while this kernel reads from it. Where a kernel writes about as
// much as it reads, that is no gain: its own results would be pushed out instead.
var StreamLoads = pass.Pass{
	Name: "nereid-gpu-stream-loads",
	Doc:  "evict first what kernels read once that write little",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, fn := range ttgir.OpsOf(m.Op, tt.Func) {
			streamLoads(fn)
		}
		return nil
	},
}

func streamLoads(fn *ir.Op) {
	var s streams
	if !s.collect(fn) || !rules.HoldsShare(ttgir.Ruled(fn), rules.StreamShare, s.written, s.read) {
		return
	}
	for _, load := range s.loads {
		if s.once(load) {
			load.SetAttr("evict", ir.I32Attr(tt.EvictFirst))
		}
	}
}

// streams is how a kernel uses memory.
type streams struct {
	loads         []*ir.Op
	axes          int // a bit for each axis of the grid that the kernel reads
	read, written int64
	uses          map[*ir.Value]int // number of loads and stores by pointer argument
}

// collect reports whether all uses of memory are known, and no program is likely to read what others read.
func (s *streams) collect(fn *ir.Op) bool {
	s.uses = map[*ir.Value]int{}
	for op := range fn.Ops() {
		switch {
		case layouts.IsProduct(op), op.Def == tt.Call, op.Def == tt.InlineAsm, op.Def == scf.While:
			return false
		case op.Def == tt.GetProgramID:
			s.axes |= 1 << op.IntOr("axis", 0)
		case op.Def == tt.Load:
			s.loads = append(s.loads, op)
			s.read += traffic(op, op.Result(0))
			s.use(op)
		case op.Def == tt.Store, op.Def == tt.AtomicRMW, op.Def == tt.AtomicCAS:
			s.written += traffic(op, op.Operand(1))
			s.use(op)
		case layouts.Facts[op.Def].Access:
			return false
		}
	}
	return true
}

// traffic returns how many elements of v an op reads or writes.
func traffic(op *ir.Op, v *ir.Value) int64 {
	n := int64(1)
	if t := ttgir.TensorOf(v); t != nil {
		n = t.NumElements()
	}
	for loop := op.ParentOf(scf.For); loop != nil; loop = loop.ParentOf(scf.For) {
		n *= int64(rules.Get(ttgir.Ruled(op), rules.LoopWeight))
	}
	return n
}

func (s *streams) use(op *ir.Op) {
	for base := range originOf(op.Operand(0)).bases {
		s.uses[base]++
	}
}

// once reports whether a launch reads each element of a load once, as far as the program shows.
func (s *streams) once(load *ir.Op) bool {
	if tt.IsVolatile(load) || ttgir.TensorOf(load.Result(0)) == nil || ttgir.IsHinted(load) {
		return false
	}
	o := originOf(load.Operand(0))
	if o.opaque || o.axes != s.axes || o.divides && !o.remains {
		return false
	}
	for loop := load.ParentOf(scf.For); loop != nil; loop = loop.ParentOf(scf.For) {
		if !o.loops[loop] {
			return false
		}
	}
	for base := range o.bases {
		if s.uses[base] != 1 {
			return false
		}
	}
	return true
}

// origin is what an address is computed from.
type origin struct {
	bases            map[*ir.Value]bool // pointers among the kernel's arguments
	loops            map[*ir.Op]bool    // loops whose iterations change the address
	axes             int                // a bit for each axis of the grid
	divides, remains bool               // the address depends on a quotient, on a remainder
	opaque           bool               // the address depends on memory or on branches
	seen             map[*ir.Value]bool
}

func originOf(v *ir.Value) *origin {
	o := &origin{bases: map[*ir.Value]bool{}, loops: map[*ir.Op]bool{}, seen: map[*ir.Value]bool{}}
	o.add(v)
	return o
}

func (o *origin) add(v *ir.Value) {
	if o.seen[v] {
		return
	}
	o.seen[v] = true
	op := v.Def()
	if op == nil {
		o.addArgument(v)
		return
	}
	switch op.Def {
	case tt.GetProgramID:
		o.axes |= 1 << op.IntOr("axis", 0)
	case arith.DivSI, arith.DivUI:
		o.divides = true
	case arith.RemSI, arith.RemUI:
		o.remains = true
	}
	if len(op.Regions()) > 0 || layouts.Facts[op.Def].Access {
		o.opaque = true
		return
	}
	for _, x := range op.Operands() {
		o.add(x)
	}
}

func (o *origin) addArgument(v *ir.Value) {
	parent := v.Block().Parent()
	switch parent.Def {
	case tt.Func:
		if tt.IsPtr(v.Type) {
			o.bases[v] = true
		}
	case scf.For:
		o.loops[parent] = true
		if i := v.Index() - 1; i >= 0 {
			o.add(scf.Inits(parent)[i])
			o.add(parent.Body(0).Last().Operand(i))
		}
	default:
		o.opaque = true
	}
}
