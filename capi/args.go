package main

/*
#include "door.h"
*/
import "C"

import (
	"unsafe"

	"github.com/nereid-lang/nereid/capi/foreign"
	nereid "github.com/nereid-lang/nereid/run"
)

// tensorAt returns the tensor of a handle in an argument.
func tensorAt(handle uint64) (*nereid.Tensor, error) {
	t, err := object[tensor](C.uintptr_t(handle))
	if err != nil {
		return nil, err
	}
	return t.t, nil
}

// argsOf returns the caller's arguments, in its memory.
func argsOf(list *C.nereid_arg, n C.size_t) ([]foreign.Arg, error) {
	if n > foreign.MaxArgs || n > 0 && list == nil {
		return nil, badCall("%d arguments at %p: there are at most %d", n, list, foreign.MaxArgs)
	}
	return unsafe.Slice((*foreign.Arg)(unsafe.Pointer(list)), n), nil
}

// readArgs returns the caller's arguments in the form of the Go API.
func readArgs(r *foreign.Reader, list *C.nereid_arg, n C.size_t, o *C.nereid_options) ([]any, error) {
	raw, err := argsOf(list, n)
	if err != nil {
		return nil, err
	}
	return r.List(raw, (*foreign.Options)(unsafe.Pointer(o)))
}

func fixedGrid(g *C.nereid_grid) nereid.Grid { return nereid.Grid{int(g.x), int(g.y), int(g.z)} }
