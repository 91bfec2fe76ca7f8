package tma

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// FenceInsertion inserts a fence between stores of threads to shared memory and the products of warp groups
// that read it: wgmma reads through the asynchronous proxy, which does not wait for stores.
//
//	%m = ttg.local_alloc %x                      %m = ttg.local_alloc %x
//	%d = ttng.warp_group_dot %a, %m, %c    =>    ttng.fence_async_shared {bCluster = false}
//	                                             %d = ttng.warp_group_dot %a, %m, %c
var FenceInsertion = pass.Pass{
	Name: "triton-nvidia-gpu-fence-insertion",
	Doc:  "order stores to shared memory before products of warp groups",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, op := range ttgir.OpsOf(m.Op, ttng.WarpGroupDot) {
			ctx.At(op)
			s := stores{seen: map[*ir.Value]bool{}}
			s.find(op.Operand(0))
			s.find(op.Operand(1))
			if len(s.ops) > 0 {
				s.fence(op)
			}
		}
		return nil
	},
}

// stores collects the ops by which threads write a buffer.
type stores struct {
	ops  []*ir.Op
	seen map[*ir.Value]bool
}

// find collects the stores that may have written the contents of v.
func (s *stores) find(v *ir.Value) {
	if s.seen[v] || !ttg.IsMemDesc(v.Type) {
		return
	}
	s.seen[v] = true
	op := v.Def()
	if op == nil {
		loop := v.Block().Parent()
		if loop != nil && loop.Def == scf.For && v.Index() > 0 {
			s.find(scf.Inits(loop)[v.Index()-1])
			s.find(loop.Body(0).Last().Operand(v.Index() - 1))
		}
		return
	}
	if op.Def == ttg.LocalAlloc {
		if op.NumOperands() > 0 {
			s.ops = append(s.ops, op)
		}
		s.users(op.Result(0))
		return
	}
	for _, o := range op.Operands() {
		s.find(o)
	}
}

// users collects the stores into a buffer or a view of it.
func (s *stores) users(v *ir.Value) {
	for u := range v.Users() {
		if u.Def == ttg.LocalStore {
			s.ops = append(s.ops, u)
		} else if u.NumResults() == 1 && ttg.IsMemDesc(u.Result(0).Type) {
			s.users(u.Result(0))
		}
	}
}

// fence inserts a fence before op, outside of loops that contain no store.
func (s *stores) fence(op *ir.Op) {
	at := op
	for loop := op.ParentOf(scf.For); loop != nil; loop = loop.ParentOf(scf.For) {
		for _, st := range s.ops {
			if st.IsInside(loop) {
				loop = nil
				break
			}
		}
		if loop == nil {
			break
		}
		at = loop
	}
	for prev := at.Prev(); prev != nil; prev = prev.Prev() {
		if prev.Def == ttng.FenceAsyncShared {
			return
		}
		if slices.ContainsFunc(s.ops, func(st *ir.Op) bool { return st == prev || st.IsInside(prev) }) {
			break
		}
	}
	ir.At(at).Op(ttng.FenceAsyncShared, nil, nil, ir.A("bCluster", ir.BoolAttr(false)))
}
