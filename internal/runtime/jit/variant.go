package jit

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/compile"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// Variant names a specialization of a kernel: a launch compiles one, and a manifest lists them.
type Variant struct {
	File      string       `json:"file"`      // as the module was loaded
	Kernel    string       `json:"kernel"`    // name of the kernel
	Signature string       `json:"signature"` // in the form that Kernel.Compile takes
	Options   core.Options `json:"options"`   // defaults filled in
	// Form names the launches for which the code is, where a recorded launch ran code that serves only some:
	// those of few programs, or with strides of 1, say. "" is the code that any launch can begin with.
	Form string `json:"form,omitempty"`

	// Triton is the release of the language, "3.9"; empty: 3.6
	Triton string `json:"triton,omitempty"`
}

// String returns the variant on one line, with Triton's names of the options.
func (v Variant) String() string { return v.core().String() }

// core returns the variant in the form of package compile.
func (v Variant) core() code.Variant {
	return code.Variant{File: v.File, Kernel: v.Kernel, Signature: v.Signature,
		Options: core.DeviceOptions(v.Options), Form: v.Form, Triton: v.Triton}
}

// variantOf returns a variant of package compile in its exported form.
func variantOf(v code.Variant) Variant {
	return Variant{v.File, v.Kernel, v.Signature, core.Options(v.Options), v.Form, v.Triton}
}

func variantsOf(list []code.Variant) []Variant {
	out := make([]Variant, len(list))
	for i, v := range list {
		out[i] = variantOf(v)
	}
	return out
}

// Warmup compiles variants of the module's kernels for a device (nil means the best), several at once, so
// that launches find them. Variants of other files, and of other releases of Triton, are skipped. A file
// matches if it is the module's or one path ends with the other, so that a manifest written with
// kernels/add.py serves a program that loads /srv/kernels/add.py. progress, if not nil, is called after each
// variant, by one goroutine at a time. Warmup returns the joined errors of all variants; it is also an error
// if no variant is of the module's file.
//
// On GPUs, launches choose among several forms of a variant's code: with merged programs, deeper pipelines,
// persistent programs. Config.Forms says which of them Warmup makes.
func (m *Module) Warmup(ctx context.Context, dev *core.Device, list []Variant,
	progress func(done, total int, v Variant, err error)) error {
	if err := m.usable(); err != nil {
		return err
	}
	ctx = core.OrBackground(ctx)
	if dev == nil {
		var err error
		if dev, err = core.OpenDevice(""); err != nil {
			return err
		}
	}
	if err := core.Usable(dev); err != nil {
		return err
	}
	mine := m.variants(list)
	if len(mine) == 0 && len(list) > 0 {
		return fmt.Errorf("nereid: none of %d variants is of %s: the first is of %s", len(list), m.src.Name,
			list[0].File)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	var errs []error
	done := 0
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	mine, forms := withoutForms(mine)
	for _, v := range mine {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			err := m.warm(ctx, dev, v, m.conf.Forms.wanted(forms[v]))
			mu.Lock()
			defer mu.Unlock()
			done++
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", v, err))
			}
			if progress != nil {
				progress(done, len(mine), v, err)
			}
		})
	}
	wg.Wait()
	if m.warmed != nil {
		m.warmed.Store(true)
	}
	return errors.Join(errs...)
}

// withoutForms returns the different variants of a list, and the forms that the list has of each.
func withoutForms(list []Variant) (out []Variant, forms map[Variant][]string) {
	forms = map[Variant][]string{}
	for _, v := range list {
		form := v.Form
		v.Form = ""
		if _, ok := forms[v]; !ok {
			out = append(out, v)
		}
		forms[v] = append(forms[v], form)
	}
	return out, forms
}

// Forms says which forms of a variant's code Module.Warmup makes. Code that serves all launches is always
// among them.
type Forms uint8

const (
	AllForms    Forms = iota // all that a launch may choose
	SeenForms                // those that the variants name: what recorded launches ran
	GeneralForm              // only the code that any launch can begin with
)

// wanted returns which ways of code are made, for a variant of which some forms were recorded.
func (f Forms) wanted(seen []string) func(device.Way) bool {
	return func(w device.Way) bool {
		return f == AllForms || f == SeenForms && slices.Contains(seen, code.Form(w))
	}
}

// variants returns the variants of the module's file.
func (m *Module) variants(list []Variant) (mine []Variant) {
	release := m.src.Version().Chosen()
	of := func(f func(file string) bool) (out []Variant) {
		for _, v := range list {
			if v.File == "" || v.Triton == release && f(path.Clean(filepath.ToSlash(v.File))) {
				out = append(out, v)
			}
		}
		return out
	}
	own := path.Clean(filepath.ToSlash(m.src.Name))
	mine = of(func(file string) bool { return file == own })
	if len(mine) == 0 {
		mine = of(func(file string) bool {
			return strings.HasSuffix(own, "/"+file) || strings.HasSuffix(file, "/"+own)
		})
	}
	return mine
}

// warm compiles a variant, even in strict mode, with some forms of its code.
func (m *Module) warm(ctx context.Context, dev *core.Device, v Variant, want func(device.Way) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	k, err := m.Kernel(v.Kernel)
	if err != nil {
		return err
	}
	specs, err := lang.ParseSignature(k.params.List, v.Signature)
	if err != nil {
		return err
	}
	l := k.newLaunch(dev)
	l.opts, l.specs, l.ahead, l.all, l.want = core.DeviceOptions(v.Options), specs, true, true, want
	_, err = k.build(ctx, l)
	return err
}

// Build compiles the kernel for a device and a signature, even in strict mode, so that launches with such
// arguments find the code. Unlike Module.Warmup it leaves code that only some launches need to them.
func (k *Kernel) Build(ctx context.Context, dev *core.Device, signature string, opts core.Options) error {
	if err := k.usable(); err != nil {
		return err
	}
	if err := core.Usable(dev); err != nil {
		return err
	}
	specs, err := lang.ParseSignature(k.params.List, signature)
	if err != nil {
		return k.argError(err)
	}
	l := k.newLaunch(dev)
	l.opts, l.specs, l.ahead = core.DeviceOptions(opts), specs, true
	_, err = k.build(core.OrBackground(ctx), l)
	return err
}

// ErrNotCompiled is wrapped by the error of a launch in strict mode that would have to compile or tune. The
// error names the variant.
var ErrNotCompiled = compile.ErrNotCompiled
