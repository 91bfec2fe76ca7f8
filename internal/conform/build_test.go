package conform

import (
	"fmt"
	"strings"
)

// kernel is a case described by what stands between its loads and stores: inputs are the names x, y, w and
// v, of the shapes of their arrays; the results are expressions.
type kernel struct {
	name    string
	in      []array  // x, y, w, v
	pre     string   // statements before the results
	results []string // expressions
	want    []array  // of each; what they hold may be filled in later by fill
	fill    func()   // computes what want holds
	tol     tolerance
	refused bool
	compile bool
	gpuless string
	beyond  string
	differs string
}

var inputNames = []string{"x", "y", "w", "v", "u"}

// add makes a function of the kernel at the end of the module and takes the case in.
func (m *module) add(s *suite, k kernel) {
	c := testCase{name: k.name, kernel: identifier(k.name), refused: k.refused, compile: k.compile,
		gpuless: k.gpuless, beyond: k.beyond, differs: k.differs}
	var params []string
	var b strings.Builder
	for i, a := range k.in {
		name := inputNames[i]
		params = append(params, name+"_ptr")
		c.args = append(c.args, in(a))
		fmt.Fprintf(&b, "    %s = %s\n", name, loadOf(name+"_ptr", a.shape))
	}
	for _, line := range strings.Split(strings.Trim(k.pre, "\n"), "\n") {
		if line != "" {
			fmt.Fprintf(&b, "    %s\n", line)
		}
	}
	for i, r := range k.results {
		z := fmt.Sprintf("z%d", i)
		want := k.want[i]
		params = append(params, z+"_ptr")
		fmt.Fprintf(&b, "    %s = %s\n", z, r)
		if !k.refused {
			fmt.Fprintf(&b, "    tl.static_assert(%s.dtype == tl.%s)\n", z, want.dt.name)
		}
		fmt.Fprintf(&b, "    %s\n", storeOf(z, want.shape))
		c.args = append(c.args, out(want.dt, want.len(), func() array {
			if k.fill != nil {
				k.fill()
			}
			return want
		}).within(k.tol))
	}
	c.module = m.write(fmt.Sprintf("\n@triton.jit\ndef %s(%s):\n%s", c.kernel, strings.Join(params, ", "),
		b.String()))
	s.add(c)
}

// identifier is a name for Python.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
}

// loadOf is an expression for a block of memory; no dimensions mean a scalar.
func loadOf(ptr string, shape []int) string {
	switch len(shape) {
	case 0:
		return fmt.Sprintf("tl.load(%s)", ptr)
	case 1:
		return fmt.Sprintf("tl.load(%s + tl.arange(0, %d))", ptr, shape[0])
	}
	return fmt.Sprintf("tl.load(%s + tl.arange(0, %d)).reshape(%s)", ptr, product(shape), dims(shape))
}

// storeOf is a statement that stores a block.
func storeOf(z string, shape []int) string {
	switch len(shape) {
	case 0:
		return fmt.Sprintf("tl.store(%s_ptr, %s)", z, z)
	case 1:
		return fmt.Sprintf("tl.store(%s_ptr + tl.arange(0, %d), %[1]s)", z, shape[0])
	}
	return fmt.Sprintf("tl.store(%s_ptr + tl.arange(0, %d), %[1]s.reshape(%[2]d))", z, product(shape))
}

// dims is a shape as arguments.
func dims(shape []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ", ")
}

// raw adds a kernel by its parameters and its body, which is indented here.
func (m *module) raw(s *suite, c testCase, params, body string) {
	c.kernel = identifier(c.name)
	var b strings.Builder
	for _, line := range strings.Split(strings.Trim(body, "\n"), "\n") {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	c.module = m.write(fmt.Sprintf("\n@triton.jit\ndef %s(%s):\n%s", c.kernel, params, b.String()))
	s.add(c)
}
