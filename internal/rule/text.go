package rule

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

var nan = math.NaN()

// MarshalText returns a rule as text, its steps in order: "n_cols 256 LE".
func (r Rule) MarshalText() ([]byte, error) {
	words := make([]string, len(r))
	for i, s := range r {
		switch s.Op {
		case Push:
			words[i] = strconv.FormatFloat(s.Value, 'g', -1, 64)
		case Load:
			words[i] = "$" + s.Name
		default:
			words[i] = table[s.Op].name
		}
	}
	return []byte(strings.Join(words, " ")), nil
}

// UnmarshalText reads what MarshalText wrote.
func (r *Rule) UnmarshalText(text []byte) error {
	*r = nil
	depth := 0
	for _, word := range strings.Fields(string(text)) {
		s := Step{Op: Push}
		if name, ok := strings.CutPrefix(word, "$"); ok {
			s = Step{Op: Load, Name: name}
		} else if op := slices.Index(Ops(), word); op > int(Load) {
			s = Step{Op: Op(op)}
		} else if v, err := strconv.ParseFloat(word, 64); err == nil {
			s.Value = v
		} else {
			return fmt.Errorf("%q is no step of a rule", word)
		}
		needs, leaves := s.operands()
		if depth < needs {
			return fmt.Errorf("%q: %s has too few operands", text, word)
		}
		depth += leaves - needs
		*r = append(*r, s)
	}
	if len(*r) > 0 && depth != 1 || r.depth() > Depth {
		return fmt.Errorf("%q is no rule", text)
	}
	return nil
}

// operands returns how many values a step takes and leaves.
func (s Step) operands() (takes, leaves int) {
	switch {
	case s.Op == Push || s.Op == Load:
		return 0, 1
	case s.Op == Select:
		return 3, 1
	case table[s.Op].one != nil:
		return 1, 1
	}
	return 2, 1
}
