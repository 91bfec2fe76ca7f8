package cli

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/bench"
)

func newDemoCmd() *cobra.Command {
	var device string
	cmd := &cobra.Command{
		Use:   "demo [--device D]",
		Short: "Compiles and runs five kernels and checks them",
		Long: "Compiles vector add, softmax, layer norm, matmul and attention for the best device that is\n" +
			"here, runs them, and checks each against a float64 reference.",
		Example: "  nereid demo --device interp",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return demo(cmd, device) },
	}
	cmd.Flags().StringVar(&device, "device", "", "device to run on (default: the best one here)")
	return cmd
}

func demo(cmd *cobra.Command, device string) error {
	dev, err := nereid.OpenDevice(device)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "device %s: %s\nstages %s\n\n", dev, dev.Info(), strings.Join(dev.Stages(), ", "))
	if slow := slowness(nereid.Devices()); slow != "" && dev.Abilities().Interprets {
		fmt.Fprintf(out, "%s\n\n", slow)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kernel\tfirst launch\trun\trate\terror\t")
	failed := false
	for _, c := range bench.Demo() {
		row, err := demoCase(ctx, dev, c)
		if err != nil {
			failed = true
			row = fmt.Sprintf("FAILED: %v", err)
		}
		fmt.Fprintf(w, "%s\t%s\n", c.Name, row)
	}
	w.Flush()
	if failed {
		return errReported
	}
	return nil
}

// demoCase compiles, runs and checks a kernel: the first launch compiles, the best of three more is the time.
func demoCase(ctx context.Context, dev *nereid.Device, c *bench.Case) (string, error) {
	k, err := c.Load()
	if err != nil {
		return "", err
	}
	s, err := dev.NewStream(ctx)
	if err != nil {
		return "", err
	}
	defer s.Close()
	var first, best time.Duration
	for i := range 4 {
		start := time.Now()
		if err := k.Launch(s, c.Grid, c.Args...); err != nil {
			return "", err
		}
		if err := s.Sync(); err != nil {
			return "", err
		}
		took := time.Since(start)
		switch {
		case i == 0:
			first = took
		case best == 0 || took < best:
			best = took
		}
	}
	worst, err := c.Check(2000)
	if err != nil {
		return "", err
	}
	rate := rateText(c.Bytes/best.Seconds(), "B/s")
	if c.Flops > 0 {
		rate = rateText(c.Flops/best.Seconds(), "FLOP/s")
	}
	return fmt.Sprintf("%s\t%s\t%s\t%.1e\t", timeText(first), timeText(best), rate, worst), nil
}
