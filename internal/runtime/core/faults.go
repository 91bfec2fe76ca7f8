package core

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/stray"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/runtime/code"
)

// RunError returns an error of a launch as a Crash if its process died, as a Fault if the kernel was stopped,
// as a Refusal if the device declines it, with the kernel's name if the context has ended, else unchanged. b
// is the launched code; it may be nil.
func RunError(err error, b *code.Build) error {
	var died *device.Crash
	switch {
	case err == nil || errors.As(err, new(*Fault)) || errors.As(err, new(*Crash)):
		return err
	case errors.As(err, new(*diag.Refusal)):
		return RefusalOf(err)
	case errors.As(err, &died):
		return &Crash{Kernel: died.Kernel, Signal: died.Signal, Detail: died.Detail, err: err}
	}
	if f := faultOf(err, b); f != nil {
		return f.compose(b)
	}
	if b != nil {
		return Ended(b.Variant.Kernel, err)
	}
	return err
}

// faultOf returns the fault by which a device stopped a kernel, without its text; nil if err is no fault.
func faultOf(err error, b *code.Build) *Fault {
	var by stray.Reporter
	if !errors.As(err, &by) {
		return nil
	}
	x := by.Stray()
	f := &Fault{Kernel: x.Kernel, Program: x.Program, Message: x.Msg, err: err}
	f.setPlaces(x.Locs)
	f.setAccess(x.Access, b)
	if x.Explain != nil && f.Argument != "" {
		f.Message = x.Explain(f.Argument, f.Index)
	}
	return f
}

// Ended adds the kernel's name to the error of a launch whose context has ended. Other errors are unchanged.
func Ended(kernel string, err error) error {
	over := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if !over || strings.Contains(err.Error(), kernel) {
		return err
	}
	return fmt.Errorf("nereid: %s: %w", kernel, err)
}

// setAccess sets the argument and the index of a stray access, and the message that they allow.
func (e *Fault) setAccess(a *stray.Access, b *code.Build) {
	if a == nil {
		return
	}
	e.Argument = a.Name
	if b != nil && a.Word >= 0 {
		if p := b.Param(a.Word); p.Name != "" {
			e.Argument = p.Name
			a.Element = p.Bytes
			if a.Size == 1 { // of a race, which is seen byte by byte
				a.Size = max(p.Bytes, 1)
			}
		}
	}
	e.Index, e.what = a.Index(), a.What
	if e.Argument != "" {
		e.Message = a.Text(e.Argument)
	}
}

// compose makes the text of a fault: as that of an error of the compiler, with the line and a caret, then the
// kernel, the program and the calls that led there.
func (e *Fault) compose(b *code.Build) *Fault {
	where := fmt.Sprintf("in kernel %s, program (%d, %d, %d)", e.Kernel, e.Program[0], e.Program[1],
		e.Program[2])
	for _, c := range e.Calls {
		where += "\n    called at " + c
	}
	var span diag.Span
	var ok bool
	if b != nil && b.Source != nil && e.File != "" {
		span, ok = b.Source.Around(e.what, e.File, e.Line, e.Column)
	}
	if !ok {
		text := "error: " + e.Message
		if e.File != "" {
			text = fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, text)
		}
		e.text = text + "\n    " + where
		return e
	}
	files := b.Source.Files()
	begin := files.Place(span.Start)
	e.Line, e.Column = begin.Line, begin.Col
	d := diag.Diagnostic{Span: span, Msg: e.Message}
	e.text = strings.TrimSuffix(d.Render(files), "\n") + "\n    " + where
	return e
}

// setPlaces sets the place of the operation, then those of the calls.
func (e *Fault) setPlaces(places []string) {
	if len(places) == 0 {
		return
	}
	e.File, e.Line, e.Column = splitPlace(places[0])
	e.Calls = places[1:]
}

// splitPlace splits file:line:column.
func splitPlace(place string) (file string, line, column int) {
	rest, last := cutNumber(place)
	file, line = cutNumber(rest)
	return file, line, last
}

func cutNumber(s string) (string, int) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0
	}
	n, err := strconv.Atoi(s[i+1:])
	if err != nil {
		return s, 0
	}
	return s[:i], n
}
