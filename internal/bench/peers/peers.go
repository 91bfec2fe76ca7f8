// Package peers compares the CPU back end with what else runs on the machine: C programs of ours (peer/c),
// built by gcc when they are needed, OpenBLAS, NumPy, and PyTorch. Competitors take turns of a few
// milliseconds, with the same number of threads, and turns that lie side by side are compared, since machines
// are noisy.
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
	least float64                    // that our rate should be of its rate
	run   func(n int) (clock, error) // n times in a row
}

// line is one comparison.
type line struct {
	name  string
	what  string // "fp32 4096×1024"
	work  float64
	unit  string // of work per second
	ours  func() error
	rest  time.Duration // between turns, if longer than pause: for peers that leave threads spinning
	check func() error  // that all came to the same result
	peers []competitor
}

// row is a line of the table.
type row struct {
	line, what, ours, peer, theirs string
	ratios
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

func (s *Suite) print() error {
	fmt.Fprintf(s.Out, "%s, %d threads; medians of turns\n\n", s.Device.Info(), s.Threads)
	w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kernel\tsize\tnereid\tagainst\t\tratio\tof best\tof CPU time\tcores\twanted\t")
	for _, r := range s.rows {
		if r.peer == "nobody" {
			fmt.Fprintf(w, "%s\t%s\t%s\t\t\t\t\t\t\t\t\n", r.line, r.what, r.ours)
			continue
		}
		cpu, cores := "", ""
		if r.cpu > 0 {
			cpu, cores = fmt.Sprintf("%.2f", r.cpu), fmt.Sprintf("%.1f:%.1f", r.cores[0], r.cores[1])
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%.2f\t%.2f\t%s\t%s\t%.2f\t%s\n", r.line, r.what, r.ours, r.peer,
			r.theirs, r.clock, r.best, cpu, cores, r.least, r.verdict(r.least))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, a := range s.absent {
		fmt.Fprintf(s.Out, "missing: %s\n", strings.TrimSpace(a))
	}
	return nil
}
