package warm

import (
	"hash/maphash"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// Table holds the plans of a kernel and is read without a lock. Few plans are compared one by one; more are
// found by a hash.
type Table struct {
	last atomic.Pointer[Plan] // plan of the previous launch, which mostly fits the next one too
	all  atomic.Pointer[planList]
}

// planList never changes.
type planList struct {
	list   []*Plan            // latest first
	byHash map[uint64][]*Plan // nil for few plans
}

const (
	// MaxPlans bounds the plans of a kernel.
	MaxPlans = 1024
	// FewPlans is the number of plans up to which comparing is faster than hashing.
	FewPlans = 6
)

var seed = maphash.MakeSeed()

// hash returns a hash of the look of arguments and the common options.
func hash(l *args.Look, o *device.Options) uint64 {
	h := maphash.String(seed, args.Bytes(l.Classes))
	for _, t := range l.Texts {
		h = h*31 ^ maphash.String(seed, t)
	}
	return h + uint64(o.NumWarps+o.NumStages<<16+o.NumCTAs<<32+o.MaxNReg<<40)*0x9e3779b97f4a7c15
}

// Find returns the plan of arguments that look like l, or nil.
func (t *Table) Find(l *args.Look, opts *device.Options, dev *args.Device) *Plan {
	if p := t.last.Load(); p != nil && p.fits(l, opts, dev) {
		return p
	}
	p := t.search(l, opts, dev)
	if p != nil {
		t.last.Store(p)
	}
	return p
}

func (t *Table) search(l *args.Look, opts *device.Options, dev *args.Device) *Plan {
	all := t.all.Load()
	if all == nil {
		return nil
	}
	list := all.list
	if all.byHash != nil {
		list = all.byHash[hash(l, opts)]
	}
	for _, p := range list {
		if p.fits(l, opts, dev) {
			return p
		}
	}
	return nil
}

// Empty reports whether there are no plans.
func (t *Table) Empty() bool { return t.all.Load() == nil }

// Add adds a plan unless there is an equal one. The oldest are dropped when there are too many.
func (t *Table) Add(p *Plan) {
	for {
		old := t.all.Load()
		all := &planList{list: []*Plan{p}}
		if old != nil {
			if t.search(&p.Look, &p.Opts, p.Dev) != nil {
				return
			}
			all.list = append(all.list, old.list[:min(len(old.list), MaxPlans-1)]...)
		}
		if len(all.list) > FewPlans {
			all.byHash = make(map[uint64][]*Plan, len(all.list))
			for _, q := range all.list {
				h := hash(&q.Look, &q.Opts)
				all.byHash[h] = append(all.byHash[h], q)
			}
		}
		if t.all.CompareAndSwap(old, all) {
			return
		}
	}
}

// Clear drops all plans, so that their code can be freed.
func (t *Table) Clear() {
	t.all.Store(nil)
	t.last.Store(nil)
}
