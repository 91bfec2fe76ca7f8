package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/plot"
	"github.com/nereid-lang/nereid/tunable"
)

// exploreFlags say which candidates are measured, and for what.
type exploreFlags struct {
	measureFlags
	bundle  string
	group   string
	configs []string
	where   string
	bytes   string
	flops   string
	op      string
	key     string
	json    bool
}

// measureFlags are those of all commands that measure candidates: `explore-kernels` and `tune`.
type measureFlags struct {
	input  inputFlags
	shapes []string
	grid   string
	device string
	roots  []string
	rep    time.Duration
	budget time.Duration
	plot   string
}

func (f *measureFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVar(&f.shapes, "shapes", nil, "values of one measurement; may be given several times")
	fs.StringVar(&f.grid, "grid", "",
		"programs, as numbers or expressions separated by commas; times depend on it, so it has to be given")
	fs.StringVar(&f.device, "device", "", "device to measure on (default: the best one here)")
	f.input.add(cmd)
	fs.DurationVar(&f.rep, "rep", 0,
		"how long to measure each candidate (default: what @triton.autotune says, or 100ms)")
	fs.StringVar(&f.plot, "plot", "", "draw the measurements to a PNG or SVG file")
	fs.StringSliceVar(&f.roots, "root", nil, "more folders in which imports are found")
}

// addOp adds the flags of an op's candidates, which `explore-kernels` and `tune --bundle` have.
func (f *exploreFlags) addOp(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.group, "group", "", "group of the bundle (default: its only one)")
	fs.StringVar(&f.where, "where", "",
		"condition between arguments and constants that a candidate needs: 'COLS <= BLOCK_SIZE'")
	fs.StringVar(&f.op, "op", "", "name of the op whose results are kept (default: the group, or the kernel)")
	fs.StringVar(&f.key, "key", "",
		"key of the results, as the op of the program has it: 'type=fp16,rows=ROWS' (default: the shape)")
}

func newExploreCmd() *cobra.Command {
	f := &exploreFlags{}
	cmd := &cobra.Command{
		Use: "explore-kernels BUNDLE|TABLE|FILE.py:KERNEL [NAME=VALUE]... [--shapes NAME=VALUE,...]... " +
			"--grid EXPR",
		Short: "Measures every candidate of an op, and shows what the op picks",
		Long: "Measures, on made-up inputs, every variant of a bundle's or a table's group, or every\n" +
			"config of a kernel, and prints their times and rates, the fastest first, below the tunable\n" +
			"op that picks among them. Each --shapes is one measurement; without any, the numbers among\n" +
			"the arguments are one. Its names are parameters, or words that other arguments and\n" +
			"expressions mention: x_ptr=fp16[ROWSxCOLS].\n\n" +
			"Configs are those of @triton.autotune, or those of --config: BLOCK_SIZE=1024,num_warps=8.",
		Example: "  nereid explore-kernels kernels/softmax.py:softmax_kernel --config BLOCK_SIZE=1024 \\\n" +
			"      --config BLOCK_SIZE=4096,num_warps=8 'out_ptr=fp16[ROWSxCOLS]' 'in_ptr=fp16[ROWSxCOLS]' " +
			"\\\n" +
			"      in_row_stride=COLS out_row_stride=COLS n_cols=COLS \\\n" +
			"      --shapes ROWS=512,COLS=1000 --shapes ROWS=512,COLS=4000 --grid ROWS --where 'COLS <= " +
			"BLOCK_SIZE'",
		RunE: f.run,
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.add(cmd)
	f.addOp(cmd)
	fs.StringArrayVar(&f.configs, "config", nil, "a config of a kernel; may be given several times")
	fs.StringVar(&f.bytes, "bytes", "", "bytes that a run moves (default: those of all tensors)")
	fs.StringVar(&f.flops, "flops", "", "operations of a run: the rate is theirs")
	fs.BoolVar(&f.json, "json", false, "print an object for each candidate and shape")
	return cmd
}

func (f *exploreFlags) run(cmd *cobra.Command, args []string) error {
	defer interruptible(cmd)()
	if len(args) == 0 {
		return usagef("name a bundle, a table, or a kernel: FILE.py:KERNEL")
	}
	if f.plot != "" {
		if _, err := plot.Format(f.plot); err != nil {
			return usageError{err}
		}
	}
	args = f.takeShape(args)
	src, err := f.source(contextOf(cmd), args[0], configOf(cmd))
	if err != nil {
		return err
	}
	defer src.close()
	show := &exploreShow{flags: f, out: cmd.OutOrStdout(), title: src.name}
	op, err := f.newOp(src, nil)
	if err != nil {
		return err
	}
	bar := newProgress(cmd.ErrOrStderr(), len(f.shapes))
	for _, shape := range f.shapes {
		bar.step(shape)
		err := f.each(cmd, src, args[1:], shape, func(s *nereid.Stream, c *exploreCall) error {
			list, err := op.Explore(s, c)
			if err != nil {
				return err
			}
			bar.done()
			return show.add(src.dev, c, list)
		})
		if err != nil {
			bar.done()
			return err
		}
	}
	if f.plot != "" {
		return show.draw(f.plot)
	}
	return nil
}

// takeShape makes the numbers among the arguments the shape to measure, where --shapes names none, and
// returns the other arguments.
func (f *exploreFlags) takeShape(args []string) []string {
	if len(f.shapes) > 0 {
		return args
	}
	var numbers []string
	left := args[:1:1]
	for _, a := range args[1:] {
		_, value, _ := strings.Cut(a, "=")
		if _, err := sweepNumber(value); err != nil {
			left = append(left, a)
		} else {
			numbers = append(numbers, a)
		}
	}
	if len(numbers) > 0 {
		f.shapes = []string{strings.Join(numbers, ",")}
	}
	return left
}

// each calls a function with the arguments of a shape, on a stream.
func (f *exploreFlags) each(cmd *cobra.Command, src *exploreSource, args []string, shape string,
	do func(s *nereid.Stream, c *exploreCall) error) error {
	c, err := f.call(src, args, shape)
	if err != nil {
		return err
	}
	s, err := src.dev.NewStream(contextOf(cmd))
	if err != nil {
		return err
	}
	defer s.Close()
	launched, tensors, err := c.in.on(src.dev)
	if err != nil {
		return err
	}
	defer closeAll(tensors)
	c.args = launched
	if err := do(s, c); err != nil {
		return fmt.Errorf("%s: %w", shape, err)
	}
	return s.Sync()
}

// newOp returns the op that chooses among the candidates.
func (f *exploreFlags) newOp(src *exploreSource, store *nereid.TuneStore) (*tunable.Op[*exploreCall], error) {
	name := f.op
	if name == "" {
		name = src.name
	}
	o := tunable.Options[*exploreCall]{Rep: f.rep, Budget: f.budget, Store: store}
	return tunable.New(name, func(c *exploreCall) exploreKey { return c.key }, o, src.candidates...)
}
