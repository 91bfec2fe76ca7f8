package run

// Made by TestDoors of internal/arch from internal/runtime/core. DO NOT EDIT.

import (
	"io"

	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// The element types have Triton's names.
const (
	Invalid     = core.Invalid
	Bool        = core.Bool // i1, stored in a byte
	Int8        = core.Int8
	Int16       = core.Int16
	Int32       = core.Int32
	Int64       = core.Int64
	Uint8       = core.Uint8
	Uint16      = core.Uint16
	Uint32      = core.Uint32
	Uint64      = core.Uint64
	Float16     = core.Float16
	BFloat16    = core.BFloat16
	Float32     = core.Float32
	Float64     = core.Float64
	Float8E4NV  = core.Float8E4NV
	Float8E5    = core.Float8E5
	Float8E4B8  = core.Float8E4B8
	Float8E5B16 = core.Float8E5B16
	Float8E4B15 = core.Float8E4B15
)

// The values of Debug.
const (
	DebugDefault = core.DebugDefault // as the kernel's decorator says: @triton.jit(debug=True)
	DebugOn      = core.DebugOn      // debug=True
	DebugOff     = core.DebugOff     // debug=False, against the decorator
)

// Errors for errors.Is.
var (
	// ErrNoDevice is wrapped by the error of OpenDevice for a device that this machine does not have.
	ErrNoDevice = core.ErrNoDevice
	// ErrClosed is wrapped by errors of using a tensor, stream, graph, bound or compiled kernel after Close,
	// or while another goroutine closes it.
	ErrClosed = core.ErrClosed
	// ErrCapturing is wrapped by the error of a launch on a stream that is being captured if it would have to
	// compile, tune, or copy host memory: such work cannot be captured. Launch once before, or warm the
	// kernel up, with tensors on the device.
	ErrCapturing = core.ErrCapturing
)

// Abilities says what a device is and has, for programs that choose by it. Its name is for users to read.
//
// Its fields:
//
//	GPU bool // runs code for GPUs: a real one, or a simulated one
//	Simulated bool // its results are those of the hardware, its times are not
//	Interprets bool // runs Triton IR itself, some 40 times slower than native code
//	HostMemory bool // kernels use the host's memory in place
//	Graphs bool // Stream.Capture records work
type Abilities = core.Abilities

// Absent is a kind of device that this machine does not have.
//
// Its fields:
//
//	Kind string // "cuda", "cpu"
//	Why error // what is missing, and what to do about it
type Absent = core.Absent

// Arena is memory of a device for the scratch tensors of launches: it is allocated once, tensors are taken
// from it one behind the other, and Reset takes all of them back.
//
// Its methods:
//
//	func (a *Arena) Close() error
//
// Close frees the memory. Its tensors must not be used afterwards, and Tensor returns no more of them.
//
//	func (a *Arena) Peak() int
//
// Peak returns the most bytes that were taken at once, which is how large the arena has to be.
//
//	func (a *Arena) Reset()
//
// Reset takes back all tensors: their memory goes to those that Tensor returns from now on. Launches of one
// stream run in order, so a launch may be given such memory while an earlier one on the same stream still
// uses it; work on other streams must be done.
//
//	func (a *Arena) Tensor(dt DType, shape ...int) *Tensor
//
// Tensor returns a tensor of the arena. It holds what its memory held before: nothing is cleared. If there is
// not enough memory left, its Err says so.
type Arena = core.Arena

// ArgumentError is the error of an argument that a kernel cannot take, or of an argument list that does not
// match its parameters.
//
// Its fields:
//
//	Kernel string // name of the kernel
//	Param string // name of the parameter; "" if the list as a whole is wrong
//	Err error // the reason
//
// Its methods:
//
//	func (e *ArgumentError) Error() string
//
// Error returns the kernel, the parameter and the reason.
//
//	func (e *ArgumentError) Unwrap() error
//
// Unwrap returns Err.
type ArgumentError = core.ArgumentError

// BF16 holds the bits of a bfloat16, the upper half of a float32.
//
// Its fields:
//
//	Bits uint16
//
// Its methods:
//
//	func (h BF16) Float() float64
//
// Float returns the value.
type BF16 = core.BF16

// CodeInfo describes compiled code. Numbers are 0 if the target has nothing of the kind, or does not tell.
//
// Its fields:
//
//	Kernel string // name of the kernel, and of its function in the code
//	Signature string // in the form that Kernel.Compile takes
//	Options Options // the options that it was compiled with
//	Params []CodeParam // arguments of a launch, in the order in which the device gets them
//	Constants map[string]string // values that are compiled in, as Python literals by parameter
//	Target string // target of the code: "cuda:90", "cpu"
//	Compiler string // build of Nereid that compiled it
//	Generator string // what made code of it: LLVM, the driver, with their versions
//	Warps int // warps of a block
//	Threads int // threads of a block
//	Cluster int // blocks of a program
//	Shared int // bytes of shared memory of a block
//	Scratch int64 // bytes of memory that each program has for itself while it runs
//	Registers int // registers of a thread; known once a GPU has loaded the code
//	Spills int // bytes of local memory of a thread, for spilled registers and arrays; likewise
//	// Forms names the code beside this one that launches may choose, as Variant.Form does: each serves some
//	// launches only, and those faster.
//	Forms []string
type CodeInfo = core.CodeInfo

// CodeParam is an argument that compiled code receives. An item of a tuple has its position behind the
// parameter's name: "shape.0".
//
// Its fields:
//
//	Name string // name of the parameter
//	Type string // element type of a pointer, or type of a scalar: "fp32", "i32"
//	Pointer bool // it is the address of elements of Type
//	Align16 bool // the value, or the address, must be divisible by 16
//	Offset int // bytes from the beginning of the block of arguments
//	Size int // bytes in the block of arguments
//	Stored bool // the kernel may write through the pointer
type CodeParam = core.CodeParam

// Compiled is a kernel compiled for one signature and one device: Kernel.Compile makes one, LoadCompiled
// reads one that was saved. It can be launched, inspected and saved. Close frees its code, or the garbage
// collector does.
//
// Its fields:
//
//	Stages []Stage // the forms of the kernel up to its code, in order; only the code after LoadCompiled
//
// Its methods:
//
//	func (c *Compiled) Close() error
//
// Close frees the code on the device; Launch then fails with ErrClosed. Launches under way run to their end,
// and the code goes with the last; on a GPU also with the last graph that may launch it. The stages stay.
// Closing twice is harmless.
//
//	func (c *Compiled) Info() CodeInfo
//
// Info describes the code.
//
//	func (c *Compiled) Launch(s *Stream, grid Grid, arguments ...any) error
//
// Launch runs the code once for each program of the grid, on a stream of its device. Arguments are those that
// are not compiled in, in the order of the kernel's parameters or by name; they must fit the signature, and
// an argument that does not is an ArgumentError. As with Kernel.Launch, work on a GPU is queued.
//
//	func (c *Compiled) LaunchInfo() ([]byte, error)
//
// LaunchInfo returns, as JSON, everything that a launcher must know about the code: its symbol, the arguments
// with their places, threads, cluster, shared memory and scratch memory, constants, target, versions.
// docs/LAUNCHERS.md describes it. It fails if the compilation ended before there was code.
//
//	func (c *Compiled) Save(w io.Writer) error
//
// Save writes the code with everything that LoadCompiled needs to launch it: neither the kernel's source nor
// a compiler. It fails for a kernel whose compilation ended before there was code, and for one whose code
// belongs to this process.
//
//	func (c *Compiled) Stage(name string) []byte
//
// Stage returns the text, or the bytes, of a stage of that name, or nil.
//
//	func (c *Compiled) WriteTritonCache(dir string) (string, error)
//
// WriteTritonCache writes the stages of a kernel for a GPU below a folder, in the layout of the cache of
// Triton 3.6, and returns the folder of the kernel:
//
//	HASH/NAME.source, .ttir, .ttgir, .llir, .ptx, .cubin (for AMD .amdgcn, .hsaco)
//	HASH/NAME.json          what Triton's CompiledKernel reads: target, options, shared memory
//	HASH/__grp__NAME.json   the files that belong together
//
// Programs that read Triton's cache read it. Triton itself does not take code from it for its own
// compilations: its hashes are those of its own compiler.
type Compiled = core.Compiled

// Const is a value that is compiled in although its parameter is no constexpr, as tl.constexpr(v) in Python.
// It is mostly used for items of a tuple.
//
// Its fields:
//
//	Value any
type Const = core.Const

// Crash is the error of an isolated launch whose process died.
//
// Its fields:
//
//	Kernel string // name of the kernel
//	Signal string // "SIGSEGV", or "" if there was none
//	Detail string // last output of the process, or how it ended
//
// Its methods:
//
//	func (e *Crash) Error() string
//
// Error returns the kernel and how its process ended.
//
//	func (e *Crash) Unwrap() error
//
// Unwrap returns the device's own error.
type Crash = core.Crash

// DType is the type of a tensor's elements.
//
// Its methods:
//
//	func (t DType) Decode(bits uint64) float64
//
// Decode returns the value of an element's bits; integers beyond 2^53 lose precision.
//
//	func (t DType) Encode(v float64) uint64
//
// Encode returns the bits of a value, rounded to the type. Integers wrap around.
//
//	func (t DType) IsFloat() bool
//
// IsFloat reports whether the type is a floating point type.
//
//	func (t DType) Size() int
//
// Size returns the number of bytes of an element, 0 for an invalid type.
//
//	func (t DType) String() string
//
// String returns the type's name in signatures: "fp16", "i64".
type DType = core.DType

// Debug says whether a kernel checks its assertions, and integers for overflow.
type Debug = core.Debug

// Descriptor describes a tensor to a kernel that loads and stores blocks of it, like Triton's
// TensorDescriptor. Any memory can be described. On GPUs from sm_90 on, loads and stores are fast where
// Base is aligned to 16 bytes, the last stride is 1, and the others are multiples of 16 bytes.
//
// Its fields:
//
//	Base *Tensor // its first element
//	Shape []int64 // in elements
//	Strides []int64 // in elements
//	Block []int64 // shape of a block
//	NaN bool // loads outside the tensor give NaN instead of zero
type Descriptor = core.Descriptor

// Device runs kernels.
//
// Its methods:
//
//	func (d *Device) Abilities() Abilities
//
// Abilities returns what the device is and has.
//
//	func (d *Device) ExternalStream(ctx context.Context, handle uintptr) (*Stream, error)
//
// ExternalStream returns a stream for a driver handle (CUstream) that the caller owns. Close does not destroy
// the handle.
//
//	func (d *Device) Info() string
//
// Info returns a line about the device.
//
//	func (d *Device) NewStream(ctx context.Context) (*Stream, error)
//
// NewStream returns a new queue on the device. When ctx ends, compilations and tunings of its launches end,
// and so do kernels on every device but a GPU, within some milliseconds, even in an endless loop.
// Work given to a GPU runs to its end.
//
//	func (d *Device) Stages() []string
//
// Stages returns the names of the forms that a kernel takes on its way to this device.
//
//	func (d *Device) String() string
//
// String returns the device's name: "interp", "cuda:0".
//
//	func (d *Device) Target() string
//
// Target returns the target for which the device's code is compiled, as Kernel.CompileFor takes it:
// "cuda:90" for a GPU, real or simulated, "cpu" for the CPU.
//
//	func (d *Device) TensorAt(addr uint64, dt DType, shape ...int) (*Tensor, error)
//
// TensorAt returns a tensor over memory that somebody else has allocated on the device, another library
// say, and that stays allocated for as long as the tensor is used. Close leaves the memory alone. The
// driver must know the address as the device's; how far the allocation goes is for the caller to know.
// Devices that share the host's memory have no addresses of their own: there, use FromBytes, with
// unsafe.Slice for memory that is not Go's. Without elements it may be at 0, which is a null pointer.
type Device = core.Device

// Element is a Go type that tensors can hold. F16 and BF16 hold the bits of half precision floats.
type Element = core.Element

// F16 holds the bits of an IEEE 754 half precision float.
//
// Its fields:
//
//	Bits uint16
//
// Its methods:
//
//	func (h F16) Float() float64
//
// Float returns the value.
type F16 = core.F16

// Fault is the error of a launch that the kernel's own action stopped: an access out of bounds, a failed
// assertion, a race. The interpreter and simulated GPUs fill in all fields, the CPU and GPUs do with
// Options.Check.
//
// Its fields:
//
//	Kernel string // name of the kernel
//	Program [3]int // position in the grid
//	Message string // what the kernel did
//	File string // file of the operation; "" if unknown
//	Line int // counted from 1
//	Column int // counted from 1
//	Calls []string // calls that led there, as file:line:column, innermost first
//	// Argument is the parameter through which memory was accessed, or "".
//	Argument string
//	// Index is the element, counted in elements of the accessed size from the parameter's beginning; it is
//	// negative before it.
//	Index int64
//
// Its methods:
//
//	func (e *Fault) Error() string
//
// Error returns the place in the kernel's file, the message, the line with a caret, and the position in the
// grid.
//
//	func (e *Fault) Unwrap() error
//
// Unwrap returns the device's own error.
type Fault = core.Fault

// Fields is a named tuple: kernels access its items by name as well as by position.
//
//	nereid.Fields{nereid.Arg("ptr", x), nereid.Arg("shape", []int{rows, cols})}
type Fields = core.Fields

// Func is a jit function passed as a compile-time argument. An empty File means the kernel's own file.
//
// Its fields:
//
//	File string
//	Name string
type Func = core.Func

// Graph is work that was captured once and is launched as a whole: a CUDA graph.
//
// Its methods:
//
//	func (g *Graph) Close() error
//
// Close releases the graph, after launches that are being queued. Launching it then is ErrClosed; closing
// twice is harmless.
//
//	func (g *Graph) Launch(s *Stream) error
//
// Launch queues the graph's work on a stream of its device.
type Graph = core.Graph

// Grid is the number of programs in each dimension. The second and third dimension may be 0, which means 1. A
// launch whose first dimension is 0 checks its arguments and runs nothing, as in Triton.
//
// Its methods:
//
//	func (g Grid) Empty() bool
//
// Empty reports whether a launch of the grid, which is valid, runs nothing.
//
//	func (g Grid) String() string
//
// String writes a grid as Triton does: (4, 1, 1).
type Grid = core.Grid

// GridFunc returns the grid of a launch from its arguments, like a lambda in Triton:
//
//	nereid.GridFunc(func(m nereid.Meta) nereid.Grid {
//		return nereid.Grid{nereid.Cdiv(n, m.Int("BLOCK_SIZE"))}
//	})
type GridFunc = core.GridFunc

// Meta gives a GridFunc the arguments of the launch by name: constexprs, values that decorators chose,
// options (num_warps), and the caller's arguments. It is valid until the function returns.
//
// Its methods:
//
//	func (m Meta) Int(name string) int
//
// Int returns an integer argument. A name that the kernel does not have, or a value that is no integer, fails
// the launch.
//
//	func (m Meta) Value(name string) any
//
// Value returns an argument: an int64, float64, bool, string, DType or *Tensor, nil for None. A name that the
// kernel does not have fails the launch.
type Meta = core.Meta

// Named is an argument given by name; Arg returns one.
//
// Its fields:
//
//	Name string // name of the parameter
//	Value any // as for an argument by position
type Named = core.Named

// Options sets the options of a compilation and of its launches. The zero value has Triton's defaults.
//
// Its fields:
//
//	NumWarps int // num_warps; 0: 4
//	NumStages int // num_stages; 0: 3, on AMD's GPUs 2
//	NumCTAs int // num_ctas, the blocks of a program's cluster; 0: 1
//	MaxNReg int // maxnreg, the registers of a thread; 0: no limit
//	// Extra holds options of back ends from outside: "name=value,name=value".
//	Extra string
//	// ExternLibs is extern_libs, as "name=path,name=path": files of LLVM bitcode with functions that the
//	// kernel calls by tl.extra or core.extern_elementwise. They are linked in and run in the kernel: native
//	// code, to be trusted as such.
//	ExternLibs string
//	// Debug is debug: with DebugOn assertions are checked, and integers for overflow unless
//	// NoSanitizeOverflow is set. DebugOff undoes @triton.jit(debug=True).
//	Debug Debug
//	// NoSanitizeOverflow is sanitize_overflow=False: Debug does not check integers for overflow.
//	NoSanitizeOverflow bool
//	// LaunchCooperativeGrid is launch_cooperative_grid: all programs of a grid run at once, so that they may
//	// wait for each other. Only GPUs use it.
//	LaunchCooperativeGrid bool
//	// LaunchPDL is launch_pdl: the kernel may begin before the previous one ends. Only GPUs use it.
//	LaunchPDL bool
//	// NoFPFusion is enable_fp_fusion=False: a product and the sum that it goes into are rounded each.
//	NoFPFusion bool
//	// Overlap is for code that is compiled ahead of time (Kernel.Compile, bundles): its arguments may share
//	// memory, where the CPU's code and the copy engine of GPUs otherwise assume that they do not. Launches of
//	// a Kernel need it not: they see whether arguments overlap and run such code by themselves.
//	Overlap bool
//	// Check makes an access outside of its tensor, and an index that overflows int32, end the launch with an
//	// error that names the line, on every device. A GPU's launch then waits for its kernel. docs/CPU.md and
//	// docs/GPU.md have the rules and the cost.
//	Check bool
//	// Certify makes floats elements of a finite ring, in which sums and products are exact in every order, so
//	// that compiled code can be compared with its source bit for bit. Simulators and the interpreter have it,
//	// other devices refuse it. docs/VERIFY.md tells how.
//	Certify bool
type Options = core.Options

// Profile is a recording of what the process does with kernels.
//
// Its methods:
//
//	func (p *Profile) Stop() error
//
// Stop ends the recording once all work is done that was launched before, and returns the first error of a
// write. Stopping twice is harmless.
type Profile = core.Profile

// Programs says how many programs a launch runs: a Grid, or a GridFunc if it depends on the arguments.
type Programs = core.Programs

// Refusal is the error of a kernel, an option or a call that is right, but that the compiler or a device
// declines: an operation that a target has no code for, more shared memory than a GPU has, a graph on a
// device without graphs. Faults of the kernel's source are CompileErrors instead.
//
// Its fields:
//
//	Feature string // what is declined: an operation ("tt.dot"), an option ("num_ctas=2"), "shared memory"
//	Target string // who declines it: a target ("cuda:80") or a device; "" if no device takes it
//	Reason string // why
//	Remedy string // what to do instead; may be ""
//	File string // file of the operation; "" if there is none
//	Line int // counted from 1
//	Column int // counted from 1
//
// Its methods:
//
//	func (e *Refusal) Error() string
//
// Error returns the place, the feature, the reason and the remedy.
//
//	func (e *Refusal) Unwrap() error
//
// Unwrap returns the compiler's or the device's own error.
type Refusal = core.Refusal

// Scalar is a number of a type that the caller chooses, where Launch would choose by its value: an int64 that
// is small, a float64. An annotation of the parameter has its way.
//
// Its fields:
//
//	DType DType // type that the kernel sees
//	Bits uint64 // value of an integer, as an int64 or uint64; bits of a float of the type
type Scalar = core.Scalar

// Stage is one form of a kernel on its way to a device.
//
// Its fields:
//
//	Name string // "source", "ttir", "ttgir", "llir", "ptx", "cubin" ...
//	Took time.Duration // time that it took to make it from the stage before
//	Text []byte // text, or bytes of machine code; nil if it was not kept
//	Target string // for which it was made: "cuda:90", "hip:gfx942", "cpu", "interp"; "" in saved code
type Stage = core.Stage

// Stream is a queue of launches on a device. Launches on a stream run in order.
//
// Its methods:
//
//	func (s *Stream) Capture(f func() error) (*Graph, error)
//
// Capture records the launches that f makes on the stream instead of running them. Tensors must be on the
// device and stay there as long as the graph is launched; a tensor in host memory, which would be copied, is
// refused with ErrCapturing.
//
//	func (s *Stream) Close() error
//
// Close waits for the stream's work and releases it. Using a closed stream is ErrClosed, also for a launch
// that begins meanwhile; closing twice is harmless.
//
//	func (s *Stream) Context() context.Context
//
// Context returns the context that ends what the stream's launches wait for; for the zero value it never
// ends.
//
//	func (s *Stream) Device() *Device
//
// Device returns the device that the stream belongs to.
//
//	func (s *Stream) Measure(warmup, rep time.Duration, f func() error) (time.Duration, error)
//
// Measure runs f, which launches on the stream, repeatedly and returns the median time of a run. A GPU
// measures with its own clock and with cold caches, as Triton's do_bench does; other devices use the host's
// clock.
//
//	func (s *Stream) MeasureGraph(rep time.Duration, f func() error) (time.Duration, error)
//
// MeasureGraph captures runs of f, which launches on the stream, in a graph and returns the median time of a
// run when the graph is replayed: the device's time without the host's part, with warm caches, as Triton's
// do_bench_cudagraph does. On devices without graphs it is Measure.
//
//	func (s *Stream) Sync() error
//
// Sync waits until everything launched so far is done and returns its first error.
//
//	func (s *Stream) Times(warmup, rep time.Duration, f func() error) (Times, error)
//
// Times returns the duration of every run that Measure would make, sorted, shortest first.
type Stream = core.Stream

// Tensor is device or host memory with a type and a shape. Kernels see it as a pointer.
//
// Its fields:
//
//	DType DType // type of the elements
//	Shape []int // size of each dimension
//	Strides []int // in elements
//
// Its methods:
//
//	func (t *Tensor) Addr() uint64
//
// Addr returns the address of the first element: on the device, or in the host's memory for a tensor of no
// device. It is 0 for a tensor that cannot be used. It is for handing memory to other libraries, which must
// be done with it before the tensor is closed or collected.
//
//	func (t *Tensor) As(dt DType) *Tensor
//
// As returns a view of the same memory as elements of another type, in one dimension. The tensor is
// contiguous, and its bytes are a whole number of the other type's elements.
//
//	func (t *Tensor) At(i int) (float64, error)
//
// At returns the element at flat position i, in the order of the indices, as a float64, for looking at
// results. In a contiguous tensor i may lie behind the shape as long as it is in the memory.
//
//	func (t *Tensor) Close() error
//
// Close releases device memory. Tensors over Go slices need no Close. Using a closed tensor is ErrClosed; a
// view of it must not be used either, which is not detected. A launch that uses the tensor while it is closed
// runs to its end with the memory, or fails with ErrClosed; on a GPU, Close waits for the work under way.
// Closing twice is harmless.
//
//	func (t *Tensor) Contiguous() bool
//
// Contiguous reports whether the elements lie in the order of their indices without gaps.
//
//	func (t *Tensor) CopyBytesFrom(src []byte) error
//
// CopyBytesFrom copies bytes to the tensor, from its first element on. Work launched afterwards sees them.
//
//	func (t *Tensor) CopyBytesTo(dst []byte) error
//
// CopyBytesTo copies bytes of the tensor, from its first element on, once all work launched on its device is
// done.
//
//	func (t *Tensor) Err() error
//
// Err returns the error of a tensor that could not be made: by FromSlice or FromBytes with a shape that does
// not fit, or by Offset beyond either end of the memory. Every use of such a tensor returns this error. For
// all others Err returns nil.
//
//	func (t *Tensor) Fill(v float64) error
//
// Fill sets all elements to a value, rounded to their type. Work launched afterwards sees it.
//
//	func (t *Tensor) Len() int
//
// Len returns the number of elements.
//
//	func (t *Tensor) Offset(n int) *Tensor
//
// Offset returns a tensor that begins n bytes further into the same memory, or before if n is negative.
// Outside the memory it returns a tensor with an error, see Err.
//
//	func (t *Tensor) Permute(dims ...int) *Tensor
//
// Permute returns the view whose dimension i is dimension dims[i] of the tensor.
//
//	func (t *Tensor) Reshape(shape ...int) *Tensor
//
// Reshape returns a view of a contiguous tensor in another shape with the same number of elements. One size
// may be -1, which is computed.
//
//	func (t *Tensor) Select(dim, index int) *Tensor
//
// Select returns the view of one index along a dimension, which the view does not have: for dimension 0 of
// a matrix, a row.
//
//	func (t *Tensor) Skip(n int) *Tensor
//
// Skip returns the tensor that begins n elements further into the same memory, or before if n is negative:
// Offset in elements.
//
//	func (t *Tensor) Slice(dim, start, stop, step int) *Tensor
//
// Slice returns the view of elements start, start+step, start+2*step … below stop along a dimension. Bounds
// are those of a Go slice, 0 <= start <= stop <= Shape[dim], and step is at least 1.
//
//	func (t *Tensor) String() string
//
// String returns the type, shape and device, and a few elements:
//
//	fp16[2, 3] on cpu [[1, 2, 3], [4, 5, 6]]
//
// Elements on a GPU are read once all launched work is done. A tensor that cannot be read shows why.
//
//	func (t *Tensor) To(dev *Device) (*Tensor, error)
//
// To returns a copy of the tensor, contiguous, on a device, or in memory of the host if dev is nil. It waits
// for all work launched on the tensor's device. The caller closes it.
//
//	func (t *Tensor) Transpose(a, b int) *Tensor
//
// Transpose returns the view with two dimensions exchanged.
type Tensor = core.Tensor

// Times is a list of durations, sorted, shortest first.
//
// Its methods:
//
//	func (t Times) Mean() time.Duration
//
// Mean returns the mean duration, 0 for an empty list.
//
//	func (t Times) Median() time.Duration
//
// Median returns the middle duration, 0 for an empty list.
//
//	func (t Times) Quantile(q float64) time.Duration
//
// Quantile returns the duration below which a share q, from 0 to 1, of the runs lie. It interpolates
// linearly, as Triton's do_bench does.
type Times = core.Times

// TuneConfig is a config of @triton.autotune: arguments of a launch that runs with it and tunes nothing.
//
// Its fields:
//
//	Name string // as Triton writes it
//	Args []Named // the values of compile-time parameters
//	Options Options // num_warps and the like
//	Hook bool // it has a pre_hook, which a launch with these arguments does not call
type TuneConfig = core.TuneConfig

// TuneStore keeps the timings and choices of tunings: of kernels under @triton.autotune (TuneOptions.Store)
// and of the ops of package tunable. A result is found again for the same device model, driver, compiler and
// code alone; all others are ignored. A nil or a zero TuneStore keeps nothing.
//
// Its methods:
//
//	func (s *TuneStore) Close() error
//
// Close closes the connection to the shared store, if there is one.
//
//	func (s *TuneStore) Merge(data []byte) (int, error)
//
// Merge adds the results of a JSON text that Save or `nereid tune --export` wrote, for as long as the store
// is open; results that are known here stay. It returns the number of results in the text.
//
//	func (s *TuneStore) MergeFile(name string) (int, error)
//
// MergeFile adds the results of a file as Merge does.
//
//	func (s *TuneStore) Save(w io.Writer) error
//
// Save writes the results that this store was given or has measured since it was opened, in the form that
// Merge reads.
type TuneStore = core.TuneStore

// TuneStoreOptions says where a TuneStore keeps its results. Every place that is set is used; a result is
// looked for in their order. The zero value keeps results in memory.
//
// Its fields:
//
//	// Known is a JSON text that Save or `nereid tune --export` wrote, often an embedded file. It is only
//	// read.
//	Known []byte
//	Dir string // a folder with a file for each result, which processes share
//	File string // a JSON file in the form of Known, which processes share
//	// Redis is a server that machines share, so that a fleet tunes once: redis://host:6379/0. It needs the
//	// package nereid/redis. A server that does not answer costs tunings and nothing else.
//	Redis string
//	// Key signs results in Redis; those without its signature are ignored. "" means no signatures.
//	Key string
//	ReadOnly bool // write nothing but memory
//	Logger *slog.Logger // receives problems that are no errors; may be nil
type TuneStoreOptions = core.TuneStoreOptions

// OpenDevice returns a device that runs compiled code, as OpenDevice of the root package does; but the CPU
// needs no LLVM for that, and comes next if there is no GPU.
func OpenDevice(name string) (*Device, error) {
	return core.OpenRunning(name)
}

// AllClose returns nil if two tensors of the same shape hold nearly the same values: each element of a is
// equal to that of b or differs by at most atol + rtol*|b|; a NaN equals a NaN. Types and devices may
// differ. The error says how many elements differ, where the first is, and where the largest difference is.
func AllClose(a, b *Tensor, rtol, atol float64) error {
	return core.AllClose(a, b, rtol, atol)
}

// Arange returns a tensor in host memory with the numbers from 0 to n-1, rounded to a type.
func Arange(dt DType, n int) *Tensor {
	return core.Arange(dt, n)
}

// Arg returns an argument given by name, usually for a constexpr: Arg("BLOCK_SIZE", 1024).
func Arg(name string, value any) Named {
	return core.Arg(name, value)
}

// Cdiv returns n/d rounded up: how many blocks of d elements cover n. Blocks of no elements cover nothing:
// for a d of 0 it returns 0, and a launch of 0 programs runs nothing.
func Cdiv(n, d int) int {
	return core.Cdiv(n, d)
}

// AsSlice returns the elements of a contiguous tensor in host memory, shared. It fails for other tensors and
// other types; CopyTo copies them.
func AsSlice[T Element](t *Tensor) ([]T, error) {
	return core.AsSlice[T](t)
}

// CopyFrom copies a slice to a tensor with the same number of elements, in the order of their indices, and
// converts between the types: floats are rounded to nearest, as DType.Encode does; floats become integers
// by rounding; integers wrap around. The tensor may be a view, and on any device. A view on a GPU that is
// not contiguous is read, changed and written back as a whole.
func CopyFrom[T Element](t *Tensor, src []T) error {
	return core.CopyFrom[T](t, src)
}

// CopyTo copies the elements of a tensor, in the order of their indices, to a slice of the same length, and
// converts between the types as CopyFrom does. It waits for all work launched on the tensor's device.
func CopyTo[T Element](dst []T, t *Tensor) error {
	return core.CopyTo[T](dst, t)
}

// DTypeOf returns the type of a name: that of signatures ("fp16"), of triton.language or of torch
// ("float16").
func DTypeOf(name string) (DType, error) {
	return core.DTypeOf(name)
}

// Devices returns the devices of this machine, the best first, and the kinds that are absent. It looks for
// them once.
func Devices() (here []*Device, absent []Absent) {
	return core.Devices()
}

// FromBytes returns a tensor that shares bytes in host memory, as FromSlice does, for types that Go does not
// have. Without a shape it has one dimension. There may be more bytes than the shape needs; fewer make a
// tensor with an error, see Err.
func FromBytes(dt DType, data []byte, shape ...int) *Tensor {
	return core.FromBytes(dt, data, shape...)
}

// FromFloats returns a tensor in host memory of its own with floats rounded to a type. The shape defaults
// to the slice's length; a shape of another size makes a tensor with an error, see Err.
func FromFloats[F float32 | float64](dt DType, data []F, shape ...int) *Tensor {
	return core.FromFloats[F](dt, data, shape...)
}

// FromSlice returns a tensor that shares a Go slice: kernels on host devices (interp, cpu) read and write the
// slice itself. For a GPU it is copied there for each launch and back after it. The shape defaults to the
// slice's length; a shape of another size makes a tensor with an error, see Err.
func FromSlice[T Element](data []T, shape ...int) *Tensor {
	return core.FromSlice[T](data, shape...)
}

// LoadCompiled reads a kernel that Compiled.Save wrote and loads it on a device, without a compiler. Code for
// other processors than the device's is a Refusal. It is machine code: load only what you trust.
func LoadCompiled(dev *Device, r io.Reader) (*Compiled, error) {
	return core.LoadCompiled(dev, r)
}

// NewArena returns an arena of a number of bytes. The caller closes it.
func NewArena(dev *Device, bytes int) (*Arena, error) {
	return core.NewArena(dev, bytes)
}

// NewTensor returns a tensor of zeros on a device; the caller closes it. It fails if there is not enough
// memory.
func NewTensor(dev *Device, dt DType, shape ...int) (*Tensor, error) {
	return core.NewTensor(dev, dt, shape...)
}

// OpenContext returns the GPU of a CUDA context that the program made, by its CUcontext; 0 means the context
// that is current on the calling thread, which runtime.LockOSThread keeps. Tensors, streams and code of the
// device belong to that context. The program keeps the context until it calls release, behind which nothing
// of the device can be used. For a primary context it is the device that OpenDevice returns.
func OpenContext(handle uintptr) (d *Device, release func(), err error) {
	return core.OpenContext(handle)
}

// OpenTuneStore returns a store. A text, file or folder that exists and cannot be used is an error.
func OpenTuneStore(o TuneStoreOptions) (*TuneStore, error) {
	return core.OpenTuneStore(o)
}

// ParseSafetensors reads like ReadSafetensors, from bytes, of a file that is mapped into memory say. The
// tensors share them where they are aligned.
func ParseSafetensors(data []byte) (map[string]*Tensor, error) {
	return core.ParseSafetensors(data)
}

// PrintTo makes w receive what kernels of this process print by tl.device_print on the CPU, the interpreter
// and simulated GPUs; nil means standard output, as at the start. Writes are made one at a time; lines of one
// print stay together, those of several programs come in any order. The driver of a real GPU prints to
// standard output, always.
func PrintTo(w io.Writer) {
	core.PrintTo(w)
}

// StartProfile begins to record launches, the time of kernels on their devices, compilations, tunings, copies
// and graphs, and writes them to w as a timeline that Perfetto and Chrome open and that package profile
// reads. Each event is one call of Write. A kernel whose first launch came before is not seen, so a program
// calls it first. There is one recording at a time; NEREID_TRACE begins one when the process starts.
// docs/PROFILING.md describes it.
func StartProfile(w io.Writer) (*Profile, error) {
	return core.StartProfile(w)
}

// Rand returns a tensor in host memory with random numbers, the same for the same seed: floats from 0 to 1,
// 1 excluded before they are rounded to the type, and integers of all values of their type, or of 53 bits.
func Rand(dt DType, seed uint64, shape ...int) *Tensor {
	return core.Rand(dt, seed, shape...)
}

// ReadNPY reads an array that NumPy saved (.npy) into host memory, up to its last byte. The tensor is
// contiguous, whatever the order in the file. A damaged or hostile file is an error, and takes no more
// memory than a few times what it has bytes.
func ReadNPY(r io.Reader) (*Tensor, error) {
	return core.ReadNPY(r)
}

// ReadSafetensors reads the tensors of a safetensors file into host memory, by name. A damaged or hostile
// file is an error, and takes no more memory than twice what it has bytes. Tensors of a type that kernels
// do not have are an error, too.
func ReadSafetensors(r io.Reader) (map[string]*Tensor, error) {
	return core.ReadSafetensors(r)
}

// ScalarOf returns a number rounded to a type: ScalarOf(Float64, 0.1), ScalarOf(Int64, n).
func ScalarOf[N int | int32 | int64 | uint32 | uint64 | float32 | float64](dt DType, v N) Scalar {
	return core.ScalarOf[N](dt, v)
}

// ToBF16 rounds to a bfloat16.
func ToBF16(v float64) BF16 {
	return core.ToBF16(v)
}

// ToF16 rounds to half precision.
func ToF16(v float64) F16 {
	return core.ToF16(v)
}

// WriteNPY writes a tensor, of any device, as NumPy's save does. NumPy has no bf16 and no fp8: they are an
// error.
func WriteNPY(w io.Writer, t *Tensor) error {
	return core.WriteNPY(w, t)
}

// WriteSafetensors writes tensors, of any device, as a safetensors file. Types that such files do not have
// (fp8e4b15) are an error.
func WriteSafetensors(w io.Writer, tensors map[string]*Tensor) error {
	return core.WriteSafetensors(w, tensors)
}
