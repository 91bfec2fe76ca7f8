package pipeline

import (
	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/ir"
)

// accesses lists the pointers through which an op, including its regions, reads and writes global memory.
type accesses struct {
	reads, writes []*ir.Value
	unknown       bool // the op may access anything: it keeps its place among all accesses
}

func (a accesses) Any() bool { return a.unknown || len(a.reads)+len(a.writes) > 0 }

func (a accesses) orders() bool { return a.unknown || len(a.writes) > 0 }

func AccessesOf(op *ir.Op) accesses {
	var a accesses
	for o := range op.Ops() {
		switch ptr := layouts.MemAccessPtr(o); {
		case layouts.Facts[o.Def].Reads:
			a.reads = append(a.reads, ptr)
		case ptr != nil:
			a.writes = append(a.writes, ptr)
		case o.Def == tt.Call: // a callee may write through its arguments
			a.unknown = true
			for _, v := range o.Operands() {
				if tt.IsPtr(ir.ElemOf(v.Type)) || tt.DescBlock(v.Type) != nil {
					a.writes = append(a.writes, v)
				}
			}
		case layouts.Facts[o.Def].Local, len(o.Regions()) > 0:
		case o.Effects()&(ir.EffWrite|ir.EffUnknown) != 0:
			a.unknown = true
		}
	}
	return a
}

// Conflict reports whether two ops must stay in order: both write, or one reads through a pointer that the
// other may write through.
func Conflict(at *address.Analysis, a, b accesses) bool {
	if a.orders() && b.orders() || a.unknown && b.Any() || b.unknown && a.Any() {
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

// keepsMemory reports whether a schedule preserves the contents of memory: writes stay in the last stage and
// in order, and no op that runs ahead reads memory that the loop writes. ops is the new order.
func (s *schedule) keepsMemory(ops []*ir.Op) bool {
	type access struct {
		accesses
		op *ir.Op
	}
	at := address.New(s.loop)
	var list []access
	var all accesses
	for _, op := range ops {
		if a := AccessesOf(op); a.Any() {
			list = append(list, access{a, op})
			all.writes = append(all.writes, a.writes...)
		}
	}
	for i, a := range list {
		early := s.places[a.op].stage < s.stages-1
		if early && (a.orders() || Conflict(at, accesses{reads: a.reads}, all)) {
			return false
		}
		for _, b := range list[:i] {
			if !early && s.places[b.op].stage == s.stages-1 && a.op.Before(b.op) &&
				Conflict(at, a.accesses, b.accesses) {
				return false
			}
		}
	}
	return true
}
