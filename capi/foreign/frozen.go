//go:build !nereid_run

package foreign

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
	"github.com/nereid-lang/nereid/internal/target"
)

// Frozen is one specialization of a kernel on one device. It never changes, and many threads may launch it.
type Frozen struct {
	plan   *warm.Plan
	k      *nereid.Kernel
	reads  []read
	params []target.Param
	words  device.Spare[[]uint64] // for devices without a device.Launcher
}

// read is how the value of a parameter becomes a word.
type read struct {
	size   uint8
	signed bool
	align  uint64 // bits that must be 0
}

// Freeze returns the specialization of a kernel for arguments like these on a stream's device.
func Freeze(r *Reader, k *nereid.Kernel, s *nereid.Stream, list []Arg, o *Options) (*Frozen, error) {
	values, err := r.List(list, o)
	if err != nil {
		return nil, err
	}
	apart := true
	for i := range list {
		if a := &list[i]; (a.Kind == Ptr || a.Kind == Host) && a.Flags&FlagApart == 0 {
			apart = false
		}
	}
	return newFrozen(k, s, values, "", apart)
}

// FreezeSignature returns the specialization of a kernel that a signature describes.
func FreezeSignature(k *nereid.Kernel, s *nereid.Stream, signature string, o *Options) (*Frozen, error) {
	var list []any
	if o != nil {
		if err := o.check(); err != nil {
			return nil, err
		}
		list = append(list, o.Go())
	}
	return newFrozen(k, s, list, signature, false)
}

func newFrozen(k *nereid.Kernel, s *nereid.Stream, list []any, signature string, apart bool) (*Frozen,
	error) {
	p, err := jit.Freeze(k, s, list, signature, apart)
	if err != nil {
		return nil, err
	}
	f := &Frozen{plan: p, k: k}
	build := p.Owner.(*code.Build)
	for i := range p.Words {
		x := build.Param(i)
		r := read{size: 8}
		if t, ok := dtype.Parse(x.Type); ok && !x.Pointer {
			r.size, r.signed = uint8(t.Size()), t.Row().Kind == dtype.Signed
		}
		if x.Align16 {
			r.align = 15
		}
		f.reads, f.params = append(f.reads, r), append(f.params, x)
	}
	return f, nil
}

// Params returns the parameters of a launch: name and type, as in a signature.
func (f *Frozen) Params() (names, types []string) {
	for _, p := range f.params {
		t := p.Type
		if p.Pointer {
			t = "*" + t
		}
		names, types = append(names, p.Name), append(types, t)
	}
	return names, types
}

// word returns the value at an address.
func (r *read) word(p unsafe.Pointer) uint64 {
	switch {
	case r.size == 8:
		return *(*uint64)(p)
	case r.size == 4 && r.signed:
		return uint64(*(*int32)(p))
	case r.size == 4:
		return uint64(*(*uint32)(p))
	case r.size == 2 && r.signed:
		return uint64(*(*int16)(p))
	case r.size == 2:
		return uint64(*(*uint16)(p))
	case r.signed:
		return uint64(*(*int8)(p))
	}
	return uint64(*(*uint8)(p))
}

// Launch launches with the values that params points at.
func (f *Frozen) Launch(s *nereid.Stream, grid *[3]int, params []unsafe.Pointer) error {
	if len(params) != len(f.reads) {
		return f.misfit("", fmt.Sprintf("takes %d parameters, %d were given", len(f.reads), len(params)))
	}
	x, y, z, bad := warm.GPUGrid(grid)
	st := streamOf(s)
	if f.plan.Launcher == nil || bad != 0 || len(params) > maxWords || st.Closed.Load() {
		return f.launch(s, grid, params)
	}
	var words [maxWords]uint64
	if i := f.fill(words[:], params); i >= 0 {
		return f.misfit(f.params[i].Name, f.wrong(params[i]))
	}
	if st.Dev != f.plan.Dev {
		return f.misfit("", "is frozen for another device than the stream's")
	}
	call := st.Calls.Begin()
	err := f.plan.Launcher.LaunchWords(st.S, x, y, z, warm.OnStack(&words)[:len(params)], nil)
	call.End()
	runtime.KeepAlive(&words)
	runtime.KeepAlive(f)
	return err
}

// fill reads the words and returns the first parameter that does not fit, or -1.
func (f *Frozen) fill(words []uint64, params []unsafe.Pointer) int {
	for i := range f.reads {
		r := &f.reads[i]
		if params[i] == nil {
			return i
		}
		w := r.word(params[i])
		if w&r.align != 0 {
			return i
		}
		words[i] = w
	}
	return -1
}

// launch launches on any device.
func (f *Frozen) launch(s *nereid.Stream, grid *[3]int, params []unsafe.Pointer) error {
	words := f.words.Get()
	defer f.words.Put(words)
	if len(*words) < len(params) {
		*words = make([]uint64, len(params))
	}
	if i := f.fill(*words, params); i >= 0 {
		return f.misfit(f.params[i].Name, f.wrong(params[i]))
	}
	if streamOf(s).Dev != f.plan.Dev {
		return f.misfit("", "is frozen for another device than the stream's")
	}
	return jit.LaunchPlan(f.plan, f.k, s, *grid, (*words)[:len(params)], nil)
}

// wrong says what is wrong with a value.
func (f *Frozen) wrong(p unsafe.Pointer) string {
	if p == nil {
		return "its address is NULL"
	}
	return "it is not divisible by 16, which the code was compiled for"
}

// misfit returns the error of a parameter, or of all where it has no name.
func (f *Frozen) misfit(param, why string) error {
	e := &args.Error{Param: param, Err: errors.New(why)}
	return &nereid.ArgumentError{Kernel: f.k.Name(), Param: param, Err: e}
}
