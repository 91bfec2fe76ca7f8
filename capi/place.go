package main

/*
#include "quick.h"
*/
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"

	devnvidia "github.com/nereid-lang/nereid/internal/device/nvidia"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	nereid "github.com/nereid-lang/nereid/run"
)

// numbers gives each device a number for C.
var numbers struct {
	of   sync.Map // *nereid.Device to uint64
	next atomic.Uint64
}

// numberOf returns the number of a device.
func numberOf(d *nereid.Device) C.uint64_t {
	n, ok := numbers.of.Load(d)
	if !ok {
		n, _ = numbers.of.LoadOrStore(d, numbers.next.Add(1))
	}
	return C.uint64_t(n.(uint64))
}

// rawStream returns the driver's stream of a GPU, or nil.
func rawStream(s *nereid.Stream) *driver.Stream {
	return devnvidia.RawStream((*args.Stream)(unsafe.Pointer(s)).S)
}

// tell tells C which device, and which stream of it, a handle stands for.
func tell(handle C.uintptr_t, d *nereid.Device, s *nereid.Stream) {
	var raw uintptr
	if s != nil {
		x := rawStream(s)
		if x == nil {
			return // no stream of a GPU
		}
		raw = x.Handle()
	}
	C.quick_place(C.uint64_t(handle), numberOf(d), C.uintptr_t(raw))
}
