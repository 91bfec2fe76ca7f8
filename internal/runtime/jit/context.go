package jit

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/target/nvidia"
)

// OpenContext returns the GPU of a CUDA context that the program made, by its CUcontext; 0 means the context
// that is current on the calling thread, which runtime.LockOSThread keeps. Tensors, streams and code of the
// device belong to that context. The program keeps the context until it calls release, behind which nothing
// of the device can be used. For a primary context it is the device that OpenDevice returns.
func OpenContext(handle uintptr) (d *core.Device, release func(), err error) {
	b, release, err := nvidia.DeviceOf(handle)
	if err != nil {
		return nil, nil, core.NoDevice(fmt.Errorf("nereid: the CUDA context %#x: %w", handle, err))
	}
	if release == nil {
		d, err = core.OpenDevice(b.Name())
		return d, func() {}, err
	}
	return core.NewDevice(b), release, nil
}
