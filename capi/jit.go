//go:build cgo && !nereid_run

package main

import (
	"errors"

	"github.com/nereid-lang/nereid"
)

// What the library with the compiler does in its own way; running.go has the other library's.

var openDevice = nereid.OpenDevice

// diagnostic is a message of the compiler about a place in a kernel's file.
type diagnostic = nereid.Diagnostic

// Errors of compilations.
var (
	isBudget      = is[*nereid.BudgetError]
	isNotCompiled = isSentinel(nereid.ErrNotCompiled)
	isNoLLVM      = isSentinel(nereid.ErrNoLLVM)
)

func isCompile(err error, p *place) bool {
	var e *nereid.CompileError
	if !errors.As(err, &e) {
		return false
	}
	p.diagnostics = e.Diagnostics
	if len(e.Diagnostics) > 0 {
		d := &e.Diagnostics[0]
		p.file, p.line, p.column = d.File, d.Line, d.Column
	}
	isArgument(err, p)
	return true
}
