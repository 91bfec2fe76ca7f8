package device

import (
	"cmp"

	"github.com/nereid-lang/nereid/internal/diag"
)

// Traits is what is fixed of a device. Everybody reads it here; nobody compares a device's name.
type Traits struct {
	// Kind is the target for which code is compiled, where several devices run the same code: "cuda:90". ""
	// means the device's name.
	Kind string
	// Target is the target whose code a simulated device runs: "cuda:90". "" means Kind.
	Target string

	DefaultStages int // num_stages of launches that ask for none; 0 means 3

	Hardware   bool // a real GPU: large, with a clock and streams of its own, which programs can lend us
	Interprets bool // runs Triton IR itself, slowly; the other devices' results are compared with it
	Graphs     bool // work of streams can be captured

	BytesPerSecond float64 // the most that its memory can read and write; 0 if not known

	// Collectives is the library with operations of several devices: "nccl", or "rccl", AMD's; "" for none.
	Collectives string

	ChecksAlways bool // every access is checked: an interpreter or a simulator
	ChecksBounds bool // every access is checked at least in code compiled for that

	HasLines  bool // code has line information unless the functions of its input have no locations
	Certifies bool // code compiled with Options.Certify runs
	Scopes    bool // code can record the scopes of its kernel
	HostOnly  bool // code does not depend on options that only GPUs use, see HostOptions

	SharesHost bool // kernels read host memory in place, without Wrap
	CopiesHost bool // host memory is copied to the device for each launch

	Loose Loose // what code does not know of arguments, although Triton's does

	// AlignsNumbers says that kernels gain by knowing that a number is divisible by 16, even one under
	// do_not_specialize: masks that depend on it then do not split wide accesses.
	AlignsNumbers bool
	// WordDescriptors says that kernels take tensor descriptors as the words of Descriptor.Words.
	WordDescriptors bool
}

// Loose says which properties of arguments have no code of their own: its zero value is Triton's rule, by
// which all have.
type Loose struct {
	Ones     bool // numbers that are 1
	Numbers  bool // numbers that are divisible by 16
	Pointers bool // addresses that are divisible by 16
}

// Kind returns the target for which a device's code is compiled: its kind or, without one, its name.
func Kind(b Device) string { return cmp.Or(b.Traits().Kind, b.Name()) }

// DefaultsOn returns the options of a launch on a device with unset ones filled in.
func DefaultsOn(b Device, o Options) Options { return b.Traits().Defaults(o) }

// Defaults returns options of a target with unset ones filled in.
func (t Traits) Defaults(o Options) Options {
	if o.NumStages == 0 {
		o.NumStages = t.DefaultStages
	}
	return o.Defaults()
}

// CheckCertify returns an error if launches ask for Options.Certify of a device that does not have it.
func CheckCertify(b Device, o Options) error {
	if b.Traits().Certifies || !o.Certify {
		return nil
	}
	return diag.Refuse("Options.Certify", "%s computes with floats", b.Name()).
		Instead("take interp, sim:90 or sim:gfx942")
}

// Isolator is a device that can run launches in a child process.
type Isolator interface {
	// Isolate returns an executable that runs exec in a child process. It owns exec from then on.
	Isolate(exec Executable) (Executable, error)
}

// Stages returns the names of the forms that a kernel takes on its way to a device, nil if it compiles none.
func Stages(b Device) []string {
	if s, ok := b.(interface{ Stages() []string }); ok {
		return s.Stages()
	}
	return nil
}
