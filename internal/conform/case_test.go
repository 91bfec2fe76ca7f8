package conform

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid"
)

// testCase is one launch of one kernel.
type testCase struct {
	name    string
	module  *module
	kernel  string
	args    []arg
	grid    [3]int
	refused bool   // Triton refuses it, and so do we
	compile bool   // it is compiled for a GPU but run nowhere else
	gpuless string // why no GPU runs it; "" if GPUs do
	beyond  string // why we take what Triton refuses; "" if Triton takes it
	differs string // why our IR is not Triton's; "" if it is
}

// module is a text with kernels, which cases share. Its name is unique.
type module struct {
	name, text string
	helpers    string // what kernels that are added can use
	parts      int
	last       *module // where kernels are added; see write
}

// write adds the text of a kernel and returns the module that has it: a part of m, since a file of a
// thousand kernels takes the compiler long to look through, each time.
func (m *module) write(text string) *module {
	if m.last == nil || len(m.last.text) > len(header)+len(m.helpers)+16<<10 {
		m.parts++
		m.last = &module{name: fmt.Sprintf("%s_%d", m.name, m.parts), text: header + m.helpers,
			helpers: m.helpers}
	}
	m.last.text += text
	return m.last
}

// define adds helper functions and the like, for the kernels that are added from now on.
func (m *module) define(text string) {
	m.helpers += "\n" + strings.Trim(text, "\n") + "\n"
	m.last = nil
}

// header begins every module.
const header = "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n"

// arg is an argument of a launch, and for a tensor what is in it before and after.
type arg struct {
	sig   string // its entry in the signature
	value any    // what Launch gets; nil for a tensor
	data  array  // of a tensor
	// of a tensor that the kernel writes; it may be shorter than data, whose rest must stay
	want func() array
	// wantOn is want where the target decides what the kernel writes.
	wantOn func(target string) array
	tol    tolerance
	desc   []int // of a tensor descriptor over data: the shape of its blocks
	nan    bool  // it pads with NaN
	omit   bool  // it is not passed: the parameter has it as its default
}

// tolerance is how far an element may be from what is expected: in units of its last place, on the
// interpreter and on others, and absolutely on others. The zero value means bit for bit, but for the
// payload of NaNs.
type tolerance struct {
	ulps, others, abs float64
	anyZero           bool // either zero will do
}

var exact = tolerance{}

// in is a tensor that the kernel reads.
func in(a array) arg { return arg{sig: "*" + a.dt.sig + ":16", data: a} }

// out is a tensor that the kernel writes: n elements that hold nonsense before.
func out(dt *dtype, n int, want func() array) arg {
	a := newArray(dt, n)
	for i := range a.bits {
		a.bits[i] = 0xa5a5a5a5a5a5a5a5 & dt.storage()
		if dt == i1 {
			a.bits[i] = uint64(i & 1)
		}
	}
	return arg{sig: "*" + dt.sig + ":16", data: a, want: want}
}

// result is an output with what must be in it.
func result(want array) arg { return out(want.dt, want.len(), func() array { return want }) }

// inout is a tensor that the kernel changes.
func inout(before array, want func() array) arg {
	return arg{sig: "*" + before.dt.sig + ":16", data: before, want: want}
}

// within gives an output a tolerance.
func (a arg) within(t tolerance) arg {
	a.tol = t
	return a
}

// ulps is a tolerance in units in the last place.
func ulps(interp, others float64) tolerance { return tolerance{ulps: interp, others: others} }

// constant is a compile-time argument.
func constant(v any) arg { return arg{sig: literal(v), value: v} }

// dtypeArg is a dtype as a compile-time argument.
func dtypeArg(d *dtype) arg { return arg{sig: d.sig, value: d.nd} }

// scalar is a runtime number of the type that its value gives it.
func scalar(v any) arg {
	switch v := v.(type) {
	case float64:
		return arg{sig: "fp32", value: v}
	case bool:
		return arg{sig: "u1", value: v}
	case int:
		switch {
		case v == 1:
			return arg{sig: "i32:1", value: v}
		case v != int(int32(v)) && v%16 == 0:
			return arg{sig: "i64:16", value: v}
		case v != int(int32(v)):
			return arg{sig: "i64", value: v}
		case v%16 == 0:
			return arg{sig: "i32:16", value: v}
		}
		return arg{sig: "i32", value: v}
	case uint64:
		if v%16 == 0 {
			return arg{sig: "u64:16", value: v}
		}
		return arg{sig: "u64", value: v}
	}
	panic(fmt.Sprintf("conform: no scalar of type %T", v))
}

// typed is a scalar whose parameter has an annotation.
func typed(dt *dtype, v any) arg { return arg{sig: dt.sig, value: v} }

// descriptor is a tensor descriptor over a tensor.
func descriptor(a arg, block ...int) arg {
	dims := strings.ReplaceAll(strings.Trim(fmt.Sprint(block), "[]"), " ", ", ")
	a.sig, a.desc = "tensordesc<"+a.data.dt.sig+"["+dims+"]>", block
	return a
}

// literal is a value as Python writes it.
func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case string:
		return strconv.Quote(v)
	case float64:
		if math.IsInf(v, 0) {
			return fmt.Sprintf("float(%q)", fmt.Sprint(v))
		}
		s := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		return s
	case []int:
		parts := make([]string, len(v))
		for i, n := range v {
			parts[i] = strconv.Itoa(n)
		}
		if len(parts) == 1 {
			return "(" + parts[0] + ",)"
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return fmt.Sprint(v)
}

// signature is the arguments as Triton's ahead-of-time tool writes them.
func (c *testCase) signature() string {
	parts := make([]string, len(c.args))
	for i, a := range c.args {
		parts[i] = a.sig
	}
	return strings.Join(parts, ", ")
}

// suite is all cases.
type suite struct {
	cases []*testCase
	names map[string]bool
}

// add takes a case in.
func (s *suite) add(c testCase) {
	if s.names[c.name] {
		panic("conform: two cases are called " + c.name)
	}
	s.names[c.name] = true
	if c.grid == [3]int{} {
		c.grid = [3]int{1, 1, 1}
	}
	s.cases = append(s.cases, &c)
}

// families make the cases.
var families []func(*suite)

var all = sync.OnceValue(func() []*testCase {
	s := &suite{names: map[string]bool{}}
	for _, f := range families {
		f(s)
	}
	return s.cases
})

var parsed sync.Map // *module → func() (*nereid.Module, error)

// load is a module as the compiler reads it, once.
func (m *module) load() (*nereid.Module, error) {
	f, _ := parsed.LoadOrStore(m, sync.OnceValues(func() (*nereid.Module, error) {
		return nereid.Parse(m.name+".py", []byte(m.text))
	}))
	return f.(func() (*nereid.Module, error))()
}

func family(f func(*suite)) bool {
	families = append(families, f)
	return true
}
