package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/safefile"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/triton"
)

type compileFlags struct {
	specs, target, emit, output string
	input                       inputFlags
	only                        []string
	roots                       []string
	env                         environment
	opts                        nereid.Options
	timing, explain             bool
	shared                      int
	emitFor                     string
	tritonCache                 string
	text                        triton.Version // the release whose text IR is written in
	times                       []nereid.Stage // of all kernels together, by stage
}

// spec is one entry of a specs file; unknown keys are ignored.
type spec struct {
	Name      string `json:"name"`
	File      string `json:"file"`
	Kernel    string `json:"kernel"`
	Signature string `json:"signature"`
	NumWarps  int    `json:"num_warps"`
	NumStages int    `json:"num_stages"`
	NumCTAs   int    `json:"num_ctas"`
	Extra     string `json:"extra"` // options of the target alone, as --extra takes them
}

func newCompileCmd() *cobra.Command {
	f := &compileFlags{}
	cmd := &cobra.Command{
		Use: "compile FILE.py:KERNEL --signature SIG | FILE.py:KERNEL NAME=VALUE... | FILE.STAGE | " +
			"--specs SPECS.json",
		Short: "Compiles kernels",
		Long: "Compiles a kernel for a signature, written as Triton's ahead-of-time tool writes it: one\n" +
			"entry for each parameter, a type (*fp16, i32) with :16 where the value is divisible by 16\n" +
			"and :1 where it is 1, or a constant. Without one it is inferred from arguments as nereid\n" +
			"run takes them, x=fp16[128] n=1000 BLOCK=64; n=i32 is a value of which only the type is\n" +
			"known, and parameters that are used as pointers are tensors of --dtype.\n" +
			"A file of a stage (FILE.ttir, .ttgir, .linalg, .llir or .ptx) goes on from there, for the\n" +
			"target that it names; what LLVM IR and PTX do not tell is read from FILE.json, which --emit\n" +
			"json writes: all that a launcher must know.\n" +
			"With --specs it takes a list of kernels, prints ok or fail for each, and the numbers of\n" +
			"both.",
		Example: "  nereid compile kernels/vector_add.py:add_kernel --signature '*fp32:16, *fp32:16, " +
			"*fp32:16, i32, 1024' -o -\n" +
			"  nereid compile --specs kernels/specs.json --emit ttir -o out\n" +
			"  nereid compile out/add.ttgir --emit ptx,json -o out",
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.input.dtype, "dtype", "fp32", "element type of tensors that are not described")
	fs.StringVar(&f.input.signature, "signature", "", "types and constants of the kernel's arguments")
	fs.StringVar(&f.specs, "specs", "",
		"JSON list of {name, file, kernel, signature, num_warps, num_stages, num_ctas, extra}")
	fs.StringSliceVar(&f.only, "only", nil, "compile only these entries of the list")
	fs.StringVar(&f.target, "target", "cuda:90",
		"what to compile for: cuda:CAPABILITY, hip:CHIP, cpu, cpu:CHIP or interp")
	fs.StringVar(&f.emit, "emit", "ttir", "stages to write, separated by commas: source, ttir, ttgir, "+
		"llir, ptx, cubin; for cpu source, ttir, linalg, llir, asm, obj; json: what a launcher must know")
	fs.StringVar(&f.emitFor, "emit-for", "", "the release of Triton whose text TTIR and TTGIR are written "+
		"in (default: that of the kernel)")
	fs.StringVarP(&f.output, "output", "o", "", "folder for the stages, NAME.STAGE; - prints them")
	fs.StringVar(&f.tritonCache, "triton-cache", "", "folder that gets all stages for a GPU in the layout "+
		"of Triton 3.6's cache, HASH/NAME.ptx and so on; without --emit, no other")
	fs.StringSliceVar(&f.roots, "root", nil, "more folders in which imports are found")
	f.env.add(fs)
	fs.IntVar(&f.opts.NumWarps, "num-warps", 0, "warps of a program (default 4)")
	fs.IntVar(&f.opts.NumStages, "num-stages", 0, "stages of software pipelining (default 3, on hip 2)")
	fs.IntVar(&f.opts.NumCTAs, "num-ctas", 0, "blocks of a program, a cluster (default 1)")
	addCodeFlags(fs, &f.opts)
	fs.StringVar(&f.opts.Extra, "extra", "", "options of a target from outside: NAME=VALUE,NAME=VALUE")
	fs.IntVar(&f.shared, "shared", 0, "bytes of dynamic shared memory that FILE.ptx or FILE.llir uses, if "+
		"FILE.json does not tell")
	addDebug(fs, &f.opts)
	fs.BoolVar(&f.timing, "timing", false, "print how long each stage took")
	fs.BoolVar(&f.explain, "explain", false, "print what the rules of the GPU compiler decided (nereid rules); "+
		"without --emit, no stage")
	return cmd
}

func (f *compileFlags) run(cmd *cobra.Command, args []string) error {
	if f.explain && !cmd.Flags().Changed("emit") {
		f.emit = assemblyStage(f.target)
	}
	if _, err := triton.Parse(f.emitFor); err != nil {
		return usagef("--emit-for: %w", err)
	}
	switch {
	case f.specs != "" && len(args) > 0:
		return usagef("give a kernel or --specs, not both")
	case f.specs != "":
		return f.list(cmd)
	case len(args) == 0:
		return usagef("what to compile? FILE.py:KERNEL or --specs SPECS.json")
	}
	if file, kernel, _ := cutKernel(args[0]); nereid.StageOf(file) != "" {
		return f.compileStage(cmd, file, kernel, args[1:])
	}
	k, err := loadKernel(args[0], nereid.Roots(f.roots...), f.env.load(),
		nereid.With(quietConfig()))
	if err != nil {
		return err
	}
	file, _, _ := cutKernel(args[0])
	s := spec{Name: k.Name(), File: file, Kernel: k.Name(), Signature: f.input.signature}
	switch {
	case s.Signature == "":
		if s.Signature, err = f.infer(cmd.ErrOrStderr(), k, args[1:]); err != nil {
			return err
		}
	case len(args) > 1:
		return usagef("give --signature or arguments, not both")
	}
	if f.output == "" && (!f.explain && f.tritonCache == "" || cmd.Flags().Changed("emit")) {
		f.output = "-"
	}
	return f.one(cmd, s)
}

// typical has a value of each type of scalar that no specialization treats apart.
var typical = map[string]string{
	"i1": "True", "i32": "3", "u32": "3", "i64": "1099511627779",
	"fp16": "0.5", "bf16": "0.5", "fp32": "0.5", "fp64": "0.5",
}

// infer returns the signature that a launch with these arguments would have. It says on errs what it took
// of a config.
func (f *compileFlags) infer(errs io.Writer, k *nereid.Kernel, given []string) (string, error) {
	pointers, err := jit.Source(k).Pointers(k.Name(), lang.DefaultTarget)
	if err != nil {
		return "", err
	}
	given = slices.Clone(given)
	for i, p := range k.Params() {
		for j, g := range given {
			name, text, _ := strings.Cut(g, "=")
			if dt, err := typeOf(text); name == p.Name && err == nil && !p.Constexpr && !pointers[i] &&
				typical[dt.String()] != "" {
				given[j] = name + "=" + typical[dt.String()]
			}
		}
	}
	f.input.fill = "zeros"
	f.input.size = func(_ *inputs, open []*tensorArg) error {
		setShapes(open, 1)
		return nil
	}
	in, err := f.input.read(k, given)
	if err != nil {
		return "", err
	}
	in.chosen.options(&f.opts)
	if in.chosen.String() != "" {
		fmt.Fprintf(errs, "nereid: %s\n", in.chosen)
	}
	args, tensors, err := in.on(nereid.NewInterpreter(nereid.InterpOptions{}))
	if err != nil {
		return "", err
	}
	defer closeAll(tensors)
	return k.Signature(append(args, f.opts)...)
}

// list compiles the entries of a specs file.
func (f *compileFlags) list(cmd *cobra.Command) error {
	data, err := safefile.ReadNamed(f.specs, maxInput)
	if err != nil {
		return err
	}
	var specs []spec
	if err := json.Unmarshal(data, &specs); err != nil {
		return fmt.Errorf("%s is no list of specs in JSON: %w", f.specs, diag.JSONError(data, err))
	}
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.Name
	}
	if err := checkNamed("--only", f.only, names); err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	passed, failed := 0, 0
	bar := newProgress(cmd.ErrOrStderr(), len(specs))
	defer bar.done()
	for _, s := range specs {
		bar.step(s.Name)
		if len(f.only) > 0 && !slices.Contains(f.only, s.Name) {
			continue
		}
		if !filepath.IsAbs(s.File) {
			s.File = filepath.Join(filepath.Dir(f.specs), s.File)
		}
		err := f.one(cmd, s)
		bar.done()
		if err != nil {
			failed++
			fmt.Fprintf(out, "fail %s: %s\n", s.Name, err)
			continue
		}
		passed++
		fmt.Fprintf(out, "ok %s\n", s.Name)
	}
	if f.timing {
		printTiming(out, fmt.Sprintf("all %d", passed), f.times)
	}
	fmt.Fprintf(out, "%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		return errReported
	}
	return nil
}

// one compiles a kernel and writes the stages that were asked for.
func (f *compileFlags) one(cmd *cobra.Command, s spec) error {
	conf := configOf(cmd)
	if f.explain {
		trace, err := traced(&conf)
		if err != nil {
			return err
		}
		defer func() {
			trace.Close()
			explain(cmd.OutOrStdout(), s.Name, trace.Decisions())
		}()
	}
	m, err := nereid.Load(s.File, nereid.Roots(f.roots...), f.env.load(), nereid.With(conf))
	if err != nil {
		return err
	}
	k, err := m.Kernel(s.Kernel)
	if err != nil {
		return err
	}
	opts := f.opts
	for _, o := range []struct{ flag, entry *int }{{&opts.NumWarps, &s.NumWarps},
		{&opts.NumStages, &s.NumStages}, {&opts.NumCTAs, &s.NumCTAs}} {
		if *o.flag == 0 {
			*o.flag = *o.entry
		}
	}
	opts.Extra = cmp.Or(opts.Extra, s.Extra)
	emit := strings.Split(f.emit, ",")
	last, kept := until(emit, f.target), emit
	if f.tritonCache != "" {
		if last, kept = "", nil; slices.Contains(jit.StagesOf(f.target), "ptx") {
			last = "cubin" // which Triton's readers want
		}
	}
	c, err := jit.CompileFor(contextOf(cmd), k, f.target, s.Signature, target.Options(opts), last, kept)
	if err != nil {
		return err
	}
	if f.tritonCache != "" {
		folder, err := c.WriteTritonCache(f.tritonCache)
		if err != nil {
			return err
		}
		fmt.Fprintln(cmd.ErrOrStderr(), "nereid:", folder)
	}
	if f.text, err = triton.Parse(cmp.Or(f.emitFor, m.Triton())); err != nil {
		return err
	}
	return f.emitAll(cmd, s.Name, c, emit)
}

func (f *compileFlags) write(out io.Writer, name string, st nereid.Stage, several bool) error {
	switch f.output {
	case "":
		return nil
	case "-":
		if several {
			fmt.Fprintf(out, "// %s: %s\n", name, st.Name)
		}
		_, err := io.Copy(out, bytes.NewReader(st.Text))
		return err
	}
	if !filepath.IsLocal(name) || strings.ContainsAny(name, `/\`) {
		return fmt.Errorf("%q is no name of a file: expected one without slashes below %s", name, f.output)
	}
	if err := os.MkdirAll(f.output, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(f.output, name+"."+st.Name), st.Text, 0o644)
}

// count adds the times of a kernel's stages.
func (f *compileFlags) count(stages []nereid.Stage) {
	for _, st := range stages {
		i := slices.IndexFunc(f.times, func(t nereid.Stage) bool { return t.Name == st.Name })
		if i < 0 {
			i = len(f.times)
			f.times = append(f.times, nereid.Stage{Name: st.Name})
		}
		f.times[i].Took += st.Took
	}
}

func printTiming(out io.Writer, name string, stages []nereid.Stage) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	var total time.Duration
	for _, st := range stages {
		fmt.Fprintf(w, "%s\t%s\t%s\n", name, st.Name, timeText(st.Took))
		total += st.Took
	}
	fmt.Fprintf(w, "%s\ttotal\t%s\n", name, timeText(total))
	w.Flush()
}
