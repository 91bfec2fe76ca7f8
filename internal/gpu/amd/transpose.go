package amd

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/amdg"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/pipeline"
	"github.com/nereid-lang/nereid/internal/gpu/products"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass"
)

// InThreadTranspose lets operands of products that lie across k in global memory lie along k in shared
// memory, where lanes then read several elements at once. Each thread loads a small rectangle instead of a
// row and transposes it in its registers before storing it.
//
//	%x = tt.load … : #blocked           =>   %x = tt.load … : #blocked of rectangles
//	ttg.local_store %x, %buf : #swizzled     %t = amdg.in_thread_transpose %x : … -> #linear
//	                                         ttg.local_store %t, %buf : #amd_rotating_shared
var InThreadTranspose = pass.Pass{
	Name: "tritonamdgpu-in-thread-transpose",
	Doc:  "transpose operands of products in registers, for wide reads of shared memory",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, op := range ttgir.OpsOf(m.Op, ttg.LocalLoad) {
			if t, ok := transposableOperand(op); ok {
				ctx.At(op)
				t.rewrite()
			}
		}
		return nil
	},
}

// operandTranspose is a buffer whose rows are to lie along k.
type operandTranspose struct {
	dot    ttg.DotOp
	t      *ir.TensorType // of the operand
	stores []*ir.Op       // ttg.local_store, or ttg.local_alloc with a value
	views  []*ir.Value    // the buffer and its parts
}

// transposableOperand reports whether the buffer that op reads can be transposed: its data comes from loads
// that have a blocked layout across k and room for a second row.
func transposableOperand(op *ir.Op) (t operandTranspose, ok bool) {
	t.t = ttgir.TensorOf(op.Result(0))
	t.dot, ok = ttg.As[ttg.DotOp](t.t.Encoding)
	if !ok || t.t.Rank() != 2 || !ttg.IsMma(t.dot.Parent) {
		return t, false
	}
	alloc := op.Operand(0)
	for index := alloc.DefBy(ttg.MemDescIndex); index != nil; index = alloc.DefBy(ttg.MemDescIndex) {
		alloc = index.Operand(0)
	}
	if alloc.DefBy(ttg.LocalAlloc) == nil || !t.collect(alloc) || len(t.stores) == 0 {
		return t, false
	}
	first := t.stores[0].Operand(0).Type
	return t, !slices.ContainsFunc(t.stores, func(store *ir.Op) bool {
		v := store.Operand(0)
		return v.DefBy(tt.Load) == nil || v.Type != first || !t.fits(ttgir.TensorOf(v))
	})
}

// collect gathers the stores to a shared-memory buffer and its views. It reports false if anything but loads
// and stores uses the buffer.
func (t *operandTranspose) collect(buf *ir.Value) bool {
	if _, ok := ttg.As[ttg.Swizzled](pipeline.EncodingOfBuffer(buf)); !ok {
		return false
	}
	t.views = append(t.views, buf)
	if def := buf.DefBy(ttg.LocalAlloc); def != nil && def.NumOperands() > 0 {
		t.stores = append(t.stores, def)
	}
	for u := range buf.Users() {
		switch u.Def {
		case ttg.LocalStore:
			t.stores = append(t.stores, u)
		case ttg.MemDescIndex:
			if !t.collect(u.Result(0)) {
				return false
			}
		case ttg.LocalLoad, ttg.LocalDealloc:
		default:
			return false
		}
	}
	return true
}

// fits reports whether the load of an operand can be transposed in registers: its layout is blocked, its
// fastest dimension is not k, and a thread can hold at least two elements along k.
func (t *operandTranspose) fits(load *ir.TensorType) bool {
	enc, ok := ttg.As[ttg.Blocked](load.Encoding)
	return ok && enc.Order[0] != t.k() && t.rows(load, enc) >= 2
}

func (t *operandTranspose) k() int64 { return 1 - t.dot.OpIdx }

// rows returns how many elements along k a thread can hold.
func (t *operandTranspose) rows(load *ir.TensorType, enc ttg.Blocked) int64 {
	k := t.k()
	return max(1, load.Shape[k]/(enc.ThreadsPerWarp[k]*enc.WarpsPerCTA[k]))
}

func (t *operandTranspose) rewrite() {
	load := ttgir.TensorOf(t.stores[0].Operand(0))
	enc, _ := ttg.As[ttg.Blocked](load.Encoding)
	const storeBits = 64 // the widest store along k: twice as many take more registers than they save time
	size := slices.Clone(enc.SizePerThread)
	size[t.k()] = min(t.rows(load, enc), storeBits/int64(ir.BitWidth(load.Elem)))
	wide := ttgir.ThreadsOf(t.stores[0]).Blocked(load.Shape, size, enc.Order, enc.CGALayout)
	turned, err := transposedInThread(wide, load.Shape)
	if err != nil {
		return
	}
	for _, store := range t.stores {
		v := store.Operand(0)
		if v.DefBy(tt.Load) != nil { // two stores may store one load
			relayLoad(v.Def(), wide.Attr())
		}
		b := ir.At(store)
		x := ttgir.Convert(b, store.Operand(0), wide.Attr())
		store.SetOperand(0, b.Val(amdg.InThreadTranspose, load.WithEncoding(turned), x))
	}
	t.relayBuffers()
}

// relayLoad lets a load have another layout.
func relayLoad(load *ir.Op, enc ir.Attr) {
	b := ir.At(load)
	old := load.Result(0).Type
	for i, v := range load.Operands() {
		if ttgir.TensorOf(v) != nil {
			load.SetOperand(i, ttgir.Convert(b, v, enc))
		}
	}
	ttgir.SetEncoding(load.Result(0), enc)
	b.After(load)
	back := b.Val(ttg.ConvertLayout, old, load.Result(0))
	load.Result(0).ReplaceUsesIf(back, func(u *ir.Use) bool { return u.Owner() != back.Def() })
}

// relayBuffers gives the buffer rows along k.
func (t *operandTranspose) relayBuffers() {
	order := []int64{t.k(), 1 - t.k()}
	enc := ttg.Rotating(products.SwizzledAMD(t.dot, t.t, order, false)).Attr()
	for _, v := range t.views {
		m, _ := ttg.MemDescOf(v.Type)
		m.Encoding = enc
		v.Type = m.Type()
	}
}

// transposedInThread returns the layout of elements whose places within each thread's rectangle have been
// exchanged: the dimension that came second is the fastest.
func transposedInThread(enc ttg.Blocked, shape []int64) (ir.Attr, error) {
	l, err := ttglayout.For(enc.Attr(), shape)
	if err != nil {
		return nil, err
	}
	size, order := make([]int, 2), make([]int, 2)
	for i := range size {
		size[i], order[1-i] = int(enc.SizePerThread[i]), int(enc.Order[i])
	}
	tile := layout.IdentityND(layout.Register, size, order).TransposeOuts(l.OutNames()...)
	bases := l.Bases(layout.Register)
	copy(bases, tile.Bases(layout.Register))
	return ttglayout.Linear(l.WithBases(layout.Register, bases)), nil
}
