package aot

import (
	"fmt"
	"regexp"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/python"
)

// places finds the text of a table's rows, for messages.
type places interface {
	files() *diag.FileSet
	at(row int, key string) diag.Span // place of a key of a row, as well as it is known
	name(row int) string              // what the row is called in messages
}

// pythonPlaces finds keys in a Python file. A row is made by a dictionary that many rows share, so the place
// is that of the key in the file's first dictionary that has it.
type pythonPlaces struct {
	src   *lang.Source
	names []string // of the rows, as far as they are known
}

func (p *pythonPlaces) files() *diag.FileSet { return p.src.Files() }

func (p *pythonPlaces) name(row int) string {
	if row < len(p.names) && p.names[row] != "" {
		return "variant " + p.names[row]
	}
	return fmt.Sprintf("entry %d", row+1)
}

func (p *pythonPlaces) at(_ int, key string) (span diag.Span) {
	found := func(k python.Node) { // the first one counts
		if !span.Start.IsValid() {
			span = k.Span()
		}
	}
	python.Inspect(p.src.Syntax(), func(n python.Node) bool {
		switch n := n.(type) {
		case *python.Dict:
			for i, k := range n.Keys {
				if c, ok := k.(*python.Constant); ok && c.Value == key {
					found(n.Values[i])
				}
			}
		case *python.Keyword: // dict(name=…)
			if n.Arg == key {
				found(n.Value)
			}
		}
		return true
	})
	if !span.Start.IsValid() {
		return p.src.Definition(tableFunc)
	}
	return span
}

// tomlPlaces finds keys in a manifest: the parser does not tell where they are.
type tomlPlaces struct {
	set  *diag.FileSet
	file *diag.File
	text []byte
	kind []string // of the rows: the names of their kernels
}

func (p *tomlPlaces) files() *diag.FileSet { return p.set }

func (p *tomlPlaces) name(row int) string {
	if row < len(p.kind) && p.kind[row] != "" {
		return p.kind[row]
	}
	return fmt.Sprintf("%s %d", section, row+1)
}

var sectionHead = regexp.MustCompile(`(?m)^[ \t]*\[\[[ \t]*(\w+)[ \t]*\]\]`)

// at returns the place of a key in a section of variants. row -1 is the part before all sections.
func (p *tomlPlaces) at(row int, key string) diag.Span { return p.in(section, row, key) }

// in returns the place of a key between the head of a section of a kind and the next section.
func (p *tomlPlaces) in(kind string, row int, key string) diag.Span {
	heads := append(sectionHead.FindAllSubmatchIndex(p.text, -1), []int{len(p.text), len(p.text), 0, 0})
	from, to, head := 0, heads[0][0], diag.Span{}
	for i, h := range heads[:len(heads)-1] {
		if row < 0 || string(p.text[h[2]:h[3]]) != kind {
			continue
		}
		if row--; row < 0 {
			from, to = h[1], heads[i+1][0]
			head = diag.Span{Start: p.file.Pos(h[0]), End: p.file.Pos(h[1])}
		}
	}
	line := regexp.MustCompile(`(?m)^[ \t]*(?:[\w.]+\.)?["']?(` + regexp.QuoteMeta(key) + `)["']?[ \t]*=`)
	if m := line.FindSubmatchIndex(p.text[from:to]); m != nil {
		return diag.Span{Start: p.file.Pos(from + m[2]), End: p.file.Pos(from + m[3])}
	}
	return head
}
