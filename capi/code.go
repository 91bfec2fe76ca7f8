package main

/*
#include "door.h"
*/
import "C"

import (
	"bytes"
	"strings"
	"unsafe"

	"github.com/nereid-lang/nereid/capi/foreign"
	nereid "github.com/nereid-lang/nereid/run"
)

// code is a nereid_code.
type code struct {
	c        *nereid.Compiled
	borrowed bool // a bundle's, which closes it
}

//export go_code_stages
func go_code_stages(h C.uintptr_t) *C.char {
	return textOf(h, func(c *code) string {
		var names []string
		for _, s := range c.c.Stages {
			names = append(names, s.Name)
		}
		return strings.Join(names, ",")
	})
}

//export go_code_stage
func go_code_stage(h C.uintptr_t, stage *C.char, n *C.size_t) *C.char {
	c, err := object[code](h)
	if err != nil {
		return nil
	}
	text := c.c.Stage(C.GoString(stage))
	if text == nil {
		return nil
	}
	if n != nil {
		*n = C.size_t(len(text))
	}
	return (*C.char)(cBytes(text))
}

//export go_code_info
func go_code_info(h C.uintptr_t, out **C.char, err **C.nereid_error) C.int {
	return run(err, func() error {
		c, err := object[code](h)
		if err != nil {
			return err
		}
		if out == nil {
			return badCall("the address for the result is NULL")
		}
		text, err := c.c.LaunchInfo()
		if err != nil {
			return err
		}
		*out = (*C.char)(cBytes(text))
		return nil
	})
}

//export go_code_save
func go_code_save(h C.uintptr_t, data *unsafe.Pointer, n *C.size_t, err **C.nereid_error) C.int {
	return run(err, func() error {
		c, err := object[code](h)
		if err != nil {
			return err
		}
		if data == nil || n == nil {
			return badCall("the address for the result is NULL")
		}
		var b bytes.Buffer
		if err := c.c.Save(&b); err != nil {
			return err
		}
		*data, *n = cBytes(b.Bytes()), C.size_t(b.Len())
		return nil
	})
}

//export go_code_load
func go_code_load(dev C.uintptr_t, data unsafe.Pointer, n C.size_t, out *C.uintptr_t,
	err **C.nereid_error) C.int {
	return makeObject(out, err, func() (*code, error) {
		d, err := object[device](dev)
		if err != nil {
			return nil, err
		}
		if data == nil {
			return nil, badCall("the data is NULL")
		}
		saved, err := memory(data, n)
		if err != nil {
			return nil, err
		}
		c, err := nereid.LoadCompiled(d.d, bytes.NewReader(bytes.Clone(saved)))
		if err != nil {
			return nil, err
		}
		return &code{c: c}, nil
	})
}

//export go_code_launch
func go_code_launch(h, s C.uintptr_t, grid *C.nereid_grid, list *C.nereid_arg, n C.size_t,
	err **C.nereid_error) C.int {
	return run(err, func() error {
		c, err := object[code](h)
		if err != nil {
			return err
		}
		on, err := object[stream](s)
		if err != nil {
			return err
		}
		if grid.fn != nil {
			return badCall("nereid_code_launch takes no function for the grid")
		}
		r := foreign.Reader{Device: on.s.Device(), Tensor: tensorAt}
		values, err := readArgs(&r, list, n, nil)
		if err != nil {
			return err
		}
		return c.c.Launch(on.s, fixedGrid(grid), values...)
	})
}

//export go_code_close
func go_code_close(h C.uintptr_t) {
	if c := shut[code](h); c != nil && !c.borrowed {
		run(nil, c.c.Close)
	}
}
