package nereid

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
//	func (a *Arena) Peak() int
//	func (a *Arena) Reset()
//	func (a *Arena) Tensor(dt DType, shape ...int) *Tensor
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
//	func (e *ArgumentError) Unwrap() error
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
//	func (c *Compiled) Info() CodeInfo
//	func (c *Compiled) Launch(s *Stream, grid Grid, arguments ...any) error
//	func (c *Compiled) LaunchInfo() ([]byte, error)
//	func (c *Compiled) Save(w io.Writer) error
//	func (c *Compiled) Stage(name string) []byte
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
//	func (e *Crash) Unwrap() error
type Crash = core.Crash

// DType is the type of a tensor's elements.
//
// Its methods:
//
//	func (t DType) Decode(bits uint64) float64
//	func (t DType) Encode(v float64) uint64
//	func (t DType) IsFloat() bool
//	func (t DType) Size() int
//	func (t DType) String() string
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
//	func (d *Device) ExternalStream(ctx context.Context, handle uintptr) (*Stream, error)
//	func (d *Device) Info() string
//	func (d *Device) NewStream(ctx context.Context) (*Stream, error)
//	func (d *Device) Stages() []string
//	func (d *Device) String() string
//	func (d *Device) Target() string
//	func (d *Device) TensorAt(addr uint64, dt DType, shape ...int) (*Tensor, error)
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
//	func (e *Fault) Unwrap() error
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
//	func (g *Graph) Launch(s *Stream) error
type Graph = core.Graph

// Grid is the number of programs in each dimension. The second and third dimension may be 0, which means 1;
// the first may not.
//
// Its methods:
//
//	func (g Grid) String() string
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
//	func (m Meta) Value(name string) any
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
//	func (e *Refusal) Unwrap() error
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
type Stage = core.Stage

// Stream is a queue of launches on a device. Launches on a stream run in order.
//
// Its methods:
//
//	func (s *Stream) Capture(f func() error) (*Graph, error)
//	func (s *Stream) Close() error
//	func (s *Stream) Context() context.Context
//	func (s *Stream) Device() *Device
//	func (s *Stream) Measure(warmup, rep time.Duration, f func() error) (time.Duration, error)
//	func (s *Stream) MeasureGraph(rep time.Duration, f func() error) (time.Duration, error)
//	func (s *Stream) Sync() error
//	func (s *Stream) Times(warmup, rep time.Duration, f func() error) (Times, error)
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
//	func (t *Tensor) As(dt DType) *Tensor
//	func (t *Tensor) At(i int) (float64, error)
//	func (t *Tensor) Close() error
//	func (t *Tensor) Contiguous() bool
//	func (t *Tensor) CopyBytesFrom(src []byte) error
//	func (t *Tensor) CopyBytesTo(dst []byte) error
//	func (t *Tensor) Err() error
//	func (t *Tensor) Fill(v float64) error
//	func (t *Tensor) Len() int
//	func (t *Tensor) Offset(n int) *Tensor
//	func (t *Tensor) Permute(dims ...int) *Tensor
//	func (t *Tensor) Reshape(shape ...int) *Tensor
//	func (t *Tensor) Select(dim, index int) *Tensor
//	func (t *Tensor) Skip(n int) *Tensor
//	func (t *Tensor) Slice(dim, start, stop, step int) *Tensor
//	func (t *Tensor) String() string
//	func (t *Tensor) To(dev *Device) (*Tensor, error)
//	func (t *Tensor) Transpose(a, b int) *Tensor
type Tensor = core.Tensor

// Times is a list of durations, sorted, shortest first.
//
// Its methods:
//
//	func (t Times) Mean() time.Duration
//	func (t Times) Median() time.Duration
//	func (t Times) Quantile(q float64) time.Duration
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
//	func (s *TuneStore) Merge(data []byte) (int, error)
//	func (s *TuneStore) MergeFile(name string) (int, error)
//	func (s *TuneStore) Save(w io.Writer) error
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

// OpenDevice returns the device of a name: "interp", "cpu", "cuda", "cuda:1". An empty name means the one in
// NEREID_DEVICE, or else the best of this machine. If that is the interpreter, because there is no LLVM, a
// warning is logged once: kernels run some 40 times slower there than on the CPU.
func OpenDevice(name string) (*Device, error) {
	return core.OpenDevice(name)
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
// for a d of 0 it returns 0, and a grid of 0 programs fails its launch.
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
