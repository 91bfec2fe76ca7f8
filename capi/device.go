package main

/*
#include <stdlib.h>
#include "door.h"
*/
import "C"

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	dev "github.com/nereid-lang/nereid/internal/device"
	devnvidia "github.com/nereid-lang/nereid/internal/device/nvidia"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	nereid "github.com/nereid-lang/nereid/run"
)

// device is a nereid_device.
type device struct {
	d       *nereid.Device
	release func()                   // gives the caller's context back; nil if there is none
	last    atomic.Pointer[numbered] // stream of the last launch by number

	mu      sync.Mutex
	streams map[uintptr]*numbered
}

// numbered is a stream of the caller's. Streams are plain numbers to the library: one that is destroyed, and
// whose number a new one gets, needs no care.
type numbered struct {
	handle uintptr
	s      *nereid.Stream
}

// maxNumbered bounds the streams that a device remembers.
const maxNumbered = 1024

// place tells C what the handle stands for.
func (d *device) place(h C.uintptr_t) { tell(h, d.d, nil) }

// stream returns the stream of a CUstream.
func (d *device) stream(handle uintptr) (*nereid.Stream, error) {
	if l := d.last.Load(); l != nil && l.handle == handle {
		return l.s, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.streams[handle]
	if n == nil {
		s, err := d.external(handle)
		if err != nil {
			return nil, err
		}
		if n = (&numbered{handle, s}); d.streams == nil || len(d.streams) == maxNumbered {
			d.streams = map[uintptr]*numbered{}
		}
		d.streams[handle] = n
	}
	d.last.Store(n)
	return n.s, nil
}

// lendable reports whether a device takes streams of the caller's: a CUstream or a hipStream_t.
func lendable(d *nereid.Device) bool {
	_, ok := core.Backend(d).(dev.Accessible)
	return ok
}

// external returns a new stream for a CUstream or a hipStream_t, or the only one of a device that has none.
func (d *device) external(handle uintptr) (*nereid.Stream, error) {
	if lendable(d.d) {
		return d.d.ExternalStream(context.Background(), handle)
	}
	if handle != 0 {
		return nil, badCall("%s has no streams of the caller's: pass NULL", d.d)
	}
	return d.d.NewStream(context.Background())
}

//export go_device_open
func go_device_open(name *C.char, out *C.uintptr_t, err **C.nereid_error) C.int {
	return makeObject(out, err, func() (*device, error) {
		devnvidia.BeGuest()
		d, err := openDevice(C.GoString(name))
		if err != nil {
			return nil, err
		}
		return &device{d: d}, nil
	})
}

//export go_device_from_context
func go_device_from_context(handle C.uintptr_t, out *C.uintptr_t, err **C.nereid_error) C.int {
	return makeObject(out, err, func() (*device, error) {
		devnvidia.BeGuest()
		d, release, err := nereid.OpenContext(uintptr(handle))
		if err != nil {
			return nil, err
		}
		return &device{d: d, release: release}, nil
	})
}

//export go_device_list
func go_device_list(f C.door_device_fn, user unsafe.Pointer, err **C.nereid_error) C.int {
	return run(err, func() error {
		if f == nil {
			return badCall("the function is NULL")
		}
		here, absent := nereid.Devices()
		for _, d := range here {
			withStrings([]string{d.String(), d.Info()}, func(s []*C.char) {
				C.door_device(f, user, s[0], s[1], nil)
			})
		}
		for _, a := range absent {
			withStrings([]string{a.Kind, a.Why.Error()}, func(s []*C.char) {
				C.door_device(f, user, s[0], nil, s[1])
			})
		}
		return nil
	})
}

// withStrings calls f with C's copies of strings.
func withStrings(list []string, f func([]*C.char)) {
	out := make([]*C.char, len(list))
	for i, s := range list {
		out[i] = cString(s)
		defer C.free(unsafe.Pointer(out[i]))
	}
	f(out)
}

// textOf returns a text about an object, or NULL.
func textOf[T any](h C.uintptr_t, f func(*T) string) *C.char {
	x, err := object[T](h)
	if err != nil {
		return nil
	}
	return cString(f(x))
}

//export go_device_name
func go_device_name(h C.uintptr_t) *C.char {
	return textOf(h, func(d *device) string { return d.d.String() })
}

//export go_device_info
func go_device_info(h C.uintptr_t) *C.char {
	return textOf(h, func(d *device) string { return d.d.Info() })
}

//export go_device_stages
func go_device_stages(h C.uintptr_t) *C.char {
	return textOf(h, func(d *device) string { return strings.Join(d.d.Stages(), ",") })
}

//export go_device_target
func go_device_target(h C.uintptr_t) *C.char {
	return textOf(h, func(d *device) string { return d.d.Target() })
}

//export go_device_close
func go_device_close(h C.uintptr_t) {
	if d := shut[device](h); d != nil && d.release != nil {
		d.release()
	}
}

// stream is a nereid_stream.
type stream struct {
	s      *nereid.Stream
	cancel context.CancelFunc
}

// place tells C what the handle stands for.
func (s *stream) place(h C.uintptr_t) { tell(h, s.s.Device(), s.s) }

// newStream returns a stream that can be cancelled.
func newStream(h C.uintptr_t, f func(ctx context.Context, d *nereid.Device) (*nereid.Stream, error)) (*stream,
	error) {
	d, err := object[device](h)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s, err := f(ctx, d.d)
	if err != nil {
		cancel()
		return nil, err
	}
	return &stream{s, cancel}, nil
}

//export go_stream_new
func go_stream_new(h C.uintptr_t, out *C.uintptr_t, err **C.nereid_error) C.int {
	return makeObject(out, err, func() (*stream, error) {
		return newStream(h, func(ctx context.Context, d *nereid.Device) (*nereid.Stream, error) {
			return d.NewStream(ctx)
		})
	})
}

//export go_stream_external
func go_stream_external(h, handle C.uintptr_t, out *C.uintptr_t, err **C.nereid_error) C.int {
	return makeObject(out, err, func() (*stream, error) {
		return newStream(h, func(ctx context.Context, d *nereid.Device) (*nereid.Stream, error) {
			if handle == 0 && !lendable(d) {
				return d.NewStream(ctx)
			}
			return d.ExternalStream(ctx, uintptr(handle))
		})
	})
}

//export go_stream_sync
func go_stream_sync(h C.uintptr_t, err **C.nereid_error) C.int {
	return run(err, func() error {
		s, err := object[stream](h)
		if err != nil {
			return err
		}
		return s.s.Sync()
	})
}

//export go_stream_cancel
func go_stream_cancel(h C.uintptr_t) {
	if s, err := object[stream](h); err == nil {
		s.cancel()
	}
}

//export go_stream_close
func go_stream_close(h C.uintptr_t) {
	if s := shut[stream](h); s != nil {
		run(nil, s.s.Close) // a launch that comes later finds it closed, not cancelled
	}
}

// tensor is a nereid_tensor.
type tensor struct{ t *nereid.Tensor }

//export go_tensor_new
func go_tensor_new(h C.uintptr_t, dt C.int, shape *C.int64_t, ndim C.size_t, out *C.uintptr_t,
	err **C.nereid_error) C.int {
	return makeObject(out, err, func() (*tensor, error) {
		d, err := object[device](h)
		if err != nil {
			return nil, err
		}
		if dt < 0 || dt > 255 {
			return nil, badCall("%d is no nereid_dtype", dt)
		}
		if ndim > 64 || ndim > 0 && shape == nil {
			return nil, badCall("a shape of %d dimensions at %p", ndim, shape)
		}
		var dims []int
		for _, n := range unsafe.Slice(shape, ndim) {
			dims = append(dims, int(n))
		}
		t, err := nereid.NewTensor(d.d, nereid.DType(dt), dims...)
		if err != nil {
			return nil, err
		}
		return &tensor{t}, nil
	})
}

// tensorBytes calls f with C's memory as bytes.
func tensorBytes(h C.uintptr_t, p unsafe.Pointer, n C.size_t, err **C.nereid_error,
	f func(*nereid.Tensor, []byte) error) C.int {
	return run(err, func() error {
		t, err := object[tensor](h)
		if err != nil {
			return err
		}
		if p == nil && n > 0 {
			return badCall("the memory is NULL")
		}
		bytes, err := memory(p, n)
		if err != nil {
			return err
		}
		return f(t.t, bytes)
	})
}

// mostBytes bounds the sizes that callers give: more than any machine has.
const mostBytes = 1 << 46

// memory returns memory of the caller's.
func memory(p unsafe.Pointer, n C.size_t) ([]byte, error) {
	if uint64(n) > mostBytes {
		return nil, badCall("%d bytes of memory are more than there can be", uint64(n))
	}
	return unsafe.Slice((*byte)(p), n), nil
}

//export go_tensor_read
func go_tensor_read(h C.uintptr_t, into unsafe.Pointer, n C.size_t, err **C.nereid_error) C.int {
	return tensorBytes(h, into, n, err, (*nereid.Tensor).CopyBytesTo)
}

//export go_tensor_write
func go_tensor_write(h C.uintptr_t, from unsafe.Pointer, n C.size_t, err **C.nereid_error) C.int {
	return tensorBytes(h, from, n, err, (*nereid.Tensor).CopyBytesFrom)
}

//export go_tensor_address
func go_tensor_address(h C.uintptr_t) C.uint64_t {
	t, err := object[tensor](h)
	if err != nil {
		return 0
	}
	return C.uint64_t(t.t.Addr())
}

//export go_tensor_close
func go_tensor_close(h C.uintptr_t) {
	if t := shut[tensor](h); t != nil {
		run(nil, t.t.Close)
	}
}
