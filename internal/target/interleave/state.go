package interleave

import (
	"encoding/binary"
	"slices"
)

// object is the state of a barrier.
type object struct {
	phases  int32 // phases that are complete
	arrived int32 // threads that came in this phase
	want    int32 // as those who came in this phase said; -1 if nobody came
	bytes   int64 // expected, less those that copies brought
}

// state is what the warps have done so far. Warps of a class have the same steps, so that it does not matter
// which of them has done how many; places[c] says how many warps of class c are before each step.
type state struct {
	places  [][]place
	flying  []int32 // copies under way, by their kind
	objects []object

	trail *trail
	paths float64 // interleavings that lead here, by the level's scale
}

// trail is the steps that led to a state. It outlives the states that it goes through.
type trail struct {
	before *trail
	by     Move
}

// place is warps of one class that are before the same step.
type place struct{ step, warps int32 }

// key returns what tells states apart. The barriers' states follow from what was done.
func (s *state) key(buf []byte) []byte {
	for _, class := range s.places {
		for _, p := range class {
			buf = binary.AppendUvarint(buf, uint64(p.step))
			buf = binary.AppendUvarint(buf, uint64(p.warps))
		}
		buf = append(buf, 0xff)
	}
	for _, n := range s.flying {
		buf = binary.AppendUvarint(buf, uint64(n))
	}
	return buf
}

// path returns the steps that lead to a state.
func (s *state) path() (out []Move) {
	for t := s.trail; t != nil; t = t.before {
		out = append(out, t.by)
	}
	slices.Reverse(out)
	return out
}

// next returns a copy of a state, to be changed, that one of n alike moves leads to.
func (s *state) next(by Move, n int32) *state {
	return &state{trail: &trail{s.trail, by}, paths: s.paths * float64(n), places: slices.Clone(s.places),
		flying: slices.Clone(s.flying), objects: slices.Clone(s.objects)}
}

// advance moves one warp of a class from a step to the one behind it.
func (s *state) advance(class int, step int32) {
	old := s.places[class]
	out := make([]place, 0, len(old)+1)
	for _, p := range old {
		if p.step == step {
			if p.warps--; p.warps > 0 {
				out = append(out, p)
			}
			out = append(out, place{step: step + 1, warps: 1})
			continue
		}
		if n := len(out); n > 0 && out[n-1].step == p.step {
			out[n-1].warps += p.warps
			continue
		}
		out = append(out, p)
	}
	s.places[class] = out
}
