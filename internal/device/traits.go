package device

import "github.com/nereid-lang/nereid/internal/diag"

// Optional interfaces of devices and buffers. What a device can do is declared here; nobody compares its
// name.

// Kinded is a device that is one of several of a kind: code compiled for one runs on the others.
type Kinded interface {
	// Kind returns the target for which the device's code is compiled: "cuda:90".
	Kind() string
}

// Kind returns the target for which a device's code is compiled: its kind or, without one, its name.
func Kind(b Device) string {
	if k, ok := b.(Kinded); ok {
		return k.Kind()
	}
	return b.Name()
}

// Staged is a device whose loops are pipelined in another number of stages than 3, unless a launch asks for
// one.
type Staged interface{ DefaultStages() int }

// DefaultsOn returns the options of a launch on a device with unset ones filled in.
func DefaultsOn(b Device, o Options) Options {
	if s, ok := b.(Staged); ok && o.NumStages == 0 {
		o.NumStages = s.DefaultStages()
	}
	return o.Defaults()
}

// Lined is a device whose code can have line information.
type Lined interface {
	// HasLines reports whether code has line information unless the functions of its input have no locations.
	HasLines() bool
}

// HasLines reports whether a device's code has line information, which a compilation may leave out.
func HasLines(b Device) bool {
	l, ok := b.(Lined)
	return ok && l.HasLines()
}

// Certifier is a device that runs code compiled with Options.Certify.
type Certifier interface{ Certifies() }

// CheckCertify returns an error if launches ask for Options.Certify of a device that does not have it.
func CheckCertify(b Device, o Options) error {
	if _, ok := b.(Certifier); ok || !o.Certify {
		return nil
	}
	return diag.Refuse("Options.Certify", "%s computes with floats", b.Name()).
		Instead("take interp, sim:90 or sim:gfx942")
}

// HostSharer is a device whose kernels can read host memory in place, without Wrap.
type HostSharer interface{ SharesHost() bool }

// SharesHost reports whether a device's kernels read host memory in place.
func SharesHost(b Device) bool {
	h, ok := b.(HostSharer)
	return ok && h.SharesHost()
}

// HostCopier is a device that copies host memory to its own for each launch.
type HostCopier interface{ CopiesHost() bool }

// CopiesHost reports whether a device copies host memory for each launch.
func CopiesHost(b Device) bool {
	h, ok := b.(HostCopier)
	return ok && h.CopiesHost()
}

// Aligner is a device whose kernels gain by knowing that a number is divisible by 16, even one under
// do_not_specialize: masks that depend on it then do not split wide accesses.
type Aligner interface{ AlignsNumbers() bool }

// AlignsNumbers reports whether numbers under do_not_specialize that are divisible by 16 have code of their
// own.
func AlignsNumbers(b Device) bool {
	a, ok := b.(Aligner)
	return ok && a.AlignsNumbers()
}

// Isolator is a device that can run launches in a child process.
type Isolator interface {
	// Isolate returns an executable that runs exec in a child process. It owns exec from then on.
	Isolate(exec Executable) (Executable, error)
}

// Labeled is a buffer whose name appears in the errors of launches.
type Labeled interface{ SetName(name string) }

// Stages returns the names of the forms that a kernel takes on its way to a device, nil if it compiles none.
func Stages(b Device) []string {
	if s, ok := b.(interface{ Stages() []string }); ok {
		return s.Stages()
	}
	return nil
}
