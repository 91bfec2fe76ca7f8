package nereid

import (
	"hash/maphash"
	"sync/atomic"
)

// plans are those of a kernel, read without a lock. A few are looked at one by one; more are found by a hash of what arguments look like.
type plans struct{ table atomic.Pointer[planTable] }

// planTable never changes.
type planTable struct {
	list   []*plan            // the latest first
	byHash map[uint64][]*plan // nil for a few
}

const (
	// maxPlans bounds the specialisations of a kernel that are found the short way.
	maxPlans = 1024
	// fewPlans are quicker looked at than hashed.
	fewPlans = 6
)

var planSeed = maphash.MakeSeed()

// looks are what a plan is found by besides the classes of arguments; nil where all plans have the same.
type looks struct {
	consts constants
	opts   Options
}

// hashPlan is a hash of what a plan is found by, or of the most of it.
func hashPlan(classes []class, l *looks) uint64 {
	h := maphash.String(planSeed, bytesOf(classes))
	if l == nil {
		return h
	}
	h ^= maphash.String(planSeed, bytesOf(l.consts.words)) * 3
	for _, t := range l.consts.texts {
		h = h*31 ^ maphash.String(planSeed, t)
	}
	o := &l.opts
	return h + uint64(o.NumWarps+o.NumStages<<16+o.NumCTAs<<32+o.MaxNReg<<40)*0x9e3779b97f4a7c15
}

// candidates are the plans among which that of the arguments is, if there is one.
func (p *plans) candidates(classes []class, l *looks) []*plan {
	t := p.table.Load()
	switch {
	case t == nil:
		return nil
	case t.byHash == nil:
		return t.list
	}
	return t.byHash[hashPlan(classes, l)]
}

// empty reports whether there are none.
func (p *plans) empty() bool { return p.table.Load() == nil }

// add adds a plan, unless has finds it among its candidates. The oldest go where there are too many.
func (p *plans) add(x *plan, l *looks, has func([]*plan) bool) {
	for {
		old := p.table.Load()
		t := &planTable{list: []*plan{x}}
		if old != nil {
			if has(p.candidates(x.classes, l)) {
				return
			}
			t.list = append(t.list, old.list[:min(len(old.list), maxPlans-1)]...)
		}
		if len(t.list) > fewPlans {
			t.byHash = make(map[uint64][]*plan, len(t.list))
			for _, q := range t.list {
				var its *looks
				if l != nil {
					its = &q.looks
				}
				h := hashPlan(q.classes, its)
				t.byHash[h] = append(t.byHash[h], q)
			}
		}
		if p.table.CompareAndSwap(old, t) {
			return
		}
	}
}
