//go:build !nereid_run

package main

/*
#include "door.h"
*/
import "C"

import (
	"context"
	"strings"
	"unsafe"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/capi/foreign"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
)

// module is a nereid_module.
type module struct {
	m       *nereid.Module
	checked bool // launches check accesses
}

// load returns a module that f reads under a configuration, which may be NULL.
func load(h C.uintptr_t, f func(opts []nereid.LoadOption) (*nereid.Module, error)) (*module, error) {
	var c *config
	if h != 0 {
		var err error
		if c, err = object[config](h); err != nil {
			return nil, err
		}
	}
	opts, checked := c.options()
	m, err := f(opts)
	if err != nil {
		return nil, err
	}
	return &module{m, checked}, nil
}

//export go_module_load
func go_module_load(path *C.char, conf C.uintptr_t, out *C.uintptr_t, err **C.nereid_error) C.int {
	return makeObject(out, err, func() (*module, error) {
		if path == nil {
			return nil, badCall("the path is NULL")
		}
		return load(conf, func(opts []nereid.LoadOption) (*nereid.Module, error) {
			return nereid.Load(C.GoString(path), opts...)
		})
	})
}

//export go_module_parse
func go_module_parse(name, text *C.char, n C.size_t, conf C.uintptr_t, out *C.uintptr_t,
	err **C.nereid_error) C.int {
	return readText(name, text, n, conf, out, err, nereid.Parse)
}

// readText makes a module of text that f reads.
func readText(name, text *C.char, n C.size_t, conf C.uintptr_t, out *C.uintptr_t, err **C.nereid_error,
	f func(name string, text []byte, opts ...nereid.LoadOption) (*nereid.Module, error)) C.int {
	return makeObject(out, err, func() (*module, error) {
		if name == nil || text == nil {
			return nil, badCall("the name or the text is NULL")
		}
		if n > 1<<30 {
			return nil, badCall("a text of %d bytes", n)
		}
		return load(conf, func(opts []nereid.LoadOption) (*nereid.Module, error) {
			return f(C.GoString(name), C.GoBytes(unsafe.Pointer(text), C.int(n)), opts...)
		})
	})
}

//export go_module_ir
func go_module_ir(name, text *C.char, n C.size_t, conf C.uintptr_t, out *C.uintptr_t,
	err **C.nereid_error) C.int {
	return readText(name, text, n, conf, out, err, nereid.ParseIR)
}

//export go_module_kernels
func go_module_kernels(h C.uintptr_t) *C.char {
	return textOf(h, func(m *module) string { return strings.Join(m.m.Kernels(), "\n") })
}

//export go_module_kernel
func go_module_kernel(h C.uintptr_t, name *C.char, out *C.uintptr_t, err **C.nereid_error) C.int {
	return makeObject(out, err, func() (*kernel, error) {
		m, err := object[module](h)
		if err != nil {
			return nil, err
		}
		if name == nil {
			return nil, badCall("the kernel's name is NULL")
		}
		k, err := m.m.Kernel(C.GoString(name))
		if err != nil {
			return nil, err
		}
		return newKernel(k, m), nil
	})
}

//export go_module_warmup
func go_module_warmup(h, dev C.uintptr_t, manifest *C.char, f C.nereid_progress_fn, user unsafe.Pointer,
	err **C.nereid_error) C.int {
	return run(err, func() error {
		m, err := object[module](h)
		if err != nil {
			return err
		}
		var d *nereid.Device
		if dev != 0 {
			x, err := object[device](dev)
			if err != nil {
				return err
			}
			d = x.d
		}
		if manifest == nil {
			return badCall("the manifest's path is NULL")
		}
		list, err := nereid.ReadManifest(C.GoString(manifest))
		if err != nil {
			return err
		}
		report := func(done, total int, v nereid.Variant, err error) {
			if f == nil {
				return
			}
			withVariant(v, "", func(cv *C.nereid_variant) {
				withError(err, func(text *C.char) {
					C.door_progress(f, user, C.size_t(done), C.size_t(total), cv, text)
				})
			})
		}
		return m.m.Warmup(context.Background(), d, list.Variants, report)
	})
}

//export go_module_close
func go_module_close(h C.uintptr_t) { shut[module](h) }

// kernel is a nereid_kernel.
type kernel struct {
	k       *nereid.Kernel
	quick   *foreign.Kernel
	shown   shown
	checked bool
	name    *C.char
	params  []param
}

// param is a parameter for C.
type param struct {
	name  *C.char
	flags C.uint32_t
}

// newKernel returns a kernel with its names for C, which are freed with it.
func newKernel(k *nereid.Kernel, m *module) *kernel {
	out := &kernel{k: k, quick: foreign.NewKernel(k), checked: m.checked, name: cString(k.Name())}
	for _, p := range jit.Params(k).List {
		x := param{name: cString(p.Name)}
		for _, f := range []struct {
			is   bool
			flag C.uint32_t
		}{
			{p.Constexpr, C.NEREID_PARAM_CONSTEXPR}, {p.Default != nil, C.NEREID_PARAM_OPTIONAL},
			{p.NoSpecialize, C.NEREID_PARAM_NO_SPECIALIZE}, {p.NoAlign, C.NEREID_PARAM_NO_ALIGN},
		} {
			if f.is {
				x.flags |= f.flag
			}
		}
		out.params = append(out.params, x)
	}
	return out
}

//export go_kernel_name
func go_kernel_name(h C.uintptr_t) *C.char {
	k, err := object[kernel](h)
	if err != nil {
		return nil
	}
	return k.name
}

//export go_kernel_params
func go_kernel_params(h C.uintptr_t) C.size_t {
	k, err := object[kernel](h)
	if err != nil {
		return 0
	}
	return C.size_t(len(k.params))
}

//export go_kernel_param
func go_kernel_param(h C.uintptr_t, i C.size_t, flags *C.uint32_t) *C.char {
	k, err := object[kernel](h)
	if err != nil || i >= C.size_t(len(k.params)) {
		return nil
	}
	if flags != nil {
		*flags = k.params[i].flags
	}
	return k.params[i].name
}

//export go_kernel_build
func go_kernel_build(h, dev C.uintptr_t, signature *C.char, o *C.nereid_options, err **C.nereid_error) C.int {
	return run(err, func() error {
		k, err := object[kernel](h)
		if err != nil {
			return err
		}
		d, err := object[device](dev)
		if err != nil {
			return err
		}
		if signature == nil {
			return badCall("the signature is NULL")
		}
		opts := (*foreign.Options)(unsafe.Pointer(o)).Go()
		return ofKernel(k, k.k.Build(context.Background(), d.d, C.GoString(signature), opts))
	})
}

//export go_kernel_close
func go_kernel_close(h C.uintptr_t) {
	if k := shut[kernel](h); k != nil {
		free(k.name)
		for _, p := range k.params {
			free(p.name)
		}
	}
}
