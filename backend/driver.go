package backend

import (
	"context"
	"time"
)

// Driver is a Target that runs code on devices of its own. They are called "mine:0", "mine:1" and so on,
// and all run the same code; "mine" is the first.
type Driver interface {
	// Devices returns the devices of this machine, in order, or why there is none and what to do about it. It
	// is called once.
	Devices() ([]Device, error)
}

// Device is a device of a Driver. It may also be a Memory and, if it is, have Streams. Its methods are called
// by several goroutines at once.
type Device interface {
	// Info returns a line about the device for `nereid devices`.
	Info() string
	// Load makes code ready to run on the device, as that of Loader does.
	Load(ctx context.Context, k *Kernel, code *Code) (Executable, error)
}

// Memory is a Device with memory of its own. Nereid copies tensors of the host there for each launch that has
// some, and back; nereid.NewTensor makes those that stay. Nereid frees memory, and copies to and from the
// host, when no launch that may use it is under way, and keeps all accesses within the memory's size.
type Memory interface {
	// Alloc returns the address of n bytes, at least 1, aligned to 64 bytes or more. Nereid writes zeros
	// there before anybody else sees them.
	Alloc(n int) (addr uint64, err error)
	// Free frees the memory that Alloc returned.
	Free(addr uint64) error
	// Write copies bytes of the host to an address, and returns when that is done.
	Write(addr uint64, from []byte) error
	// Read copies bytes at an address to the host, and returns when that is done.
	Read(into []byte, addr uint64) error
}

// Streams is a Device with Memory on which launches are queued.
type Streams interface {
	// NewStream returns a new queue.
	NewStream() (Stream, error)
}

// Stream is a queue of a device: its work is done in order, that of several streams in any. It may also have
// Copies and Events. Several goroutines call its methods at once: one launches while another, which reads a
// tensor, waits for the queue.
type Stream interface {
	// Launch queues a launch of an Executable that the stream's device has loaded, and returns before it is
	// done. Words are the stream's to keep. An error that comes later is that of the next Sync.
	Launch(ctx context.Context, x Executable, grid [3]int, words []uint64) error
	// Sync waits until everything queued so far is done. It returns the first error of it, once.
	Sync() error
	// Close frees the queue. It is called once, after Sync.
	Close() error
}

// Copies is a Stream that also queues changes of its device's memory. Without it, Nereid waits for the
// stream, and copies by way of the host.
type Copies interface {
	Zero(addr uint64, n int) error     // fills n bytes with zeros
	Copy(to, from uint64, n int) error // copies n bytes, which do not overlap
}

// Events is a Stream that tells when it has reached a point of its queue, by the clock of the device. Without
// it, a profile (nereid.StartProfile) has no times of kernels.
type Events interface {
	// Record puts an event at the end of the queue.
	Record() (Event, error)
}

// Event is a point of a stream's queue.
type Event interface {
	// Done reports whether the stream has reached the event.
	Done() (bool, error)
	// Since returns the time on the device from another event of the stream to this one. Both are done.
	Since(earlier Event) (time.Duration, error)
	// Close frees the event.
	Close() error
}
