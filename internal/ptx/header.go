package ptx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Header is what PTX tells about an entry function: all that a launch needs, except for the amount of dynamic
// shared memory.
type Header struct {
	Name    string
	Arch    string // "sm_90a"
	Params  []HeaderParam
	Threads int  // threads of a block, 0 if any number will do
	Cluster int  // blocks of a cluster, at least 1
	Dynamic bool // it uses dynamic shared memory
}

// HeaderParam is a parameter of an entry function.
type HeaderParam struct {
	Type    string // PTX's: "u64", "f32", "b8"
	Pointer bool
	Size    int // bytes
}

// ReadHeader reads the header of an entry function of PTX: the named one, or with "" the only one.
func ReadHeader(text []byte, kernel string) (*Header, error) {
	m, err := Parse(text)
	if err != nil {
		return nil, err
	}
	f, err := entry(m, kernel)
	if err != nil {
		return nil, err
	}
	h := &Header{Name: f.Name, Arch: m.Arch(), Cluster: max(1, f.Directive(".reqnctapercluster").Product())}
	h.Threads = f.Directive(".reqntid").Product()
	if h.Threads == 0 {
		h.Threads = f.Directive(".maxntid").Product()
	}
	for _, v := range m.Vars {
		words := strings.Fields(v.Decl)
		h.Dynamic = h.Dynamic || slices.Contains(words, ".extern") && slices.Contains(words, ".shared")
	}
	for i, decl := range f.Params {
		p, err := readParam(decl)
		if err != nil {
			return nil, fmt.Errorf("parameter %d of %s: %w", i, h.Name, err)
		}
		h.Params = append(h.Params, p)
	}
	return h, nil
}

// entry returns the entry function of a module with a name, or with "" the only one.
func entry(m *Module, name string) (found *Func, err error) {
	var names []string
	for _, f := range m.Funcs {
		if !f.Entry || f.Declared {
			continue
		}
		names = append(names, f.Name)
		if name == "" || name == f.Name {
			found = f
		}
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("the PTX has no entry function: expected .visible .entry NAME(...)")
	case found == nil:
		return nil, fmt.Errorf("the PTX has no entry function %s: it has %s", name,
			strings.Join(names, ", "))
	case name == "" && len(names) > 1:
		return nil, fmt.Errorf("the PTX has %d entry functions, one of which has to be named: %s",
			len(names), strings.Join(names, ", "))
	}
	return found, nil
}

// readParam reads a declaration: ".param .u64 .ptr .global .align 1 x", ".param .align 64 .b8 y[128]".
func readParam(decl string) (p HeaderParam, err error) {
	words := strings.Fields(decl)
	if len(words) > 2 && words[1] == ".align" {
		words = slices.Delete(words, 1, 3)
	}
	none := fmt.Errorf("%q is no parameter as PTX declares one", decl)
	if len(words) < 3 || words[0] != ".param" || len(words[1]) < 3 {
		return p, none
	}
	p.Type = words[1][1:]
	bits, err := strconv.Atoi(p.Type[1:])
	switch {
	case err != nil:
		return p, none
	case bits < 8:
		return p, fmt.Errorf("unknown type .%s", p.Type)
	}
	p.Pointer, p.Size = slices.Contains(words, ".ptr"), bits/8
	if _, count, ok := strings.Cut(words[len(words)-1], "["); ok {
		n, err := strconv.Atoi(strings.TrimSuffix(count, "]"))
		if err != nil {
			return p, err
		}
		p.Size *= n
	}
	return p, nil
}
