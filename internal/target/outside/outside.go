// Package outside makes a device of a back end from outside (package backend): it compiles kernels to the
// stage that the back end wants, passes them on as text, and runs the result on host memory.
package outside

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nereid-lang/nereid/backend"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/middle"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/target"
)

// Device is a back end from outside as a device.
type Device struct {
	t    backend.Target
	info string
}

// New returns the device of a back end, or an error that says why it cannot be used here.
func New(t backend.Target) (*Device, error) {
	info, err := t.Info()
	if err != nil {
		return nil, err
	}
	if s := t.Stages(); len(s) == 0 {
		return nil, fmt.Errorf("the back end %s names no stages", t.Name())
	}
	if in := t.Input(); in != backend.TTIR && in != backend.Linalg {
		return nil, fmt.Errorf("the back end %s asks for the stage %q: there are %s and %s", t.Name(), in,
			backend.TTIR, backend.Linalg)
	}
	return &Device{t, info}, nil
}

func (d *Device) Name() string        { return d.t.Name() }
func (d *Device) Info() string        { return d.info }
func (d *Device) Target() lang.Target { return lang.DefaultTarget }

// Traits returns what is fixed of the device: kernels read host memory in place.
func (d *Device) Traits() device.Traits { return device.Traits{SharesHost: true} }

// Stages returns Nereid's stages, then the back end's.
func (d *Device) Stages() []string {
	own := []string{"source", "ttir"}
	if d.t.Input() == backend.Linalg {
		own = append(own, "linalg")
	}
	return append(own, d.t.Stages()...)
}

// Compile passes a kernel to the back end and loads the result.
func (d *Device) Compile(ctx context.Context, in *target.Input) (target.Executable, error) {
	k, code, err := d.compile(ctx, in)
	if err != nil || code == nil {
		return nil, err
	}
	return d.load(ctx, k, code)
}

// compile compiles a kernel to the back end's code. If in.Until names an earlier stage, it stops there and
// the code is nil.
func (d *Device) compile(ctx context.Context, in *target.Input) (*backend.Kernel, *backend.Code, error) {
	if err := in.TTIR(d.Target()); err != nil || in.Until == "ttir" {
		return nil, nil, err
	}
	if d.t.Input() == backend.Linalg {
		start := time.Now()
		if err := in.Run([]pass.Pass{middle.TritonToLinalg}); err != nil {
			return nil, nil, err
		}
		in.Stages.Record("linalg", time.Since(start), func() []byte { return target.Text(in.Module) })
		if in.Until == "linalg" {
			return nil, nil, nil
		}
	}
	k, err := d.kernel(in)
	if err != nil {
		return nil, nil, err
	}
	start := time.Now()
	code, err := d.t.Compile(ctx, k)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", d.t.Name(), err)
	}
	if code == nil || code.Stages[d.last()] == nil {
		return nil, nil, fmt.Errorf("%s: the back end returned no %s", d.t.Name(), d.last())
	}
	for _, s := range d.t.Stages() {
		in.Stages.Record(s, time.Since(start), func() []byte { return code.Stages[s] })
		start = time.Now()
		if s == in.Until {
			return nil, nil, nil
		}
	}
	return k, code, nil
}

// last returns the name of the stage that is executed.
func (d *Device) last() string {
	s := d.t.Stages()
	return s[len(s)-1]
}

// kernel returns a kernel in the form that back ends receive.
func (d *Device) kernel(in *target.Input) (*backend.Kernel, error) {
	var text bytes.Buffer
	if err := ir.Print(&text, in.Module.Op, ir.PrintOptions{Generic: true}); err != nil {
		return nil, err
	}
	o := in.Options
	extra, err := o.ExtraMap()
	if err != nil {
		return nil, err
	}
	k := &backend.Kernel{
		Name: in.Kernel, IR: text.Bytes(), Constants: in.Constants,
		Options: backend.Options{NumWarps: o.NumWarps, NumStages: o.NumStages,
			Debug: o.Debug == device.DebugOn, Extra: extra},
	}
	for _, p := range in.Params {
		k.Params = append(k.Params, backend.Param(p))
	}
	return k, nil
}

func (d *Device) load(ctx context.Context, k *backend.Kernel, code *backend.Code) (target.Executable, error) {
	e, err := d.t.Load(ctx, k, code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.t.Name(), err)
	}
	return &kernel{d, k, code, e}, nil
}

// kernel is a compiled kernel.
type kernel struct {
	d    *Device
	k    *backend.Kernel
	code *backend.Code
	e    backend.Executable
}

func (k *kernel) Launch(ctx context.Context, _ target.Stream, grid [3]int, words []uint64) error {
	if len(words) != len(k.k.Params) {
		return fmt.Errorf("%s takes %d arguments, not %d", k.k.Name, len(k.k.Params), len(words))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return k.e.Launch(ctx, grid, words)
}

func (k *kernel) Close() error { return k.e.Close() }

// Discard frees the code: no launch of it is under way once nobody holds it.
func (k *kernel) Discard() { k.Close() }

// kept holds the properties of a kernel that are not in its code.
type kept struct {
	Params    []backend.Param
	Constants map[string]string
	Options   backend.Options
	Meta      []byte
}

// Code returns the kernel in the form that the cache keeps.
func (k *kernel) Code() (target.Code, error) {
	meta, err := json.Marshal(kept{k.k.Params, k.k.Constants, k.k.Options, k.code.Meta})
	return target.Code{Stage: k.d.last(), Data: k.code.Stages[k.d.last()], Meta: meta}, err
}

// Machine names the back end with its version: other versions may read code differently.
func (d *Device) Machine() string { return d.Fingerprint() }

// Fingerprint names what code depends on besides the kernel.
func (d *Device) Fingerprint() string { return d.t.Name() + " " + d.t.Version() }

// Located reports whether code contains source positions. It does not, because the back end receives none.
func (d *Device) Located() bool { return false }

// Restore loads saved code.
func (d *Device) Restore(ctx context.Context, name string, c target.Code) (target.Executable, error) {
	if c.Stage != d.last() {
		return nil, fmt.Errorf("%s is no %s", c.Stage, d.last())
	}
	var m kept
	if err := json.Unmarshal(c.Meta, &m); err != nil {
		return nil, err
	}
	k := &backend.Kernel{Name: name, Params: m.Params, Constants: m.Constants, Options: m.Options}
	return d.load(ctx, k, &backend.Code{Stages: map[string][]byte{c.Stage: c.Data}, Meta: m.Meta})
}

// Alloc returns host memory.
func (d *Device) Alloc(size int) (target.Buffer, error) { return device.NewHostBuffer(size) }

// Wrap returns a buffer for memory of the caller.
func (d *Device) Wrap(data []byte) (target.Buffer, error) { return target.HostBuffer{Data: data}, nil }

// NewStream returns a queue on which launches are done when they return.
func (d *Device) NewStream() (target.Stream, error) { return target.HostStream{}, nil }

var _ target.Keeper = (*Device)(nil)

// ErrNone is the error for the name of a back end that is not registered.
var ErrNone = errors.New("no such back end")

// Find returns the device of a registered back end.
func Find(name string) (*Device, error) {
	for _, t := range backend.Targets() {
		if t.Name() == name {
			return New(t)
		}
	}
	return nil, ErrNone
}
