package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/inflight"
)

// runner is a device of a target as Nereid's runtime knows devices.
type runner struct {
	t       Target
	dev     Device
	name    string
	mem     Memory  // nil: the host's memory
	streams Streams // nil: launches are done when they return

	mu    sync.Mutex
	open  map[*stream]bool // streams that may have work under way
	calls inflight.Group[stream, *stream]
}

// devices returns the devices of a target, or why there is none.
func devices(t Target) ([]device.Device, error) {
	if _, err := t.Info(); err != nil {
		return nil, err
	}
	d, ok := t.(Driver)
	if !ok {
		l, ok := t.(Loader)
		if !ok {
			return nil, fmt.Errorf("the back end %s compiles, and has no devices", t.Name())
		}
		return []device.Device{&runner{t: t, dev: onHost{l, t}, name: t.Name()}}, nil
	}
	found, err := d.Devices()
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("the back end %s found no devices", t.Name())
	}
	var list []device.Device
	for i, dev := range found {
		r := &runner{t: t, dev: dev, name: fmt.Sprintf("%s:%d", t.Name(), i), open: map[*stream]bool{}}
		r.mem, _ = dev.(Memory)
		if r.streams, ok = dev.(Streams); ok && r.mem == nil {
			return nil, fmt.Errorf("the device %s has streams and no memory of its own: the host's may be "+
				"gone before a launch has run", r.name)
		}
		list = append(list, r)
	}
	return list, nil
}

// onHost is the device of a Loader.
type onHost struct {
	Loader
	t Target
}

func (h onHost) Info() string {
	text, err := h.t.Info()
	if err != nil {
		return err.Error()
	}
	return text
}

func (r *runner) Name() string { return r.name }
func (r *runner) Info() string { return r.dev.Info() }

// Traits returns what is fixed of the device. Code is that of the target, for all of its devices.
func (r *runner) Traits() device.Traits {
	t := device.Traits{Kind: r.t.Name(), SharesHost: r.mem == nil, CopiesHost: r.mem != nil}
	if s, ok := r.t.(Specializer); ok {
		want := s.Specialization()
		t.Loose = device.Loose{Ones: !want.Ones, Numbers: !want.Numbers16, Pointers: !want.Pointers16}
	}
	return t
}

// Machine names the back end with its version: other versions may read code differently.
func (r *runner) Machine() string { return machine(r.t) }

func machine(t Target) string { return t.Name() + " " + t.Version() }

// Runs returns nil if the device runs code of a stage that was compiled for a machine.
func (r *runner) Runs(stage, of string) error {
	name, version, _ := strings.Cut(of, " ")
	own := r.t.Stages()
	switch {
	case name != r.t.Name() || stage != own[len(own)-1]:
		return fmt.Errorf("%s runs code for %s", r.name, r.Machine())
	case version == r.t.Version():
		return nil
	}
	if c, ok := r.t.(Compatible); ok {
		return c.Runs(version)
	}
	return fmt.Errorf("%s runs code for %s, and this is for %s", r.name, r.Machine(), of)
}

// Restore loads saved code.
func (r *runner) Restore(ctx context.Context, name string, c device.Code) (device.Executable, error) {
	own := r.t.Stages()
	if last := own[len(own)-1]; c.Stage != last {
		return nil, fmt.Errorf("%s is no %s", c.Stage, last)
	}
	var s Saved
	if err := json.Unmarshal(c.Meta, &s); err != nil {
		return nil, err
	}
	if s.Kernel == nil {
		return nil, errors.New("the description of the code has no kernel")
	}
	s.Kernel.Name = name
	code := &Code{Stages: map[string][]byte{c.Stage: c.Data}, Meta: s.Meta}
	x, err := r.dev.Load(ctx, s.Kernel, code)
	if err == nil && x == nil {
		err = errors.New("the back end loaded nothing")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.name, err)
	}
	return &kernel{on: r, name: name, params: len(s.Kernel.Params), code: c, x: x}, nil
}

// kernel is loaded code.
type kernel struct {
	on     *runner
	name   string
	params int
	code   device.Code
	x      Executable

	mu     sync.RWMutex // held by launches, for which Close waits
	closed bool
}

// Launch runs the kernel, or queues it if the device has streams.
func (k *kernel) Launch(ctx context.Context, s device.Stream, grid [3]int, words []uint64) error {
	if len(words) != k.params {
		return fmt.Errorf("%s takes %d arguments, not %d", k.name, k.params, len(words))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.closed {
		return fmt.Errorf("the code of %s is %w", k.name, device.ErrClosed)
	}
	if q, ok := s.(queued); ok && q.queue().s != nil {
		return q.queue().s.Launch(ctx, k.x, grid, slices.Clone(words))
	}
	return k.x.Launch(ctx, grid, words)
}

// Close frees the code once its launches are done.
func (k *kernel) Close() error {
	k.mu.Lock()
	was := k.closed
	k.closed = true
	k.mu.Unlock()
	if was {
		return nil
	}
	_ = k.on.wait() // the error is that of the stream's next Sync
	return k.x.Close()
}

// Discard frees the code without waiting for its launches.
func (k *kernel) Discard() { go k.Close() }

// Code returns the kernel in the form that the cache keeps.
func (k *kernel) Code() (device.Code, error) { return k.code, nil }

var (
	_ device.Runner    = (*runner)(nil)
	_ device.Native    = (*runner)(nil)
	_ device.Restorer  = (*runner)(nil)
	_ device.Discarder = (*kernel)(nil)
)
