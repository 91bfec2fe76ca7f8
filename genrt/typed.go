package genrt

import (
	"math"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
)

// Typed is a kernel for generated code. C is the struct of its compile-time arguments and options.
type Typed[C comparable] struct {
	last warm.LastCut

	Load   func() (*nereid.Module, error) // returns the module; called when first needed
	Name   string                         // name of the kernel
	Consts func(C) []any                  // returns the struct's values by name, and options
	// kinds of the other parameters, a letter for each, for Again; "" if Again is not used
	Kinds string

	loading sync.Mutex
	loaded  atomic.Pointer[loadedKernel]
	sets    atomic.Pointer[typedSets[C]]
	spare   device.Spare[Call]
}

// typedSets lists the values of the struct that were launched, latest first. It never changes.
type typedSets[C comparable] struct {
	list    []typedSet[C]
	byValue map[C]*constSet // nil for few sets
	dynamic bool            // C holds interfaces, whose values may not be comparable
}

// typedSet is the set of one value of the struct.
type typedSet[C comparable] struct {
	c   C
	set *constSet
}

// constSet is a kernel with its compile-time arguments.
type constSet struct {
	plans  warm.Table
	params []args.Rule // specialization rules of the parameters that a Call passes, in its order
	k      *nereid.Kernel
	args   []any // compile-time arguments by name, and options
	err    error // why there is no kernel

	kinds string        // kinds of params
	raw   warm.Raw      // memory of the compile-time arguments
	last  *warm.LastCut // the kernel's short cut

	// byValue holds plans in which decorators chose by the values of the arguments; nil until there is one.
	byValue atomic.Pointer[map[string]*warm.Plan]

	of string // name of the struct that holds the compile-time arguments
}

// FloatWord returns a float32 argument as a word for Again.
func FloatWord(v float64) int64 { return int64(math.Float32bits(float32(v))) }

// DoubleWord returns a float64 argument as a word for Again.
func DoubleWord(v float64) int64 { return int64(math.Float64bits(v)) }

// BoolWord returns a bool as a word for Again.
func BoolWord(v bool) int64 {
	if v {
		return 1
	}
	return 0
}

// Again launches the kernel if the arguments have the specialization of the previous launch. Otherwise done
// is false and nothing has happened. Tensors and numbers are given separately, each in the order of the
// parameters.
func (t *Typed[C]) Again(s *nereid.Stream, grid *nereid.Grid, c *C, tensors []*nereid.Tensor,
	scalars []int64) (done bool, err error) {
	return t.last.Launch(streamOf(s), (*[3]int)(grid), unsafe.Pointer(c),
		*(*[]*args.Tensor)(unsafe.Pointer(&tensors)), scalars)
}

// streamOf and tensorOf return the part that launches read; the structs of package core begin with it.

func streamOf(s *nereid.Stream) *args.Stream { return (*args.Stream)(unsafe.Pointer(s)) }
func tensorOf(t *nereid.Tensor) *args.Tensor { return (*args.Tensor)(unsafe.Pointer(t)) }

// loadedKernel is the kernel of a module, or why there is none.
type loadedKernel struct {
	kernel *nereid.Kernel
	err    error
}

// Kernel returns the kernel.
func (t *Typed[C]) Kernel() (*nereid.Kernel, error) {
	if l := t.loaded.Load(); l != nil {
		return l.kernel, l.err
	}
	t.loading.Lock()
	defer t.loading.Unlock()
	if l := t.loaded.Load(); l != nil {
		return l.kernel, l.err
	}
	l := &loadedKernel{}
	m, err := t.Load()
	if l.err = err; err == nil {
		l.kernel, l.err = m.Kernel(t.Name)
		users.add(m, t.forget)
	}
	t.loaded.Store(l)
	return l.kernel, l.err
}

// forget makes the next launch begin with the kernel of the module that is loaded then.
func (t *Typed[C]) forget() {
	t.loaded.Store(nil)
	t.sets.Store(nil)
	t.last.Store(nil)
}

// Call begins a launch. The caller adds the arguments that are not compile-time, in the order of the
// parameters, and calls Launch.
func (t *Typed[C]) Call(c C) *Call {
	call := t.spare.Get()
	call.begin(t.set(&c), &t.spare)
	return call
}

func (t *Typed[C]) set(c *C) *constSet {
	if sets := t.sets.Load(); sets != nil {
		if sets.byValue != nil && (!sets.dynamic || canCompare(*c)) {
			if s := sets.byValue[*c]; s != nil {
				return s
			}
			return t.newSet(*c)
		}
		// No panic: a value in the list holds nothing that cannot be compared.
		for i := range sets.list {
			if s := &sets.list[i]; s.c == *c {
				return s.set
			}
		}
	}
	return t.newSet(*c)
}

func (t *Typed[C]) newSet(c C) *constSet {
	k, err := t.Kernel()
	set := &constSet{k: k, err: err, args: t.Consts(c), raw: warm.NewRaw(c), kinds: t.Kinds, last: &t.last}
	set.of = reflect.TypeFor[C]().Name()
	if err != nil {
		return set
	}
	set.params = jit.Params(k).Runtime
	dynamic := hasInterface(reflect.TypeFor[C]())
	if dynamic && !canCompare(c) {
		return set // for this launch alone
	}
	for {
		old := t.sets.Load()
		sets := &typedSets[C]{list: []typedSet[C]{{c, set}}, dynamic: dynamic}
		if old != nil {
			sets.list = append(sets.list, old.list[:min(len(old.list), warm.MaxPlans-1)]...)
		}
		if len(sets.list) > warm.FewPlans {
			sets.byValue = make(map[C]*constSet, len(sets.list))
			for _, s := range sets.list {
				sets.byValue[s.c] = s.set
			}
		}
		if t.sets.CompareAndSwap(old, sets) {
			return set
		}
	}
}

// canCompare reports whether the struct can be compared: a field of type any may hold a slice, a tuple of
// Python. It takes a copy, and is not inlined, so that the caller's struct stays on the stack.
//
//go:noinline
func canCompare[C comparable](c C) bool { return reflect.ValueOf(c).Comparable() }

// hasInterface reports whether values of a type hold an interface.
func hasInterface(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Array:
		return hasInterface(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasInterface(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
