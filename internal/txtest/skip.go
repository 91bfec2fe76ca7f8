package txtest

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// Every skip of a test goes through this file, so that each has a kind and none hides a fault
// (internal/arch refuses any other):
//
//	Need, LLVM, Device, Tool…   a tool is missing: a failure where NEREID_REQUIRE_TOOLS asks for the tool
//	NotHere                     the system, processor or GPU under the test is not this machine's
//	Slow, LongForm              nobody has asked for a test that takes long
//	LeftOut                     the case itself says why it does not take part

// required is the variable that names the tools whose absence fails tests: a list such as "llvm,triton",
// or 1 for all tools. `make test` sets it to what scripts/setup finds.
const required = "NEREID_REQUIRE_TOOLS"

// Need does nothing if err is nil. Otherwise a tool is missing, and err says why: the test fails if the
// environment requires the tool, and is skipped if not.
func Need(t testing.TB, tool string, err error) {
	t.Helper()
	if err != nil {
		missing(t, tool, "%v", err)
	}
}

// missing ends a test without a tool.
func missing(t testing.TB, tool, format string, args ...any) {
	t.Helper()
	format = "needs " + tool + ": " + format
	if requires(tool) {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// requires reports whether the absence of a tool is a failure. A GPU is required by its name alone.
func requires(tool string) bool {
	list := strings.Split(os.Getenv(required), ",")
	return slices.Contains(list, tool) || tool != "gpu" && slices.Contains(list, "1")
}

// LLVM returns what llvm.Load returns. Without a libLLVM the test needs it; any other error is a fault.
func LLVM[T any](t testing.TB, load func() (T, error)) T {
	t.Helper()
	lib, err := load()
	NeedFound(t, "llvm", err)
	return lib
}

// gpus are the kinds of devices that are hardware.
var gpus = map[string]bool{"cuda": true, "hip": true}

// Device returns the device that open, such as nereid.OpenDevice, opens. Tests on the CPU and on simulated
// GPUs need LLVM, all others a GPU.
func Device[T any](t testing.TB, name string, open func(name string) (T, error)) T {
	t.Helper()
	dev, err := open(name)
	if kind, _, _ := strings.Cut(name, ":"); gpus[kind] {
		Need(t, "gpu", firstLine(err))
	} else {
		NeedFound(t, "llvm", err)
	}
	return dev
}

// NeedFound does as Need if err says that a library was not found; any other error fails the test.
func NeedFound(t testing.TB, tool string, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s is here, but does not work: %v", tool, err)
	}
	Need(t, tool, err)
}

// firstLine returns an error with the first line of err, which may be nil.
func firstLine(err error) error {
	if err == nil {
		return nil
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(line)
}

// NotHere skips a test of a system, a processor or a number of GPUs that this machine does not have. What
// can be installed is a tool instead, see Need.
func NotHere(t testing.TB, format string, args ...any) {
	t.Helper()
	t.Skipf("not here: "+format, args...)
}

// Slow skips a test under -short. The reason says what takes long.
func Slow(t testing.TB, reason string) {
	t.Helper()
	if testing.Short() {
		t.Skipf("slow: %s", reason)
	}
}

// LongForm skips a test that runs only where a variable of the environment asks for it, and returns the
// variable's value.
func LongForm(t testing.TB, variable, what string) string {
	t.Helper()
	value := os.Getenv(variable)
	if value == "" {
		t.Skipf("long form: %s is not set: %s", variable, what)
	}
	return value
}

// LeftOut skips a case that says itself why it does not take part: an accepted divergence, an op that the
// judge does not have, a type that the target refuses.
func LeftOut(t testing.TB, format string, args ...any) {
	t.Helper()
	t.Skipf("left out: "+format, args...)
}
