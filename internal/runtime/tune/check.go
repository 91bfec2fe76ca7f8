package tune

import (
	"errors"
	"fmt"
	"time"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// results holds the tensors of a launch and their contents, by parameter.
type results struct {
	names   []string
	tensors []*args.Tensor
	data    [][]byte
}

// snapshot reads all tensors among the arguments.
func (r *run) snapshot(g *given) (*results, error) {
	out := &results{}
	for i, p := range g.Params.List {
		t := tensorOf(g.Vals[i])
		if d, ok := g.Vals[i].(*args.Descriptor); ok && d.Base != nil {
			t = d.Base
		}
		if t == nil {
			continue
		}
		data, err := r.w.Tensor(t).Bytes()
		if err != nil {
			return nil, err
		}
		out.names, out.tensors, out.data = append(out.names, p.Name), append(out.tensors, t),
			append(out.data, data)
	}
	return out, nil
}

// restore writes the contents back to the tensors.
func (r *results) restore(w Work) error {
	for i, t := range r.tensors {
		if err := w.Tensor(t).CopyBytesFrom(r.data[i]); err != nil {
			return err
		}
	}
	return nil
}

// differ describes the first difference from the results of the first config, or returns "".
func (r *results) differ(first *results) string {
	for i, t := range r.tensors {
		if d := autotune.Compare(t.Elem, r.data[i], first.data[i], 0); d != nil {
			return fmt.Sprintf("other results than the first config: %s[%d] is %.6g, there %.6g", r.names[i],
				d.At, d.Got, d.Want)
		}
	}
	return ""
}

// check launches a config once and compares its results with those of the first config. All configs start
// with the contents of tensors before the tuning, which are restored afterwards.
func (r *run) check(step int, a *lang.Autotune, g *given, c lang.Config) (err error) {
	full, err := r.complete(step, g, c)
	if err != nil {
		return err
	}
	if r.origin == nil {
		r.origin, err = r.snapshot(full)
	} else {
		err = r.origin.restore(r.w)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.origin.restore(r.w)) }()
	// restore_value would undo the results before they are compared, so it is disabled here.
	plain := *a
	plain.RestoreValue = nil
	if err := r.hooked(&plain, c, full); err != nil {
		return err
	}
	if err := r.w.Sync(); err != nil {
		return err
	}
	after, err := r.snapshot(full)
	if err != nil {
		return err
	}
	if r.first == nil {
		r.first = after
		return nil
	}
	if what := after.differ(r.first); what != "" {
		return fmt.Errorf("nereid: %s: %s", r.k.Name, what)
	}
	return nil
}

// reference runs the first config that has a kept timing, so that new configs are compared with it.
func (r *run) reference(step int, a *lang.Autotune, g *given, configs []lang.Config, rec *autotune.Record,
	todo []lang.Config) {
	if !r.k.Opts.Verify || len(todo) == 0 || r.k.Opts.Again {
		return
	}
	for _, c := range configs {
		if t, ok := rec.Find(c.String()); ok && t.Failed == "" && r.check(step, a, g, c) == nil {
			return
		}
	}
}

// errLost is the error of a device that answers only errors after a config failed on it.
var errLost = errors.New("the device is lost")

// journal saves a timing at once if Journal is set.
func (r *run) journal(rec *autotune.Record, store autotune.Store, t autotune.Timing) {
	if r.k.Opts.Journal {
		rec.Set(t)
		r.keep(store, rec)
	}
}

// lost reports whether the stream still returns errors. The first one may be that of the failed launch.
func (r *run) lost() bool {
	first := r.w.Sync()
	return first != nil && r.w.Sync() != nil
}

// tunedOf returns a timing in the form that Done and Progress receive.
func tunedOf(rec *autotune.Record, t autotune.Timing, i, n int) Result {
	ms := func(x float64) time.Duration { return time.Duration(x * float64(time.Millisecond)) }
	return Result{rec.Kernel, rec.Key, t.Config, ms(t.Median), ms(t.Low), ms(t.High), t.Failed, i, n}
}

// finished calls Done with the choice and the result of every config.
func (r *run) finished(rec *autotune.Record, names []string, best string, took time.Duration) {
	f := r.k.Opts.Done
	if f == nil {
		return
	}
	var all []Result
	for i, n := range names {
		if t, ok := rec.Find(n); ok {
			all = append(all, tunedOf(rec, t, i, len(names)))
		}
	}
	f(Choice{Kernel: r.k.Name, Key: rec.Key, Best: best, All: all, Took: took, Found: took == 0})
}
