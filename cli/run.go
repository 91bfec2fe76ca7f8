package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/replay"
)

type runFlags struct {
	input   inputFlags
	grid    string
	device  string
	check   []string
	isolate bool
	roots   []string
	opts    nereid.Options
	rep     time.Duration
	show    int
	flops   string
}

func newRunCmd() *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:   "run FILE.py:KERNEL [NAME=VALUE]...",
		Short: "Runs a kernel on made-up inputs, checks it and measures it",
		Long: "Runs a kernel on made-up inputs, compares what it leaves in memory with what the interpreter leaves, and prints how long it\n" +
			"took and how fast that is.\n\n" +
			"An argument is given by name. A tensor is described by type and shape, and by how it begins: x=fp16[128x64], x=fp32[1000]:ones\n" +
			"(" + strings.Join(fillNames(), ", ") + "). A scalar or compile-time argument is a value: n=1000, eps=1e-5, CAUSAL=True, MODE=sum,\n" +
			"TYPE=fp16, bias=None, SHAPE='(16, 32)'. Parameters that the kernel uses as pointers and that are not described are tensors of\n" +
			"--dtype and --shape; without --shape they hold 65536 elements, or as many as the largest integer argument says.\n\n" +
			"The grid is a number, or up to three, or expressions of the arguments: --grid 'cdiv(n, BLOCK)'.",
		Example: "  nereid run kernels/vector_add.py:add_kernel n_elements=100000 BLOCK_SIZE=1024 --grid 'cdiv(n_elements, BLOCK_SIZE)'\n" +
			"  nereid run kernels/softmax.py:softmax_kernel --device interp --check uninit,races --shape 64x1000 \\\n" +
			"      in_row_stride=1000 out_row_stride=1000 n_cols=1000 BLOCK_SIZE=1024 --grid 64",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, f.takeChecks(args)) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.grid, "grid", "1", "programs, as numbers or expressions separated by commas")
	fs.StringVar(&f.device, "device", "", "device to run on (default: the best one here)")
	fs.StringVar(&f.input.signature, "signature", "", "types of the arguments, as nereid compile takes them: constants are values, pointers tensors")
	fs.StringVar(&f.input.shape, "shape", "", "shape of tensors that are not described, as in 128x64")
	fs.StringVar(&f.input.dtype, "dtype", "fp32", "element type of tensors that are not described")
	fs.StringVar(&f.input.fill, "init", "randn", "how tensors begin: "+strings.Join(fillNames(), ", "))
	fs.Uint64Var(&f.input.seed, "seed", 1, "of the random numbers")
	fs.StringSliceVar(&f.check, "check", nil, "what to look for: overflow of indices, on any device; bounds, not on cuda; uninit, races between programs: by the interpreter, which looks at bounds in any case; races within programs: on sim")
	fs.Lookup("check").NoOptDefVal = bareCheck
	fs.BoolVar(&f.isolate, "isolate", false, "run on the CPU in a child process: a kernel that crashes is an error")
	fs.DurationVar(&f.rep, "rep", 200*time.Millisecond, "how long to measure; 0 runs the kernel once")
	fs.IntVar(&f.show, "print", 0, "print this many elements of each tensor that changed")
	fs.StringVar(&f.flops, "flops", "", "operations of the launch, a number or an expression, for the rate")
	fs.StringSliceVar(&f.roots, "root", nil, "more folders in which imports are found")
	fs.IntVar(&f.opts.NumWarps, "num-warps", 0, "warps of a program (default 4)")
	fs.IntVar(&f.opts.NumStages, "num-stages", 0, "stages of software pipelining (default 3)")
	fs.IntVar(&f.opts.NumCTAs, "num-ctas", 0, "blocks of a program, a cluster (default 1)")
	fs.StringVar(&f.opts.Extra, "extra", "", "options of a device from outside: NAME=VALUE,NAME=VALUE")
	fs.BoolVar(&f.opts.Debug, "debug", false, "keep device_assert and check integer overflow")
	return cmd
}

func (f *runFlags) run(cmd *cobra.Command, args []string) error {
	conf := configOf(cmd)
	conf.Isolate = conf.Isolate || f.isolate
	k, err := loadKernel(args[0], nereid.Roots(f.roots...), nereid.With(conf))
	if err != nil {
		return err
	}
	judge, err := loadKernel(args[0], nereid.Roots(f.roots...), nereid.With(nereid.Config{Print: io.Discard}))
	if err != nil {
		return err
	}
	in, err := f.input.read(k, args[1:])
	if err != nil {
		return err
	}
	grid, err := in.grid(f.grid)
	if err != nil {
		return err
	}
	dev, err := f.open()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	r := &runner{flags: f, ctx: ctx, k: k, judge: judge, dev: dev, in: in, gridSize: grid, out: cmd.OutOrStdout()}
	return r.run()
}

// loadKernel finds FILE.py:KERNEL; a file with one kernel needs no name.
func loadKernel(arg string, opts ...nereid.LoadOption) (*nereid.Kernel, error) {
	file, name, ok := cutKernel(arg)
	m, err := nereid.Load(file, opts...)
	if err != nil {
		return nil, err
	}
	if !ok {
		names := m.Kernels()
		if len(names) != 1 {
			return nil, usagef("%s names no kernel: write %s:KERNEL, one of %s", arg, file, strings.Join(names, ", "))
		}
		name = names[0]
	}
	return m.Kernel(name)
}

// cutKernel cuts FILE.py:KERNEL. A colon before the end of a file's name, as in C:\k.py, is part of it.
func cutKernel(arg string) (file, name string, ok bool) {
	i := strings.LastIndex(arg, ".py:")
	if i < 0 {
		return arg, "", false
	}
	return arg[:i+len(".py")], arg[i+len(".py:"):], true
}

// bareCheck is what --check means by itself.
const bareCheck = "bounds"

// takeChecks takes the checks out of the arguments: --check may stand alone, which is bounds, so that what follows it is an argument to begin
// with.
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

// open is the device to run on, with the checks that were asked for.
func (f *runFlags) open() (*nereid.Device, error) {
	return openChecked(f.device, f.check)
}

// openChecked opens a device. Checks are the interpreter's, and choose it where nothing else is said.
func openChecked(device string, checks []string) (*nereid.Device, error) {
	if len(checks) == 0 {
		return nereid.Open(device)
	}
	if strings.HasPrefix(device, "sim") {
		rest := slices.DeleteFunc(slices.Clone(checks), func(c string) bool { return c == "races" })
		if len(rest) < len(checks) {
			return openRaces(device, rest)
		}
	}
	if device != "interp" && !slices.ContainsFunc(checks, func(c string) bool { return c != "bounds" && c != "overflow" }) {
		return openBounds(device, slices.Contains(checks, "bounds"))
	}
	var o nereid.InterpOptions
	for _, c := range checks {
		switch c {
		case "bounds":
		case "uninit":
			o.CheckUninit = true
		case "races":
			o.CheckRaces = true
		case "overflow":
			o.CheckOverflow = true
		default:
			return nil, usagef("there is no check %q: bounds, overflow, uninit, races", c)
		}
	}
	if device != "" && device != "interp" {
		return nil, usagef("--check is for the interpreter, not for %s", device)
	}
	return nereid.NewInterpreter(o), nil
}

// openRaces opens a simulated device that looks for races within programs, and makes other checks.
func openRaces(device string, checks []string) (*nereid.Device, error) {
	if err := os.Setenv(knob.CheckRaces.Name(), "1"); err != nil {
		return nil, err
	}
	return openChecked(device, checks)
}

// openBounds opens a device that checks indices for overflow, and accesses if bounds is set: the CPU where nothing else is said.
func openBounds(device string, bounds bool) (*nereid.Device, error) {
	if err := os.Setenv(knob.Checked.Name(), "1"); err != nil { // before devices are looked for
		return nil, err
	}
	if device == "" {
		device = "cpu"
	}
	if bounds && device != "cpu" && device != "interp" && !strings.HasPrefix(device, "sim") {
		return nil, usagef("--check bounds is for cpu, interp and sim, not for %s", device)
	}
	return nereid.Open(device)
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
	out      io.Writer
}

func (r *runner) run() error {
	fmt.Fprintf(r.out, "device %s: %s\n", r.dev, r.dev.Info())
	fmt.Fprintf(r.out, "kernel %s, grid %s: %s\n", r.k.Name(), gridText(r.gridSize), r.in)
	got, err := r.once(r.dev, r.k)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', 0)
	defer w.Flush()
	fmt.Fprintf(w, "first launch\t%s, compilation included\n", round(got.took))
	verdict, failed := r.check(got)
	fmt.Fprintf(w, "check\t%s\n", verdict)
	if r.flags.rep > 0 {
		took, err := r.measure()
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "run\t%s\n", round(took))
		if err := r.rates(w, took, got); err != nil {
			return err
		}
	}
	r.changes(w, got)
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
	s, err := dev.NewStream(r.ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	args, tensors, err := r.in.on(dev)
	if err != nil {
		return nil, err
	}
	defer closeAll(tensors)
	start := time.Now()
	if err := k.Launch(s, r.gridSize, append(args, r.flags.opts)...); err != nil {
		return nil, err
	}
	if err := s.Sync(); err != nil {
		return nil, err
	}
	res := &result{mem: map[string][]byte{}, took: time.Since(start)}
	for name, t := range tensors {
		data := make([]byte, t.Len()*t.DType.Size())
		if err := t.Read(data); err != nil {
			return nil, err
		}
		res.mem[name] = data
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
	if r.dev.String() == "interp" {
		return "ok: no access out of bounds" + r.looked(), nil
	}
	interp, err := nereid.Open("interp")
	if err != nil {
		return "not done: " + err.Error(), nil
	}
	want, err := r.once(interp, r.judge)
	if err != nil {
		return "FAILED: the interpreter does not run it", err
	}
	c := &replay.Case{Kernel: r.k.Name(), Before: map[string][]byte{}, After: want.mem, TF32: r.tf32()}
	for _, a := range r.in.tensors {
		c.Before[a.name] = a.data
		c.Args = append(c.Args, replay.Arg{Name: a.name, Kind: replay.Tensor, Storage: a.name, Dtype: a.dtype.String()})
	}
	worst, err := c.Compare(got.mem)
	if err != nil {
		return "FAILED: it differs from the interpreter's result", err
	}
	return fmt.Sprintf("ok: equals the interpreter's result, largest error %.1e", worst), nil
}

func (r *runner) looked() string {
	text := ""
	if slices.Contains(r.flags.check, "uninit") {
		text += ", no read of what nobody wrote"
	}
	if slices.Contains(r.flags.check, "races") {
		text += ", no two programs at odds"
	}
	return text
}

// tf32 reports whether fp32 products may differ in their low bits.
func (r *runner) tf32() bool {
	args, tensors, err := r.in.on(r.dev)
	if err != nil {
		return false
	}
	defer closeAll(tensors)
	return usesTF32(r.ctx, r.judge, append(args, r.flags.opts))
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

// rates prints bytes, each tensor counted once, and operations per second.
func (r *runner) rates(w io.Writer, took time.Duration, got *result) error {
	bytes := 0
	for _, data := range got.mem {
		bytes += len(data)
	}
	if bytes > 0 {
		fmt.Fprintf(w, "rate\t%.2f GB/s, each of %s of tensors counted once\n", float64(bytes)/took.Seconds()/1e9, size(bytes))
	}
	if r.flags.flops == "" {
		return nil
	}
	n, err := r.in.number(r.flags.flops)
	if err != nil {
		return usagef("--flops: %v", err)
	}
	fmt.Fprintf(w, "\t%.2f GFLOP/s\n", n/took.Seconds()/1e9)
	return nil
}

func size(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
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
