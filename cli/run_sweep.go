package cli

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/plot"
)

// sweep is an argument that takes several values.
type sweep struct {
	name   string
	values []int64
}

// maxSweep bounds the values of a sweep.
const maxSweep = 1000

// parseSweep reads NAME=FROM..TO, each value twice the one before, NAME=FROM..TO*3 or NAME=FROM..TO+100 for
// other steps, or NAME=A,B,C. A number may be a power, 2^20.
func parseSweep(text string) (*sweep, error) {
	name, list, ok := strings.Cut(text, "=")
	if !ok || name == "" || list == "" {
		return nil, usagef("--sweep %q: write NAME=FROM..TO or NAME=A,B,C", text)
	}
	s := &sweep{name: name}
	from, rest, ranged := strings.Cut(list, "..")
	if !ranged {
		for part := range strings.SplitSeq(list, ",") {
			n, err := sweepNumber(part)
			if err != nil {
				return nil, err
			}
			s.values = append(s.values, n)
		}
		return s, nil
	}
	step, by := byte('*'), int64(2)
	to := rest
	if i := strings.IndexAny(rest, "*+"); i >= 0 {
		var err error
		if by, err = sweepNumber(rest[i+1:]); err != nil {
			return nil, err
		}
		to, step = rest[:i], rest[i]
	}
	lo, err := sweepNumber(from)
	if err != nil {
		return nil, err
	}
	hi, err := sweepNumber(to)
	if err != nil {
		return nil, err
	}
	if hi < lo || step == '*' && by < 2 {
		return nil, usagef("--sweep %q: %d to %d by %c%d is no range", text, lo, hi, step, by)
	}
	for n := lo; n <= hi && len(s.values) < maxSweep; {
		s.values = append(s.values, n)
		if step == '*' {
			n *= by
		} else {
			n += by
		}
	}
	return s, nil
}

var sweepPower = regexp.MustCompile(`^(\d+)(?:\^|\*\*)(\d+)$`)

func sweepNumber(text string) (int64, error) {
	text = strings.TrimSpace(text)
	if m := sweepPower.FindStringSubmatch(text); m != nil {
		base, _ := strconv.ParseInt(m[1], 10, 64)
		exp, _ := strconv.Atoi(m[2])
		n := int64(1)
		for range min(exp, 62) {
			if n > 1<<40/max(base, 1) {
				return 0, usagef("--sweep: %s is too large", text)
			}
			n *= base
		}
		return n, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		return 0, usagef("--sweep: %q is no number, such as 1000 or 2^20", text)
	}
	return n, nil
}

// at returns the arguments with one value of the sweep: others that mention its name have the value in its
// place.
func (s *sweep) at(args []string, n int64) []string {
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(s.name) + `\b`)
	size := regexp.MustCompile(`(\d+x|\[)` + regexp.QuoteMeta(s.name) + `(x|\])`)
	out := []string{s.name + "=" + strconv.FormatInt(n, 10)}
	for _, a := range args {
		name, value, ok := strings.Cut(a, "=")
		if !ok || name == s.name {
			continue
		}
		for range 2 { // the second time for what the first one's matches overlap
			value = size.ReplaceAllString(value, "${1}"+strconv.FormatInt(n, 10)+"${2}")
		}
		out = append(out, name+"="+word.ReplaceAllString(value, strconv.FormatInt(n, 10)))
	}
	return out
}

// swept is what was measured at one value on one device.
type swept struct {
	took time.Duration
	rate float64 // of bytes, or of operations with --flops
	what string  // why there is nothing, or "ok"
}

// runSweep runs the kernel for each value on each device, prints a table, and draws a picture.
func (f *runFlags) runSweep(cmd *cobra.Command, args []string, k, judge *nereid.Kernel) error {
	if len(f.sweep) > 1 {
		return usagef("--sweep takes one argument, and is given %d times: %s", len(f.sweep),
			strings.Join(f.sweep, ", "))
	}
	s, err := parseSweep(f.sweep[0])
	if err != nil {
		return err
	}
	if f.plot != "" {
		if _, err := plot.Format(f.plot); err != nil {
			return usageError{err}
		}
	}
	devices := strings.Split(f.device, ",")
	unit := "B/s"
	if f.flops != "" {
		unit = "FLOP/s"
	}
	if f.rep <= 0 {
		return usagef("--sweep measures: give --rep a duration")
	}
	if len(f.save) > 0 {
		return usagef("--save writes the tensors of one launch: remove --sweep")
	}
	if len(f.expect) > 0 {
		return usagef("--expect compares the tensors of one launch: remove --sweep")
	}
	bar := newProgress(cmd.ErrOrStderr(), len(s.values)*len(devices))
	rows := make([][]swept, len(s.values))
	var names []string
	failed := false
	for _, device := range devices {
		dev, err := f.check.open(device)
		if err != nil {
			return err
		}
		names = append(names, dev.String())
		for i, n := range s.values {
			bar.step(fmt.Sprintf("%s, %s=%d", dev, s.name, n))
			r := &runner{flags: f, ctx: contextOf(cmd), k: k, judge: judge, dev: dev, out: io.Discard}
			row, err := r.sweepAt(s.at(args, n))
			if err != nil {
				bar.done()
				return fmt.Errorf("%s=%d: %w", s.name, n, err)
			}
			failed = failed || row.what != "ok"
			rows[i] = append(rows[i], row)
		}
	}
	bar.done()
	s.table(cmd.OutOrStdout(), names, rows, unit)
	if f.plot != "" {
		if err := s.draw(f.plot, k.Name(), names, rows, unit); err != nil {
			return err
		}
	}
	if failed {
		return errReported
	}
	return nil
}

// sweepAt runs, checks and measures with one set of arguments.
func (r *runner) sweepAt(args []string) (row swept, err error) {
	if err := r.read(args); err != nil {
		return row, err
	}
	got, err := r.once(r.dev, r.k)
	if err != nil {
		return row, err
	}
	if verdict, bad := r.check(got); bad != nil {
		row.what = verdict
		return row, nil
	}
	if row.took, err = r.measure(); err != nil {
		return row, err
	}
	row.what = "ok"
	if r.flags.flops != "" {
		n, err := r.in.number(r.flags.flops)
		if err != nil {
			return row, usagef("--flops: %v", err)
		}
		row.rate = n / row.took.Seconds()
		return row, nil
	}
	if r.dev.Abilities().Interprets {
		if _, err := r.judged(); err != nil {
			return row, err
		}
	}
	row.rate = float64(r.loaded+r.stored) / row.took.Seconds()
	return row, nil
}

func (s *sweep) table(out io.Writer, names []string, rows [][]swept, unit string) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := s.name
	for _, n := range names {
		head += "\t" + n + " time\t" + n + " rate\tcheck"
	}
	fmt.Fprintln(w, head+"\t")
	for i, n := range s.values {
		line := strconv.FormatInt(n, 10)
		for _, r := range rows[i] {
			if r.what != "ok" {
				line += "\t-\t-\t" + r.what
				continue
			}
			line += "\t" + timeText(r.took) + "\t" + rateText(r.rate, unit) + "\tok"
		}
		fmt.Fprintln(w, line+"\t")
	}
	w.Flush()
}

// draw writes the picture of rates.
func (s *sweep) draw(file, kernel string, names []string, rows [][]swept, unit string) error {
	format, err := plot.Format(file)
	if err != nil {
		return err
	}
	chart := plot.LineChart{Title: kernel, XLabel: s.name, YLabel: "G" + unit, LogX: len(s.values) > 2 &&
		s.values[len(s.values)-1] >= 8*s.values[0]}
	for d, name := range names {
		line := plot.Series{Name: name}
		for i, n := range s.values {
			if r := rows[i][d]; r.what == "ok" {
				line.X, line.Y = append(line.X, float64(n)), append(line.Y, r.rate/1e9)
			}
		}
		if len(line.X) > 0 {
			chart.Series = append(chart.Series, line)
		}
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	err = plot.Lines(f, format, chart)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
