// Package backend lets a program add a target to Nereid that lives in another Go module. A back end names
// itself, is handed each kernel as MLIR text at the stage that it asks for, together with what a compiler
// must know, and returns code that runs:
//
//	func init() { backend.Register(myTarget{}) }
//
// From then on nereid.OpenDevice("mine") finds it, kernels launch on it, the cache keeps its code, bundles
// have it, and `nereid devices` and `nereid compile --target mine` of a program built with it know it.
// docs/BACKENDS.md is a walk through examples/backend-c, two back ends that write C.
//
// A Target compiles. What else it does, it says by further methods: with Load (Loader) it runs code on the
// host's memory, with Devices (Driver) on devices with memory and streams of their own.
//
// The package has no types of Nereid's compiler: what crosses is text, bytes, and the types below.
//
//	backend.go   Target, Kernel, Code, Executable; Register
//	ask.go       what a target may ask for: Former, Optioned, Specializer, Compatible
//	driver.go    Driver, Device, Memory, Streams, Events
//	refuse.go    errors of what a target does not do
//	linalg.go    the middle layer by itself
//	run*.go      what makes a device of Nereid's of these
package backend

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// Stage is a form of a kernel that a back end can take over from.
type Stage string

const (
	// TTIR is Triton IR after Triton's own target-independent passes: tensors of pointers, loads and stores.
	TTIR Stage = "ttir"
	// TTGIR is Triton GPU IR: Triton IR whose tensors have layouts over the threads of a program, after the
	// passes that need no vendor's instructions. Options.NumWarps and Form.ThreadsPerWarp say how many
	// threads there are.
	TTGIR Stage = "ttgir"
	// Linalg is linalg on tensors with memref at the edges: one func.func, whose arguments are those of
	// Kernel.Params, then six i32: the size of the grid in x, y and z, and the program's own position.
	Linalg Stage = "linalg"
)

// Target is a back end. Its methods are called by several goroutines at once. One that is a Loader or a
// Driver too can run what it compiles.
type Target interface {
	// Name is what users write in nereid.OpenDevice and after --target: lower-case letters, digits and
	// dashes.
	Name() string
	// Info returns a line about the target for `nereid devices`, or why it cannot be used here and what to do
	// about it.
	Info() (string, error)
	// Input returns the stage at which the target takes a kernel over.
	Input() Stage
	// Stages names the forms that the target makes, in order, of which the last is the code that is kept:
	// "c", "so".
	Stages() []string
	// Version names everything that code depends on besides the kernel: the compiler, its flags, the chip.
	// Kept code is used where the version is the same.
	Version() string
	// Compile turns a kernel into code. When ctx ends, it should return ctx.Err().
	Compile(ctx context.Context, k *Kernel) (*Code, error)
}

// Loader is a Target that runs code on the host's memory, as one device of the target's name.
type Loader interface {
	// Load makes code ready to run in this process. It gets what a cache or a bundle keeps: the last stage
	// and Meta, and a Kernel without IR.
	Load(ctx context.Context, k *Kernel, code *Code) (Executable, error)
}

// Kernel is what a back end compiles.
type Kernel struct {
	Name string // of the function in IR
	// IR is the module at the stage that the target asked for, as MLIR text: in generic form ("op"(%operands)
	// ({regions}) {attributes} : type), which needs no knowledge of each operation's syntax, or in MLIR's
	// pretty form if the target asked for that (Former). It is nil in Load.
	IR []byte `json:"-"`
	// Params are the arguments that a launch hands over, in order.
	Params []Param
	// Constants are the values that were compiled in, as Python literals by parameter; for what must know
	// them, since IR has them too.
	Constants map[string]string
	Options   Options
	// Libs are the libraries of extern_libs, whose functions IR may call. They are nil in Load.
	Libs []Lib `json:"-"`
}

// Param is an argument that a launch hands over, as one 64-bit word.
type Param struct {
	Name    string
	Pointer bool   // the word is an address, of elements of Type
	Type    string // as signatures write it: "fp16", "i32"
	Bytes   int    // of the value, or of an element: the low bytes of a word count
	Align16 bool   // the value, or the address, is divisible by 16
}

// Options are those of a launch that a compiler may care for, under Triton's names.
type Options struct {
	NumWarps, NumStages int
	NumCTAs             int               // blocks of a program; 1 unless somebody asks for clusters
	MaxNReg             int               // registers of a thread at most; 0 means no bound
	FPFusion            bool              // products and sums may be fused: enable_fp_fusion
	Debug               bool              // assertions are checked
	CooperativeGrid     bool              // programs wait for each other: all must run at once
	Extra               map[string]string // the target's own (Optioned): nereid.Options.Extra
}

// Lib is a library that is linked into a kernel: what a file of extern_libs holds.
type Lib struct {
	Name, Path string
	Data       []byte
}

// Code is a compiled kernel as data.
type Code struct {
	Stages map[string][]byte // by the names of Target.Stages; the last is what runs
	Meta   []byte            // whatever else Load needs
}

// Saved is what is kept beside the bytes of code, as JSON: in a cache, in a bundle, in a file of
// nereid.Compiled.Save.
type Saved struct {
	Kernel *Kernel
	Meta   []byte // Code.Meta, as Compile returned it
}

// Executable is code that runs. Launches may overlap.
type Executable interface {
	// Launch runs the kernel once for each program of the grid and returns when that is done. Words are those
	// of Kernel.Params; an address is one of the device's memory, which is the host's unless the device is a
	// Memory. When ctx ends, it should stop and return ctx.Err(). Nereid does not call it on a device with
	// Streams, whose streams launch.
	Launch(ctx context.Context, grid [3]int, words []uint64) error
	// Close frees the code. It is called once, when no launch is under way.
	Close() error
}

var (
	mu      sync.Mutex
	targets []Target
	valid   = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
)

// taken are the names of Nereid's own targets.
var taken = []string{"interp", "cpu", "cuda", "hip", "sim"}

// Register adds a target, from an init function usually. A name that is taken or cannot be written is an
// error of the program, and panics.
func Register(t Target) {
	mu.Lock()
	defer mu.Unlock()
	name := t.Name()
	if !valid.MatchString(name) {
		panic(fmt.Sprintf("backend: %q is no name of a target: use lower-case letters, digits and dashes",
			name))
	}
	if slices.Contains(taken, name) || slices.ContainsFunc(targets, func(o Target) bool {
		return o.Name() == name
	}) {
		panic(fmt.Sprintf("backend: there is a target %q already", name))
	}
	targets = append(targets, t)
	core.AddOutsider(core.Outsider{Name: name, Find: func() ([]device.Device, error) { return devices(t) }})
}

// Targets returns the targets that were registered, in order.
func Targets() []Target {
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(targets)
}
