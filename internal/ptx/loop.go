package ptx

import (
	"iter"
	"strings"
)

// Branch returns the label that a branch goes to, "" if the statement is none.
func (s *Stmt) Branch() string {
	if !s.Is("bra") {
		return ""
	}
	return s.Args
}

// Loops returns the loops of a function: the statements from behind a label to the branch back to it, and
// that branch. Labels of inline assembly, which lack LLVM's "$", begin no loop of the kernel: they wait for
// a barrier.
func (f *Func) Loops() iter.Seq[[]Stmt] {
	return func(yield func([]Stmt) bool) {
		begins := map[string]int{}
		for i := range f.Body {
			s := &f.Body[i]
			if s.Kind == Label && strings.HasPrefix(s.Opcode, "$") {
				begins[s.Opcode] = i + 1
			}
			if begin, ok := begins[s.Branch()]; ok && !yield(f.Body[begin:i+1]) {
				return
			}
		}
	}
}

// Loops returns the loops of all functions.
func (m *Module) Loops() iter.Seq[[]Stmt] {
	return func(yield func([]Stmt) bool) {
		for _, f := range m.Funcs {
			for body := range f.Loops() {
				if !yield(body) {
					return
				}
			}
		}
	}
}
