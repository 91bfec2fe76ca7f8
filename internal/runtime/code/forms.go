package code

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/nereid-lang/nereid/internal/device"
)

// SavedForm is code of a specialization for launches of a way, as data.
type SavedForm struct {
	Way   device.Way      `json:"way"`
	Stage string          `json:"stage"`
	Meta  json.RawMessage `json:"meta,omitempty"`
	Code  []byte          `json:"code"`
}

// Data returns the form as a device restores it.
func (f *SavedForm) Data() device.Code {
	return device.Code{Stage: f.Stage, Data: f.Code, Meta: f.Meta}
}

// Restore loads a saved kernel. With forms, launches choose among them as among code that is compiled when it
// is needed; each form is loaded when a launch first runs it.
func (s *Saved) Restore(ctx context.Context, on device.Restorer) (device.Executable, error) {
	general := &SavedForm{Stage: s.Stage, Meta: s.Meta, Code: s.Code}
	first := s.form(device.AnyLaunch)
	if first == nil {
		return on.Restore(ctx, s.Kernel, general.Data())
	}
	exec, err := on.Restore(ctx, s.Kernel, first.Data())
	p, ok := exec.(device.Partial)
	if err != nil || !ok {
		return on.Restore(ctx, s.Kernel, general.Data())
	}
	p.Otherwise(s.maker(on, general))
	return exec, nil
}

// maker returns a function that loads the form of a way.
func (s *Saved) maker(on device.Restorer, general *SavedForm) device.Maker {
	return func(ctx context.Context, way device.Way, _ bool) (device.Executable, error) {
		f := s.form(way)
		if way.IsGeneral() {
			f = general
		}
		if f == nil {
			return nil, device.ErrAhead
		}
		e, err := on.Restore(ctx, s.Kernel, f.Data())
		if p, ok := e.(device.Partial); ok && err == nil && way.Fallback {
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

// Differ returns the forms, or nil if there is but one and it is the same as the general code.
func Differ(forms []SavedForm, general device.Code) []SavedForm {
	if len(forms) == 1 && bytes.Equal(forms[0].Code, general.Data) {
		return nil
	}
	return forms
}

// AddForms adds forms to the outcome of a compilation. On a device that loads code, launches of its
// executable then choose among them.
func (r *Result) AddForms(ctx context.Context, on device.Device, forms []SavedForm) error {
	general, err := r.Code("")
	if err != nil {
		return err
	}
	if forms = Differ(forms, general); len(forms) == 0 {
		return nil
	}
	saved := *r.Saved
	saved.Stage, saved.Meta, saved.Code = general.Stage, general.Meta, general.Data
	saved.Forms = forms
	r.Saved = &saved
	if _, ok := r.Exec.(*device.Unloaded); ok {
		return nil
	}
	loads, ok := on.(device.Restorer)
	if !ok {
		return nil
	}
	exec, err := saved.Restore(ctx, loads)
	if err != nil {
		return err
	}
	alone := r.Exec
	r.Exec = exec
	return alone.Close()
}
