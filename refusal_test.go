package nereid_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const refusedKernels = `
import triton
import triton.language as tl

@triton.jit
def plain(x_ptr, n):
    tl.store(x_ptr, tl.load(x_ptr) + n)

@triton.jit
def wild(x_ptr):
    v = tl.load(x_ptr)
    tl.store(x_ptr, tl.inline_asm_elementwise("frobnicate.b32 $0, $1;", "=r,r", [v],
            dtype=tl.int32, is_pure=True, pack=1))
`

// Everything that the compiler or a device declines is a Refusal, whichever stage it comes from and
// whichever way the caller took.
func TestRefusals(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	kernel := func(name string) *nereid.Kernel {
		return kernelOf(t, "k.py", refusedKernels, name, nereid.With(nereid.Config{}))
	}
	compile := func(name, target, signature string, o nereid.Options) error {
		_, err := kernel(name).CompileFor(context.Background(), target, signature, o, "")
		return err
	}
	x := nereid.FromSlice(make([]int32, 16))
	for name, c := range map[string]struct {
		err                     error
		feature, target, reason string
		remedy                  string
		place                   string
	}{
		"clusters": {compile("plain", "cuda:80", "*fp32:16, i32", nereid.Options{NumCTAs: 2}),
			"num_ctas=2", "cuda:80", "need compute capability 9.0", "set num_ctas to 1", ""},
		"warps": {compile("plain", "cuda:90", "*fp32:16, i32", nereid.Options{NumWarps: 3}),
			"num_warps=3", "", "power of two", "take 2", ""},
		"warps on interp": {kernel("plain").Launch(stream(t, "interp"), nereid.Grid{1}, x, 3,
			nereid.Options{NumWarps: 6}),
			"num_warps=6", "", "power of two", "take 4", ""},
		"warps on cpu": {kernel("plain").Launch(stream(t, "cpu"), nereid.Grid{1}, x, 3,
			nereid.Options{NumWarps: 6}),
			"num_warps=6", "", "power of two", "take 4", ""},
		"assembly on interp": {kernel("wild").Launch(stream(t, "interp"), nereid.Grid{1}, x),
			"tt.elementwise_inline_asm", "interp", "inline assembly", "", "k.py:12:81"},
		"assembly on cpu": {kernel("wild").Launch(stream(t, "cpu"), nereid.Grid{1}, x),
			"tt.elementwise_inline_asm", "cpu", "inline assembly", "", "k.py:12:81"},
		"grid": {kernel("plain").Launch(stream(t, "sim:90"), nereid.Grid{1, 1 << 20}, x, 3),
			"the grid [1 1048576 1]", "sim:90", "1048576 programs along y", "", ""},
		"graphs": {func() error {
			_, err := stream(t, "cpu").Capture(func() error { return nil })
			return err
		}(),
			"Capture", "cpu", "no graphs", "one by one", ""},
		"streams of others": {func() error {
			_, err := stream(t, "cpu").Device().ExternalStream(t.Context(), 1)
			return err
		}(),
			"ExternalStream", "cpu", "no streams of others", "NewStream", ""},
	} {
		var r *nereid.Refusal
		if !errors.As(c.err, &r) {
			t.Errorf("%s: %v is no Refusal", name, c.err)
			continue
		}
		if r.Feature != c.feature || r.Target != c.target || !strings.Contains(r.Reason, c.reason) ||
			!strings.Contains(r.Remedy, c.remedy) {
			t.Errorf("%s: %+v", name, r)
		}
		if place := fmt.Sprintf("%s:%d:%d", r.File, r.Line, r.Column); c.place != "" && place != c.place {
			t.Errorf("%s: at %s, want %s", name, place, c.place)
		}
		if !strings.Contains(r.Error(), c.reason) || !strings.Contains(r.Error(), c.remedy) {
			t.Errorf("%s: the text %q lacks the reason or the remedy", name, r.Error())
		}
	}
}
