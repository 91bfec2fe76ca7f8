package conform

import (
	"bytes"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/kernels"
)

// TestDeeper multiplies with one, few and many programs on the simulated sm_90, which has two SMs in this
// respect: launches run code with more stages or fewer, all with the interpreter's result.
func TestDeeper(t *testing.T) {
	dev, err := nereid.Open("sim:90")
	if err != nil {
		t.Skip(err)
	}
	judge := interpreter(t)
	dump := t.TempDir()
	m, err := nereid.LoadFS(kernels.Files, "matmul.py", nereid.With(nereid.Config{Dump: dump}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("matmul_kernel")
	if err != nil {
		t.Fatal(err)
	}
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

// TestDeeperAhead: launches of a kernel that was compiled ahead of time compile nothing.
func TestDeeperAhead(t *testing.T) {
	dev, err := nereid.Open("sim:90")
	if err != nil {
		t.Skip(err)
	}
	dump := t.TempDir()
	m, err := nereid.LoadFS(kernels.Files, "matmul.py", nereid.With(nereid.Config{Dump: dump}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("matmul_kernel")
	if err != nil {
		t.Fatal(err)
	}
	err = m.Warmup(t.Context(), dev, []nereid.Variant{{Kernel: "matmul_kernel", Options: few,
		Signature: `*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, i32:1, i32:16, i32:1, ` +
			`i32:16, i32:1, 64, 64, 64, 8, ""`}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	multiply(t, k, dev, 64, 64)
	if got := buffersIn(t, dump); got != "3" {
		t.Errorf("the pipeline has %s buffers, not 3", got)
	}
}

// TestDeeperBeside leaves room for an operand that a loop uses in each iteration.
func TestDeeperBeside(t *testing.T) {
	dev, err := nereid.Open("sim:90")
	if err != nil {
		t.Skip(err)
	}
	dump := t.TempDir()
	m, err := nereid.Parse("k.py", []byte(header+`
@triton.jit
def k(a_ptr, b_ptr, c_ptr, n):
    i, j = tl.arange(0, 128), tl.arange(0, 128)
    a = tl.load(a_ptr + i[:, None] * 128 + j[None, :])
    acc = tl.zeros((128, 128), tl.float32)
    for step in range(n):
        b = tl.load(b_ptr + (step * 128 + i)[:, None] * 128 + j[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + i[:, None] * 128 + j[None, :], acc)
`), nereid.With(nereid.Config{Dump: dump}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	data := newArray(f16, 8*128*128)
	for i := range data.len() {
		data.setFloat(i, float64(i*7%13-6))
	}
	run := func(dev *nereid.Device) []byte {
		c, err := nereid.New(dev, nereid.Float32, 128*128)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		s := txtest.Open(t, dev.NewStream, t.Context())
		if err := k.Launch(s, nereid.Grid{1}, lend(t, dev, data), lend(t, dev, data), c, 8, few); err != nil {
			t.Fatal(err)
		}
		raw := make([]byte, 4*128*128)
		if err := c.Read(raw); err != nil {
			t.Fatal(err)
		}
		return raw
	}
	if !bytes.Equal(run(interpreter(t)), run(dev)) {
		t.Error("results differ")
	}
	if got := buffersIn(t, dump); got != "6" {
		t.Errorf("the pipeline has %s buffers, not 6", got)
	}
}

// few are options with few stages.
var few = nereid.Options{NumWarps: 4, NumStages: 3}

// multiply returns the product of two matrices of small integers, n×k and k×n.
func multiply(t *testing.T, kernel *nereid.Kernel, dev *nereid.Device, n, k int) []byte {
	t.Helper()
	data := newArray(f16, n*k)
	for i := range data.len() {
		data.setFloat(i, float64(i*7%13-6))
	}
	a, b := lend(t, dev, data), lend(t, dev, data)
	c, err := nereid.New(dev, nereid.Float16, n*n)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := txtest.Open(t, dev.NewStream, t.Context())
	grid := nereid.Grid{(n / 64) * (n / 64)}
	if err := kernel.Launch(s, grid, a, b, c, n, n, k, k, 1, n, 1, n, 1, 64, 64, 64, 8, "", few); err != nil {
		t.Fatalf("size %d, depth %d: %v", n, k, err)
	}
	raw := make([]byte, 2*n*n)
	if err := c.Read(raw); err != nil {
		t.Fatal(err)
	}
	return raw
}

func lend(t *testing.T, dev *nereid.Device, a array) *nereid.Tensor {
	t.Helper()
	x, err := upload(dev, a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// buffersIn returns how many buffers the pipeline of the dumped kernel has.
func buffersIn(t *testing.T, dump string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dump, "*", "*.ttgir"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	buffers := regexp.MustCompile(`ttg.local_alloc : .*<(\d+)x\d+x\d+xf16`)
	m := buffers.FindStringSubmatch(txtest.Read(t, files[0]))
	if m == nil {
		t.Fatal("no pipeline")
	}
	return m[1]
}
