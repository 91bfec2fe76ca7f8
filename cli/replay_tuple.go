package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/replay"
	"github.com/nereid-lang/nereid/internal/safefile"
)

// Older recordings say of a tuple only what its items are. That an item was a tl.constexpr, or that the
// tuple had names, is guessed.

// tupleGuess is one way to read the tuples of a recording.
type tupleGuess struct {
	consts bool             // integers are compiled in
	names  map[int][]string // of named tuples, by number of items
}

// apply reads a value so.
func (g tupleGuess) apply(v any) any {
	items, ok := v.([]any)
	if !ok {
		return v
	}
	out := make([]any, len(items))
	for i, item := range items {
		if _, isInt := item.(int64); isInt && g.consts {
			item = nereid.Const{Value: item}
		}
		out[i] = g.apply(item)
	}
	names := g.names[len(items)]
	if names == nil {
		return out
	}
	fields := make(nereid.Fields, len(items))
	for i, name := range names {
		fields[i] = nereid.Arg(name, out[i])
	}
	return fields
}

// tupleGuesses are the ways to read the tuples of a case.
func tupleGuesses(c *replay.Case, root string) []tupleGuess {
	if !slices.ContainsFunc(c.Args, func(a replay.Arg) bool {
		return a.Kind == replay.Tuple && !a.Constexpr
	}) {
		return nil
	}
	out := []tupleGuess{{consts: true}}
	src, err := safefile.Read(c.Source(root), maxInput)
	if names := namedTuples(string(src)); err == nil && len(names) > 0 {
		out = append(out, tupleGuess{names: names}, tupleGuess{consts: true, names: names})
	}
	return out
}

var (
	namedClass = regexp.MustCompile(`(?m)^class[ \t]+\w+\([\w.]*NamedTuple\):[^\n]*\n((?:[ \t]+[^\n]*\n|\n)+)`)
	namedField = regexp.MustCompile(`(?m)^[ \t]+(\w+)[ \t]*:`)
	namedCall  = regexp.MustCompile(`\bnamedtuple\(\s*["']\w+["']\s*,\s*[\["'(]([^\])]*)`)
	fieldWord  = regexp.MustCompile(`\w+`)
)

// namedTuples are the named tuples that a module defines, the first one of each length.
func namedTuples(src string) map[int][]string {
	out := map[int][]string{}
	add := func(names []string) {
		if len(names) > 0 && out[len(names)] == nil {
			out[len(names)] = names
		}
	}
	for _, m := range namedClass.FindAllStringSubmatch(src, -1) {
		var names []string
		for _, f := range namedField.FindAllStringSubmatch(m[1], -1) {
			names = append(names, f[1])
		}
		add(names)
	}
	for _, m := range namedCall.FindAllStringSubmatch(src, -1) {
		add(fieldWord.FindAllString(strings.TrimRight(m[1], `"' `), -1))
	}
	return out
}
