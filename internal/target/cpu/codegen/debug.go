package codegen

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nereid-lang/nereid/internal/ir"
)

// lines collects the line information of a kernel as LLVM metadata, for debuggers and profilers. A nil *lines
// has none.
type lines struct {
	text  strings.Builder
	next  int
	known map[string]string // number by text
	unit  string
	fn    string
	file  string // file of the function
}

// firstLine is the number of the first node; lower numbers are the module's own.
const firstLine = 100

// newLines returns the line information of a kernel, nil if its position is unknown.
func newLines(fn *ir.Op, name string) *lines {
	l := &lines{next: firstLine, known: map[string]string{}}
	place := ir.FileLocOf(fn.Loc)
	if place == nil {
		return nil
	}
	l.file = place.File
	l.unit = l.add("distinct !DICompileUnit(language: DW_LANG_Python, file: %s, producer: \"nereid\", "+
		"isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)",
		l.fileOf(place.File))
	typ := l.add("!DISubroutineType(types: !{})")
	l.fn = l.add("distinct !DISubprogram(name: %q, linkageName: %q, scope: %s, file: %s, line: %d, type: "+
		"%s, scopeLine: %d, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: %s)",
		name, name+".range", l.fileOf(place.File), l.fileOf(place.File), place.Line, typ, place.Line, l.unit)
	return l
}

// add returns the number of a node. Equal nodes are written once.
func (l *lines) add(format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	if n := l.known[text]; n != "" {
		return n
	}
	n := fmt.Sprintf("!%d", l.next)
	l.next++
	l.known[text] = n
	fmt.Fprintf(&l.text, "%s = %s\n", n, text)
	return n
}

func (l *lines) fileOf(path string) string {
	return l.add("!DIFile(filename: %q, directory: %q)", filepath.Base(path), filepath.Dir(path))
}

// at returns the suffix of an instruction with location loc, or before if loc is unknown.
func (l *lines) at(loc ir.Loc, before string) string {
	if l == nil {
		return ""
	}
	place := userPlace(loc)
	if place == nil {
		return before
	}
	scope := l.fn
	if place.File != l.file {
		scope = l.add("!DILexicalBlockFile(scope: %s, file: %s, discriminator: 0)", l.fn,
			l.fileOf(place.File))
	}
	return ", !dbg " + l.add("!DILocation(line: %d, column: %d, scope: %s)", place.Line, place.Col+1, scope)
}

// libraryFiles is in the names of the files of the language's own library, which are on no disk.
const libraryFiles = "nereid/stdlib/"

// userPlace returns the innermost place of a chain of calls that is in the user's code: of tl.max, where it
// is called. Code that the library alone has made has the library's place.
func userPlace(loc ir.Loc) *ir.FileLoc {
	place := ir.FileLocOf(loc)
	for place != nil && strings.Contains(place.File, libraryFiles) {
		if n, ok := loc.(*ir.NameLoc); ok {
			loc = n.Child
			continue
		}
		call, ok := loc.(*ir.CallSiteLoc)
		if !ok {
			break
		}
		loc = call.Caller
		if outer := ir.FileLocOf(loc); outer != nil {
			place = outer
		}
	}
	return place
}

// attr returns the suffix of the function's head.
func (l *lines) attr() string {
	if l == nil {
		return ""
	}
	return " !dbg " + l.fn
}

// metadata returns the text of all nodes.
func (l *lines) metadata() string {
	if l == nil {
		return ""
	}
	flags := []string{l.add("!{i32 2, !\"Debug Info Version\", i32 3}"),
		l.add("!{i32 7, !\"Dwarf Version\", i32 4}")}
	return fmt.Sprintf("!llvm.dbg.cu = !{%s}\n!llvm.module.flags = !{%s}\n%s", l.unit,
		strings.Join(flags, ", "), l.text.String())
}
