package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/gen"
	"github.com/nereid-lang/nereid/internal/safefile"
)

type checkFlags struct {
	roots  []string
	target string
	json   bool
}

func newCheckCmd() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check (FILE.py... | -) [NAME=VALUE]... [KERNEL.NAME=VALUE]...",
		Short: "Shows what is wrong with the kernels of files",
		Long: "Reads files, or standard input as -, types their kernels and prints every diagnostic, for\n" +
			"people or, with --json, for editors. Types are inferred from what a kernel does with its\n" +
			"parameters and with what it loads. A compile-time argument is what NAME=VALUE says, what the\n" +
			"first config of @triton.autotune has, or its default; an integer of which nothing is known\n" +
			"is 64, or 2 if it is called a factor. NAME=VALUE says the type of any other argument too\n" +
			"(a_ptr='*i8'), KERNEL.NAME=VALUE that of one kernel's; a name that no kernel has is refused.\n" +
			"A kernel that cannot be typed is named, and the exit status is 4 if nothing else is wrong.",
		Example: "  nereid check kernels/softmax.py\n  nereid check kernels/matmul.py GROUP_M=8 --json\n" +
			"  nereid check - a_ptr='*i8' matmul_kernel.M=i64 < kernels/matmul.py",
		Args: named("a file: FILE.py"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	cmd.Flags().BoolVar(&f.json, "json", false,
		"print an object with diagnostics, checked and skipped kernels")
	cmd.Flags().StringVar(&f.target, "target", "cuda:90",
		"what to compile for: cuda:CAPABILITY, hip:CHIP, cpu, cpu:CHIP or interp")
	cmd.Flags().StringSliceVar(&f.roots, "root", nil, "more folders in which imports are found")
	return cmd
}

// checked is the result of check as --json prints it.
type checked struct {
	Diagnostics []diagnosticJSON `json:"diagnostics"`
	Checked     []string         `json:"checked"`
	Skipped     []skippedJSON    `json:"skipped"`
	text        []string         // of the errors, in the order of the kernels
	params      map[string]bool  // parameters, also behind the name of their kernel; nil if none is known
}

// name notes the parameters of a kernel.
func (c *checked) name(e gen.Example) {
	if c.params == nil {
		c.params = map[string]bool{}
	}
	for _, p := range e.Params {
		c.params[p], c.params[e.Kernel+"."+p] = true, true
	}
}

type diagnosticJSON struct {
	File      string     `json:"file"`
	Line      int        `json:"line"` // from 1, as columns
	Column    int        `json:"column"`
	EndLine   int        `json:"endLine"`
	EndColumn int        `json:"endColumn"`
	Severity  string     `json:"severity"`
	Code      string     `json:"code,omitempty"`
	Message   string     `json:"message"`
	Hint      string     `json:"hint,omitempty"`
	Kernel    string     `json:"kernel,omitempty"`
	Notes     []noteJSON `json:"notes,omitempty"`
}

type noteJSON struct {
	Message string `json:"message"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
}

type skippedJSON struct {
	Kernel string `json:"kernel"`
	Why    string `json:"why"`
}

func (f *checkFlags) run(cmd *cobra.Command, args []string) error {
	files, given, err := checkArguments(args)
	if err != nil {
		return err
	}
	out := &checked{Diagnostics: []diagnosticJSON{}, Checked: []string{}, Skipped: []skippedJSON{}}
	for _, file := range files {
		src, err := readChecked(cmd, file)
		if err != nil {
			return err
		}
		if err := f.file(cmd, file, src, given, out); err != nil {
			return err
		}
	}
	if err := out.knows(given); err != nil {
		return err
	}
	if f.json {
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetIndent("", "  ")
		if err := e.Encode(out); err != nil {
			return err
		}
	} else {
		out.print(cmd.OutOrStdout())
	}
	switch {
	case len(out.Diagnostics) > 0:
		return errReported
	case len(out.Skipped) > 0:
		return errUnchecked
	}
	return nil
}

// checkArguments takes files and values apart.
func checkArguments(args []string) (files []string, given map[string]string, err error) {
	given = map[string]string{}
	for _, a := range args {
		name, value, ok := strings.Cut(a, "=")
		switch {
		case ok:
			given[name] = value
		case a == "-" || strings.HasSuffix(a, ".py"):
			files = append(files, a)
		case len(files) > 0:
			return nil, nil, usagef("%q is no argument: write NAME=VALUE", a)
		default:
			files = append(files, a)
		}
	}
	if len(files) == 0 {
		return nil, nil, usagef("name a file: FILE.py")
	}
	return files, given, nil
}

// readChecked reads a file, or standard input.
func readChecked(cmd *cobra.Command, file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxInput))
	}
	return safefile.Read(file, maxInput)
}

// load loads a file, or the text of standard input.
func (f *checkFlags) load(file string, src []byte) (*nereid.Module, error) {
	if file == "-" {
		return nereid.Parse(stdinName, src, nereid.Roots(f.roots...), nereid.With(quietConfig()))
	}
	return nereid.Load(file, nereid.Roots(f.roots...), nereid.With(quietConfig()))
}

// stdinName is the name of standard input in messages.
const stdinName = "stdin.py"

// knows returns an error for a value of a parameter that no kernel has.
func (c *checked) knows(given map[string]string) error {
	if c.params == nil { // no file could be read to the end, and says so itself
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if c.params[name] {
			continue
		}
		known := slices.Sorted(maps.Keys(c.params))
		if best := diag.Nearest(name, known); best != "" {
			return usagef("no kernel has a parameter %s: did you mean %s?", name, best)
		}
		return usagef("no kernel has a parameter %s", name)
	}
	return nil
}

// file checks all kernels of a file. The error is not one of the file's.
func (f *checkFlags) file(cmd *cobra.Command, file string, src []byte, given map[string]string,
	out *checked) error {
	m, err := f.load(file, src)
	if file == "-" {
		file = stdinName
	}
	if err != nil {
		return out.add("", err)
	}
	o := gen.Options{Roots: f.roots, Nested: true}
	examples, err := gen.Examples(filepath.ToSlash(file), src, o, given)
	if err != nil {
		if len(m.Kernels()) == 0 {
			return usagef("%s has no kernels", file)
		}
		return out.add("", err)
	}
	for _, e := range examples {
		out.name(e)
		if e.Untyped != "" {
			out.skip(e.Kernel, "nothing says what "+e.Untyped+" is: "+e.Untyped+"=VALUE")
			continue
		}
		k, err := m.Kernel(e.Kernel)
		if err == nil {
			err = f.compile(cmd, k, e.Signatures())
		}
		if len(e.Guessed) > 0 && asserted(err) {
			out.skip(e.Kernel, "it does not take the values made up for it: "+strings.Join(e.Guessed, ", "))
			continue
		}
		if why := unknownAround(e.Kernel, err); why != "" {
			out.skip(e.Kernel, why)
			continue
		}
		out.Checked = append(out.Checked, e.Kernel)
		if err := out.add(e.Kernel, err); err != nil {
			return err
		}
	}
	return nil
}

// compile compiles a kernel for the first of its signatures that it takes. The error is that of the first.
func (f *checkFlags) compile(cmd *cobra.Command, k *nereid.Kernel, signatures []string) (first error) {
	for _, s := range signatures {
		c, err := k.CompileFor(contextOf(cmd), f.target, s, nereid.Options{}, "ttir")
		if err == nil {
			return c.Close()
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// unknownAround says what a kernel needs of the function that defines it, and that nothing in the file tells;
// "" for any other error, or kernel.
func unknownAround(kernel string, err error) string {
	var e *nereid.CompileError
	if !strings.Contains(kernel, ".") || !errors.As(err, &e) {
		return ""
	}
	for _, d := range e.Diagnostics {
		if d.Code == "unknown-package" {
			return strings.TrimPrefix(d.Message, "TypeError: ")
		}
	}
	return ""
}

// asserted reports whether a kernel refuses its compile-time arguments by tl.static_assert.
func asserted(err error) bool {
	var e *nereid.CompileError
	return errors.As(err, &e) && slices.ContainsFunc(e.Diagnostics, func(d nereid.Diagnostic) bool {
		return d.Code == "static-assert"
	})
}

func (c *checked) skip(kernel, why string) { c.Skipped = append(c.Skipped, skippedJSON{kernel, why}) }

// add adds the diagnostics of an error, and returns one that has none. What several kernels share is kept
// once.
func (c *checked) add(kernel string, err error) error {
	if err == nil {
		return nil
	}
	var e *nereid.CompileError
	if list := (*diag.List)(nil); !errors.As(err, &e) && errors.As(err, &list) {
		c.text = append(c.text, list.Error())
		for _, d := range list.Diags {
			p := list.Files.Place(d.Span.Start)
			c.Diagnostics = append(c.Diagnostics,
				diagnosticJSON{File: p.File, Line: p.Line, Column: p.Col, EndLine: p.Line, EndColumn: p.Col,
					Severity: d.Severity.String(), Code: d.Code, Message: d.Msg, Hint: d.Hint})
		}
		return nil
	}
	if e == nil {
		return err
	}
	fresh := false
	for _, d := range e.Diagnostics {
		j := diagnosticJSON{d.File, d.Line, d.Column, d.EndLine, d.EndColumn, d.Severity, d.Code, d.Message,
			d.Hint, kernel, nil}
		for _, n := range d.Notes {
			j.Notes = append(j.Notes, noteJSON(n))
		}
		same := func(o diagnosticJSON) bool {
			return o.File == j.File && o.Line == j.Line && o.Column == j.Column && o.Message == j.Message
		}
		if !slices.ContainsFunc(c.Diagnostics, same) {
			c.Diagnostics, fresh = append(c.Diagnostics, j), true
		}
	}
	if fresh {
		c.text = append(c.text, err.Error())
	}
	return nil
}

func (c *checked) print(out io.Writer) {
	for _, t := range c.text {
		fmt.Fprintln(out, t)
	}
	for _, s := range c.Skipped {
		fmt.Fprintf(out, "%s is not checked: %s\n", s.Kernel, s.Why)
	}
	fmt.Fprintf(out, "%s checked, %s\n", count(len(c.Checked), "kernel"),
		count(len(c.Diagnostics), "diagnostic"))
}
