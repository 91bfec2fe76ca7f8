package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/cform"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/runtime/code"
)

// withBundle opens a bundle and calls f with it.
func withBundle(name string, f func(*bundle.File) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	b, err := bundle.Open(file, info.Size())
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return f(b)
}

// withEntries opens a bundle and calls f with the entries that selected returns.
func withEntries(name string, names, groups, targets []string,
	f func(*bundle.File, []*bundle.Entry) error) error {
	return withBundle(name, func(b *bundle.File) error {
		list, err := selected(b, names, groups, targets)
		if err != nil {
			return err
		}
		return f(b, list)
	})
}

// entriesOf returns the entries of a bundle.
func entriesOf(b *bundle.File) []*bundle.Entry {
	out := make([]*bundle.Entry, b.Len())
	for i := range out {
		out[i] = b.Entry(i)
	}
	return out
}

// selected returns the entries of some names, groups and targets; none means all. An unknown one is an error.
func selected(b *bundle.File, names, groups, targets []string) ([]*bundle.Entry, error) {
	all := entriesOf(b)
	for _, s := range []struct {
		what  string
		given []string
		of    func(*bundle.Entry) string
	}{
		{"variant", names, func(e *bundle.Entry) string { return e.Name }},
		{"group", groups, func(e *bundle.Entry) string { return e.Group }},
		{"target", targets, func(e *bundle.Entry) string { return e.Target }},
	} {
		var known []string
		for _, e := range entriesOf(b) {
			known = append(known, s.of(e))
		}
		if err := checkKnown(s.what, s.given, known); err != nil {
			return nil, err
		}
		if len(s.given) > 0 {
			all = slices.DeleteFunc(all, func(e *bundle.Entry) bool {
				return !slices.Contains(s.given, s.of(e))
			})
		}
	}
	return all, nil
}

// checkKnown returns an error for a name that the bundle does not have.
func checkKnown(what string, given, known []string) error {
	slices.Sort(known)
	known = slices.Compact(known)
	for _, n := range given {
		if slices.Contains(known, n) {
			continue
		}
		if best := diag.Nearest(n, known); best != "" {
			return fmt.Errorf("the bundle has no %s %q: did you mean %s?", what, n, best)
		}
		shown := strings.Join(known[:min(len(known), 12)], ", ")
		if len(known) > 12 {
			shown += fmt.Sprintf(" and %d more", len(known)-12)
		}
		return fmt.Errorf("the bundle has no %s %q: it has %s", what, n, shown)
	}
	return nil
}

func newAOTListCmd() *cobra.Command {
	var asJSON bool
	var groups []string
	cmd := &cobra.Command{
		Example: "  nereid aot ls kernels.nrb",
		Use:     "ls BUNDLE.nrb", Short: "Lists the variants of a bundle", Args: one("a bundle: BUNDLE.nrb"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withEntries(args[0], nil, groups, nil, func(_ *bundle.File, list []*bundle.Entry) error {
				if asJSON {
					return printJSON(cmd, list)
				}
				return printEntries(cmd, list)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print entries as JSON")
	cmd.Flags().StringSliceVar(&groups, "group", nil, "only these groups")
	return cmd
}

func printJSON(cmd *cobra.Command, v any) error {
	e := json.NewEncoder(cmd.OutOrStdout())
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// printEntries prints a line for each entry.
func printEntries(cmd *cobra.Command, list []*bundle.Entry) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tGROUP\tTARGET\tKERNEL\tOPTIONS\tCONSTANTS\tCODE")
	for _, e := range list {
		var consts, parts []string
		for _, c := range e.Constants {
			consts = append(consts, c.Name+"="+c.Value)
		}
		for _, p := range e.Parts {
			if bundle.IsCode(p.Name) {
				parts = append(parts, p.Name+" "+sizeText(int64(p.Size)))
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", e.Name, e.Group, e.Target, e.Kernel,
			optionsText([]byte(e.Options)),
			strings.Join(consts, " "), strings.Join(parts, ", "))
	}
	return w.Flush()
}

func newAOTShowCmd() *cobra.Command {
	var targets []string
	cmd := &cobra.Command{
		Example: "  nereid aot show kernels.nrb softmax",
		Use:     "show BUNDLE.nrb [NAME...]", Short: "Prints what launches of variants must know, as JSON",
		Args: named("a bundle: BUNDLE.nrb"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withEntries(args[0], args[1:], nil, targets,
				func(b *bundle.File, list []*bundle.Entry) error {
					out := make([]shown, len(list))
					for i, e := range list {
						var err error
						if out[i], err = describeEntry(b, e); err != nil {
							return err
						}
					}
					return printJSON(cmd, out)
				})
		},
	}
	cmd.Flags().StringSliceVar(&targets, "target", nil, "only for these targets")
	return cmd
}

// shown is an entry with its description.
type shown struct {
	*bundle.Entry
	Hash        string              // of the code
	Forms       []shownForm         `json:",omitempty"`
	Certificate *bundle.Certificate `json:",omitempty"`
	Launch      json.RawMessage     // code.Saved
}

func describeEntry(b *bundle.File, e *bundle.Entry) (shown, error) {
	certificate, err := b.Certificate(e)
	if err != nil {
		return shown{}, err
	}
	meta, err := b.Read(e, bundle.PartMeta)
	if err != nil {
		return shown{}, err
	}
	forms, err := b.Forms(e)
	return shown{e, b.EntryHash(e), shownForms(forms), certificate, meta}, err
}

// shownForm is a form of an entry's code, and the launches that run it.
type shownForm struct {
	Form, Launches, Stage string
	Bytes                 int
	NotInC                string `json:",omitempty"` // why launches from C do without it
}

func shownForms(list []code.SavedForm) (out []shownForm) {
	if list == nil {
		return nil
	}
	for _, f := range list {
		form := shownForm{Form: f.Way.String(), Launches: guardOf(f.Way), Stage: f.Stage, Bytes: len(f.Code)}
		if err := cform.Launches(&f); err != nil {
			form.NotInC = err.Error()
		}
		out = append(out, form)
	}
	return append(out, shownForm{Form: device.Way{}.String(), Launches: "all others", Stage: "the entry's code"})
}

// guardOf says which launches run a form.
func guardOf(w device.Way) string {
	switch {
	case w.Merge > 0 && w.Unit:
		return fmt.Sprintf("many programs, a multiple of %d along x, and strides of 1", w.Merge)
	case w.Merge > 0:
		return fmt.Sprintf("many programs, a multiple of %d along x", w.Merge)
	case w.Persist:
		return "more programs than multiprocessors, with loops short enough to stay"
	case w.BlocksPerSM > 0:
		return fmt.Sprintf("at most %d programs on a multiprocessor", w.BlocksPerSM)
	}
	return "any whose arguments its tensor maps describe, if it has any"
}

func newAOTVerifyCmd() *cobra.Command {
	return &cobra.Command{
		Example: "  nereid aot verify kernels.nrb",
		Use:     "verify BUNDLE.nrb...", Short: "Checks that bundles are as they were written",
		Args: named("a bundle: BUNDLE.nrb"),
		RunE: func(cmd *cobra.Command, args []string) error {
			bad := false
			for _, name := range args {
				err := withBundle(name, func(b *bundle.File) error { return verifyBundle(cmd, name, b) })
				if err != nil {
					fmt.Fprintf(cmd.OutOrStdout(), "FAIL %v\n", err)
					bad = true
				}
			}
			if bad {
				return errReported
			}
			return nil
		},
	}
}

// verifyBundle reads everything that a bundle holds.
func verifyBundle(cmd *cobra.Command, name string, b *bundle.File) error {
	faults := b.Verify()
	for _, e := range entriesOf(b) {
		for _, p := range e.Parts {
			if !bundle.IsCode(p.Name) || len(faults) > 0 {
				continue
			}
			if _, err := b.Saved(e, p.Name); err != nil {
				faults = append(faults, err)
			}
		}
	}
	for _, f := range faults[:max(0, len(faults)-1)] {
		fmt.Fprintf(cmd.OutOrStdout(), "FAIL %s: %v\n", name, f)
	}
	if len(faults) > 0 {
		return fmt.Errorf("%s: %w", name, faults[len(faults)-1])
	}
	fmt.Fprintf(cmd.OutOrStdout(), "ok %s: %d entries, %s\n", name, b.Len(), b.Hash()[:16])
	return nil
}

func newAOTExtractCmd() *cobra.Command {
	var output string
	var targets []string
	cmd := &cobra.Command{
		Example: "  nereid aot extract kernels.nrb softmax -o out",
		Use:     "extract BUNDLE.nrb [NAME...] -o FOLDER", Short: "Writes the parts of variants as files",
		Args: named("a bundle: BUNDLE.nrb"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return usagef("where to? -o FOLDER")
			}
			return withEntries(args[0], args[1:], nil, targets,
				func(b *bundle.File, list []*bundle.Entry) error {
					if err := os.MkdirAll(output, 0o755); err != nil {
						return err
					}
					for _, e := range list {
						if err := extractEntry(cmd, b, e, output); err != nil {
							return err
						}
					}
					return nil
				})
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "folder for NAME.TARGET.PART")
	cmd.Flags().StringSliceVar(&targets, "target", nil, "only for these targets")
	return cmd
}

// extractEntry writes the parts of an entry. A name that would leave the folder is an error.
func extractEntry(cmd *cobra.Command, b *bundle.File, e *bundle.Entry, dir string) error {
	for _, p := range e.Parts {
		file := e.Name + "." + strings.ReplaceAll(e.Target, ":", "-") + "." + p.Name
		if !bundle.IsCode(p.Name) {
			file += ".json"
		}
		if !filepath.IsLocal(file) || strings.ContainsAny(file, `/\`) {
			return fmt.Errorf("%q is no name of a file: expected one without slashes", file)
		}
		data, err := b.Read(e, p.Name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, file), data, 0o644); err != nil {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout(), file)
	}
	return nil
}

func newAOTMergeCmd() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Example: "  nereid aot merge cuda.nrb cpu.nrb -o kernels.nrb",
		Use:     "merge BUNDLE.nrb... -o BUNDLE.nrb", Short: "Makes one bundle of several",
		Long: "Makes one bundle of several. A variant that two of them have for the same target must be\n" +
			"the same in both.",
		Args: named("a bundle: BUNDLE.nrb"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return usagef("where to? -o BUNDLE.nrb")
			}
			m := &merger{hashes: map[string]from{}}
			for _, name := range args {
				if err := withBundle(name, func(b *bundle.File) error { return m.add(name, b) }); err != nil {
					return err
				}
			}
			size, err := writeBundle(cmd, output, &m.to)
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %d entries, %s\n", output, m.to.Len(), sizeText(size))
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "the bundle to write")
	return cmd
}

// merger gathers entries of several bundles.
type merger struct {
	to     bundle.Writer
	hashes map[string]from // by entry
}

// from says where an entry came from.
type from struct{ file, hash string }

func (m *merger) add(name string, b *bundle.File) error {
	for _, e := range entriesOf(b) {
		first, ok := m.hashes[e.String()]
		switch {
		case ok && first.hash == b.EntryHash(e):
			continue
		case ok:
			return fmt.Errorf("%s and %s have different code for %s", first.file, name, e)
		}
		m.hashes[e.String()] = from{name, b.EntryHash(e)}
		if err := m.to.Copy(b, e); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
