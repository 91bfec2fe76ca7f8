package device

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/nereid-lang/nereid/internal/device/inflight"
)

// Options holds the options that a compiled kernel depends on, under Triton's names.
//
// The tag of each field says whether code depends on it (`code:"yes"` or `code:"no"`). Fields with "yes" are
// part of a kernel's key in the cache: a wrong "no" would launch stale code.
type Options struct {
	NumWarps  int `json:"num_warps" code:"yes"`
	NumStages int `json:"num_stages" code:"yes"`
	NumCTAs   int `json:"num_ctas" code:"yes"`
	MaxNReg   int `json:"maxnreg,omitempty" code:"yes"`

	// Extra holds options of back ends from outside, as "name=value,name=value".
	Extra string `json:"extra,omitempty" code:"yes"`

	// ExternLibs is extern_libs as "name=path,name=path": LLVM bitcode or IR that is linked in. What the
	// files hold is part of a kernel's key in the cache too.
	ExternLibs string `json:"extern_libs,omitempty" code:"yes"`

	// Bools are last: generated code compares the memory of options, and padding between fields is slow.
	Debug Debug `json:"debug,omitempty" code:"yes"`

	// sanitize_overflow=False: debug does not check integers for overflow
	NoSanitizeOverflow bool `json:"no_sanitize_overflow,omitempty" code:"yes"`

	// Options of the launch, which only GPUs use.
	// LaunchCooperativeGrid makes all programs of a grid run at once, so that they may wait for each other.
	LaunchCooperativeGrid bool `json:"launch_cooperative_grid,omitempty" code:"yes"`
	// LaunchPDL is programmatic dependent launch: the kernel may begin before the previous one ends.
	LaunchPDL bool `json:"launch_pdl,omitempty" code:"yes"`

	// NoFPFusion is enable_fp_fusion=False: products and sums are rounded each, never fused.
	NoFPFusion bool `json:"no_fp_fusion,omitempty" code:"yes"`

	Overlap bool `json:"overlap,omitempty" code:"yes"` // code allows arguments whose memory overlaps

	// accesses out of bounds, and indices that overflow int32, stop the kernel
	Check bool `json:"check,omitempty" code:"yes"`

	// Certify compares code with its source: floats are elements of a finite ring, on devices that have it.
	Certify bool `json:"certify,omitempty" code:"yes"`
}

// Device runs code.
type Device interface {
	// Name returns the name by which users open it: "interp", "cpu", "cuda:0". Info returns a line about it.
	Name() string
	Info() string
	// Traits returns what is fixed of the device.
	Traits() Traits
	// Alloc returns memory that kernels can use.
	Alloc(size int) (Buffer, error)
	// Wrap returns a buffer for memory of the caller, for the duration of a launch.
	Wrap(data []byte) (Buffer, error)
	// NewStream returns a queue of launches and copies.
	NewStream() (Stream, error)
}

// HostOptions returns options without those that only GPUs use.
func HostOptions(o Options) Options {
	o.NumWarps, o.NumStages, o.NumCTAs, o.MaxNReg = 0, 0, 0, 0
	o.LaunchCooperativeGrid, o.LaunchPDL = false, false
	return o
}

// ExtraMap returns the options of Extra by name.
func (o Options) ExtraMap() (map[string]string, error) {
	m := map[string]string{}
	for pair := range strings.SplitSeq(o.Extra, ",") {
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		if _, twice := m[name]; twice || (!ok || name == "") && strings.TrimSpace(o.Extra) != "" {
			return nil, fmt.Errorf("options %q: expected name=value,name=value, each name once", o.Extra)
		}
		if ok {
			m[name] = strings.TrimSpace(value)
		}
	}
	return m, nil
}

// Key returns the options that code depends on, as text.
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

// Defaults returns the options with unset ones filled in.
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

// Param is an argument of a launch, passed as one word.
type Param struct {
	Name    string
	Pointer bool   // the word is the address of elements of Type
	Type    string // in the notation of signatures
	Bytes   int    // size of the value, or of an element
	Align16 bool   // the value, or the address, is divisible by 16
}

// Describer is a device that makes tensor descriptors of its own, instead of taking Descriptor.Words
// (Traits.WordDescriptors).
type Describer interface {
	// Describe returns the words of a descriptor and a function that ends its use.
	Describe(d Descriptor) (words []uint64, release func(), err error)
}

// Descriptor describes a tensor in memory.
type Descriptor struct {
	Base     uint64
	Shape    []int64
	Strides  []int64 // in elements
	Block    []int64
	ElemSize int
	NaN      bool // loads outside the tensor give NaN instead of zero
}

// Words returns the parts of a descriptor for kernels that do not use descriptor hardware: base, shape,
// strides, and whether padding is NaN.
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

// Modelled is a device whose Info says more than the times of ready code depend on, the version of LLVM say.
type Modelled interface {
	// Model returns the model of the device and the version of its driver, "" if it has none.
	Model() (model, driver string)
}

// Keeper is a device whose compiled kernels can be saved and loaded again, also by other processes.
type Keeper interface {
	// Fingerprint names everything that code depends on besides the kernel and its options: the code
	// generator and its version, the architecture, its features. Devices with equal fingerprints can run each
	// other's code. It is "" if the device cannot compile.
	Fingerprint() string
	// Located reports whether code contains source positions, for example as line information.
	Located() bool
	Restorer
}

// Portable is a Keeper that also runs code which a machine without the device has kept, under a fingerprint
// that says nothing of drivers.
type Portable interface{ Portable() string }

// Generated is a device that names its code generator and everything that its code depends on, though it may
// keep none.
type Generated interface{ Generator() string }

// Adopter is a Keeper that can run saved code without being able to compile; then its own Fingerprint is "".
type Adopter interface {
	// Adopts reports whether code saved under a fingerprint runs on this device.
	Adopts(fingerprint string) bool
}

// Kept is an executable that can be saved.
type Kept interface{ Code() (Code, error) }

// Code is an executable as data. That of an executable which is not Kept is the text of its last stage, with
// the Options as Meta.
type Code struct {
	Stage string // "ptx", "cubin", "obj"
	Data  []byte
	Meta  []byte // its other properties, as JSON
}

// Timer is a device that measures work with its own clock.
type Timer interface {
	// Measure runs f repeatedly on the stream, for warmup and then for rep, with cold caches, and returns the
	// duration of each run of the second part on the device.
	Measure(s Stream, warmup, rep time.Duration, f func() error) ([]time.Duration, error)
}

// GraphTimer is a Timer that can measure captured work.
type GraphTimer interface {
	// MeasureGraph captures as many runs of f as fit into rep and replays them a few times. It returns the
	// duration of a run in each replay.
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
	// Host returns the memory itself if the host can access it, else nil.
	Host() []byte
	Read(at int, into []byte) error
	Write(at int, from []byte) error
	io.Closer
}

// Executable is a compiled kernel.
type Executable interface {
	// Launch runs the kernel. args holds the bits of each argument in one word, in the order of the
	// function's arguments.
	Launch(ctx context.Context, s Stream, grid [3]int, args []uint64) error
	io.Closer
}

// Apart is a pair of arguments, by their words, whose memory must not overlap for the code to be right.
type Apart struct {
	A, B    int
	OrEqual bool // they may also be the same pointer
}

// Assuming is an executable that is right only if arguments do not overlap. Code made with Options.Overlap
// assumes nothing.
type Assuming interface{ Apart() []Apart }

// Memory describes the memory of a pointer argument of a launch.
type Memory struct {
	Word      int    // index among the words of the launch
	Lo, Hi    uint64 // bytes [Lo, Hi) of the tensor, which accesses through the argument must not leave
	Base, End uint64 // block of memory that the tensor is a part of
}

// Bounded is an executable that must know the memory of its arguments: it checks accesses or runs in another
// process.
type Bounded interface {
	Executable
	// Bounded reports whether launches must use LaunchBounded; then Launch is an error.
	Bounded() bool
	// LaunchBounded is Launch with the memory of the pointer arguments, in the order of their words.
	LaunchBounded(ctx context.Context, s Stream, grid [3]int, args []uint64, mem []Memory) error
}

// Narrower is a buffer with virtual addresses, of which a part can be lent to a launch: accesses beyond the
// part are then out of bounds.
type Narrower interface {
	// Narrow lends bytes lo to hi. The part's address has the alignment of the bytes in the whole.
	Narrow(lo, hi int) (Buffer, error)
}

// Partial is an executable whose code may not serve all launches of its specialization, or not all equally
// well.
type Partial interface {
	// Otherwise sets how to make the executable that serves them. It is called before the first launch.
	Otherwise(Maker)
	// Prepare makes, ahead of launches, the code of all that the executable's own code does not serve, and
	// the code of those ways that launches run instead and for which want returns true.
	Prepare(ctx context.Context, want func(Way) bool) error
}

// Maker makes the executable of a specialization for some of its launches. ahead says that none of them waits
// for it, so strict mode allows to compile.
type Maker func(ctx context.Context, way Way, ahead bool) (Executable, error)

// Discarder is an executable that can be discarded as soon as nobody can launch it any more.
type Discarder interface {
	// Discard frees the code once its launches are done, without waiting for them.
	Discard()
}

// Stream is a queue of work.
type Stream interface {
	Sync() error
	io.Closer
}

// Clocked is a stream of a device that measures with its own clock when it reaches a point of its queue.
type Clocked interface {
	// Mark puts a mark at the end of the queue: old, if it is not nil, or a new one.
	Mark(old Mark) (Mark, error)
}

// Mark is a point of a stream's queue.
type Mark interface {
	// Done reports whether the stream has reached the mark.
	Done() (bool, error)
	// Since returns the time on the device from another mark to this one. Both are done.
	Since(Mark) (time.Duration, error)
	io.Closer
}

// Guarded is a stream of a device that destroys nothing while a call that uses it is under way.
type Guarded interface {
	// Calls returns the count of the calls under way: whatever is open when one begins is destroyed after its
	// end.
	Calls() *inflight.Count
}

// Recording is a stream whose work can be captured as a graph.
type Recording interface {
	// Capture records the work that f queues instead of running it.
	Capture(f func() error) (Graph, error)
	// Capturing reports whether the stream is being captured, by anyone.
	Capturing() (bool, error)
}

// Graph is captured work.
type Graph interface {
	Launch(Stream) error
	io.Closer
}

// Accessible is a device whose memory and streams native libraries of its vendor can use, and which takes
// theirs.
type Accessible interface {
	// Current calls f on a thread of the system whose current device, for the driver, is this one.
	Current(f func() error) error
	// ExternalStream returns the stream of a driver's handle. Close does not destroy it.
	ExternalStream(handle uintptr) (Stream, error)
	// At returns a buffer for the memory at an address of the device. Close does not free the memory.
	At(addr uint64, size int) (Buffer, error)
}

// Handled is a stream of an Accessible device.
type Handled interface {
	Guarded
	// Handle returns the driver's handle, or an error if the stream is closed.
	Handle() (uintptr, error)
}
