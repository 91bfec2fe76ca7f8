package codegen

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nereid-lang/nereid/internal/ir"
)

// lines is the debug information of a kernel: its lines, as LLVM's metadata, so that debuggers and profilers show them. nil is none.
type lines struct {
	text  strings.Builder
	next  int
	known map[string]string // a location's text → its number
	unit  string
	fn    string
	file  string // of the function
}

// firstLine is the number of the first metadata; those below are the module's own.
const firstLine = 100

// newLines starts with the kernel's own place.
func newLines(fn *ir.Op, name string) *lines {
	l := &lines{next: firstLine, known: map[string]string{}}
	place := ir.FileLocOf(fn.Loc)
	if place == nil {
		return nil
	}
	l.file = place.File
	l.unit = l.add("distinct !DICompileUnit(language: DW_LANG_Python, file: %s, producer: \"nereid\", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)",
		l.fileOf(place.File))
	typ := l.add("!DISubroutineType(types: !{})")
	l.fn = l.add("distinct !DISubprogram(name: %q, linkageName: %q, scope: %s, file: %s, line: %d, type: %s, scopeLine: %d, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: %s)",
		name, name+".range", l.fileOf(place.File), l.fileOf(place.File), place.Line, typ, place.Line, l.unit)
	return l
}

// add writes a node, once, and returns its number.
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

// at is what to write behind an instruction that comes from a place; where there is none, it is as before.
func (l *lines) at(loc ir.Loc, before string) string {
	if l == nil {
		return ""
	}
	place := ir.FileLocOf(loc)
	if place == nil {
		return before
	}
	scope := l.fn
	if place.File != l.file {
		scope = l.add("!DILexicalBlockFile(scope: %s, file: %s, discriminator: 0)", l.fn, l.fileOf(place.File))
	}
	return ", !dbg " + l.add("!DILocation(line: %d, column: %d, scope: %s)", place.Line, place.Col+1, scope)
}

// attr is what to write behind the head of the function.
func (l *lines) attr() string {
	if l == nil {
		return ""
	}
	return " !dbg " + l.fn
}

// metadata is the text of all of it.
func (l *lines) metadata() string {
	if l == nil {
		return ""
	}
	flags := []string{l.add("!{i32 2, !\"Debug Info Version\", i32 3}"), l.add("!{i32 7, !\"Dwarf Version\", i32 4}")}
	return fmt.Sprintf("!llvm.dbg.cu = !{%s}\n!llvm.module.flags = !{%s}\n%s", l.unit, strings.Join(flags, ", "), l.text.String())
}
