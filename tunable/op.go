package tunable

import (
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"time"

	"github.com/nereid-lang/nereid/run"
)

// Mode says what an op does for a key that it has not chosen for.
type Mode uint8

const (
	Tune Mode = iota // take the kept result, or else measure
	Use              // take the kept result, or else the first candidate; measure nothing
	Off              // take the first candidate, and look at no results
)

// String returns "tune", "use" or "off".
func (m Mode) String() string {
	if int(m) < len(modes) {
		return modes[m]
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

var modes = []string{"tune", "use", "off"}

// ParseMode returns the mode of a name.
func ParseMode(name string) (Mode, error) {
	if i := slices.Index(modes, name); i >= 0 {
		return Mode(i), nil
	}
	return Tune, fmt.Errorf("tunable: unknown mode %q (have tune, use, off)", name)
}

// Options says how an op chooses. The zero value tunes and keeps the results in memory.
type Options[P any] struct {
	Mode  Mode
	Store *run.TuneStore // keeps results; nil keeps them in the op

	Warmup, Rep time.Duration // for each candidate; 0 means 25 and 100 ms
	// Budget is the time limit of a tuning: candidates not measured by then are passed over. If none is
	// measured, the first one runs, and another process may tune. 0 means none.
	Budget time.Duration

	// Outputs returns the tensors among the parameters that the op writes. A tuning runs the candidates with
	// copies in their place, so that an op that works in place is tuned without harm. Without Outputs they
	// run with the caller's tensors, which have their contents back afterwards.
	Outputs func(p *P) []**run.Tensor

	// Before a candidate can win, its results are compared with those of the first candidate that supports
	// the parameters, or with those of Reference, which runs once in a tuning and may be slow. A candidate
	// that differs is passed over, and its result says so. What is compared is the tensors of Outputs or,
	// without it, every tensor among the parameters, which a tuning then copies to the host and restores.
	Reference func(s *run.Stream, p P) error
	// Tolerance bounds differences of floats, relative to the largest element of a tensor. 0 means that of
	// the element type: 64 times its precision, at most a sixteenth. Integers must be equal.
	Tolerance float64
	// BitStable chooses only among candidates whose results are the same bit for bit. It needs Outputs.
	BitStable bool
	// Unchecked compares nothing, for ops whose results differ from run to run.
	Unchecked bool

	Logger *slog.Logger // receives tunings and the reasons why kept results are not used; may be nil
}

// Op is an operation with several candidates. It is safe for concurrent use.
type Op[P any] struct {
	name       string
	opts       Options[P]
	candidates []Candidate[P]
	keys       keys[P]
}

// New returns an op. Its name identifies it in stores. Parameters of equal keys share one choice, so the key
// holds what the speed of candidates depends on, and what they support: types, sizes, alignments. It is a
// number, a string, or a struct or array of these. The candidates' order matters where nothing is measured:
// the first that supports the parameters runs.
func New[P any, K comparable](
	name string, key func(P) K, o Options[P], candidates ...Candidate[P],
) (*Op[P], error) {
	bad := func(format string, args ...any) (*Op[P], error) {
		return nil, fmt.Errorf("tunable: op %q: "+format, append([]any{name}, args...)...)
	}
	switch {
	case name == "":
		return nil, errors.New("tunable: an op needs a name, by which its results are kept")
	case key == nil:
		return bad("the function key is nil")
	case len(candidates) == 0:
		return bad("there are no candidates")
	case o.BitStable && o.Outputs == nil:
		return bad("BitStable compares results: set Outputs")
	case o.Unchecked && (o.BitStable || o.Reference != nil || o.Tolerance != 0):
		return bad("Unchecked compares nothing, and BitStable, Reference and Tolerance say how to compare")
	case !(o.Tolerance >= 0):
		return bad("the tolerance %v is less than 0", o.Tolerance)
	case int(o.Mode) >= len(modes):
		return bad("unknown mode %d", o.Mode)
	}
	if err := checkKey(reflect.TypeFor[K]()); err != nil {
		return bad("%w", err)
	}
	seen := map[string]bool{}
	for _, c := range candidates {
		switch {
		case c.Name == "" || c.Run == nil:
			return bad("candidate %q has no name or no function", c.Name)
		case seen[c.Name]:
			return bad("two candidates are called %q: results are kept by name", c.Name)
		}
		seen[c.Name] = true
	}
	if o.Store == nil {
		o.Store, _ = run.OpenTuneStore(run.TuneStoreOptions{})
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Op[P]{name: name, opts: o, candidates: slices.Clone(candidates), keys: &table[P, K]{of: key}}, nil
}

// Name returns the op's name.
func (o *Op[P]) Name() string {
	if o == nil {
		return ""
	}
	return o.name
}

// usable reports whether New returned the op.
func (o *Op[P]) usable() bool { return o != nil && o.keys != nil }

// Call runs the op on a stream, with the best candidate that supports the parameters. The first call for a
// key tunes, as the op's mode says, and waits for the stream; of several goroutines that need the same
// choice, one tunes. When the context of the stream ends, so does a tuning. On a stream that is being
// captured, a call that would have to tune fails with run.ErrCapturing.
func (o *Op[P]) Call(s *run.Stream, p P) error {
	if !o.usable() {
		return errNil
	}
	if x := o.keys.find(s.Device(), p); x != nil {
		if c := x.choice.Load(); c != nil {
			return o.run(c, s, p)
		}
	}
	c, err := o.choice(s, p)
	if err != nil {
		return err
	}
	return o.run(c, s, p)
}

// Tune makes the choice for parameters, as the first call would, without running the op on them.
func (o *Op[P]) Tune(s *run.Stream, p P) error {
	if !o.usable() {
		return errNil
	}
	_, err := o.choice(s, p)
	return err
}

// run runs the best candidate that supports the parameters: those of the same key may differ in what the key
// does not say.
func (o *Op[P]) run(c *choice, s *run.Stream, p P) error {
	for _, i := range c.order {
		x := &o.candidates[i]
		if x.Supports == nil || x.Supports(p) == nil {
			return x.Run(s, p)
		}
	}
	_, err := o.supported(s.Device(), p)
	if err == nil { // those that are left have failed
		err = &UnsupportedError{Op: o.name, Key: o.keyText(p)}
	}
	return err
}
