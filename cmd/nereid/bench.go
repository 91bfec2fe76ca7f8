package main

import (
	"context"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/bench"
	"github.com/nereid-lang/nereid/internal/bench/peers"
)

func newBenchCmd() *cobra.Command {
	var device string
	var compare bool
	s := &bench.Suite{}
	cmd := &cobra.Command{
		Use:   "bench [--device D] [--only NAME]...",
		Short: "Measures the kernels on a device",
		Long: "Measures the kernels in kernels/ on a device and prints one JSON line for each figure, as peer/triton_peer.py does for Triton\n" +
			"on the same kernels and sizes. Times are medians, with cold caches.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			os.Setenv("CUDA_CACHE_DISABLE", "1") // the driver would remember what it compiled in an earlier run
			dev, err := nereid.Open(device)
			if err != nil {
				return err
			}
			s.Device, s.Out = dev, cmd.OutOrStdout()
			s.Small = !strings.HasPrefix(dev.String(), "cuda")
			ctx := cmd.Context()
			if ctx == nil {
				ctx = context.Background()
			}
			if compare {
				p := peers.Suite{Device: dev, Root: ".", Out: s.Out, Threads: runtime.GOMAXPROCS(0), Rep: s.Rep, Only: s.Only}
				return p.Run(ctx)
			}
			return s.Run(ctx)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&device, "device", "", "device to measure (default: the best one here)")
	fs.StringSliceVar(&s.Only, "only", nil, "kernels to measure")
	fs.DurationVar(&s.Rep, "rep", 200*time.Millisecond, "how long to measure each kernel")
	fs.BoolVar(&compare, "peers", false, "compare with C, OpenBLAS and NumPy on this machine instead (in the folder of the project)")
	fs.Bool("json", true, "print JSON lines (there is no other form)")
	return cmd
}
