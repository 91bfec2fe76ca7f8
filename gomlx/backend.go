package gomlx

import (
	"context"
	"fmt"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/notimplemented"
	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
	"github.com/pkg/errors"
)

// Name is the backend's name: GOMLX_BACKEND=nereid, or nereid:cuda:0 with a device.
const Name = "nereid"

func init() {
	compute.Register(Name, func(config string) (compute.Backend, error) { return New(config) })
}

// Backend runs graphs on one device. Executions of all its executables run one at a time.
type Backend struct {
	dev    *nereid.Device
	stream *nereid.Stream
	ops    *ops.Stream
	gpu    bool // memory is the device's own
	pool   pool

	mu      sync.Mutex // held by executions
	kernels kernels
	scratch []*nereid.Tensor // by depth of calls: memory between the steps of programs
	closed  bool
}

var _ compute.Backend = (*Backend)(nil)

// New returns a backend on a device of Nereid, by its name: "cpu", "cuda:0", "interp". Without a name it is
// the best device.
func New(device string) (*Backend, error) {
	dev, err := nereid.OpenDevice(device)
	if err != nil {
		return nil, errors.Wrapf(err, "backend %q", Name)
	}
	stream, err := dev.NewStream(context.Background())
	if err != nil {
		return nil, errors.Wrapf(err, "backend %q", Name)
	}
	config := nereid.EnvConfig()
	b := &Backend{dev: dev, stream: stream, ops: ops.Load(nereid.With(config)).On(stream)}
	has := dev.Abilities()
	b.gpu = !has.HostMemory && !has.Interprets
	b.pool = pool{dev: dev, gpu: b.gpu, free: map[int][]*memory{}}
	b.kernels = kernels{config: config, made: map[string]*nereid.Kernel{}}
	return b, nil
}

// Name implements compute.Backend.
func (b *Backend) Name() string { return Name }

// String implements compute.Backend.
func (b *Backend) String() string { return Name }

// Description implements compute.Backend.
func (b *Backend) Description() string {
	return fmt.Sprintf("Nereid: generated Triton kernels on %s", b.dev.Info())
}

// NumDevices implements compute.Backend.
func (b *Backend) NumDevices() int { return 1 }

// DeviceDescription implements compute.Backend.
func (b *Backend) DeviceDescription(compute.DeviceNum) string { return b.dev.Info() }

// Capabilities implements compute.Backend.
func (b *Backend) Capabilities() compute.Capabilities { return capabilities.Clone() }

// Builder implements compute.Backend.
func (b *Backend) Builder(name string) compute.Builder { return newBuilder(b, name, nil) }

// Finalize implements compute.Backend.
func (b *Backend) Finalize() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.closed = true
	b.ops.Close()
	b.stream.Close()
	for _, t := range b.scratch {
		t.Close()
	}
	b.pool.close()
}

// IsFinalized implements compute.Backend.
func (b *Backend) IsFinalized() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

// missing returns the error of something that the backend does not have.
func missing(format string, list ...any) error {
	return errors.Wrapf(notimplemented.NotImplementedError, "backend %q: "+format, append([]any{Name},
		list...)...)
}
