package nereid_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

// TestCheckedLines: checked launches name the line that goes wrong, also in programs whose other code has no
// line information, whoever asks for the checks.
func TestCheckedLines(t *testing.T) {
	for name, s := range checkedDevices(t, "cpu", "sim:90", "sim:gfx942") {
		for _, conf := range []nereid.Config{{}, {NoLines: true}, {Check: true, NoLines: true}} {
			k := kernelOf(t, "checked.py", checkedKernels, "at", nereid.With(conf))
			x := nereid.FromSlice(make([]float32, 16, 64))
			err := k.Launch(s, nereid.Grid{1}, x, 20, nereid.Options{Check: true})
			err = errors.Join(err, s.Sync())
			var f *nereid.Fault
			if !errors.As(err, &f) || !strings.Contains(err.Error(), "checked.py:13") {
				t.Errorf("%s, %+v: %v", name, conf, err)
			}
		}
		s.Close()
	}
}

const copiedTiles = `
import triton
import triton.language as tl

@triton.jit
def described(x, y, M, N, B: tl.constexpr):
    a = tl.make_tensor_descriptor(x, shape=[M, N], strides=[N, 1], block_shape=[B, B])
    b = tl.make_tensor_descriptor(y, shape=[M, N], strides=[N, 1], block_shape=[B, B])
    b.store([0, 0], a.load([0, 0]))

@triton.jit
def passed(a, b):
    b.store([0, 0], a.load([0, 0]))
`

// TestCheckedCopies: the copy engine checks no access, and checked code does not use it, where other code
// does.
func TestCheckedCopies(t *testing.T) {
	needLLVM(t)
	m, err := nereid.Parse("tiles.py", []byte(copiedTiles), nereid.With(nereid.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	for name, sig := range map[string]string{
		"described": "*fp16:16, *fp16:16, i32:16, i32:16, 64",
		"passed":    "tensordesc<fp16[64, 64]>, tensordesc<fp16[64, 64]>",
	} {
		for _, check := range []bool{false, true} {
			c, err := kernelIn(t, m, name).CompileFor(t.Context(), "cuda:90", sig,
				nereid.Options{Check: check}, "ptx")
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			ptx := string(c.Stage("ptx"))
			if copies := strings.Contains(ptx, "cp.async.bulk"); ptx == "" || copies == check {
				t.Errorf("%s, checked %v: by the copy engine: %v", name, check, copies)
			}
		}
	}
}
