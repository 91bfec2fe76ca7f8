package jit

import (
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// Errors for nil and zero values of the API's types, which would otherwise panic.

var (
	errNoKernel = errors.New("nereid: there is no kernel: Module.Kernel finds one")
	errNoModule = errors.New("nereid: there is no module: Load, LoadFS and Parse make one")
	errNotBound = errors.New("nereid: there is no kernel bound: Kernel.Bind binds one")
)

// Errors for values used after Close.
var (
	errClosedBound = fmt.Errorf("nereid: the bound kernel is %w", core.ErrClosed)
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

// usable returns an error for a kernel that is not bound, or whose stream is closed.
func (b *Bound) usable() error {
	switch {
	case b == nil || b.k == nil:
		return errNotBound
	case b.p == nil:
		return errClosedBound
	case core.Closed(b.s):
		return core.ErrClosedStream
	}
	return nil
}
