package pipeline

import (
	"github.com/nereid-lang/nereid/internal/dialect/gpud"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// ScheduleLoops turns latencies into a pipeline: a load runs latency stages before its users, together with
// the ops that compute its address; the rest runs in the last stage. Ops that a stage needs from the previous
// iteration run right ahead of it.
//
//	%x = tt.load %p {tt.latency = 2}        =>    %x = tt.load %p {loop.stage = 0, loop.cluster = 2}
//	%d = tt.dot %x, …                             %d = tt.dot %x, … {loop.stage = 2, loop.cluster = 0}
var ScheduleLoops = pass.Pass{
	Name: "tritongpu-schedule-loops",
	Doc:  "give the ops of pipelined loops their stages",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, loop := range ttgir.ForLoops(m.Op) {
			latency := takeLatencies(loop)
			if len(latency) == 0 {
				continue
			}
			ctx.At(loop)
			if s := makeSchedule(loop, latency); s != nil {
				s.write()
				continue
			}
			for op := range latency {
				readCopy(op)
			}
		}
		return nil
	},
}

// makeSchedule returns the schedule of a loop, or nil if the loop must stay as it is. Branches that no load
// waits for run at the end of the body; if one writes memory and may not move behind other writes, all stay
// where they are.
func makeSchedule(loop *ir.Op, latency map[*ir.Op]int) *schedule {
	if !MayPipeline(loop) || hasBarrier(loop) {
		return nil
	}
	for _, atEnd := range []bool{true, false} {
		s := scheduleKeyOps(loop, latency)
		first := s.scheduleBranches(atEnd)
		s.insertAllDeps()
		s.scheduleCarried()
		s.scheduleRest(first)
		if s.valid() {
			return s
		}
	}
	return nil
}

// hasBarrier reports whether the kernel contains barriers of its own: it may rely on the order of loads and
// stores around them.
func hasBarrier(loop *ir.Op) bool {
	for op := range loop.Ops() {
		if op.Def == gpud.Barrier || op.Def == ttg.LocalBarrier {
			return true
		}
	}
	return false
}

// takeLatencies removes the latencies from the ops of a loop and returns them.
func takeLatencies(loop *ir.Op) map[*ir.Op]int {
	var out map[*ir.Op]int
	for op := range ttgir.Body(loop) {
		if l, ok := op.Int(latencyAttr); ok {
			if out == nil {
				out = map[*ir.Op]int{}
			}
			out[op] = int(l)
			op.SetAttr(latencyAttr, nil)
		}
	}
	return out
}

// scheduleKeyOps schedules the ops with a latency and all that depend on them: the more latency between an op
// and the end of the body, the earlier its stage. Later stages come first in the new body, so that data is
// used before new data arrives.
func scheduleKeyOps(loop *ir.Op, latency map[*ir.Op]int) *schedule {
	d := distances{loop: loop, latency: latency, known: map[*ir.Op]int{}}
	longest := 0
	for op := range ttgir.Body(loop) {
		if _, ok := latency[op]; ok {
			longest = max(longest, d.of(op))
		}
	}
	last := 0
	for _, n := range d.known {
		last = max(last, longest-n)
	}
	s := newSchedule(loop, last+1)
	for range last + 1 {
		s.newAtBack()
	}
	for op, n := range d.known {
		s.insert(op, place{longest - n, s.clusters[last-(longest-n)]})
	}
	s.branchesLast(latency)
	return s
}

// distances measures the latency between an op and the end of the body.
type distances struct {
	loop    *ir.Op
	latency map[*ir.Op]int
	known   map[*ir.Op]int
}

func (d *distances) of(op *ir.Op) int {
	if n, ok := d.known[op]; ok {
		return n
	}
	after := 0
	for _, r := range op.Results() {
		for u := range r.Users() {
			if u = ttgir.AncestorIn(d.loop.Body(0), u); u != nil && u != d.loop.Body(0).Last() {
				after = max(after, d.of(u))
			}
		}
	}
	d.known[op] = d.latency[op] + after
	return d.known[op]
}

// branchesLast moves the branches that depend on loads to the end of the body if no scheduled op depends on
// them.
func (s *schedule) branchesLast(latency map[*ir.Op]int) {
	end := s.newAtBack()
	for op := range ttgir.Body(s.loop) {
		p, ok := s.places[op]
		if _, slow := latency[op]; op.Def != scf.If || !ok || slow {
			continue
		}
		if !s.leadsToPlaced(op, map[*ir.Op]bool{}) {
			s.insert(op, place{p.stage, end})
		}
	}
}

// leadsToPlaced reports whether a scheduled op depends on op.
func (s *schedule) leadsToPlaced(op *ir.Op, seen map[*ir.Op]bool) bool {
	for _, r := range op.Results() {
		for u := range r.Users() {
			if seen[u] {
				continue
			}
			seen[u] = true
			if s.has(u) || s.leadsToPlaced(u, seen) {
				return true
			}
		}
	}
	return false
}

// scheduleBranches puts the branches that a scheduled op depends on at the start of the body, in the stage
// that first needs them, and all others at the end if atEnd says so. It returns the first cluster behind
// those at the start.
func (s *schedule) scheduleBranches(atEnd bool) *cluster {
	first := s.clusters[0]
	if !hasBranch(s.loop) {
		return first
	}
	needed := map[*ir.Op]int{}
	var order []*ir.Op
	for stage := range s.stages {
		for _, op := range s.inOrder() {
			if s.places[op].stage == stage {
				s.branchesBefore(op, map[*ir.Op]bool{}, func(branch *ir.Op) {
					if _, ok := needed[branch]; !ok {
						needed[branch] = stage
						order = append(order, branch)
					}
				})
			}
		}
	}
	if len(order) > 0 {
		start := s.newAtFront()
		for _, op := range order {
			s.insertIfAbsent(op, place{needed[op], start})
		}
	}
	if !atEnd {
		return first
	}
	end := s.newAtBack()
	for op := range ttgir.Body(s.loop) {
		if _, ok := needed[op]; op.Def == scf.If && !ok {
			s.insertIfAbsent(op, place{s.stages - 1, end})
		}
	}
	return first
}

func hasBranch(loop *ir.Op) bool {
	for op := range ttgir.Body(loop) {
		if op.Def == scf.If {
			return true
		}
	}
	return false
}

// branchesBefore calls found for the branches of the body that op depends on in the same iteration.
func (s *schedule) branchesBefore(op *ir.Op, seen map[*ir.Op]bool, found func(*ir.Op)) {
	for _, v := range ttgir.OuterOperands(op) {
		def := v.Def()
		if def == nil || def.Block() != s.loop.Body(0) || seen[def] {
			continue
		}
		seen[def] = true
		if def.Def == scf.If {
			found(def)
		}
		s.branchesBefore(def, seen, found)
	}
}

// scheduleCarried schedules the producers of values that an op reads from the previous iteration one stage
// later and directly before the op, so that the value needs no extra loop-carried copy. A load gets the
// stage and the cluster of its user.
func (s *schedule) scheduleCarried() {
	ahead := map[*cluster]*cluster{}
	for op := range ttgir.Body(s.loop) {
		p, ok := s.places[op]
		if !ok || p.stage == s.stages-1 {
			continue
		}
		for _, v := range ttgir.OuterOperands(op) {
			if !ttgir.IsIterArg(v, s.loop) {
				continue
			}
			def := ttgir.Yielded(v).Def()
			if def == nil || def.Block() != s.loop.Body(0) || s.has(def) {
				continue
			}
			at := p
			if !isLoad(def) {
				if ahead[p.cluster] == nil {
					ahead[p.cluster] = s.newBefore(p.cluster)
				}
				at = place{p.stage + 1, ahead[p.cluster]}
			}
			s.insert(def, at)
			s.insertDeps(def, at, true)
		}
	}
}

// scheduleRest puts all other ops into the last stage, each behind the ops that it depends on.
func (s *schedule) scheduleRest(first *cluster) {
	rest := map[*ir.Op]*cluster{}
	for op := range ttgir.Body(s.loop) {
		if !s.has(op) {
			rest[op] = first
		}
	}
	var work []*ir.Op
	for _, op := range s.inOrder() {
		if s.places[op].stage == s.stages-1 {
			work = append(work, op)
		}
	}
	for len(work) > 0 {
		op := work[len(work)-1]
		work = work[:len(work)-1]
		at := rest[op]
		if p, ok := s.places[op]; ok {
			at = p.cluster
		}
		for _, r := range op.Results() {
			for u := range r.Users() {
				u = ttgir.AncestorIn(s.loop.Body(0), u)
				if c, ok := rest[u]; ok && c.id < at.id {
					rest[u] = at
					work = append(work, u)
				}
			}
		}
	}
	for op, c := range rest {
		s.insert(op, place{s.stages - 1, c})
	}
}

// valid reports whether every op runs after the ops it depends on, accesses to memory keep their order, and
// ops outside the last stage, which also run for iterations that do not exist, can be predicated.
func (s *schedule) valid() bool {
	ops := s.inOrder()
	when := map[*ir.Op]int{}
	for i, op := range ops {
		when[op] = i + s.places[op].stage*len(ops)
	}
	for op := range ttgir.Body(s.loop) {
		if !s.has(op) || s.places[op].stage < s.stages-1 && !canPredicate(op) {
			return false
		}
		for _, v := range ttgir.OuterOperands(op) {
			early := 0
			if ttgir.IsIterArg(v, s.loop) {
				v, early = ttgir.Yielded(v), len(ops)
			}
			if def := v.Def(); def != nil && def.Block() == s.loop.Body(0) && when[op] < when[def]-early {
				return false
			}
		}
	}
	return s.keepsMemory(ops)
}
