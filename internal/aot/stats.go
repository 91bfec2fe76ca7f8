package aot

import (
	"slices"
	"time"

	"github.com/nereid-lang/nereid/internal/bundle"
)

// Stats says what a build did.
type Stats struct {
	Variants int           // entries of the bundle
	Compiled int           // compilations; entries may share one
	Took     time.Duration // from the beginning to the end
	Stages   []StageTime   // in the order of the stages, targets in the order of Build
	Pack     time.Duration // compression, from its beginning to its end

	Certified int // compilations whose code was compared with its source
}

// StageTime is the time of a stage, added up over all compilations for a kind of target.
type StageTime struct {
	Target string // "cuda", "hip", "cpu"
	Stage  string
	Took   time.Duration
}

// newStats adds up the times of compilations.
func newStats(done []*work, pack, took time.Duration) Stats {
	s := Stats{Compiled: len(done), Pack: pack, Took: took}
	for _, w := range done {
		s.Variants += len(w.variants)
		if w.certificate != nil && w.certificate.Verdict == bundle.VerdictEqual {
			s.Certified++
		}
		kind := kindOf(w.target)
		for _, st := range w.out.Stages {
			i := slices.IndexFunc(s.Stages, func(t StageTime) bool {
				return t.Target == kind && t.Stage == st.Name
			})
			if i < 0 {
				i = len(s.Stages)
				s.Stages = append(s.Stages, StageTime{Target: kind, Stage: st.Name})
			}
			s.Stages[i].Took += st.Took
		}
	}
	return s
}
