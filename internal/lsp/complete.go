package lsp

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/lang/stdlib"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
)

var (
	dotted   = regexp.MustCompile(`([A-Za-z_][\w.]*)\.(\w*)$`)
	plain    = regexp.MustCompile(`(?:^|[^\w.])(\w*)$`)
	language = regexp.MustCompile(`(?m)^\s*import\s+triton\.language\s+as\s+(\w+)|` +
		`^\s*from\s+triton\s+import\s+language\s+as\s+(\w+)`)
)

// complete returns the names that can stand at an offset.
func (s *Server) complete(d *document, offset int) []completionItem {
	line := d.text[:offset]
	if i := strings.LastIndexByte(line, '\n'); i >= 0 {
		line = line[i+1:]
	}
	if m := dotted.FindStringSubmatch(line); m != nil {
		return members(d, m[1], m[2])
	}
	if m := plain.FindStringSubmatch(line); m != nil {
		return d.locals(offset, m[1])
	}
	return []completionItem{}
}

// members returns the names of triton.language or of one of its modules that begin with a prefix.
func members(d *document, owner, prefix string) []completionItem {
	out := []completionItem{}
	module := ""
	alias := "triton.language"
	if m := language.FindStringSubmatch(d.text); m != nil {
		alias = m[1] + m[2]
	}
	switch rest, below := strings.CutPrefix(owner, alias+"."); {
	case owner == alias || owner == "triton.language":
	case below:
		module = rest
	default:
		return out
	}
	version := triton.Default
	if d.source != nil {
		version = d.source.Version()
	}
	for _, b := range sem.In(version).All() {
		outside := module == "" && !b.Public || module != "" && b.Module != module
		hidden := strings.HasPrefix(b.Name, "_") && !strings.HasPrefix(prefix, "_")
		if outside || hidden || !strings.HasPrefix(b.Name, prefix) {
			continue
		}
		item := completionItem{Label: b.Name, Kind: kindFunction, Detail: b.Name + "(" + b.Params + ")"}
		switch b.State {
		case sem.Constant:
			item.Kind, item.Detail = kindConstant, ""
		case sem.Module:
			item.Kind, item.Detail = kindModule, ""
		case sem.Stdlib:
			if doc := docs()[b.Name]; doc != "" {
				item.Documentation = &markup{"plaintext", doc}
			}
		}
		out = append(out, item)
	}
	slices.SortFunc(out, func(a, b completionItem) int { return strings.Compare(a.Label, b.Label) })
	return slices.CompactFunc(out, func(a, b completionItem) bool { return a.Label == b.Label })
}

// docs returns the docstrings of the library that is written in the language itself, by function.
var docs = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, name := range []string{"standard.py", "random.py"} {
		text, err := stdlib.Files.ReadFile(name)
		if err != nil {
			continue
		}
		m, err := python.Parse(diag.NewFileSet(), name, text)
		if err != nil {
			continue
		}
		for _, st := range m.Body {
			if f, ok := st.(*python.FunctionDef); ok {
				out[f.Name] = python.Docstring(f.Body)
			}
		}
	}
	return out
})

// locals returns the names that the function around an offset and the module bind.
func (a *analysis) locals(offset int, prefix string) []completionItem {
	out := []completionItem{}
	if a.tree == nil || prefix == "" {
		return out
	}
	seen := map[string]bool{}
	add := func(name string, kind int) {
		if strings.HasPrefix(name, prefix) && name != prefix && !seen[name] {
			seen[name] = true
			out = append(out, completionItem{Label: name, Kind: kind})
		}
	}
	if _, fn := nameAt(a.tree, offset); fn != nil {
		python.Inspect(fn, func(n python.Node) bool {
			switch n := n.(type) {
			case *python.Arg:
				add(n.Arg, kindVariable)
			case *python.Name:
				if n.Ctx == python.Store {
					add(n.ID, kindVariable)
				}
			}
			return true
		})
	}
	for _, st := range a.tree.Body {
		switch st := st.(type) {
		case *python.FunctionDef:
			add(st.Name, kindFunction)
		case *python.Assign:
			for _, t := range st.Targets {
				if n, ok := t.(*python.Name); ok {
					add(n.ID, kindConstant)
				}
			}
		}
	}
	return out
}
