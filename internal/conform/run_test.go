package conform

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/txtest"
)

var deviceFlag = flag.String("device", os.Getenv("NEREID_TEST_DEVICE"),
	"the device to run on; the interpreter if empty")

var clusterFlag = flag.Int("num-ctas", 1, "how many blocks a program has")

// TestConform runs every case on the device that -device names; without it, a sixth of them on the
// interpreter, another one at each commit, and those that always run on a CPU.
func TestConform(t *testing.T) {
	name, chosen, always := *deviceFlag, sampleHere(t, 6), chosenFor("cpu")
	if name == "" {
		name = "interp"
	}
	dev, err := nereid.OpenDevice(name)
	if err != nil {
		t.Fatal(err)
	}
	var some []*testCase
	for i, c := range all() {
		if chosen(i) || always[c.name] {
			some = append(some, c)
		}
	}
	parallel(t, some, func(t *testing.T, c *testCase) {
		c.test(t, dev, options()...)
	})
}

// sampleHere chooses one in part of a test's cases, another part at each commit; all with -device.
func sampleHere(t *testing.T, part int) func(i int) bool {
	t.Helper()
	if *deviceFlag != "" {
		return func(int) bool { return true }
	}
	return txtest.Sample(t, part)
}

// test does with a case what it is for: most are run on the device.
func (c *testCase) test(t *testing.T, dev *nereid.Device, opts ...any) {
	t.Helper()
	switch {
	case c.refused:
		refusal(t, c, targetOf(dev))
	case c.compile:
		compileOnly(t, c, targetOf(dev))
	case c.gpuless != "" && onGPU(dev.String()):
		txtest.LeftOut(t, "%s", c.gpuless)
	default:
		if err := c.run(dev, opts...); err != nil {
			t.Errorf("%v\n%s", err, c.show())
		}
	}
}

// targetOf returns the target for which cases that do not run on a device are compiled.
func targetOf(dev *nereid.Device) string {
	if chip, ok := strings.CutPrefix(dev.String(), "sim:gfx"); ok {
		return "hip:gfx" + chip
	}
	return "cuda:90"
}

// parallel makes a subtest of each case.
func parallel(t *testing.T, cases []*testCase, f func(*testing.T, *testCase)) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f(t, c)
		})
	}
}

// show is the kernel of a case with its signature, for a message.
func (c *testCase) show() string {
	text := c.module.text
	if at := strings.Index(text, "def "+c.kernel+"("); at >= 0 {
		text = text[at:]
		if end := strings.Index(text, "\n@triton"); end >= 0 {
			text = text[:end]
		}
	}
	return c.signature() + "\n" + text
}

// compileFor compiles the kernel of a case to a stage for a target.
func (c *testCase) compileFor(t *testing.T, target, stage string) error {
	t.Helper()
	m, err := c.module.load()
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel(c.kernel)
	if err != nil {
		t.Fatal(err)
	}
	_, err = k.CompileFor(t.Context(), target, c.signature(), nereid.Options{}, stage)
	return err
}

// refusal is a case that must not compile: the error is one of the user's, with a place.
func refusal(t *testing.T, c *testCase, target string) {
	err := c.compileFor(t, target, "source")
	var list *diag.List
	switch {
	case err == nil:
		t.Errorf("it compiles, but Triton refuses it\n%s", c.show())
	case !errors.As(err, &list):
		t.Errorf("it is refused, but not with a diagnostic: %v\n%s", err, c.show())
	case !list.Diags[0].Span.Start.IsValid():
		t.Errorf("the error has no place: %v", err)
	}
}

// compileOnly is a case for GPUs alone: it becomes Triton IR, and the interpreter refuses it.
func compileOnly(t *testing.T, c *testCase, target string) {
	if err := c.compileFor(t, target, "ttir"); err != nil {
		t.Errorf("%v\n%s", err, c.show())
	}
}

// pad is how many elements behind a tensor are watched.
const pad = 16

// options are those that flags ask for.
func options() []any {
	if *clusterFlag > 1 {
		return []any{nereid.Options{NumCTAs: *clusterFlag}}
	}
	return nil
}

// run launches the case with options, if there are any, and compares every tensor.
func (c *testCase) run(dev *nereid.Device, opts ...any) error {
	m, err := c.module.load()
	if err != nil {
		return err
	}
	k, err := m.Kernel(c.kernel)
	if err != nil {
		return err
	}
	var values []any
	tensors := make([]*nereid.Tensor, len(c.args))
	for i, a := range c.args {
		if a.data.dt == nil && a.omit {
			continue
		}
		if a.data.dt == nil {
			values = append(values, a.value)
			continue
		}
		if tensors[i], err = upload(dev, a.data); err != nil {
			return err
		}
		defer tensors[i].Close()
		if a.desc != nil {
			values = append(values, describe(tensors[i], a))
		} else {
			values = append(values, tensors[i])
		}
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		return err
	}
	defer s.Close()
	if err := k.Launch(s, nereid.Grid(c.grid), append(values, opts...)...); err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	for i, a := range c.args {
		if tensors[i] == nil {
			continue
		}
		if err := a.check(dev, tensors[i]); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
	}
	return nil
}

func upload(dev *nereid.Device, a array) (*nereid.Tensor, error) {
	t, err := nereid.NewTensor(dev, a.dt.nd, a.len()+pad)
	if err != nil {
		return nil, err
	}
	data := a.bytes()
	for len(data) < (a.len()+pad)*a.dt.size() {
		data = append(data, 0x5a)
	}
	return t, t.CopyBytesFrom(data)
}

func describe(t *nereid.Tensor, a arg) *nereid.Descriptor {
	d := &nereid.Descriptor{Base: t, NaN: a.nan}
	stride := int64(1)
	for i := len(a.data.shape) - 1; i >= 0; i-- {
		d.Shape = append([]int64{int64(a.data.shape[i])}, d.Shape...)
		d.Strides = append([]int64{stride}, d.Strides...)
		stride *= int64(a.data.shape[i])
	}
	for _, n := range a.desc {
		d.Block = append(d.Block, int64(n))
	}
	return d
}

// check compares a tensor with what is expected; what the kernel has no business with must be as before.
func (a arg) check(dev *nereid.Device, t *nereid.Tensor) error {
	n := a.data.len()
	data := make([]byte, (n+pad)*a.data.dt.size())
	if err := t.CopyBytesTo(data); err != nil {
		return err
	}
	for i, b := range data[n*a.data.dt.size():] {
		if b != 0x5a {
			return fmt.Errorf("byte %d behind the tensor is changed", i)
		}
	}
	got := fromBytes(a.data.dt, data[:n*a.data.dt.size()])
	want, tol := a.data, exact
	if a.want != nil {
		w := a.want()
		if a.wantOn != nil {
			w = a.wantOn(targetOf(dev))
		}
		want, tol = concat(w.reshape(w.len()), array{a.data.dt, nil, a.data.bits[w.len():]}), a.tol
	}
	if dev.String() != "interp" {
		tol.ulps = max(tol.ulps, tol.others)
	} else {
		tol.abs = 0
	}
	return compare(got, want, tol)
}

func compare(got, want array, tol tolerance) error {
	bad, first := 0, ""
	for i, g := range got.bits {
		if w := want.bits[i]; !tol.accepts(got.dt, g, w) {
			if bad == 0 {
				first = fmt.Sprintf("element %d is %s, not %s", i, got.dt.text(g), got.dt.text(w))
			}
			bad++
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d elements are wrong: %s", bad, got.len(), first)
	}
	return nil
}

func (tol tolerance) accepts(dt *dtype, got, want uint64) bool {
	if got == want {
		return true
	}
	if !dt.isFloat() {
		return false
	}
	g, w := dt.float(got), dt.float(want)
	switch {
	case g != g || w != w:
		return g != g && w != w
	case g == w:
		return tol.anyZero
	case tol.ulps == 0 && tol.abs == 0 || math.IsInf(w, 0):
		return false
	}
	return math.Abs(g-w) <= tol.ulps*dt.ulp(w)+tol.abs
}
