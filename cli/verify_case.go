package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/certify"
	"github.com/nereid-lang/nereid/internal/replay"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/spf13/cobra"
)

// A recorded launch (peer/capture.py, peer/dry.py) is verified on its own arguments: what it was recorded to
// leave in memory does not count, only what its source leaves there.

// Verdicts of a recorded launch on a device.
const (
	isEqual   = "equal"
	isRefused = "refused"
	differs   = "DIFFERS"
	isFailure = "FAILED" // the launch itself: a fault of memory, a race, code that does not run
)

var verdicts = []string{isEqual, isRefused, differs, isFailure}

// caseVerifier verifies recorded launches.
type caseVerifier struct {
	r       *replayer
	source  *nereid.Device
	devices []*nereid.Device
	out     io.Writer
	counts  map[string]map[string]int // by device and verdict
}

// areCases reports whether arguments are files of recorded launches.
func areCases(args []string) bool {
	return !slices.ContainsFunc(args, func(a string) bool { return !strings.HasSuffix(a, ".safetensors") })
}

func (f *runFlags) verifyCases(cmd *cobra.Command, paths []string) error {
	root := "."
	if len(f.roots) > 0 {
		root = f.roots[0]
	}
	conf := configOf(cmd)
	conf.Print = io.Discard
	v := &caseVerifier{out: cmd.OutOrStdout(), counts: map[string]map[string]int{},
		r: &replayer{conf: conf, root: root, env: f.env, modules: map[string]*nereid.Module{},
			lost: lost{root: root},
			room: replay.Room, certify: true},
		// programs one after another: which of two stores to an address wins is then the same each time
		source: nereid.NewInterpreter(nereid.InterpOptions{Workers: 1, MaxSteps: serialSteps})}
	for name := range strings.SplitSeq(f.device, ",") {
		dev, err := nereid.OpenDevice(name)
		if err != nil {
			return err
		}
		v.devices = append(v.devices, dev)
		v.counts[dev.String()] = map[string]int{}
	}
	bar := newProgress(cmd.ErrOrStderr(), len(paths))
	defer bar.done()
	for _, path := range paths {
		bar.step(path)
		v.verify(contextOf(cmd), path)
	}
	bar.done()
	if v.total() {
		return errReported
	}
	return nil
}

// verify prints a line for a launch on each device.
func (v *caseVerifier) verify(ctx context.Context, path string) {
	for _, dev := range v.devices {
		verdict, text := v.on(ctx, path, dev)
		v.counts[dev.String()][verdict]++
		fmt.Fprintf(v.out, "%s %s %s: %s\n", verdict, dev, path, text)
	}
}

// on returns the verdict of a launch on a device, with an explanation.
func (v *caseVerifier) on(ctx context.Context, path string, dev *nereid.Device) (verdict, text string) {
	c, err := replay.Read(path)
	if err != nil {
		return isFailure, oneLine(err)
	}
	k, err := v.r.kernel(c, path, givenStage{})
	if err != nil {
		return isFailure, oneLine(err)
	}
	if err := prepareCase(c); err != nil {
		return isRefused, oneLine(err)
	}
	again := func(k *nereid.Kernel) (float64, error) {
		verdict, text, err = v.compare(ctx, c, k, dev)
		return 0, err
	}
	if _, err = again(k); err != nil && undefinedName.MatchString(err.Error()) {
		_, err = v.r.complete(c, err, again)
	}
	var bad sourceError
	switch {
	case certify.Refused(err) || errors.As(err, &bad):
		return isRefused, oneLine(err)
	case err != nil:
		verdict, text = isFailure, oneLine(err)
	}
	if verdict == differs || verdict == isFailure {
		if race := v.race(ctx, c, k); race != nil {
			return isRefused, "the source has a race: " + oneLine(race)
		}
	}
	return verdict, text
}

// sourceError is an error of the source itself on the arguments of a launch: there is nothing to compare.
type sourceError struct{ error }

// race returns the error of source that leaves it open what is in memory in the end.
func (v *caseVerifier) race(ctx context.Context, c *replay.Case, k *nereid.Kernel) error {
	dev := core.NewDevice(checks{"races"}.interpreter())
	_, _, err := v.r.run(ctx, c, k, guess{dev: dev})
	return err
}

// compare launches source and code, and compares what they leave in memory.
func (v *caseVerifier) compare(ctx context.Context, c *replay.Case, k *nereid.Kernel, dev *nereid.Device) (
	verdict, text string, err error) {
	want, _, err := v.r.run(ctx, c, k, guess{dev: v.source})
	if err != nil {
		return "", "", sourceError{fmt.Errorf("source: %w", err)}
	}
	got, _, err := v.r.run(ctx, c, k, guess{dev: dev})
	if err != nil {
		return "", "", err
	}
	source, code := replay.Storages(want), replay.Storages(got)
	var all certify.Outcome
	for _, s := range slices.Sorted(maps.Keys(c.Before)) {
		t, start := c.Elements(s)
		o := certify.Compare(t, c.Before[s][start:], source[s][start:], code[s][start:])
		if o.Different > 0 {
			first := certify.Describe(t, source[s][start:], code[s][start:], o.First)
			return differs, fmt.Sprintf("%s in %d of %d elements, first at %d: %s", s, o.Different,
				o.Elements, o.First, first), nil
		}
		all.Add(o)
	}
	if why := all.Empty(); why != "" {
		return isRefused, why, nil
	}
	return isEqual, all.String(), nil
}

// prepareCase makes the floats of a launch elements of the ring.
func prepareCase(c *replay.Case) error {
	for s, data := range c.Before {
		if other := c.OtherElements(s); other != "" {
			return fmt.Errorf("storage %s, which is seen as %s, has no meaning in the ring", s, other)
		}
		t, start := c.Elements(s)
		certify.Prepare(t, data[start:])
	}
	return nil
}

// total prints the counts of each device, and reports whether a launch differs or fails.
func (v *caseVerifier) total() (failed bool) {
	for _, dev := range v.devices {
		n := v.counts[dev.String()]
		texts := make([]string, len(verdicts))
		for i, verdict := range verdicts {
			texts[i] = fmt.Sprintf("%d %s", n[verdict], strings.ToLower(verdict))
		}
		fmt.Fprintf(v.out, "%s: %s\n", dev, strings.Join(texts, ", "))
		failed = failed || n[differs]+n[isFailure] > 0
	}
	return failed
}

// oneLine returns the first line of an error.
func oneLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
