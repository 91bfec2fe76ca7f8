package nereid

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/cpu"
	"github.com/nereid-lang/nereid/internal/target/interp"
	"github.com/nereid-lang/nereid/internal/target/nvidia/sim"
)

// Errors that programs tell apart, by errors.Is; see also ErrNotCompiled and ErrCapturing.
var (
	// ErrNoDevice is wrapped by the error of Open for a device that is not here, which says why.
	ErrNoDevice = errors.New("no such device")
	// ErrNoLLVM is wrapped by errors of what takes LLVM where there is none: opening the CPU, compiling for a GPU.
	ErrNoLLVM = llvm.ErrNone
	// ErrClosed is wrapped by errors of the use of a tensor, stream, graph or bound kernel after its Close.
	ErrClosed = target.ErrClosed
)

// Diagnostic is one message about a place in a kernel's file.
type Diagnostic struct {
	Severity string // "error", "warning" or "remark"
	Code     string // a short stable word, "shape-mismatch": docs/errors.md lists them; may be ""
	Message  string

	File               string // "" if the message is about no place
	Line, Column       int    // from 1; Column counts characters
	EndLine, EndColumn int    // behind the last character; those of the beginning for a point

	Notes []Note
	Hint  string // what to do about it; may be ""
}

// Note is a second place that explains a Diagnostic, or, without a File, a remark.
type Note struct {
	Message      string
	File         string
	Line, Column int
}

// String returns the place and the message on one line, as compilers write them.
func (d Diagnostic) String() string {
	text := d.Severity + ": " + d.Message
	if d.Code != "" {
		text += " [" + d.Code + "]"
	}
	if d.File == "" {
		return text
	}
	return fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Column, text)
}

// CompileError is the error of a file that cannot be read, or of a kernel that cannot be compiled, because of what stands in it.
type CompileError struct {
	Diagnostics []Diagnostic // in the order of their places, at least one
	err         error
}

// Error returns every diagnostic with its line of the file and a caret.
func (e *CompileError) Error() string { return e.err.Error() }

// Unwrap returns the error that the diagnostics were found in.
func (e *CompileError) Unwrap() error { return e.err }

// compileError returns an error that has diagnostics as a CompileError, and any other as it is.
func compileError(err error) error {
	var list *diag.List
	if err == nil || errors.As(err, new(*CompileError)) || !errors.As(err, &list) {
		return err
	}
	e := &CompileError{err: err}
	for i := range list.Diags {
		e.Diagnostics = append(e.Diagnostics, diagnostic(list.Files, &list.Diags[i]))
	}
	return e
}

func diagnostic(files *diag.FileSet, d *diag.Diagnostic) Diagnostic {
	begin := files.Place(d.Span.Start)
	end := begin
	if d.Span.End > d.Span.Start {
		end = files.Place(d.Span.End)
	}
	out := Diagnostic{
		Severity: d.Severity.String(), Code: d.Code, Message: d.Msg, Hint: d.Hint,
		File: begin.File, Line: begin.Line, Column: begin.Col, EndLine: end.Line, EndColumn: end.Col,
	}
	for _, n := range d.Notes {
		p := files.Place(n.Span.Start)
		out.Notes = append(out.Notes, Note{n.Msg, p.File, p.Line, p.Col})
	}
	return out
}

// ArgumentError is the error of an argument that a kernel cannot take, or of a list of arguments that is not the kernel's.
type ArgumentError struct {
	Kernel string
	Param  string // the parameter's name; "" if the list as a whole is wrong
	Err    error  // what is wrong
}

// Error returns the kernel, the parameter, and what is wrong.
func (e *ArgumentError) Error() string { return "nereid: " + e.Kernel + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *ArgumentError) Unwrap() error { return e.Err }

// argError returns what is wrong with an argument of the kernel.
func (k *Kernel) argError(err error) error {
	e := &ArgumentError{Kernel: k.name, Err: err}
	var arg *args.Error
	if errors.As(err, &arg) {
		e.Param = arg.Param
	}
	return e
}

// Fault is the error of a launch that was stopped by what the kernel did: an access out of bounds, a failed assertion, a race. Devices
// know more or less of it: the interpreter and the CPU with Options.Check all, simulated GPUs the place, GPUs nothing.
type Fault struct {
	Kernel  string
	Program [3]int // its place in the grid
	Message string

	File         string   // of the operation; "" if it is not known
	Line, Column int      // from 1
	Calls        []string // the calls that led there, as file:line:column, innermost first

	// Argument is the parameter through which memory was accessed, or "". Index is the element of it, counted in elements as large as the
	// accessed one: negative before its beginning.
	Argument string
	Index    int64

	err error
}

// Error returns the place in the kernel's file, what is wrong, and where in the grid.
func (e *Fault) Error() string { return e.err.Error() }

// Unwrap returns the device's own error.
func (e *Fault) Unwrap() error { return e.err }

// runError returns an error of a launch as a Fault if the kernel was stopped, and any other as it is.
func runError(err error) error {
	var byInterp *interp.Fault
	var byCPU *cpu.Fault
	var bySim *sim.Fault
	switch {
	case err == nil || errors.As(err, new(*Fault)):
		return err
	case errors.As(err, &byInterp):
		f := &Fault{Kernel: byInterp.Kernel, Program: byInterp.Program, Message: byInterp.Msg, Argument: byInterp.Arg, Index: byInterp.Index, err: err}
		f.setPlaces(ir.CallChain(byInterp.Loc))
		return f
	case errors.As(err, &byCPU):
		f := &Fault{Kernel: byCPU.Kernel, Program: byCPU.Program, Message: byCPU.Msg, Argument: byCPU.Arg, Index: byCPU.Index, err: err}
		f.setPlaces(byCPU.Locs)
		return f
	case errors.As(err, &bySim):
		return &Fault{Kernel: bySim.Kernel, Program: bySim.Program, Message: bySim.Msg, File: bySim.File, Line: bySim.Line, Column: bySim.Column, err: err}
	}
	return err
}

// setPlaces takes the place of the operation, then those of the calls.
func (e *Fault) setPlaces(places []string) {
	if len(places) == 0 {
		return
	}
	e.File, e.Line, e.Column = splitPlace(places[0])
	e.Calls = places[1:]
}

// splitPlace takes file:line:column apart.
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
