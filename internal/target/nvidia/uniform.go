package nvidia

import (
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/rules"
	"github.com/nereid-lang/nereid/internal/target"
)

// computes returns how many words the host may compute for a kernel with so many parameters of its own: as
// many as leave the quickest way to launch it open (driver.Ready).
func (c Compiler) computes(in *target.Input, params int) int {
	if !in.Hosted || checks(in) || knob.NoUniform.Get() {
		return 0
	}
	return rules.Capped(gpu.RulesOf(in.Module), rules.ComputedWords, driver.MaxReady-params)
}
