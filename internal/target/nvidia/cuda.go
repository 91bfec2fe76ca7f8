package nvidia

import (
	"context"
	"time"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/device"
	devnvidia "github.com/nereid-lang/nereid/internal/device/nvidia"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/lower"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/rules"
	"github.com/nereid-lang/nereid/internal/target"
)

// Compiler compiles to PTX for a compute capability. It needs LLVM but no GPU.
type Compiler struct {
	Capability int
	NoMaps     bool // descriptors do not become tensor maps, because nobody can make them at a launch

	// What an attempt does without (restarts): pipelines with more stages than asked for, stores and loads of
	// tiles by the copy engine, persistent programs, ping-pong of warp groups.
	shallow, noTileStores, noTiles, noPersist, noPingPong bool
}

// Target returns the properties that kernels can see.
func (c Compiler) Target() lang.Target {
	return lang.Target{Backend: "cuda", Arch: c.Capability, WarpSize: 32}
}

// Traits returns what is fixed of devices that run the code. PTX has line information, as Triton's does; wide
// accesses pay; descriptors are passed in words, also those that become tensor maps.
func (Compiler) Traits() device.Traits {
	return device.Traits{HasLines: true, AlignsNumbers: true, WordDescriptors: true}
}

// Stages returns the names of the stages.
func (Compiler) Stages() []string { return []string{"source", "ttir", "ttgir", "llir", "ptx", "cubin"} }

// gpu returns the GPUs that run the code.
func (c Compiler) gpu() devnvidia.GPU { return devnvidia.GPU{Capability: c.Capability} }

// name returns the target in Triton's notation.
func (c Compiler) name() string { return c.gpu().Kind() }

// chip returns the row of the GPU.
func (c Compiler) chip() chip.Chip { return chip.CUDA(c.Capability) }

// Arch returns the name of the architecture for LLVM and the assembler.
func (c Compiler) Arch() string { return c.gpu().Arch() }

// SharedPerBlock returns the most bytes of shared memory that a block can have.
func (c Compiler) SharedPerBlock() int { return c.gpu().SharedPerBlock() }

// Runs returns nil if a GPU of this architecture runs code that was compiled for a machine.
func (c Compiler) Runs(stage, machine string) error { return c.gpu().Runs(stage, machine) }

// Compile compiles the front end's module to PTX. If in.Until names an earlier stage, it stops there and
// returns nil.
func (c Compiler) Compile(ctx context.Context, in *target.Input, maxPTX int) (*devnvidia.Code, error) {
	if err := lower.CheckCluster(max(1, in.Options.NumCTAs), c.chip()); err != nil {
		return nil, err
	}
	if err := in.TTIR(c.Target()); err != nil || in.Until == "ttir" {
		return nil, err
	}
	if checks(in) {
		c.NoMaps = true // the copy engine checks nothing
	}
	if checks(in) && !in.Skips("ttgir") {
		if err := in.Run(pass.Checks()); err != nil {
			return nil, err
		}
	}
	known := c.learn(in)
	code, err := c.attempts(ctx, in, maxPTX)
	if code != nil {
		known.tell(code, in)
	}
	return code, err
}

// knowledge is what TTIR shows and code hands on to the assembler and to launches.
type knowledge struct {
	rules      *rules.Set
	gridStride bool
	recurrence bool
	merge      int
	strides    []int
}

// learn returns what the module shows before the passes change it.
func (c Compiler) learn(in *target.Input) (k knowledge) {
	if in.Module == nil {
		return k
	}
	k.rules = gpu.RulesOf(in.Module)
	k.gridStride, k.recurrence = stridesOverGrid(in.Module), recurs(in.Module)
	if k.merge = c.mergeable(in); k.merge > 1 {
		k.strides = gpu.Strides(in.Module)
	}
	return k
}

// tell writes what TTGIR has shown of the kernel into the description of its code, for the assembler and for
// launches.
func (k knowledge) tell(code *devnvidia.Code, in *target.Input) {
	code.GridStride, code.Recurrence = k.gridStride || code.Persistent, k.recurrence
	code.Merge, code.Merged, code.Strides = k.merge, in.Way.Merge, k.strides
	code.Obey(k.rules)
	k.rules.Made(code.PTX)
}

// checks reports whether code checks its accesses and the indices that it computes in int32.
func checks(in *target.Input) bool { return checked() || in.Options.Check }

// checked reports whether all code is checked.
func checked() bool { return knob.Checked.Get() }

// CompileOnly compiles without a device: to PTX, or to a cubin if in.Until asks for it and there is an
// assembler. The result is nil if in.Until names an earlier stage.
func (c Compiler) CompileOnly(ctx context.Context, in *target.Input) (target.Executable, error) {
	code, err := c.Compile(ctx, in, 0)
	switch {
	case err != nil || code == nil:
		return nil, err
	case in.Until != devnvidia.StageCubin:
		return c.unloaded(code, devnvidia.StagePTX, code.PTX, code.Facts())
	}
	start := time.Now()
	cubin, facts, err := c.gpu().Best(ctx, code)
	if err != nil {
		return nil, err
	}
	in.Stages.Record(devnvidia.StageCubin, time.Since(start), func() []byte { return cubin })
	return c.unloaded(code, devnvidia.StageCubin, cubin, facts)
}

// FormsOf returns the ways of the code that launches of some code run instead.
func (c Compiler) FormsOf(code target.Code) ([]device.Way, error) {
	k, err := devnvidia.Kept(code)
	if err != nil {
		return nil, err
	}
	return k.Ways(true), nil
}

// unloaded returns code in the form of a stage as an executable that cannot be launched.
func (c Compiler) unloaded(code *devnvidia.Code, stage string, data []byte,
	facts device.Facts) (target.Executable, error) {
	kept, err := code.Keep(stage, data)
	if err != nil {
		return nil, err
	}
	return device.NewUnloaded(c.name(), kept, facts), nil
}

// Machine returns the architecture.
func (c Compiler) Machine() string { return c.Arch() }

// FromTTGIR compiles a module that is already TTGIR, or goes on from the text of a later stage.
func (c Compiler) FromTTGIR(ctx context.Context, in *target.Input, maxPTX int) (*devnvidia.Code, error) {
	if in.Skips("llir") {
		return c.fromText(ctx, in, maxPTX)
	}
	ctas := ttg.NumCTAs(in.Module.Op)
	if err := lower.CheckCluster(ctas, c.chip()); err != nil {
		return nil, err
	}
	start := time.Now()
	params := lower.ParamSizes(in.Module.Lookup(in.Kernel), lower.NVIDIA(c.Capability))
	opts := c.lowerOptions(in.Module)
	opts.Budget, opts.Externs, opts.Check = in.Budget, len(in.Libs) > 0, checks(in)
	opts.Uniform, opts.Certify = c.computes(in, len(params)), in.Options.Certify
	if opts.Check && hasDescriptors(in.Module) {
		return nil, diag.Refuse("checked TTGIR", "it has tensor maps, whose accesses cannot be checked").
			Instead("start from the kernel's source or from TTIR")
	}
	k, err := lower.Lower(in.Module, in.Kernel, opts)
	if err != nil {
		return nil, err
	}
	k.IR = in.ReplaceText("llir", k.IR)
	in.Stages.Record("llir", time.Since(start), func() []byte { return k.IR })
	if in.Until == "llir" {
		return nil, nil
	}
	if maxPTX == 0 && k.PTX > 83 {
		maxPTX = k.PTX
	}
	ptx, err := c.ptx(ctx, in, k.IR, maxPTX)
	if err != nil {
		return nil, err
	}
	persistent := gpu.Persistent(in.Module)
	if persistent {
		params = params[:len(params)-devnvidia.GridWords]
	}
	return &devnvidia.Code{
		Name: k.Name, PTX: ptx, Shared: k.Shared, NumWarps: k.NumWarps, Params: params,
		Persistent: persistent, Short: gpu.ShortLoop(in.Module),
		Scratch: devnvidia.RoundUp(k.Scratch, max(1, k.ScratchAlign)), NumCTAs: ctas,
		Cooperative: in.Options.LaunchCooperativeGrid, Overlap: in.Options.LaunchPDL, Maps: k.Maps,
		Check: k.Check, Certify: in.Options.Certify, Uniform: k.Uniform, Scopes: k.Scopes,
	}, nil
}

// ptx compiles LLVM IR to PTX and records the stage.
func (c Compiler) ptx(ctx context.Context, in *target.Input, llir []byte, maxPTX int) ([]byte, error) {
	start := time.Now()
	lib, err := llvm.Load()
	if err != nil {
		return nil, err
	}
	target, err := lib.NVPTX(c.Arch(), maxPTX)
	if err != nil {
		return nil, err
	}
	opts := llvm.Options{
		Name: in.Kernel + ".llir", Target: target, FastMath: llvm.Contract, Passes: lib.PTXPasses(),
		Entry: in.Kernel,
	}
	if in.Options.NoFPFusion {
		opts.FastMath = 0
	}
	for _, l := range in.Libs {
		opts.Link = append(opts.Link, llvm.Bitcode{Name: l.Path, Data: l.Data})
	}
	out, err := lib.Compile(ctx, llir, opts)
	if err != nil {
		return nil, err
	}
	out.Asm = in.ReplaceText("ptx", out.Asm)
	in.Stages.Record("ptx", time.Since(start), func() []byte { return out.Asm })
	return out.Asm, nil
}
