package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/replay"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// What a run shows to be wrong although every access was allowed: results that are not those of --expect, NaN
// (--check nan), and results that depend on lanes that the mask of a load leaves out.

// maxAgain is how long the interpreter may have taken if the kernel is to run in it once more.
const maxAgain = 10 * time.Second

// findings looks at memory after a launch that went well, and says on w what it has looked at.
func (r *runner) findings(w io.Writer, got *result) error {
	var all []error
	for _, look := range []func(io.Writer, *result) error{r.expected, r.noNaN, r.maskedLanes} {
		if err := look(w, got); err != nil {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// readExpected reads the tensors that --expect names, before anything is compiled.
func (r *runner) readExpected() error {
	for _, text := range r.flags.expect {
		name, from, _ := strings.Cut(text, "=")
		a := r.in.tensor(name)
		file, stored, ok := tensorFile(from)
		if a == nil || !ok {
			return usagef("--expect %s: write NAME=FILE.npy or NAME=FILE.safetensors:TENSOR, NAME being a tensor "+
				"of the kernel", text)
		}
		want, err := readTensor(name, file, stored)
		if err != nil {
			return err
		}
		if want.len() != a.len() {
			return fmt.Errorf("%s has %d elements, and %s has %d", file, want.len(), name, a.len())
		}
		r.wanted = append(r.wanted, expectation{a, file, want.as(a.dtype)})
	}
	return nil
}

// expectation is what a tensor should hold after the launch.
type expectation struct {
	tensor *tensorArg
	file   string
	data   []byte
}

// expected compares tensors with those that --expect names.
func (r *runner) expected(w io.Writer, got *result) error {
	for _, e := range r.wanted {
		name := e.tensor.name
		worst, err := r.compare(e.tensor, got.mem[name], e.data)
		if err != nil {
			fmt.Fprintf(w, "expected\tFAILED: %s is not as in %s\n", name, e.file)
			return err
		}
		fmt.Fprintf(w, "expected\tok: %s as in %s, largest error %.1e\n", name, e.file, worst)
	}
	return nil
}

// compare compares what a launch left in a tensor with what it should have left.
func (r *runner) compare(a *tensorArg, got, want []byte) (float64, error) {
	c := &replay.Case{Kernel: r.k.Name(), Before: map[string][]byte{a.name: a.data},
		After: map[string][]byte{a.name: want}, Args: []replay.Arg{a.arg()}}
	c.LessPrecise(r.source())
	return c.Compare(map[string][]byte{a.name: got})
}

// noNaN looks for NaN in what the kernel has written.
func (r *runner) noNaN(w io.Writer, got *result) error {
	if !r.flags.check.has("nan") {
		return nil
	}
	for _, a := range r.in.tensors {
		data := got.mem[a.name]
		if !a.dtype.IsFloat() {
			continue
		}
		count, first := 0, -1
		for i := range a.len() {
			if math.IsNaN(a.at(data, i)) && !math.IsNaN(a.at(a.data, i)) {
				count++
				if first < 0 {
					first = i
				}
			}
		}
		if count > 0 {
			fmt.Fprintf(w, "NaN\tFAILED: in %s\n", a.name)
			return fmt.Errorf("%s: %d of %d elements of %s are NaN, the first at index %d", r.k.Name(), count,
				a.len(), a.name, first)
		}
	}
	fmt.Fprintln(w, "NaN\tok: none in what it wrote")
	return nil
}

// maskedLanes looks for results that depend on the lanes that masks of loads without other= leave out. Triton
// does not say what those lanes hold: a sum over them may be right on one GPU and wrong on the next.
func (r *runner) maskedLanes(w io.Writer, got *result) error {
	loads := r.maskedLoads()
	if len(loads) == 0 {
		return nil
	}
	plain := r.plain
	if plain == nil {
		plain = got // the device is the interpreter
	}
	if plain.took > maxAgain {
		fmt.Fprintf(w, "not checked\twhether lanes that masks leave out reach a result: the interpreter "+
			"took %s\n", timeText(plain.took))
		return nil
	}
	err := r.fillMasked(plain)
	if err == nil {
		return nil
	}
	fmt.Fprintln(w, "masks\tFAILED: lanes that the mask of a load leaves out matter")
	return fmt.Errorf("%w; other= says what they hold: %s", err, strings.Join(loads, ", "))
}

// fillMasked runs the kernel with other values in those lanes, and returns an error if that changes what the
// interpreter has left in memory.
func (r *runner) fillMasked(plain *result) error {
	d := r.flags.check.interpreter()
	d.FillMasked()
	again, err := r.once(core.NewDevice(d), r.judge)
	if err != nil {
		return fmt.Errorf("%w\n    with other values in lanes that a mask leaves out", err)
	}
	for _, a := range r.in.tensors {
		if _, err := r.compare(a, again.mem[a.name], plain.mem[a.name]); err != nil {
			return fmt.Errorf("%s: %s depends on lanes that the mask of a load leaves out", r.k.Name(),
				a.name)
		}
	}
	return nil
}

// maskedLoads returns where the kernel loads under a mask without saying what other lanes hold.
func (r *runner) maskedLoads() (at []string) {
	m, err := ir.ParseWith(diag.NewFileSet(), "source", r.source(), ir.ParseOptions{})
	if err != nil {
		return nil
	}
	for op := range m.Ops() {
		if op.Def != tt.Load || op.Slot(1) == nil || op.Slot(2) != nil {
			continue
		}
		if chain := ir.CallChain(op.Loc); len(chain) > 0 && !slices.Contains(at, chain[0]) {
			at = append(at, chain[0])
		}
	}
	return at
}
