package tune

import (
	"errors"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// hooked launches once with everything that the decorator wants before and after.
func (r *run) hooked(a *lang.Autotune, c lang.Config, g *given) error {
	var nargs *object.Dict
	if c.PreHook != nil || a.PreHook != nil || a.PostHook != nil {
		nargs = r.dictWith(c, g)
	}
	if c.PreHook != nil {
		var err error
		if g, err = r.preHook(c, g, nargs); err != nil {
			return err
		}
	}
	restore, err := r.before(a, g, nargs, false)
	if err != nil {
		return err
	}
	err = r.w.Launch(g.Matched)
	return errors.Join(err, r.after(a, nargs, err, restore))
}

// before runs autotune's pre-hook: the file's, or else it resets and saves the tensors that the decorator
// names. restore undoes it.
func (r *run) before(a *lang.Autotune, g *given, nargs object.Value,
	resetOnly bool) (restore func() error, err error) {
	if a.PreHook != nil {
		_, err := r.t.Call(a.PreHook, []object.Value{nargs},
			[]object.Keyword{{Name: "reset_only", Value: object.Bool(resetOnly)}})
		return nil, err
	}
	for _, n := range a.ResetToZero {
		if t := g.tensor(n); t != nil {
			if err := r.w.Tensor(t).Zero(); err != nil {
				return nil, err
			}
		}
	}
	if resetOnly || len(a.RestoreValue) == 0 {
		return nil, nil
	}
	var undo []func() error
	for _, n := range a.RestoreValue {
		if t := g.tensor(n); t != nil {
			back, err := r.w.Tensor(t).Save()
			if err != nil {
				return nil, err
			}
			undo = append(undo, back)
		}
	}
	return func() (err error) {
		for _, back := range undo {
			err = errors.Join(err, back())
		}
		return err
	}, nil
}

func (r *run) after(a *lang.Autotune, nargs object.Value, failed error, restore func() error) error {
	if a.PostHook == nil {
		if restore != nil {
			return restore()
		}
		return nil
	}
	var exception object.Value = object.None
	if failed != nil {
		exception = object.Str(failed.Error())
	}
	_, err := r.t.Call(a.PostHook, []object.Value{nargs},
		[]object.Keyword{{Name: "exception", Value: exception}})
	return err
}

// resetAll leaves tensors as the launch after a tuning expects them.
func (r *run) resetAll(a *lang.Autotune, g *given) error {
	var nargs object.Value
	if a.PreHook != nil {
		nargs = r.dict(g)
	}
	_, err := r.before(a, g, nargs, true)
	return err
}
