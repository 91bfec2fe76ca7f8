package nvidia

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/lower"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/rules"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/uniform"
)

// Compiler compiles to PTX for a compute capability. It needs LLVM but no GPU.
type Compiler struct {
	Capability int
	NoMaps     bool // descriptors do not become tensor maps, because nobody can make them at a launch

	// What an attempt does without (restarts): pipelines with more stages than asked for, stores and loads of
	// tiles by the copy engine, persistent programs, ping-pong of warp groups.
	shallow, noTileStores, noTiles, noPersist, noTurns bool
}

// Target returns the properties that kernels can see.
func (c Compiler) Target() lang.Target {
	return lang.Target{Backend: "cuda", Arch: c.Capability, WarpSize: 32}
}

// HasLines reports that code has line information: PTX has it, as Triton's does.
func (Compiler) HasLines() bool { return true }

// AlignsNumbers says that wide accesses pay.
func (Compiler) AlignsNumbers() bool { return true }

// Stages returns the names of the stages.
func (Compiler) Stages() []string { return []string{"source", "ttir", "ttgir", "llir", "ptx", "cubin"} }

// name returns the target in Triton's notation.
func (c Compiler) name() string { return fmt.Sprintf("cuda:%d", c.Capability) }

// chip returns the row of the GPU.
func (c Compiler) chip() chip.Chip { return chip.CUDA(c.Capability) }

// Arch returns the name of the architecture for LLVM and the assembler.
func (c Compiler) Arch() string { return c.chip().Own }

// Code is a compiled kernel.
type Code struct {
	Name     string
	PTX      []byte
	Shared   int // bytes of dynamic shared memory
	NumWarps int
	Params   []int // sizes of the arguments in bytes

	// Scratch is the number of bytes of global memory that each program has for itself. If not 0, the kernel
	// has one more parameter: their address.
	Scratch int `json:",omitempty"`

	NumCTAs     int  `json:",omitempty"` // blocks of a cluster, which is one program; 0 means 1
	Cooperative bool `json:",omitempty"`
	Overlap     bool `json:",omitempty"` // programmatic dependent launch

	// Sharing is the number of blocks per SM in the launches for which the code is made (device.Way). Depths
	// holds the total stages of its pipelines by the number of blocks per SM; nil if they are the same for
	// all launches.
	Sharing int   `json:",omitempty"`
	Depths  []int `json:",omitempty"`

	// Maps describes the arguments that are tensor maps. A launch has words for each: those of
	// target.Descriptor.Words. It has none for maps with a Tile, which are made of the other arguments.
	Maps []lower.TensorMap `json:",omitempty"`

	// Check describes checked code. If not nil, the kernel has more parameters at its end, and launches tell
	// them the bounds of the arguments.
	Check *lower.Check `json:",omitempty"`

	Certify bool `json:",omitempty"` // floats are elements of a ring, which only the simulator has

	// Assembled says how a GPU has assembled the PTX, which will be assembled in the same way wherever it is
	// loaded; empty for PTX that no GPU has seen.
	Assembled string `json:",omitempty"`

	// Merge is the number of programs that large launches should have as one, in code of their own; 0 means
	// 1. Merged is that number for such code. Strides holds the arguments that are 1 in launches of further
	// such code; it is empty if there is none.
	Merge   int   `json:",omitempty"`
	Merged  int   `json:",omitempty"`
	Strides []int `json:",omitempty"`

	// Persistent code has three more parameters at its end, the sizes of the grid, and is launched with at
	// most as many programs as the GPU has SMs. Short is the condition under which launches should run
	// persistent code rather than other code; nil for persistent code says that it always holds.
	Persistent bool         `json:",omitempty"`
	Short      tt.TileGuard `json:",omitempty"`

	// Uniform computes the words of the last parameter from the others; nil if the host computes nothing.
	Uniform *uniform.Program `json:",omitempty"`

	// Rules holds the overrides of rules that launches and assembling read, as rules.Set.Text writes them.
	Rules string `json:",omitempty"`

	// GridStride and Recurrence say that launches have few programs, which the assembler should give many
	// registers: the programs stride over the grid, or share out the heads and columns of a recurrence.
	GridStride bool `json:",omitempty"`
	Recurrence bool `json:",omitempty"`

	rules *rules.Set // values of the rules: the module's, or those in Rules

	guards *guardTable // cached results of evaluating tile guards
}

// ScratchBytes returns the scratch memory that a launch needs in all.
func (k *Code) ScratchBytes(grid [3]int) int { return k.Scratch * grid[0] * grid[1] * grid[2] }

// gridWords is the number of parameters of persistent code that say what the grid is.
const gridWords = 3

// Stays reports whether a launch should run persistent code instead of this one: it has more programs than
// the GPU has SMs, and their loops are short.
func (k *Code) Stays(grid [3]int, words []uint64, sms int) bool {
	return k.Short != nil && !k.Persistent && grid[0]*grid[1]*grid[2] > sms &&
		k.guarded(k.Short, grid, words)
}

// Staying returns the grid in which persistent code is launched on a GPU with that many SMs.
func (k *Code) Staying(grid [3]int, sms int) [3]int {
	if !k.Persistent {
		return grid
	}
	return [3]int{min(sms, grid[0]*grid[1]*grid[2]), 1, 1}
}

// Count returns the number of programs of a grid, or an error for a grid that no GPU runs: blocks are counted
// in 31 bits along x, where each block of a cluster counts, and in 16 bits along y and z.
func (k *Code) Count(grid [3]int) (int, error) {
	n, err := device.CountPrograms(grid, [3]int{math.MaxInt32 / max(1, k.NumCTAs), math.MaxUint16,
		math.MaxUint16})
	if err == nil && k.Scratch > 0 && n > maxScratch/k.Scratch {
		err = diag.Refuse(fmt.Sprintf("the grid %v", grid), "its %d programs need %d bytes of memory each",
			n, k.Scratch)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", k.Name, err)
	}
	return n, nil
}

// maxScratch bounds the scratch memory of a launch: more than any GPU has.
const maxScratch = 1 << 46

// config returns the driver's launch configuration.
func (k *Code) config(grid [3]int) driver.Config {
	c := driver.Config{
		Grid:        driver.Dim3{X: uint32(grid[0]), Y: uint32(grid[1]), Z: uint32(grid[2])},
		Block:       driver.Dim3{X: uint32(32 * k.NumWarps), Y: 1, Z: 1},
		Shared:      uint32(k.Shared),
		Cooperative: k.Cooperative,
		Overlap:     k.Overlap,
	}
	if k.Merged > 1 {
		c.Grid.X /= uint32(k.Merged)
	}
	if k.NumCTAs > 1 { // the driver counts blocks, the caller programs
		c.Cluster = driver.Dim3{X: uint32(k.NumCTAs), Y: 1, Z: 1}
		c.Grid.X *= uint32(k.NumCTAs)
	}
	return c
}

// Compile compiles the front end's module to PTX. If in.Until names an earlier stage, it stops there and
// returns nil.
func (c Compiler) Compile(ctx context.Context, in *target.Input, maxPTX int) (*Code, error) {
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

// tell adds the knowledge to code.
func (k knowledge) tell(code *Code, in *target.Input) {
	code.GridStride, code.Recurrence = k.gridStride || code.Persistent, k.recurrence
	code.Merge, code.Merged, code.Strides = k.merge, in.Way.Merge, k.strides
	code.rules, code.Rules = k.rules, k.rules.Text()
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
	case in.Until != stageCubin:
		return c.unloaded(code, "ptx", code.PTX)
	}
	start := time.Now()
	best, err := c.assembleBest(code, c.byPtxas(ctx))
	if err != nil {
		return nil, err
	}
	in.Stages.Record(stageCubin, time.Since(start), func() []byte { return best.cubin })
	return c.unloaded(code, stageCubin, best.cubin)
}

// unloaded returns code in the form of a stage as an executable that cannot be launched.
func (c Compiler) unloaded(code *Code, stage string, data []byte) (target.Executable, error) {
	kept, err := code.Keep(stage, data)
	if err != nil {
		return nil, err
	}
	facts := code.Facts()
	if stage == stageCubin {
		u := cubinUse(data)
		facts.Registers, facts.Spills = u.registers, u.stack
	}
	return device.NewUnloaded(c.name(), kept, facts), nil
}

// Facts returns what is known of the code before a GPU loads it.
func (k *Code) Facts() target.Facts {
	f := target.Facts{
		Entry: k.Name, Warps: k.NumWarps, Threads: 32 * k.NumWarps, Cluster: max(1, k.NumCTAs),
		Shared: k.Shared, Scratch: int64(k.Scratch), Params: k.Params, Checked: k.Check != nil,
	}
	for _, m := range k.Maps {
		if m.Tile == nil {
			f.Maps = append(f.Maps, m.Param)
		}
	}
	return f
}

// Machine returns the architecture.
func (c Compiler) Machine() string { return c.Arch() }

// FromTTGIR compiles a module that is already TTGIR, or goes on from the text of a later stage.
func (c Compiler) FromTTGIR(ctx context.Context, in *target.Input, maxPTX int) (*Code, error) {
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
		params = params[:len(params)-gridWords]
	}
	return &Code{
		Name: k.Name, PTX: ptx, Shared: k.Shared, NumWarps: k.NumWarps, Params: params,
		Persistent: persistent, Short: gpu.ShortLoop(in.Module),
		Scratch: roundUp(k.Scratch, max(1, k.ScratchAlign)), NumCTAs: ctas,
		Cooperative: in.Options.LaunchCooperativeGrid, Overlap: in.Options.LaunchPDL, Maps: k.Maps,
		Check: k.Check, Certify: in.Options.Certify, Uniform: k.Uniform, guards: &guardTable{},
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

// portableCTAs is the largest cluster that every GPU from sm_90 on supports.
const portableCTAs = 8
