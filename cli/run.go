package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/replay"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/safefile"
	"github.com/spf13/cobra"
)

type runFlags struct {
	input   inputFlags
	grid    string
	device  string
	check   checks
	isolate bool
	roots   []string
	env     environment
	opts    nereid.Options
	rep     time.Duration
	show    int
	flops   string
	sweep   []string
	plot    string
	save    []string
	expect  []string // NAME=FILE
}

func newRunCmd() *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:   "run FILE.py:KERNEL [NAME=VALUE]...",
		Short: "Runs a kernel on made-up inputs, checks it and measures it",
		Long: "Runs a kernel on made-up inputs, compares what it leaves in memory with what the\n" +
			"interpreter leaves, and prints how long it took and how fast that is.\n\n" +
			"An argument is given by name. A tensor is described by type and shape, and by how it\n" +
			"begins: x=fp16[128x64], x=fp32[1000]:ones (" + strings.Join(fillNames(), ", ") + ").\n" +
			"A tensor descriptor is a tensor and the shape of a block: x=fp16[128x64]@32x32. A tensor\n" +
			"can be read from a file: x=in.npy, x=model.safetensors:layer.0. A scalar or compile-time\n" +
			"argument is a value: n=1000, eps=1e-5, CAUSAL=True, MODE=sum, TYPE=fp16, bias=None,\n" +
			"SHAPE='(16, 32)'.\n\n" +
			"Parameters that the kernel uses as pointers and that are not described are tensors of\n" +
			"--dtype and --shape; without --shape they hold as many elements as the arguments that\n" +
			"bound them allow: n where the kernel compares its index with n, or else what it accesses\n" +
			"under masks.\n\n" +
			"The grid is a number, or up to three, or expressions of the arguments:\n" +
			"--grid 'cdiv(n, BLOCK)'.\n\n" +
			"The kernel may be one of Triton IR, FILE.ttir, which says the types of its arguments.",
		Example: "  nereid run kernels/vector_add.py:add_kernel n_elements=100000 BLOCK_SIZE=1024 \\\n" +
			"      --grid 'cdiv(n_elements, BLOCK_SIZE)'\n" +
			"  nereid run kernels/softmax.py:softmax_kernel --device interp --check uninit,races \\\n" +
			"      --shape 64x1000 in_row_stride=1000 out_row_stride=1000 n_cols=1000 BLOCK_SIZE=1024 \\\n" +
			"      --grid 64",
		Args: named("a kernel: FILE.py:KERNEL"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, f.takeChecks(args)) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.grid, "grid", "1", "programs, as numbers or expressions separated by commas")
	fs.StringVar(&f.device, "device", "",
		"device to run on (default: the best one here); several, separated by commas, for --sweep")
	fs.StringVar(&f.input.signature, "signature", "",
		"types of the arguments, as nereid compile takes them: constants are values, pointers tensors")
	f.input.add(cmd)
	fs.StringSliceVar((*[]string)(&f.check), "check", nil,
		"what to look for: bounds, overflow of indices, uninit, races, nan: by the interpreter, which "+
			"judges every run; bounds and overflow also by the device, races within programs by sim")
	fs.Lookup("check").NoOptDefVal = bareCheck
	fs.BoolVar(&f.isolate, "isolate", false,
		"run on the CPU in a child process: a kernel that crashes is an error")
	fs.DurationVar(&f.rep, "rep", 200*time.Millisecond, "how long to measure; 0 runs the kernel once")
	fs.IntVar(&f.show, "print", 0, "print this many elements of each tensor that changed")
	fs.StringVar(&f.flops, "flops", "", "operations of the launch, a number or an expression, for the rate")
	fs.StringArrayVar(&f.sweep, "sweep", nil,
		"measure for several values of an argument: n=2^10..2^24, n=100..1000+100, n=1,2,3; other "+
			"arguments may name it,\nas in stride=n, x=fp32[64xn]")
	fs.StringVar(&f.plot, "plot", "", "draw a sweep to a PNG or SVG file")
	fs.StringArrayVar(&f.save, "save", nil,
		"write tensors after the launch: FILE.safetensors, or NAME=FILE.npy; may be given several times")
	fs.StringArrayVar(&f.expect, "expect", nil,
		"compare a tensor after the launch with a file: NAME=FILE.npy, NAME=FILE.safetensors:TENSOR; may be "+
			"given several times")
	fs.StringSliceVar(&f.roots, "root", nil, "more folders in which imports are found")
	f.env.add(fs)
	fs.IntVar(&f.opts.NumWarps, "num-warps", 0, "warps of a program (default 4)")
	fs.IntVar(&f.opts.NumStages, "num-stages", 0, "stages of software pipelining (default 3, on hip 2)")
	fs.IntVar(&f.opts.NumCTAs, "num-ctas", 0, "blocks of a program, a cluster (default 1)")
	addCodeFlags(fs, &f.opts)
	fs.StringVar(&f.opts.Extra, "extra", "", "options of a device from outside: NAME=VALUE,NAME=VALUE")
	addDebug(fs, &f.opts)
	return cmd
}

func (f *runFlags) run(cmd *cobra.Command, args []string) error {
	conf := configOf(cmd)
	conf.Isolate = conf.Isolate || f.isolate
	k, err := loadKernel(args[0], nereid.Roots(f.roots...), f.env.load(), nereid.With(conf))
	if err != nil {
		return err
	}
	judge, err := loadKernel(args[0], nereid.Roots(f.roots...), f.env.load(),
		nereid.With(quietConfig()))
	if err != nil {
		return err
	}
	if file, _, _ := cutKernel(args[0]); nereid.StageOf(file) == "ttir" && f.input.signature == "" {
		if f.input.signature, err = k.Signature(); err != nil { // the IR's own
			return err
		}
	}
	if len(f.sweep) > 0 {
		return f.runSweep(cmd, args[1:], k, judge)
	}
	if f.plot != "" {
		return usagef("--plot draws a --sweep")
	}
	dev, err := f.check.open(f.device)
	if err != nil {
		return err
	}
	r := &runner{flags: f, ctx: contextOf(cmd), k: k, judge: judge, dev: dev, out: cmd.OutOrStdout()}
	if err := r.read(args[1:]); err != nil {
		return err
	}
	if err := r.checkSave(); err != nil {
		return err
	}
	if err := r.readExpected(); err != nil {
		return err
	}
	return r.run()
}

// read makes up the arguments and the grid of the launch.
func (r *runner) read(args []string) (err error) {
	f := r.flags
	f.input.size = func(in *inputs, open []*tensorArg) error {
		z := &sizer{ctx: r.ctx, k: r.judge, in: in, opts: f.opts, fill: f.input.fillAll}
		return z.sizes(f.grid, open)
	}
	if r.in, err = f.input.read(r.k, args); err != nil {
		return err
	}
	r.in.chosen.options(&f.opts)
	r.gridSize, err = r.in.grid(f.grid)
	return err
}

// loadKernel finds FILE.py:KERNEL, or the same of a file of Triton IR; a file with one kernel needs no name.
func loadKernel(arg string, opts ...nereid.LoadOption) (*nereid.Kernel, error) {
	file, name, ok := cutKernel(arg)
	m, err := loadFile(file, opts...)
	if err != nil {
		return nil, err
	}
	if !ok {
		names := m.Kernels()
		if len(names) != 1 {
			return nil, usagef("%s names no kernel: write %s:KERNEL, one of %s", arg, file,
				strings.Join(names, ", "))
		}
		name = names[0]
	}
	return m.Kernel(name)
}

// loadFile loads a file of Python, or one of Triton IR.
func loadFile(file string, opts ...nereid.LoadOption) (*nereid.Module, error) {
	if nereid.StageOf(file) != "ttir" {
		return nereid.Load(file, opts...)
	}
	text, err := safefile.Read(file, maxInput)
	if err != nil {
		return nil, err
	}
	return nereid.ParseIR(file, text, opts...)
}

// cutKernel cuts FILE.py:KERNEL, or the same with the ending of a stage. A colon before the end of a file's
// name, as in C:\k.py, is part of it.
func cutKernel(arg string) (file, name string, ok bool) {
	i := strings.LastIndexByte(arg, ':')
	if i < 0 || !strings.HasSuffix(arg[:i], ".py") && nereid.StageOf(arg[:i]) == "" {
		return arg, "", false
	}
	return arg[:i], arg[i+1:], true
}

// bareCheck is what --check means by itself.
const bareCheck = "bounds"

// takeChecks takes the checks out of the arguments: --check may stand alone, which is bounds, so that what
// follows it is an argument to begin with.
func (f *runFlags) takeChecks(args []string) []string {
	if len(f.check) == 0 {
		return args
	}
	left := args[:1:1]
	var named []string
	for _, a := range args[1:] {
		if strings.Contains(a, "=") {
			left = append(left, a)
		} else {
			named = append(named, strings.Split(a, ",")...)
		}
	}
	if len(named) > 0 {
		f.check = append(slices.DeleteFunc(f.check, func(c string) bool { return c == bareCheck }), named...)
	}
	return left
}

// runner is one run of the command.
type runner struct {
	flags    *runFlags
	ctx      context.Context
	k        *nereid.Kernel
	judge    *nereid.Kernel // the same for the interpreter, whatever the environment says of compilations
	dev      *nereid.Device
	in       *inputs
	gridSize nereid.Grid
	wanted   []expectation
	ir       []byte  // what source has found
	plain    *result // of the interpreter, where it has judged
	loaded   int     // bytes, as the interpreter counted them
	stored   int
	out      io.Writer
}

func (r *runner) run() error {
	fmt.Fprintf(r.out, "device %s: %s\n", r.dev, r.dev.Info())
	fmt.Fprintf(r.out, "kernel %s, grid %s: %s\n", r.k.Name(), gridText(r.gridSize), r.in)
	if r.in.chosen.String() != "" {
		fmt.Fprintf(r.out, "config %s\n", r.in.chosen)
	}
	for _, t := range r.in.tensors {
		if t.note != "" {
			fmt.Fprintln(r.out, "note "+t.note)
		}
	}
	got, err := r.once(r.dev, r.k)
	if err != nil {
		return r.located(err)
	}
	w := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', 0)
	defer w.Flush()
	fmt.Fprintf(w, "first launch\t%s, compilation included\n", timeText(got.took))
	verdict, failed := r.check(got)
	fmt.Fprintf(w, "check\t%s\n", verdict)
	if failed == nil {
		failed = r.findings(w, got)
	}
	if text := r.flags.check.missing(r.gridSize[0] * r.gridSize[1] * r.gridSize[2]); text != "" {
		fmt.Fprintf(w, "not checked\t%s\n", text)
	}
	switch {
	case r.flags.rep <= 0 || failed != nil:
	case r.prints():
		fmt.Fprintf(w, "run\tnot measured, since the kernel prints\n")
	default:
		took, err := r.measure()
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "run\t%s\n", timeText(took))
		if err := r.rates(w, took); err != nil {
			return err
		}
	}
	r.changes(w, got)
	if err := r.save(got); err != nil {
		return err
	}
	if failed != nil {
		w.Flush()
		return failed
	}
	return nil
}

// result is memory after a launch, by argument.
type result struct {
	mem  map[string][]byte
	took time.Duration
}

// once launches on a device, on memory of its own.
func (r *runner) once(dev *nereid.Device, k *nereid.Kernel) (*result, error) {
	return r.onceAnd(dev, k, func(map[string]*nereid.Tensor) {})
}

// onceAnd calls then after the launch, while its tensors are there.
func (r *runner) onceAnd(dev *nereid.Device, k *nereid.Kernel, then func(map[string]*nereid.Tensor)) (*result,
	error) {
	res := &result{mem: map[string][]byte{}}
	launch := func(s *nereid.Stream, args []any, tensors map[string]*nereid.Tensor) error {
		start := time.Now()
		if err := k.Launch(s, r.gridSize, append(args, r.flags.opts)...); err != nil {
			return err
		}
		if err := s.Sync(); err != nil {
			return err
		}
		res.took = time.Since(start)
		then(tensors)
		for name, t := range tensors {
			data := make([]byte, t.Len()*t.DType.Size())
			if err := t.CopyBytesTo(data); err != nil {
				return err
			}
			res.mem[name] = data
		}
		return nil
	}
	if err := r.in.launch(r.ctx, dev, launch); err != nil {
		return nil, err
	}
	return res, nil
}

func closeAll(tensors map[string]*nereid.Tensor) {
	for _, t := range tensors {
		t.Close()
	}
}

// check compares with the interpreter. The interpreter itself has looked at every access already.
func (r *runner) check(got *result) (verdict string, err error) {
	if r.dev.Abilities().Interprets {
		return "ok: " + r.flags.check.clean(), nil
	}
	want, err := r.judged()
	if err != nil {
		return "FAILED in the interpreter", err
	}
	c := &replay.Case{Kernel: r.k.Name(), Before: map[string][]byte{}, After: want.mem}
	c.LessPrecise(r.source())
	for _, a := range r.in.tensors {
		c.Before[a.name] = a.data
		c.Args = append(c.Args,
			replay.Arg{Name: a.name, Kind: replay.Tensor, Storage: a.name, Dtype: a.dtype.String()})
	}
	worst, err := c.Compare(got.mem)
	if err != nil && c.ShortSums {
		if c.Orders, err = r.orders(); err != nil {
			return "FAILED in the interpreter", err
		}
		if worst, err = c.Compare(got.mem); err == nil {
			return fmt.Sprintf("ok: differs from the interpreter's result as its own do where sums in fp16 "+
				"or bf16 have another order, largest error %.1e; there %s", worst, r.flags.check.clean()), nil
		}
	}
	if err != nil {
		return "FAILED: it differs from the interpreter's result" + r.suspect(c), err
	}
	return fmt.Sprintf("ok: equals the interpreter's result, largest error %.1e; there %s", worst,
		r.flags.check.clean()), nil
}

// orders runs the kernel in the interpreter with sums in other orders, and returns the memory after each.
func (r *runner) orders() (out []map[string][]byte, err error) {
	for _, lanes := range []int{8, 16, 32, 64, 128} {
		d := r.flags.check.interpreter()
		d.SumInLanes(lanes)
		res, err := r.once(core.NewDevice(d), r.judge)
		if err != nil {
			return nil, err
		}
		out = append(out, res.mem)
	}
	return out, nil
}

// judged runs the kernel in the interpreter, with the checks that were asked for, and counts the bytes it
// touches.
func (r *runner) judged() (*result, error) {
	d := r.flags.check.interpreter()
	touch := d.Track()
	res, err := r.onceAnd(core.NewDevice(d), r.judge,
		func(tensors map[string]*nereid.Tensor) {
			for _, t := range tensors {
				loaded, stored := touch.At(t.Addr()).Bytes()
				r.loaded, r.stored = r.loaded+loaded, r.stored+stored
			}
		})
	r.plain = res
	return res, err
}

// measure is the median time of a launch.
func (r *runner) measure() (time.Duration, error) {
	s, err := r.dev.NewStream(r.ctx)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	args, tensors, err := r.in.on(r.dev)
	if err != nil {
		return 0, err
	}
	defer closeAll(tensors)
	args = append(args, r.flags.opts)
	return s.Measure(r.flags.rep/4, r.flags.rep, func() error { return r.k.Launch(s, r.gridSize, args...) })
}

// rates prints bytes and operations per second. Bytes are those that the kernel touches, each counted once
// when it is loaded and once when it is stored.
func (r *runner) rates(w io.Writer, took time.Duration) error {
	if r.dev.Abilities().Interprets { // whose run nobody else has judged
		if _, err := r.judged(); err != nil {
			return err
		}
	}
	if n := r.loaded + r.stored; n > 0 {
		fmt.Fprintf(w, "rate\t%s: %s loaded, %s stored, each byte counted once\n",
			rateText(float64(n)/took.Seconds(), "B/s"), sizeText(int64(r.loaded)), sizeText(int64(r.stored)))
	}
	if r.flags.flops == "" {
		return nil
	}
	n, err := r.in.number(r.flags.flops)
	if err != nil {
		return usagef("--flops: %v", err)
	}
	fmt.Fprintf(w, "\t%s\n", rateText(n/took.Seconds(), "FLOP/s"))
	return nil
}

// changes says which tensors the launch changed, and what is in them.
func (r *runner) changes(w io.Writer, got *result) {
	none := true
	for _, a := range r.in.tensors {
		data := got.mem[a.name]
		if string(data) == string(a.data) {
			continue
		}
		none = false
		fmt.Fprintf(w, "%s\t%s: %s\n", a.name, a.describe(), a.summary(data))
		if n := min(r.flags.show, a.len()); n > 0 {
			fmt.Fprintf(w, "\t%s\n", a.head(data, n))
		}
	}
	if none {
		fmt.Fprintln(w, "memory\tno tensor changed")
	}
}

func gridText(g nereid.Grid) string {
	parts := []string{}
	for i, n := range g {
		if i == 0 || n > 1 || i == 1 && g[2] > 1 {
			parts = append(parts, fmt.Sprint(max(n, 0)))
		}
	}
	return strings.Join(parts, "x")
}
