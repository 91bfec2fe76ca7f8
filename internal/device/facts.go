package device

import (
	"context"
	"fmt"

	"github.com/nereid-lang/nereid/internal/diag"
)

// Facts describes compiled code. A field is 0 if the target has nothing of the kind, or does not tell.
type Facts struct {
	Warps   int `json:"warps,omitempty"`   // of a block
	Threads int `json:"threads,omitempty"` // of a block
	Cluster int `json:"cluster,omitempty"` // blocks of a program
	Shared  int `json:"shared,omitempty"`  // bytes of shared memory of a block
	// bytes of memory that each program has for itself while it runs
	Scratch   int64 `json:"scratch,omitempty"`
	Registers int   `json:"registers,omitempty"` // of a thread
	// bytes of local memory of a thread: spilled registers, arrays
	Spills int   `json:"spills,omitempty"`
	Params []int `json:"params,omitempty"` // size of each argument in bytes; nil means words of 8 bytes
	Maps   []int `json:"maps,omitempty"`   // arguments that are tensor maps, by their index

	Checked bool    `json:"checked,omitempty"` // a launch must tell the bounds of the arguments
	Entry   string  `json:"entry,omitempty"`   // symbol of the code
	Apart   []Apart `json:"apart,omitempty"`   // arguments whose memory the code assumes not to overlap
}

// FactsOf returns the facts about an executable; nil has none.
func FactsOf(e Executable) Facts {
	if x, ok := e.(interface{ Facts() Facts }); ok {
		return x.Facts()
	}
	return Facts{}
}

// Launched is a stream that knows the code of its last launch, which may be other code than the kernel's
// executable: for larger or smaller launches, say.
type Launched interface {
	// Launched returns the registers, spills and shared memory of that code, zeros without a launch.
	Launched() Facts
}

// Restorer is a device that makes executables of saved code.
type Restorer interface {
	// Restore returns the executable that code was saved from.
	Restore(ctx context.Context, kernel string, code Code) (Executable, error)
}

// Native is a device whose code runs on some processors only.
type Native interface {
	// Machine names the processors that run the device's code: an architecture with its features.
	Machine() string
}

// Machine names the processors that run a device's code. Without any of their own it is the device's kind.
func Machine(b Device) string {
	if n, ok := b.(Native); ok {
		return n.Machine()
	}
	return Kind(b)
}

// Runner is a device that runs code of other machines than its own: code of an older architecture, code that
// uses fewer features.
type Runner interface {
	// Runs returns nil if the device runs code of a stage that was compiled for a machine, or else why not.
	Runs(stage, machine string) error
}

// Runs returns nil if a device runs code of a stage that was compiled for a machine, or else why not.
func Runs(b Device, stage, machine string) error {
	if r, ok := b.(Runner); ok {
		return r.Runs(stage, machine)
	}
	if own := Machine(b); own != machine {
		return fmt.Errorf("%s runs code for %s", b.Name(), own)
	}
	return nil
}

// Unloaded is code for a target without a device: it can be inspected and saved, not launched.
type Unloaded struct {
	code   Code
	facts  Facts
	target string
}

// NewUnloaded returns code for a target as an executable.
func NewUnloaded(target string, code Code, facts Facts) *Unloaded {
	return &Unloaded{code, facts, target}
}

func (u *Unloaded) Code() (Code, error) { return u.code, nil }
func (u *Unloaded) Facts() Facts        { return u.facts }
func (u *Unloaded) Close() error        { return nil }

// Launch refuses: there is no device.
func (u *Unloaded) Launch(context.Context, Stream, [3]int, []uint64) error {
	return diag.Refuse("launch", "the kernel was compiled for a target, not for a device").By(u.target).
		Instead("save it, and load it where the device is")
}
