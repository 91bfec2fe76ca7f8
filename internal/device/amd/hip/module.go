package hip

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device/inflight"
)

// Function is a kernel of a loaded code object.
type Function struct {
	dev    *Device
	module moduleRef
	ref    functionRef
	closed atomic.Bool
}

// Load loads a code object and returns its kernel of a name.
func (d *Device) Load(image []byte, name string) (*Function, error) {
	if len(image) == 0 {
		return nil, fmt.Errorf("the code object of %s is empty", name)
	}
	f := &Function{dev: d}
	err := d.do("hipModuleLoadData", func(r *raw) Result { return r.moduleLoadData(&f.module, &image[0]) })
	if err != nil {
		return nil, err
	}
	err = d.do("hipModuleGetFunction", func(r *raw) Result {
		return r.moduleGetFunction(&f.ref, f.module, name)
	})
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Close unloads the code object, once: after its launches, and after graphs that may launch it.
func (f *Function) Close() error {
	if f.closed.Swap(true) {
		return nil
	}
	f.dev.live.streams.Wait()
	l := f.dev.live
	l.mu.Lock()
	defer l.mu.Unlock()
	l.retired = append(l.retired, f.module)
	return f.dev.unload()
}

// Pack returns the argument buffer of a kernel whose arguments have sizes in bytes, each aligned to its own.
func Pack(sizes []int, args []uint64) ([]byte, error) {
	if len(sizes) != len(args) {
		return nil, fmt.Errorf("%d arguments, expected %d", len(args), len(sizes))
	}
	var out []byte
	for i, n := range sizes {
		for len(out)%n != 0 {
			out = append(out, 0)
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], args[i])
		out = append(out, word[:n]...)
	}
	return out, nil
}

// Keys of the list that passes an argument buffer.
const (
	keyBuffer = 1
	keySize   = 2
	keyEnd    = 3
)

// Launch queues a grid of workgroups of threads. args is what Pack returned.
func (f *Function) Launch(s *Stream, grid [3]int, threads, shared int, args []byte) error {
	size := uintptr(len(args))
	var buffer *byte
	if size > 0 {
		buffer = &args[0]
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	pins.Pin(&size)
	if buffer != nil {
		pins.Pin(buffer)
	}
	extra := [5]uintptr{
		keyBuffer, uintptr(unsafe.Pointer(buffer)), keySize, uintptr(unsafe.Pointer(&size)), keyEnd,
	}
	defer s.calls.Begin().End()
	if f.closed.Load() {
		return fmt.Errorf("hip: the code is %w", inflight.ErrClosed)
	}
	return s.do("hipModuleLaunchKernel", func(r *raw) Result {
		return r.launchKernel(f.ref, uint32(grid[0]), uint32(grid[1]), uint32(grid[2]), uint32(threads), 1, 1,
			uint32(shared), s.ref, nil, &extra)
	})
}
