package selftest

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"
)

// Summary is the outcome of a run.
type Summary struct {
	Device   string        `json:"device"`
	Seed     uint64        `json:"seed"`
	Runs     int           `json:"runs"` // runs of each config
	Took     time.Duration `json:"ns"`
	Rows     []Row         `json:"kinds"`
	Failures []Failure     `json:"failures"`
}

// Row counts the configs of a kind.
type Row struct {
	Kind    string        `json:"kind"`
	Configs int           `json:"configs"`
	Runs    int           `json:"runs"`
	Refused int           `json:"refused"` // by the compiler or the device: too much shared memory
	Failed  int           `json:"failed"`
	Took    time.Duration `json:"ns"` // time of all workers, compilation included
}

// Failure is a config that failed.
type Failure struct {
	Kind     string `json:"kind"`
	Config   string `json:"config"`
	Device   string `json:"device"`
	Seed     uint64 `json:"seed"`
	Runs     int    `json:"runs"`
	Wrong    int    `json:"wrong"`    // runs that differ from the reference
	Outcomes int    `json:"outcomes"` // different results of the runs; 1: all were the same
	Elements int    `json:"elements"` // elements that differ from the reference, in the worst run
	Of       int    `json:"of"`       // so many
	First    string `json:"first"`    // the first of them
	Err      string `json:"error,omitempty"`
	Lost     bool   `json:"lost,omitempty"` // the device takes no more work
}

// Total returns the sums of all rows.
func (s *Summary) Total() (t Row) {
	for _, r := range s.Rows {
		t.add(r)
	}
	return t
}

func (r *Row) add(x Row) {
	r.Configs += x.Configs
	r.Runs += x.Runs
	r.Refused += x.Refused
	r.Failed += x.Failed
	r.Took += x.Took
}

// String says what failed and how to repeat it.
func (f Failure) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "FAIL %s %s\n", f.Kind, f.Config)
	switch {
	case f.Lost:
		fmt.Fprintf(&b, "     the device is lost: %s\n", f.Err)
	case f.Err != "":
		fmt.Fprintf(&b, "     %s\n", strings.ReplaceAll(f.Err, "\n", "\n     "))
	}
	if f.Wrong > 0 {
		fmt.Fprintf(&b, "     %d of %d runs are wrong, %s: %d of %d elements differ: %s\n", f.Wrong, f.Runs,
			f.sameness(), f.Elements, f.Of, f.First)
	}
	fmt.Fprintf(&b, "     repeat: %s", f.Repeat())
	return b.String()
}

// sameness says whether runs differ from each other.
func (f Failure) sameness() string {
	if f.Outcomes > 1 {
		return fmt.Sprintf("with %d different results", f.Outcomes)
	}
	return "all alike"
}

// Repeat returns the command that runs the config alone.
func (f Failure) Repeat() string {
	return fmt.Sprintf("nereid selftest --device %s --only %s --seed %d --runs %d --config %s", f.Device,
		f.Kind, f.Seed, f.Runs, f.Config)
}

// note adds the outcome of a config.
func (s *suite) note(r Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.sum.Rows {
		if s.sum.Rows[i].Kind == r.Kind {
			s.sum.Rows[i].add(r)
		}
	}
}

// fail adds a failure.
func (s *suite) fail(f Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum.Failures = append(s.sum.Failures, f)
	if s.Fail != nil {
		s.Fail(f)
	}
}

// digest names the content of an output.
func digest(name string, data []byte) string {
	sum := sha256.Sum256(data)
	return name + string(sum[:])
}

// counted returns a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
