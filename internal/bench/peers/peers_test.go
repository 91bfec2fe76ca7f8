package peers

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// root is the folder of the project.
var root = filepath.Join("..", "..", "..")

// peer is the C programs, or a skip that says what is missing.
func peer(t *testing.T) *library {
	t.Helper()
	p, err := buildPeer(root, 2)
	txtest.Need(t, "gcc", err)
	return p
}

// TestCPrograms: what our kernels are compared with computes what it should.
func TestCPrograms(t *testing.T) {
	p := peer(t)
	const rows, cols = 7, 96
	x, w, b, out := normal(1, rows*cols), normal(2, cols), normal(3, cols), make([]float32, rows*cols)
	row := func(i int) []float32 { return x[i/cols*cols : i/cols*cols+cols] }

	p.call("peer_add", x, x, out, len(x))()
	expect(t, "add", out, single, func(i int) float64 { return 2 * float64(x[i]) })
	p.call("peer_softmax", x, out, rows, cols)()
	expect(t, "softmax", out, single, func(i int) float64 {
		sum := 0.0
		for _, v := range row(i) {
			sum += math.Exp(float64(v))
		}
		return math.Exp(float64(x[i])) / sum
	})
	p.call("peer_layer_norm", x, w, b, out, rows, cols)()
	expect(t, "layer norm", out, single, func(i int) float64 {
		mean, square := 0.0, 0.0
		for _, v := range row(i) {
			mean += float64(v) / cols
			square += float64(v) * float64(v) / cols
		}
		return (float64(x[i])-mean)/math.Sqrt(square-mean*mean+1e-5)*float64(w[i%cols]) + float64(b[i%cols])
	})

	h, u, hout := halves(4, rows*cols), halves(5, rows*cols), make([]nereid.BF16, rows*cols)
	p.call("peer_rms_norm", h, u, hout, rows, cols)()
	expect(t, "rms norm", hout, half, func(i int) float64 {
		square := 0.0
		for _, v := range h[i/cols*cols : i/cols*cols+cols] {
			square += v.Float() * v.Float() / cols
		}
		return h[i].Float() / math.Sqrt(square+1e-6) * u[i%cols].Float()
	})
	p.call("peer_swiglu", h, u, hout, len(h))()
	expect(t, "swiglu", hout, half, func(i int) float64 {
		g := h[i].Float()
		return g / (1 + math.Exp(-g)) * u[i].Float()
	})
}

// TestPlaces: C's calls leave the thread where it may run, or all that the process starts later would have
// fewer processors, and the comparison would be of different numbers of threads.
func TestPlaces(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	allowed := func() string {
		text, err := os.ReadFile("/proc/thread-self/status")
		if err != nil {
			txtest.NotHere(t, "%v", err)
		}
		_, list, _ := strings.Cut(string(text), "Cpus_allowed_list:")
		list, _, _ = strings.Cut(list, "\n")
		return list
	}
	before := allowed()
	p := peer(t)
	x := normal(1, 64)
	p.call("peer_add", x, x, x, len(x))()
	if after := allowed(); after != before {
		t.Errorf("processors of the thread: %s, and %s before", after, before)
	}
}

func expect[T any](t *testing.T, name string, out []T, value func(T) float64, want func(i int) float64) {
	t.Helper()
	for i, v := range out {
		if got, w := value(v), want(i); !(math.Abs(got-w) <= 5e-3*(1+math.Abs(w))) {
			t.Errorf("%s: element %d is %v, want %v", name, i, got, w)
			return
		}
	}
}

func TestOpenBLAS(t *testing.T) {
	s := &Suite{Threads: 1}
	b := s.openBLAS()
	if b == nil {
		txtest.Need(t, "openblas", fmt.Errorf("%s", s.absent))
	}
	const n = 8
	x, y, z := normal(6, n*n), normal(7, n*n), make([]float32, n*n)
	b.multiply(n, x, y, z)
	expect(t, "matmul", z, single, func(i int) float64 {
		sum := 0.0
		for k := range n {
			sum += float64(x[i/n*n+k]) * float64(y[k*n+i%n])
		}
		return sum
	})
}

// TestScripts: the Python programs run each kind of line.
func TestScripts(t *testing.T) {
	python := filepath.Join(root, ".venv", "bin", "python")
	for _, c := range []struct {
		file, module string
		lines        []string
	}{
		{"numpy_peer.py", "numpy", []string{"softmax fp32 4096 1024", "matmul fp32 64"}},
		{"torch_peer.py", "torch", []string{"softmax fp32 64 64", "layer_norm fp32 64 64",
			"rms_norm bf16 64 64", "swiglu bf16 64 64", "vector_add fp32 64",
			"matmul bf16 64", "attention fp32 2 64 64 causal"}},
	} {
		t.Run(c.module, func(t *testing.T) {
			p, err := startScript(python, root, c.file, c.module, 1)
			txtest.Need(t, c.module, err)
			defer p.close()
			for _, line := range c.lines {
				if took, err := p.run(line, 2); err != nil || took.wall <= 0 || took.wall > time.Minute {
					t.Errorf("%s: %v, %v", line, took, err)
				}
			}
			if _, err := p.run("nothing fp32 1", 1); err == nil {
				t.Error("a line that the program does not know has run")
			}
		})
	}
}

// TestMissingTools: where nothing is installed, what is missing is named.
func TestMissingTools(t *testing.T) {
	t.Setenv("PATH", "")
	s := &Suite{Root: t.TempDir(), Threads: 1}
	s.open()
	if len(s.absent) != 3 || s.peer != nil || s.numpy != nil || s.torch != nil {
		t.Errorf("absent: %q", s.absent)
	}
}
