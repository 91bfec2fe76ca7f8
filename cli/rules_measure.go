package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/replay"
	"github.com/nereid-lang/nereid/internal/rules"
	"github.com/nereid-lang/nereid/internal/runtime/inside"
)

type rulesMeasureFlags struct {
	device, root, out, commit string
	only                      []string
	limit, rep                time.Duration
	turns                     int
}

func newRulesMeasureCmd() *cobra.Command {
	f := &rulesMeasureFlags{}
	cmd := &cobra.Command{
		Use:   "measure --out DATA.json [--for 5m] [--device D] [--root DIR] CASE.safetensors...",
		Short: "Measures on a GPU what each rule is worth",
		Long: "Compiles and launches recorded launches (peer/capture.py or peer/dry.py records them) and\n" +
			"notes what rules decided. Each rule whose decision another value would change is then\n" +
			"changed alone: switched off, or its value halved or doubled. Where the machine code differs, both\n" +
			"codes are timed in turns, with cold caches; the medians go to the data file.\n\n" +
			"The file is written after each launch. Launches that it already has are left out, so that a\n" +
			"measurement that was cut off by --for goes on. A fixed hash of a kernel's name holds a third of\n" +
			"the kernels out: they judge rules, the others may choose values.\n\n" +
			"On a device without a clock of its own (sim:90) it notes decisions and whether code differs; it\n" +
			"does not time.",
		Example: "  nereid rules measure --device cuda --out h200.json --for 5m --root libraries " +
			"cases/*.safetensors",
		Args: named("a recorded launch: CASE.safetensors"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.device, "device", "", "device to measure (default: the best one here)")
	fs.StringVar(&f.root, "root", ".", "folder below which the kernels' files lie")
	fs.StringVar(&f.out, "out", "", "data file to write, or to go on with")
	fs.StringVar(&f.commit, "commit", "", "commit of this program (default: as the build says)")
	fs.StringSliceVar(&f.only, "only", nil, "rules to measure (default: all)")
	fs.DurationVar(&f.limit, "for", 5*time.Minute, "begin no further launch after this time")
	fs.DurationVar(&f.rep, "rep", 20*time.Millisecond, "how long to measure each turn")
	fs.IntVar(&f.turns, "turns", 5, "turns of each code")
	return cmd
}

func (f *rulesMeasureFlags) run(cmd *cobra.Command, paths []string) error {
	defer interruptible(cmd)()
	switch {
	case f.out == "":
		return usagef("--out: which file receives the data?")
	case f.rep <= 0 || f.turns < 1:
		return usagef("--rep %v --turns %d: a kernel is measured for some time", f.rep, f.turns)
	}
	if err := checkNamed("--only", f.only, rules.Names()); err != nil {
		return err
	}
	dev, err := nereid.Open(f.device)
	if err != nil {
		return err
	}
	conf := configOf(cmd)
	conf.Cache, conf.Print = nil, io.Discard
	m := &ruleMeasurer{rulesMeasureFlags: *f, dev: dev, conf: conf, log: cmd.OutOrStdout(),
		clock: strings.HasPrefix(dev.String(), "cuda") || strings.HasPrefix(dev.String(), "hip")}
	if err := m.open(); err != nil {
		return err
	}
	if err := m.all(cmd.Context(), paths); err != nil {
		return err
	}
	m.summary()
	return nil
}

// ruleMeasurer measures rules on a device.
type ruleMeasurer struct {
	rulesMeasureFlags
	dev   *nereid.Device
	conf  nereid.Config
	log   io.Writer
	clock bool // the device has one
	data  *rules.Data
}

// open reads the data file, if there is one, or begins it.
func (m *ruleMeasurer) open() error {
	model, _, _ := inside.Root.Built(m.dev)
	chip, commit := cmp.Or(model, m.dev.String()), m.commit
	if info, ok := debug.ReadBuildInfo(); ok && commit == "" {
		commit = version(info)
	}
	m.data = &rules.Data{Commit: commit, Chip: chip}
	if !m.clock {
		fmt.Fprintf(m.log, "%s has no clock: decisions and differences of code are noted, nothing is timed\n",
			m.dev)
	}
	if _, err := os.Stat(m.out); err != nil {
		return nil
	}
	old, err := readRules(m.out)
	if err != nil {
		return err
	}
	if old.Chip != chip || old.Commit != commit {
		return fmt.Errorf("%s is of %s at %s, this is %s at %s: name another file", m.out, old.Chip,
			old.Commit, chip, commit)
	}
	m.data = old
	return nil
}

// save writes the data file anew, whole or not at all.
func (m *ruleMeasurer) save() error {
	var b bytes.Buffer
	if err := m.data.Write(&b); err != nil {
		return err
	}
	tmp := m.out + ".tmp"
	if err := os.WriteFile(tmp, b.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, m.out)
}

// all measures the launches that the file does not have, until the time is over.
func (m *ruleMeasurer) all(ctx context.Context, paths []string) error {
	start := time.Now()
	for _, path := range mixed(paths) {
		name := strings.TrimSuffix(filepath.Base(path), ".safetensors")
		has := func(k rules.Kernel) bool { return k.Name == name }
		switch {
		case slices.ContainsFunc(m.data.Kernels, has):
			continue
		case ctx.Err() != nil || time.Since(start) > m.limit:
			fmt.Fprintf(m.log, "the time is over: %d of %d launches are in the file\n", len(m.data.Kernels),
				len(paths))
			return nil
		}
		k := m.measure(ctx, name, path)
		fmt.Fprintln(m.log, kernelLine(k))
		m.data.Kernels = append(m.data.Kernels, k)
		if err := m.save(); err != nil {
			return err
		}
	}
	return nil
}

// mixed returns paths in an order that does not depend on names, so that a measurement that is cut off has
// launches of all kinds.
func mixed(paths []string) []string {
	out := slices.Clone(paths)
	slices.SortFunc(out, func(a, b string) int {
		x, y := rules.Hash(filepath.Base(a)), rules.Hash(filepath.Base(b))
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
	})
	return out
}

// kernelLine returns a line about a measured launch.
func kernelLine(k rules.Kernel) string {
	if k.Failed != "" {
		return fmt.Sprintf("FAIL %s: %s", k.Name, k.Failed)
	}
	line := fmt.Sprintf("ok   %s: %d decisions", k.Name, len(k.Decisions))
	for _, t := range k.Times {
		switch {
		case t.Failed != "":
			line += fmt.Sprintf("\n     %s=%d: %s", t.Rule, t.Other, t.Failed)
		case t.Without > 0:
			line += fmt.Sprintf("\n     %s=%d: %.2f -> %.2f µs (%.3f)", t.Rule, t.Other, t.With, t.Without,
				t.Without/t.With)
		case !t.Same:
			line += fmt.Sprintf("\n     %s=%d: other code", t.Rule, t.Other)
		}
	}
	return line
}

// summary prints what each rule is worth.
func (m *ruleMeasurer) summary() {
	for _, r := range rules.All() {
		if chosen, held := m.data.Effects(r.Name); chosen.Kernels+held.Kernels > 0 {
			fmt.Fprintf(m.log, "%-26s %s; %s\n", r.Name, effectText("chosen by", chosen),
				effectText("held out", held))
		}
	}
}

// measure measures all rules for one launch.
func (m *ruleMeasurer) measure(ctx context.Context, name, path string) rules.Kernel {
	k := rules.Kernel{Name: name, Kernel: name}
	err := guarded(func() error {
		c, err := replay.Read(path)
		if err != nil {
			return err
		}
		k.Kernel = c.Kernel
		return m.launches(ctx, c, &k)
	})
	if err != nil {
		k.Failed = strings.TrimPrefix(err.Error(), path+": ")
	}
	return k
}

// guarded returns a panic of f as an error: one kernel must not end a measurement.
func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}

// launches measures the rules whose decisions for a launch another value changes.
func (m *ruleMeasurer) launches(ctx context.Context, c *replay.Case, k *rules.Kernel) error {
	if c.Empty() {
		return errors.New("the grid has no programs")
	}
	mem := deviceMemory{}
	defer mem.close()
	if err := mem.fill(m.dev, c); err != nil {
		return err
	}
	s, err := m.dev.NewStream(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	base, err := m.code(c, mem, s, "")
	if err != nil {
		return err
	}
	k.Decisions, k.Features = base.decisions, base.features(c)
	if c.After, err = mem.read(c); err != nil {
		return err
	}
	for _, r := range rules.All() {
		if len(m.only) > 0 && !slices.Contains(m.only, r.Name) || !asked(base.decisions, r) {
			continue
		}
		for _, other := range r.Others(base.decisions) {
			k.Times = append(k.Times, m.compare(c, mem, s, base, r, other))
		}
	}
	return nil
}

// asked reports whether a rule took part in a compilation.
func asked(list []rules.Decision, r *rules.Rule) bool {
	return slices.ContainsFunc(list, func(d rules.Decision) bool { return d.Rule == r.Name })
}

// ruledCode is a kernel compiled with values of rules, and launched.
type ruledCode struct {
	launch    func() error
	decisions []rules.Decision
	digest    string
	facts     replay.Timing
}

// warmLaunches is how often a kernel is launched before its code is complete: a launch may ask for code of
// its own, which the next one runs.
const warmLaunches = 3

// code compiles a case with overrides of rules and launches it with the memory as it was recorded.
func (m *ruleMeasurer) code(c *replay.Case, mem deviceMemory, s *nereid.Stream, over string) (
	*ruledCode, error) {
	with, err := rules.Parse(over)
	if err != nil {
		return nil, err
	}
	set, trace := rules.NewTrace(with)
	defer trace.Close()
	conf := m.conf
	conf.Rules = set.Text()
	rep := &replayer{dev: m.dev, root: m.root, conf: conf, modules: map[string]*nereid.Module{},
		lost: lost{root: m.root}}
	kernel, err := rep.kernel(c, c.Path, givenStage{})
	if err != nil {
		return nil, err
	}
	args, err := rep.arguments(c, mem, guess{dev: m.dev})
	if err != nil {
		return nil, err
	}
	code := &ruledCode{launch: func() error { return kernel.Launch(s, nereid.Grid(c.Grid), args...) }}
	for range warmLaunches {
		if err := errors.Join(code.launch(), s.Sync()); err != nil {
			return nil, err
		}
	}
	code.decisions, code.digest = trace.Decisions(), trace.Code()
	code.facts = resources(context.Background(), kernel, s, args, replayOptions(c))
	if err := mem.again(c); err != nil {
		return nil, err
	}
	return code, errors.Join(code.launch(), s.Sync())
}

// again copies the recorded memory to the device once more.
func (m deviceMemory) again(c *replay.Case) error {
	for name, data := range c.Before {
		if err := m[name].Slice(0, 0, len(data), 1).Write(data); err != nil {
			return err
		}
	}
	for _, a := range c.Args {
		if err := m.point(a); err != nil {
			return err
		}
	}
	return nil
}

// features describes a launch and its code.
func (code *ruledCode) features(c *replay.Case) map[string]int64 {
	f := map[string]int64{"programs": int64(c.Grid[0] * c.Grid[1] * c.Grid[2]),
		"registers": int64(code.facts.Registers), "spills": int64(code.facts.Spills),
		"shared": int64(code.facts.Shared)}
	for _, name := range []string{"num_warps", "num_stages"} {
		if n, ok := c.Options[name].(int64); ok {
			f[name] = n
		}
	}
	for _, data := range c.Before {
		f["bytes"] += int64(len(data))
	}
	return f
}

// compare measures a case with another value of a rule.
func (m *ruleMeasurer) compare(c *replay.Case, mem deviceMemory, s *nereid.Stream, base *ruledCode,
	r *rules.Rule, other int) (t rules.Time) {
	t = rules.Time{Rule: r.Name, Value: r.Value, Other: other}
	err := guarded(func() error {
		code, err := m.code(c, mem, s, fmt.Sprintf("%s=%d", r.Name, other))
		if err != nil {
			return err
		}
		if t.Same = code.digest == base.digest; t.Same || !m.clock {
			return nil
		}
		after, err := mem.read(c)
		if err != nil {
			return err
		}
		if _, err := c.Compare(after); err != nil {
			return fmt.Errorf("the result differs: %w", err)
		}
		t.With, t.Without, err = m.inTurns(s, base, code)
		return err
	})
	if err != nil {
		t.Failed = err.Error()
	}
	return t
}

// inTurns measures two codes in turns and returns the medians in microseconds.
func (m *ruleMeasurer) inTurns(s *nereid.Stream, a, b *ruledCode) (with, without float64, err error) {
	var times [2]nereid.Times
	for i := range 2 * m.turns {
		code, at := a, i%2
		if at == 1 {
			code = b
		}
		t, err := s.Measure(m.rep/4, m.rep, code.launch)
		if err != nil {
			return 0, 0, err
		}
		times[at] = append(times[at], t)
	}
	micro := func(t nereid.Times) float64 {
		slices.Sort(t)
		return float64(t.Median().Nanoseconds()) / 1e3
	}
	return micro(times[0]), micro(times[1]), nil
}
