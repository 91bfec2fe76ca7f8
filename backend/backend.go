// Package backend lets a program add a target to Nereid that lives in another Go module. A back end names
// itself, is handed each kernel as MLIR text at the stage that it asks for, together with what a compiler
// must know, and returns code that runs:
//
//	func init() { backend.Register(myTarget{}) }
//
// From then on nereid.OpenDevice("mine") finds it, kernels launch on it, the cache keeps its code, and
// `nereid devices` and `nereid compile --target mine` of a program built with it know it. docs/BACKENDS.md is
// a walk through examples/backend-c, a back end that writes C.
//
// The package has no types of Nereid's compiler: what crosses is text, bytes, and the structs below.
package backend

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sync"
)

// Stage is a form of a kernel that a back end can take over from.
type Stage string

const (
	// TTIR is Triton IR after Triton's own target-independent passes: tensors of pointers, loads and stores.
	TTIR Stage = "ttir"
	// Linalg is linalg on tensors with memref at the edges: one func.func, whose arguments are those of
	// Kernel.Params, then six i32: the size of the grid in x, y and z, and the program's own position.
	Linalg Stage = "linalg"
)

// Target is a back end. Its methods are called by several goroutines at once.
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
	// Load makes code ready to run in this process: what Compile has just returned, or what a cache has kept
	// of it.
	Load(ctx context.Context, k *Kernel, code *Code) (Executable, error)
}

// Kernel is what a back end compiles.
type Kernel struct {
	Name string // of the function in IR
	// IR is the module at the stage that the target asked for, as MLIR text in generic form ("op"(%operands)
	// ({regions}) {attributes} : type), which needs no knowledge of each operation's syntax. It is nil for a
	// kernel that comes from a cache.
	IR []byte
	// Params are the arguments that a launch hands over, in order.
	Params []Param
	// Constants are the values that were compiled in, as Python literals by parameter; for what must know
	// them, since IR has them too.
	Constants map[string]string
	Options   Options
}

// Param is an argument that a launch hands over, as one 64-bit word.
type Param struct {
	Name    string
	Pointer bool   // the word is an address, of elements of Type
	Type    string // as signatures write it: "fp16", "i32"
	Bytes   int    // of the value, or of an element: the low bytes of a word count
	Align16 bool   // the value, or the address, is divisible by 16
}

// Options are those of a launch that a compiler may care for.
type Options struct {
	NumWarps, NumStages int
	Debug               bool              // assertions are checked
	Extra               map[string]string // the target's own: nereid.Options.Extra
}

// Code is a compiled kernel as data.
type Code struct {
	Stages map[string][]byte // by the names of Target.Stages; the last is what runs
	Meta   []byte            // whatever else Load needs
}

// Executable is code that runs. Launches may overlap.
type Executable interface {
	// Launch runs the kernel once for each program of the grid and returns when that is done. Words are those
	// of Kernel.Params; an address is one of the host's memory. When ctx ends, it should stop and return
	// ctx.Err().
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
}

// Targets returns the targets that were registered, in order.
func Targets() []Target {
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(targets)
}
