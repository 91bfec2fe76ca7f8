package driver

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dl"
)

// Result is a CUresult. Those that callers test with errors.Is have names here; an *Error unwraps to one.
type Result uint32

const (
	success Result = 0

	ErrInvalidValue          Result = 1
	ErrOutOfMemory           Result = 2
	ErrNoDevice              Result = 100
	ErrInvalidImage          Result = 200
	ErrInvalidContext        Result = 201
	ErrNoBinaryForGPU        Result = 209
	ErrECC                   Result = 214
	ErrInvalidPTX            Result = 218
	ErrUnsupportedPTXVersion Result = 222
	ErrInvalidHandle         Result = 400
	ErrNotFound              Result = 500
	ErrNotReady              Result = 600
	ErrIllegalAddress        Result = 700
	ErrOutOfResources        Result = 701
	ErrTimeout               Result = 702
	ErrAssert                Result = 710
	ErrStack                 Result = 714
	ErrIllegalInstruction    Result = 715
	ErrMisalignedAddress     Result = 716
	ErrAddressSpace          Result = 717
	ErrInvalidPC             Result = 718
	ErrLaunchFailed          Result = 719
	ErrCooperativeTooLarge   Result = 720
	ErrNotSupported          Result = 801
	ErrCaptureUnsupported    Result = 900
	ErrCaptureInvalidated    Result = 901
)

func (r Result) Error() string { return fmt.Sprintf("CUDA error %d", uint32(r)) }

// sticky holds the results after which the context, and with it the device, is lost to this process.
var sticky = map[Result]bool{
	ErrECC: true, ErrIllegalAddress: true, ErrTimeout: true, ErrAssert: true, ErrStack: true,
	ErrIllegalInstruction: true, ErrMisalignedAddress: true, ErrAddressSpace: true, ErrInvalidPC: true,
	ErrLaunchFailed: true,
}

// Sticky reports whether the context is lost: every later call on that device fails alike until the process
// ends.
func (r Result) Sticky() bool { return sticky[r] }

// remedies holds what to do about common results.
var remedies = map[Result]string{
	ErrNoDevice: "is a GPU there and visible (nvidia-smi, CUDA_VISIBLE_DEVICES)?",
	ErrUnsupportedPTXVersion: "the driver is older than the PTX: update it, or compile for a lower " +
		"PTX version",
	ErrNoBinaryForGPU:    "the code was compiled for another architecture",
	ErrOutOfResources:    "too many registers, threads or too much shared memory for this GPU",
	ErrIllegalAddress:    checkNames,
	ErrMisalignedAddress: checkNames,
	ErrAssert:            "with Options.Check the error names the line, and the device goes on",
	ErrIllegalInstruction: "a store through a tensor descriptor at a negative coordinate? The device " +
		"sim:90 names the line",
	ErrCooperativeTooLarge: "a cooperative grid must fit on the GPU all at once",
}

// checkNames is the remedy for accesses that the hardware refuses.
const checkNames = "a launch with Options.Check, or with NEREID_CHECK=1, names the line, the argument and " +
	"the index, and the device goes on"

// Error is the error of a call to the driver.
type Error struct {
	Call   string // for example "cuLaunchKernel"
	Result Result
	Detail string // the kernel and its grid, the compiler's log, sizes
	driver *Driver
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Call, e.driver.describeResult(e.Result))
	if e.Detail != "" {
		fmt.Fprintf(&b, ": %s", e.Detail)
	}
	if remedy := remedies[e.Result]; remedy != "" {
		fmt.Fprintf(&b, " (%s)", remedy)
	}
	if e.Result.Sticky() {
		b.WriteString("; this error is sticky: every later call on this device fails until the process is " +
			"restarted")
	}
	return b.String()
}

// Unwrap returns the Result, for errors.Is.
func (e *Error) Unwrap() error { return e.Result }

// refused holds the results by which a GPU declines a launch or a driver a call that is right, and what each
// is about.
var refused = map[Result]string{
	ErrOutOfResources: "resources of a block", ErrCooperativeTooLarge: "launch_cooperative_grid",
	ErrNotSupported: "call of the driver", ErrUnsupportedPTXVersion: "version of PTX",
	ErrNoBinaryForGPU: "code of another architecture",
}

// As makes an error by which the GPU or the driver declines something a *diag.Refusal, for errors.As.
func (e *Error) As(target any) bool {
	r, ok := target.(**diag.Refusal)
	feature := refused[e.Result]
	if !ok || feature == "" {
		return false
	}
	*r = diag.Refuse(feature, "%s: %s", e.Call, e.driver.describeResult(e.Result)).Instead(remedies[e.Result])
	if e.Detail != "" {
		(*r).Reason += ": " + e.Detail
	}
	return true
}

// describeResult returns CUDA's name and text for a result.
func (d *Driver) describeResult(r Result) string {
	if d == nil || d.raw.getErrorName == nil {
		return r.Error()
	}
	var name, text *byte
	d.raw.getErrorName(r, &name)
	d.raw.getErrorString(r, &text)
	if name == nil {
		return r.Error()
	}
	return fmt.Sprintf("%s (%s)", dl.GoString(name), dl.GoString(text))
}

// check returns an error for a result that is not success.
func (d *Driver) check(call string, r Result) error {
	if r == success {
		return nil
	}
	return &Error{Call: call, Result: r, driver: d}
}

// explain adds detail to an error of check.
func explain(err error, format string, args ...any) error {
	if e, ok := err.(*Error); ok {
		e.Detail = fmt.Sprintf(format, args...)
	}
	return err
}

// unsupported returns the error of a call that this driver is too old for.
func (d *Driver) unsupported(call string) error {
	return &Error{Call: call, Result: ErrNotSupported, Detail: fmt.Sprintf("the driver (CUDA %d.%d) lacks it",
		d.version/1000, d.version%1000/10), driver: d}
}
