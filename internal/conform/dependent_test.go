package conform

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// dependentKernels begin, if the launch says so, before the launch before them has ended.
const dependentKernels = header + `
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

@triton.jit
def first(x, y):
    i = tl.arange(0, 128)
    gdc_launch_dependents()
    tl.store(y + i, tl.load(x + i) + 1)

@triton.jit
def reads(x, y, EARLY: tl.constexpr, WAIT: tl.constexpr):
    i = tl.arange(0, 128)
    if EARLY:
        v = tl.load(x + i)
    if WAIT:
        gdc_wait()
    if not EARLY:
        v = tl.load(x + i)
    tl.store(y + i, v)

@triton.jit
def writes(x, EARLY: tl.constexpr):
    i = tl.arange(0, 128)
    if EARLY:
        tl.store(x + i, 7.0)
    gdc_wait()
    if not EARLY:
        tl.store(x + i, 7.0)

@triton.jit
def apart(x):
    tl.store(x + tl.arange(0, 128), 0.0)
`

// TestDependentLaunches: a launch that may begin before the one before it has ended waits for that before it
// reads what that one writes, and before it writes what that one accesses. A GPU mostly runs it right without
// the wait, and the simulator, which runs one launch after the other, always would: it compares accesses.
func TestDependentLaunches(t *testing.T) {
	mod, err := nereid.Parse("dependent.py", []byte(dependentKernels))
	if err != nil {
		t.Fatal(err)
	}
	dev := opened(t, "sim:90")[0]
	for name, c := range map[string]struct {
		run  func(l launcher) error
		want string // of the error; "" for none
	}{
		"reads behind the wait": {func(l launcher) error { return l("reads", "y", "z", false, true) }, ""},
		"reads before the wait": {func(l launcher) error { return l("reads", "y", "z", true, true) },
			"reads global memory"},
		"does not wait": {func(l launcher) error { return l("reads", "y", "z", false, false) },
			"reads global memory"},
		"writes behind the wait": {func(l launcher) error { return l("writes", "x", false) }, ""},
		"writes what was read": {func(l launcher) error { return l("writes", "x", true) },
			"accesses it"},
		"writes what is not in use": {func(l launcher) error { return l("writes", "z", true) }, ""},
		"reads what nobody writes":  {func(l launcher) error { return l("reads", "x", "z", true, true) }, ""},
		"the launch between does not wait": {func(l launcher) error {
			if err := l("apart", "w"); err != nil {
				return err
			}
			return l("reads", "y", "z", true, true)
		}, "reads global memory"},
		"the launch between waits": {func(l launcher) error {
			if err := l("reads", "w", "v", false, true); err != nil {
				return err
			}
			return l("reads", "y", "z", true, true)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.run(dependent(t, mod, dev))
			if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// launcher launches a kernel that may begin before the one before it has ended. Arguments that are strings
// name tensors.
type launcher func(kernel string, args ...any) error

// dependent returns a launcher on a stream on which a kernel has read x and written y.
func dependent(t *testing.T, mod *nereid.Module, dev *nereid.Device) launcher {
	t.Helper()
	tensors := map[string]*nereid.Tensor{}
	for _, name := range []string{"x", "y", "z", "w", "v"} {
		x, err := nereid.NewTensor(dev, nereid.Float32, 128)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		tensors[name] = x
	}
	s := txtest.Open(t, dev.NewStream, t.Context())
	launch := func(pdl bool, kernel string, args ...any) error {
		k, err := mod.Kernel(kernel)
		if err != nil {
			return err
		}
		list := []any{}
		for _, a := range args {
			if name, ok := a.(string); ok {
				a = tensors[name]
			}
			list = append(list, a)
		}
		return k.Launch(s, nereid.Grid{1}, append(list, nereid.Options{LaunchPDL: pdl})...)
	}
	// From its first such code on, the device keeps what launches access.
	if err := launch(true, "reads", "w", "v", false, true); err != nil {
		t.Fatal(err)
	}
	if err := launch(false, "first", "x", "y"); err != nil {
		t.Fatal(err)
	}
	return func(kernel string, args ...any) error { return launch(true, kernel, args...) }
}
