package lower

import (
	"fmt"
	"path"
	"strings"

	"github.com/nereid-lang/nereid/internal/ir"
)

// debugInfo collects the metadata that gives instructions their source lines. Profilers and debuggers show
// the kernel's source with it.
type debugInfo struct {
	nodes []string
	ids   map[string]int // number by text
}

// firstNode is the first free number: 0 is the compile unit, 1 the metadata version.
const firstNode = 2

// node returns the reference to a metadata node. Equal texts share a node.
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
	return d.node(fmt.Sprintf("!DIFile(filename: \"%s\", directory: \"%s\")", quote(base),
		quote(strings.TrimSuffix(dir, "/"))))
}

// function returns the metadata of a function, or "" if its source line is unknown.
func (d *debugInfo) function(fn *ir.Op) string {
	at := ir.FileLocOf(fn.Loc)
	if at == nil || at.Line <= 0 {
		return ""
	}
	name := quote(fn.Text("sym_name"))
	types := d.node("!DISubroutineType(types: !{})")
	return d.node(fmt.Sprintf("distinct !DISubprogram(name: \"%s\", linkageName: \"%s\", scope: %s, file: "+
		"%[3]s, line: %d, type: %s, scopeLine: %[4]d, spFlags: DISPFlagDefinition | DISPFlagOptimized, "+
		"unit: !0)", name, name, d.file(at.File), at.Line, types))
}

// at returns the location of op within a function, or "" if it is unknown.
func (d *debugInfo) at(function string, fn, op *ir.Op) string {
	at, home := ir.FileLocOf(op.Loc), ir.FileLocOf(fn.Loc)
	if function == "" || at == nil || at.Line <= 0 {
		return ""
	}
	scope := function
	if at.File != home.File { // op was inlined from another file
		scope = d.node(fmt.Sprintf("!DILexicalBlockFile(scope: %s, file: %s, discriminator: 0)", function,
			d.file(at.File)))
	}
	return d.node(fmt.Sprintf("!DILocation(line: %d, column: %d, scope: %s)", at.Line,
		min(at.Col, 1<<16-1), scope))
}

// text returns the module's metadata, or "" if there is none.
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
	fmt.Fprintf(&b, "!0 = distinct !DICompileUnit(language: DW_LANG_C, file: %s, producer: \"nereid\", "+
		"isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)\n", unit)
	b.WriteString("!1 = !{i32 2, !\"Debug Info Version\", i32 3}\n")
	for i, n := range d.nodes {
		fmt.Fprintf(&b, "!%d = %s\n", firstNode+i, n)
	}
	return b.String()
}
