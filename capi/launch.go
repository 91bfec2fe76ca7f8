//go:build !nereid_run

package main

/*
#include "door.h"
*/
import "C"

import (
	"errors"
	"unsafe"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/capi/foreign"
	"github.com/nereid-lang/nereid/internal/runtime/args"
)

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

// call is a launch of a kernel, as the caller wrote it.
type call struct {
	grid    *C.nereid_grid
	list    *C.nereid_arg
	n       C.size_t
	options *C.nereid_options
	err     **C.nereid_error
}

// quick launches by an earlier launch that was like this one. It neither allocates nor copies; done is false
// if there is none.
func (c *call) quick(k *kernel, s *nereid.Stream) (status C.int, done bool) {
	if c.grid.fn != nil || c.n > foreign.MaxArgs || c.list == nil {
		return 0, false
	}
	grid := [3]int{int(c.grid.x), int(c.grid.y), int(c.grid.z)}
	list := unsafe.Slice((*foreign.Arg)(unsafe.Pointer(c.list)), c.n)
	done, err := k.quick.Quick(s, &grid, list, (*foreign.Options)(unsafe.Pointer(c.options)))
	if err != nil {
		return fail(c.err, err), true
	}
	return C.NEREID_OK, done
}

// reader returns the reader of the call's arguments on a device.
func (c *call) reader(k *kernel, dev *nereid.Device) *foreign.Reader {
	checked := k.checked || c.options != nil && c.options.flags&C.NEREID_OPT_CHECK != 0
	return &foreign.Reader{Device: dev, Tensor: tensorAt, Sized: checked}
}

// long launches the long way, or only prepares the launch.
func (c *call) long(k *kernel, s *nereid.Stream, prepare bool) error {
	dev := s.Device()
	if s == nil {
		var err error
		if dev, err = nereid.OpenDevice(""); err != nil {
			return err
		}
	}
	list, err := argsOf(c.list, c.n)
	if err != nil {
		return err
	}
	r, o := c.reader(k, dev), (*foreign.Options)(unsafe.Pointer(c.options))
	var said error
	grid := programs(c.grid, &said)
	if prepare {
		var values []any
		if values, err = r.List(list, o); err == nil {
			err = k.k.Tune(s, grid, values...)
		}
	} else {
		err = k.quick.Launch(r, s, grid, list, o)
	}
	if said != nil {
		return said
	}
	return ofKernel(k, err)
}

// ofKernel returns the error of an argument as one of the kernel.
func ofKernel(k *kernel, err error) error {
	var a *args.Error
	if errors.As(err, &a) && !is[*handleError](err, nil) && !is[*nereid.ArgumentError](err, nil) {
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
	c := call{g, list, n, o, err}
	k, _ := find(uint64(h)).(*kernel)
	if s, _ := find(uint64(sh)).(*stream); k != nil && s != nil {
		if status, done := c.quick(k, s.s); done {
			k.show(h, s.s)
			return status
		}
	}
	return c.launch(h, false, func() (*nereid.Stream, error) { return streamOf(sh) })
}

//export go_launch_on
func go_launch_on(h, dev, handle C.uintptr_t, g *C.nereid_grid, list *C.nereid_arg, n C.size_t,
	o *C.nereid_options, err **C.nereid_error) C.int {
	c := call{g, list, n, o, err}
	k, _ := find(uint64(h)).(*kernel)
	if d, _ := find(uint64(dev)).(*device); k != nil && d != nil {
		if last := d.last.Load(); last != nil && last.handle == uintptr(handle) {
			if status, done := c.quick(k, last.s); done {
				k.show(h, last.s)
				return status
			}
		}
	}
	return c.launch(h, false, func() (*nereid.Stream, error) {
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
	c := call{g, list, n, o, err}
	return c.launch(h, true, func() (*nereid.Stream, error) {
		if sh == 0 {
			return nil, &handleError{"nereid: the nereid_stream is NULL"}
		}
		return streamOf(sh)
	})
}

// launch launches the long way on a stream that on returns.
func (c call) launch(h C.uintptr_t, prepare bool, on func() (*nereid.Stream, error)) C.int {
	return run(c.err, func() error {
		k, err := object[kernel](h)
		if err != nil {
			return err
		}
		s, err := on()
		if err != nil {
			return err
		}
		if err := c.long(k, s, prepare); err != nil {
			return err
		}
		if s != nil {
			k.show(h, s)
		}
		return nil
	})
}

//export go_kernel_signature
func go_kernel_signature(h C.uintptr_t, list *C.nereid_arg, n C.size_t, out **C.char,
	err **C.nereid_error) C.int {
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
