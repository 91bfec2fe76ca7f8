package main

/*
#include "quick.h"
*/
import "C"

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
)

// A handle is a number: the index of a slot in its low half, the slot's generation in its high half. So a
// handle that was closed, or that never was one, is found out instead of followed.
//
// Slots are in chunks that never move, so that a launch finds its objects without a lock.
const (
	chunkBits = 10
	chunkSize = 1 << chunkBits
	maxChunks = 4096
)

// entry is an object that is open.
type entry struct {
	handle uint64
	object any
}

type chunk [chunkSize]atomic.Pointer[entry]

// handles holds all open objects. It is the library's only state besides what the Go API shares in a process:
// devices, and caches by folder.
var handles struct {
	chunks [maxChunks]atomic.Pointer[chunk]

	mu          sync.Mutex
	used        uint64   // slots used so far; slot 0 is none
	free        []uint64 // slots that are free again
	generations []uint32
}

// open returns a handle for an object, 0 if there are too many.
func open(object any) uint64 {
	h := &handles
	h.mu.Lock()
	defer h.mu.Unlock()
	var slot uint64
	if n := len(h.free); n > 0 {
		slot, h.free = h.free[n-1], h.free[:n-1]
	} else {
		if h.used+1 == chunkSize*maxChunks {
			return 0
		}
		h.used++
		slot = h.used
		h.generations = append(h.generations, make([]uint32, slot+1-uint64(len(h.generations)))...)
		if c := &h.chunks[slot>>chunkBits]; c.Load() == nil {
			c.Store(new(chunk))
		}
	}
	h.generations[slot]++
	e := &entry{uint64(h.generations[slot])<<32 | slot, object}
	h.chunks[slot>>chunkBits].Load()[slot%chunkSize].Store(e)
	return e.handle
}

// find returns the object of a handle, or nil.
func find(handle uint64) any {
	slot := handle & (1<<32 - 1)
	if slot >= chunkSize*maxChunks {
		return nil
	}
	c := handles.chunks[slot>>chunkBits].Load()
	if c == nil {
		return nil
	}
	if e := c[slot%chunkSize].Load(); e != nil && e.handle == handle {
		return e.object
	}
	return nil
}

// shut closes a handle and returns its object, or nil if it was none of type T. No launch by C that found the
// handle open is under way any more.
func shut[T any](handle C.uintptr_t) *T {
	object, _ := find(uint64(handle)).(*T)
	if object == nil || !forget(uint64(handle)) {
		return nil
	}
	C.quick_wait()
	return object
}

// forget frees the slot of a handle; false if another thread was faster.
func forget(handle uint64) bool {
	slot := handle & (1<<32 - 1)
	h := &handles
	h.mu.Lock()
	defer h.mu.Unlock()
	at := &h.chunks[slot>>chunkBits].Load()[slot%chunkSize]
	if e := at.Load(); e == nil || e.handle != handle {
		return false
	}
	at.Store(nil)
	C.quick_forget(C.uint64_t(handle))
	h.free = append(h.free, slot)
	return true
}

// handleError is the error of a handle that is none.
type handleError struct{ text string }

func (e *handleError) Error() string { return e.text }

// object returns the object of a handle.
func object[T any](handle C.uintptr_t) (*T, error) {
	x := find(uint64(handle))
	if o, ok := x.(*T); ok {
		return o, nil
	}
	name := func(t reflect.Type) string { return "nereid_" + strings.TrimPrefix(t.String(), "*main.") }
	want := name(reflect.TypeFor[*T]())
	switch {
	case handle == 0:
		return nil, &handleError{fmt.Sprintf("nereid: the %s is NULL", want)}
	case x != nil:
		return nil, &handleError{fmt.Sprintf("nereid: the handle is a %s, not a %s",
			name(reflect.TypeOf(x)), want)}
	}
	return nil, &handleError{fmt.Sprintf("nereid: the %s is closed, or never was one", want)}
}
