//go:build !nereid_run

package main

/*
#include "door.h"
*/
import "C"

import (
	"context"
	"unsafe"

	"github.com/nereid-lang/nereid/capi/foreign"
)

//export go_compile
func go_compile(h C.uintptr_t, target, signature *C.char, o *C.nereid_options, until *C.char,
	out *C.uintptr_t, err **C.nereid_error) C.int {
	return makeObject(out, err, func() (*code, error) {
		k, err := object[kernel](h)
		if err != nil {
			return nil, err
		}
		if target == nil || signature == nil {
			return nil, badCall("the target or the signature is NULL")
		}
		opts := (*foreign.Options)(unsafe.Pointer(o)).Go()
		c, err := k.k.CompileFor(context.Background(), C.GoString(target), C.GoString(signature), opts,
			C.GoString(until))
		if err != nil {
			return nil, err
		}
		return &code{c: c}, nil
	})
}
