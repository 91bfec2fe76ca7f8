package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/profile"
)

type profileFlags struct {
	trace, pprof string
	quiet        bool
	scopes       bool
	lines        bool
}

func newProfileCmd() *cobra.Command {
	f := &profileFlags{}
	cmd := &cobra.Command{
		Use:   "profile (-- PROGRAM [ARGUMENT]... | TRACE.json)",
		Short: "Records what a program does with kernels: a timeline, and a table by kernel",
		Long: "Runs a program that uses Nereid, from Go, C, C++ or Python, and records kernels, launches,\n" +
			"compilations, tunings, copies and graphs. Writes a timeline for Perfetto\n" +
			"(https://ui.perfetto.dev) and chrome://tracing, a profile with labels for go tool pprof,\n" +
			"and prints a table by kernel to standard error: share of the time, rate, and per cent of the\n" +
			"peak of the device's memory. NVIDIA's GPUs measure kernels by their own clock. --lines adds\n" +
			"a table by line of kernels on the CPU, --scopes one of scopes inside of kernels.\n\n" +
			"The program finds the file in NEREID_TRACE and ends as it likes. With the name of a recorded\n" +
			"file instead of a program, prints its table.",
		Example: "  nereid profile -- ./service -addr :8080\n" +
			"  nereid profile --trace t.json --pprof '' -- nereid bench --device cpu --only softmax\n" +
			"  nereid profile --lines -- nereid bench --device cpu --only softmax\n" +
			"  nereid profile t.json\n" +
			"  go tool pprof -top -sample_index=time nereid-profile.pb.gz",
		Args: named("a program behind --, or a recorded file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.ArgsLenAtDash() == 0 {
				return f.runProgram(cmd, args)
			}
			return f.show(cmd, args)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.trace, "trace", "nereid-profile.json", "file for the timeline")
	fs.StringVar(&f.pprof, "pprof", "nereid-profile.pb.gz", "file for go tool pprof; '' writes none")
	fs.BoolVar(&f.scopes, "scopes", false, "also record the scopes of kernels, pl.scope of "+
		"triton.profiler.language: each launch of such a kernel is waited for")
	fs.BoolVar(&f.lines, "lines", false, "also find out in which lines of kernels the processors are, on "+
		"the device cpu under Linux: each thread is interrupted every 250 µs of its time")
	fs.BoolVarP(&f.quiet, "quiet", "q", false, "print no table")
	return cmd
}

// show prints the table of a recorded file.
func (f *profileFlags) show(cmd *cobra.Command, args []string) error {
	if len(args) != 1 || cmd.ArgsLenAtDash() > 0 {
		return usagef("name one recorded file, or a program behind --")
	}
	t, err := readTrace(args[0])
	if err != nil {
		return err
	}
	if len(t.Events) == 0 {
		return fmt.Errorf("%s has no events: name a timeline that nereid profile wrote", args[0])
	}
	return t.WriteTable(cmd.OutOrStdout())
}

func readTrace(name string) (*profile.Trace, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t, err := profile.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// runProgram runs a program and writes what was recorded of it, also if the program fails.
func (f *profileFlags) runProgram(cmd *cobra.Command, args []string) error {
	raw, err := os.CreateTemp("", "nereid-trace-*.json")
	if err != nil {
		return err
	}
	raw.Close()
	defer os.Remove(raw.Name())
	failed := f.runRecorded(cmd, raw.Name(), args)
	t, err := readTrace(raw.Name())
	if err != nil {
		return errors.Join(failed, err)
	}
	if len(t.Events) == 0 {
		nothing := fmt.Errorf("%s used no kernel of Nereid, so nothing was recorded", args[0])
		return errors.Join(failed, nothing)
	}
	rateHost(t)
	err = writeFile(f.trace, t.WriteTrace)
	if err == nil && f.pprof != "" {
		err = writeFile(f.pprof, t.WritePprof)
	}
	if err == nil && !f.quiet {
		err = t.WriteTable(cmd.ErrOrStderr())
	}
	return errors.Join(failed, err)
}

// runRecorded runs a program that records to a file. An interrupt ends the program, not this one.
func (f *profileFlags) runRecorded(cmd *cobra.Command, file string, args []string) error {
	c := exec.Command(args[0], args[1:]...)
	c.Stdin, c.Stdout, c.Stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	c.Env = append(os.Environ(), knob.Trace.Name()+"="+file)
	if f.scopes {
		c.Env = append(c.Env, knob.TraceScopes.Name()+"=1")
	}
	if f.lines {
		c.Env = append(c.Env, knob.TraceLines.Name()+"=1", knob.Lines.Name()+"=1")
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
}

func writeFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// rateHost measures how fast the memory of this machine is, if kernels ran on its processor.
func rateHost(t *profile.Trace) {
	if d, ok := t.Devices["cpu"]; ok && d.BytesPerSecond == 0 {
		d.BytesPerSecond = copyRate(100 * time.Millisecond)
		t.Devices["cpu"] = d
	}
}

// copyRate returns how many bytes copies of large memory read and write in a second, with all processors: the
// most of several rounds, since other programs may run beside.
func copyRate(during time.Duration) (most float64) {
	const rounds = 5
	for range rounds {
		most = max(most, copyRound(during/rounds))
	}
	return most
}

func copyRound(during time.Duration) float64 {
	const size = 32 << 20
	var copied atomic.Int64
	var ready, all sync.WaitGroup
	begin := make(chan time.Time)
	for range runtime.GOMAXPROCS(0) {
		ready.Add(1)
		all.Go(func() {
			from, to := make([]byte, size), make([]byte, size)
			for i := range from { // memory that was never written is all one page
				from[i], to[i] = byte(i), byte(i)
			}
			ready.Done()
			for end := (<-begin).Add(during); time.Now().Before(end); {
				copied.Add(2 * int64(copy(to, from)))
			}
		})
	}
	ready.Wait()
	start := time.Now()
	for range runtime.GOMAXPROCS(0) {
		begin <- start
	}
	all.Wait()
	return float64(copied.Load()) / time.Since(start).Seconds()
}
