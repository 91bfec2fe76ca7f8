package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/triton"
)

// commands makes the subcommands, one file each, in the order in which the help lists them.
var commands = []func() *cobra.Command{
	newDemoCmd,
	newRunCmd,
	newVerifyCmd,
	newCheckCmd,
	newLSPCmd,
	newDebugCmd,
	newDiffVersionsCmd,
	newCompileCmd,
	newViewCmd,
	newRulesCmd,
	newReplayCmd,
	newRaceCmd,
	newSelftestCmd,
	newBenchCmd,
	newProfileCmd,
	newDevicesCmd,
	newOptCmd,
	newLayoutCmd,
	newTuneCmd,
	newExploreCmd,
	newWarmCmd,
	newAOTCmd,
	newONNXCmd,
	newGenCmd,
	newCacheCmd,
	newVersionCmd,
}

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // the command ran and did not succeed
	exitUsage  = 2 // the command line made no sense

	exitInternal  = 3 // a fault of nereid, with a report
	exitUnchecked = 4 // nothing is wrong with what check could check, which was not all
)

// errReported is returned by a command that failed and has already said why on its own output.
var errReported = errors.New("failed")

// errUnchecked is returned by check if it has named kernels that it could not check.
var errUnchecked = errors.New("not all kernels were checked")

// usageError is a fault of the command line that only the command itself could see.
type usageError struct{ error }

// usagef makes an error that ends in exit code 2.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// named accepts one argument or more; what says which, for the message about none.
func named(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("name %s", what)
		}
		return nil
	}
}

// one accepts one argument.
func one(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usagef("name one of %q: a command takes %s", args, what)
		}
		return named(what)(cmd, args)
	}
}

// checkNamed returns an error for a name that is none of those known.
func checkNamed(flag string, names, known []string) error {
	for _, n := range names {
		if slices.Contains(known, n) {
			continue
		}
		if best := diag.Nearest(n, known); best != "" {
			return usagef("%s: there is no %q: did you mean %s?", flag, n, best)
		}
		return usagef("%s: there is no %q: there are %s", flag, n, strings.Join(known, ", "))
	}
	return nil
}

// maxInput bounds the files of lists, timings and IR that commands read.
const maxInput = 256 << 20

func newRootCmd() *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:   "nereid",
		Short: "Compiles and runs Triton kernels",
		Long:  "Nereid compiles and runs Triton kernels: Python in, native code out, no Python needed.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				fmt.Fprintln(cmd.OutOrStdout(), buildText())
				return nil
			}
			if err := cmd.Help(); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), "\nDevices:")
			printDevices(cmd.OutOrStdout())
			return nil
		},

		SilenceErrors: true, // run prints them, once
		SilenceUsage:  true,
	}
	// Not cobra's own: its template calls methods by name, for which the linker would keep every method of
	// the program.
	root.Flags().BoolVarP(&version, "version", "v", false, "version for nereid")
	cobra.EnableCommandSorting = false
	for _, newCmd := range commands {
		root.AddCommand(newCmd())
	}
	root.PersistentFlags().String("triton", "",
		"the release of Triton that kernels are written in: 3.6 to 3.9, 3.9+block_ptr or, as an experiment, "+
			"3.9+gluon (default 3.6)")
	root.PersistentPreRunE = chooseTriton
	addCompletions(root)
	root.InitDefaultCompletionCmd()
	// an unknown shell is an error, not a call for help
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		c.Args, c.RunE = cobra.NoArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		c.Example = "  source <(nereid completion bash)"
	}
	return root
}

// Main runs a command line, without the name of the program, and returns the exit code of the process.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	for _, err := range slices.Concat(knob.Check(), knob.Refused(), checkPasses()) {
		fmt.Fprintf(stderr, "nereid: warning: %v\n", err)
	}
	slog.SetDefault(slog.New(warnings{new(sync.Mutex), stderr}))
	defer closeCache()
	return execute(newRootCmd(), args, stdin, stdout, stderr)
}

// checkPasses says which passes that are to be dumped there are not.
func checkPasses() (out []error) {
	names := strings.FieldsFunc(knob.DumpPasses.Get(), func(c rune) bool { return c == ',' })
	if len(names) == 0 {
		return nil
	}
	var known []string
	for _, p := range optPasses(gpu.Options{Machine: gpu.Machine{Target: "cuda:90"}, TMA: true,
		PingPong: true}) {
		known = append(known, p.Name)
	}
	for _, n := range names {
		if n != "all" && !slices.Contains(known, n) {
			out = append(out, fmt.Errorf("%s: there is no pass %q; nereid opt --help lists them",
				knob.DumpPasses.Name(), n))
		}
	}
	return out
}

// closeCache lets what was compiled get to the cache that machines share, if there is one.
func closeCache() {
	if !knob.CacheRedis.IsSet() {
		return
	}
	if c := nereid.EnvCache(); c != nil {
		c.Close()
	}
}

func execute(root *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stdout, flushOut := painted(stdout)
	stderr, flushErr := painted(stderr)
	defer flushOut()
	defer flushErr()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)

	started := false
	onStart(root, func() { started = true })
	return recovered(stderr, args, func() int { return work(root, &started, stderr) })
}

// work runs the command and reports its error.
func work(root *cobra.Command, started *bool, stderr io.Writer) int {
	cmd, err := root.ExecuteC()
	if err == nil {
		return exitOK
	}
	// What fails before the command's own code runs is a flag or an argument that cobra did not accept.
	if usage := (usageError{}); !*started || errors.As(err, &usage) {
		text := strings.TrimPrefix(strings.TrimSpace(err.Error()), "nereid: ")
		fmt.Fprintf(stderr, "nereid: %s%s\nRun '%s --help' for usage.\n", text, nearestFlag(cmd, err),
			cmd.CommandPath())
		return exitUsage
	}
	if errors.Is(err, errUnchecked) {
		return exitUnchecked
	}
	report(stderr, err)
	return exitFailed
}

// nearestFlag returns the flag that an unknown one may be, or "".
func nearestFlag(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if best := diag.Nearest(unknown.GetSpecifiedName(), names); best != "" {
		return ": did you mean --" + best + "?"
	}
	return ""
}

// report prints a command's error. Diagnostics carry their own file, line and caret, so they get no prefix.
func report(stderr io.Writer, err error) {
	if errors.Is(err, errReported) {
		return
	}
	if errors.As(err, new(*diag.List)) || errors.As(err, new(*nereid.Fault)) {
		fmt.Fprintln(stderr, err)
		return
	}
	fmt.Fprintf(stderr, "nereid: %s\n", strings.TrimPrefix(err.Error(), "nereid: "))
}

// chooseTriton makes --triton the release of the language for everything that the command loads.
func chooseTriton(cmd *cobra.Command, _ []string) error {
	text, err := cmd.Flags().GetString("triton")
	if err != nil || text == "" {
		return err
	}
	if _, err := triton.Parse(text); err != nil {
		return usagef("--triton: %w", err)
	}
	return os.Setenv(knob.Triton.Name(), text) // before files are read
}

// configOf returns the environment's configuration, with what kernels print on the command's output.
func configOf(cmd *cobra.Command) nereid.Config {
	conf := nereid.EnvConfig()
	conf.Print = cmd.OutOrStdout()
	return conf
}

// quietConfig returns a configuration of which only the language comes from the environment.
func quietConfig() nereid.Config { return nereid.Config{Print: io.Discard, Triton: knob.Triton.Get()} }

// contextOf is the context of a command.
func contextOf(cmd *cobra.Command) context.Context {
	if ctx := cmd.Context(); ctx != nil {
		return ctx
	}
	return context.Background()
}

// interruptible has a command that takes long end in an orderly way when it is interrupted: child processes
// end with it, and what it has found is kept. A second interrupt ends the process.
func interruptible(cmd *cobra.Command) (stop func()) {
	ctx, stop := signal.NotifyContext(contextOf(cmd), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	cmd.SetContext(ctx)
	return stop
}

// onStart calls f when cmd or a subcommand begins its own work.
func onStart(cmd *cobra.Command, f func()) {
	if work := cmd.RunE; work != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			f()
			return work(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		onStart(sub, f)
	}
}
