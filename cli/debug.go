package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/dap"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/target/interp"
)

type debugFlags struct{ run runFlags }

func newDebugCmd() *cobra.Command {
	f := &debugFlags{}
	cmd := &cobra.Command{
		Use:   "debug FILE.py:KERNEL [NAME=VALUE]...",
		Short: "Debugs a kernel: an adapter for editors, forwards and backwards",
		Long: "Speaks the Debug Adapter Protocol on standard input and output. The kernel runs in the\n" +
			"interpreter on made-up inputs, and one program of the grid is recorded: the launch request\n" +
			"names it (program: 3; default 0). Breakpoints by line and condition, steps, steps back, and\n" +
			"the values of all variables at each line. Arguments and --grid are those of nereid run.",
		Example: "  nereid debug kernels/softmax.py:softmax_kernel --shape 64x1000 in_row_stride=1000 \\\n" +
			"      out_row_stride=1000 n_cols=1000 BLOCK_SIZE=1024 --grid 64",
		Args: named("a kernel: FILE.py:KERNEL"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.start(cmd, args) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.run.grid, "grid", "1", "programs, as numbers or expressions separated by commas")
	f.run.input.add(cmd)
	fs.StringSliceVar(&f.run.roots, "root", nil, "more folders in which imports are found")
	f.run.env.add(fs)
	return cmd
}

func (f *debugFlags) start(cmd *cobra.Command, args []string) error {
	k, err := loadKernel(args[0], nereid.Roots(f.run.roots...), f.run.env.load(), nereid.With(quietConfig()))
	if err != nil {
		return err
	}
	r := &runner{flags: &f.run, ctx: contextOf(cmd), k: k, judge: k}
	if err := r.read(args[1:]); err != nil {
		return err
	}
	return dap.Serve(dap.Program{Name: k.Name(), Eval: evaluated, Record: r.trace},
		cmd.InOrStdin(), unpainted(cmd.OutOrStdout()))
}

// trace runs the kernel and records one program. It returns the tensors of the launch too.
func (r *runner) trace(program int64) (*interp.Trace, []dap.Tensor, error) {
	if n := int64(r.gridSize[0] * r.gridSize[1] * r.gridSize[2]); program < 0 || program >= n {
		return nil, nil, fmt.Errorf("there is no program %d: the grid has %d", program, n)
	}
	d := watched(interp.DeviceOptions{})
	t := d.Trace(program)
	var list []dap.Tensor
	err := r.in.watch(r.ctx, d, func(s *nereid.Stream, args []any, tensors map[string]*nereid.Tensor) error {
		for _, a := range r.in.tensors {
			x := tensors[a.name]
			list = append(list, dap.Tensor{Name: a.name, Addr: x.Addr(), Bytes: x.Len() * x.DType.Size()})
		}
		return r.k.Launch(s, r.gridSize, append(args, r.flags.opts)...)
	})
	return t, list, err
}

// evaluated evaluates an expression of numbers, for conditions of breakpoints and watched expressions.
func evaluated(expression string, scalars map[string]any) (string, error) {
	v, err := (&inputs{values: scalars}).eval(expression)
	if err != nil {
		return "", err
	}
	return object.PlainRepr(v), nil
}
