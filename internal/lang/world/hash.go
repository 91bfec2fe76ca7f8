package world

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// Hash returns a hash of the texts of the file and of all files that it has imported so far. Where they lie
// does not matter.
func (s *Source) Hash() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var sums []string
	for _, p := range s.parsed {
		if p.m != nil && p.m != s.syntax {
			sum := sha256.Sum256(p.m.File.Src)
			sums = append(sums, string(sum[:]))
		}
	}
	slices.Sort(sums)
	h := sha256.New()
	h.Write(s.syntax.File.Src)
	for _, sum := range sums {
		h.Write([]byte(sum))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
