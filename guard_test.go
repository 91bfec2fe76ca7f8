package nereid_test

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

const guardKernels = `import triton
import triton.language as tl

@triton.jit
def load(x, y, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i))

@triton.jit
def masked(x, y, n, B: tl.constexpr):
    i = tl.program_id(1) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n, other=3.0))

@triton.jit
def below(x, B: tl.constexpr):
    tl.store(x - 2 + tl.arange(0, B), 1.0)

@triton.jit
def count(x, y, B: tl.constexpr):
    tl.atomic_add(x + tl.arange(0, B), 1.0)
    tl.store(y, tl.atomic_add(y + 1, 1.0))

@triton.jit
def most(x, y, B: tl.constexpr):
    tl.store(y + tl.arange(0, B), tl.atomic_max(x + tl.arange(0, B), 1.0))

@triton.jit
def swap(x, i):
    tl.atomic_cas(x + i, 0, 1)

@triton.jit
def product(x, y, out, K, B: tl.constexpr):
    r = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        a = tl.load(x + r[:, None] * K + k + r[None, :])
        b = tl.load(y + (k + r[:, None]) * B + r[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(out + r[:, None] * B + r[None, :], acc)

@triton.jit
def described(x, y, M, N, B: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [M, N], [N, 1], [B, B])
    t = d.load([tl.program_id(0) * B, 0])
    r = tl.arange(0, B)
    tl.store(y + r[:, None] * B + r[None, :], t)

@triton.jit(noinline=True)
def store_at(p, i):
    tl.store(p + i, 1.0)

@triton.jit
def calls(x, i):
    store_at(x, i)

@triton.jit
def helper(p, i):
    return tl.load(p + i)

@triton.jit
def inlined(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, helper(x, i + 1))

@triton.jit
def asserts(x, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i)
    tl.device_assert(v > 1.0, "v is large")
    tl.store(x + i, v + 1)

@triton.jit
def overflows(x, n):
    tl.store(x + n * 65536, 1.0)

@triton.jit
def odd(x, y):
    p = (x.to(tl.pointer_type(tl.int8)) + 1).to(tl.pointer_type(tl.float32))
    tl.store(y, tl.load(p))

@triton.jit
def lies(x, y, i, B: tl.constexpr):
    r = tl.max_contiguous(tl.multiple_of(i + tl.arange(0, B), B), B)
    tl.store(y + tl.arange(0, B), tl.load(x + r))

` + farKernels

// guardCase is a launch that must fail.
type guardCase struct {
	kernel string
	grid   nereid.Grid
	args   []any  // of which an fp32, a part and a *made become tensors on the device
	want   string // the place and the message; a star is for an address
	where  string // calls that led there, if any
	on     string // the devices that see it, if not all do
}

type (
	fp32 int // so many elements
	part int // so many elements in the middle of others
	made struct {
		dt nereid.DType
		n  int
	}
)

var guardCases = []guardCase{
	{"load", nereid.Grid{1}, []any{fp32(998), fp32(1024), 1024},
		"7:21: error: out of bounds load of 4 bytes: index 998 of x, which has 998 elements", "", ""},
	{"load", nereid.Grid{1}, []any{part(60), part(64), 64},
		"7:21: error: out of bounds load of 4 bytes: index 60 of x, which has 60 elements", "", ""},
	{"load", nereid.Grid{1}, []any{part(64), part(60), 64},
		"7:5: error: out of bounds store of 4 bytes: index 60 of y, which has 60 elements", "", ""},
	{"masked", nereid.Grid{1, 2}, []any{fp32(100), fp32(128), 1000, 64},
		"12:21: error: out of bounds load of 4 bytes: index 100 of x, which has 100 elements", "", ""},
	{"below", nereid.Grid{1}, []any{fp32(64), 32},
		"16:5: error: out of bounds store of 4 bytes: index -2 of x, which has 64 elements", "", ""},
	{"count", nereid.Grid{1}, []any{fp32(100), fp32(2), 128},
		"20:5: error: out of bounds atomic of 4 bytes: index 100 of x, which has 100 elements", "", ""},
	{"most", nereid.Grid{1}, []any{fp32(100), fp32(128), 128},
		"25:35: error: out of bounds atomic of 4 bytes: index 100 of x, which has 100 elements", "", ""},
	{"swap", nereid.Grid{1}, []any{made{nereid.Int32, 4}, 4},
		"29:5: error: out of bounds atomic of 4 bytes: index 4 of x, which has 4 elements", "", ""},
	{"product", nereid.Grid{1},
		[]any{made{nereid.Float16, 200 * 64}, made{nereid.Float16, 256 * 64}, fp32(64 * 64), 256, 64},
		"36:13: error: out of bounds load of 2 bytes: index 12800 of x, which has 12800 elements", "", ""},
	{"described", nereid.Grid{2}, []any{fp32(40 * 32), fp32(32 * 32), 64, 32, 32},
		"44:9: error: out of bounds load of 4 bytes: index 1280 of x, which has 1280 elements", "", ""},
	{"calls", nereid.Grid{1}, []any{fp32(4), 5},
		"50:5: error: out of bounds store of 4 bytes: index 5 of x, which has 4 elements",
		"guard.py:54:17", ""},
	{"inlined", nereid.Grid{1}, []any{fp32(64), fp32(64), 64},
		"58:12: error: out of bounds load of 4 bytes: index 64 of x, which has 64 elements",
		"guard.py:63:31", ""},
	{"asserts", nereid.Grid{1}, []any{fp32(64), 64, nereid.Options{Debug: nereid.DebugOn}},
		"69:5: error: assertion failed: v is large", "", ""},
	{"overflows", nereid.Grid{1}, []any{fp32(16), 40000},
		"74:5: error: assertion failed: an index overflows int32", "", ""},
	{"odd", nereid.Grid{1}, []any{fp32(4), fp32(4)},
		"79:17: error: misaligned load of 4 bytes at offset 1 of x, which has 16 bytes", "",
		"interp sim cuda"},
	{"lies", nereid.Grid{1}, []any{fp32(260), fp32(256), 1, 256},
		"84:35: error: misaligned load of 8 bytes at offset 4 of x, which has 1040 bytes", "", "sim cuda"},
	{"either", nereid.Grid{1}, []any{fp32(4), fp32(4), 5, -1},
		"91:5: error: out of bounds store of 4 bytes: index -1 of y, which has 4 elements", "", "interp"},
	{"either", nereid.Grid{1}, []any{fp32(4), fp32(4), 5, -1},
		"91:5: error: out of bounds store of 4 bytes at address *, which is outside of the tensors that " +
			"the pointer may belong to: x, y", "", "sim cuda"},
	{"chase", nereid.Grid{1}, []any{made{nereid.Int64, 1}, 4},
		"96:5: error: out of bounds store of 4 bytes at address 0x10, which is in no tensor of the launch " +
			"and in no buffer of the device", "", "cpu sim cuda"},
}

// programs holds the program that goes wrong where it is not the first.
var programs = map[string]string{"masked": "(0, 1, 0)", "described": "(1, 0, 0)"}

// TestGuards provokes each kind of fault in checked launches. The text of the error is the same on every
// device, and the device is as good as before: a GPU's context is not lost.
func TestGuards(t *testing.T) {
	for name, s := range checkedDevices(t, "interp", "cpu", "sim:90", "cuda:0") {
		kind, _, _ := strings.Cut(name, ":")
		for _, c := range guardCases {
			if c.on == "" || strings.Contains(c.on, kind) {
				t.Run(name+"/"+c.kernel, func(t *testing.T) { c.run(t, s) })
			}
		}
	}
}

func (c *guardCase) run(t *testing.T, s *nereid.Stream) {
	checked := nereid.With(nereid.Config{Check: true})
	err := kernelOf(t, "guard.py", guardKernels, c.kernel, checked).Launch(s, c.grid, c.arguments(t, s)...)
	var f *nereid.Fault
	if !errors.As(err, &f) {
		t.Fatalf("no fault: %v", err)
	}
	line := strings.Split(guardKernels, "\n")[f.Line-1]
	end := "\n    in kernel " + c.kernel + ", program " + cmp.Or(programs[c.kernel], "(0, 0, 0)")
	if c.where != "" {
		end += "\n    called at " + c.where
	}
	from, to, _ := strings.Cut("guard.py:"+c.want, "*")
	if text := err.Error(); !strings.HasPrefix(text, from) ||
		!strings.Contains(text, to+"\n    "+line+"\n") ||
		!strings.Contains(text, "^") || !strings.HasSuffix(text, end) {
		t.Errorf("%v\nwant\n%s … %s", err, c.want, end)
	}
	x, y := []float32{1, 2, 3, 4}, make([]float32, 4)
	err = kernelOf(t, "guard.py", guardKernels, "load", checked).
		Launch(s, nereid.Grid{1}, nereid.FromSlice(x), nereid.FromSlice(y), 4)
	if err != nil || !slices.Equal(x, y) {
		t.Fatalf("afterwards: %v, %v", y, err)
	}
}

// arguments returns the arguments, with tensors on a device.
func (c *guardCase) arguments(t *testing.T, s *nereid.Stream) []any {
	out := slices.Clone(c.args)
	for i, a := range out {
		switch a := a.(type) {
		case fp32:
			out[i] = on(t, s, nereid.Float32, int(a))
		case made:
			out[i] = on(t, s, a.dt, a.n)
		case part:
			out[i] = on(t, s, nereid.Float32, 4*int(a)).Slice(0, int(a), 2*int(a), 1)
		}
	}
	return out
}

// TestGuardsSaved: checked code that was saved and loaded again, without the kernel's source, still names the
// place and the argument.
func TestGuardsSaved(t *testing.T) {
	for name, s := range checkedDevices(t, "sim:90", "cuda:0") {
		k := kernelOf(t, "guard.py", guardKernels, "load", nereid.With(nereid.Config{}))
		c, err := k.Compile(t.Context(), s.Device(), "*fp32:16, *fp32:16, 64", nereid.Options{Check: true})
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := c.Save(&file); err != nil {
			t.Fatal(err)
		}
		loaded, err := nereid.LoadCompiled(s.Device(), &file)
		if err != nil {
			t.Fatal(err)
		}
		for what, c := range map[string]*nereid.Compiled{"compiled": c, "loaded": loaded} {
			err := c.Launch(s, nereid.Grid{1}, on(t, s, nereid.Float32, 64), on(t, s, nereid.Float32, 60))
			var f *nereid.Fault
			if !errors.As(err, &f) || f.Line != 7 || f.Argument != "y" || f.Index != 60 {
				t.Errorf("%s, %s: %v", name, what, err)
			}
			x, y := on(t, s, nereid.Float32, 64), on(t, s, nereid.Float32, 64)
			if err := c.Launch(s, nereid.Grid{1}, x, y); err != nil {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
}
