package compile

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/target"
)

// SavedForm is code of a specialization for launches of a way, as data.
type SavedForm struct {
	Way   device.Way      `json:"way"`
	Stage string          `json:"stage"`
	Meta  json.RawMessage `json:"meta,omitempty"`
	Code  []byte          `json:"code"`
}

// code returns the form as a device restores it.
func (f *SavedForm) code() target.Code {
	return target.Code{Stage: f.Stage, Data: f.Code, Meta: f.Meta}
}

// former is a back end whose launches choose among several forms of code.
type former interface {
	// FormsOf returns the ways of the code that launches run instead of some code.
	FormsOf(code target.Code) ([]device.Way, error)
	Distinct(m *ir.Module, w device.Way) device.Way
}

// Forms compiles the forms of a specialization that a launch may choose, beside the code that serves all
// launches: that of any launch first, then those that it chooses. There are none if the back end knows only
// one. A form that does not compile is left out, as a launch would do without it.
func (k *Kernel) Forms(ctx context.Context, s Spec, until string) (list []SavedForm, err error) {
	f, ok := s.Dev.Backend.(former)
	if !ok {
		return nil, nil
	}
	first, err := k.form(ctx, s, until, f, device.AnyLaunch)
	if err != nil {
		return nil, ctx.Err()
	}
	list = append(list, *first)
	ways, err := f.FormsOf(first.code())
	if err != nil {
		return nil, err
	}
	for _, way := range ways {
		form, err := k.form(ctx, s, until, f, way)
		switch {
		case err == nil:
			list = append(list, *form)
		case ctx.Err() != nil:
			return nil, err
		}
	}
	return list, nil
}

// form compiles one form.
func (k *Kernel) form(ctx context.Context, s Spec, until string, f former, way device.Way) (*SavedForm,
	error) {
	ctx, meter, cancel := k.budget(ctx)
	defer cancel()
	j, err := k.begin(meter, s, true, until)
	if err != nil {
		return nil, err
	}
	j.only, j.in.Way, j.in.Hosted = []string{}, f.Distinct(j.in.Module, way), true
	if err := j.finish(ctx); err != nil {
		return nil, err
	}
	kept, ok := j.out.Exec.(target.Kept)
	if !ok {
		return nil, errors.New("the code cannot be kept")
	}
	c, err := kept.Code()
	return &SavedForm{way, c.Stage, c.Meta, c.Data}, err
}

// Restore loads a saved kernel. With forms, launches choose among them as among code that is compiled when it
// is needed; each form is loaded when a launch first runs it.
func (s *Saved) Restore(ctx context.Context, on target.Restorer) (target.Executable, error) {
	general := &SavedForm{Stage: s.Stage, Meta: s.Meta, Code: s.Code}
	first := s.form(device.AnyLaunch)
	if first == nil {
		return on.Restore(ctx, s.Kernel, general.code())
	}
	exec, err := on.Restore(ctx, s.Kernel, first.code())
	p, ok := exec.(target.Partial)
	if err != nil || !ok {
		return on.Restore(ctx, s.Kernel, general.code())
	}
	p.Otherwise(s.maker(on, general))
	return exec, nil
}

// maker returns a function that loads the form of a way.
func (s *Saved) maker(on target.Restorer, general *SavedForm) device.Maker {
	return func(ctx context.Context, way device.Way, _ bool) (target.Executable, error) {
		f := s.form(way)
		if way.IsGeneral() {
			f = general
		}
		if f == nil {
			return nil, device.ErrAhead
		}
		e, err := on.Restore(ctx, s.Kernel, f.code())
		if p, ok := e.(target.Partial); ok && err == nil && way.Fallback {
			p.Otherwise(s.maker(on, general))
		}
		return e, err
	}
}

// form returns the form of a way, or nil.
func (s *Saved) form(way device.Way) *SavedForm {
	for i := range s.Forms {
		if f := &s.Forms[i]; f.Way == way && f.Stage == s.Stage {
			return f
		}
	}
	return nil
}
