package compile

import (
	"context"
	"errors"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/target"
)

// former is a back end whose launches choose among several forms of code.
type former interface {
	// FormsOf returns the ways of the code that launches run instead of some code.
	FormsOf(code target.Code) ([]device.Way, error)
	Distinct(m *ir.Module, w device.Way) device.Way
}

// Forms compiles the forms of a specialization that a launch may choose, beside the code that serves all
// launches: that of any launch first, then those that it chooses. There are none if the back end knows only
// one. A form that does not compile is left out, as a launch would do without it, and so are ways that want
// refuses; nil wants all.
func (k *Kernel) Forms(ctx context.Context, s Spec, until string, want func(device.Way) bool) (
	list []code.SavedForm, err error) {
	f, ok := s.Dev.Backend.(former)
	if !ok {
		return nil, nil
	}
	if c, ok := f.(interface{ Chooses() bool }); ok && !c.Chooses() {
		return nil, nil
	}
	first, err := k.form(ctx, s, until, f, device.AnyLaunch)
	if err != nil {
		return nil, ctx.Err()
	}
	list = append(list, *first)
	ways, err := f.FormsOf(first.Data())
	if err != nil {
		return nil, err
	}
	for _, way := range ways {
		if want != nil && !want(way) {
			continue
		}
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
func (k *Kernel) form(ctx context.Context, s Spec, until string, f former, way device.Way) (*code.SavedForm,
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
	form := &code.SavedForm{Way: way, Stage: c.Stage, Meta: c.Meta, Code: c.Data}
	return form, errors.Join(err, j.out.Exec.Close())
}
