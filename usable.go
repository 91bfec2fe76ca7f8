package nereid

import (
	"context"
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid/internal/runtime/code"
)

// Errors for nil and zero values of the API's types, which would otherwise panic.

var (
	errNoKernel    = errors.New("nereid: there is no kernel: Module.Kernel finds one")
	errNoModule    = errors.New("nereid: there is no module: Load, LoadFS and Parse make one")
	errNoStream    = errors.New("nereid: there is no stream: Device.NewStream makes one")
	errNoGraph     = errors.New("nereid: there is no graph: Stream.Capture records one")
	errNoFunc      = errors.New("nereid: the function to be called is nil")
	errNotCompiled = errors.New("nereid: there is no compiled kernel: Kernel.Compile and LoadCompiled " +
		"make one")
	errNotBound = errors.New("nereid: there is no kernel bound: Kernel.Bind binds one")
)

// Errors for values used after Close.
var (
	errClosedTensor   = code.ErrTensor
	errClosedStream   = fmt.Errorf("nereid: the stream is %w", ErrClosed)
	errClosedGraph    = fmt.Errorf("nereid: the graph is %w", ErrClosed)
	errClosedCompiled = fmt.Errorf("nereid: the compiled kernel is %w", ErrClosed)
	errClosedBound    = fmt.Errorf("nereid: the bound kernel is %w", ErrClosed)
)

// usable returns an error for a kernel that Module.Kernel did not return.
func (k *Kernel) usable() error {
	if k == nil || k.m == nil {
		return errNoKernel
	}
	return nil
}

// usable returns an error for a module that was not loaded.
func (m *Module) usable() error {
	if m == nil || m.src == nil {
		return errNoModule
	}
	return nil
}

// usable returns an error for a stream that no device made, or that is closed.
func (s *Stream) usable() error {
	switch {
	case s == nil || s.s == nil || s.dev.usable() != nil:
		return errNoStream
	case s.closed.Load():
		return errClosedStream
	}
	return nil
}

// usable returns an error for a kernel that is not bound, or whose stream is closed.
func (b *Bound) usable() error {
	switch {
	case b == nil || b.k == nil:
		return errNotBound
	case b.p == nil:
		return errClosedBound
	case b.s.closed.Load():
		return errClosedStream
	}
	return nil
}

// orBackground returns ctx, or the background context if it is nil.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
