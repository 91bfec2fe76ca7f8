package amd

import (
	"math"

	"github.com/nereid-lang/nereid/internal/dialect/amdg"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// ConvertToBufferOps makes loads and stores accesses to a buffer: a base that all lanes share, in scalar
// registers, and a 32-bit offset for each lane. The hardware skips offsets outside the buffer, so that masks
// take no branches. Offsets must be within 2 GiB behind the base: because they are small numbers, or because
// the argument's tensor is small.
//
//	%q = tt.addptr (tt.splat %p), %o
//	%x = tt.load %q, %m, %y               =>   %x = amdg.buffer_load %p[%o], %m, %y
var ConvertToBufferOps = pass.Pass{
	Name: "tritonamdgpu-convert-buffer-ops",
	Doc:  "access global memory through a base and offsets where these are small",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, op := range ttgir.OpsOf(m.Op, tt.Load) {
			if base, offset, ok := bufferParts(op.Operand(0)); ok {
				ctx.At(op)
				loadFromBuffer(op, base, offset)
			}
		}
		for _, op := range ttgir.OpsOf(m.Op, tt.Store) {
			if base, offset, ok := bufferParts(op.Operand(0)); ok {
				ctx.At(op)
				storeToBuffer(op, base, offset)
			}
		}
		return nil
	},
}

// bufferParts returns base and offsets of a tensor of pointers if a buffer can have them.
func bufferParts(ptr *ir.Value) (base, offset *ir.Value, ok bool) {
	if ttgir.TensorOf(ptr) == nil || !isSplit(ptr) {
		return nil, nil, false
	}
	add := ptr.DefBy(tt.AddPtr)
	base, offset = add.Operand(0).DefBy(tt.Splat).Operand(0), add.Operand(1)
	if smallPointer(base) {
		return base, offset, true
	}
	r := ir.Once(rangeOf)(offset)
	size := int64(max(8, ir.BitWidth(tt.Pointee(base.Type)))) / 8
	return base, offset, r.known && r.least >= 0 && r.most < math.MaxInt32/size
}

func loadFromBuffer(op *ir.Op, base, offset *ir.Value) {
	if tt.IsVolatile(op) || op.IntOr("cache", tt.CacheNone) == tt.CacheCV {
		return // what others change meanwhile is read anew each time
	}
	load := ir.At(op).Groups(amdg.BufferLoad,
		[][]*ir.Value{{base}, {offset}, {nil}, {op.Slot(1)}, {op.Slot(2)}}, op.ResultTypes(), cacheOf(op)...)
	load.Result(0).Name = op.Result(0).Name
	op.ReplaceWith(load.Result(0))
}

func storeToBuffer(op *ir.Op, base, offset *ir.Value) {
	ir.At(op).Groups(amdg.BufferStore,
		[][]*ir.Value{{op.Slot(1)}, {base}, {offset}, {nil}, {op.Slot(2)}}, nil, cacheOf(op)...)
	op.Erase()
}

// intRange is a range of integers, both ends included. It is not known if they may be any, or if computing
// them may overflow 32 bits.
type intRange struct {
	least, most int64
	known       bool
}

// rangeOf returns the numbers that an integer or the elements of a tensor can be; of returns those of
// operands.
func rangeOf(v *ir.Value, of func(*ir.Value) intRange) (r intRange) {
	if n, ok := arith.Uniform(arith.ValueOf(v)).(*ir.IntegerAttr); ok {
		return intRange{n.Value, n.Value, true}
	}
	op := v.Def()
	if op == nil {
		return r
	}
	if op.Def.Has(ir.View) {
		return of(op.Operand(0))
	}
	switch op.Def {
	case tt.MakeRange:
		start, _ := op.Int("start")
		end, _ := op.Int("end")
		return intRange{start, end - 1, true}
	case tt.Splat, arith.ExtSI:
		return of(op.Operand(0))
	case arith.AddI, arith.MulI, arith.RemSI, arith.DivSI, arith.AndI:
		x, y := of(op.Operand(0)), of(op.Operand(1))
		if op.Def == arith.AndI && (x.natural() || y.natural()) {
			return maskedRange(x, y)
		}
		if x.natural() && y.natural() {
			return combinedRange(op.Def, x, y)
		}
	}
	return r
}

// natural reports whether numbers are known not to be negative.
func (r intRange) natural() bool { return r.known && r.least >= 0 }

// maskedRange returns the range of x & y, of which at least one is known and not negative.
func maskedRange(x, y intRange) intRange {
	most := int64(math.MaxInt32)
	if x.natural() {
		most = x.most
	}
	if y.natural() {
		most = min(most, y.most)
	}
	return intRange{0, most, true}
}

// combinedRange returns the range of an operation on numbers that are not negative.
func combinedRange(def *ir.OpDef, x, y intRange) intRange {
	least, most := int64(0), min(x.most, y.most-1) // a remainder
	switch def {
	case arith.AddI:
		least, most = x.least+y.least, x.most+y.most
	case arith.MulI:
		least, most = x.least*y.least, x.most*y.most
	case arith.DivSI:
		most = x.most
	}
	divides := def == arith.DivSI || def == arith.RemSI
	return intRange{least, most, most <= math.MaxInt32 && (!divides || y.least > 0)}
}
