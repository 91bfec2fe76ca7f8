package main

/*
#include "door.h"
*/
import "C"

import (
	"encoding/json"

	bundles "github.com/nereid-lang/nereid/bundle"
	nereid "github.com/nereid-lang/nereid/run"
)

// bundle is a nereid_bundle.
type bundle struct{ b *bundles.Bundle }

//export go_bundle_open
func go_bundle_open(path *C.char, out *C.uintptr_t, err **C.nereid_error) C.int {
	return makeObject(out, err, func() (*bundle, error) {
		if path == nil {
			return nil, badCall("the path is NULL")
		}
		b, err := bundles.Open(C.GoString(path))
		if err != nil {
			return nil, err
		}
		return &bundle{b}, nil
	})
}

// described is a variant as JSON.
type described struct {
	Name      string            `json:"name"`
	Group     string            `json:"group"`
	Kernel    string            `json:"kernel"`
	Signature string            `json:"signature"`
	Constants map[string]string `json:"constants"`
	Targets   []string          `json:"targets"`
}

//export go_bundle_variants
func go_bundle_variants(h C.uintptr_t) *C.char {
	return textOf(h, func(o *bundle) string {
		list := []described{}
		for _, v := range o.b.Variants() {
			list = append(list, described{v.Name(), v.Group(), v.Kernel(), v.Signature(), v.Constants(),
				v.Targets()})
		}
		text, err := json.Marshal(list)
		if err != nil {
			return ""
		}
		return string(text)
	})
}

//export go_bundle_code
func go_bundle_code(h C.uintptr_t, name *C.char, dev C.uintptr_t, out *C.uintptr_t,
	err **C.nereid_error) C.int {
	return makeObject(out, err, func() (*code, error) {
		o, err := object[bundle](h)
		if err != nil {
			return nil, err
		}
		d, err := object[device](dev)
		if err != nil {
			return nil, err
		}
		if name == nil {
			return nil, badCall("the name is NULL")
		}
		c, err := variant(o.b, C.GoString(name), d.d)
		if err != nil {
			return nil, err
		}
		return &code{c: c, borrowed: true}, nil
	})
}

// variant loads a variant of a bundle, which keeps it.
func variant(b *bundles.Bundle, name string, d *nereid.Device) (*nereid.Compiled, error) {
	v, err := b.Lookup(name)
	if err != nil {
		return nil, err
	}
	return v.Load(d)
}

//export go_bundle_close
func go_bundle_close(h C.uintptr_t) {
	if o := shut[bundle](h); o != nil {
		run(nil, o.b.Close)
	}
}
