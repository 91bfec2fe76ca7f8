package core

import (
	"context"
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/code"
)

// Errors for nil and zero values, which would otherwise panic.
var (
	errNoStream = errors.New("nereid: there is no stream: Device.NewStream makes one")
	errNoGraph  = errors.New("nereid: there is no graph: Stream.Capture records one")
	errNoFunc   = errors.New("nereid: the function to be called is nil")

	errNotCompiled = errors.New("nereid: there is no compiled kernel: Kernel.Compile and LoadCompiled " +
		"make one")
)

// Errors for values used after Close.
var (
	ErrClosedTensor = code.ErrTensor
	ErrClosedStream = fmt.Errorf("nereid: the stream is %w", device.ErrClosed)

	errClosedGraph    = fmt.Errorf("nereid: the graph is %w", device.ErrClosed)
	errClosedCompiled = fmt.Errorf("nereid: the compiled kernel is %w", device.ErrClosed)
)

// Usable returns an error for a device, a stream or the like that cannot be used: it is nil, a zero value or
// closed.
func Usable(v interface{ usable() error }) error { return v.usable() }

// usable returns an error for a stream that no device made, or that is closed.
func (s *Stream) usable() error {
	switch {
	case s == nil || s.s == nil || s.dev.usable() != nil:
		return errNoStream
	case s.closed.Load():
		return ErrClosedStream
	}
	return nil
}

// OrBackground returns ctx, or the background context if it is nil.
func OrBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
