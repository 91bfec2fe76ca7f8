package aot

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/rule"
	"github.com/nereid-lang/nereid/internal/safefile"
)

// Table lists kernels to be compiled ahead of time.
type Table struct {
	File     string   // the table's own
	Targets  []string // that it asks for; nil if it leaves them to the command
	Variants []Variant

	Operators []*rule.Operator // of a manifest: what ONNX Runtime makes of the groups
}

// Variant is a row of a table: a kernel with everything that its code depends on, except for the target.
type Variant struct {
	Name      string // "softmax_fp32_1024"; no other variant of the table has it
	Group     string // variants that compute the same; may be ""
	File      string // the kernel's
	Kernel    string
	Signature string // of all parameters, in the form of Kernel.Compile
	Options   nereid.Options
	Targets   []string // the only ones that it is compiled for; nil means all of the table's
	Launch    rule.Launch
}

// ReadOptions says where a table's imports are found.
type ReadOptions struct {
	Roots []string // more folders
}

// maxTable bounds the text of a table, and maxVariants its rows.
const (
	maxTable    = 16 << 20
	maxVariants = 100_000
)

// Read reads a table: a Python file with get_function_table(), or a manifest in TOML. An error in a table is
// a *diag.List.
func Read(file string, o ReadOptions) (*Table, error) {
	src, err := safefile.ReadNamed(file, maxTable)
	if err != nil {
		return nil, err
	}
	var t *Table
	switch ext := filepath.Ext(file); ext {
	case ".py":
		t, err = readPython(file, src, o)
	case ".toml":
		t, err = readManifest(file, src, o)
	default:
		return nil, fmt.Errorf("%s: a table is a .py file with get_function_table(), or a .toml manifest",
			file)
	}
	if err != nil {
		return nil, err
	}
	if len(t.Variants) == 0 {
		return nil, fmt.Errorf("%s: the table has no variants", file)
	}
	return t, nil
}

// Groups returns the names of the groups, sorted.
func (t *Table) Groups() []string {
	var out []string
	for _, v := range t.Variants {
		if v.Group != "" {
			out = append(out, v.Group)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Select returns the variants of some groups and of some names; without any it returns all. Names that the
// table does not have are an error.
func (t *Table) Select(groups, names []string) ([]Variant, error) {
	if len(groups) == 0 && len(names) == 0 {
		return t.Variants, nil
	}
	all := make([]string, len(t.Variants))
	for i, v := range t.Variants {
		all[i] = v.Name
	}
	if err := errors.Join(unknown("group", groups, t.Groups()), unknown("variant", names, all)); err != nil {
		return nil, fmt.Errorf("%s: %w", t.File, err)
	}
	var out []Variant
	for _, v := range t.Variants {
		if v.Group != "" && slices.Contains(groups, v.Group) || slices.Contains(names, v.Name) {
			out = append(out, v)
		}
	}
	return out, nil
}

// unknown returns an error for the first name that is not known.
func unknown(what string, names, known []string) error {
	for _, n := range names {
		if slices.Contains(known, n) {
			continue
		}
		switch best := diag.Nearest(n, known); {
		case best != "":
			return fmt.Errorf("there is no %s %q: did you mean %s?", what, n, best)
		case len(known) == 0:
			return fmt.Errorf("there is no %s %q: there is none at all", what, n)
		}
		return fmt.Errorf("there is no %s %q: there are %s", what, n, some(known))
	}
	return nil
}

// some returns the first of many names as text.
func some(names []string) string {
	const most = 12
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// rows gathers the variants of a table, and its faults.
type rows struct {
	t      *Table
	places places
	names  map[string]bool
	faults diag.List
}

func newRows(file string, p places) *rows {
	return &rows{t: &Table{File: file}, places: p, names: map[string]bool{},
		faults: diag.List{Files: p.files()}}
}

// maxFaults is the number of faults after which reading a table ends.
const maxFaults = 10

// fault records a fault of a row at one of its keys. It reports whether reading goes on.
func (r *rows) fault(row int, key string, d diag.Diagnostic) bool {
	d.Code, d.Span = "table", r.places.at(row, key)
	d.Msg = fmt.Sprintf("%s: %s", r.places.name(row), d.Msg)
	r.faults.Add(d)
	return len(r.faults.Diags) < maxFaults
}

// add appends a variant whose signature has been composed, unless its name is taken.
func (r *rows) add(row int, v Variant) bool {
	switch {
	case v.Name == "":
		return r.fault(row, "name", diag.Diagnostic{Msg: "the name is empty"})
	case r.names[v.Name]:
		return r.fault(row, "name", diag.Diagnostic{
			Msg:  fmt.Sprintf("a second variant is called %q", v.Name),
			Hint: "put what tells them apart into the name"})
	case len(r.t.Variants) == maxVariants:
		return r.fault(row, "name",
			diag.Diagnostic{Msg: fmt.Sprintf("the table has over %d variants", maxVariants)})
	}
	r.names[v.Name] = true
	r.t.Variants = append(r.t.Variants, v)
	return true
}

// done returns the table, or its faults. Faults of one line are reported once.
func (r *rows) done() (*Table, error) {
	r.faults.Sort()
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	return r.t, nil
}

// asDiagnostic returns the first message of an error, for a place in a table.
func asDiagnostic(err error) diag.Diagnostic {
	var l *diag.List
	if errors.As(err, &l) && len(l.Diags) > 0 {
		return diag.Diagnostic{Msg: l.Diags[0].Msg, Hint: l.Diags[0].Hint}
	}
	return diag.Diagnostic{Msg: strings.TrimPrefix(err.Error(), "nereid: ")}
}

// checkSignature returns an error for a signature that does not fit the parameters.
func checkSignature(params []lang.Param, text string) error {
	_, err := lang.ParseSignature(params, text)
	return err
}
