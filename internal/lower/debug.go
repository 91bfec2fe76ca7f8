package lower

import (
	"fmt"
	"path"
	"strings"

	"github.com/nereid-lang/nereid/internal/ir"
)

// debugInfo is the metadata by which instructions know their lines: profilers and debuggers show the kernel's source beside the
// machine's code.
type debugInfo struct {
	nodes []string
	ids   map[string]int // by text
}

// Numbers 0 and 1 are the compile unit and the flag that says which version of metadata this is.
const firstNode = 2

// node is the reference to a piece of metadata, which is written once.
func (d *debugInfo) node(text string) string {
	id, ok := d.ids[text]
	if !ok {
		if d.ids == nil {
			d.ids = map[string]int{}
		}
		id = firstNode + len(d.nodes)
		d.ids[text] = id
		d.nodes = append(d.nodes, text)
	}
	return fmt.Sprintf("!%d", id)
}

func (d *debugInfo) file(name string) string {
	dir, base := path.Split(name)
	return d.node(fmt.Sprintf("!DIFile(filename: \"%s\", directory: \"%s\")", quote(base), quote(strings.TrimSuffix(dir, "/"))))
}

// function is the metadata of a function, or "" when its place is not known.
func (d *debugInfo) function(fn *ir.Op) string {
	at := ir.FileLocOf(fn.Loc)
	if at == nil || at.Line <= 0 {
		return ""
	}
	name := quote(fn.Text("sym_name"))
	types := d.node("!DISubroutineType(types: !{})")
	return d.node(fmt.Sprintf("distinct !DISubprogram(name: \"%s\", linkageName: \"%s\", scope: %s, file: %[3]s, line: %d, type: %s, scopeLine: %[4]d, "+
		"spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)", name, name, d.file(at.File), at.Line, types))
}

// at is the location of an operation within a function, or "".
func (d *debugInfo) at(function string, fn, op *ir.Op) string {
	at, home := ir.FileLocOf(op.Loc), ir.FileLocOf(fn.Loc)
	if function == "" || at == nil || at.Line <= 0 {
		return ""
	}
	scope := function
	if at.File != home.File { // what was inlined from elsewhere
		scope = d.node(fmt.Sprintf("!DILexicalBlockFile(scope: %s, file: %s, discriminator: 0)", function, d.file(at.File)))
	}
	return d.node(fmt.Sprintf("!DILocation(line: %d, column: %d, scope: %s)", at.Line, min(at.Col, 1<<16-1), scope))
}

// text is the module's metadata, "" if there is none.
func (d *debugInfo) text() string {
	if len(d.nodes) == 0 {
		return ""
	}
	unit := ""
	for i, n := range d.nodes {
		if strings.HasPrefix(n, "!DIFile") {
			unit = fmt.Sprintf("!%d", firstNode+i)
			break
		}
	}
	var b strings.Builder
	b.WriteString("\n!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!1}\n")
	fmt.Fprintf(&b, "!0 = distinct !DICompileUnit(language: DW_LANG_C, file: %s, producer: \"nereid\", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)\n", unit)
	b.WriteString("!1 = !{i32 2, !\"Debug Info Version\", i32 3}\n")
	for i, n := range d.nodes {
		fmt.Fprintf(&b, "!%d = %s\n", firstNode+i, n)
	}
	return b.String()
}
