package world

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// Host calls plain functions of a file. It belongs to one goroutine.
type Host struct {
	s     *Source
	w     *World
	meter *budget.Meter // meter of each call
}

// Host returns a caller of the file's functions.
func (s *Source) Host() *Host {
	meter := s.meter()
	return &Host{s, New(s, DefaultTarget, meter), meter}
}

// Call calls a function and gives its result to use, with the interpreter that it lives in. An error of the
// function, or an exception that use returns, has a place in the file.
func (h *Host) Call(name string, args []object.Value,
	use func(in *object.Interp, v object.Value) error) (err error) {
	s, in := h.s, h.w.In
	defer func() {
		if r := recover(); r != nil {
			err = s.Recovered(name, r)
		}
	}()
	in.Refill()
	h.meter.Restart()
	fn, ok, err := s.Module(h.w).Get(in, name)
	if err != nil {
		return s.Report(object.Diagnostic(err, s.definition(name)))
	}
	if !ok {
		return s.Report(diag.Diagnostic{Code: "no-function",
			Msg: fmt.Sprintf("%s has no function %s", s.Name, name)})
	}
	v, err := object.Call(in, fn, args, nil)
	if err == nil {
		err = use(in, Unwrap(v))
	}
	if e, ok := err.(*object.Exception); ok {
		return s.Report(object.Diagnostic(e, s.definition(name)))
	}
	return err
}

// Definition returns the place where the file first binds a name of its own.
func (s *Source) Definition(name string) diag.Span { return s.definition(name) }

// Syntax returns the file's tree.
func (s *Source) Syntax() *python.Module { return s.syntax }
