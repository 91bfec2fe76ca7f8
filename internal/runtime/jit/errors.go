package jit

import (
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// ErrNoLLVM is wrapped by errors of operations that need LLVM where there is none: opening the CPU, compiling
// for a GPU.
var ErrNoLLVM = llvm.ErrNone

// Diagnostic is a message about a place in a kernel's file.
type Diagnostic struct {
	Severity string // "error", "warning" or "remark"
	Code     string // short stable identifier such as "shape-mismatch", listed in docs/errors.md; may be ""
	Message  string // what is wrong, in one sentence

	File               string // "" if the message has no place
	Line, Column       int    // counted from 1; Column counts characters
	EndLine, EndColumn int    // behind the last character; equal to the beginning for a point

	Notes []Note // further places and remarks
	Hint  string // remedy; may be ""
}

// Note is a second place that explains a Diagnostic, or a remark if it has no File.
type Note struct {
	Message      string // what the place has to do with the message
	File         string // "" for a remark
	Line, Column int    // counted from 1
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

// CompileError is the error of a file that cannot be read or a kernel that cannot be compiled because of
// its source.
type CompileError struct {
	Diagnostics []Diagnostic // at least one, in the order of their places
	err         error
}

// Error returns every diagnostic with its line of the file and a caret.
func (e *CompileError) Error() string { return e.err.Error() }

// Unwrap returns the error that the diagnostics were found in.
func (e *CompileError) Unwrap() error { return e.err }

// compileError returns an error that has diagnostics as a CompileError, one of a budget as a BudgetError, one
// of what is declined as a Refusal, and any other as it is.
func compileError(err error) error {
	var list *diag.List
	var over *budget.Error
	switch {
	case err == nil || errors.As(err, new(*CompileError)) || errors.As(err, new(*BudgetError)):
		return err
	case errors.As(err, &list):
	case errors.As(err, new(*diag.Refusal)):
		return core.RefusalOf(err)
	case errors.As(err, &over):
		return &BudgetError{What: over.What, Limit: over.Limit, Where: over.Where, Field: over.Field,
			Variable: over.Knob, err: err}
	default:
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

// argError returns err as an ArgumentError of the kernel.
func (k *Kernel) argError(err error) error { return core.ArgError(k.name, err) }

// BudgetError is the error of a compilation that exceeded a limit of its Budget.
type BudgetError struct {
	What     string // "operations"
	Limit    string // "200000"
	Where    string // function, and the place if it is known, at which the limit was passed; may be ""
	Field    string // field of Budget
	Variable string // environment variable that sets it
	err      error
}

// Error returns the limit, the place, and how to raise the limit.
func (e *BudgetError) Error() string { return e.err.Error() }

// Unwrap returns the compiler's own error.
func (e *BudgetError) Unwrap() error { return e.err }
