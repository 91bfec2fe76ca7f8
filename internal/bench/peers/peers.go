// Package peers compares the CPU back end with what else runs on the machine: C programs of ours (peer/c),
// built by gcc when they are needed, OpenBLAS, NumPy, and PyTorch. Competitors take turns, with the same
// number of threads, and medians are compared, since machines are noisy.
//
// In: a device and the folder of the project. Out: a table, one row for each pair. A tool that is missing
// is named, and its rows are left out.
package peers

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nereid-lang/nereid"
)

// Suite is a comparison.
type Suite struct {
	Device  *nereid.Device
	Root    string // of the project: peer/ is below it
	Out     io.Writer
	Threads int
	Rep     time.Duration // for each competitor of a line
	Only    []string      // lines by name; empty is all
	Step    func(string)  // called before each line; may be nil
	Torch   string        // a Python that has PyTorch; "" is that of the project

	stream *nereid.Stream
	peer   *library // nil where gcc is missing
	numpy  *script  // nil where NumPy is
	torch  *script  // nil where PyTorch is
	rows   []row
	absent []string // what is missing, and what to do
}

// competitor is one of those that do the same work.
type competitor struct {
	name  string
	least float64               // that our rate should be of its rate
	run   func() (clock, error) // once
}

// clock is how long a run took, and how much processor time, which is 0 if it is not known.
type clock struct{ wall, cpu time.Duration }

// timed runs a function in this process.
func timed(f func() error) func() (clock, error) {
	return func() (clock, error) {
		ids := threads() // others that begin meanwhile are missed
		work := cpuTime(ids)
		start := time.Now()
		err := f()
		wall := time.Since(start)
		return clock{wall, max(0, cpuTime(ids)-work)}, err
	}
}

// line is one comparison.
type line struct {
	name  string
	what  string // "fp32 4096×1024"
	work  float64
	unit  string // of work per second
	ours  func() error
	rest  time.Duration // between competitors, for those that leave threads spinning
	check func() error  // that all came to the same result
	peers []competitor
}

// row is a line of the table.
type row struct {
	line, what, ours, peer, theirs string
	// our rate to theirs: of medians, and of the best runs, which noise disturbs less
	ratio, best float64
	// the same of processor time, which others on the machine do not add to; 0 if it is not known
	cpu   float64
	least float64 // that is wanted
}

// namedLine is a line of the table with what measures it.
type namedLine struct {
	name string
	run  func(context.Context) error
}

func (s *Suite) lines() []namedLine {
	return []namedLine{
		{"vector_add", s.vectorAdd}, {"softmax", s.softmax}, {"layer_norm", s.layerNorm},
		{"rms_norm", s.rmsNorm}, {"swiglu", s.swiglu}, {"matmul", s.matmul}, {"attention", s.attention},
		{"launch", s.launch},
	}
}

// Names returns what Only can name.
func (s *Suite) Names() (names []string) {
	for _, l := range s.lines() {
		names = append(names, l.name)
	}
	return names
}

// Run measures all lines and prints the table. It fails only where ours does.
func (s *Suite) Run(ctx context.Context) error {
	var err error
	if s.stream, err = s.Device.NewStream(ctx); err != nil {
		return err
	}
	defer s.stream.Close()
	if s.Rep == 0 {
		s.Rep = time.Second
	}
	s.open()
	defer s.close()
	for _, l := range s.lines() {
		if len(s.Only) > 0 && !slices.Contains(s.Only, l.name) {
			continue
		}
		if s.Step != nil {
			s.Step(l.name)
		}
		if err := l.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
	}
	return s.print()
}

// compare lets the competitors of a line take turns and adds its rows. It returns our median time and our
// best.
func (s *Suite) compare(ctx context.Context, l *line) (ours, best time.Duration, err error) {
	all := append([]competitor{{name: "nereid", run: timed(l.ours)}}, l.peers...)
	for range 2 { // compiled, caches and pages warm
		for _, c := range all {
			if _, err := c.run(); err != nil {
				return 0, 0, fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	if l.check != nil {
		if err := l.check(); err != nil {
			return 0, 0, err
		}
	}
	times, cpu := make([][]time.Duration, len(all)), make([][]time.Duration, len(all))
	for start := time.Now(); time.Since(start) < s.Rep*time.Duration(len(all)) || len(times[0]) < 7; {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		for i, c := range all {
			time.Sleep(l.rest)
			t, err := c.run()
			if err != nil {
				return 0, 0, fmt.Errorf("%s: %w", c.name, err)
			}
			times[i], cpu[i] = append(times[i], t.wall), append(cpu[i], t.cpu)
		}
	}
	ours, best = summary(times[0])
	work, _ := summary(cpu[0])
	for i, c := range l.peers {
		theirs, theirBest := summary(times[i+1])
		r := row{line: l.name, what: l.what, ours: l.rate(ours), peer: c.name, theirs: l.rate(theirs),
			least: c.least}
		r.ratio, r.best = theirs.Seconds()/ours.Seconds(), theirBest.Seconds()/best.Seconds()
		if theirWork, _ := summary(cpu[i+1]); theirWork > 0 && work > 0 {
			r.cpu = theirWork.Seconds() / work.Seconds()
		}
		s.rows = append(s.rows, r)
	}
	if len(l.peers) == 0 {
		s.rows = append(s.rows, row{line: l.name, what: l.what, ours: l.rate(ours), peer: "nobody"})
	}
	return ours, best, nil
}

func (l *line) rate(t time.Duration) string {
	return fmt.Sprintf("%.1f %s", l.work/1e9/t.Seconds(), l.unit)
}

// summary are the median and the least of some times.
func summary(t []time.Duration) (median, best time.Duration) {
	slices.Sort(t)
	return t[len(t)/2], t[0]
}

func (s *Suite) print() error {
	fmt.Fprintf(s.Out, "%s, %d threads; medians of runs that took turns\n\n", s.Device.Info(), s.Threads)
	w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kernel\tsize\tnereid\tagainst\t\tratio\tof best\tof CPU time\twanted\t")
	for _, r := range s.rows {
		if r.peer == "nobody" {
			fmt.Fprintf(w, "%s\t%s\t%s\t\t\t\t\t\t\t\n", r.line, r.what, r.ours)
			continue
		}
		verdict := "ok"
		if r.ratio < r.least {
			verdict = "short"
		}
		cpu := ""
		if r.cpu > 0 {
			cpu = fmt.Sprintf("%.2f", r.cpu)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%.2f\t%.2f\t%s\t%.2f\t%s\n", r.line, r.what, r.ours, r.peer,
			r.theirs, r.ratio, r.best, cpu, r.least, verdict)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, a := range s.absent {
		fmt.Fprintf(s.Out, "missing: %s\n", strings.TrimSpace(a))
	}
	return nil
}
