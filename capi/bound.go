//go:build !nereid_run

package main

/*
#include <stdlib.h>
#include "door.h"
*/
import "C"

import (
	"unsafe"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/capi/foreign"
)

// bound is a nereid_bound.
type bound struct {
	f            *foreign.Frozen
	d            *device
	names, types []*C.char
}

// place gives C the frozen kernel.
func (b *bound) place(h C.uintptr_t) { b.show(h) }

// freeze returns the frozen kernel that f makes on a device.
func freeze(h, dev C.uintptr_t, f func(*kernel, *nereid.Stream) (*foreign.Frozen, error)) (*bound, error) {
	k, err := object[kernel](h)
	if err != nil {
		return nil, err
	}
	d, err := object[device](dev)
	if err != nil {
		return nil, err
	}
	s, err := d.stream(0)
	if err != nil {
		return nil, err
	}
	x, err := f(k, s)
	if err != nil {
		return nil, ofKernel(k, err)
	}
	b := &bound{f: x, d: d}
	names, types := x.Params()
	for i := range names {
		b.names, b.types = append(b.names, cString(names[i])), append(b.types, cString(types[i]))
	}
	return b, nil
}

// free frees strings of an object that is closed.
func free(list ...*C.char) {
	for _, s := range list {
		C.free(unsafe.Pointer(s))
	}
}

//export go_bind
func go_bind(h, dev C.uintptr_t, list *C.nereid_arg, n C.size_t, o *C.nereid_options, out *C.uintptr_t,
	err **C.nereid_error) C.int {
	return makeObject(out, err, func() (*bound, error) {
		return freeze(h, dev, func(k *kernel, s *nereid.Stream) (*foreign.Frozen, error) {
			raw, err := argsOf(list, n)
			if err != nil {
				return nil, err
			}
			c := call{list: list, n: n, options: o}
			return foreign.Freeze(c.reader(k, s.Device()), k.k, s, raw, (*foreign.Options)(unsafe.Pointer(o)))
		})
	})
}

//export go_bind_signature
func go_bind_signature(h, dev C.uintptr_t, signature *C.char, o *C.nereid_options, out *C.uintptr_t,
	err **C.nereid_error) C.int {
	return makeObject(out, err, func() (*bound, error) {
		return freeze(h, dev, func(k *kernel, s *nereid.Stream) (*foreign.Frozen, error) {
			if signature == nil || *signature == 0 {
				return nil, badCall("the signature is NULL or empty")
			}
			return foreign.FreezeSignature(k.k, s, C.GoString(signature),
				(*foreign.Options)(unsafe.Pointer(o)))
		})
	})
}

//export go_bound_params
func go_bound_params(h C.uintptr_t) C.size_t {
	b, err := object[bound](h)
	if err != nil {
		return 0
	}
	return C.size_t(len(b.names))
}

//export go_bound_param
func go_bound_param(h C.uintptr_t, i C.size_t, typ **C.char) *C.char {
	b, err := object[bound](h)
	if err != nil || i >= C.size_t(len(b.names)) {
		return nil
	}
	if typ != nil {
		*typ = b.types[i]
	}
	return b.names[i]
}

//export go_bound_launch
func go_bound_launch(h, handle C.uintptr_t, x, y, z C.uint32_t, params *unsafe.Pointer, n C.size_t,
	err **C.nereid_error) C.int {
	if b, _ := find(uint64(h)).(*bound); b != nil && params != nil && n <= foreign.MaxArgs {
		if last := b.d.last.Load(); last != nil && last.handle == uintptr(handle) {
			grid := [3]int{int(x), int(y), int(z)}
			if e := b.f.Launch(last.s, &grid, unsafe.Slice(params, n)); e != nil {
				return fail(err, e)
			}
			return C.NEREID_OK
		}
	}
	return run(err, func() error {
		b, err := object[bound](h)
		if err != nil {
			return err
		}
		if n > foreign.MaxArgs || n > 0 && params == nil {
			return badCall("%d parameters at %p", n, params)
		}
		s, err := b.d.stream(uintptr(handle))
		if err != nil {
			return err
		}
		grid := [3]int{int(x), int(y), int(z)}
		return b.f.Launch(s, &grid, unsafe.Slice(params, n))
	})
}

//export go_bound_close
func go_bound_close(h C.uintptr_t) {
	if b := shut[bound](h); b != nil {
		free(b.names...)
		free(b.types...)
	}
}
