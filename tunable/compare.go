package tunable

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/run"
)

// answer is what the reference leaves in the tensors; candidates with other results are out.
type answer struct {
	by   string // name of the reference
	of   int    // its index among the candidates, -1 for Options.Reference
	want [][]byte
}

// unchecked is the name of the reference where no candidate changes any tensor.
const unchecked = "nothing to compare"

// compares reports whether the results of candidates are compared for parameters.
func (o *Op[P]) compares(p P) bool {
	switch {
	case o.opts.Unchecked:
		return false
	case o.opts.Outputs != nil:
		return true
	}
	return len(tensorsOf(p)) > 0
}

// tolerance returns the tolerance in the form of autotune.Compare.
func (o *Op[P]) tolerance() float64 {
	if o.opts.BitStable {
		return autotune.Exact
	}
	return o.opts.Tolerance
}

// reference runs the reference for its results: Options.Reference, or the first candidate that runs and
// changes a tensor. If there is none, nothing is compared.
func (t *tuning[P]) reference(list []int) {
	t.answer = &answer{of: -1}
	if !t.o.compares(t.x.p) || len(t.x.tensors) == 0 {
		return
	}
	t.answer.by = unchecked
	if f := t.o.opts.Reference; f != nil {
		t.refer("the reference", -1, func() error { return guarded(func() error { return f(t.s, t.x.p) }) })
		return
	}
	for _, i := range list {
		found := t.refer(t.o.candidates[i].Name, i, func() error { return t.run(i) })
		if found || t.s.Context().Err() != nil {
			return
		}
	}
}

// refer takes the results of a function as the answer, and reports whether it ran and changed a tensor.
func (t *tuning[P]) refer(name string, of int, run func() error) bool {
	first, err := t.results(run)
	if err != nil {
		t.o.opts.Logger.Warn("tunable: no reference for results", "op", t.o.name, "by", name, "err", err)
		return false
	}
	begin := t.x.start
	for k := range t.x.tensors {
		t.disturb(k, first, run)
	}
	want, err := t.results(run)
	if err == nil {
		for k := range want {
			if !bytes.Equal(want[k], t.x.start[k]) {
				t.answer = &answer{name, of, want}
				return true
			}
		}
	}
	t.x.start = begin
	return false
}

// results runs a function with the tensors that each candidate finds, and returns what it leaves in them.
func (t *tuning[P]) results(run func() error) ([][]byte, error) {
	if err := t.x.restore(); err != nil {
		return nil, err
	}
	if err := errors.Join(run(), t.s.Sync()); err != nil {
		return nil, err
	}
	return t.x.results()
}

// disturb changes what candidates find in a tensor of floats to numbers far from the answer, if that does not
// change the answer: an output may hold it already, and a candidate that does nothing would leave it there.
// Integers stay as they are, since an op might use them as indices or locks.
func (t *tuning[P]) disturb(k int, first [][]byte, run func() error) {
	x := t.x.tensors[k]
	dt := dtype.Type(x.DType)
	if !dt.IsFloat() || !x.Contiguous() {
		return
	}
	begin, other := t.x.start, farFrom(dt, first[k])
	t.x.start = append([][]byte(nil), begin...)
	t.x.start[k] = other
	got, err := t.results(run)
	if err != nil || bytes.Equal(got[k], other) || !t.same(k, got, first, other, begin[k]) {
		t.x.start = begin
	}
}

// same reports whether results are those of the first run, though tensor k held other contents at the
// beginning. Elements that neither run wrote do not count.
func (t *tuning[P]) same(k int, got, first [][]byte, other, begin []byte) bool {
	for i, x := range t.x.tensors {
		dt := dtype.Type(x.DType)
		now := got[i]
		if i == k {
			now = bytes.Clone(now)
			size := dt.Size()
			for e := 0; e+size <= len(now); e += size {
				if bytes.Equal(now[e:e+size], other[e:e+size]) &&
					bytes.Equal(first[i][e:e+size], begin[e:e+size]) {
					copy(now[e:e+size], begin[e:e+size])
				}
			}
		}
		if autotune.Compare(dt, now, first[i], t.o.tolerance()) != nil {
			return false
		}
	}
	return true
}

// farFrom returns as many bytes of floats, all larger than every element.
func farFrom(dt dtype.Type, data []byte) []byte {
	out := make([]byte, len(data))
	bits := dt.Encode(4*autotune.Largest(dt, data) + 3)
	for i := range out {
		out[i] = byte(bits >> (8 * (i % dt.Size())))
	}
	return out
}

// differ returns an error if results are not those of the reference.
func (t *tuning[P]) differ(got [][]byte) error {
	for i, x := range t.x.tensors {
		d := autotune.Compare(dtype.Type(x.DType), got[i], t.answer.want[i], t.o.tolerance())
		if d == nil {
			continue
		}
		bits := ""
		if t.o.opts.BitStable {
			bits = "in bits "
		}
		return fmt.Errorf("the results differ %sfrom those of %s: %s[%d] is %.6g, there %.6g", bits,
			t.answer.by, x.name, d.At, d.Got, d.Want)
	}
	return nil
}

// found is a tensor among the parameters of an op.
type found struct {
	*run.Tensor
	name string
}
