package main

/*
#include "door.h"
*/
import "C"

import (
	"errors"
	"unsafe"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/capi/foreign"
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

// programs returns a grid in the form of the Go API. said receives the answer of a function that said no.
func programs(g *C.nereid_grid, said *error) nereid.Programs {
	if g.fn == nil {
		return fixedGrid(g)
	}
	fn, user := g.fn, g.user
	return nereid.GridFunc(func(m nereid.Meta) nereid.Grid {
		h := open(&meta{m})
		defer shut[meta](C.uintptr_t(h))
		var out [3]C.uint32_t
		if C.door_grid(fn, user, C.uintptr_t(h), &out[0]) != 0 {
			*said = &cancelled{"nereid: the function for the grid ended the launch"}
			return nereid.Grid{}
		}
		return nereid.Grid{int(out[0]), int(out[1]), int(out[2])}
	})
}

// meta is a nereid_meta.
type meta struct{ m nereid.Meta }

//export go_meta_int
func go_meta_int(h C.uintptr_t, name *C.char, out *C.int64_t) C.bool {
	m, err := object[meta](h)
	if err != nil || name == nil || out == nil {
		return false
	}
	switch v := m.m.Value(C.GoString(name)).(type) {
	case int64:
		*out = C.int64_t(v)
	case bool:
		*out = C.int64_t(cBool(v))
	default:
		return false
	}
	return true
}

// launcher is a function that launches a kernel.
type launcher func(k *nereid.Kernel, s *nereid.Stream, grid nereid.Programs, arguments ...any) error

// launch launches the long way.
func launch(k *kernel, s *nereid.Stream, g *C.nereid_grid, list *C.nereid_arg, n C.size_t, o *C.nereid_options,
	f launcher) error {
	dev := s.Device()
	if s == nil {
		d, err := nereid.Open("")
		if err != nil {
			return err
		}
		dev = d
	}
	r := foreign.Reader{Device: dev, Tensor: tensorAt, Sized: k.checked || o != nil && o.flags&C.NEREID_OPT_CHECK != 0}
	values, err := readArgs(&r, list, n, o)
	if err != nil {
		return ofKernel(k, err)
	}
	var said error
	if err = f(k.k, s, programs(g, &said), values...); said != nil {
		return said
	}
	return err
}

// ofKernel returns the error of an argument as one of the kernel.
func ofKernel(k *kernel, err error) error {
	var a *args.Error
	if errors.As(err, &a) && !is[*handleError](err, nil) {
		return &nereid.ArgumentError{Kernel: k.k.Name(), Param: a.Param, Err: err}
	}
	return err
}

// streamOf returns the stream of a handle, nil for NULL.
func streamOf(h C.uintptr_t) (*nereid.Stream, error) {
	if h == 0 {
		return nil, nil
	}
	s, err := object[stream](h)
	if err != nil {
		return nil, err
	}
	return s.s, nil
}

//export go_launch
func go_launch(h, sh C.uintptr_t, g *C.nereid_grid, list *C.nereid_arg, n C.size_t, o *C.nereid_options,
	err **C.nereid_error) C.int {
	return launchOn(h, g, list, n, o, err, (*nereid.Kernel).Launch,
		func() (*nereid.Stream, error) { return streamOf(sh) })
}

//export go_launch_on
func go_launch_on(h, dev, handle C.uintptr_t, g *C.nereid_grid, list *C.nereid_arg, n C.size_t, o *C.nereid_options,
	err **C.nereid_error) C.int {
	return launchOn(h, g, list, n, o, err, (*nereid.Kernel).Launch, func() (*nereid.Stream, error) {
		d, err := object[device](dev)
		if err != nil {
			return nil, err
		}
		return d.stream(uintptr(handle))
	})
}

//export go_prepare
func go_prepare(h, sh C.uintptr_t, g *C.nereid_grid, list *C.nereid_arg, n C.size_t, o *C.nereid_options,
	err **C.nereid_error) C.int {
	return launchOn(h, g, list, n, o, err, (*nereid.Kernel).Tune, func() (*nereid.Stream, error) {
		if sh == 0 {
			return nil, &handleError{"nereid: the nereid_stream is NULL"}
		}
		return streamOf(sh)
	})
}

// launchOn launches on a stream that on returns.
func launchOn(h C.uintptr_t, g *C.nereid_grid, list *C.nereid_arg, n C.size_t, o *C.nereid_options,
	err **C.nereid_error, f launcher, on func() (*nereid.Stream, error)) C.int {
	return run(err, func() error {
		k, err := object[kernel](h)
		if err != nil {
			return err
		}
		s, err := on()
		if err != nil {
			return err
		}
		return launch(k, s, g, list, n, o, f)
	})
}

//export go_kernel_signature
func go_kernel_signature(h C.uintptr_t, list *C.nereid_arg, n C.size_t, out **C.char, err **C.nereid_error) C.int {
	return run(err, func() error {
		k, err := object[kernel](h)
		if err != nil {
			return err
		}
		if out == nil {
			return badCall("the address for the result is NULL")
		}
		r := foreign.Reader{Tensor: tensorAt}
		values, err := readArgs(&r, list, n, nil)
		if err != nil {
			return ofKernel(k, err)
		}
		text, err := k.k.Signature(values...)
		if err != nil {
			return err
		}
		*out = cString(text)
		return nil
	})
}

//export go_bind
func go_bind(h, dev C.uintptr_t, list *C.nereid_arg, n C.size_t, o *C.nereid_options, out *C.uintptr_t,
	err **C.nereid_error) C.int {
	return run(err, func() error { return badCall("not yet") })
}

//export go_bind_signature
func go_bind_signature(h, dev C.uintptr_t, signature *C.char, o *C.nereid_options, out *C.uintptr_t,
	err **C.nereid_error) C.int {
	return run(err, func() error { return badCall("not yet") })
}

//export go_bound_params
func go_bound_params(h C.uintptr_t) C.size_t { return 0 }

//export go_bound_param
func go_bound_param(h C.uintptr_t, i C.size_t, typ **C.char) *C.char { return nil }

//export go_bound_launch
func go_bound_launch(h, handle C.uintptr_t, x, y, z C.uint32_t, params *unsafe.Pointer, n C.size_t,
	err **C.nereid_error) C.int {
	return run(err, func() error { return badCall("not yet") })
}

//export go_bound_close
func go_bound_close(h C.uintptr_t) {}
