package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/lang/stdlib"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/safefile"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/view"
)

type viewFlags struct {
	run     runFlags
	targets []string
	listen  string
	html    string
	scopes  string
	noRun   bool
	beside  besideFlags
}

func newViewCmd() *cobra.Command {
	f := &viewFlags{}
	cmd := &cobra.Command{
		Use:   "view FILE.py[:KERNEL] [NAME=VALUE]...",
		Short: "Shows a kernel, its stages, passes, layouts and accesses in a browser",
		Long: "Compiles a kernel and serves a page on this machine: the source beside every stage, linked\n" +
			"by line; each pass as a diff with its time; who owns which element of a tensor on a GPU; the\n" +
			"loads and stores of a run in the interpreter, out-of-bounds accesses in red, races, and the\n" +
			"values of variables; what each line costs on a simulated GPU and on the CPU; scopes as a\n" +
			"GPU measured them, with --scopes; registers and shared memory over the program; and, with\n" +
			"--beside, --beside-config or --beside-triton, all stages and\n" +
			"figures of two kernels beside each other. The kernel can be edited in the page. --html\n" +
			"writes the page to a file instead, to be sent around.\n\n" +
			"Arguments, --grid and the flags of tensors are those of nereid run. The page loads nothing\n" +
			"from the network.",
		Example: "  nereid view kernels/softmax.py --shape 64x1000 in_row_stride=1000 out_row_stride=1000 \\\n" +
			"      n_cols=1000 BLOCK_SIZE=1024 --grid 64\n" +
			"  nereid view kernels/vector_add.py n_elements=5000 BLOCK_SIZE=1024 \\\n" +
			"      --grid 'cdiv(n_elements, BLOCK_SIZE)' --target hip:gfx942 --html add.html\n" +
			"  nereid view kernels/vector_add.py n_elements=5000 BLOCK_SIZE=1024 \\\n" +
			"      --grid 'cdiv(n_elements, BLOCK_SIZE)' --beside-config 'BLOCK_SIZE=256 num_warps=2'",
		Args: named("a kernel: FILE.py:KERNEL"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.start(cmd, args) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringSliceVar(&f.targets, "target", []string{"cuda:90", "cpu"},
		"what to compile for, separated by commas: cuda:CAPABILITY, hip:CHIP, cpu, cpu:CHIP")
	fs.StringVar(&f.html, "html", "", "write the page to a file, and serve nothing; - is standard output")
	fs.StringVar(&f.listen, "listen", "127.0.0.1:0", "address to serve the page at; port 0 is a free one")
	fs.BoolVar(&f.noRun, "no-run", false, "do not run the kernel, in the interpreter and on a simulated GPU")
	fs.StringVar(&f.scopes, "scopes", "", "draw the scopes of the kernel's last launch in a file that "+
		"nereid profile --scopes has recorded, on a GPU for instance")
	fs.StringVar(&f.run.grid, "grid", "1", "programs, as numbers or expressions separated by commas")
	f.run.input.add(cmd)
	fs.StringVar(&f.run.input.signature, "signature", "",
		"types and constants of the arguments, as nereid compile takes them: nothing is run")
	fs.StringSliceVar(&f.run.roots, "root", nil, "more folders in which imports are found")
	f.run.env.add(fs)
	f.beside.add(fs)
	fs.IntVar(&f.run.opts.NumWarps, "num-warps", 0, "warps of a program (default 4)")
	fs.IntVar(&f.run.opts.NumStages, "num-stages", 0, "stages of software pipelining (default 3, on hip 2)")
	fs.IntVar(&f.run.opts.NumCTAs, "num-ctas", 0, "blocks of a program, a cluster (default 1)")
	return cmd
}

// viewGC has the collector run after the heap has grown by so many per cent: a reader who edits waits for a
// compilation, of which the collector takes up to a half otherwise.
const viewGC = 400

func (f *viewFlags) start(cmd *cobra.Command, args []string) error {
	if err := os.Setenv(knob.Lines.Name(), "1"); err != nil { // the CPU's code has lines only where asked for
		return err
	}
	debug.SetGCPercent(viewGC)
	file, name, _ := cutKernel(args[0])
	text, err := safefile.ReadNamed(file, maxInput)
	if err != nil {
		return err
	}
	for _, t := range f.targets {
		if err := jit.CheckTarget(t); err != nil {
			return usagef("--target: %v", err)
		}
	}
	if f.run.input.signature != "" && len(args) > 1 {
		return usagef("give --signature or arguments, not both")
	}
	v := &viewer{flags: f, file: file, kernel: name, args: args[1:]}
	ctx := contextOf(cmd)
	m, err := v.model(ctx, text, f.targets)
	if err != nil {
		return err
	}
	if f.noRun = f.noRun || f.run.input.signature != ""; !f.noRun {
		m.Run = v.Run(ctx, text)
		m.Values = v.Values(ctx, text, v.program)
		m.Cost = v.Cost(ctx, text)
	}
	if f.scopes != "" {
		if m.Scopes, err = v.recordedScopes(); err != nil {
			return err
		}
	}
	if f.beside.given() {
		if m.Beside, err = v.beside(ctx, text, f.beside); err != nil {
			return err
		}
	}
	if f.html != "" {
		return f.write(cmd.OutOrStdout(), m)
	}
	m.Choices = v.choices(text)
	defer interruptible(cmd)() // not before: half of a page would be written as if it were whole
	return f.serve(contextOf(cmd), cmd.OutOrStdout(), v, m)
}

// write writes the page to a file.
func (f *viewFlags) write(out io.Writer, m *view.Model) error {
	var page bytes.Buffer
	if err := view.Write(&page, m); err != nil {
		return err
	}
	if f.html == "-" {
		_, err := out.Write(page.Bytes())
		return err
	}
	if err := os.WriteFile(f.html, page.Bytes(), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s\n", f.html, sizeText(int64(page.Len())))
	return nil
}

// serve serves the page until the command is interrupted.
func (f *viewFlags) serve(ctx context.Context, out io.Writer, v *viewer, m *view.Model) error {
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "http://%s/ shows %s; Ctrl-C ends it\n", l.Addr(), m.Title)
	if x, ok := out.(interface{ Flush() error }); ok {
		_ = x.Flush()
	}
	s := &http.Server{Handler: view.NewServer(l.Addr(), m, v), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// viewer compiles and runs the kernel of a page.
type viewer struct {
	flags  *viewFlags
	file   string
	kernel string // "" until the file has named its only one
	args   []string

	release          string   // of Triton; "" is the command's own
	differs, instead []string // arguments and options of one that is compared with another, and of that

	params    string // of the kernel that the fields below are made for
	in        *inputs
	grid      nereid.Grid
	signature string
	opts      nereid.Options
	program   int64  // the one whose values are shown first
	clean     string // the last text that the interpreter ran without a fault
}

// Compile implements view.Compiler.
func (v *viewer) Compile(ctx context.Context, text []byte, targets []string) *view.Model {
	for _, t := range targets {
		if !slices.Contains(v.flags.targets, t) {
			return &view.Model{Errors: []string{"the page has no target " + t}}
		}
	}
	if len(targets) == 0 {
		targets = v.flags.targets
	}
	m, err := v.model(ctx, text, targets)
	if err != nil {
		return &view.Model{Errors: []string{strings.TrimPrefix(err.Error(), "nereid: ")}}
	}
	return m
}

// parse reads the text as that of the file.
func (v *viewer) parse(text []byte, opts ...nereid.LoadOption) (*nereid.Module, error) {
	opts = append(opts, nereid.Roots(v.flags.run.roots...), v.flags.run.env.load(),
		jit.OnDisk())
	if v.release != "" {
		opts = append(opts, nereid.Triton(v.release))
	}
	return nereid.Parse(v.file, text, opts...)
}

// load reads the text and finds the kernel.
func (v *viewer) load(text []byte, opts ...nereid.LoadOption) (*nereid.Kernel, error) {
	m, err := v.parse(text, opts...)
	if err != nil {
		return nil, err
	}
	if v.kernel == "" {
		names := m.Kernels()
		if len(names) != 1 {
			return nil, usagef("%s names no kernel: write %[1]s:KERNEL, one of %s", v.file,
				strings.Join(names, ", "))
		}
		v.kernel = names[0]
	}
	return m.Kernel(v.kernel)
}

// prepare makes up the arguments of the kernel, unless it takes the same as before.
func (v *viewer) prepare(ctx context.Context, text []byte) error {
	k, err := v.load(text, nereid.With(quietConfig()))
	if err != nil {
		return err
	}
	params := fmt.Sprint(k.Params())
	if params == v.params {
		return nil
	}
	f := v.flags.run // a copy: a config chooses options
	if f.input.signature != "" {
		v.params, v.signature, v.opts = params, f.input.signature, f.opts
		return nil
	}
	r := &runner{flags: &f, ctx: ctx, k: k, judge: k}
	if err := r.read(v.args); err != nil {
		return err
	}
	dev := nereid.NewInterpreter(nereid.InterpOptions{Stdout: io.Discard})
	list, tensors, err := r.in.on(dev)
	if err != nil {
		return err
	}
	defer closeAll(tensors)
	sig, err := k.Signature(append(list, f.opts)...)
	if err != nil {
		return err
	}
	v.params, v.in, v.grid, v.signature, v.opts = params, r.in, r.gridSize, sig, f.opts
	return nil
}

// model compiles the text for targets.
func (v *viewer) model(ctx context.Context, text []byte, targets []string) (*view.Model, error) {
	start := time.Now()
	if err := v.prepare(ctx, text); err != nil {
		return nil, err
	}
	m := &view.Model{Title: path.Base(v.file) + ":" + v.kernel}
	files := view.NewFiles(v.file, text, stdlibFile)
	type compiled struct {
		stages []view.RawStage
		passes []view.Pass
		err    error
	}
	all := make([]chan compiled, len(targets))
	for i, name := range targets {
		all[i] = make(chan compiled, 1)
		go func() {
			var c compiled
			c.stages, c.passes, c.err = v.compile(ctx, text, name)
			all[i] <- c
		}()
	}
	var failed error
	for i, name := range targets {
		c := <-all[i]
		if c.err != nil && len(c.stages) == 0 {
			failed = errors.Join(failed, c.err)
			continue
		}
		t := view.NewTarget(name, c.stages, c.passes, files)
		if c.err != nil {
			t.Error = strings.TrimPrefix(c.err.Error(), "nereid: ")
		}
		m.Targets = append(m.Targets, t)
	}
	if len(m.Targets) == 0 {
		return nil, failed
	}
	m.Files = files.List()
	m.Took = float64(time.Since(start).Microseconds()) / 1000
	return m, nil
}

// lastTexts are the stages that end a compilation for a page: the last that people read.
var lastTexts = []string{"ptx", "amdgcn", "asm"}

// compile compiles for a target. What was made before an error is returned with it.
func (v *viewer) compile(ctx context.Context, text []byte, name string) ([]view.RawStage, []view.Pass,
	error) {
	w := &view.Watcher{}
	conf := quietConfig()
	conf.Hooks.Stage = func(_ nereid.Variant, s nereid.Stage) { w.Ended(s.Name) }
	k, err := v.load(text, nereid.With(conf), jit.WatchPasses(w.Stage))
	if err != nil {
		return nil, nil, err
	}
	until := ""
	for _, s := range jit.StagesOf(name) {
		if slices.Contains(lastTexts, s) {
			until = s
		}
	}
	c, err := jit.CompileFor(ctx, k, name, v.signature, target.Options(v.opts), until, nil)
	if c == nil {
		return nil, w.Passes(), err
	}
	defer c.Close()
	var out []view.RawStage
	for _, s := range c.Stages {
		out = append(out, view.RawStage{Name: s.Name, Text: s.Text, Took: w.Took(s.Name, s.Took)})
	}
	return out, w.Passes(), err
}

// stdlibFile returns a file of the language's library by the name that locations give it.
func stdlibFile(name string) ([]byte, bool) {
	_, base, ok := strings.Cut(name, "nereid/stdlib/")
	if !ok {
		return nil, false
	}
	text, err := stdlib.Files.ReadFile(base)
	return text, err == nil
}
