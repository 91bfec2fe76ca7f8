package conform

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/kernels"
)

// TestDeeper multiplies with one, few and many programs on the simulated sm_90, which has two SMs in this
// respect: launches run code with more stages or fewer, all with the interpreter's result.
func TestDeeper(t *testing.T) {
	dev, judge, dump := opened(t, "sim:90")[0], interpreter(t), t.TempDir()
	_, k := products(t, nereid.Config{Dump: dump})
	for _, x := range []struct {
		size, depth int
		last        string // buffers of the pipeline that was compiled last
	}{
		{64, 64, "8"}, {64, 640, "8"}, {192, 128, "3"}, {128, 208, "7"}, {128, 16, "7"}, {64, 320, "7"},
		{192, 64, "7"},
	} {
		want, got := multiply(t, k, judge, x.size, x.depth), multiply(t, k, dev, x.size, x.depth)
		if !bytes.Equal(want, got) {
			t.Errorf("size %d, depth %d: results differ", x.size, x.depth)
		}
		if got := buffersIn(t, dump); got != x.last {
			t.Errorf("size %d, depth %d: the last has %s buffers, not %s", x.size, x.depth, got, x.last)
		}
	}
}

// TestDeeperAhead: launches of a kernel that was compiled ahead of time run the same code as those that
// compile, and compile nothing; without forms they run the code for any launch.
func TestDeeperAhead(t *testing.T) {
	dev := opened(t, "sim:90")[0]
	v := nereid.Variant{Kernel: "matmul_kernel", Options: few,
		Signature: `*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, i32:1, i32:16, i32:1, ` +
			`i32:16, i32:1, 64, 64, 64, 8, ""`}
	launches := []struct{ size, depth int }{{64, 64}, {64, 640}, {192, 128}, {192, 64}}
	var jit nereid.Recorder
	_, k := products(t, nereid.Config{Record: &jit})
	var want [][]byte
	for _, x := range launches {
		want = append(want, multiply(t, k, dev, x.size, x.depth))
	}
	if len(jit.Variants()) < 2 {
		t.Fatalf("launches ran %v", jit.Variants())
	}
	seen := append(jit.Variants(), v)
	for i := range seen {
		seen[i].File = ""
	}
	for _, c := range []struct {
		forms   nereid.Forms
		list    []nereid.Variant
		made    int
		missing bool // forms that launches would run
	}{{nereid.AllForms, []nereid.Variant{v}, 3, false}, {nereid.SeenForms, seen, 2, false},
		{nereid.GeneralForm, seen, 1, true}} {
		var made nereid.Recorder
		compiled := 0
		m, k := products(t, nereid.Config{Record: &made, Strict: true, Forms: c.forms,
			Hooks: nereid.Hooks{BeforeCompile: func(context.Context, nereid.Variant) error {
				compiled++
				return nil
			}}})
		if err := m.Warmup(t.Context(), dev, c.list, nil); err != nil {
			t.Fatal(err)
		}
		before := compiled
		if before < c.made {
			t.Errorf("forms %d: %d are compiled: %v", c.forms, before, made.Variants())
		}
		for i, x := range launches {
			if got := multiply(t, k, dev, x.size, x.depth); !bytes.Equal(want[i], got) {
				t.Errorf("forms %d, %v: results differ", c.forms, x)
			}
		}
		if compiled != before {
			t.Errorf("forms %d: launches compiled %d times", c.forms, compiled-before)
		}
		for _, v := range jit.Variants() {
			if v.Form != "" && slices.Contains(made.Variants(), v) == c.missing {
				t.Errorf("forms %d: %v are made, and launches run %v", c.forms, made.Variants(), v)
			}
		}
	}
}

// TestDeeperBeside leaves room for an operand that a loop uses in each iteration.
func TestDeeperBeside(t *testing.T) {
	dev, dump := opened(t, "sim:90")[0], t.TempDir()
	k := kernelOf(t, `
@triton.jit
def k(a_ptr, b_ptr, c_ptr, n):
`, `
i, j = tl.arange(0, 128), tl.arange(0, 128)
a = tl.load(a_ptr + i[:, None] * 128 + j[None, :])
acc = tl.zeros((128, 128), tl.float32)
for step in range(n):
    b = tl.load(b_ptr + (step * 128 + i)[:, None] * 128 + j[None, :])
    acc = tl.dot(a, b, acc)
tl.store(c_ptr + i[:, None] * 128 + j[None, :], acc)
`, nereid.With(nereid.Config{Dump: dump}))
	sixBuffers(t, k, dump, dev, nereid.Grid{1}, factors(8*128*128), newArray(f32, 128*128), 8)
}

// sixBuffers launches k(data, data, out, args...), which leaves what it leaves on the interpreter, and has a
// pipeline of six buffers.
func sixBuffers(t *testing.T, k *nereid.Kernel, dump string, dev *nereid.Device, grid nereid.Grid,
	data, out array, args ...any) {
	t.Helper()
	run := func(dev *nereid.Device) []byte {
		c := lend(t, dev, out)
		s := txtest.Open(t, dev.NewStream, t.Context())
		all := append([]any{lend(t, dev, data), lend(t, dev, data), c, few}, args...)
		if err := k.Launch(s, grid, all...); err != nil {
			t.Fatal(err)
		}
		return bytesOf(t, c)
	}
	if !bytes.Equal(run(interpreter(t)), run(dev)) {
		t.Error("results differ")
	}
	if got := buffersIn(t, dump); got != "6" {
		t.Errorf("the pipeline has %s buffers, not 6", got)
	}
}

// TestDeeperFused deepens the loop that tl.range(flatten=True) makes of two, and leaves room for the
// conversion before its store, or for the buffer of stores through a descriptor.
func TestDeeperFused(t *testing.T) {
	const byPointers = `
i, j = tl.arange(0, 128), tl.arange(0, 64)
for tile in tl.range(tl.program_id(0), tiles, 2, flatten=True):
    acc = tl.zeros((128, 128), tl.float32)
    for step in range(steps):
        a = tl.load(a_ptr + (tile * 128 + i)[:, None] * steps * 64 + (step * 64 + j)[None, :])
        b = tl.load(b_ptr + (step * 64 + j)[:, None] * 128 + i[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + (tile * 128 + i)[:, None] * 128 + i[None, :], acc.to(tl.float16))
`
	const byDescriptors = `
a_desc = tl.make_tensor_descriptor(a_ptr, [tiles * 128, steps * 64], [steps * 64, 1], [128, 64])
b_desc = tl.make_tensor_descriptor(b_ptr, [steps * 64, 128], [128, 1], [64, 128])
c_desc = tl.make_tensor_descriptor(c_ptr, [tiles * 128, 128], [128, 1], [128, 64])
for tile in tl.range(tl.program_id(0), tiles, 2, warp_specialize=True):
    acc = tl.zeros((128, 128), tl.float32)
    for step in range(steps):
        a = a_desc.load([tile * 128, step * 64])
        b = b_desc.load([step * 64, 0])
        acc = tl.dot(a, b, acc)
    left, right = acc.reshape(128, 2, 64).permute(0, 2, 1).split()
    c_desc.store([tile * 128, 0], left.to(tl.float16))
    c_desc.store([tile * 128, 64], right.to(tl.float16))
`
	const tiles, steps = 5, 3
	data := factors(tiles * 128 * steps * 64)
	for name, body := range map[string]string{"pointers": byPointers, "descriptors": byDescriptors} {
		t.Run(name, func(t *testing.T) {
			dev, dump := opened(t, "sim:90")[0], t.TempDir()
			k := kernelOf(t, "\n@triton.jit\ndef k(a_ptr, b_ptr, c_ptr, tiles, steps):\n", body,
				nereid.With(nereid.Config{Dump: dump}))
			sixBuffers(t, k, dump, dev, nereid.Grid{2}, data, newArray(f16, tiles*128*128), tiles, steps)
		})
	}
}

// few are options with few stages.
var few = nereid.Options{NumWarps: 4, NumStages: 3}

// multiply returns the product of two matrices of small integers, n×k and k×n.
func multiply(t *testing.T, kernel *nereid.Kernel, dev *nereid.Device, n, k int) []byte {
	t.Helper()
	data := factors(n * k)
	a, b, c := lend(t, dev, data), lend(t, dev, data), lend(t, dev, newArray(f16, n*n))
	s := txtest.Open(t, dev.NewStream, t.Context())
	grid := nereid.Grid{(n / 64) * (n / 64)}
	if err := kernel.Launch(s, grid, a, b, c, n, n, k, k, 1, n, 1, n, 1, 64, 64, 64, 8, "", few); err != nil {
		t.Fatalf("size %d, depth %d: %v", n, k, err)
	}
	return bytesOf(t, c)
}

// factors returns n numbers whose products add up exactly.
func factors(n int) array {
	data := newArray(f16, n)
	for i := range data.len() {
		data.setFloat(i, float64(i*7%13-6))
	}
	return data
}

// products returns kernels/matmul.py and its kernel, whose stages are dumped to a folder.
func products(t *testing.T, conf nereid.Config) (*nereid.Module, *nereid.Kernel) {
	t.Helper()
	m, err := nereid.LoadFS(kernels.Files, "matmul.py", nereid.With(conf))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("matmul_kernel")
	if err != nil {
		t.Fatal(err)
	}
	return m, k
}

// buffersIn returns how many buffers the pipeline of the dumped kernel has.
func buffersIn(t *testing.T, dump string) string {
	t.Helper()
	buffers := regexp.MustCompile(`ttg.local_alloc : .*<(\d+)x\d+x\d+xf16`)
	m := buffers.FindStringSubmatch(onlyTTGIR(t, dump))
	if m == nil {
		t.Fatal("no pipeline")
	}
	return m[1]
}
