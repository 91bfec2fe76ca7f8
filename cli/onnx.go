package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid/internal/onnx"
	"github.com/nereid-lang/nereid/internal/onnx/ort"
	"github.com/nereid-lang/nereid/internal/onnx/rewrite"
	"github.com/nereid-lang/nereid/internal/safefile"
)

func newONNXCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "onnx COMMAND",
		Short: "Puts compiled kernels into models of ONNX",
		Long: "Works on models in ONNX's format and libraries of operators that nereid aot --onnx builds\n" +
			"(docs/ONNXRUNTIME.md).",
		Example: "  nereid onnx rewrite model.onnx --with liboperators.so",
	}
	cmd.AddCommand(newONNXRewriteCmd())
	return cmd
}

// rewriteFlags holds the flags of nereid onnx rewrite.
type rewriteFlags struct {
	with, only   []string
	output       string
	library      string // of ONNX Runtime
	unchecked    bool
	provider     string
	dims, ranges []string
	inputs       rewrite.Inputs
	timed        int
}

func newONNXRewriteCmd() *cobra.Command {
	f := &rewriteFlags{}
	cmd := &cobra.Command{
		Use:   "rewrite MODEL.onnx --with LIBRARY.so",
		Short: "Puts a library's operators in the place of nodes that they can serve",
		Long: "Finds nodes of the model that the operators of a library can take the place of, by type\n" +
			"and shape, and writes the model with these operators; everything else stays as it is.\n" +
			"Both models then run in ONNX Runtime on random inputs, and a model whose results differ\n" +
			"is not written.\n\n" +
			"The library's manifest says what an operator serves: serves = \"Softmax(x, axis=-1)\"\n" +
			"(docs/ONNXRUNTIME.md).",
		Example: "  nereid aot examples/onnxruntime/standard.toml --so libstandard.so --onnx\n" +
			"  nereid onnx rewrite model.onnx --with libstandard.so --dim batch=2 --dim sequence=16,128",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringArrayVar(&f.with, "with", nil, "the library of operators; more than one may be given")
	fs.StringVarP(&f.output, "output", "o", "", "the model to write (default: MODEL.nereid.onnx)")
	fs.StringSliceVar(&f.only, "only", nil, "use only these operators of the libraries")
	fs.StringVar(&f.provider, "provider", "cpu", "where the model will run: cpu, cuda or rocm")
	fs.StringArrayVar(&f.dims, "dim", nil, "NAME=N,N...: sizes of a free dimension in the runs that are "+
		"compared, by its name or as INPUT.PLACE (default 2,5,16)")
	fs.StringArrayVar(&f.ranges, "range", nil,
		"INPUT=LOW..HIGH: elements of an input (default: floats of a normal distribution, integers 0 and 1)")
	fs.IntVar(&f.inputs.Runs, "runs", 3, "runs that are compared")
	fs.Uint64Var(&f.inputs.Seed, "seed", 1, "of the random inputs")
	fs.IntVar(&f.timed, "time", 0, "time both models in this many runs each, at the sizes of the last run")
	fs.BoolVar(&f.unchecked, "no-check", false, "write the model without comparing results")
	fs.StringVar(&f.library, "onnxruntime", "",
		"ONNX Runtime's library (default: that of the system or of the Python environment)")
	return cmd
}

// maxModel bounds the bytes of a model: protobuf has no larger messages.
const maxModel = 2 << 30

func (f *rewriteFlags) run(cmd *cobra.Command, path string) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	if f.output == "" {
		f.output = strings.TrimSuffix(path, ".onnx") + ".nereid.onnx"
	}
	for _, name := range f.with {
		l, err := rewrite.ReadLibrary(name)
		if err != nil {
			return err
		}
		if !l.Serving() {
			return fmt.Errorf("%s: none of its operators serves nodes of ONNX: serves in the manifest says "+
				"which (docs/ONNXRUNTIME.md)", name)
		}
		if l.Path, err = filepath.Abs(name); err != nil {
			return err
		}
		o.Libraries = append(o.Libraries, l)
	}
	data, err := safefile.ReadNamed(path, maxModel)
	if err != nil {
		return err
	}
	model, err := onnx.Parse(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if o.Runtime, err = ort.Open(f.library); err != nil {
		if !f.unchecked {
			return errors.Join(errors.New("the check needs ONNX Runtime; --no-check does without it"), err)
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "nereid: types and shapes are those that the model says: %v\n", err)
	}
	result, err := rewrite.Rewrite(path, model, o)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return f.finish(cmd, path, model, result, o.Runtime)
}

// finish reports on a rewritten model and writes it, unless its results differ.
func (f *rewriteFlags) finish(cmd *cobra.Command, path string, model *onnx.Model, r *rewrite.Result,
	runtime *ort.Runtime) error {
	out := cmd.OutOrStdout()
	printDecisions(out, path, r)
	if r.Taken() == 0 {
		return fmt.Errorf("no operator can serve a node of %s: it was not written", path)
	}
	if r.Check == nil {
		fmt.Fprintln(out, "not checked: the results of the models were not compared (--no-check)")
	} else {
		printCheck(out, r.Check, runtime)
		if !r.Check.Equal() {
			return fmt.Errorf("the rewritten model computes something else: %s was not written", f.output)
		}
	}
	if err := model.Write(f.output, filepath.Dir(path), onnx.Copy); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: written\n", f.output)
	return nil
}

// providers maps the providers of ONNX Runtime to GPUs that libraries have code for.
var providers = map[string]string{"cpu": "", "cuda": "cuda", "rocm": "hip"}

// options reads the flags.
func (f *rewriteFlags) options() (o rewrite.Options, err error) {
	if len(f.with) == 0 {
		return o, usagef("which operators? --with LIBRARY.so")
	}
	gpu, ok := providers[f.provider]
	switch {
	case !ok:
		return o, usagef("--provider is cpu, cuda or rocm, not %q", f.provider)
	case gpu != "" && !f.unchecked:
		return o, usagef("models are compared on the CPU alone: --provider %s needs --no-check", f.provider)
	}
	f.inputs.Sizes, f.inputs.Ranges = map[string][]int64{}, map[string][2]float64{}
	for _, text := range f.dims {
		name, list, _ := strings.Cut(text, "=")
		for _, word := range strings.Split(list, ",") {
			n, err := strconv.ParseInt(word, 10, 32)
			if err != nil || n < 0 || name == "" {
				return o, usagef("--dim %s: expected NAME=N or NAME=N,N", text)
			}
			f.inputs.Sizes[name] = append(f.inputs.Sizes[name], n)
		}
	}
	for _, text := range f.ranges {
		name, limits, _ := strings.Cut(text, "=")
		low, high, _ := strings.Cut(limits, "..")
		a, err1 := strconv.ParseFloat(low, 64)
		b, err2 := strconv.ParseFloat(high, 64)
		if err1 != nil || err2 != nil || a > b || name == "" {
			return o, usagef("--range %s: expected INPUT=LOW..HIGH", text)
		}
		f.inputs.Ranges[name] = [2]float64{a, b}
	}
	return rewrite.Options{Only: f.only, GPU: gpu, Inputs: f.inputs, Compare: !f.unchecked,
		Timed: f.timed}, nil
}

// printDecisions says which nodes became operators, and why others stayed.
func printDecisions(out io.Writer, path string, r *rewrite.Result) {
	replaced := 0
	counts := map[string]int{}
	for _, d := range r.Decisions {
		if d.Taken {
			replaced += len(d.Nodes)
			counts[fmt.Sprintf("%s.%s for %s", d.Operator.Domain, d.Operator.Name, d.Pattern())]++
		}
	}
	fmt.Fprintf(out, "%s: %d nodes, %d of them are done by %d operators\n", path, r.Nodes, replaced,
		r.Taken())
	lines := make([]string, 0, len(counts))
	for what, n := range counts {
		lines = append(lines, fmt.Sprintf("  %4d  %s", n, what))
	}
	slices.Sort(lines)
	for _, line := range slices.Backward(lines) {
		fmt.Fprintln(out, line)
	}
	if r.Untyped != nil {
		fmt.Fprintf(out, "  ONNX Runtime did not say the types of all values: %v\n", r.Untyped)
	}
	const most = 20
	kept := 0
	for _, d := range r.Decisions {
		if d.Taken {
			continue
		}
		if kept++; kept <= most {
			fmt.Fprintf(out, "  kept  %s (%s): %s\n", d.Nodes[0], d.Pattern(), d.Why)
		}
	}
	if kept > most {
		fmt.Fprintf(out, "  kept  and %d more\n", kept-most)
	}
}

// printCheck says how far the results are apart.
func printCheck(out io.Writer, c *rewrite.Check, r *ort.Runtime) {
	fmt.Fprintf(out, "check in ONNX Runtime %s on the CPU:\n", r.Version)
	for _, run := range c.Runs {
		fmt.Fprintf(out, "  %s\n", run.Inputs)
		if run.Failed != nil {
			fmt.Fprintf(out, "    FAILED: the rewritten model does not run: %v\n", run.Failed)
		}
		for _, d := range run.Worst {
			switch {
			case d.Unchecked != "":
				fmt.Fprintf(out, "    %s: not compared: %s\n", d.Output, d.Unchecked)
			case d.Wrong > 0 && d.Elements == 0:
				fmt.Fprintf(out, "    %s: FAILED: %s\n", d.Output, d.Place)
			case d.Wrong > 0:
				fmt.Fprintf(out, "    %s: FAILED: %d of %d elements differ; at %s %g, was %g (%.3g times "+
					"the tolerance)\n", d.Output, d.Wrong, d.Elements, d.Place, d.Is, d.Was, d.Ratio)
			default:
				fmt.Fprintf(out, "    %s: %d elements equal within %.2g of the tolerance\n", d.Output,
					d.Elements, d.Ratio)
			}
		}
	}
	if c.Before.Fastest > 0 {
		fmt.Fprintf(out, "  time of a run: %s before, %s after (fastest), %s and %s (median)\n",
			timeText(c.Before.Fastest), timeText(c.After.Fastest), timeText(c.Before.Median),
			timeText(c.After.Median))
	}
}
