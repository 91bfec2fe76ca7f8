package core

import "github.com/nereid-lang/nereid/internal/device"

// Options sets the options of a compilation and of its launches. The zero value has Triton's defaults.
type Options struct {
	NumWarps  int `json:"num_warps"`         // num_warps; 0: 4
	NumStages int `json:"num_stages"`        // num_stages; 0: 3, on AMD's GPUs 2
	NumCTAs   int `json:"num_ctas"`          // num_ctas, the blocks of a program's cluster; 0: 1
	MaxNReg   int `json:"maxnreg,omitempty"` // maxnreg, the registers of a thread; 0: no limit

	// Extra holds options of back ends from outside: "name=value,name=value".
	Extra string `json:"extra,omitempty"`

	// ExternLibs is extern_libs, as "name=path,name=path": files of LLVM bitcode with functions that the
	// kernel calls by tl.extra or core.extern_elementwise. They are linked in and run in the kernel: native
	// code, to be trusted as such.
	ExternLibs string `json:"extern_libs,omitempty"`

	// Debug is debug: with DebugOn assertions are checked, and integers for overflow unless
	// NoSanitizeOverflow is set. DebugOff undoes @triton.jit(debug=True).
	Debug Debug `json:"debug,omitempty"`
	// NoSanitizeOverflow is sanitize_overflow=False: Debug does not check integers for overflow.
	NoSanitizeOverflow bool `json:"no_sanitize_overflow,omitempty"`

	// LaunchCooperativeGrid is launch_cooperative_grid: all programs of a grid run at once, so that they may
	// wait for each other. Only GPUs use it.
	LaunchCooperativeGrid bool `json:"launch_cooperative_grid,omitempty"`
	// LaunchPDL is launch_pdl: the kernel may begin before the previous one ends. Only GPUs use it.
	LaunchPDL bool `json:"launch_pdl,omitempty"`

	// NoFPFusion is enable_fp_fusion=False: a product and the sum that it goes into are rounded each.
	NoFPFusion bool `json:"no_fp_fusion,omitempty"`

	// Overlap is for code that is compiled ahead of time (Kernel.Compile, bundles): its arguments may share
	// memory, where the CPU's code and the copy engine of GPUs otherwise assume that they do not. Launches of
	// a Kernel need it not: they see whether arguments overlap and run such code by themselves.
	Overlap bool `json:"overlap,omitempty"`
	// Check makes an access outside of its tensor, and an index that overflows int32, end the launch with an
	// error that names the line, on every device. A GPU's launch then waits for its kernel. docs/CPU.md and
	// docs/GPU.md have the rules and the cost.
	Check bool `json:"check,omitempty"`
	// Certify makes floats elements of a finite ring, in which sums and products are exact in every order, so
	// that compiled code can be compared with its source bit for bit. Simulators and the interpreter have it,
	// other devices refuse it. docs/VERIFY.md tells how.
	Certify bool `json:"certify,omitempty"`
}

// Debug says whether a kernel checks its assertions, and integers for overflow.
type Debug = device.Debug

// The values of Debug.
const (
	DebugDefault = device.DebugDefault // as the kernel's decorator says: @triton.jit(debug=True)
	DebugOn      = device.DebugOn      // debug=True
	DebugOff     = device.DebugOff     // debug=False, against the decorator
)

// DeviceOptions returns options as back ends take them; Go's compiler holds the structs to the same
// fields.
func DeviceOptions(o Options) device.Options { return device.Options(o) }
