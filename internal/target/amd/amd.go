// Package amd compiles kernels for AMD GPUs: Triton IR to TTGIR to LLVM IR to a code object (hsaco).
package amd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/device"
	devamd "github.com/nereid-lang/nereid/internal/device/amd"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/lower"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
	"github.com/nereid-lang/nereid/internal/target/amd/hsaco"
)

// Compiler compiles for a chip. It needs LLVM but no GPU.
type Compiler struct {
	Chip     string
	Emulated bool // the device checks every access itself, and so makes checked launches possible
}

// CompilerFor returns the compiler for a chip by LLVM's name, "gfx942".
func CompilerFor(chip string) (Compiler, error) {
	if err := devamd.CheckChip(chip); err != nil {
		return Compiler{}, err
	}
	return Compiler{Chip: chip}, nil
}

func (c Compiler) lanes() int { return devamd.Lanes(c.Chip) }

// Target returns the properties that kernels can see.
func (c Compiler) Target() lang.Target {
	return lang.Target{Backend: "hip", Chip: c.Chip, WarpSize: c.lanes()}
}

// Traits returns what is fixed of devices that run the code. Triton's number of stages for HIP is 2; wide
// accesses pay; TTIR has pointers in the place of descriptors.
func (Compiler) Traits() device.Traits {
	return device.Traits{DefaultStages: 2, HasLines: true, AlignsNumbers: true, WordDescriptors: true}
}

// Stages returns the names of the stages.
func (Compiler) Stages() []string {
	return []string{"source", "ttir", "ttgir", "llir", stageAsm, stageCode}
}

// The last stages: assembly and the code object.
const (
	stageAsm  = "amdgcn"
	stageCode = devamd.StageCode
)

// Machine returns the chip, which alone runs its code.
func (c Compiler) Machine() string { return c.Chip }

// Generator names what code depends on.
func (c Compiler) Generator() string { return c.Fingerprint() }

// maxThreads bounds the threads of a workgroup.
const maxThreads = 1024

// CompileOnly compiles to a code object. The result is nil if in.Until names an earlier stage.
func (c Compiler) CompileOnly(ctx context.Context, in *target.Input) (target.Executable, error) {
	if n := in.Options.NumWarps; n*c.lanes() > maxThreads {
		return nil, diag.Refuse(fmt.Sprintf("num_warps=%d", n), "a program on %s has %d threads at most",
			c.Chip, maxThreads).Instead(fmt.Sprintf("set num_warps to %d or less", maxThreads/c.lanes()))
	}
	o, err := c.options(in.Options)
	if err != nil {
		return nil, err
	}
	if err := in.TTIR(c.Target()); err != nil || in.Until == "ttir" {
		return nil, err
	}
	if in.Given != nil && in.Given.Stage == stageCode {
		return c.given(in)
	}
	if err := c.check(in); err != nil {
		return nil, err
	}
	if err := c.ttgir(in, o); err != nil || in.Until == "ttgir" {
		return nil, err
	}
	if in.Skips("llir") {
		return nil, fmt.Errorf("%s: compiling goes on from TTIR or TTGIR, not from LLVM IR", c.Chip)
	}
	params := lower.ParamSizes(in.Module.Lookup(in.Kernel), nil)
	k, err := c.llir(in, o)
	if err != nil || in.Until == "llir" {
		return nil, err
	}
	data, err := c.code(ctx, in, k.IR)
	if err != nil || data == nil {
		return nil, err
	}
	return c.keep(data, &devamd.Code{Name: k.Name, Shared: k.Shared, NumWarps: k.NumWarps, Params: params,
		Certify: in.Options.Certify})
}

// keep returns a code object with its description.
func (c Compiler) keep(data []byte, code *devamd.Code) (target.Executable, error) {
	code.Chip = c.Chip
	meta, err := json.Marshal(code)
	if err != nil {
		return nil, err
	}
	kept := target.Code{Stage: stageCode, Data: data, Meta: meta}
	return device.NewUnloaded("hip:"+c.Chip, kept, code.Facts()), nil
}

// given returns a code object that another compiler has made of the kernel: Triton's, for one. Its
// description says how many warps and how much shared memory it wants; the parameters are those of the
// kernel's Triton IR.
func (c Compiler) given(in *target.Input) (target.Executable, error) {
	code := &devamd.Code{}
	if len(in.Given.Meta) == 0 {
		return nil, errors.New("no JSON file beside the code object says which kernel it has and how many " +
			"warps that wants")
	}
	if err := json.Unmarshal(in.Given.Meta, code); err != nil {
		return nil, fmt.Errorf("the JSON file beside the code object: %w", err)
	}
	if code.Name == "" || code.NumWarps <= 0 {
		return nil, errors.New("the JSON file beside the code object lacks Name or NumWarps")
	}
	code.Params = lower.ParamSizes(in.Module.Lookup(in.Kernel), nil)
	if err := takes(in.Given.Text, code); err != nil {
		return nil, err
	}
	return c.keep(in.Given.Text, code)
}

// takes returns an error if a code object's kernel has other parameters than its description. It may have
// more behind them: Triton's have two pointers to scratch memory.
func takes(object []byte, code *devamd.Code) error {
	o, err := gcn.Read(object)
	if err != nil {
		return err
	}
	k, err := o.Kernel(code.Name)
	if err != nil {
		return err
	}
	for i, n := range code.Params {
		if i >= len(k.Args) || k.Args[i].Size != n {
			return fmt.Errorf("parameter %d of %s, of %d bytes, is not that of the code object: "+
				"it was compiled for other arguments", i, code.Name, n)
		}
	}
	return nil
}

// check prepares code of checked launches: indices that overflow stop it. Bounds are the emulator's affair;
// GPUs do not check them.
func (c Compiler) check(in *target.Input) error {
	switch {
	case !in.Options.Check && !knob.Checked.Get():
		return nil
	case !c.Emulated:
		return diag.Refuse("Options.Check", "launches on %s cannot be checked", c.Chip).
			Instead("check the kernel on sim:gfx942, which runs the same code, or on the CPU")
	case in.Skips("ttgir"):
		return nil
	}
	return in.Run(pass.Checks())
}

// options are the options that AMD's GPUs alone have.
type options struct {
	matmul gpu.AMDMatmulOptions
	lower  lower.AMDOptions
}

// Extras returns the options, under their names in Triton.
func (Compiler) Extras() []device.Extra {
	return []device.Extra{
		{Name: "kpack", Values: []string{"0", "1", "2"}},
		{Name: "matrix_instr_nonkdim", Values: []string{"0", "16", "32"}},
		{Name: "schedule_hint", Check: func(value string) error {
			_, err := scheduleHint(value)
			return err
		}},
		{Name: "waves_per_eu", Check: func(value string) error {
			if n, err := strconv.Atoi(value); err != nil || n < 0 {
				return errors.New("expected a number")
			}
			return nil
		}},
	}
}

// options reads the options of Extras.
func (c Compiler) options(o target.Options) (out options, err error) {
	extra, err := device.ReadExtra("hip:"+c.Chip, c.Extras(), o)
	if err != nil {
		return out, err
	}
	if hint, ok := extra["schedule_hint"]; ok {
		out.lower.ILP, err = scheduleHint(hint)
	}
	for name, at := range map[string]*int{
		"waves_per_eu": &out.lower.WavesPerEU, "matrix_instr_nonkdim": &out.matmul.Tile,
		"kpack": &out.matmul.KPack,
	} {
		if text, ok := extra[name]; ok && err == nil {
			*at, err = strconv.Atoi(text)
		}
	}
	return out, err
}

// scheduleHint reads Triton's schedule_hint: names separated by commas. It reports whether LLVM is to
// schedule for parallelism; the hint for attention is left to LLVM's own judgement.
func scheduleHint(text string) (ilp bool, err error) {
	for hint := range strings.SplitSeq(text, ",") {
		switch strings.ToLower(strings.TrimSpace(hint)) {
		case "none", "attention":
		case "memory-bound-attention":
			ilp = true
		default:
			return false, errors.New("expected none, attention or memory-bound-attention")
		}
	}
	return ilp, nil
}

// ttgir takes the module to TTGIR: tensors get layouts.
func (c Compiler) ttgir(in *target.Input, o options) error {
	return in.Make("ttgir", func() error {
		return in.Run(gpu.AMDPipeline(gpu.AMDOptions{
			Machine: gpu.Machine{
				Target: "hip:" + c.Chip, ThreadsPerWarp: c.lanes(),
				NumWarps: in.Options.NumWarps, NumCTAs: in.Options.NumCTAs,
			},
			Matmul: o.matmul, NumStages: in.Options.NumStages,
		}))
	})
}

// llir lowers TTGIR to LLVM IR.
func (c Compiler) llir(in *target.Input, o options) (*lower.Kernel, error) {
	start := time.Now()
	if err := in.Run([]pass.Pass{gpu.LowerAMD}); err != nil {
		return nil, err
	}
	row := chip.Of("hip", c.Chip)
	row.WarpSize = ttg.ThreadsPerWarp(in.Module.Op)
	info := axisinfo.Module(in.Module)
	exact := info.Exact()
	k, err := lower.Lower(in.Module, in.Kernel, lower.Options{
		Vendor: lower.AMD(row, o.lower), Contiguity: info.Contiguity,
		MaskAlign: exact.MaskAlignment, Constancy: exact.Constancy,
		Runs: exact.Runs, Divisor: exact.Divisor, NotNegative: exact.NotNegative,
		Budget: in.Budget, Externs: len(in.Libs) > 0, Certify: in.Options.Certify,
	})
	if err != nil {
		return nil, err
	}
	k.IR = in.ReplaceText("llir", k.IR)
	in.Stages.Record("llir", time.Since(start), func() []byte { return k.IR })
	return k, nil
}

// code compiles LLVM IR to assembly and to a code object. It is nil if in.Until is the assembly.
func (c Compiler) code(ctx context.Context, in *target.Input, llir []byte) ([]byte, error) {
	start := time.Now()
	lib, err := llvm.Load()
	if err != nil {
		return nil, err
	}
	chip, err := lib.AMDGPU(c.Chip)
	if err != nil {
		return nil, err
	}
	opts := llvm.Options{
		Name: in.Kernel + ".llir", Target: chip, FastMath: llvm.Contract, Entry: in.Kernel,
		Emit: llvm.EmitObj,
	}
	if in.Options.NoFPFusion {
		opts.FastMath = 0
	}
	for _, l := range in.Libs {
		opts.Link = append(opts.Link, llvm.Bitcode{Name: l.Path, Data: l.Data})
	}
	// The assembly is for readers alone. Code is generated a second time for it, so only when it is asked
	// for.
	assembly := func() []byte {
		asm := opts
		asm.Emit = llvm.EmitAsm
		if out, err := lib.Compile(ctx, llir, asm); err == nil {
			return out.Asm
		}
		return nil
	}
	if in.Until == stageAsm {
		in.Stages.Record(stageAsm, time.Since(start), assembly)
		return nil, nil
	}
	out, err := lib.Compile(ctx, llir, opts)
	if err != nil {
		return nil, err
	}
	in.Stages.Record(stageAsm, time.Since(start), assembly)
	start = time.Now()
	data, err := hsaco.Link(out.Obj)
	if err != nil {
		return nil, err
	}
	in.Stages.Record(stageCode, time.Since(start), func() []byte { return data })
	return data, nil
}
