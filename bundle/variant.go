package bundle

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	format "github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/run"
)

// Variant is a kernel with fixed constants and options, compiled for one or more targets.
type Variant struct {
	of      *Bundle
	entries []format.Entry // one for each target

	last atomic.Pointer[loading] // code of the launch before
	on   []*loading              // code on each device; the bundle's lock guards it
}

// loading is the code of a variant on a device, being loaded or loaded.
type loading struct {
	dev  *run.Device
	once sync.Once
	code *run.Compiled // nil after an error
	err  error
}

// entry returns what the variant's entries have in common, or an empty entry if the variant is of no bundle.
func (v *Variant) entry() *format.Entry {
	if !v.usable() {
		return &format.Entry{}
	}
	return &v.entries[0]
}

// usable reports whether the variant is one of a bundle.
func (v *Variant) usable() bool { return v != nil && v.of != nil }

// Name returns the variant's name.
func (v *Variant) Name() string { return v.entry().Name }

// Group returns the name of the variant's group, or "".
func (v *Variant) Group() string { return v.entry().Group }

// Kernel returns the name of the kernel.
func (v *Variant) Kernel() string { return v.entry().Kernel }

// Signature returns the signature that the kernel was compiled for, in the form that Kernel.Compile takes.
func (v *Variant) Signature() string { return v.entry().Signature }

// Constant returns a value that is compiled in, as a Python literal: "1024", "True".
func (v *Variant) Constant(name string) (value string, ok bool) { return v.entry().Constant(name) }

// Int returns an integer that is compiled in. ok is false if there is no such constant, or it is no integer.
func (v *Variant) Int(name string) (value int, ok bool) {
	text, ok := v.Constant(name)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

// Constants returns all values that are compiled in, as Python literals by parameter.
func (v *Variant) Constants() map[string]string {
	m := map[string]string{}
	for _, c := range v.entry().Constants {
		m[c.Name] = c.Value
	}
	return m
}

// Code describes the code of a variant for one target.
type Code struct {
	Target    string      // "cuda:90", "hip:gfx942", "cpu:x86-64-v3"
	Forms     []string    // "cubin" and "ptx", "hsaco", or "obj"
	Options   run.Options // the options that it was compiled with
	Source    string      // hash of the kernel's source
	Compiler  string      // build of Nereid
	Generator string      // LLVM and the like, with their versions
	Hash      string      // names the code: equal hashes, equal code
	Size      int         // bytes in the bundle
}

// Code describes the variant's code for each target.
func (v *Variant) Code() []Code {
	if !v.usable() {
		return nil
	}
	list := make([]Code, len(v.entries))
	for i := range v.entries {
		e := &v.entries[i]
		c := &list[i]
		c.Target, c.Source, c.Compiler, c.Generator = e.Target, e.Source, e.Compiler, e.Generator
		c.Hash = v.of.file.EntryHash(e)
		_ = json.Unmarshal([]byte(e.Options), &c.Options) // options of a later version may be unknown here
		for _, p := range e.Parts {
			c.Size += p.Packed
			if format.IsCode(p.Name) {
				c.Forms = append(c.Forms, p.Name)
			}
		}
	}
	return list
}

// Targets returns the names of the targets that the variant was compiled for, sorted.
func (v *Variant) Targets() []string {
	if !v.usable() {
		return nil
	}
	names := make([]string, len(v.entries))
	for i := range names {
		names[i] = v.entries[i].Target
	}
	return names
}

// String returns the variant's name.
func (v *Variant) String() string { return v.Name() }

// Runs returns nil if a device runs the variant, or else a TargetError that says why not. Nothing is loaded.
func (v *Variant) Runs(dev *run.Device) error {
	_, err := v.choose(dev)
	return err
}

// CodeOn describes the code that a device runs, without loading it. The error is a TargetError if there is
// none.
func (v *Variant) CodeOn(dev *run.Device) (Code, error) {
	list, err := v.choose(dev)
	if err != nil {
		return Code{}, err
	}
	i := slices.IndexFunc(v.entries, func(e format.Entry) bool { return e.Target == list[0].entry.Target })
	return v.Code()[i], nil
}

// choice is code that a device runs.
type choice struct {
	entry *format.Entry
	part  string
	rank  int
}

// choose returns the code that a device runs, the best first. The error is a TargetError if there is none.
func (v *Variant) choose(dev *run.Device) ([]choice, error) {
	if !v.usable() {
		return nil, errNil
	}
	var list []choice
	refused := &TargetError{Variant: v.Name(), Device: dev.String(), Targets: v.Targets()}
	for i := range v.entries {
		e := &v.entries[i]
		var why error
		runs := false
		for _, p := range e.Parts {
			if !format.IsCode(p.Name) {
				continue
			}
			if err := core.Runs(dev, p.Name, e.Machine); err != nil {
				why = err
				continue
			}
			runs = true
			list = append(list, choice{e, p.Name, rank(p.Name, e.Machine)})
		}
		if !runs && why != nil {
			refused.Reasons = append(refused.Reasons, fmt.Sprintf("%s: %v", e.Target, why))
		}
	}
	if len(list) == 0 {
		return nil, refused
	}
	slices.SortStableFunc(list, func(a, b choice) int { return cmp.Compare(b.rank, a.rank) })
	return list, nil
}

// rank orders code that a device runs: machine code before PTX, a later architecture before an earlier one,
// more features of a CPU before fewer.
func rank(part, machine string) int {
	if part == format.PartObj {
		return strings.Count(machine, "+")
	}
	n, _ := strconv.Atoi(strings.Trim(machine, "sm_a"))
	if part == format.PartCubin {
		n += 1 << 20
	}
	return n
}

// Load loads the variant on a device, if it is not there yet, and returns it. The code is the bundle's: Close
// of the bundle frees it. A device that runs none of its code is a TargetError, a damaged entry a
// DamageError.
func (v *Variant) Load(dev *run.Device) (*run.Compiled, error) {
	l, err := v.load(dev)
	if err != nil {
		return nil, err
	}
	return l.code, nil
}

func (v *Variant) load(dev *run.Device) (*loading, error) {
	if !v.usable() {
		return nil, errNil
	}
	l, err := v.begin(dev)
	if err != nil {
		return nil, err
	}
	l.once.Do(func() { l.code, l.err = v.loadOn(dev) })
	if l.err != nil {
		v.forget(l)
		return nil, l.err
	}
	v.last.Store(l)
	return l, nil
}

// begin returns the loading for a device: a new one, or that of whoever came first.
func (v *Variant) begin(dev *run.Device) (*loading, error) {
	b := v.of
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, errClosed
	}
	for _, l := range v.on {
		if l.dev == dev {
			return l, nil
		}
	}
	l := &loading{dev: dev}
	v.on, b.loading = append(v.on, l), append(b.loading, l)
	return l, nil
}

// forget removes a loading that failed, so that the next one tries again.
func (v *Variant) forget(failed *loading) {
	b := v.of
	b.mu.Lock()
	defer b.mu.Unlock()
	is := func(l *loading) bool { return l == failed }
	v.on, b.loading = slices.DeleteFunc(v.on, is), slices.DeleteFunc(b.loading, is)
}

// loadOn loads the best code that the device takes. A driver may be too old for a cubin, and takes PTX.
func (v *Variant) loadOn(dev *run.Device) (*run.Compiled, error) {
	list, err := v.choose(dev)
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, c := range list {
		saved, err := v.of.file.Saved(c.entry, c.part)
		if err != nil {
			return nil, damage(err)
		}
		code, err := core.LoadSaved(dev, saved)
		if err == nil {
			return code, nil
		}
		failed = append(failed, fmt.Errorf("bundle: %s, its %s: %w", c.entry, c.part, err))
	}
	return nil, errors.Join(failed...)
}

// Launch runs the variant once for each program of the grid, on a stream, as run.Compiled.Launch does. The
// first launch on a device loads the code.
func (v *Variant) Launch(s *run.Stream, grid run.Grid, arguments ...any) error {
	if v == nil {
		return errNil
	}
	dev := s.Device()
	l := v.last.Load()
	if l == nil || l.dev != dev {
		var err error
		if l, err = v.load(dev); err != nil {
			return err
		}
	}
	return l.code.Launch(s, grid, arguments...)
}
