package lsp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/gen"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/python"
)

// document is an open file.
type document struct {
	uri, file string
	version   int
	text      string
	*analysis           // of text, or of the text before the last changes
	whole     *analysis // the last one of a text without faults of syntax; nil if there was none
	stale     bool
	saved     bool // a file that it imports may have changed
}

// analysis is what is known of a text.
type analysis struct {
	lines  *lines
	tree   *python.Module // nil if nothing could be parsed
	source *lang.Source   // nil if the text has faults of syntax
	faults []diagnostic
	seen   []lang.Seen // expressions, in the order of their compilation
	args   map[string]map[string]string

	segments []segment
	kernels  map[string]*result
	compiled int // kernels that were not known from before
	work     int // expressions compiled
}

// limits bound what a document may cost: an editor does not wait longer.
var limits = budget.Limits{Time: 3 * time.Second, Ops: 200_000, Memory: 512 << 20}

// analyse compiles the kernels of a document.
func (s *Server) analyse(d *document) {
	a := &analysis{lines: newLines(d.text), args: map[string]map[string]string{},
		kernels: map[string]*result{}}
	d.analysis, d.stale = a, false
	defer func() { // a fault of ours must not end the editor's session
		if r := recover(); r != nil {
			a.add(diagnostic{Severity: 2, Source: "nereid", Message: fmt.Sprintf("internal error: %v", r)})
		}
	}()
	a.tree, _ = python.Parse(diag.NewFileSet(), d.file, []byte(d.text)) // Load reports its faults
	src, err := lang.Load(d.file, []byte(d.text), lang.LoadOptions{OnDisk: true, Roots: s.Roots,
		Limits: limits})
	if err != nil {
		a.fault(d, err)
		return
	}
	a.source = src
	defer src.Share()()
	a.segments = segments(a.tree, d.text)
	var kept *moved
	if d.whole != nil && !d.saved {
		kept = compare(d.file, d.whole.segments, a.segments)
	}
	known := kept.examples(d.whole)
	examples, err := gen.Examples(filepath.ToSlash(d.file), []byte(d.text),
		gen.Options{Roots: s.Roots, Source: src, Known: known}, nil)
	if err != nil && len(src.Names()) > 0 {
		a.fault(d, err)
	}
	for _, e := range examples {
		if _, same := known[e.Kernel]; same {
			a.keep(e.Kernel, kept.again(d.whole, e.Kernel, a.lines))
			continue
		}
		before := ""
		if d.whole != nil && d.whole.kernels[e.Kernel] != nil {
			before = d.whole.kernels[e.Kernel].taken
		}
		a.compiled++
		a.keep(e.Kernel, a.kernel(d, e, before))
	}
	d.whole, d.saved = a, false
}

// keep takes over what is known of a kernel.
func (a *analysis) keep(kernel string, r *result) {
	a.kernels[kernel] = r
	if r.args != nil {
		a.args[kernel] = r.args
	}
	a.seen = append(a.seen, r.seen...)
	for _, f := range r.faults {
		a.add(f)
	}
}

// enough is the number of expressions that are compiled for a kernel before no further signatures are tried.
const enough = 2000

// kernel compiles a kernel for the signature that its text suggests, or else for the one that it took before
// an edit, or for others.
func (a *analysis) kernel(d *document, e gen.Example, before string) *result {
	r := &result{example: e}
	params, err := a.source.Params(e.Kernel, lang.DefaultTarget)
	if err != nil {
		r.faults = a.faultsOf(d, err)
		return r
	}
	if e.Untyped != "" { // nothing is known of it: neither right nor wrong
		return r
	}
	var first error
	list := e.Signatures()
	if i := slices.Index(list, before); i > 1 {
		list = slices.Insert(slices.Delete(list, i, i+1), 1, before)
	}
	begun := a.work
	for i, signature := range list {
		if i > 1 && a.work-begun > enough {
			break
		}
		seen, err := a.compile(e.Kernel, params, signature, first == nil)
		if err == nil || first == nil {
			r.note(params, signature, seen)
		}
		if err == nil {
			r.taken = signature
		}
		if err == nil || unsure(err) {
			return r
		}
		if first == nil {
			first = err
		}
		if !ofTypes(first) {
			break
		}
	}
	if len(e.Guessed) == 0 || !refused(first) {
		r.faults = a.faultsOf(d, first)
	}
	return r
}

// fewIterations of a tl.static_range, at its beginning and at its end, tell the types of all: a number of
// iterations that was made up, or a nest of such loops, would have the editor wait. A fault behind iterations
// that were left out may be due to that: then manySteps are compiled before any is, and those faults that may
// still be due to it are not told.
const (
	fewIterations = 4
	manySteps     = 4000
)

// compile compiles a kernel, up to its first fault or with all faults. It returns what was seen on the way,
// also beside an error.
func (a *analysis) compile(kernel string, params []lang.Param, signature string,
	all bool) (seen []lang.Seen, err error) {
	specs, err := lang.ParseSignature(params, signature)
	if err != nil {
		return nil, err
	}
	var doubtful []diag.Diagnostic
	o := lang.Options{Unroll: fewIterations, Doubtful: &doubtful,
		Seen: func(s lang.Seen) { seen = append(seen, s) }}
	if !all {
		o.MaxFaults = 1
	}
	for _, o.UnrollSteps = range []int{0, manySteps} {
		seen, doubtful, o.Meter = nil, nil, budget.New(context.Background(), limits)
		_, err = a.source.Compile(kernel, specs, o)
		if a.work += len(seen); len(doubtful) == 0 {
			break
		}
	}
	return seen, err
}

// note keeps what a compilation saw, and the types of the kernel's parameters.
func (r *result) note(params []lang.Param, signature string, seen []lang.Seen) {
	entries, err := lang.SplitSignature(params, signature)
	if err != nil {
		return
	}
	types := map[string]string{}
	for i, p := range params {
		types[p.Name], _, _ = strings.Cut(entries[i], ":")
		if p.Constexpr {
			types[p.Name] = "constexpr[" + entries[i] + "]"
		}
	}
	r.args = types
	r.seen = append(r.seen, seen...)
}

// refused reports whether a kernel does not take values that were made up: a tl.static_assert says so.
func refused(err error) bool {
	var list *diag.List
	return errors.As(err, &list) && slices.ContainsFunc(list.Diags, func(d diag.Diagnostic) bool {
		return d.Code == "static-assert"
	})
}

// unsure reports whether an error has no fault that is one for certain.
func unsure(err error) bool {
	var list *diag.List
	return errors.As(err, &list) && len(list.Diags) == 0
}

// otherCodes are those of faults that no other types of tensors would mend.
var otherCodes = []string{"shape-mismatch", "undefined", "no-attribute", "not-jit", "not-constexpr",
	"static-assert", "bad-arguments"}

// ofTypes reports whether a kernel may compile for tensors of other types. An editor waits for each attempt.
func ofTypes(err error) bool {
	var list *diag.List
	return !errors.As(err, &list) || !slices.ContainsFunc(list.Diags, func(d diag.Diagnostic) bool {
		return slices.Contains(otherCodes, d.Code)
	})
}

// severities of the protocol.
var severities = map[string]int{"error": 1, "warning": 2, "remark": 3}

// fault adds the diagnostics of an error.
func (a *analysis) fault(d *document, err error) {
	for _, f := range a.faultsOf(d, err) {
		a.add(f)
	}
}

// faultsOf returns the diagnostics of an error.
func (a *analysis) faultsOf(d *document, err error) (found []diagnostic) {
	var list *diag.List
	if !errors.As(err, &list) {
		return []diagnostic{{Severity: 1, Source: "nereid", Message: err.Error()}}
	}
	for _, x := range list.Diags {
		msg := x.Msg
		if x.Hint != "" {
			msg += "\nhint: " + x.Hint
		}
		out := diagnostic{Severity: severities[x.Severity.String()], Code: x.Code, Source: "nereid",
			Message: msg}
		file, r := a.place(list.Files, x.Span)
		if sameFile(file, d.file) {
			out.Range = r
		} else { // the fault is in a file that this one imports
			out.Message = filepath.Base(file) + ": " + out.Message
			out.Related = append(out.Related, related{location{uriOf(file), r}, x.Msg})
		}
		for _, n := range x.Notes {
			if file, r := a.place(list.Files, n.Span); file != "" {
				out.Related = append(out.Related, related{location{uriOf(file), r}, n.Msg})
			}
		}
		found = append(found, out)
	}
	return found
}

// add adds a diagnostic; one that several kernels share is kept once.
func (a *analysis) add(d diagnostic) {
	same := func(o diagnostic) bool { return o.Range == d.Range && o.Message == d.Message }
	if !slices.ContainsFunc(a.faults, same) {
		a.faults = append(a.faults, d)
	}
}

// place returns file and range of a span.
func (a *analysis) place(files *diag.FileSet, span diag.Span) (string, Range) {
	f := files.File(span.Start)
	if f == nil {
		return "", Range{}
	}
	text := newLines(string(f.Src))
	start, end := f.Offset(span.Start), f.Offset(span.End)
	return f.Name, text.span(start, max(start, end))
}

// at returns what was seen of the smallest expression around an offset: its place, and what is known of it.
func (a *analysis) at(file string, offset int) (best lang.Seen, types []string) {
	size := 1 << 30
	for _, s := range a.seen {
		if offset < s.Start || offset > s.End || !sameFile(s.File, file) {
			continue
		}
		if n := s.End - s.Start; n < size {
			best, types, size = s, nil, n
		}
		if s.Start == best.Start && s.End == best.End && !slices.Contains(types, s.Type) {
			types = append(types, s.Type)
		}
	}
	return best, types
}
