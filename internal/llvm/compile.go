package llvm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"runtime"
	"time"
)

// Options of a compilation. The zero value, with a target, is O3 with everything on.
type Options struct {
	Name   string // name of the module, for messages; "kernel.llir" if empty
	Target Target
	Level  OptLevel // level of the pipeline and of code generation
	Emit   Emit     // EmitAsm if zero

	// Passes replaces the pipeline of the level, in the notation of opt -passes; "verify" runs none.
	Passes string

	// Parts of the default pipeline to leave out or bring in. Loops and straight-line code are always
	// vectorized from O2 on (LLVM lets default<O2> have no say in it): metadata on a loop, or another
	// pipeline, prevents it.
	NoLoopUnroll    bool
	NoInterleave    bool
	MergeFunctions  bool
	InlineThreshold int  // 0 is LLVM's own
	VerifyEach      bool // check the IR after each pass

	// FastMath is added to the flags of every floating-point instruction before the passes. Contract is
	// what Triton's enable_fp_fusion does.
	FastMath FastMath

	// Link is linked into the module before the passes. All functions but Entry then become internal, and
	// unused ones are removed.
	Link  []Bitcode
	Entry string

	VerboseAsm      bool // comments in assembly
	KeepDebugTarget bool // leave ", debug" in PTX, which then runs unoptimised under a debugger
}

// OptLevel is how hard LLVM tries.
type OptLevel int

// The zero value is O3.
const (
	OptDefault OptLevel = iota
	O0
	O1
	O2
	O3
)

func (o OptLevel) level() int {
	if o == OptDefault {
		return 3
	}
	return int(o - O0)
}

func (o OptLevel) codegen() int32 { return int32(o.level()) } // LLVMCodeGenOptLevel counts alike

// Emit is what to make, as a set.
type Emit uint8

const (
	EmitAsm Emit = 1 << iota // assembly, or PTX
	EmitObj                  // an object file
	EmitIR                   // the IR after the passes
)

// Output of a compilation: what Options.Emit asked for.
type Output struct {
	Asm, Obj, IR []byte
	Warnings     []string
	Times        Times
}

// Times says where a compilation spent its time.
type Times struct{ Parse, Verify, Passes, Codegen time.Duration }

// Total is the sum.
func (t Times) Total() time.Duration { return t.Parse + t.Verify + t.Passes + t.Codegen }

// LLVM's enumerations.
const (
	returnStatus = 2 // LLVMReturnStatusAction of the verifier
	fileAssembly = 0
	fileObject   = 1
)

// Compile reads IR text, verifies it, runs the passes and makes code, all in memory. It may be called from
// many goroutines at once. When the context ends, so does the wait, with the context's cause, though LLVM
// itself works on to the end of a step in the background. Errors are *ParseError, *VerifyError, *StageError
// and *FatalError, all naming what was wrong with the IR; anything else is wrong with the target.
func (l *Lib) Compile(ctx context.Context, ir []byte, opts Options) (*Output, error) {
	if opts.Name == "" {
		opts.Name = "kernel.llir"
	}
	if opts.Emit == 0 {
		opts.Emit = EmitAsm
	}
	if opts.Emit&EmitObj != 0 && opts.Target.isPTX() { // which LLVM would say on standard error
		return nil, &StageError{Name: opts.Name, Stage: "code generation", Msg: "PTX has no object files"}
	}
	if Reuse != nil && l.slots != nil {
		return Reuse(ctx, l.key(ir, opts), func() (*Output, error) { return l.compile(ctx, ir, opts) })
	}
	return l.compile(ctx, ir, opts)
}

func (l *Lib) compile(ctx context.Context, ir []byte, opts Options) (*Output, error) {
	if err := l.acquire(ctx); err != nil {
		return nil, err
	}
	c := &compilation{lib: l, ctx: ctx, opts: opts}
	if err := guardUntil(ctx, func() error { return c.run(ir) }, l.release); err != nil {
		return nil, err
	}
	return &c.out, nil
}

// Reuse, unless nil, answers every call of Compile: with an output kept under the key, or by calling compile.
// Package llvmtest sets it, in tests.
var Reuse func(ctx context.Context, key string, compile func() (*Output, error)) (*Output, error)

// key returns a hash of everything that an output depends on, except for the code of this package.
func (l *Lib) key(ir []byte, opts Options) string {
	h := sha256.New()
	for _, b := range opts.Link {
		fmt.Fprintf(h, "%q %d\n%s", b.Name, len(b.Data), b.Data)
	}
	opts.Link = nil
	fmt.Fprintf(h, "%q %v\n%#v\n%s", l.path, l.version, opts, ir)
	return hex.EncodeToString(h.Sum(nil))
}

// acquire waits for a place among the compilations under way; release gives it back.
func (l *Lib) acquire(ctx context.Context) error {
	if l.slots == nil { // a library that is none, in tests
		return nil
	}
	select {
	case l.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l *Lib) release() {
	if l.slots != nil {
		<-l.slots
	}
}

// newSlots is room for as many compilations as LLVM may work on at once. One whose caller has gone keeps
// its place until it ends, so that those who give up early cannot fill the machine.
func newSlots() chan struct{} { return make(chan struct{}, max(16, 2*runtime.GOMAXPROCS(0))) }

// compilation is one run through LLVM. It lives on one goroutine, and owns the references.
type compilation struct {
	lib     *Lib
	ctx     context.Context
	opts    Options
	context contextRef
	machine machineRef
	module  moduleRef
	diags   *collector
	out     Output

	warpGroups bool // the IR has products of warp groups
}

func (c *compilation) run(ir []byte) error {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	var err error
	if c.machine, err = c.lib.machine(c.opts.Target, c.opts.Level); err != nil {
		return err
	}
	defer c.lib.raw.disposeMachine(c.machine)
	c.context = c.lib.raw.contextCreate()
	defer c.lib.raw.contextDispose(c.context)
	c.diags = c.lib.collect(c.context)
	defer c.diags.close()
	defer c.disposeModule()

	for _, step := range []struct {
		run  func() error
		time *time.Duration
	}{
		{func() error { return c.parse(ir) }, &c.out.Times.Parse},
		{c.link, &c.out.Times.Parse},
		{c.verify, &c.out.Times.Verify},
		{c.runPasses, &c.out.Times.Passes},
		{c.emit, &c.out.Times.Codegen},
	} {
		if c.ctx.Err() != nil {
			return context.Cause(c.ctx)
		}
		start := time.Now()
		if err := step.run(); err != nil {
			return err
		}
		*step.time += time.Since(start)
	}
	c.out.Warnings = c.diags.warnings
	return nil
}

func (c *compilation) disposeModule() {
	if c.module != 0 {
		c.lib.raw.disposeModule(c.module)
	}
}

func (c *compilation) parse(ir []byte) error {
	var message *byte
	buffer := c.lib.newBuffer(ir, c.opts.Name)
	c.warpGroups = usesWarpGroups(ir)
	if c.lib.raw.parseIR(c.context, buffer, &c.module, &message) != 0 {
		c.module = 0
		return newParseError(c.opts.Name, c.lib.take(message), ir)
	}
	return c.diags.failed(c.opts.Name, "reader")
}

// verify checks the module, after giving it the target's own triple and layout: code generation would do so
// anyway, and the passes should know.
func (c *compilation) verify() error {
	raw := &c.lib.raw
	raw.setTriple(c.module, c.opts.Target.Triple)
	layout := raw.createLayout(c.machine)
	raw.setLayout(c.module, layout)
	raw.disposeLayout(layout)

	var message *byte
	broken := raw.verifyModule(c.module, returnStatus, &message) != 0
	text := c.lib.take(message)
	if broken {
		return &VerifyError{Name: c.opts.Name, Msg: text}
	}
	return c.diags.failed(c.opts.Name, "verifier")
}

func (c *compilation) runPasses() error {
	if err := c.lib.addFastMath(c.module, c.opts.FastMath); err != nil {
		return err
	}
	passes := c.lib.tolerant(c.opts.Passes)
	if passes == "" {
		passes = fmt.Sprintf("default<O%d>", c.opts.Level.level())
	}
	if len(c.opts.Link) > 0 {
		passes = fmt.Sprintf("internalize<preserve-gv=%s>,globaldce,always-inline,%s,globaldce",
			c.opts.Entry, passes)
	}
	options := c.passOptions()
	defer c.lib.raw.disposePassOptions(options)
	if err := c.lib.takeError(c.lib.raw.runPasses(c.module, passes, c.machine, options)); err != nil {
		return &StageError{Name: c.opts.Name, Stage: "passes", Msg: err.Error()}
	}
	c.oneLaneStores()
	return c.diags.failed(c.opts.Name, "passes")
}

// plainCombine is the pass instcombine without parameters.
var plainCombine = regexp.MustCompile(`(^|[,(])instcombine([,)]|$)`)

// tolerant is a pipeline in which instcombine may leave something for its next run, as in LLVM's own
// pipelines. Named without a parameter, from LLVM 18 on it would end the process instead.
func (l *Lib) tolerant(passes string) string {
	if l.version.Major < 18 {
		return passes
	}
	for range 2 { // neighbours share a comma
		passes = plainCombine.ReplaceAllString(passes, "${1}instcombine<no-verify-fixpoint>${2}")
	}
	return passes
}

func (c *compilation) passOptions() passOptionsRef {
	raw, opts := &c.lib.raw, &c.opts
	o := raw.createPassOptions()
	for _, row := range []struct {
		set func(passOptionsRef, int32)
		on  bool
	}{
		{raw.setLoopUnrolling, !opts.NoLoopUnroll},
		{raw.setLoopInterleaving, !opts.NoInterleave},
		{raw.setMergeFunctions, opts.MergeFunctions},
		{raw.setVerifyEach, opts.VerifyEach},
	} {
		row.set(o, boolean(row.on))
	}
	if opts.InlineThreshold != 0 && raw.setInlinerThreshold != nil {
		raw.setInlinerThreshold(o, int32(opts.InlineThreshold))
	}
	return o
}

func (c *compilation) emit() error {
	if c.opts.Emit&EmitIR != 0 {
		c.out.IR = []byte(c.lib.take(c.lib.raw.printModule(c.module)))
	}
	if c.opts.Target.isGPU() {
		c.disjointSums()
		c.limitReduction()
	}
	var err error
	if c.opts.Emit&EmitAsm != 0 {
		// Code generation leaves the module in pieces: what is to be used again is cloned.
		if c.out.Asm, err = c.generate(fileAssembly, c.opts.Emit&EmitObj != 0); err != nil {
			return err
		}
		if c.opts.Target.isPTX() {
			if c.out.Asm, err = tidied(c.out.Asm, c.opts.KeepDebugTarget); err != nil {
				return &StageError{Name: c.opts.Name, Stage: "code generation", Msg: err.Error()}
			}
		}
	}
	if c.opts.Emit&EmitObj != 0 {
		c.out.Obj, err = c.generate(fileObject, false)
	}
	return err
}

func (c *compilation) generate(fileType int32, clone bool) ([]byte, error) {
	raw := &c.lib.raw
	module := c.module
	if clone {
		module = raw.cloneModule(module)
		defer raw.disposeModule(module)
	}
	raw.setAsmVerbosity(c.machine, boolean(c.opts.VerboseAsm))
	var message *byte
	var buffer bufferRef
	if raw.emitToBuffer(c.machine, module, fileType, &message, &buffer) != 0 {
		return nil, &StageError{Name: c.opts.Name, Stage: "code generation", Msg: c.lib.take(message)}
	}
	code := c.lib.takeBuffer(buffer)
	return code, c.diags.failed(c.opts.Name, "code generation")
}

func boolean(on bool) int32 {
	if on {
		return 1
	}
	return 0
}
