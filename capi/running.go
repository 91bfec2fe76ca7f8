//go:build nereid_run

package main

/*
#cgo CFLAGS: -DNEREID_RUN
*/
import "C"

import nereid "github.com/nereid-lang/nereid/run"

// What the library without the compiler (libnereid_run) does in its own way; jit.go has the other library's.

var openDevice = nereid.OpenDevice

// diagnostic is a message of a compiler; there are none.
type diagnostic struct {
	Severity, Code, Message, Hint, File string
	Line, Column, EndLine, EndColumn    int
}

// Errors of compilations do not occur.
func isCompile(error, *place) bool     { return false }
func isBudget(error, *place) bool      { return false }
func isNotCompiled(error, *place) bool { return false }
func isNoLLVM(error, *place) bool      { return false }
