package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid/internal/aot"
	"github.com/nereid-lang/nereid/internal/rule"
)

// aotFlags holds the flags of nereid aot.
type aotFlags struct {
	output        string
	c             string // folder for C
	library       string // shared library
	onnx          bool   // the library is one of ONNX Runtime's operators
	targets       []string
	groups, names []string
	golang        string
	timing        bool
	build         aot.BuildOptions
	certify       bool
	proof         aot.CertifyOptions
	variants      []aot.Variant // of the tables
	operators     []*rule.Operator
}

func newAOTCmd() *cobra.Command {
	f := &aotFlags{}
	cmd := &cobra.Command{
		Use:   "aot TABLE... -o BUNDLE.nrb --targets TARGET,TARGET...",
		Short: "Compiles tables of kernels ahead of time into a bundle",
		Long: "Compiles the variants of a table for several targets, none of which this machine needs to\n" +
			"have, and writes a bundle: a file with all of their code, which programs load without a\n" +
			"compiler.\n\n" +
			"A table is a Python file with get_function_table(), which returns a list of {name, group,\n" +
			"func, sig, kwargs}, or a manifest in TOML. docs/AOT.md describes both.",
		Example: "  nereid aot examples/softmax-op/softmax.py -o softmax.nrb --targets " +
			"cuda:80,cuda:90,cpu:x86-64-v3\n" +
			"  nereid aot ls softmax.nrb",
		Args: named("a table: TABLE.py or TABLE.toml"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVarP(&f.output, "output", "o", "", "the bundle to write")
	fs.StringVar(&f.c, "c", "",
		"folder for the same as C: a header, a source file and object files (docs/LAUNCHERS.md)")
	fs.StringVar(&f.library, "so", "",
		"shared library to write, as libkernels.so, with kernels.h beside it: the code behind a C ABI "+
			"(docs/AOT.md)")
	fs.BoolVar(&f.onnx, "onnx", false,
		"the library registers the manifest's operators with ONNX Runtime (docs/ONNXRUNTIME.md)")
	fs.StringSliceVar(&f.targets, "targets", nil,
		"what to compile for: cuda:90, hip:gfx942, cpu for this machine's, cpu:x86-64-v3, the name of a "+
			"back end from outside ... "+
			"(default: those of the manifest)")
	fs.StringSliceVar(&f.groups, "group", nil, "compile only these groups")
	fs.StringSliceVar(&f.names, "only", nil, "compile only these variants")
	fs.StringVar(&f.golang, "go", "",
		"folder of a Go package to write: the bundle, embedded, and typed functions")
	fs.StringSliceVar(&f.build.Roots, "root", nil, "more folders in which imports are found")
	fs.IntVarP(&f.build.Workers, "jobs", "j", 0, "compilations at a time (default: one for each processor)")
	fs.BoolVar(&f.build.Lines, "lines", false, "keep line information in GPU code, with the paths of files")
	fs.Var(&formsFlag{&f.build.Forms}, "forms", "which forms of code, for launches of other grids and "+
		"arguments, what is built for NVIDIA's GPUs has: all, or the general one alone")
	fs.BoolVar(&f.build.Skip, "skip-failed", false, "leave out variants that do not compile for a target")
	fs.BoolVar(&f.certify, "certify", false,
		"compare the code of each variant with its source in a simulator, without a tolerance, and put a "+
			"certificate into the bundle (docs/VERIFY.md)")
	fs.StringArrayVar(&f.proof.Sizes, "certify-size", nil,
		"NAME=EXPRESSION: a number of the launches that are compared, such as n_cols=BLOCK_SIZE-3 "+
			"(default: chosen near the kernel's blocks)")
	fs.StringSliceVar(&f.proof.Grid, "certify-grid", nil,
		"expressions for the grid of these launches where the table gives none (default 3)")
	fs.Uint64Var(&f.proof.Seed, "certify-seed", 1, "of the contents of their tensors")
	fs.BoolVar(&f.timing, "timing", false, "print how long each stage took")
	cmd.AddCommand(newAOTListCmd(), newAOTShowCmd(), newAOTVerifyCmd(), newAOTExtractCmd(), newAOTMergeCmd())
	return cmd
}

func (f *aotFlags) run(cmd *cobra.Command, tables []string) error {
	if f.output == "" && f.golang == "" && f.c == "" && f.library == "" {
		return usagef("where to? -o BUNDLE.nrb, --go FOLDER, --c FOLDER or --so LIBRARY.so")
	}
	if f.onnx && f.library == "" {
		return usagef("--onnx is for shared libraries: --so LIBRARY.so")
	}
	var err error
	if f.variants, err = f.read(tables); err != nil {
		return err
	}
	defer interruptible(cmd)()
	bar := newProgress(cmd.ErrOrStderr(), 0)
	defer bar.done()
	f.build.Step = func(_, all int, what string) {
		bar.total = all
		bar.step(what)
	}
	f.build.Targets = f.targets
	if f.certify {
		f.build.Certify = &f.proof
	}
	built, err := aot.Build(contextOf(cmd), f.variants, f.build)
	bar.done()
	if err != nil {
		return err
	}
	for _, err := range built.Skipped {
		fmt.Fprintf(cmd.ErrOrStderr(), "nereid: left out: %v\n", err)
	}
	f.printCertified(cmd, built)
	if err := f.write(cmd, built); err != nil {
		return err
	}
	if f.c != "" {
		if err := f.writeC(cmd, built, cName(tables[0])); err != nil {
			return err
		}
	}
	if f.library != "" {
		if err := f.writeLibrary(cmd, built); err != nil {
			return err
		}
	}
	if f.timing {
		printBuildTiming(cmd.OutOrStdout(), built.Stats)
	}
	return nil
}

// read reads the tables and selects the variants. Targets that are not given are the tables'.
func (f *aotFlags) read(tables []string) (all []aot.Variant, err error) {
	var wanted []string
	var rows aot.Table
	for _, name := range tables {
		t, err := aot.Read(name, aot.ReadOptions{Roots: f.build.Roots})
		if err != nil {
			return nil, err
		}
		rows.File = strings.TrimPrefix(rows.File+", "+name, ", ")
		rows.Variants = append(rows.Variants, t.Variants...)
		f.operators = append(f.operators, t.Operators...)
		for _, target := range t.Targets {
			if !slices.Contains(wanted, target) {
				wanted = append(wanted, target)
			}
		}
	}
	if len(f.targets) == 0 {
		f.targets = wanted
	}
	if len(f.targets) == 0 {
		return nil, usagef("what to compile for? --targets cuda:90,cpu:x86-64-v3")
	}
	if err := aot.CheckTargets(f.targets); err != nil {
		return nil, usageError{err}
	}
	return rows.Select(f.groups, f.names)
}

// write writes the bundle and the Go package, if they were asked for.
func (f *aotFlags) write(cmd *cobra.Command, built *aot.Built) error {
	out, s := cmd.OutOrStdout(), built.Stats
	if f.output != "" {
		size, err := writeBundle(cmd, f.output, built.Writer)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %d entries, %s (%d compilations in %s)\n", f.output, s.Variants, sizeText(size),
			s.Compiled, timeText(s.Took))
	}
	if f.golang != "" {
		if err := aot.WriteGo(f.golang, packageOf(f.golang), built.Writer); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: a Go package with %d entries\n", f.golang, s.Variants)
	}
	return nil
}

// printCertified says how much code has been compared with its source, and names the rest.
func (f *aotFlags) printCertified(cmd *cobra.Command, built *aot.Built) {
	if !f.certify {
		return
	}
	for _, u := range built.Uncertified {
		fmt.Fprintf(cmd.ErrOrStderr(), "nereid: not certified: %s\n", u)
	}
	n := built.Stats.Certified
	fmt.Fprintf(cmd.OutOrStdout(), "certified: %d of %d compilations\n", n, n+len(built.Uncertified))
}

// writeBundle writes a bundle as a whole, unless the command has been interrupted.
func writeBundle(cmd *cobra.Command, name string, w io.WriterTo) (size int64, err error) {
	err = aot.WriteFile(name, func(to io.Writer) error {
		var err error
		if size, err = w.WriteTo(to); err != nil {
			return err
		}
		return contextOf(cmd).Err()
	})
	if err != nil {
		return 0, errors.Join(fmt.Errorf("%s was not written", name), err)
	}
	return size, nil
}

// printBuildTiming prints the time of each stage, added up over all compilations.
func printBuildTiming(out io.Writer, s aot.Stats) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, t := range s.Stages {
		fmt.Fprintf(w, "%s\t%s\t%s\n", t.Target, t.Stage, timeText(t.Took))
	}
	fmt.Fprintf(w, "all\tpack\t%s\nall\ttotal\t%s\n", timeText(s.Pack), timeText(s.Took))
	w.Flush()
}

// formsFlag is the flag --forms of bundles.
type formsFlag struct{ all *bool }

func (f *formsFlag) Type() string { return "all|general" }

func (f *formsFlag) String() string {
	if f.all != nil && *f.all {
		return formNames[0]
	}
	return formNames[2]
}

func (f *formsFlag) Set(text string) error {
	if text != formNames[0] && text != formNames[2] {
		return fmt.Errorf("there are %s and %s", formNames[0], formNames[2])
	}
	*f.all = text == formNames[0]
	return nil
}
