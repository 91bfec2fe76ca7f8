package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/rules"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/spf13/cobra"
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
	dev, err := nereid.OpenDevice(f.device)
	if err != nil {
		return err
	}
	conf := configOf(cmd)
	conf.Cache, conf.Print = nil, io.Discard
	m := &ruleMeasurer{rulesMeasureFlags: *f, dev: dev, conf: conf, log: cmd.OutOrStdout(),
		clock: core.Traits(dev).Hardware}
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
	model, _, _ := core.Built(m.dev)
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

// batch is the number of launches that are compiled at the same time. Times are taken when all of a batch
// are compiled, one after the other.
const batch = 16

// all measures the launches that the file does not have, until the time is over.
func (m *ruleMeasurer) all(ctx context.Context, paths []string) error {
	start, done := time.Now(), map[string]bool{}
	for _, k := range m.data.Kernels {
		done[k.Name] = true
	}
	open := slices.DeleteFunc(mixed(paths), func(path string) bool { return done[caseName(path)] })
	for part := range slices.Chunk(open, batch) {
		if ctx.Err() != nil || time.Since(start) > m.limit {
			fmt.Fprintf(m.log, "the time is over: %d of %d launches are in the file\n", len(m.data.Kernels),
				len(paths))
			return nil
		}
		m.batch(ctx, part)
		if err := m.save(); err != nil {
			return err
		}
		if err := m.alive(); err != nil {
			return fmt.Errorf("the device is lost after %d launches, run the command again to go on: %w",
				len(m.data.Kernels), err)
		}
	}
	return nil
}

// caseName returns the name of a launch.
func caseName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".safetensors") }

// alive returns an error if the device no longer works.
func (m *ruleMeasurer) alive() error {
	t, err := nereid.NewTensor(m.dev, nereid.Uint8, 64)
	if err != nil {
		return err
	}
	defer t.Close()
	return t.CopyBytesFrom(make([]byte, 64))
}

// batch measures some launches.
func (m *ruleMeasurer) batch(ctx context.Context, paths []string) {
	list := make([]*ruledCase, len(paths))
	var wait sync.WaitGroup
	for i, path := range paths {
		list[i] = &ruledCase{k: rules.Kernel{Name: caseName(path), Kernel: caseName(path)}}
		wait.Go(func() { list[i].prepare(ctx, m, path) })
	}
	wait.Wait()
	for _, x := range list {
		x.time(m)
		fmt.Fprintln(m.log, kernelLine(x.k))
		m.data.Kernels = append(m.data.Kernels, x.k)
	}
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
			line += fmt.Sprintf("\n     %s=%d: %.2f -> %.2f µs (%.3f) %s", t.Rule, t.Other, t.With,
				t.Without, t.Without/t.With, t.Differs)
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
