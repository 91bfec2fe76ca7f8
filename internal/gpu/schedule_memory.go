package gpu

import (
	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
)

// accesses are the pointers by which an op, with all inside, reads and writes global memory.
type accesses struct {
	reads, writes []*ir.Value
	unknown       bool // it does something that must stay in order with all of these
}

func (a accesses) any() bool    { return a.unknown || len(a.reads)+len(a.writes) > 0 }
func (a accesses) orders() bool { return a.unknown || len(a.writes) > 0 }

func accessesOf(op *ir.Op) accesses {
	var a accesses
	for o := range op.Ops() {
		switch ptr := memAccessPtr(o); {
		case o.Def == tt.Load, o.Def == ttg.AsyncCopy:
			a.reads = append(a.reads, ptr)
		case ptr != nil:
			a.writes = append(a.writes, ptr)
		case o.Def == tt.Call: // it may write what it is given
			a.unknown = true
			for _, v := range o.Operands() {
				if tt.IsPtr(ir.ElemOf(v.Type)) {
					a.writes = append(a.writes, v)
				}
			}
		case o.Def == ttg.AsyncCommitGroup, o.Def == ttg.AsyncWait, o.Def == ttg.LocalStore, len(o.Regions()) > 0:
		case o.Effects()&(ir.EffWrite|ir.EffUnknown) != 0:
			a.unknown = true
		}
	}
	return a
}

// conflict reports whether two ops must stay in order: both write, or one reads by a pointer by which the other writes.
func conflict(at *address.Analysis, a, b accesses) bool {
	if a.orders() && b.orders() || a.unknown && b.any() || b.unknown && a.any() {
		return true
	}
	for _, pair := range [][2][]*ir.Value{{a.reads, b.writes}, {b.reads, a.writes}} {
		for _, r := range pair[0] {
			for _, w := range pair[1] {
				if at.MayAlias(r, w) {
					return true
				}
			}
		}
	}
	return false
}

// keepsMemory reports whether a schedule leaves memory as it was: what writes stays in the last stage and in order, and nothing that runs
// ahead reads what the loop writes. ops are the ops in their new order.
func (s *schedule) keepsMemory(ops []*ir.Op) bool {
	type access struct {
		accesses
		op *ir.Op
	}
	at := address.New(s.loop)
	var list []access
	var all accesses
	for _, op := range ops {
		if a := accessesOf(op); a.any() {
			list = append(list, access{a, op})
			all.writes = append(all.writes, a.writes...)
		}
	}
	for i, a := range list {
		early := s.places[a.op].stage < s.stages-1
		if early && (a.orders() || conflict(at, accesses{reads: a.reads}, all)) {
			return false
		}
		for _, b := range list[:i] {
			if !early && s.places[b.op].stage == s.stages-1 && a.op.Before(b.op) && conflict(at, a.accesses, b.accesses) {
				return false
			}
		}
	}
	return true
}
