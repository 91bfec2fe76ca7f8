package outside

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nereid-lang/nereid/backend"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/middle"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/target"
)

// Compiler compiles by a back end. It needs none of its devices.
type Compiler struct{ t backend.Target }

// newCompiler returns the compiler of a back end, or an error that says why it cannot be used here.
func newCompiler(t backend.Target) (Compiler, error) {
	if _, err := t.Info(); err != nil {
		return Compiler{}, err
	}
	stages := t.Stages()
	if len(stages) == 0 {
		return Compiler{}, fmt.Errorf("the back end %s names no stages", t.Name())
	}
	for i, s := range stages {
		if s == "" || slices.Contains(reserved, s) || slices.Contains(stages[:i], s) {
			return Compiler{}, fmt.Errorf("the back end %s calls a stage %q, which is no name or has a "+
				"meaning already", t.Name(), s)
		}
	}
	if in := t.Input(); !slices.Contains(inputs, in) {
		return Compiler{}, fmt.Errorf("the back end %s asks for the stage %q: there are %q", t.Name(), in,
			inputs)
	}
	return Compiler{t}, nil
}

// inputs are the stages that a back end may ask for.
var inputs = []backend.Stage{backend.TTIR, backend.TTGIR, backend.Linalg}

// reserved are the names of stages and of parts of bundles that are Nereid's.
var reserved = []string{"source", "ttir", "ttgir", "linalg", "meta", "forms", "certificate",
	"cubin", "hsaco", "obj"}

// Name returns the name of the back end.
func (c Compiler) Name() string { return c.t.Name() }

// Target returns the properties that kernels can see.
func (c Compiler) Target() lang.Target { return lang.DefaultTarget }

// Traits returns what is fixed of code.
func (c Compiler) Traits() device.Traits { return device.Traits{Kind: c.t.Name()} }

// Stages returns Nereid's stages, then the back end's.
func (c Compiler) Stages() []string {
	own := []string{"source", "ttir"}
	if in := c.t.Input(); in != backend.TTIR {
		own = append(own, string(in))
	}
	return append(own, c.t.Stages()...)
}

// Extras returns the back end's own options.
func (c Compiler) Extras() (list []device.Extra) {
	if o, ok := c.t.(backend.Optioned); ok {
		for _, x := range o.Options() {
			list = append(list, device.Extra(x))
		}
	}
	return list
}

// Machine names the back end with its version: other versions may read code differently.
func (c Compiler) Machine() string { return c.t.Name() + " " + c.t.Version() }

// Fingerprint names what code depends on besides the kernel. Loading is the same on all devices.
func (c Compiler) Fingerprint() string { return c.Machine() }

// Generator names what made code.
func (c Compiler) Generator() string { return c.Machine() }

// Located reports whether code contains source positions. It does not, because the back end receives none.
func (c Compiler) Located() bool { return false }

// form returns the form in which the back end wants kernels.
func (c Compiler) form() (f backend.Form) {
	if x, ok := c.t.(backend.Former); ok {
		f = x.Form()
	}
	return f
}

// CompileOnly compiles a kernel to the back end's code. The result is nil if in.Until names an earlier stage.
func (c Compiler) CompileOnly(ctx context.Context, in *target.Input) (target.Executable, error) {
	if in.Options.Check || knob.Checked.Get() {
		return nil, diag.Refuse("Options.Check", "launches on %s cannot be checked", c.Name()).
			Instead("check the kernel on the CPU or on interp")
	}
	if done, err := c.input(in); done || err != nil {
		return nil, err
	}
	k, err := c.kernel(in)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	code, err := c.t.Compile(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name(), err)
	}
	if code == nil || code.Stages[c.last()] == nil {
		return nil, fmt.Errorf("%s: the back end returned no %s", c.Name(), c.last())
	}
	for _, s := range c.t.Stages() {
		in.Stages.Record(s, time.Since(start), func() []byte { return code.Stages[s] })
		start = time.Now()
		if s == in.Until && s != c.last() {
			return nil, nil
		}
	}
	return c.keep(k, code)
}

// keep returns code with its description.
func (c Compiler) keep(k *backend.Kernel, code *backend.Code) (target.Executable, error) {
	meta, err := json.Marshal(backend.Saved{Kernel: k, Meta: code.Meta})
	if err != nil {
		return nil, err
	}
	kept := target.Code{Stage: c.last(), Data: code.Stages[c.last()], Meta: meta}
	return device.NewUnloaded(c.Name(), kept, device.Facts{}), nil
}

// input takes the module to the stage that the back end asks for. done says that in.Until asks for no more.
func (c Compiler) input(in *target.Input) (done bool, err error) {
	want := c.t.Input()
	o := pass.TTIRFor(c.Target().Row())
	o.NoDescriptors = o.NoDescriptors || want == backend.TTGIR // its tensors have layouts of threads alone
	err = in.Make("ttir", func() error { return in.Run(pass.TTIR(o)) })
	if err != nil || in.Until == "ttir" {
		return true, err
	}
	switch want {
	case backend.Linalg:
		err = in.Make("linalg", func() error { return in.Run([]pass.Pass{middle.TritonToLinalg}) })
	case backend.TTGIR:
		machine := gpu.Machine{Target: c.Name(), NumWarps: in.Options.NumWarps,
			ThreadsPerWarp: c.form().ThreadsPerWarp, NumCTAs: in.Options.NumCTAs}
		err = in.Make("ttgir", func() error { return in.Run(gpu.PlainPipeline(machine)) })
	}
	return in.Until == string(want), err
}

// last returns the name of the stage that is executed.
func (c Compiler) last() string {
	s := c.t.Stages()
	return s[len(s)-1]
}

// kernel returns a kernel in the form that back ends receive.
func (c Compiler) kernel(in *target.Input) (*backend.Kernel, error) {
	var text bytes.Buffer
	if err := ir.Print(&text, in.Module.Op, ir.PrintOptions{Generic: !c.form().Pretty}); err != nil {
		return nil, err
	}
	o := in.Options
	extra, err := o.ExtraMap()
	if err != nil {
		return nil, err
	}
	k := &backend.Kernel{
		Name: in.Kernel, IR: text.Bytes(), Constants: in.Constants,
		Options: backend.Options{NumWarps: o.NumWarps, NumStages: o.NumStages, NumCTAs: o.NumCTAs,
			MaxNReg: o.MaxNReg, FPFusion: !o.NoFPFusion, Debug: o.Debug == device.DebugOn,
			CooperativeGrid: o.LaunchCooperativeGrid, Extra: extra},
	}
	for _, p := range in.Params {
		k.Params = append(k.Params, backend.Param(p))
	}
	for _, l := range in.Libs {
		k.Libs = append(k.Libs, backend.Lib(l))
	}
	return k, nil
}

// ErrNone is the error for the name of a back end that is not registered.
var ErrNone = errors.New("no such back end")

// CompilerFor returns the compiler of a registered back end. index, if it is not "", is that of one of its
// devices, all of which run the same code.
func CompilerFor(name, index string) (Compiler, error) {
	i := slices.IndexFunc(backend.Targets(), func(t backend.Target) bool { return t.Name() == name })
	if i < 0 {
		return Compiler{}, ErrNone
	}
	t := backend.Targets()[i]
	c, err := newCompiler(t)
	if err != nil || index == "" {
		return c, err
	}
	return c, checkIndex(t, index)
}

// checkIndex returns an error unless a back end has the device of an index.
func checkIndex(t backend.Target, index string) error {
	d, ok := t.(backend.Driver)
	if !ok {
		return fmt.Errorf("%s has no devices with numbers: write %s", t.Name(), t.Name())
	}
	list, err := d.Devices()
	if err != nil {
		return err
	}
	if n, err := strconv.Atoi(index); err == nil && n >= 0 && n < len(list) && strconv.Itoa(n) == index {
		return nil
	}
	names := make([]string, len(list))
	for i := range names {
		names[i] = fmt.Sprintf("%s:%d", t.Name(), i)
	}
	return fmt.Errorf("there is no such device; %s has %s", t.Name(), strings.Join(names, ", "))
}
