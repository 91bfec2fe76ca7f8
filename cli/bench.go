package cli

import (
	"context"
	"io"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/bench"
	"github.com/nereid-lang/nereid/internal/bench/peers"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

func newBenchCmd() *cobra.Command {
	var device, begin, torch string
	var compare, lines, turns, ahead bool
	s := &bench.Suite{}
	cmd := &cobra.Command{
		Use:   "bench [--device D] [--only NAME]...",
		Short: "Measures the kernels on a device",
		Long: "Measures the kernels in kernels/ on a device and prints a row for each figure; in a pipe,\n" +
			"or with --json, a JSON line as peer/triton_peer.py prints it for Triton on the same kernels\n" +
			"and sizes. Times are medians, with cold caches.\n\n" +
			"Every tensor has normally distributed numbers of its own, and every result is compared with\n" +
			"one in float64 at some hundred elements: a wrong one is a failure.\n\n" +
			"--only launch is the host's side of a warm launch in every form that it has; on a GPU\n" +
			"beside the bare call to the driver.\n" +
			"--only start is a process from start to end, with the device alone and to the first result\n" +
			"of a kernel that is in the cache.",
		Example: "  nereid bench --only softmax,matmul\n  nereid bench --only launch --device cpu",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if begin != "" {
				return bench.Begin(device, begin, cmd.OutOrStdout())
			}
			out := cmd.OutOrStdout()
			if !lines && (cmd.Flags().Changed("json") || terminal(out) != nil) {
				out = &benchTable{w: out}
			}
			if i := slices.Index(s.Only, "start"); i >= 0 {
				if err := benchStart(out, device); err != nil {
					return err
				}
				if s.Only = slices.Delete(s.Only, i, i+1); len(s.Only) == 0 {
					return nil
				}
			}
			known := append(s.Names(), "start")
			if compare {
				known = new(peers.Suite).Names()
			}
			if err := checkNamed("--only", s.Only, known); err != nil {
				return err
			}
			// the driver would remember what it compiled in an earlier run
			os.Setenv("CUDA_CACHE_DISABLE", "1")
			dev, err := nereid.OpenDevice(device)
			if err != nil {
				return err
			}
			s.Device, s.Out = dev, out
			s.Small = !core.Traits(dev).Hardware
			ctx := cmd.Context()
			if ctx == nil {
				ctx = context.Background()
			}
			if turns {
				return s.Turns(ctx, cmd.InOrStdin())
			}
			if ahead {
				s.CompareAhead(ctx)
			}
			total := len(s.Only)
			if total == 0 {
				total = len(known) - 1 // without start
			}
			bar := newProgress(cmd.ErrOrStderr(), total)
			defer bar.done()
			s.Step = func(name string) {
				bar.done()
				bar.step(name)
			}
			if compare {
				p := peers.Suite{Step: s.Step, Device: dev, Root: ".", Out: s.Out, Rep: s.Rep, Only: s.Only,
					Threads: runtime.GOMAXPROCS(0), Torch: torch}
				return p.Run(ctx)
			}
			return s.Run(ctx)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&device, "device", "", "device to measure (default: the best one here)")
	fs.StringSliceVar(&s.Only, "only", nil, "kernels to measure")
	fs.DurationVar(&s.Rep, "rep", 200*time.Millisecond, "how long to measure each kernel")
	fs.BoolVar(&compare, "peers", false,
		"compare with C, OpenBLAS, NumPy and PyTorch here instead (in the folder of the project)")
	fs.StringVar(&torch, "torch", "", "with --peers, a Python that has PyTorch (default: .venv/bin/python)")
	fs.BoolVar(&turns, "turns", false,
		"measure what lines of the standard input ask for, as 100ms matmul fp16 4096")
	fs.BoolVar(&ahead, "ahead", false, "compare each launch that compiles with the same in strict mode "+
		"after a warm-up, and with a bundle")
	fs.StringVar(&begin, "begin", "", "be a process of --only start")
	fs.MarkHidden("begin")
	fs.BoolVar(&lines, "json", false,
		"print JSON lines also on a terminal; --json=false: rows also in a pipe")
	return cmd
}

// benchStart measures processes of this program.
func benchStart(out io.Writer, device string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s := bench.Start{Self: []string{self, "bench", "--device=" + device, "--begin"}, Out: out}
	return s.Run()
}
