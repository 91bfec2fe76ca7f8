package sim

import (
	"context"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/target/nvidia/ptxsim"
)

// scoped runs a launch and tells what it recorded of its scopes. The clock is the number of instructions that
// a block has executed.
func (k *kernel) scoped(ctx context.Context, module *ptxsim.Module, run func() error) error {
	tell := device.ScopesOf(ctx)
	if k.code.Scopes == nil || tell == nil {
		return run()
	}
	k.recording.Lock()
	defer k.recording.Unlock()
	data := module.Variable(gpucode.ScopesVar)
	clear(data[:gpucode.ScopesHead])
	if err := run(); err != nil {
		return err
	}
	r := k.code.Recorded(data[:gpucode.ScopesSize], "steps")
	for i := range r.Marks {
		r.Marks[i].Time = 0 // blocks share no clock
	}
	tell(func() (device.ScopeRun, error) { return r, nil })
	return nil
}
