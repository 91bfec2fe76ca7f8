// Package target says what a device must do to run kernels: compile Triton IR for itself, hold memory, launch.
//
// Each back end lives in a package of its own below this one and knows no other. The root package ties them together.
package target

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pass"
)

// Options are the launch options that a compiled kernel depends on, as Triton names them.
//
// Each field says whether code depends on it (`code:"yes"` or `code:"no"`): those that it does are part of a kernel's key in the cache.
type Options struct {
	NumWarps  int  `json:"num_warps" code:"yes"`
	NumStages int  `json:"num_stages" code:"yes"`
	NumCTAs   int  `json:"num_ctas" code:"yes"`
	MaxNReg   int  `json:"maxnreg,omitempty" code:"yes"`
	Debug     bool `json:"debug,omitempty" code:"yes"`

	NoDebug            bool `json:"no_debug,omitempty" code:"no"`              // debug=False: undoes @triton.jit(debug=True)
	NoSanitizeOverflow bool `json:"no_sanitize_overflow,omitempty" code:"yes"` // sanitize_overflow=False: debug does not check integers for overflow

	// How the kernel is launched; other devices than GPUs have no use for it.
	LaunchCooperativeGrid bool `json:"launch_cooperative_grid,omitempty" code:"yes"` // the programs of a grid all run at once, and may wait for each other
	LaunchPDL             bool `json:"launch_pdl,omitempty" code:"yes"`              // programmatic dependent launch: may begin before the kernel before it ends

	Overlap bool `json:"overlap,omitempty" code:"yes"` // nothing is assumed of arguments whose memory overlaps

	Check bool `json:"check,omitempty" code:"yes"` // accesses out of bounds, and indices that overflow int32, stop the kernel

	// Extra is for back ends from outside: their own options, as "name=value,name=value".
	Extra string `json:"extra,omitempty" code:"yes"`
}

// ExtraMap returns the options of Extra by name.
func (o Options) ExtraMap() map[string]string {
	m := map[string]string{}
	for _, pair := range strings.Split(o.Extra, ",") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			m[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return m
}

// Key is the options that code depends on, as text.
func (o Options) Key() string {
	var b strings.Builder
	v := reflect.ValueOf(o)
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Tag.Get("code") == "yes" {
			fmt.Fprintf(&b, "%s=%v ", f.Name, v.Field(i))
		}
	}
	return b.String()
}

// Defaults fills in what is not set.
func (o Options) Defaults() Options {
	if o.NumWarps == 0 {
		o.NumWarps = 4
	}
	if o.NumStages == 0 {
		o.NumStages = 3
	}
	if o.NumCTAs == 0 {
		o.NumCTAs = 1
	}
	return o
}

// Param is an argument that a launch hands over, as one word.
type Param struct {
	Name    string
	Pointer bool   // the word is an address, of elements of Type
	Type    string // as signatures write it
	Bytes   int    // of the value, or of an element
	Align16 bool   // the value, or the address, is divisible by 16
}

// Input is a kernel to be compiled.
type Input struct {
	Module  *ir.Module // as the front end made it; the back end may change it
	Kernel  string     // the name of its function
	Options Options

	Params    []Param           // what launches hand over
	Constants map[string]string // what is compiled in, as Python literals by parameter

	Stages Recorder // sees each stage; may be nil
	Until  string   // stop after this stage; "" goes to the end

	// Override is the text that takes the place of a stage, or nil; the function may be nil itself.
	Override func(stage string) []byte

	Passes pass.Options // what is done around passes
	Dump   io.Writer    // gets what Passes has printed

	Budget *budget.Meter // of the whole compilation; nil bounds nothing
}

// Run runs passes over the input's module.
func (in *Input) Run(passes []pass.Pass) error {
	ctx := &pass.Context{Options: in.Passes, Dump: in.Dump, Budget: in.Budget}
	ctx.DumpAfter = nil
	for _, n := range in.Passes.DumpAfter { // each pipeline prints those that it has
		if _, ok := pass.Lookup(passes, n); ok || n == "all" {
			ctx.DumpAfter = append(ctx.DumpAfter, n)
		}
	}
	return pass.Run(ctx, in.Module, passes)
}

// Recorder is told of each stage of a compilation: its name, how long it took, and its content, which is made only if asked for.
type Recorder func(stage string, took time.Duration, text func() []byte)

// Replace puts the user's module in the place of a stage of MLIR text if there is one.
func (in *Input) Replace(stage string) error {
	text := in.ReplaceText(stage, nil)
	if text == nil {
		return nil
	}
	m, err := ir.Parse(diag.NewFileSet(), in.Kernel+"."+stage, text)
	if err != nil {
		return err
	}
	in.Module = m
	return ir.Verify(m.Op)
}

// ReplaceText is the user's text in the place of a stage, or the stage's own.
func (in *Input) ReplaceText(stage string, own []byte) []byte {
	if in.Override != nil {
		if text := in.Override(stage); text != nil {
			return text
		}
	}
	return own
}

// Record calls r unless it is nil.
func (r Recorder) Record(stage string, took time.Duration, text func() []byte) {
	if r != nil {
		r(stage, took, text)
	}
}

// Backend is a device.
type Backend interface {
	// Name is what the user calls it: "interp", "cpu", "cuda:0". Info is a line about it.
	Name() string
	Info() string
	// Target is what kernels see of it.
	Target() lang.Target
	// Stages are the names of what a compilation makes, in order, the last being what is executed.
	Stages() []string
	// Compile makes an executable.
	Compile(ctx context.Context, in *Input) (Executable, error)
	// Alloc is memory that kernels can use.
	Alloc(size int) (Buffer, error)
	// Wrap is memory that the caller keeps; only devices that share the host's memory have it.
	Wrap(data []byte) (Buffer, error)
	// NewStream is a queue of launches and copies.
	NewStream() (Stream, error)
}

// Describer is a device that takes tensor descriptors made by the host.
type Describer interface {
	// Describe is the words by which a kernel is handed a descriptor of a tensor of the given element size, and a function that
	// ends its use.
	Describe(d Descriptor) (words []uint64, release func(), err error)
}

// Descriptor describes a tensor in memory.
type Descriptor struct {
	Base     uint64
	Shape    []int64
	Strides  []int64 // in elements
	Block    []int64
	ElemSize int
	NaN      bool // loads outside the tensor give NaN, not zero
}

// Words are a descriptor taken apart, as a kernel without hardware for it takes one: base, shape, strides, and whether padding is NaN.
func (d Descriptor) Words() []uint64 {
	words := []uint64{d.Base}
	for _, list := range [][]int64{d.Shape, d.Strides} {
		for _, n := range list {
			words = append(words, uint64(n))
		}
	}
	if d.NaN {
		return append(words, 1)
	}
	return append(words, 0)
}

// Keeper is a device whose compiled kernels can be kept and loaded again, by other processes too.
type Keeper interface {
	// Fingerprint names all that code depends on besides the kernel and its options: the code generator and its version, the
	// architecture, its features. Two devices of one fingerprint can run each other's code. It is "" where no code can be made.
	Fingerprint() string
	// Located reports whether code says where in its file a kernel stands, by line information for instance.
	Located() bool
	// Restore is the executable that Code was taken from.
	Restore(ctx context.Context, kernel string, code Code) (Executable, error)
}

// Adopter is a Keeper that can run what is kept without being able to compile: its own Fingerprint is "" then.
type Adopter interface {
	// Adopts reports whether code under a fingerprint of a device like this one runs here.
	Adopts(fingerprint string) bool
}

// Kept is an executable that can be kept.
type Kept interface{ Code() (Code, error) }

// Code is an executable as data.
type Code struct {
	Stage string // "ptx", "cubin", "obj"
	Data  []byte
	Meta  []byte // what else it needs, as JSON
}

// Timer is a device that measures work with a clock of its own.
type Timer interface {
	// Measure runs f over and over on the stream, for warmup and then for rep, with cold caches each time, and returns how long each run
	// of the second part took on the device.
	Measure(s Stream, warmup, rep time.Duration, f func() error) ([]time.Duration, error)
}

// GraphTimer is a Timer that can measure recorded work.
type GraphTimer interface {
	// MeasureGraph records f as often as fits into rep and replays that a few times. It returns the time of a run in each.
	MeasureGraph(s Stream, rep time.Duration, f func() error) ([]time.Duration, error)
}

// Queue is a stream that changes memory of its device in order with its work, without waiting.
type Queue interface {
	Zero(b Buffer, at, n int) error
	Copy(to Buffer, toAt int, from Buffer, fromAt, n int) error
}

// Buffer is memory of a device.
type Buffer interface {
	Addr() uint64
	Size() int
	// Host is the memory itself where the host can touch it, else nil.
	Host() []byte
	Read(at int, into []byte) error
	Write(at int, from []byte) error
	io.Closer
}

// Executable is a compiled kernel.
type Executable interface {
	// Launch runs the kernel with the arguments' bits, one word each, in the order of the function's arguments.
	Launch(ctx context.Context, s Stream, grid [3]int, args []uint64) error
	io.Closer
}

// Apart is a pair of arguments, by their words, whose memory must not overlap for the code to be right.
type Apart struct {
	A, B    int
	OrEqual bool // they may also be the same pointer
}

// Assuming is an executable that is right only where arguments do not overlap. Code that was made with Options.Overlap assumes nothing.
type Assuming interface{ Apart() []Apart }

// Memory is the memory behind one argument of a launch that is a pointer.
type Memory struct {
	Word      int    // the argument's place among the words of the launch
	Lo, Hi    uint64 // the tensor's own bytes [Lo, Hi): an access through the argument stays inside
	Base, End uint64 // the block of memory that the tensor is a part of
}

// Bounded is an executable that must know the memory behind its arguments: one that checks accesses, or runs in another process.
type Bounded interface {
	Executable
	// Bounded reports whether launches must use LaunchBounded: Launch is an error then.
	Bounded() bool
	// LaunchBounded is Launch with the memory of the arguments that are pointers, in the order of their words.
	LaunchBounded(ctx context.Context, s Stream, grid [3]int, args []uint64, mem []Memory) error
}

// Narrower is a buffer of a device with addresses of its own, of which a launch can be lent a part: accesses beyond the part are then
// out of bounds.
type Narrower interface {
	// Narrow lends bytes lo to hi. The part's address has the alignment that the bytes have in the whole.
	Narrow(lo, hi int) (Buffer, error)
}

// Discarder is an executable whose launches are done when Launch returns, so that it can be closed as soon as nobody holds it.
type Discarder interface{ Discard() }

// Stream is a queue of work.
type Stream interface {
	Sync() error
	io.Closer
}

// Recording is a stream whose work can be recorded as a graph.
type Recording interface {
	// Capture records what f queues, instead of doing it.
	Capture(f func() error) (Graph, error)
	// Capturing reports whether work is being recorded, by whomever.
	Capturing() (bool, error)
}

// Graph is recorded work.
type Graph interface {
	Launch(Stream) error
	io.Closer
}

// Foreign is a device that takes streams made by somebody else.
type Foreign interface {
	ExternalStream(handle uintptr) (Stream, error)
}

// Addressed is a device that takes memory which somebody else has allocated on it.
type Addressed interface {
	// At is the memory at an address of the device. Closing it leaves the memory alone.
	At(addr uint64, size int) (Buffer, error)
}

// Text is a module as text, with locations.
func Text(m *ir.Module) []byte {
	var b bytes.Buffer
	if err := ir.Print(&b, m.Op, ir.PrintOptions{Locs: true}); err != nil {
		return []byte("// " + err.Error())
	}
	return b.Bytes()
}

// TTIR runs the passes of the stage ttir on the input's module and records the stage. Every back end begins with it.
func (in *Input) TTIR(t lang.Target) error {
	start := time.Now()
	if err := in.Run(pass.TTIR(pass.TTIRFor(t.Backend, t.Arch))); err != nil {
		return err
	}
	if err := in.Replace("ttir"); err != nil {
		return err
	}
	in.Stages.Record("ttir", time.Since(start), func() []byte { return Text(in.Module) })
	return nil
}
