package main

/*
#include "door.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"

	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	nereid "github.com/nereid-lang/nereid/run"
)

// run calls f and returns the status of its error, which it hands to the caller. A panic is a bug of the
// library and becomes an error too: it must not unwind into C.
func run(out **C.nereid_error, f func() error) (status C.int) {
	defer func() {
		if p := recover(); p != nil {
			status = fail(out, &internalError{fmt.Sprintf("nereid: internal error: %v\n%s", p,
				debug.Stack())})
		}
	}()
	return fail(out, f())
}

// makeObject calls f and stores a handle of the object that it returns.
func makeObject[T any](handle *C.uintptr_t, out **C.nereid_error, f func() (*T, error)) C.int {
	return run(out, func() error {
		if handle == nil {
			return badCall("the address for the result is NULL")
		}
		x, err := f()
		if err != nil {
			return err
		}
		h := open(x)
		if h == 0 {
			return badCall("too many objects are open")
		}
		*handle = C.uintptr_t(h)
		if p, ok := any(x).(interface{ place(C.uintptr_t) }); ok {
			p.place(*handle)
		}
		return nil
	})
}

// internalError is the error of a bug.
type internalError struct{ text string }

func (e *internalError) Error() string { return e.text }

// callError is the error of a call that is wrong whatever the kernel is.
type callError struct{ text string }

func (e *callError) Error() string { return e.text }

func badCall(format string, a ...any) error {
	return &callError{"nereid: " + fmt.Sprintf(format, a...)}
}

// cancelled is the error of a callback that said no.
type cancelled struct{ text string }

func (e *cancelled) Error() string { return e.text }

// place is what an error says of a kernel.
type place struct {
	file         string
	line, column int
	kernel, arg  string
	diagnostics  []diagnostic
}

// statuses tells errors apart, the most telling first.
var statuses = []struct {
	status C.int
	is     func(err error, p *place) bool
}{
	{C.NEREID_ERR_HANDLE, is[*handleError]},
	{C.NEREID_ERR_INTERNAL, is[*internalError]},
	{C.NEREID_ERR_CANCELLED, is[*cancelled]},
	{C.NEREID_ERR_ARGUMENT, isKernelArgument},
	{C.NEREID_ERR_COMPILE, isCompile},
	{C.NEREID_ERR_FAULT, isFault},
	{C.NEREID_ERR_REFUSED, isRefusal},
	{C.NEREID_ERR_BUDGET, isBudget},
	{C.NEREID_ERR_CRASH, is[*nereid.Crash]},
	{C.NEREID_ERR_NOT_COMPILED, isNotCompiled},
	{C.NEREID_ERR_CAPTURING, isSentinel(nereid.ErrCapturing)},
	{C.NEREID_ERR_NO_LLVM, isNoLLVM},
	{C.NEREID_ERR_NO_DEVICE, isSentinel(nereid.ErrNoDevice)},
	{C.NEREID_ERR_ARGUMENT, isArgument},
	{C.NEREID_ERR_HANDLE, isSentinel(nereid.ErrClosed)},
	{C.NEREID_ERR_CANCELLED, isSentinel(context.Canceled)},
	{C.NEREID_ERR_IO, is[*fs.PathError]},
	{C.NEREID_ERR_DEVICE, is[*driver.Error]},
}

func is[E error](err error, _ *place) bool {
	var e E
	return errors.As(err, &e)
}

func isSentinel(s error) func(error, *place) bool {
	return func(err error, _ *place) bool { return errors.Is(err, s) }
}

// isKernelArgument is for an argument that does not suit the kernel, even if a compilation found that out:
// its diagnostics are kept.
func isKernelArgument(err error, p *place) bool {
	if !is[*nereid.ArgumentError](err, p) {
		return false
	}
	isCompile(err, p)
	return isArgument(err, p)
}

func isFault(err error, p *place) bool {
	var e *nereid.Fault
	if !errors.As(err, &e) {
		return false
	}
	p.file, p.line, p.column, p.kernel, p.arg = e.File, e.Line, e.Column, e.Kernel, e.Argument
	return true
}

func isRefusal(err error, p *place) bool {
	var e *nereid.Refusal
	if !errors.As(err, &e) {
		return false
	}
	p.file, p.line, p.column = e.File, e.Line, e.Column
	isArgument(err, p)
	return true
}

func isArgument(err error, p *place) bool {
	var e *nereid.ArgumentError
	var a *args.Error
	switch {
	case errors.As(err, &e):
		p.kernel, p.arg = e.Kernel, e.Param
	case errors.As(err, &a):
		p.arg = a.Param
	}
	return e != nil || a != nil || is[*callError](err, p)
}

// fail returns the status of an error and stores the error for the caller, if it wants it.
func fail(out **C.nereid_error, err error) C.int {
	if err == nil {
		return C.NEREID_OK
	}
	var p place
	status := C.int(C.NEREID_ERR_ARGUMENT) // what remains is about what the caller asked for
	for _, s := range statuses {
		if s.is(err, &p) {
			status = s.status
			break
		}
	}
	if out == nil {
		return status
	}
	e := C.door_error(status, cString(err.Error()), cString(p.file), C.int(p.line), C.int(p.column),
		cString(p.kernel),
		cString(p.arg), C.size_t(len(p.diagnostics)))
	for i := range p.diagnostics {
		d := &p.diagnostics[i]
		C.door_diagnose(e, C.size_t(i), cString(d.Severity), cString(d.Code), cString(d.Message),
			cString(d.Hint), cString(d.File), C.int(d.Line), C.int(d.Column), C.int(d.EndLine),
			C.int(d.EndColumn))
	}
	*out = e
	return status
}
