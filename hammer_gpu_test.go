package nereid_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	hipstub "github.com/nereid-lang/nereid/internal/device/amd/hip/stub"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver/stub"
	"github.com/nereid-lang/nereid/internal/gen/genkernels"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestHammerGPU launches in every way from many goroutines while others close streams, code, graphs and
// tensors, over stubs of both drivers that fail a launch if anything that it uses is destroyed before its
// end.
func TestHammerGPU(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	for _, c := range []struct {
		device string
		again  func(testing.TB, ...string) string
	}{{"cuda:0", stub.Again}, {"hip:0", hipstub.Again}} {
		t.Run(c.device, func(t *testing.T) {
			if txtest.Inside() {
				hammerGPU(t, stream(t, c.device).Device(), hammerTime(t))
				return
			}
			t.Log(c.again(t, "NEREID_CACHE_DIR="+t.TempDir(), "NEREID_STUB_STRICT=3", "NEREID_STUB_LOG="))
		})
	}
}

// TestGPUHammer does the same on a GPU, where a launch with memory that is gone loses the device.
func TestGPUHammer(t *testing.T) {
	dev := txtest.Device(t, "cuda", nereid.OpenDevice)
	if txtest.Inside() {
		txtest.NotHere(t, "the driver is a stub")
	}
	hammerGPU(t, dev, hammerTime(t))
}

// gpuHammer is what the goroutines share. Every kernel's first three parameters are tensors.
type gpuHammer struct {
	t       *testing.T
	dev     *nereid.Device
	k       *nereid.Kernel
	streams [3]atomic.Pointer[nereid.Stream]
	codes   [2]atomic.Pointer[nereid.Compiled]
	tensors [4]atomic.Pointer[nereid.Tensor]
	graphs  [2]atomic.Pointer[nereid.Graph]

	done, closed atomic.Int64
}

const gpuHammerKernel = `
import triton
import triton.language as tl

@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offs = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + offs, mask=offs < n_elements)
    y = tl.load(y_ptr + offs, mask=offs < n_elements)
    tl.store(output_ptr + offs, x + y, mask=offs < n_elements)
`

func hammerGPU(t *testing.T, dev *nereid.Device, d time.Duration) {
	h := &gpuHammer{t: t, dev: dev,
		k: kernelOf(t, "add.py", gpuHammerKernel, "add_kernel", nereid.With(nereid.Config{}))}
	h.fill()
	repeatAll(t, d, []func(*rand.Rand){h.launch, h.launch, h.byName, h.generated, h.compiled, h.bound,
		h.graph, h.sync, h.copy, h.closeStream, h.closeCode, h.closeTensor, h.closeGraph})
	t.Logf("%d calls done, %d found something closed", h.done.Load(), h.closed.Load())
	if h.done.Load() == 0 || h.closed.Load() == 0 {
		t.Error("nothing was launched, or nothing closed")
	}
}

// fill makes the first objects.
func (h *gpuHammer) fill() {
	for i := range h.streams {
		h.streams[i].Store(h.newStream())
	}
	for i := range h.codes {
		h.codes[i].Store(h.newCode())
	}
	for i := range h.tensors {
		h.tensors[i].Store(h.newTensor())
	}
	for i := range h.graphs {
		h.graphs[i].Store(h.newGraph())
	}
}

// judge counts the outcome of a call: it is done, or something was closed.
func (h *gpuHammer) judge(err error) {
	switch {
	case err == nil:
		h.done.Add(1)
	case errors.Is(err, nereid.ErrClosed):
		h.closed.Add(1)
	default:
		h.t.Error(err)
	}
}

func (h *gpuHammer) must(err error) {
	if err != nil {
		h.t.Error(err)
	}
}

func (h *gpuHammer) newStream() *nereid.Stream {
	s, err := h.dev.NewStream(context.Background())
	h.must(err)
	return s
}

func (h *gpuHammer) newCode() *nereid.Compiled {
	c, err := h.k.Compile(context.Background(), h.dev, "*fp32:16, *fp32:16, *fp32:16, i32, 128",
		nereid.Options{})
	h.must(err)
	return c
}

func (h *gpuHammer) newTensor() *nereid.Tensor {
	x, err := nereid.NewTensor(h.dev, nereid.Float32, 128)
	h.must(err)
	return x
}

// newGraph captures launches with tensors that nobody closes, and of code that somebody does.
func (h *gpuHammer) newGraph() *nereid.Graph {
	s, x, c := h.newStream(), h.newTensor(), h.newCode()
	h.must(h.k.Launch(s, nereid.Grid{1}, x, x, x, 100, 128))
	g, err := s.Capture(func() error { return c.Launch(s, nereid.Grid{1}, x, x, x, 100) })
	h.must(errors.Join(err, c.Close(), s.Close()))
	return g
}

func (h *gpuHammer) stream(r *rand.Rand) *nereid.Stream {
	return h.streams[r.IntN(len(h.streams))].Load()
}

func (h *gpuHammer) tensor(r *rand.Rand) *nereid.Tensor {
	return h.tensors[r.IntN(len(h.tensors))].Load()
}

func (h *gpuHammer) launch(r *rand.Rand) {
	h.judge(h.k.Launch(h.stream(r), nereid.Grid{1}, h.tensor(r), h.tensor(r), h.tensor(r), 100, 128))
}

func (h *gpuHammer) byName(r *rand.Rand) {
	h.judge(h.k.Launch(h.stream(r), nereid.Grid{1}, h.tensor(r), h.tensor(r), h.tensor(r),
		nereid.Arg("n_elements", 100), nereid.Arg("BLOCK_SIZE", 128)))
}

func (h *gpuHammer) generated(r *rand.Rand) {
	h.judge(genkernels.AddKernel(h.stream(r), nereid.Grid{1}, h.tensor(r), h.tensor(r), h.tensor(r), 100,
		genkernels.AddKernelConsts{BLOCK_SIZE: 128}))
}

func (h *gpuHammer) compiled(r *rand.Rand) {
	c := h.codes[r.IntN(len(h.codes))].Load()
	h.judge(c.Launch(h.stream(r), nereid.Grid{1}, h.tensor(r), h.tensor(r), h.tensor(r), 100))
}

// bound launches a kernel until something of it is closed.
func (h *gpuHammer) bound(r *rand.Rand) {
	b, err := h.k.Bind(h.stream(r), h.tensor(r), h.tensor(r), h.tensor(r), 100, 128)
	for i := 0; err == nil && i < 1000 && !h.t.Failed(); i++ {
		if err = b.Launch(nereid.Grid{1}); err == nil && i%10 == 0 {
			err = b.SetTensor(i/10%3, h.tensor(r))
		}
		h.judge(err)
	}
	if !errors.Is(err, nereid.ErrClosed) {
		h.must(err)
	}
	h.must(b.Close())
}

func (h *gpuHammer) graph(r *rand.Rand) {
	h.judge(h.graphs[r.IntN(len(h.graphs))].Load().Launch(h.stream(r)))
}

func (h *gpuHammer) sync(r *rand.Rand) { h.judge(h.stream(r).Sync()) }

func (h *gpuHammer) copy(r *rand.Rand) {
	h.judge(nereid.CopyTo(make([]float32, 128), h.tensor(r)))
}

func rest(r *rand.Rand, most int) { time.Sleep(time.Duration(r.IntN(most)) * time.Microsecond) }

func (h *gpuHammer) closeStream(r *rand.Rand) {
	old := h.streams[r.IntN(len(h.streams))].Swap(h.newStream())
	rest(r, 2000)
	h.must(old.Close())
}

func (h *gpuHammer) closeCode(r *rand.Rand) {
	at := &h.codes[r.IntN(len(h.codes))]
	h.must(at.Load().Close())
	at.Store(h.newCode())
	rest(r, 5000)
}

func (h *gpuHammer) closeTensor(r *rand.Rand) {
	at := &h.tensors[r.IntN(len(h.tensors))]
	h.must(at.Load().Close())
	rest(r, 100)
	at.Store(h.newTensor())
	rest(r, 2000)
}

func (h *gpuHammer) closeGraph(r *rand.Rand) {
	at := &h.graphs[r.IntN(len(h.graphs))]
	old := at.Load()
	rest(r, 3000)
	h.must(old.Close())
	at.Store(h.newGraph())
}
