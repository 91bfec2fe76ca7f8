package jit

import (
	"sync"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// specialParams holds the parameters of a kernel for devices whose code is specialized by rules of their
// own: back ends from outside choose them. The zero value is empty.
type specialParams struct{ of sync.Map } // device.Loose to *args.Params

// params returns the parameters under a device's rule.
func (s *specialParams) params(own *args.Params, rule device.Loose) *args.Params {
	if rule == (device.Loose{}) {
		return own
	}
	p, ok := s.of.Load(rule)
	if !ok {
		p, _ = s.of.LoadOrStore(rule, own.Without(rule))
	}
	return p.(*args.Params)
}

// paramsOn returns the parameters by which repeated launches on a device are recognized.
func (k *Kernel) paramsOn(d *core.Device) *args.Params {
	return k.special.params(k.params, core.Traits(d).Loose)
}
