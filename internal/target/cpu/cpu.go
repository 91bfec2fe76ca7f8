package cpu

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/device"
	devcpu "github.com/nereid-lang/nereid/internal/device/cpu"
	"github.com/nereid-lang/nereid/internal/device/cpu/cpuid"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/middle"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/cpu/codegen"
	"github.com/nereid-lang/nereid/internal/target/cpu/gemm"
)

// passes is LLVM's pipeline. Vectors and loops are already written out, so it only cleans up.
const passes = "always-inline,function(sroa,early-cse,simplifycfg,instcombine," +
	"loop-mssa(licm),gvn,instcombine,simplifycfg)"

// Compiler compiles to native code.
type Compiler struct {
	Check bool // check accesses: one out of bounds stops the kernel
	Lines bool // add line information for debuggers and profilers

	lib  *llvm.Lib    // nil means the installed one
	chip *llvm.Target // what code is made for; nil means the host

	vector int // bytes of a vector, for tests; 0 means the host's
}

// NewCompiler returns a compiler with the environment's settings.
func NewCompiler() Compiler { return Compiler{Check: knob.Checked.Get(), Lines: knob.Lines.Get()} }

// Target returns the properties that kernels can see.
func (Compiler) Target() lang.Target { return lang.DefaultTarget }

// Stages returns the names of the stages.
func (Compiler) Stages() []string { return []string{"source", "ttir", "linalg", "llir", "asm"} }

// compile compiles the front end's module to an object file. If in.Until names an earlier stage, it stops
// there and returns nil.
func (c Compiler) compile(ctx context.Context, in *target.Input) (*devcpu.Code, error) {
	c.Check = c.Check || in.Options.Check
	if err := in.TTIR(c.Target()); err != nil || in.Until == "ttir" {
		return nil, err
	}
	err := in.Make("linalg", func() error {
		steps := []pass.Pass{middle.TritonToLinalg}
		if c.Check {
			steps = append(pass.Checks(), steps...)
		}
		return in.Run(steps)
	})
	if err != nil || in.Until == "linalg" {
		return nil, err
	}
	lib, err := c.library()
	if err != nil {
		return nil, err
	}
	host := c.targetOf(lib)
	done, ir, err := c.generate(in, host)
	if err != nil || in.Until == "llir" {
		return nil, err
	}
	start := time.Now()
	opts := llvm.Options{Name: in.Kernel + ".llir", Target: host, Level: llvm.O2, Passes: passes,
		Emit: llvm.EmitObj}
	opts.Entry = done.Entry
	for _, l := range in.Libs {
		opts.Link = append(opts.Link, llvm.Bitcode{Name: l.Path, Data: l.Data})
	}
	if in.Until == "asm" {
		opts.Emit = llvm.EmitAsm
	}
	out, err := lib.Compile(ctx, ir, opts)
	if err != nil {
		return nil, err
	}
	in.Stages.Record("asm", time.Since(start), func() []byte { return asmOf(ctx, lib, ir, opts, out) })
	if in.Until == "asm" {
		return nil, nil
	}
	done.Obj = out.Obj
	return done, nil
}

// generate makes LLVM IR, or takes the user's with its description, and records the stage. The result has no
// object file yet.
func (c Compiler) generate(in *target.Input, host llvm.Target) (done *devcpu.Code, ir []byte, err error) {
	start := time.Now()
	if in.Skips("llir") {
		if in.Given.Meta == nil {
			return nil, nil, fmt.Errorf("%s: LLVM IR for the CPU does not tell how to launch it: "+
				"give the description that --emit json wrote with it", in.Kernel)
		}
		ir = in.Given.Text
		if done, err = devcpu.Described(in.Given.Meta); err != nil {
			return nil, nil, err
		}
	} else {
		opts := c.options(host, in.Options.Overlap, in.Budget)
		opts.NoFusion, opts.Externs = in.Options.NoFPFusion, len(in.Libs) > 0
		code, err := codegen.Generate(in.Module, in.Kernel, opts)
		if err != nil {
			return nil, nil, err
		}
		done = &devcpu.Code{Entry: code.Entry, Scratch: code.Scratch, Params: code.Params, Sites: code.Sites,
			Prints: code.Prints, Checked: c.Check, Shares: code.Shares}
		for _, p := range code.Apart {
			done.Apart = append(done.Apart, target.Apart(p))
		}
		ir = in.ReplaceText("llir", append(code.IR, halfConversions(host, code.IR)...))
	}
	in.Stages.Record("llir", time.Since(start), func() []byte { return ir })
	return done, ir, nil
}

// options returns the options of the code generator. Checked code has no vectors, because the address of each
// element is checked.
func (c Compiler) options(host llvm.Target, overlap bool, meter *budget.Meter) codegen.Options {
	o := codegen.Options{
		Overlap: overlap, VectorBytes: vectorBytes(host.Features), Features: host.Features,
		Check: c.Check, Lines: c.Lines, Gemm: gemm.Host(host.Features, c.chip == nil && devcpu.Tiles()),
	}
	if c.vector > 0 {
		o.VectorBytes, o.Gemm = c.vector, gemm.Host("", false)
	}
	o.Budget = meter
	if c.Check {
		o.VectorBytes = 2
	}
	return o
}

// targetOf returns what code is made for.
func (c Compiler) targetOf(lib *llvm.Lib) llvm.Target {
	if c.chip != nil {
		return *c.chip
	}
	return hostTarget(lib)
}

// hostTarget returns this machine as a target. It switches off the features that LLVM found and that the
// loader of kept code cannot check.
func hostTarget(lib *llvm.Lib) llvm.Target {
	t := lib.HostTarget()
	t.Features = cpuid.Checkable(t.Features)
	return t
}

func (c Compiler) library() (*llvm.Lib, error) {
	if c.lib != nil {
		return c.lib, nil
	}
	return llvm.Load()
}

// asmOf returns the assembly of a compilation. If only an object file was made, it compiles again.
func asmOf(ctx context.Context, lib *llvm.Lib, ir []byte, opts llvm.Options, out *llvm.Output) []byte {
	if out.Asm != nil {
		return out.Asm
	}
	opts.Emit = llvm.EmitAsm
	again, err := lib.Compile(ctx, ir, opts)
	if err != nil {
		return []byte("; " + err.Error())
	}
	return again.Asm
}

// CompileOnly compiles without linking. The result is nil if in.Until names a stage.
func (c Compiler) CompileOnly(ctx context.Context, in *target.Input) (target.Executable, error) {
	out, err := c.compile(ctx, in)
	if err != nil || out == nil {
		return nil, err
	}
	code, err := out.Keep(in.Kernel)
	if err != nil { // it prints: only a kernel of this process can
		return nil, nil
	}
	return device.NewUnloaded("cpu", code, out.Facts()), nil
}

// Traits returns what compilations for another machine must know: nothing.
func (Compiler) Traits() device.Traits { return device.Traits{HostOnly: true} }

// Machine names the processor and its features.
func (c Compiler) Machine() string {
	lib, err := c.library()
	if err != nil {
		return ""
	}
	host := c.targetOf(lib)
	return fmt.Sprintf("%s %s %s", host.Triple, host.CPU, host.Features)
}

// vectorBytes returns the size of a vector register.
func vectorBytes(features string) int {
	for _, f := range []struct {
		name string
		n    int
	}{{"+avx512vl", 64}, {"+avx2", 32}} {
		if hasFeature(features, f.name) {
			return f.n
		}
	}
	return 16
}

func hasFeature(features, name string) bool {
	for _, f := range strings.Split(features, ",") {
		if f == name {
			return true
		}
	}
	return false
}

func describe(features string) string {
	for _, f := range []struct{ name, word string }{{"+avx512vl", "AVX-512"}, {"+avx2", "AVX2"},
		{"+neon", "NEON"}} {
		if hasFeature(features, f.name) {
			return f.word
		}
	}
	return fmt.Sprintf("vectors of %d bytes", vectorBytes(features))
}
