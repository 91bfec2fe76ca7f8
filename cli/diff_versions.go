package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid/internal/gen"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/safefile"
	"github.com/nereid-lang/nereid/internal/triton"
)

type diffFlags struct {
	from, to string
	roots    []string
	targets  []string
	runs     bool
	dtype    string
	json     bool
	env      environment
}

func newDiffVersionsCmd() *cobra.Command {
	f := &diffFlags{}
	cmd := &cobra.Command{
		Use:   "diff-versions FILE.py[:KERNEL] | FOLDER",
		Short: "Tells what another release of Triton makes of kernels",
		Long: "Compiles kernels to Triton IR by the rules of two releases, with types made up as nereid check\n" +
			"does, and says for each: whether both take it, and if not, why; and the lines whose\n" +
			"operations differ. Kernels with such lines run in the interpreter by both rules, on the same\n" +
			"made-up arguments, and the largest difference between the results is told. With --target,\n" +
			"the code for that target is compared: instructions, and registers for hip. Over a folder it\n" +
			"prints a line for each kernel and the sums.",
		Example: "  nereid diff-versions kernels/softmax.py --from 3.6 --to 3.9",
		Args:    one("a file or a folder"),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.from, "from", triton.Default.String(), "the release that kernels are written in")
	fs.StringVar(&f.to, "to", triton.V39.String(), "the release to move to")
	fs.BoolVar(&f.runs, "run", true, "run kernels whose operations differ, and compare results")
	fs.StringSliceVar(&f.targets, "target", nil, "compare code for these targets: cuda:90, hip:gfx942")
	fs.StringVar(&f.dtype, "dtype", "fp32", "element type of tensors")
	fs.BoolVar(&f.json, "json", false, "print a line of JSON for each kernel")
	f.env.add(fs)
	fs.StringSliceVar(&f.roots, "root", nil, "more folders in which imports are found")
	return cmd
}

// moved is what a move makes of a kernel.
type moved struct {
	File      string `json:"file"`
	Kernel    string `json:"kernel"`
	Signature string `json:"signature,omitempty"`
	// "same", "changed", "other results", "refused by 3.9", "refused by both", "skipped", "not read"
	State   string   `json:"state"`
	Detail  []string `json:"detail,omitempty"`
	Outcome []string `json:"outcome,omitempty"` // results, code
}

func (f *diffFlags) run(cmd *cobra.Command, arg string) error {
	var versions [2]triton.Version
	for i, text := range []string{f.from, f.to} {
		v, err := triton.Parse(text)
		if err != nil {
			return usagef("%w", err)
		}
		versions[i] = v
	}
	if _, err := typeOf(f.dtype); err != nil {
		return usagef("--dtype: %w", err)
	}
	file, kernel, _ := cutKernel(arg)
	files, folder, err := sourcesBelow(file)
	if err != nil {
		return err
	}
	var all []moved
	for _, name := range files {
		found, err := f.file(contextOf(cmd), name, kernel, versions)
		switch {
		case err == nil:
			all = append(all, found...)
		case folder && errors.Is(err, gen.ErrNoKernels):
		case folder: // the others are told nevertheless
			all = append(all, moved{File: name, Kernel: "-", State: "not read",
				Detail: []string{firstLine(err)}})
		default:
			return err
		}
	}
	if f.json {
		encoder := json.NewEncoder(cmd.OutOrStdout())
		encoder.SetEscapeHTML(false)
		for _, m := range all {
			if err := encoder.Encode(m); err != nil {
				return err
			}
		}
		return nil
	}
	printMoves(cmd.OutOrStdout(), all, folder)
	return nil
}

// sourcesBelow returns a file, or those of a folder that may have kernels.
func sourcesBelow(name string) (files []string, folder bool, err error) {
	err = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			folder = true
		} else if strings.HasSuffix(path, ".py") {
			files = append(files, path)
		}
		return nil
	})
	return files, folder, err
}

// file compares the kernels of a file.
func (f *diffFlags) file(ctx context.Context, name, kernel string, versions [2]triton.Version) (out []moved,
	err error) {
	text, err := safefile.Read(name, maxInput)
	if err != nil || !strings.Contains(string(text), "jit") {
		return nil, err
	}
	var sources [2]*lang.Source
	for i, v := range versions {
		sources[i], err = lang.Load(filepath.ToSlash(name), text,
			lang.LoadOptions{OnDisk: true, Roots: f.roots, Triton: v})
		if err != nil {
			return nil, err
		}
	}
	examples, err := gen.Examples(filepath.ToSlash(name), text, gen.Options{Roots: f.roots}, nil)
	if err != nil {
		return nil, err
	}
	for _, e := range examples {
		if kernel != "" && e.Kernel != kernel {
			continue
		}
		e.Signature = strings.ReplaceAll(e.Signature, gen.Pointer, "*"+f.dtype+":16")
		m := moved{File: name, Kernel: e.Kernel, Signature: e.Signature, State: "skipped"}
		if e.Untyped == "" {
			m.compare(sources, e, versions)
		}
		if m.State == "changed" {
			f.further(ctx, &m, e, versions)
		}
		out = append(out, m)
	}
	return out, nil
}

// further adds what changes beside operations: results, code.
func (f *diffFlags) further(ctx context.Context, m *moved, e gen.Example, versions [2]triton.Version) {
	kernels, err := f.kernels(m.File, e.Kernel, versions)
	if err != nil {
		m.Outcome = []string{"not run: " + firstLine(err)}
		return
	}
	if f.runs {
		m.Outcome = f.results(ctx, kernels, e)
		if strings.HasPrefix(m.Outcome[0], "results of ") {
			m.State = "other results"
		}
	}
	m.Outcome = append(m.Outcome, f.code(ctx, kernels, e)...)
}

// compare compiles the kernel as both releases do.
func (m *moved) compare(sources [2]*lang.Source, e gen.Example, versions [2]triton.Version) {
	var ops [2]map[string][]string
	var errs [2]error
	for i, src := range sources {
		ops[i], errs[i] = operations(src, e)
	}
	switch {
	case errs[0] != nil && errs[1] != nil:
		m.State = "refused by both"
		m.Detail = []string{firstLine(errs[1])}
		return
	case errs[0] != nil || errs[1] != nil:
		i := 0
		if errs[1] != nil {
			i = 1
		}
		m.State, m.Detail = "refused by "+versions[i].String(), []string{firstLine(errs[i])}
		return
	}
	m.State = "same"
	places := slices.Sorted(maps.Keys(ops[0]))
	for _, p := range slices.Sorted(maps.Keys(ops[1])) {
		if ops[0][p] == nil {
			places = append(places, p)
		}
	}
	for _, p := range places {
		gone, come := without(ops[0][p], ops[1][p]), without(ops[1][p], ops[0][p])
		if len(gone)+len(come) > 0 {
			m.State = "changed"
			m.Detail = append(m.Detail, fmt.Sprintf("%s: %s -> %s", p, listed(gone), listed(come)))
		}
	}
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// operations returns the operations of a kernel by their places, constants left out.
func operations(src *lang.Source, e gen.Example) (map[string][]string, error) {
	params, err := src.Params(e.Kernel, lang.DefaultTarget)
	if err != nil {
		return nil, err
	}
	args, err := lang.ParseSignature(params, e.Signature)
	if err != nil {
		return nil, err
	}
	mod, err := src.Compile(e.Kernel, args, lang.Options{NoOverflow: true})
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for op := range mod.Ops() {
		if name := op.Name(); name != "arith.constant" && name != "tt.call" && name != "tt.func" &&
			name != "tt.return" && name != "ub.poison" {
			p := placeOf(op.Loc)
			out[p] = append(out[p], name)
		}
	}
	for _, names := range out {
		slices.Sort(names)
	}
	return out, nil
}

// placeOf returns the file and the line of a location; lines of the library, which differ between releases,
// are one place.
func placeOf(l ir.Loc) string {
	switch l := l.(type) {
	case *ir.NameLoc:
		return placeOf(l.Child)
	case *ir.FileLoc:
		if strings.HasPrefix(l.File, "nereid/stdlib/") {
			return "library"
		}
		return fmt.Sprintf("%s:%4d", filepath.Base(l.File), l.Line)
	}
	return "elsewhere"
}

// without returns the names of a that b has fewer of; both are sorted.
func without(a, b []string) (out []string) {
	rest := slices.Clone(b)
	for _, name := range a {
		if i := slices.Index(rest, name); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
			continue
		}
		out = append(out, name)
	}
	return out
}

// listed writes sorted names, each once, with how often it occurs.
func listed(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	var parts []string
	for len(names) > 0 {
		n := 1
		for n < len(names) && names[n] == names[0] {
			n++
		}
		if n > 1 {
			parts = append(parts, fmt.Sprintf("%d × %s", n, names[0]))
		} else {
			parts = append(parts, names[0])
		}
		names = names[n:]
	}
	return strings.Join(parts, ", ")
}

// printMoves prints what a move changes; brief leaves all but the first detail of a kernel out.
func printMoves(out io.Writer, all []moved, brief bool) {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	sums := map[string]int{}
	for _, m := range all {
		sums[m.State]++
		detail := m.Detail
		if brief && len(detail) > 1 {
			detail = detail[:1]
		}
		detail = append(slices.Clip(detail), m.Outcome...)
		first := ""
		if len(detail) > 0 {
			first, detail = detail[0], detail[1:]
		}
		fmt.Fprintf(w, "%s:%s\t%s\t%s\n", m.File, m.Kernel, m.State, first)
		for _, d := range detail {
			fmt.Fprintf(w, "\t\t%s\n", d)
		}
	}
	w.Flush()
	var parts []string
	for _, s := range slices.Sorted(maps.Keys(sums)) {
		parts = append(parts, fmt.Sprintf("%d %s", sums[s], s))
	}
	fmt.Fprintf(out, "%d kernels: %s\n", len(all), strings.Join(parts, ", "))
}
