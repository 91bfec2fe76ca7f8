package layout

import "math/bits"

// span is a subspace of F2^n, kept as vectors in echelon form, each with the combination of the added
// vectors that gives it. Of the vectors added, those that were independent of the ones before are its
// pivots.
type span struct {
	rows   []spanRow
	added  int
	pivots uint64 // bit i: the i-th vector added was independent
}

type spanRow struct {
	vec   uint64
	combo uint64 // which added vectors sum up to vec
	lead  uint64 // the highest bit of vec, which no other row has
}

// add takes in a vector and reports whether it was independent of those before.
func (s *span) add(v uint64) bool {
	combo := uint64(1) << s.added
	s.added++
	v, c := s.reduce(v)
	if v == 0 {
		return false
	}
	combo |= c
	s.pivots |= 1 << (s.added - 1)
	lead := uint64(1) << (bits.Len64(v) - 1)
	for i := range s.rows {
		if s.rows[i].vec&lead != 0 {
			s.rows[i].vec ^= v
			s.rows[i].combo ^= combo
		}
	}
	s.rows = append(s.rows, spanRow{v, combo, lead})
	return true
}

// reduce subtracts from v what lies in the span. It gives the rest, and the combination of pivots that was
// subtracted.
func (s *span) reduce(v uint64) (rest, combo uint64) {
	for _, r := range s.rows {
		if v&r.lead != 0 {
			v ^= r.vec
			combo ^= r.combo
		}
	}
	return v, combo
}

// solve finds the combination of pivots that sums up to v.
func (s *span) solve(v uint64) (combo uint64, ok bool) {
	rest, combo := s.reduce(v)
	return combo, rest == 0
}

func (s *span) rank() int { return len(s.rows) }

func spanOf(vectors []uint64) *span {
	s := &span{}
	for _, v := range vectors {
		s.add(v)
	}
	return s
}
