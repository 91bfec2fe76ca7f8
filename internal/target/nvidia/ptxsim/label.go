package ptxsim

import "slices"

type jump struct {
	at     int
	label  string
	line   int
	scopes []int
}

// label is a label in a group in braces: others may have the same name.
type label struct {
	scope int
	name  string
}

// target returns the place of a label, as seen from a jump.
func (p *parser) target(j jump) (int, bool) {
	for _, scope := range slices.Backward(j.scopes) {
		if to, ok := p.labels[label{scope, j.label}]; ok {
			return to, true
		}
	}
	return 0, false
}
