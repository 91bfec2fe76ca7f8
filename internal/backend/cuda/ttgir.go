package cuda

import (
	"time"

	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/backend"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lower"
	"github.com/nereid-lang/nereid/internal/pass"
)

// ttgir gives tensors layouts.
func (c Compiler) ttgir(in *backend.Input) error {
	start := time.Now()
	passes := gpu.Pipeline(gpu.Options{Machine: c.machine(in)})
	if err := pass.Run(&pass.Context{}, in.Module, passes); err != nil {
		return err
	}
	if err := in.Replace("ttgir"); err != nil {
		return err
	}
	in.Stages.Record("ttgir", time.Since(start), func() []byte { return backend.Text(in.Module) })
	return nil
}

func (c Compiler) machine(in *backend.Input) gpu.Machine {
	return gpu.Machine{Target: c.name(), NumWarps: in.Options.NumWarps, ThreadsPerWarp: 32, NumCTAs: in.Options.NumCTAs}
}

// lowerOptions tell the lowering what is known about addresses.
func (c Compiler) lowerOptions(m *ir.Module) lower.Options {
	info := axisinfo.Module(m)
	return lower.Options{Capability: c.Capability, Contiguity: info.Contiguity, MaskAlign: info.MaskAlignment}
}
