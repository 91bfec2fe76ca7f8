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

// expected compares tensors with those that --expect names.
func (r *runner) expected(w io.Writer, got *result) error {
	for _, text := range r.flags.expect {
		name, from, _ := strings.Cut(text, "=")
		a := r.in.tensor(name)
		file, inside, ok := tensorFile(from)
		if a == nil || !ok {
			return usagef("--expect %s: write NAME=FILE.npy or NAME=FILE.safetensors:TENSOR, NAME being a tensor "+
				"of the kernel", text)
		}
		want, err := readTensor(name, file, inside)
		if err != nil {
			return err
		}
		if want.len() != a.len() {
			return fmt.Errorf("%s has %d elements, and %s has %d", file, want.len(), name, a.len())
		}
		worst, err := r.compare(a, got.mem[name], want)
		if err != nil {
			fmt.Fprintf(w, "expected\tFAILED: %s is not as in %s\n", name, file)
			return err
		}
		fmt.Fprintf(w, "expected\tok: %s as in %s, largest error %.1e\n", name, file, worst)
	}
	return nil
}

// compare compares a tensor's memory with an expected tensor, which may be of another type.
func (r *runner) compare(a *tensorArg, got []byte, want *tensorArg) (float64, error) {
	data := want.data
	if want.dtype != a.dtype {
		data = make([]byte, len(got))
		for i := range a.len() {
			a.set(data, i, want.at(want.data, i))
		}
	}
	c := &replay.Case{Kernel: r.k.Name(), Before: map[string][]byte{a.name: a.data},
		After: map[string][]byte{a.name: data}, Args: []replay.Arg{a.arg()}}
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

// maskedLanes runs the kernel in the interpreter with other values in the lanes that masks of loads without
// other leave out. Triton does not say what those hold, so that results must not depend on them: a sum over
// them is right on one GPU and wrong on the next.
func (r *runner) maskedLanes(w io.Writer, got *result) error {
	loads := r.maskedLoads()
	plain := r.plain
	if plain == nil {
		plain = got // of the interpreter itself
	}
	if len(loads) == 0 {
		return nil
	}
	if plain.took > maxAgain {
		fmt.Fprintf(w, "not checked\twhether lanes that masks leave out reach a result: the interpreter "+
			"took %s\n", timeText(plain.took))
		return nil
	}
	d := r.flags.check.interpreter()
	d.FillMasked()
	again, err := r.once(core.NewDevice(d), r.judge)
	remedy := "; other= says what they hold: " + strings.Join(loads, ", ")
	if err != nil {
		fmt.Fprintln(w, "masks\tFAILED: lanes that the mask of a load leaves out matter")
		return fmt.Errorf("%w\n    with other values in lanes that a mask leaves out%s", err, remedy)
	}
	for _, a := range r.in.tensors {
		c := &replay.Case{Before: map[string][]byte{a.name: a.data},
			After: map[string][]byte{a.name: plain.mem[a.name]}, Args: []replay.Arg{a.arg()}}
		c.LessPrecise(r.source())
		if _, err := c.Compare(again.mem); err != nil {
			fmt.Fprintln(w, "masks\tFAILED: lanes that the mask of a load leaves out matter")
			return fmt.Errorf("%s: %s depends on lanes that the mask of a load leaves out%s", r.k.Name(),
				a.name, remedy)
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
