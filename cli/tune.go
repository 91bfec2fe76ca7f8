package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/safefile"
)

type tuneFlags struct {
	measureFlags
	again     bool
	exportTo  string
	importOf  string
	dir       string
	showKnown bool
	verify    bool
	isolate   bool
	hang      time.Duration
	journal   bool
	show      tuneShow
	explore   exploreFlags
}

func newTuneCmd() *cobra.Command {
	f := &tuneFlags{}
	cmd := &cobra.Command{
		Use:   "tune FILE.py:KERNEL [NAME=VALUE]... [--shapes NAME=VALUE,...]...",
		Short: "Tunes a kernel under @triton.autotune and keeps the timings",
		Long: "Measures the configs of a kernel's @triton.autotune on made-up inputs, prints a table, and\n" +
			"keeps the timings where launches find them. Arguments are given as nereid run takes them;\n" +
			"each --shapes is one tuning, with its values added to the arguments.\n\n" +
			"The grid is an expression of the arguments and of the config's: --grid 'cdiv(M, BLOCK_M) *\n" +
			"cdiv(N, BLOCK_N)'.",
		Example: "  nereid tune kernels/matmul.py:matmul_kernel --dtype fp16 --shape 512x512 stride_ak=1 " +
			"stride_bn=1 stride_cn=1 \\\n" +
			"      --shapes M=512,N=512,K=512,stride_am=512,stride_bk=512,stride_cm=512 --grid 'cdiv(M, " +
			"BLOCK_M) * cdiv(N, BLOCK_N)'",
		RunE: f.run,
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.add(cmd)
	fs.DurationVar(&f.budget, "budget", 0, "time of one tuning; configs that are not measured by then are "+
		"passed over")
	fs.BoolVar(&f.again, "again", false, "measure even what is kept")
	fs.BoolVar(&f.verify, "verify", true, "compare the results of configs with the first one's; one that "+
		"differs is passed over")
	fs.BoolVar(&f.isolate, "isolate", false, "measure in a child process: a config that crashes it is "+
		"passed over")
	fs.DurationVar(&f.hang, "hang", time.Minute, "with --isolate: a config that takes longer is passed over")
	fs.BoolVar(&f.journal, "journal", false, "be the child process of --isolate")
	fs.MarkHidden("journal")
	fs.StringVar(&f.explore.bundle, "bundle", "", "tune the variants of a bundle's group instead, for an "+
		"op of package tunable")
	f.explore.addOp(cmd)
	fs.StringVar(&f.dir, "dir", "", "folder of the timings (default: that of launches)")
	fs.BoolVar(&f.showKnown, "list", false, "list what is kept, and tune nothing")
	fs.StringVar(&f.exportTo, "export", "", "write what is kept to a file, for other machines of the kind")
	fs.StringVar(&f.importOf, "import", "", "take the timings of such a file over; what was measured "+
		"here stays")
	return cmd
}

func (f *tuneFlags) run(cmd *cobra.Command, args []string) error {
	defer interruptible(cmd)()
	conf := configOf(cmd)
	if f.dir != "" {
		conf.Tune.Dir, conf.Tune.Store = f.dir, nil
	}
	store := &autotune.Folder{Dir: conf.Tune.Dir, ReadOnly: conf.Tune.ReadOnly}
	out := cmd.OutOrStdout()
	switch {
	case store.Dir != "" && store.Check() != nil:
		return store.Check()
	case store.Dir == "" && (f.importOf != "" || f.exportTo != "" || f.showKnown):
		return usagef("there is no folder of timings, the cache is off: name one with --dir")
	case f.importOf != "":
		return f.merge(contextOf(cmd), out, store)
	case f.exportTo != "":
		return f.export(out, store)
	case f.showKnown:
		return listRecords(out, store)
	case f.explore.bundle != "":
		return f.tuneBundle(cmd, conf, args)
	case len(args) == 0:
		return usagef("name a kernel: FILE.py:KERNEL")
	case f.grid == "":
		return usagef("say how many programs are launched: --grid 'cdiv(n, BLOCK)'")
	}
	conf.Tune.Budget, conf.Tune.Rep, conf.Tune.Again = f.budget, f.rep, f.again || conf.Tune.Again
	conf.Tune.Progress, conf.Tune.Done, conf.Tune.Verify, conf.Tune.Journal = f.show.progress, f.show.done,
		f.verify, f.journal
	f.show.line = terminal(cmd.ErrOrStderr())
	if f.isolate && !f.journal {
		if conf.Tune.Again {
			return usagef("--isolate takes over what is kept: remove --again")
		}
		if store.Dir == "" || store.ReadOnly {
			return usagef("--isolate needs a folder for timings: name one with --dir")
		}
		if err := f.isolated(cmd, store); err != nil {
			return err
		}
	}
	k, err := f.kernel(args[0], conf)
	if err != nil {
		return err
	}
	dev, err := nereid.OpenDevice(f.device)
	if err != nil {
		return err
	}
	if configs, err := k.Configs(dev); err == nil && len(configs) == 0 {
		return nothingToChoose(k)
	}
	if len(f.shapes) == 0 {
		f.shapes = []string{""}
	}
	for _, shape := range f.shapes {
		if err := f.tune(cmd, dev, k, args[1:], shape); err != nil {
			return err
		}
	}
	if f.plot != "" && !f.journal {
		return f.show.plot(f.plot)
	}
	return nil
}

func (f *tuneFlags) kernel(arg string, conf nereid.Config) (*nereid.Kernel, error) {
	file, name, ok := cutKernel(arg)
	if !ok {
		return nil, usagef("%s names no kernel: write %s:KERNEL", arg, file)
	}
	m, err := nereid.Load(file, nereid.Roots(f.roots...), nereid.With(conf))
	if err != nil {
		return nil, err
	}
	return m.Kernel(name)
}

// tune launches once: that tunes.
func (f *tuneFlags) tune(cmd *cobra.Command, dev *nereid.Device, k *nereid.Kernel, args []string,
	shape string) error {
	all := append([]string(nil), args...)
	if shape != "" {
		all = append(all, splitShapes(shape)...)
	}
	f.input.partial, f.input.repeat = true, 1<<18-5 // no divisor of shapes: rows differ
	in, err := f.input.read(k, all)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(contextOf(cmd))
	defer stop(nil)
	s, err := dev.NewStream(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	f.show.begin()
	grid := nereid.GridFunc(func(m nereid.Meta) nereid.Grid {
		g, err := in.with(k, m).grid(f.grid)
		if err != nil {
			stop(err) // what would be measured with another grid is not to be kept
		}
		return g
	})
	start := time.Now()
	launched, tensors, err := in.on(dev)
	if err != nil {
		return err
	}
	defer closeAll(tensors)
	err = k.Launch(s, grid, launched...)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		return err
	}
	if len(f.show.all) == 0 {
		return nothingToChoose(k)
	}
	title := strings.TrimSpace(fmt.Sprintf("%s on %s %s", k.Name(), dev, shape))
	f.show.table(cmd.OutOrStdout(), title, time.Since(start))
	return s.Sync()
}

func nothingToChoose(k *nereid.Kernel) error {
	return fmt.Errorf("%s has nothing to choose: it needs @triton.autotune with several configs, "+
		"whose parameters are not given", k.Name())
}

// splitShapes cuts a list at its commas, but for those within brackets: M=512,ORDER=(1, 0).
func splitShapes(list string) (out []string) {
	depth, from := 0, 0
	for i, c := range list {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				out, from = append(out, list[from:i]), i+1
			}
		}
	}
	return append(out, list[from:])
}

// with returns the inputs with the values of the kernel's meta-parameters.
func (in *inputs) with(k *nereid.Kernel, m nereid.Meta) *inputs {
	c := &inputs{values: maps.Clone(in.values)}
	for _, p := range k.Params() {
		if p.Constexpr {
			c.values[p.Name] = m.Value(p.Name)
		}
	}
	return c
}

func listRecords(out io.Writer, s *autotune.Folder) error {
	all := s.All()
	if len(all) == 0 {
		fmt.Fprintf(out, "no timings in %s\n", s.Dir)
	}
	for _, r := range all {
		name := r.Kernel
		if r.File != "" { // an op has none
			name += " (" + r.File + ")"
		}
		line := fmt.Sprintf("%s on %s for %s", name, r.Device, strings.Join(r.Key, ", "))
		fmt.Fprintln(out, printable(line))
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, t := range r.Timings {
			mark, what := " ", timeText(time.Duration(t.Median*1e6))
			if t.Config == r.Best {
				mark = "*"
			}
			if t.Failed != "" {
				what = t.Failed
			}
			fmt.Fprintf(w, "%s %s\t%s\n", mark, printable(t.Config), printable(what))
		}
		w.Flush()
	}
	return nil
}

func (f *tuneFlags) export(out io.Writer, s *autotune.Folder) error {
	all := s.All()
	if len(all) == 0 {
		return fmt.Errorf("no timings in %s", s.Dir)
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(f.exportTo, append(data, '\n'), 0o666); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d records written to %s\n", len(all), f.exportTo)
	return nil
}

func (f *tuneFlags) merge(ctx context.Context, out io.Writer, s *autotune.Folder) error {
	data, err := safefile.ReadNamed(f.importOf, maxInput)
	if err != nil {
		return err
	}
	list, err := autotune.Decode(data)
	if err != nil {
		return fmt.Errorf("%s: %w", f.importOf, err)
	}
	n, err := s.Merge(ctx, list)
	fmt.Fprintf(out, "%d records taken over\n", n)
	return err
}
