package pipeline

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
)

// schedule is a software pipeline for a loop. It says when each op of the body runs: stage is the number of
// iterations by which it runs later than stage 0, so that the stages of different iterations overlap; in the
// new body, ops are ordered by cluster, within a cluster as before.
//
// Between passes the schedule is stored in attributes, as in Triton: loop.stage and loop.cluster on ops, and
// tt.scheduled_max_stage on the loop.
type schedule struct {
	loop     *ir.Op
	stages   int
	clusters []*cluster // in order; the id of each is its index
	places   map[*ir.Op]place
}

// cluster is a position in the new body; its id is its index in schedule.clusters.
type cluster struct{ id int }

// place says when an op runs.
type place struct {
	stage   int
	cluster *cluster
}

// Names of attributes.
const (
	latencyAttr  = "tt.latency"
	stageAttr    = "loop.stage"
	clusterAttr  = "loop.cluster"
	maxStageAttr = "tt.scheduled_max_stage"
	StagesAttr   = "tt.num_stages"
)

func newSchedule(loop *ir.Op, stages int) *schedule {
	return &schedule{loop: loop, stages: stages, places: map[*ir.Op]place{}}
}

// readSchedule returns the schedule stored on a loop, nil for none.
func readSchedule(loop *ir.Op) *schedule {
	last, ok := loop.Int(maxStageAttr)
	if !ok {
		return nil
	}
	s := newSchedule(loop, int(last)+1)
	for op := range ttgir.Body(loop) {
		if c, ok := op.Int(clusterAttr); ok {
			for int64(len(s.clusters)) <= c {
				s.newAtBack()
			}
			s.insert(op, place{int(op.IntOr(stageAttr, 0)), s.clusters[c]})
			s.stages = max(s.stages, s.places[op].stage+1)
		}
	}
	return s
}

// write stores the schedule on the ops.
func (s *schedule) write() {
	for op := range ttgir.Body(s.loop) {
		if p, ok := s.places[op]; ok {
			op.SetAttr(stageAttr, ir.I32Attr(int64(p.stage)))
			op.SetAttr(clusterAttr, ir.I32Attr(int64(p.cluster.id)))
		}
	}
	s.loop.SetAttr(maxStageAttr, ir.I32Attr(int64(s.stages-1)))
}

// eraseSchedule removes the schedule from a loop.
func eraseSchedule(loop *ir.Op) {
	loop.SetAttr(maxStageAttr, nil)
	for op := range ttgir.Body(loop) {
		op.SetAttr(stageAttr, nil)
		op.SetAttr(clusterAttr, nil)
	}
}

// newAt inserts a cluster at index i.
func (s *schedule) newAt(i int) *cluster {
	s.clusters = slices.Insert(s.clusters, i, &cluster{})
	for ; i < len(s.clusters); i++ {
		s.clusters[i].id = i
	}
	return s.clusters[len(s.clusters)-1]
}

func (s *schedule) newAtFront() *cluster { s.newAt(0); return s.clusters[0] }

func (s *schedule) newAtBack() *cluster { return s.newAt(len(s.clusters)) }

func (s *schedule) newBefore(c *cluster) *cluster { i := c.id; s.newAt(i); return s.clusters[i] }

func (s *schedule) has(op *ir.Op) bool { _, ok := s.places[op]; return ok }

func (s *schedule) insert(op *ir.Op, p place) { s.places[op] = p }

func (s *schedule) insertIfAbsent(op *ir.Op, p place) bool {
	if s.has(op) {
		return false
	}
	s.insert(op, p)
	return true
}

// before reports whether p comes before q in the unrolled loop.
func (p place) before(q place) bool {
	return p.stage < q.stage || p.stage == q.stage && p.cluster.id < q.cluster.id
}

// insertMinimum moves op to p if it had no place or a later one.
func (s *schedule) insertMinimum(op *ir.Op, p place) bool {
	if q, ok := s.places[op]; ok && !p.before(q) {
		return false
	}
	s.insert(op, p)
	return true
}

// insertDeps moves the ops of op's block that op depends on to p unless they run earlier already. With args
// it also follows values from the previous iteration.
func (s *schedule) insertDeps(op *ir.Op, p place, args bool) {
	for _, v := range ttgir.OuterOperands(op) {
		for seen := map[*ir.Value]bool{}; args && ttgir.IsIterArg(v, s.loop) && !seen[v]; {
			seen[v] = true
			v = ttgir.Yielded(v)
		}
		if def := v.Def(); def != nil && def.Block() == op.Block() && s.insertMinimum(def, p) {
			s.insertDeps(def, p, args)
		}
	}
}

// insertAllDeps calls insertDeps for all scheduled ops, stage by stage.
func (s *schedule) insertAllDeps() {
	ops := s.inOrder()
	at := make([]place, len(ops))
	for i, op := range ops {
		at[i] = s.places[op]
	}
	for stage := range s.stages {
		for i, op := range ops {
			if at[i].stage == stage {
				s.insertDeps(op, at[i], false)
			}
		}
	}
}

// inOrder returns the scheduled ops in the order of the new body.
func (s *schedule) inOrder() []*ir.Op {
	var ops []*ir.Op
	for op := range ttgir.Body(s.loop) {
		if s.has(op) {
			ops = append(ops, op)
		}
	}
	slices.SortStableFunc(ops, func(a, b *ir.Op) int {
		return s.places[a].cluster.id - s.places[b].cluster.id
	})
	return ops
}
