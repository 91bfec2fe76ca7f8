package nereid

import (
	"hash/maphash"
	"sync/atomic"
)

// plans are those of a kernel, read without a lock. A few are looked at one by one; more are found by a hash of what arguments look like.
type plans struct {
	last  atomic.Pointer[plan] // that was launched: mostly the next one is the same
	table atomic.Pointer[planTable]
}

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

// hash is that of what arguments look like, or of the most of it.
func (l *look) hash() uint64 {
	h := maphash.String(planSeed, bytesOf(l.classes))
	for _, t := range l.texts {
		h = h*31 ^ maphash.String(planSeed, t)
	}
	o := &l.opts
	return h + uint64(o.NumWarps+o.NumStages<<16+o.NumCTAs<<32+o.MaxNReg<<40)*0x9e3779b97f4a7c15
}

// find is the plan of arguments that look like this, or nil.
func (p *plans) find(l *look, dev *Device) *plan {
	if x := p.last.Load(); x != nil && x.dev == dev && x.same(l) {
		return x
	}
	x := p.search(l, dev)
	if x != nil {
		p.last.Store(x)
	}
	return x
}

func (p *plans) search(l *look, dev *Device) *plan {
	t := p.table.Load()
	if t == nil {
		return nil
	}
	list := t.list
	if t.byHash != nil {
		list = t.byHash[l.hash()]
	}
	for _, x := range list {
		if x.dev == dev && x.same(l) {
			return x
		}
	}
	return nil
}

// empty reports whether there are none.
func (p *plans) empty() bool { return p.table.Load() == nil }

// add adds a plan, unless there is one like it. The oldest go where there are too many.
func (p *plans) add(x *plan) {
	for {
		old := p.table.Load()
		t := &planTable{list: []*plan{x}}
		if old != nil {
			if p.search(&x.look, x.dev) != nil {
				return
			}
			t.list = append(t.list, old.list[:min(len(old.list), maxPlans-1)]...)
		}
		if len(t.list) > fewPlans {
			t.byHash = make(map[uint64][]*plan, len(t.list))
			for _, q := range t.list {
				h := q.hash()
				t.byHash[h] = append(t.byHash[h], q)
			}
		}
		if p.table.CompareAndSwap(old, t) {
			return
		}
	}
}
