package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/selftest"
)

type selftestFlags struct {
	selftest.Options
	device            string
	json, list, cache bool
}

func newSelftestCmd() *cobra.Command {
	f := &selftestFlags{}
	cmd := &cobra.Command{
		Use:   "selftest [--device D] [--for 5m]",
		Short: "Runs random kernels on a device and compares every bit",
		Long: "Runs kernels of every kind with random configs on a device: sizes of blocks, types, warps,\n" +
			"stages and the like. Inputs are small whole numbers, so that every sum is exact in whatever\n" +
			"order: all runs of a config must leave the bits that the host computes.\n\n" +
			"Prints each failure with the command that repeats it, then a table of what ran. Configs\n" +
			"that need more shared memory than the device has are refused, which is no failure.",
		Example: "  nereid selftest --device cuda --for 5m\n" +
			"  nereid selftest --device sim:90 --only products,chains --configs 50",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.device, "device", "", "device to test (default: the best one here)")
	fs.DurationVar(&f.For, "for", 0, "how long to run (default 1m, unless --configs says how many)")
	fs.IntVar(&f.Configs, "configs", 0, "how many configs to run")
	fs.IntVar(&f.Runs, "runs", 6, "how often to run each config")
	fs.StringSliceVar(&f.Only, "only", nil, "kinds of kernels to run; --list names them")
	fs.Uint64Var(&f.Seed, "seed", 1, "seed of the configs and of the inputs")
	fs.IntVar(&f.First, "first", 0, "first config of the seed")
	fs.StringVar(&f.Config, "config", "", "run this config of one kind, as a failure prints it")
	fs.IntVar(&f.Jobs, "jobs", 0, "configs that are compiled at a time (default: one for each core)")
	fs.BoolVar(&f.cache, "cache", false, "keep compiled kernels in the cache, and use those that it has")
	fs.BoolVar(&f.json, "json", false, "print the outcome as JSON")
	fs.BoolVar(&f.list, "list", false, "list the kinds")
	return cmd
}

func (f *selftestFlags) run(cmd *cobra.Command) error {
	if f.list {
		for _, k := range selftest.Kinds() {
			fmt.Fprintf(cmd.OutOrStdout(), "%-12s %s\n", k.Name, k.Doc)
		}
		return nil
	}
	if err := f.check(); err != nil {
		return err
	}
	defer interruptible(cmd)()
	dev, err := nereid.OpenDevice(f.device)
	if err != nil {
		return err
	}
	f.Device, f.Conf = dev, configOf(cmd)
	if !knob.MaxTime.IsSet() {
		f.Conf.Budget.Time = 0 // the test's own
	}
	if !f.cache {
		f.Conf.Cache = nil
		os.Setenv("CUDA_CACHE_DISABLE", "1") // the driver's own cache would fill, too
	}
	bar := &selftestBar{progress: newProgress(cmd.ErrOrStderr(), f.Configs)}
	f.Step, f.Fail = bar.step, bar.failed(cmd.OutOrStdout(), f.json)
	sum, err := selftest.Run(cmd.Context(), f.Options)
	bar.done()
	if err != nil {
		return err
	}
	return f.print(cmd, sum)
}

// check returns an error for flags that make no sense.
func (f *selftestFlags) check() error {
	var known []string
	for _, k := range selftest.Kinds() {
		known = append(known, k.Name)
	}
	if err := checkNamed("--only", f.Only, known); err != nil {
		return err
	}
	switch {
	case f.Configs < 0 || f.For < 0 || f.Runs < 1 || f.Jobs < 0 || f.First < 0:
		return usagef("--configs %d --for %v --runs %d --jobs %d --first %d: at least one run of each config",
			f.Configs, f.For, f.Runs, f.Jobs, f.First)
	case f.Config != "" && len(f.Only) != 1:
		return usagef("--config is of one kind: --only names it")
	case f.Config == "" && f.Configs == 0 && f.For == 0:
		f.For = time.Minute
	}
	return nil
}

// print prints the table and returns an error if a config failed.
func (f *selftestFlags) print(cmd *cobra.Command, sum *selftest.Summary) error {
	out := cmd.OutOrStdout()
	if f.json {
		text, err := json.MarshalIndent(sum, "", "  ")
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n", text)
	} else {
		selftestTable(out, sum)
	}
	if len(sum.Failures) > 0 {
		return errReported
	}
	return cmd.Context().Err()
}

// selftestTable prints a row for each kind, and the sums.
func selftestTable(out io.Writer, sum *selftest.Summary) {
	fmt.Fprintf(out, "%-12s %8s %8s %8s %8s %10s\n", "kind", "configs", "runs", "refused", "failed", "time")
	line := func(r selftest.Row) {
		fmt.Fprintf(out, "%-12s %8d %8d %8d %8d %10s\n", r.Kind, r.Configs, r.Runs, r.Refused, r.Failed,
			timeText(r.Took))
	}
	for _, r := range sum.Rows {
		line(r)
	}
	total := sum.Total()
	total.Kind = "all"
	line(total)
	fmt.Fprintf(out, "%s, seed %d: %s in %s, %s\n", sum.Device, sum.Seed, count(total.Configs, "config"),
		timeText(sum.Took), outcome(total, sum))
}

// outcome says whether all configs were right.
func outcome(total selftest.Row, sum *selftest.Summary) string {
	switch {
	case len(sum.Failures) > 0:
		return fmt.Sprintf("%d failed", len(sum.Failures))
	case total.Configs == total.Refused:
		return "none ran"
	}
	return "all right"
}

// selftestBar shows how far the test is, called by many goroutines.
type selftestBar struct {
	*progress
	mu sync.Mutex
}

func (b *selftestBar) step(kind, config string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.progress.step(kind + " " + config)
}

// failed prints a failure when it happens.
func (b *selftestBar) failed(out io.Writer, quiet bool) func(selftest.Failure) {
	return func(x selftest.Failure) {
		if quiet {
			return
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.done()
		fmt.Fprintln(out, strings.TrimRight(x.String(), "\n"))
	}
}
