package core

import (
	"errors"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// Errors for errors.Is.
var (
	// ErrNoDevice is wrapped by the error of OpenDevice for a device that this machine does not have.
	ErrNoDevice = errors.New("no such device")
	// ErrClosed is wrapped by errors of using a tensor, stream, graph, bound or compiled kernel after Close,
	// or while another goroutine closes it.
	ErrClosed = device.ErrClosed
	// ErrCapturing is wrapped by the error of a launch on a stream that is being captured if it would have to
	// compile, tune, or copy host memory: such work cannot be captured. Launch once before, or warm the
	// kernel up, with tensors on the device.
	ErrCapturing = device.ErrCapturing
)

// ArgumentError is the error of an argument that a kernel cannot take, or of an argument list that does not
// match its parameters.
type ArgumentError struct {
	Kernel string // name of the kernel
	Param  string // name of the parameter; "" if the list as a whole is wrong
	Err    error  // the reason
}

// Error returns the kernel, the parameter and the reason.
func (e *ArgumentError) Error() string { return "nereid: " + e.Kernel + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *ArgumentError) Unwrap() error { return e.Err }

// ArgError returns err as an ArgumentError of a kernel.
func ArgError(kernel string, err error) error {
	e := &ArgumentError{Kernel: kernel, Err: err}
	var arg *args.Error
	if errors.As(err, &arg) {
		e.Param = arg.Param
	}
	return e
}

// Fault is the error of a launch that the kernel's own action stopped: an access out of bounds, a failed
// assertion, a race. The interpreter and simulated GPUs fill in all fields, the CPU and GPUs do with
// Options.Check.
type Fault struct {
	Kernel  string // name of the kernel
	Program [3]int // position in the grid
	Message string // what the kernel did

	File         string   // file of the operation; "" if unknown
	Line, Column int      // counted from 1
	Calls        []string // calls that led there, as file:line:column, innermost first

	// Argument is the parameter through which memory was accessed, or "".
	Argument string
	// Index is the element, counted in elements of the accessed size from the parameter's beginning; it is
	// negative before it.
	Index int64

	what string // the kind of access: "load", "store", "atomic"
	text string
	err  error
}

// Error returns the place in the kernel's file, the message, the line with a caret, and the position in the
// grid.
func (e *Fault) Error() string { return e.text }

// Unwrap returns the device's own error.
func (e *Fault) Unwrap() error { return e.err }

// Crash is the error of an isolated launch whose process died.
type Crash struct {
	Kernel string // name of the kernel
	Signal string // "SIGSEGV", or "" if there was none
	Detail string // last output of the process, or how it ended
	err    error
}

// Error returns the kernel and how its process ended.
func (e *Crash) Error() string { return e.err.Error() }

// Unwrap returns the device's own error.
func (e *Crash) Unwrap() error { return e.err }
