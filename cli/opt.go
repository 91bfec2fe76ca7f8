package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/middle"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/safefile"
	"github.com/nereid-lang/nereid/internal/target/amd"
)

// optPasses is every pass that can be named on the command line.
func optPasses(o gpu.Options) []pass.Pass { return slices.Concat(pass.All(), middle.All(), gpu.All(o)) }

// optAliases are shorter names of passes.
var optAliases = map[string]string{
	"licm":           "loop-invariant-code-motion",
	"loop-aware-cse": "triton-loop-aware-cse",
}

type optFlags struct {
	steps      []func() ([]pass.Pass, error) // what the flags ask for, in the order given
	opts       pass.Options
	print      ir.PrintOptions
	output     string
	target     string
	numWarps   int
	numStages  int
	warpGroups bool
	reproducer bool
	split      bool
}

// machine is what the passes of GPUs work for.
func (f *optFlags) machine() gpu.Options {
	m := gpu.Machine{Target: f.target, NumWarps: f.numWarps}
	if c := chip.Target(f.target); c.ROCm != "" {
		m.ThreadsPerWarp = amd.Compiler{Chip: c.Name}.Target().WarpSize
	}
	return gpu.Options{Machine: m, WarpGroups: f.warpGroups, NumStages: f.numStages, TMA: true,
		PingPong: true}
}

func newOptCmd() *cobra.Command {
	f := &optFlags{}
	cmd := &cobra.Command{
		Use:   "opt [--PASS]... [FILE]",
		Short: "Runs passes over IR",
		Long: "Runs the named passes, in the order given, over a file of MLIR text (.ttir, .ttgir,\n" +
			".mlir), or over standard input when FILE is absent or -, and prints the result.",
		Example: "  nereid opt --canonicalize --cse kernel.ttir\n" +
			"  nereid opt --ttir --timing -o kernel.ttir kernel.source\n" +
			"  nereid opt --pass-pipeline='builtin.module(inline,canonicalize)' --dump-after=inline - < kernel.source",
		Args:                  cobra.MaximumNArgs(1),
		DisableFlagsInUseLine: true,
		RunE:                  func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.add(cmd.Flags())
	cmd.SetUsageFunc(optUsage)
	return cmd
}

func (f *optFlags) add(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.StringVarP(&f.output, "output", "o", "", "write to this file instead of standard output")
	fs.BoolVar(&f.print.Generic, "generic", false, "print every operation in MLIR's generic form")
	fs.BoolVar(&f.print.Locs, "locs", false, "print locations")
	addTagged(fs, &f.opts)
	fs.StringVar(&f.target, "target", "cuda:90", "what to compile for: cuda:CAPABILITY or hip:ARCH")
	fs.IntVar(&f.numWarps, "num-warps", 4,
		"warps of a program, for --ttgir and --convert-triton-to-tritongpu")
	fs.IntVar(&f.numStages, "num-stages", 3, "iterations of a loop that overlap, for --ttgir and "+
		"--tritongpu-assign-latencies")
	fs.BoolVar(&f.warpGroups, "warp-groups", false, "put products on wgmma where the target has it")
	fs.BoolVar(&f.split, "split-input-file", false, "take the parts of the file between lines of \""+
		splitMark+"\" each for itself")
	fs.BoolVar(&f.reproducer, "run-reproducer", false, "run the passes that the file, a reproducer, asks for")
	f.pipeline(fs, "ttir", "run the pipeline of the TTIR stage", func(string) ([]pass.Pass, error) {
		o, err := ttirOptions(f.target)
		return pass.TTIR(o), err
	})
	f.pipeline(fs, "ttgir", "run the pipeline from TTIR to TTGIR", func(string) ([]pass.Pass, error) {
		if _, err := ttirOptions(f.target); err != nil {
			return nil, err
		}
		if c := chip.Target(f.target); c.ROCm != "" {
			if _, err := amd.CompilerFor(c.Name); err != nil {
				return nil, err
			}
			return gpu.AMDPipeline(gpu.AMDOptions{Machine: f.machine().Machine, NumStages: f.numStages}), nil
		}
		return gpu.Pipeline(f.machine()), nil
	})
	f.pipeline(fs, "pass-pipeline", "run these passes: names, separated by commas, as mlir-opt reads them "+
		"(builtin.module(canonicalize,func.func(cse)), options in braces)",
		func(names string) ([]pass.Pass, error) {
			return pass.Parse(optPasses(f.machine()), names)
		})
	fs.Lookup("pass-pipeline").NoOptDefVal = ""
	for _, p := range optPasses(f.machine()) {
		// Looked up when all flags are known: some passes are made for a machine.
		f.pipeline(fs, p.Name, p.Doc, func(options string) ([]pass.Pass, error) {
			x, _ := pass.Lookup(optPasses(f.machine()), p.Name)
			if options == flagGiven {
				return []pass.Pass{x}, nil
			}
			x, err := x.With(options)
			return []pass.Pass{x}, err
		})
	}
	for alias, name := range optAliases {
		p, _ := pass.Lookup(optPasses(f.machine()), name)
		f.pipeline(fs, alias, p.Doc, func(string) ([]pass.Pass, error) { return []pass.Pass{p}, nil })
		fs.Lookup(alias).Hidden = true
	}
}

// pipeline adds a flag that appends passes to the pipeline each time it is given. Which ones is asked when
// all flags are known.
func (f *optFlags) pipeline(fs *pflag.FlagSet, name, help string,
	passes func(arg string) ([]pass.Pass, error)) {
	fs.Var(passFlag{f, passes}, name, help)
	fs.Lookup(name).NoOptDefVal = flagGiven
	fs.SetAnnotation(name, passAnnotation, nil)
}

// flagGiven is the value of a pass's flag without options.
const flagGiven = "true"

// passAnnotation marks the flags that are passes or pipelines, which the help lists apart.
const passAnnotation = "pass"

// passFlag is a flag whose place on the command line counts.
type passFlag struct {
	f      *optFlags
	passes func(arg string) ([]pass.Pass, error)
}

func (p passFlag) Set(arg string) error {
	p.f.steps = append(p.f.steps, func() ([]pass.Pass, error) { return p.passes(arg) })
	return nil
}

func (p passFlag) String() string { return "" }
func (p passFlag) Type() string   { return "names" }

// ttirOptions reads a target such as cuda:90 or hip:gfx942.
func ttirOptions(target string) (pass.TTIROptions, error) {
	c := chip.Target(target)
	if c.Backend == "" {
		return pass.TTIROptions{}, fmt.Errorf("no target is called %q", target)
	}
	return pass.TTIRFor(c), nil
}

// addTagged adds a flag for each tagged field of the struct that opts points to.
func addTagged(fs *pflag.FlagSet, opts any) {
	v := reflect.ValueOf(opts).Elem()
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		name, help := tag.Get("flag"), tag.Get("help")
		switch p := v.Field(i).Addr().Interface().(type) {
		case *bool:
			fs.BoolVar(p, name, *p, help)
		case *int:
			fs.IntVar(p, name, *p, help)
		case *string:
			fs.StringVar(p, name, *p, help)
		case *[]string:
			fs.StringSliceVar(p, name, *p, help)
		}
	}
}

// optUsage lists the passes apart from the other flags.
func optUsage(cmd *cobra.Command) error {
	w := cmd.OutOrStderr()
	fmt.Fprintf(w, "Usage:\n  %s\n\nExamples:\n%s\n\n", cmd.UseLine(), cmd.Example)
	plain := pflag.NewFlagSet("", pflag.ContinueOnError)
	plain.SortFlags = false
	passes := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(passes, "Passes, which run in the order given:")
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		_, isPass := f.Annotations[passAnnotation]
		switch {
		case !isPass:
			plain.AddFlag(f)
		case !f.Hidden:
			arg := ""
			if f.NoOptDefVal == "" {
				arg = "=" + f.Value.Type()
			}
			fmt.Fprintf(passes, "  --%s%s\t%s\n", f.Name, arg, f.Usage)
		}
	})
	passes.Flush()
	fmt.Fprintf(w, "\nFlags:\n%s", plain.FlagUsages())
	return nil
}

func (f *optFlags) run(cmd *cobra.Command, args []string) error {
	name, src, err := readInput(cmd.InOrStdin(), args)
	if err != nil {
		return err
	}
	if strings.HasSuffix(name, ".py") {
		return usagef("%s is Python, and opt reads IR: nereid compile %[1]s:KERNEL ... --emit source "+
			"writes it", name)
	}
	passes, err := f.passes(src)
	if err != nil {
		return err
	}
	out, done, err := f.create(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	if !f.split {
		return errors.Join(f.one(cmd, out, name, src, passes), done())
	}
	var bad error
	for i, piece := range splitInput(src) {
		if i > 0 {
			fmt.Fprintln(out, splitMark)
		}
		if err := f.one(cmd, out, name, piece, passes); err != nil { // the others are still worth seeing
			report(cmd.ErrOrStderr(), err)
			bad = errReported
		}
	}
	return errors.Join(bad, done())
}

// one runs the passes over one text and writes what becomes of it.
func (f *optFlags) one(cmd *cobra.Command, out io.Writer, name string, src []byte, passes []pass.Pass) error {
	m, err := readModule(name, src, !f.print.Locs)
	if err != nil {
		return err
	}
	ctx := &pass.Context{Options: f.opts, Dump: cmd.ErrOrStderr(), Print: f.print}
	err = runNested(ctx, m, passes)
	if f.opts.Timing {
		pass.WriteTimings(cmd.ErrOrStderr(), ctx.Timings())
	}
	if err != nil {
		return err
	}
	return ir.Print(out, m.Op, f.print)
}

// runNested runs passes over each module: those inside of others first, each taken out of its parent, since
// a pass knows a single module. A module that holds nothing but modules is left alone.
func runNested(ctx *pass.Context, m *ir.Module, passes []pass.Pass) error {
	var inner, others []*ir.Op
	for op := range m.Block().Ops() {
		if op.Def == ir.ModuleOp {
			inner = append(inner, op)
		} else {
			others = append(others, op)
		}
	}
	for _, op := range inner {
		op.Remove()
		if err := runNested(ctx, &ir.Module{Op: op}, passes); err != nil {
			return err
		}
	}
	if len(others) > 0 || len(inner) == 0 {
		if err := pass.Run(ctx, m, passes); err != nil {
			return err
		}
	}
	for _, op := range inner {
		op.MoveToEnd(m.Block())
	}
	return nil
}

// splitMark separates the parts of a file under --split-input-file, as in mlir-opt.
const splitMark = "// -----"

// splitInput returns the parts of a text. Each begins with as many empty lines as stand before it, so that
// places in messages are those of the file.
func splitInput(src []byte) (parts [][]byte) {
	line, from := 0, 0
	var part []byte
	for text := range bytes.Lines(src) {
		if bytes.HasPrefix(text, []byte(splitMark)) {
			parts = append(parts, append(bytes.Repeat([]byte("\n"), from), part...))
			part, from = nil, line+1
		} else {
			part = append(part, text...)
		}
		line++
	}
	return append(parts, append(bytes.Repeat([]byte("\n"), from), part...))
}

// passes is the pipeline that the flags ask for, or the text, when it is a reproducer.
func (f *optFlags) passes(src []byte) ([]pass.Pass, error) {
	if f.reproducer {
		if len(f.steps) > 0 {
			return nil, usagef("--run-reproducer takes the passes from the file; name none")
		}
		return pass.ReproducerPasses(optPasses(f.machine()), src)
	}
	var passes []pass.Pass
	for _, step := range f.steps {
		list, err := step()
		if err != nil {
			return nil, usageError{err}
		}
		passes = append(passes, list...)
	}
	return passes, nil
}

// readInput is the text of the file named, or of standard input.
func readInput(stdin io.Reader, args []string) (name string, src []byte, err error) {
	if len(args) == 0 || args[0] == "-" {
		src, err = io.ReadAll(stdin)
		return "<stdin>", src, err
	}
	src, err = safefile.ReadNamed(args[0], maxInput)
	return args[0], src, err
}

// readModule reads and verifies IR. With textLocs, operations that say nothing of their origin get their
// place in the text, so that a fault is shown there.
func readModule(name string, src []byte, textLocs bool) (*ir.Module, error) {
	files := diag.NewFileSet()
	m, err := ir.ParseWith(files, name, src, ir.ParseOptions{TextLocs: textLocs})
	if err != nil {
		return nil, err
	}
	if err := ir.Verify(m.Op); err != nil {
		return nil, showInText(err, files, name, src)
	}
	return m, nil
}

// showInText turns what the verifier found into diagnostics with a line and a caret, where it points into
// the text that was read. What comes from elsewhere keeps its own place in the message.
func showInText(err error, files *diag.FileSet, name string, src []byte) error {
	list := &diag.List{Files: files}
	file := files.AddFile(name, src)
	for _, e := range unjoin(err) {
		bad := (*ir.VerifyError)(nil)
		if !errors.As(e, &bad) {
			return err
		}
		loc := ir.FileLocOf(bad.Op.Loc)
		if loc == nil || loc.File != name {
			list.Errorf(diag.Span{}, "", "%s", e)
			continue
		}
		at := file.Pos(lineStart(src, loc.Line) + loc.Col - 1)
		list.Errorf(diag.At(at), "", "'%s' op %s", bad.Op.Name(), bad.Msg)
	}
	return list.Err()
}

// lineStart is the offset of a line, counted from 1.
func lineStart(src []byte, line int) int {
	at := 0
	for ; line > 1; line-- {
		at += bytes.IndexByte(src[at:], '\n') + 1
	}
	return at
}

func unjoin(err error) []error {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		return slices.Clone(j.Unwrap())
	}
	return []error{err}
}

// create returns the writer for the result, and a function that ends it.
func (f *optFlags) create(stdout io.Writer) (io.Writer, func() error, error) {
	if f.output == "" || f.output == "-" {
		return stdout, func() error { return nil }, nil
	}
	out, err := os.Create(f.output)
	if err != nil {
		return nil, nil, err
	}
	return out, out.Close, nil
}
