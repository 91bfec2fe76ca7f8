package nereid

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// results are the tensors of a launch and what they held, by parameter.
type results struct {
	names   []string
	tensors []*Tensor
	data    [][]byte
}

// snapshot reads all tensors among the arguments.
func snapshot(g *given) (*results, error) {
	r := &results{}
	for i, p := range g.Params.List {
		t := tensorOf(g.Vals[i])
		if d, ok := g.Vals[i].(*args.Descriptor); ok && d.Base != nil {
			t = tensorOf(d.Base)
		}
		if t == nil {
			continue
		}
		data, err := t.bytes()
		if err != nil {
			return nil, err
		}
		r.names, r.tensors, r.data = append(r.names, p.Name), append(r.tensors, t), append(r.data, data)
	}
	return r, nil
}

// restore writes back what the tensors held.
func (r *results) restore() error {
	for i, t := range r.tensors {
		if err := t.Write(r.data[i]); err != nil {
			return err
		}
	}
	return nil
}

// differ says where results are not those of the first config, or "".
func (r *results) differ(first *results) string {
	for i, t := range r.tensors {
		if at := firstDifference(t.DType, r.data[i], first.data[i]); at >= 0 {
			value := func(data []byte) float64 { return t.DType.Decode(element(data, at, t.DType.Size())) }
			return fmt.Sprintf("other results than the first config: %s[%d] is %.6g, there %.6g", r.names[i], at, value(r.data[i]), value(first.data[i]))
		}
	}
	return ""
}

// checkTolerance is by how much floats of a type may differ between configs, which sum in different orders: relative to the largest
// element of the tensor, in units of the type's precision.
const checkTolerance = 64

// firstDifference is the first element that differs by more than rounding explains, or -1. Integers must be equal.
func firstDifference(t DType, got, want []byte) int {
	if bytes.Equal(got, want) {
		return -1
	}
	size := t.Size()
	room := 0.0
	if t.IsFloat() {
		largest := 0.0
		for i := range len(want) / size {
			if v := math.Abs(t.Decode(element(want, i, size))); !math.IsInf(v, 0) && v > largest {
				largest = v
			}
		}
		room = largest * t.precision() * checkTolerance
	}
	for i := range len(want) / size {
		a, b := element(got, i, size), element(want, i, size)
		if a == b {
			continue
		}
		x, y := t.Decode(a), t.Decode(b)
		if !t.IsFloat() || !(x == y || math.Abs(x-y) <= room || math.IsNaN(x) && math.IsNaN(y)) {
			return i
		}
	}
	return -1
}

// precision is the distance from 1 to the next larger value, or to one that rounds there.
func (t DType) precision() float64 {
	for eps := 1.0; ; eps /= 2 {
		if t.Decode(t.Encode(1+eps/2)) == 1 {
			return eps
		}
	}
}

// element is the bits of one element.
func element(data []byte, i, size int) (bits uint64) {
	for j := range size {
		bits |= uint64(data[i*size+j]) << (8 * j)
	}
	return bits
}

// check launches a config once and compares what it leaves with what the first config left. All begin with what tensors held before
// the tuning, and tensors hold that again afterwards.
func (r *tuneRun) check(step int, a *lang.Autotune, g *given, c lang.Config) (err error) {
	full, err := r.complete(step, g, c)
	if err != nil {
		return err
	}
	if r.origin == nil {
		r.origin, err = snapshot(full)
	} else {
		err = r.origin.restore()
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.origin.restore()) }()
	// restore_value would take the results away before they are seen, so only resetting is left to the decorator here.
	plain := *a
	plain.RestoreValue = nil
	if err := r.hooked(&plain, c, full); err != nil {
		return err
	}
	if err := r.s.Sync(); err != nil {
		return err
	}
	after, err := snapshot(full)
	if err != nil {
		return err
	}
	if r.first == nil {
		r.first = after
		return nil
	}
	if what := after.differ(r.first); what != "" {
		return fmt.Errorf("nereid: %s: %s", r.k.name, what)
	}
	return nil
}

// reference runs the first config whose time is kept already: those that are new are compared with it too.
func (r *tuneRun) reference(step int, a *lang.Autotune, g *given, configs []lang.Config, rec *autotune.Record, todo []lang.Config) {
	if !r.k.m.conf.Tune.Verify || len(todo) == 0 || r.k.m.conf.Tune.Again {
		return
	}
	for _, c := range configs {
		if t, ok := rec.Find(c.String()); ok && t.Failed == "" && r.check(step, a, g, c) == nil {
			return
		}
	}
}

// errLost is that a device answers nothing but errors after a config has failed on it.
var errLost = errors.New("the device is lost")

// journal keeps a timing at once.
func (r *tuneRun) journal(rec *autotune.Record, store *autotune.Store, t autotune.Timing) {
	if r.k.m.conf.Tune.Journal {
		rec.Set(t)
		r.keep(store, rec)
	}
}

// lost reports whether the stream still answers with errors: the first may be that of the launch which failed.
func (r *tuneRun) lost() bool {
	first := r.s.Sync()
	return first != nil && r.s.Sync() != nil
}

// tunedOf is a timing as options' functions get it.
func tunedOf(rec *autotune.Record, t autotune.Timing, i, n int) Tuned {
	ms := func(x float64) time.Duration { return time.Duration(x * float64(time.Millisecond)) }
	return Tuned{rec.Kernel, rec.Key, t.Config, ms(t.Median), ms(t.Low), ms(t.High), t.Failed, i, n}
}

// finished tells of a choice, with the time of every config that has one or could not have one.
func (r *tuneRun) finished(rec *autotune.Record, names []string, best string) {
	f := r.k.m.conf.Tune.Done
	if f == nil {
		return
	}
	var all []Tuned
	for i, n := range names {
		if t, ok := rec.Find(n); ok {
			all = append(all, tunedOf(rec, t, i, len(names)))
		}
	}
	f(best, all)
}
