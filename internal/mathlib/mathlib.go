package mathlib

import (
	"fmt"
	"sort"
	"strings"
)

// Prec is a precision.
type Prec uint8

// The two precisions that functions are computed in.
const (
	F32 Prec = iota
	F64
)

// Target is what the code runs on.
type Target struct {
	// NVPTX uses the hardware's approximations in single precision where they are good enough.
	NVPTX bool
	// Global puts tables into global memory, an address space of its own on GPUs.
	Global bool
	// AVX512 (VL and DQ) has instructions that scale by powers of two and that leave fractions.
	AVX512 bool
	// Unit makes functions opaque, if not nil: it returns the text of a call that stands for the function of
	// that name of floats in single precision.
	Unit func(name string, args []string) string
}

// Func is an LLVM function.
type Func struct {
	Name   string // without @
	Result string // its type
	Params []string
}

// Call is the text of a call, without the name of its result.
func (f *Func) Call(args ...string) string {
	typed := make([]string, len(args))
	for i, a := range args {
		typed[i] = f.Params[i] + " " + a
	}
	return fmt.Sprintf("call %s @%s(%s)", f.Result, f.Name, strings.Join(typed, ", "))
}

// Library gathers the functions that one LLVM module uses. It belongs to one goroutine.
type Library struct {
	target   Target
	attrs    string // of each definition
	funcs    map[string]*Func
	bodies   []string
	declares map[string]string // by name
	globals  map[string]string
}

// New is an empty library. attrs are attributes of its functions, "alwaysinline" for example.
func New(t Target, attrs string) *Library {
	return &Library{target: t, attrs: attrs, funcs: map[string]*Func{}, declares: map[string]string{},
		globals: map[string]string{}}
}

// Has reports whether there is a function of that name.
func Has(name string) bool { return builders[name] != nil || singles[name] != nil }

// Names are all functions, sorted.
func Names() []string {
	list := make([]string, 0, len(builders))
	for n := range builders {
		list = append(list, n)
	}
	sort.Strings(list)
	return list
}

// Devices are the functions of device libraries, by NVIDIA's symbol, sorted.
func Devices() []string {
	list := make([]string, 0, len(devices))
	for n := range devices {
		list = append(list, "__nv_"+n)
	}
	sort.Strings(list)
	return list
}

// Arity is the number of arguments of a function.
func Arity(name string) int {
	if n, ok := arities[name]; ok {
		return n
	}
	return 1
}

// arities are those of functions that do not take one argument.
var arities = map[string]int{
	"pow": 2, "atan2": 2, "hypot": 2, "rhypot": 2, "fmod": 2, "remainder": 2, "fdim": 2, "nextafter": 2,
	"jn": 2, "yn": 2, "norm3d": 3, "rnorm3d": 3, "norm4d": 4, "rnorm4d": 4,
}

// Func is a function on values of a precision, on vectors if lanes is more than 1. It is defined the first
// time that it is asked for.
func (l *Library) Func(name string, p Prec, lanes int) (*Func, error) {
	if !Has(name) {
		return nil, fmt.Errorf("mathlib: no function %q", name)
	}
	if lanes < 1 {
		return nil, fmt.Errorf("mathlib: %d lanes", lanes)
	}
	return l.fn(name, p, lanes), nil
}

// Vector is the LLVM type of so many lanes of an element.
func Vector(elem string, lanes int) string {
	if lanes == 1 {
		return elem
	}
	return fmt.Sprintf("<%d x %s>", lanes, elem)
}

// Suffix names a type as LLVM's intrinsics do: v16f32.
func Suffix(elem string, lanes int) string {
	if lanes == 1 {
		return elem
	}
	return fmt.Sprintf("v%d%s", lanes, elem)
}

func (l *Library) fn(name string, p Prec, lanes int) *Func {
	m := l.builder(p, lanes)
	full := "nereid." + name + "." + m.suffix
	if f := l.funcs[full]; f != nil {
		return f
	}
	f := &Func{Name: full, Result: m.f}
	var args, params []string
	for i := range Arity(name) {
		args = append(args, fmt.Sprintf("%%a%d", i))
		params = append(params, m.f+" "+args[i])
		f.Params = append(f.Params, m.f)
	}
	l.funcs[full] = f
	m.define(f, strings.Join(params, ", "), m.build(name, args))
	return f
}

// define adds the function whose instructions m has gathered.
func (m *Builder) define(f *Func, params, result string) {
	m.lib.bodies = append(m.lib.bodies, fmt.Sprintf(
		"define internal %s @%s(%s) %s {\nentry:\n%s\n  ret %s %s\n}\n",
		f.Result, f.Name, params, m.lib.attrs, strings.Join(m.lines, "\n"), f.Result, result))
}

// Text are the definitions so far.
func (l *Library) Text() string { return strings.Join(l.bodies, "\n") }

// Declares are the declarations of the intrinsics that the definitions call, by name.
func (l *Library) Declares() map[string]string { return l.declares }

// Globals are the definitions of the tables that the functions read.
func (l *Library) Globals() []string {
	list := make([]string, 0, len(l.globals))
	for _, g := range l.globals {
		list = append(list, g)
	}
	sort.Strings(list)
	return list
}

// builder makes the value of a function from its arguments.
type builder func(m *Builder, a []string) string

// builders are the functions that are written for both precisions; singles those for single precision
// alone, where they come first; hosts those for CPUs and gpus those for single precision on GPUs, which
// come before both; doubles are those that single precision computes in double.
var (
	hosts    map[string]builder
	gpus     map[string]builder
	builders = map[string]builder{}
	singles  = map[string]builder{}
	doubles  = map[string]bool{}
)

func init() { // functions call each other through these tables
	hosts, gpus = hostFuncs, gpuFuncs
	for _, name := range []string{"erfc", "erfcx", "normcdf", "erfinv", "erfcinv", "normcdfinv", "lgamma",
		"tgamma"} {
		doubles[name] = true
	}
	for name := range besselFuncs {
		doubles[name] = true
	}
	for _, t := range []map[string]builder{expFuncs, logFuncs, trigFuncs, hyperbolicFuncs, rootFuncs,
		powFuncs, erfFuncs, gammaFuncs, besselFuncs, roundFuncs} {
		for name, f := range t {
			if base, ok := strings.CutSuffix(name, "/f32"); ok {
				singles[base] = f
			} else {
				builders[name] = f
			}
		}
	}
	addDevices()
}

// unit returns the value of an opaque function, computed in single precision.
func (m *Builder) unit(name string, a []string) string {
	single := make([]string, len(a))
	for i, x := range a {
		if single[i] = x; m.prec == F64 {
			single[i] = m.val("fptrunc double %s to float", x)
		}
	}
	r := m.val("%s", m.lib.target.Unit(name, single))
	if m.prec == F64 {
		r = m.val("fpext float %s to double", r)
	}
	return r
}

func (m *Builder) build(name string, a []string) string {
	if m.lib.target.Unit != nil && name != "nextafter" { // which only counts
		return m.unit(name, a)
	}
	if !m.lib.target.NVPTX {
		if f := hosts[name]; f != nil {
			return f(m, a)
		}
		if f := hosts[name+"/f32"]; f != nil && m.prec == F32 {
			return f(m, a)
		}
	}
	if f := gpus[name]; f != nil && m.lib.target.NVPTX && m.prec == F32 {
		return f(m, a)
	}
	if f := singles[name]; f != nil && m.prec == F32 {
		return f(m, a)
	}
	if m.prec == F32 && doubles[name] {
		wide := make([]string, len(a))
		for i, x := range a {
			wide[i] = m.val("fpext %s %s to %s", m.f, x, Vector("double", m.lanes))
		}
		r := m.val("%s", m.lib.fn(name, F64, m.lanes).Call(wide...))
		return m.val("fptrunc %s %s to %s", Vector("double", m.lanes), r, m.f)
	}
	return builders[name](m, a)
}
