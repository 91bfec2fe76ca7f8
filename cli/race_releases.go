package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/replay"
)

// releaseRow compares a recorded launch by the rules of two releases of Triton.
type releaseRow struct {
	turnHead
	From releaseTime `json:"from"`
	To   releaseTime `json:"to"`
}

// releaseTime is what is known of a launch by the rules of a release.
type releaseTime struct {
	replay.Timing        // medians of turns
	Differs       string `json:"differs,omitempty"` // results that are not those recorded
}

// ratio is above 1 where the second release's rules make the launch faster.
func (r releaseRow) ratio() float64 { return r.From.Milliseconds / r.To.Milliseconds }

// releaseWays runs a case by the rules of its own release and by those of another.
type releaseWays struct {
	to  string
	row releaseRow
}

// releases compares the cases and prints a row for each, then means by class.
func (r *racer) releases(ctx context.Context, out io.Writer, paths []string) error {
	table := &releaseTable{turnTable: turnTable{out: out, json: r.json}, to: r.to}
	var list []*turnCase
	for _, path := range paths {
		list = append(list, &turnCase{loadedCase: loadedCase{path: path}, ways: &releaseWays{to: r.to}})
	}
	err := r.inTurns(ctx, list, func(c *turnCase) { table.add(c.ways.(*releaseWays).finished(c)) })
	return table.end(err, table.summary)
}

func (w *releaseWays) sides() [2]*releaseTime { return [...]*releaseTime{&w.row.From, &w.row.To} }

func (w *releaseWays) names() []string { return []string{"its own release", w.to} }

// differs: the rules of the other release may give other numbers, which is told and is no failure.
func (w *releaseWays) differs(way int, err error) error {
	if way == 0 {
		return err
	}
	w.row.To.Differs = err.Error()
	return nil
}

// load loads the kernel by both rules.
func (w *releaseWays) load(ctx context.Context, r *racer, c *turnCase) (out []func() error, err error) {
	on, other := c.ready, *c.c
	other.Release = w.to
	for i, launched := range []*replay.Case{c.c, &other} {
		k, err := r.replayer(r.conf).kernel(launched, c.path, givenStage{})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.names()[i], err)
		}
		launch := func() error { return k.Launch(on.stream, nereid.Grid(c.c.Grid), on.args...) }
		if err := errors.Join(launch(), on.stream.Sync()); err != nil {
			return nil, fmt.Errorf("%s: %w", w.names()[i], err)
		}
		w.sides()[i].Timing = resources(ctx, k, on.stream, on.args, replayOptions(c.c))
		out = append(out, launch)
	}
	return out, nil
}

func (w *releaseWays) finished(c *turnCase) releaseRow {
	w.row.turnHead = c.head
	if c.err == nil {
		for i, side := range w.sides() {
			side.Milliseconds = c.microseconds(i) / 1e3
		}
	}
	return w.row
}

// releaseTable prints rows as they come and their summary.
type releaseTable struct {
	turnTable
	to   string
	rows []releaseRow
}

func (t *releaseTable) add(r releaseRow) {
	t.rows = append(t.rows, r)
	line := fmt.Sprintf("ok %9.2f µs, by %s %9.2f µs: %.3f; registers %d, %d; spilt bytes %d, %d: %s",
		r.From.Milliseconds*1e3, t.to, r.To.Milliseconds*1e3, r.ratio(), r.From.Registers, r.To.Registers,
		r.From.Spills, r.To.Spills, r.Case)
	if r.To.Differs != "" {
		line += "; other results: " + r.To.Differs
	}
	t.print(r, r.turnHead, line)
}

func (t *releaseTable) summary() {
	ratios := map[string][]float64{}
	for _, r := range t.rows {
		if r.Failed != "" {
			continue
		}
		for _, class := range []string{r.Class, "all"} {
			ratios[class] = append(ratios[class], r.ratio())
		}
	}
	fmt.Fprintf(t.out, "\n%-24s %6s %8s %8s %8s\n", "class", "cases", "mean", "least", ">= 0.97")
	for _, class := range slices.Sorted(maps.Keys(ratios)) {
		x := ratios[class]
		fmt.Fprintf(t.out, "%-24s %6d %8.3f %8.3f %8d\n", class, len(x), geometricMean(x), slices.Min(x),
			atLeast(x, 0.97))
	}
	fmt.Fprintf(t.out, "%d passed, %d failed\n", len(t.rows)-t.failed, t.failed)
}
