package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
	"github.com/nereid-lang/nereid/internal/signature"
)

// Compiled is a kernel compiled for one signature and one device: Kernel.Compile makes one, LoadCompiled
// reads one that was saved. It can be launched, inspected and saved. Close frees its code, or the garbage
// collector does.
type Compiled struct {
	Stages []Stage // the forms of the kernel up to its code, in order; only the code after LoadCompiled

	dev    *Device
	of     *code.Result
	build  *code.Build                 // nil if the compilation ended before there was code
	params *args.Params                // parameters that launches pass arguments for
	specs  []signature.Arg             // what each was compiled for
	last   atomic.Pointer[warm.ArgCut] // short cut to the launch before
	words  device.Spare[[warm.CutWords]uint64]

	noParams error // why params are not known, or nil

	closed  atomic.Bool
	closing sync.Once
	freed   runtime.Cleanup
}

// Stage is one form of a kernel on its way to a device.
type Stage struct {
	Name string        // "source", "ttir", "ttgir", "llir", "ptx", "cubin" ...
	Took time.Duration // time that it took to make it from the stage before
	Text []byte        // text, or bytes of machine code; nil if it was not kept

	Target string // for which it was made: "cuda:90", "hip:gfx942", "cpu", "interp"; "" in saved code
}

// CodeInfo describes compiled code. Numbers are 0 if the target has nothing of the kind, or does not tell.
type CodeInfo struct {
	Kernel    string            // name of the kernel, and of its function in the code
	Signature string            // in the form that Kernel.Compile takes
	Options   Options           // the options that it was compiled with
	Params    []CodeParam       // arguments of a launch, in the order in which the device gets them
	Constants map[string]string // values that are compiled in, as Python literals by parameter

	Target    string // target of the code: "cuda:90", "cpu"
	Compiler  string // build of Nereid that compiled it
	Generator string // what made code of it: LLVM, the driver, with their versions

	Warps     int   // warps of a block
	Threads   int   // threads of a block
	Cluster   int   // blocks of a program
	Shared    int   // bytes of shared memory of a block
	Scratch   int64 // bytes of memory that each program has for itself while it runs
	Registers int   // registers of a thread; known once a GPU has loaded the code
	Spills    int   // bytes of local memory of a thread, for spilled registers and arrays; likewise

	// Forms names the code beside this one that launches may choose, as Variant.Form does: each serves some
	// launches only, and those faster.
	Forms []string
}

// CodeParam is an argument that compiled code receives. An item of a tuple has its position behind the
// parameter's name: "shape.0".
type CodeParam struct {
	Name    string // name of the parameter
	Type    string // element type of a pointer, or type of a scalar: "fp32", "i32"
	Pointer bool   // it is the address of elements of Type
	Align16 bool   // the value, or the address, must be divisible by 16
	Offset  int    // bytes from the beginning of the block of arguments
	Size    int    // bytes in the block of arguments
	Stored  bool   // the kernel may write through the pointer
}

// NewCompiled returns the outcome of a compilation for a device. Without a device there is no code; without a
// source the code was loaded.
func NewCompiled(dev *Device, r *code.Result, src code.Source) *Compiled {
	c := &Compiled{dev: dev, of: r}
	for _, s := range r.Stages {
		c.Stages = append(c.Stages, Stage(s))
	}
	if r.Exec == nil {
		return c
	}
	c.build = code.NewBuild(r, src)
	params, specs, err := r.Saved.LaunchSpecs()
	c.params, c.specs, c.noParams = args.NewParams(params), specs, err
	if _, ok := r.Exec.(device.Kept); ok { // machine code is a stage too
		if code, err := r.Code(""); err == nil && c.Stage(code.Stage) == nil {
			c.Stages = append(c.Stages, Stage{Name: code.Stage, Text: code.Data})
		}
	}
	if d, ok := r.Exec.(device.Discarder); ok { // the collector frees the code with c, where that is safe
		c.freed = runtime.AddCleanup(c, func(d device.Discarder) { d.Discard() }, d)
	}
	return c
}

// Stage returns the text, or the bytes, of a stage of that name, or nil.
func (c *Compiled) Stage(name string) []byte {
	if c == nil {
		return nil
	}
	for _, s := range c.Stages {
		if s.Name == name && s.Text != nil {
			return s.Text
		}
	}
	return nil
}

// Info describes the code.
func (c *Compiled) Info() CodeInfo {
	if c == nil || c.of == nil {
		return CodeInfo{}
	}
	s := c.of.Saved
	f := s.Facts
	info := CodeInfo{
		Kernel: s.Kernel, Signature: s.Signature, Options: Options(s.Options),
		Constants: maps.Clone(s.Constants), Target: s.Target, Compiler: s.Compiler, Generator: s.Generator,
		Warps: f.Warps, Threads: f.Threads, Cluster: f.Cluster, Shared: f.Shared, Scratch: f.Scratch,
		Registers: f.Registers, Spills: f.Spills,
	}
	for _, a := range s.Args {
		info.Params = append(info.Params, CodeParam(a))
	}
	for _, f := range s.Forms {
		if name := code.Form(f.Way); name != "" {
			info.Forms = append(info.Forms, name)
		}
	}
	return info
}

// Close frees the code on the device; Launch then fails with ErrClosed. Launches under way run to their end,
// and the code goes with the last; on a GPU also with the last graph that may launch it. The stages stay.
// Closing twice is harmless.
func (c *Compiled) Close() error {
	if c == nil {
		return nil
	}
	var err error
	c.closing.Do(func() {
		c.closed.Store(true)
		c.last.Store(nil)
		if c.build != nil {
			c.freed.Stop()
			err = c.build.Exec.Close()
		}
	})
	return err
}

// Launch runs the code once for each program of the grid, on a stream of its device. Arguments are those that
// are not compiled in, in the order of the kernel's parameters or by name; they must fit the signature, and
// an argument that does not is an ArgumentError. As with Kernel.Launch, work on a GPU is queued.
func (c *Compiled) Launch(s *Stream, grid Grid, arguments ...any) error {
	if c == nil {
		return errNotCompiled
	}
	if c.closed.Load() {
		return errClosedCompiled
	}
	if done, err := c.last.Load().Launch(s.core(), (*[3]int)(&grid), arguments); done {
		runtime.KeepAlive(c)
		return err
	}
	if x := c.last.Load(); x.OnHost() {
		if done, err := c.launchHost(x, s, grid, arguments); done {
			runtime.KeepAlive(arguments)
			runtime.KeepAlive(c)
			return err
		}
	}
	err := c.launch(s, grid, arguments)
	runtime.KeepAlive(arguments)
	runtime.KeepAlive(c)
	if err != nil && c.of != nil {
		return ClosedMeanwhile(err, c.of.Saved.Kernel, arguments)
	}
	return err
}

// launchHost launches by the short cut of the previous launch on the CPU if the arguments fit it and do not
// overlap.
func (c *Compiled) launchHost(x *warm.ArgCut, s *Stream, grid Grid, list []any) (done bool, err error) {
	if s == nil || s.dev != c.dev {
		return false, nil
	}
	buf := c.words.Get()
	defer c.words.Put(buf)
	words, ok := x.Words(s.dev.core(), list, buf)
	if !ok || Overlapping(x.Plan.Apart, list) {
		return false, nil
	}
	g, err := ValidGrid(c.of.Saved.Kernel, grid)
	if err != nil {
		return true, err
	}
	return true, LaunchPlan(x.Plan, s, g, words, nil)
}

// launch launches the long way.
func (c *Compiled) launch(s *Stream, grid Grid, list []any) error {
	if err := c.usable(s); err != nil {
		return err
	}
	name := c.of.Saved.Kernel
	g, err := ValidGrid(name, grid)
	if err != nil {
		return err
	}
	l := &Launch{Dev: c.dev, On: s}
	defer l.Release()
	if err := c.bind(l, list); err != nil {
		return ArgError(name, err)
	}
	if l.Overlap(c.build.Apart) {
		return RefusalOf(fmt.Errorf("nereid: %s: %w", name,
			diag.Refuse("arguments that overlap", "the code assumes that they do not").
				By(c.of.Saved.Target).Instead("compile it with Options.Overlap")))
	}
	c.remember(&l.Frame, list)
	return RunError(c.build.Launch(s.ctx, s.core(), l.Work(g)), c.build)
}

// usable returns an error if the code cannot be launched on a stream.
func (c *Compiled) usable(s *Stream) error {
	switch {
	case c.of == nil:
		return errNotCompiled
	case c.closed.Load():
		return errClosedCompiled
	case c.build == nil:
		return fmt.Errorf("nereid: %s: the compilation ended before there was code to launch",
			c.of.Saved.Kernel)
	}
	if _, ok := c.of.Exec.(*device.Unloaded); ok {
		return RunError(c.of.Exec.Launch(context.Background(), nil, Grid{}, nil), nil)
	}
	if err := s.usable(); err != nil {
		return err
	}
	if s.dev != c.dev {
		return fmt.Errorf("nereid: %s: the code is on %s, and the stream on %s", c.of.Saved.Kernel,
			c.dev, s.dev)
	}
	return nil
}

// bind specializes the arguments of a launch and holds them to the signature.
func (c *Compiled) bind(l *Launch, list []any) error {
	f := &l.Frame
	if c.noParams != nil {
		return c.noParams
	}
	f.Take(list)
	if f.Opts != (device.Options{}) {
		return errors.New("the options are compiled in: an Options value is no argument of a Compiled")
	}
	f.Opts = c.of.Saved.Options
	if err := f.Match(c.params, f.list); err != nil {
		return err
	}
	if err := f.Fill(); err != nil {
		return err
	}
	if err := f.Specialize(c.params, f.Vals, l); err != nil {
		return err
	}
	return f.Fits(c.params, c.specs)
}

// remember keeps a short cut for arguments like these.
func (c *Compiled) remember(f *Frame, list []any) {
	var short args.Frame
	p := NewPlan(c.dev, c.build, len(f.Words))
	if p.Launcher != nil && len(p.Apart) > 0 || short.Specialize(c.params, f.Vals, nil) != nil ||
		!short.Reads(p.Dev) {
		return
	}
	p.Keep(&short.Look, f.Opts)
	p.Apart = ByParameter(p.Apart, c.params.Rules, p.Classes)
	c.last.Store(warm.NewArgCut(p, c.params.Rules, list, f.Vals))
}

// Save writes the code with everything that LoadCompiled needs to launch it: neither the kernel's source nor
// a compiler. It fails for a kernel whose compilation ended before there was code, and for one whose code
// belongs to this process.
func (c *Compiled) Save(w io.Writer) error {
	if c == nil || c.of == nil {
		return errNotCompiled
	}
	saved := *c.of.Saved
	code, err := c.of.Code(c.lastStage())
	if err != nil {
		return fmt.Errorf("nereid: %s cannot be saved: %w", saved.Kernel, err)
	}
	saved.Stage, saved.Meta, saved.Code = code.Stage, code.Meta, code.Data
	data, err := saved.Encode()
	if err != nil {
		return fmt.Errorf("nereid: %s cannot be saved: %w", saved.Kernel, err)
	}
	_, err = w.Write(data)
	return err
}

// LoadCompiled reads a kernel that Compiled.Save wrote and loads it on a device, without a compiler. Code for
// other processors than the device's is a Refusal. It is machine code: load only what you trust.
func LoadCompiled(dev *Device, r io.Reader) (*Compiled, error) {
	if err := dev.usable(); err != nil {
		return nil, err
	}
	s, err := code.ReadSaved(r)
	if err != nil {
		return nil, fmt.Errorf("nereid: %w", err)
	}
	return LoadSaved(dev, s)
}

// LoadSaved loads a compiled kernel on a device.
func LoadSaved(dev *Device, s *code.Saved) (*Compiled, error) {
	if _, _, err := s.LaunchSpecs(); err != nil {
		return nil, fmt.Errorf("nereid: the saved kernel %s: %w", s.Kernel, err)
	}
	on, ok := dev.b.(device.Restorer)
	if !ok {
		return nil, dev.refuse("code for "+s.Machine, "the device loads no code", "compile the kernel for it")
	}
	if err := device.Runs(dev.b, s.Stage, s.Machine); err != nil {
		return nil, dev.refuse("code for "+s.Machine, err.Error(), "compile the kernel for it")
	}
	exec, err := s.Restore(context.Background(), on)
	if err != nil {
		return nil, RefusalOf(fmt.Errorf("nereid: the saved kernel %s: %w", s.Kernel,
			diag.RefusedBy(err, dev.String())))
	}
	if f := device.FactsOf(exec); f.Registers > 0 {
		s.Facts = f // a GPU knows more than the compiler did
	}
	v := code.Variant{File: s.File, Kernel: s.Kernel, Signature: s.Signature, Options: s.Options,
		Triton: s.Triton}
	stage := code.Stage{Name: s.Stage, Text: s.Code}
	return NewCompiled(dev, &code.Result{Exec: exec, Stages: []code.Stage{stage}, Variant: v, Saved: s},
		nil), nil
}

// LaunchInfo returns, as JSON, everything that a launcher must know about the code: its symbol, the arguments
// with their places, threads, cluster, shared memory and scratch memory, constants, target, versions.
// docs/LAUNCHERS.md describes it. It fails if the compilation ended before there was code.
func (c *Compiled) LaunchInfo() ([]byte, error) {
	if c == nil || c.of == nil {
		return nil, errNotCompiled
	}
	code, err := c.of.Code(c.lastStage())
	if err != nil {
		return nil, fmt.Errorf("nereid: %s: %w", c.of.Saved.Kernel, err)
	}
	data, err := json.MarshalIndent(c.of.Saved.LaunchInfo(code), "", "  ")
	return append(data, '\n'), err
}

// lastStage returns the name of the stage that the device executes, "" if the device compiles nothing: its
// code was loaded.
func (c *Compiled) lastStage() string {
	if c.dev.usable() != nil {
		return ""
	}
	stages := c.dev.Stages()
	if len(stages) == 0 {
		return ""
	}
	return stages[len(stages)-1]
}
