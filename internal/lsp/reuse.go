package lsp

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/gen"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/python"
)

// An edit is most often inside of one function. What was seen of a kernel that neither is this function nor
// calls it is what would be seen again, at places that have moved with its text.

// result is what the compilation of a kernel told.
type result struct {
	example gen.Example // that it was compiled for
	taken   string      // the signature, "" if it took none
	args    map[string]string
	seen    []lang.Seen
	faults  []diagnostic
}

// segment is a statement of the file, with all that stands before it up to the statement before.
type segment struct {
	start, end int
	name       string   // of the function or class that it defines, or ""
	assigns    []string // the variables of an assignment, nil for other statements
	text       string
	names      map[string]bool // what it names
}

// segments takes a text apart; they leave nothing out.
func segments(tree *python.Module, text string) (list []segment) {
	if tree == nil {
		return nil
	}
	at := 0
	for i, s := range tree.Body {
		_, end := offsets(tree, s.Span())
		if i == len(tree.Body)-1 {
			end = len(text)
		}
		if end < at || end > len(text) {
			return nil
		}
		g := segment{start: at, end: end, text: text[at:end], names: named(s)}
		switch def := s.(type) {
		case *python.FunctionDef:
			g.name = def.Name
		case *python.ClassDef:
			g.name = def.Name
		case *python.Assign:
			g.assigns = variables(def.Targets)
		case *python.AnnAssign:
			g.assigns = variables([]python.Expr{def.Target})
		}
		list = append(list, g)
		at = end
	}
	return list
}

// variables returns the names that an assignment binds, nil if it binds more than names.
func variables(targets []python.Expr) (names []string) {
	for _, t := range targets {
		name, ok := t.(*python.Name)
		if !ok {
			return nil
		}
		names = append(names, name.ID)
	}
	return names
}

// reflective are functions that find others by the texts of their names.
var reflective = []string{"globals", "locals", "vars", "getattr", "eval", "exec"}

// named returns the names in a statement; texts are among them where they may be names: globals()["f"].
func named(s python.Stmt) map[string]bool {
	names, texts := map[string]bool{}, []string{}
	python.Inspect(s, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.Name:
			names[n.ID] = true
		case *python.Constant:
			if text, ok := n.Value.(string); ok {
				texts = append(texts, text)
			}
		}
		return true
	})
	if slices.ContainsFunc(reflective, func(name string) bool { return names[name] }) {
		for _, text := range texts {
			names[text] = true
		}
	}
	return names
}

// moved is what an edit left as it was: the functions that changed with the variables computed from them, and
// where all others went.
type moved struct {
	file     string
	from, to []segment
	changed  []string
}

// compare returns what an edit left of the analysis of a file, nil if more has changed than functions and
// classes, or if a statement other than an assignment names one that has.
func compare(file string, from, to []segment) *moved {
	if len(from) == 0 || len(from) != len(to) {
		return nil
	}
	m := &moved{file: file, from: from, to: to}
	for i := range from {
		if from[i].text == to[i].text {
			continue
		}
		if from[i].name == "" || from[i].name != to[i].name {
			return nil
		}
		m.changed = append(m.changed, to[i].name)
	}
	for i := 0; i < len(m.changed); i++ { // an assignment adds to them
		for _, s := range to {
			if s.name != "" || !s.names[m.changed[i]] {
				continue
			}
			if s.assigns == nil {
				return nil
			}
			for _, name := range s.assigns {
				if !slices.Contains(m.changed, name) {
					m.changed = append(m.changed, name)
				}
			}
		}
	}
	return m
}

// calls reports whether a function, or a function that it names, names what has changed.
func (m *moved) calls(function string, known map[string]bool) bool {
	if slices.Contains(m.changed, function) {
		return true
	}
	if _, under := known[function]; under {
		return known[function]
	}
	known[function] = false
	for _, s := range m.to {
		if s.name != function {
			continue
		}
		if slices.ContainsFunc(m.changed, func(name string) bool { return s.names[name] }) {
			known[function] = true
		}
		for _, o := range m.to {
			other := o.name != "" && o.name != function
			if other && s.names[o.name] && m.calls(o.name, known) {
				known[function] = true
			}
		}
	}
	return known[function]
}

// offset returns where a place of the file before has gone to.
func (m *moved) offset(at int) int {
	for i, s := range m.from {
		if at <= s.end {
			return at + m.to[i].start - s.start
		}
	}
	return at
}

// seen returns what was seen, at its new places.
func (m *moved) seen(list []lang.Seen) []lang.Seen {
	out := slices.Clone(list)
	for i := range out {
		s := &out[i]
		if sameFile(s.File, m.file) {
			s.Start, s.End = m.offset(s.Start), m.offset(s.End)
		}
		if s.DefFile != "" && sameFile(s.DefFile, m.file) {
			s.DefAt = m.offset(s.DefAt)
		}
	}
	return out
}

// examples returns the examples of kernels that an edit did not reach.
func (m *moved) examples(old *analysis) map[string]gen.Example {
	if m == nil {
		return nil
	}
	known := map[string]gen.Example{}
	for name, r := range old.kernels {
		if !m.calls(name, map[string]bool{}) {
			known[name] = r.example
		}
	}
	return known
}

// again returns what was known of a kernel before an edit that did not reach it.
func (m *moved) again(old *analysis, kernel string, now *lines) *result {
	r := old.kernels[kernel]
	return &result{r.example, r.taken, r.args, m.seen(r.seen), m.faults(old.lines, now, r.faults)}
}

// faults returns diagnostics at their new places.
func (m *moved) faults(old, now *lines, list []diagnostic) []diagnostic {
	place := func(r Range) Range {
		return now.span(m.offset(old.offset(r.Start)), m.offset(old.offset(r.End)))
	}
	out := slices.Clone(list)
	for i := range out {
		out[i].Range = place(out[i].Range)
		out[i].Related = slices.Clone(out[i].Related)
		for k := range out[i].Related {
			if l := &out[i].Related[k].Location; sameFile(fileOf(l.URI), m.file) {
				l.Range = place(l.Range)
			}
		}
	}
	return out
}
