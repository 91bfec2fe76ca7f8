//go:build !nereid_run

package main

/*
#include "door.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/certify"
	"github.com/nereid-lang/nereid/internal/dtype"
)

// elementsOf returns an element type of the caller's and memory of it.
func elementsOf(t C.int, n C.size_t, from ...unsafe.Pointer) (dtype.Type, [][]byte, error) {
	kind := dtype.Type(t)
	if kind.Size() == 0 {
		return 0, nil, badCall("%d is no element type", int(t))
	}
	var out [][]byte
	for _, p := range from {
		if p == nil && n > 0 {
			return 0, nil, badCall("the memory is NULL")
		}
		data, err := memory(p, n)
		if err != nil {
			return 0, nil, err
		}
		out = append(out, data)
	}
	return kind, out, nil
}

//export go_certify_prepare
func go_certify_prepare(t C.int, data unsafe.Pointer, n C.size_t, err **C.nereid_error) C.int {
	return run(err, func() error {
		kind, list, err := elementsOf(t, n, data)
		if err != nil {
			return err
		}
		certify.Prepare(kind, list[0])
		return nil
	})
}

//export go_certify_compare
func go_certify_compare(t C.int, before, source, compiled unsafe.Pointer, n C.size_t, changed *C.size_t,
	out **C.char, err **C.nereid_error) C.int {
	return run(err, func() error {
		kind, list, err := elementsOf(t, n, before, source, compiled)
		if err != nil {
			return err
		}
		if changed == nil || out == nil {
			return badCall("the address for the result is NULL")
		}
		o := certify.Compare(kind, list[0], list[1], list[2])
		text := ""
		if o.Different > 0 {
			text = fmt.Sprintf("%d of %d elements differ, first %d: %s", o.Different, o.Elements, o.First,
				certify.Describe(kind, list[1], list[2], o.First))
		}
		*changed, *out = C.size_t(o.Changed-o.Special), cString(text)
		return nil
	})
}
