package rewrite

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/rule"
)

// Library is a library of operators.
type Library struct {
	Path      string
	Operators []*Operator
}

// Operator is an operator of a library.
type Operator struct {
	*rule.Operator
	Kernels []rule.Kernels
}

// maxDescription bounds the description of a library.
const maxDescription = 16 << 20

// ReadLibrary reads the description of a library. It does not load it.
func ReadLibrary(path string) (*Library, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s is no shared library: %w", path, err)
	}
	defer f.Close()
	s := f.Section(rule.LibrarySection)
	if s == nil {
		return nil, fmt.Errorf("%s does not describe its operators: build it with nereid aot --so --onnx",
			path)
	}
	if s.Size > maxDescription {
		return nil, fmt.Errorf("%s: its description has %d bytes", path, s.Size)
	}
	text, err := s.Data()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	text, _, _ = bytes.Cut(text, []byte{0})
	var l rule.Library
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, fmt.Errorf("%s: its description cannot be read: %w", path, err)
	}
	if l.Version != rule.LibraryVersion {
		return nil, fmt.Errorf("%s: its description has version %d, and this program reads %d", path,
			l.Version, rule.LibraryVersion)
	}
	out := &Library{Path: path}
	for _, served := range l.Operators {
		o, _, err := rule.CompileOperator(served.OperatorText)
		if err != nil {
			return nil, fmt.Errorf("%s: operator %s: %w", path, served.Name, err)
		}
		out.Operators = append(out.Operators, &Operator{o, served.Kernels})
	}
	return out, nil
}

// Serving reports whether the library says of one of its operators what it serves.
func (l *Library) Serving() bool {
	return slices.ContainsFunc(l.Operators, func(o *Operator) bool { return len(o.Serves) > 0 })
}
