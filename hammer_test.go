package nereid_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
)

// hammerKernel: every program adds one to each element, some times over.
const hammerKernel = `
import triton
import triton.language as tl

@triton.jit
def add(x, y, turns, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i)
    for _ in range(turns):
        v += 1.0
    tl.store(y + i, v)
`

// hammerTime is how long each device is hammered; NEREID_TEST_HAMMER=5m sets another time.
func hammerTime(t *testing.T) time.Duration {
	d, err := time.ParseDuration(os.Getenv("NEREID_TEST_HAMMER"))
	if err != nil {
		return time.Second
	}
	t.Logf("for %v", d)
	return d
}

// TestHammer launches from many goroutines while others close, and replace, the streams, the code and the
// tensors, and cancel contexts. A launch computes what it should, or fails because something is closed or its
// context has ended; nothing else happens to the process, also under the race detector.
func TestHammer(t *testing.T) {
	d := hammerTime(t)
	for _, c := range []struct {
		device string
		conf   nereid.Config
	}{
		{"cpu", nereid.Config{}},
		{"cpu", nereid.Config{Isolate: runtime.GOOS == "linux"}},
		{"interp", nereid.Config{}},
		{"interp", nereid.Config{Check: true}},
		{"sim:90", nereid.Config{}},
	} {
		name := c.device
		if c.conf.Isolate {
			name += " isolated"
		}
		if c.conf.Check {
			name += " checked"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newHammer(t, c.device, c.conf).run(d)
		})
	}
}

// hammer is what goroutines of a test share.
type hammer struct {
	t       *testing.T
	dev     *nereid.Device
	k       *nereid.Kernel
	streams [3]atomic.Pointer[hammered[*nereid.Stream]]
	codes   [2]atomic.Pointer[hammered[*nereid.Compiled]]
	tensors [3]atomic.Pointer[hammered[*nereid.Tensor]]

	done, closed, cancelled atomic.Int64
}

// hammered is an object with what ends it besides Close.
type hammered[T any] struct {
	x   T
	end context.CancelFunc
}

const (
	hammerBlock    = 64
	hammerPrograms = 4
	hammerSize     = hammerBlock * hammerPrograms
)

func newHammer(t *testing.T, device string, conf nereid.Config) *hammer {
	dev := stream(t, device).Device()
	h := &hammer{t: t, dev: dev, k: kernelOf(t, "hammer.py", hammerKernel, "add", nereid.With(conf))}
	for i := range h.streams {
		h.streams[i].Store(h.stream())
	}
	for i := range h.codes {
		h.codes[i].Store(h.code())
	}
	for i := range h.tensors {
		h.tensors[i].Store(h.tensor())
	}
	return h
}

func (h *hammer) stream() *hammered[*nereid.Stream] {
	ctx, cancel := context.WithCancel(context.Background())
	s, err := h.dev.NewStream(ctx)
	if err != nil {
		h.t.Error(err)
	}
	return &hammered[*nereid.Stream]{s, cancel}
}

func (h *hammer) code() *hammered[*nereid.Compiled] {
	c, err := h.k.Compile(context.Background(), h.dev, "*fp32, *fp32, i32, 64", nereid.Options{Overlap: true})
	if err != nil {
		h.t.Error(err)
	}
	return &hammered[*nereid.Compiled]{x: c}
}

// tensor returns a tensor of the device that holds ones.
func (h *hammer) tensor() *hammered[*nereid.Tensor] {
	x, err := nereid.NewTensor(h.dev, nereid.Float32, hammerSize)
	if err == nil {
		ones := make([]float32, hammerSize)
		for i := range ones {
			ones[i] = 1
		}
		err = nereid.CopyFrom(x, ones)
	}
	if err != nil {
		h.t.Error(err)
	}
	return &hammered[*nereid.Tensor]{x: x}
}

// run hammers for some time.
func (h *hammer) run(d time.Duration) {
	works := []func(*rand.Rand){h.closeStream, h.closeCode, h.closeTensor}
	for range 4 {
		y := make([]float32, hammerSize)
		works = append(works, func(r *rand.Rand) { h.launch(r, y) })
	}
	repeatAll(h.t, d, works)
	h.t.Logf("%d launches done, %d found something closed, %d were cancelled", h.done.Load(),
		h.closed.Load(), h.cancelled.Load())
	if h.done.Load() == 0 || h.closed.Load() == 0 {
		h.t.Error("nothing was launched, or nothing closed")
	}
	for i := range h.streams {
		h.streams[i].Load().x.Close()
	}
}

// repeatAll calls functions again and again for some time, each in a goroutine of its own with random numbers
// of its own, until a test has failed.
func repeatAll(t *testing.T, d time.Duration, works []func(*rand.Rand)) {
	end := time.Now().Add(d)
	var all sync.WaitGroup
	for i, f := range works {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 31))
			for time.Now().Before(end) && !t.Failed() {
				f(r)
			}
		})
	}
	all.Wait()
}

// launch launches the kernel, or compiled code, and checks the result.
func (h *hammer) launch(r *rand.Rand, y []float32) {
	s := h.streams[r.IntN(len(h.streams))].Load().x
	x := h.tensors[r.IntN(len(h.tensors))].Load().x
	turns := []int{2, 3, 300}[r.IntN(3)]
	var err error
	if r.IntN(2) == 0 {
		err = h.k.Launch(s, nereid.Grid{hammerPrograms}, x, nereid.FromSlice(y), turns, hammerBlock)
	} else {
		c := h.codes[r.IntN(len(h.codes))].Load().x
		err = c.Launch(s, nereid.Grid{hammerPrograms}, x, nereid.FromSlice(y), turns)
	}
	switch {
	case err == nil:
		h.done.Add(1)
		for i, v := range y {
			if v != float32(1+turns) {
				h.t.Errorf("element %d is %v after %d turns", i, v, turns)
				break
			}
		}
	case errors.Is(err, nereid.ErrClosed):
		h.closed.Add(1)
	case errors.Is(err, context.Canceled):
		h.cancelled.Add(1)
	default:
		h.t.Error(err)
	}
}

// closeStream closes a stream or cancels its context, after another has taken its place.
func (h *hammer) closeStream(r *rand.Rand) {
	old := h.streams[r.IntN(len(h.streams))].Swap(h.stream())
	time.Sleep(time.Duration(r.IntN(2000)) * time.Microsecond)
	if r.IntN(2) == 0 {
		old.end()
	}
	if err := old.x.Close(); err != nil {
		h.t.Error(err)
	}
	old.end()
}

// closeCode closes code while others may launch it.
func (h *hammer) closeCode(r *rand.Rand) {
	at := &h.codes[r.IntN(len(h.codes))]
	if err := at.Load().x.Close(); err != nil {
		h.t.Error(err)
	}
	at.Store(h.code())
	time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
}

// closeTensor closes a tensor while others may launch with it.
func (h *hammer) closeTensor(r *rand.Rand) {
	at := &h.tensors[r.IntN(len(h.tensors))]
	if err := at.Load().x.Close(); err != nil {
		h.t.Error(err)
	}
	time.Sleep(time.Duration(r.IntN(500)) * time.Microsecond)
	at.Store(h.tensor())
	time.Sleep(time.Duration(r.IntN(2000)) * time.Microsecond)
}
