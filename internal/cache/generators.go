package cache

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/safefile"
)

// generatorsName is a file beside the entries with a line for each generator that has made one: a key cannot
// be computed without knowing which, and a machine that has none of its own can use what others made.
const generatorsName = "generators"

const (
	maxGenerators = 64   // lines that are looked at
	maxGenerator  = 1000 // bytes of one
)

// Generators returns the generators that have made entries, the latest first.
func (s *Store) Generators() []string {
	if s == nil {
		return nil
	}
	if !s.trusted() {
		return nil
	}
	data, err := safefile.ReadTrusted(filepath.Join(s.o.Dir, generatorsName), maxHeader)
	if err != nil {
		return nil
	}
	list := strings.Split(strings.TrimSpace(string(data)), "\n")
	slices.Reverse(list)
	return list[:min(len(list), maxGenerators)]
}

// noteGenerator adds a generator to the file. Two processes may both add it: that is no harm.
func (s *Store) noteGenerator(g string) {
	if s.o.ReadOnly || !s.trusted() || g == "" || len(g) > maxGenerator || strings.ContainsAny(g, "\n\r") {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.noted[g] {
		return
	}
	if s.noted == nil {
		s.noted = map[string]bool{}
	}
	s.noted[g] = true
	if slices.Contains(s.Generators(), g) {
		return
	}
	f, err := os.OpenFile(filepath.Join(s.o.Dir, generatorsName),
		os.O_WRONLY|os.O_APPEND|os.O_CREATE|safefile.NonBlock, 0o644)
	if err != nil {
		return
	}
	defer f.Close()
	f.WriteString(g + "\n")
}
