package jit

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/runtime/compile"
	"github.com/nereid-lang/nereid/internal/target"
)

// ParseIR reads a kernel that another front end, Triton's own say, has translated to Triton IR: the text of a
// module with one public function, before any pass. The name appears in messages. Launches pass an argument
// for each parameter of the function; a tensor descriptor, with its shape and strides, is one parameter.
//
// The IR is one specialization, and states what it assumes of its arguments (tt.divisibility). Launches do
// not check that: pass numbers as Scalar of the parameter's type, and pointers that are aligned as the IR
// says.
func ParseIR(name string, text []byte, opts ...LoadOption) (*Module, error) {
	t := &compile.Text{File: name, Given: target.Given{Stage: "source", Text: text}}
	if err := t.Read(nil); err != nil {
		return nil, compileError(err)
	}
	start := LoadOption(func(o *loading) { o.given = &t.Given })
	m, err := Parse(name, standIn(t), append(opts[:len(opts):len(opts)], start)...)
	if err != nil {
		return nil, err
	}
	var specs []string
	for _, p := range t.Params {
		specs = append(specs, strings.TrimSuffix(p.Spec, ":16")) // the IR says it, launches do not
	}
	m.sig = strings.Join(specs, ", ")
	return m, nil
}

// standIn returns a file with a kernel that has the parameters of the text: the front end compiles it, and
// the text takes the place of the result.
func standIn(t *compile.Text) []byte {
	names, seen, all := make([]string, len(t.Params)), map[string]bool{}, make([]string, len(t.Params))
	for i, p := range t.Params {
		if names[i] = p.Name; !python.IsIdentifier(p.Name) || seen[p.Name] {
			names[i] = fmt.Sprintf("arg%d", i)
		}
		seen[names[i]], all[i] = true, fmt.Sprint(i)
	}
	kernel := t.Kernel
	if !python.IsIdentifier(kernel) {
		kernel = "kernel"
	}
	which := strings.Join(all, ", ")
	return fmt.Appendf(nil, "import triton\n@triton.jit(do_not_specialize=[%s], "+
		"do_not_specialize_on_alignment=[%s])\ndef %s(%s):\n    pass\n", which, which, kernel,
		strings.Join(names, ", "))
}
