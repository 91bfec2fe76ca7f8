package world

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/python"
)

// Around returns the call of the language (tl.load, tl.store ...) around a place of the file or of one that
// it imports: the location of an operation is that of its last argument. Without such a call it is the
// innermost one, or else the place itself. what is a part of the wanted call's name, "load" or "store":
// several calls may be around a place. It is false for a place that is in no file of the source. Columns
// count bytes from 1.
func (s *Source) Around(what, file string, line, column int) (diag.Span, bool) {
	m := s.syntaxOf(file)
	if m == nil || line < 1 || column < 1 {
		return diag.Span{}, false
	}
	start := 0
	for n := 1; n < line; n++ {
		i := strings.IndexByte(string(m.File.Src[start:]), '\n')
		if i < 0 {
			return diag.Span{}, false
		}
		start += i + 1
	}
	at := m.File.Pos(min(start+column-1, len(m.File.Src)))
	best, known := diag.At(at), false
	python.Inspect(m, func(n python.Node) bool {
		if n == nil { // the end of a node
			return true
		}
		span := n.Span()
		if at < span.Start || at >= span.End {
			_, module := n.(*python.Module)
			return module
		}
		if call, ok := n.(*python.Call); ok {
			name, _ := accessed(call)
			is := slices.Contains(pointed, name) && strings.Contains(name, what)
			if is || !known {
				best, known = span, known || is
			}
		}
		return true
	})
	return best, true
}

// pointed has the functions that a fault is shown at.
var pointed = append([]string{"device_assert", "device_print", "gather", "dot", "load_tensor_descriptor",
	"store_tensor_descriptor"}, accesses...)

// syntaxOf returns the tree of a file of the source, by the name in locations.
func (s *Source) syntaxOf(file string) *python.Module {
	file = filepath.ToSlash(file)
	same := func(name string) bool {
		name = filepath.ToSlash(name)
		return name == file || strings.HasSuffix(file, "/"+strings.TrimPrefix(name, "./")) ||
			strings.HasSuffix(name, "/"+file)
	}
	if same(s.Name) {
		return s.syntax
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, p := range s.parsed {
		if p.m != nil && same(name) {
			return p.m
		}
	}
	return nil
}
