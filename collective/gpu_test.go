package collective_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/collective"
	hipstub "github.com/nereid-lang/nereid/internal/device/amd/hip/stub"
	ncclstub "github.com/nereid-lang/nereid/internal/device/nccl/stub"
	cudastub "github.com/nereid-lang/nereid/internal/device/nvidia/driver/stub"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/ops"
	"github.com/nereid-lang/nereid/run"
)

// ncclTypes are the types that NCCL reduces, beside Bool.
var ncclTypes = []run.DType{run.Int8, run.Int32, run.Int64, run.Uint8, run.Uint32, run.Uint64, run.Float16,
	run.BFloat16, run.Float32, run.Float64, run.Float8E4NV, run.Float8E5}

// gpuRank opens the only rank of a communicator on a GPU.
func gpuRank(t *testing.T, dev *run.Device, cfg collective.Config) rank {
	t.Helper()
	cfg.Size = 1
	c, err := collective.Open(context.Background(), dev, cfg)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Sync(), c.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return rank{c, s, dev}
}

// onDevice returns a tensor of a device with the values of a rank.
func onDevice(dev *run.Device, dt run.DType, r, n int) *run.Tensor {
	t, err := filled(dt, r, 0, n).To(dev)
	if err != nil {
		panic(err)
	}
	return t
}

// operations calls every operation of a single rank, each of which copies x to one of the results.
func operations(r rank, x *run.Tensor, out []*run.Tensor, op collective.Op) error {
	return errors.Join(
		r.AllReduce(r.s, out[0], x, op),
		r.Reduce(r.s, out[1], x, op, 0),
		r.ReduceScatter(r.s, out[2], x, op),
		r.AllGather(r.s, out[3], x),
		r.Broadcast(r.s, x, 0),
		r.Group(func() error {
			return errors.Join(r.Send(r.s, x, 0), r.Receive(r.s, out[4], 0))
		}))
}

// TestGPU: a communicator of one rank on a real GPU by the real NCCL: every operation on every type that NCCL
// has, launched and in graphs, again and again, with both modes of NCCL's calls.
func TestGPU(t *testing.T) {
	dev := txtest.Device(t, "cuda", run.OpenDevice)
	for _, blocking := range []bool{false, true} {
		r := gpuRank(t, dev, collective.Config{Blocking: blocking})
		begin := time.Now()
		for _, dt := range ncclTypes {
			for _, n := range []int{1, 37, 1<<16 + 3} {
				if err := onGPU(r, dt, n); err != nil {
					t.Fatalf("blocking %v, %d %s: %v", blocking, n, dt, err)
				}
			}
		}
		t.Logf("blocking %v: %s on %s, %.1f s", blocking, r.Transport(), dev.Info(),
			time.Since(begin).Seconds())
	}
}

// onGPU runs the operations on a type, and as a graph.
func onGPU(r rank, dt run.DType, n int) error {
	x := onDevice(r.Device(), dt, 1, n)
	defer x.Close()
	out := make([]*run.Tensor, 5)
	for i := range out {
		out[i] = onDevice(r.Device(), dt, 0, n)
		defer out[i].Close()
	}
	check := func(by int) error {
		if err := r.s.Sync(); err != nil {
			return err
		}
		for i, t := range out {
			if err := same(t, func(i int) float64 { return value(by, i) }); err != nil {
				return fmt.Errorf("operation %d: %w", i, err)
			}
		}
		return nil
	}
	for i, op := range reductions {
		put(x, func(j int) float64 { return value(i, j) })
		if err := errors.Join(operations(r, x, out, op), check(i)); err != nil {
			return fmt.Errorf("%s: %w", op, err)
		}
	}
	g, err := r.s.Capture(func() error { return operations(r, x, out, collective.Sum) })
	if err != nil {
		return fmt.Errorf("capture: %w", err)
	}
	defer g.Close()
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "graphs") {
		return fmt.Errorf("Close with an open graph: %v", err)
	}
	for i := range 200 {
		if i%50 == 0 {
			put(x, func(j int) float64 { return value(i/50+3, j) })
		}
		if err := g.Launch(r.s); err != nil {
			return fmt.Errorf("launch %d: %w", i, err)
		}
		if i%50 == 49 {
			if err := check(i/50 + 3); err != nil {
				return fmt.Errorf("launch %d: %w", i, err)
			}
		}
	}
	return nil
}

// TestGPUKernels: a graph in which kernels and operations alternate, of two communicators on one stream.
func TestGPUKernels(t *testing.T) {
	dev := txtest.Device(t, "cuda", nereid.OpenDevice)
	a, b := gpuRank(t, dev, collective.Config{}), gpuRank(t, dev, collective.Config{})
	s := ops.On(a.s)
	defer s.Close()
	x := onDevice(dev, run.Float32, 0, 1000)
	defer x.Close()
	step := func() error {
		return errors.Join(ops.Add(s.Into(x), x, 1).Err(), a.AllReduce(a.s, x, x, collective.Sum),
			ops.Mul(s.Into(x), x, 2).Err(), b.AllReduce(a.s, x, x, collective.Avg))
	}
	if err := step(); err != nil {
		t.Fatal(err)
	}
	g, err := a.s.Capture(step)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	want := func(i int, times int) float64 {
		v := value(0, i)
		for range times {
			v = (v + 1) * 2
		}
		return v
	}
	for i := range 15 {
		if err := g.Launch(a.s); err != nil {
			t.Fatal(err)
		}
		if err := a.s.Sync(); err != nil {
			t.Fatal(err)
		}
		if err := same(x, func(j int) float64 { return want(j, i+2) }); err != nil {
			t.Fatalf("launch %d: %v", i, err)
		}
	}
}

// TestGPUAbort: the end of a context ends a communicator on a GPU; the device works on.
func TestGPUAbort(t *testing.T) {
	dev := txtest.Device(t, "cuda", run.OpenDevice)
	for range 5 {
		begin := time.Now()
		ctx, cancel := context.WithCancelCause(t.Context())
		c, err := collective.Open(ctx, dev, collective.Config{Size: 1})
		if err != nil {
			t.Fatal(err)
		}
		opened := time.Since(begin)
		r := rank{c, nil, dev}
		if r.s, err = dev.NewStream(context.Background()); err != nil {
			t.Fatal(err)
		}
		x := onDevice(dev, run.Float32, 1, 1<<22)
		if err := r.AllReduce(r.s, x, x, collective.Sum); err != nil {
			t.Fatal(err)
		}
		why := errors.New("enough")
		begin = time.Now()
		cancel(why)
		for end := time.Now().Add(10 * time.Second); c.Err() == nil && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		t.Logf("opened in %v, aborted in %v", opened, time.Since(begin))
		if err := r.AllReduce(r.s, x, x, collective.Sum); !errors.Is(err, why) {
			t.Fatalf("after the context's end: %v", err)
		}
		if err := errors.Join(r.s.Sync(), c.Close(), r.s.Close(), x.Close()); err != nil {
			t.Fatal(err)
		}
	}
	// Rank 1 never comes.
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	id, err := collective.NewID(dev, collective.Config{})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	_, err = collective.Open(ctx, dev, collective.Config{Size: 2, ID: id})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Open without rank 1: %v", err)
	}
	t.Logf("given up after %.1f s", time.Since(begin).Seconds())
}

// TestGPUSockets: sockets move the data of a GPU through the host's memory.
func TestGPUSockets(t *testing.T) {
	dev := txtest.Device(t, "cuda", run.OpenDevice)
	r := gpuRank(t, dev, collective.Config{Sockets: true})
	x := onDevice(dev, run.Float32, 1, 1000)
	defer x.Close()
	err := errors.Join(r.AllReduce(r.s, x, x, collective.Sum),
		same(x, func(i int) float64 { return value(1, i) }))
	if err != nil || r.Transport() != "sockets" {
		t.Errorf("%s: %v", r.Transport(), err)
	}
	_, err = r.s.Capture(func() error { return r.AllReduce(r.s, x, x, collective.Sum) })
	if !errors.Is(err, run.ErrCapturing) {
		t.Errorf("in a graph: %v", err)
	}
}

// TestStubSockets: sockets move what two ranks have in the memory of a GPU, whose driver the host's memory
// stands in for. A tensor that an operation does not write keeps what it had.
func TestStubSockets(t *testing.T) {
	if !txtest.Inside() {
		cudastub.Again(t, "NEREID_CACHE_DIR="+t.TempDir())
		return
	}
	dev := txtest.Device(t, "cuda", run.OpenDevice)
	comms := pair(t, dev, collective.Config{Sockets: true})
	all(t, together(comms, dev, dev, func(r rank) error {
		for _, n := range []int{0, 1, 37, 20000} {
			if err := everything(r, run.Float32, n); err != nil {
				return fmt.Errorf("%d elements: %w", n, err)
			}
		}
		return nil
	}))
}

// BenchmarkGPU measures what an operation of one rank costs.
func BenchmarkGPU(b *testing.B) {
	dev := txtest.Device(b, "cuda", run.OpenDevice)
	c, err := collective.Open(b.Context(), dev, collective.Config{Size: 1})
	if err != nil {
		b.Fatal(err)
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	x, y := onDevice(dev, run.Float32, 1, 1000), onDevice(dev, run.Float32, 1, 1000)
	b.ReportAllocs()
	for b.Loop() {
		if err := c.AllReduce(s, y, x, collective.Sum); err != nil {
			b.Fatal(err)
		}
	}
	if err := errors.Join(s.Sync(), c.Close(), s.Close()); err != nil {
		b.Fatal(err)
	}
}

// stubbed opens a GPU in a process of the test's own, with stubs of the CUDA driver and of NCCL. Outside of
// that process it starts it, compares NCCL's calls with those wanted, and returns nil.
func stubbed(t *testing.T, want string, env ...string) *run.Device {
	t.Helper()
	if txtest.Inside() {
		return txtest.Device(t, "cuda", run.OpenDevice)
	}
	lib, log := ncclstub.Build(t)
	env = append(env, "NEREID_NCCL="+lib, "NEREID_STUB_NCCL_LOG="+log, "NEREID_CACHE_DIR="+t.TempDir())
	cudastub.Again(t, env...)
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "; "); got != want {
		t.Errorf("calls %s\nwant  %s", got, want)
	}
	return nil
}

// TestStub: the way of operations to NCCL's calls, launched and captured.
func TestStub(t *testing.T) {
	const one = "all_reduce n=37 type=7 op=0 stream=1; reduce n=37 type=7 op=0 root=0 stream=1; " +
		"reduce_scatter n=37 type=7 op=0 stream=1; all_gather n=37 type=7 stream=1; " +
		"broadcast n=37 type=7 root=0 stream=1; group start; send n=37 type=7 peer=0 stream=1; " +
		"recv n=37 type=7 peer=0 stream=1; group end; "
	dev := stubbed(t, "init ranks=1 rank=0 blocking=0; "+one+one+
		"group start; group end; all_gather n=74 type=1 stream=1; finalize; destroy", "NEREID_STUB_NCCL_SLOW=3")
	if dev == nil {
		return
	}
	r := gpuRank(t, dev, collective.Config{})
	x := onDevice(dev, run.Float32, 1, 37)
	out := []*run.Tensor{x, x, x, x, x}
	if err := operations(r, x, out, collective.Avg); err != nil {
		t.Fatal(err)
	}
	g, err := r.s.Capture(func() error { return operations(r, x, out, collective.Avg) })
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "7 operations") {
		t.Errorf("Close with a graph open: %v", err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if err := r.Group(func() error {
		return r.Group(func() error { return nil })
	}); err == nil || !strings.Contains(err.Error(), "group within a group") || r.Err() != nil {
		t.Errorf("a group within a group: %v, %v", err, r.Err())
	}
	// NCCL has no int16: it is moved as bytes, and not reduced.
	short := onDevice(dev, run.Int16, 1, 37)
	if err := r.AllGather(r.s, short, short); err != nil {
		t.Error(err)
	}
	if err := r.AllReduce(r.s, short, short, collective.Sum); err == nil ||
		!strings.Contains(err.Error(), "nccl 22809 has no reductions of i16") {
		t.Errorf("int16: %v", err)
	}
	hostTensor := filled(run.Float32, 0, 0, 4)
	if err := r.AllReduce(r.s, hostTensor, hostTensor, collective.Sum); err == nil ||
		!strings.Contains(err.Error(), "host memory") {
		t.Errorf("host memory: %v", err)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if err := r.AllReduce(r.s, x, x, collective.Sum); !errors.Is(err, run.ErrClosed) {
		t.Errorf("a closed tensor: %v", err)
	}
}

// abortedSum are NCCL's calls of a communicator that is aborted after its first operation.
const abortedSum = "init ranks=1 rank=0 blocking=0; all_reduce n=37 type=7 op=0 stream=1; abort"

// TestStubErrors: an error that NCCL reports later aborts the communicator.
func TestStubErrors(t *testing.T) {
	dev := stubbed(t, abortedSum, "NEREID_STUB_NCCL_FAIL=async")
	if dev == nil {
		return
	}
	r := gpuRank(t, dev, collective.Config{})
	x := onDevice(dev, run.Float32, 1, 37)
	err := r.AllReduce(r.s, x, x, collective.Sum)
	if err == nil || !strings.Contains(err.Error(), "remote process exited") || r.Err() == nil {
		t.Errorf("%v, and then %v", err, r.Err())
	}
}

// TestStubWaits: Open ends with its context while NCCL waits for other ranks.
func TestStubWaits(t *testing.T) {
	dev := stubbed(t, "init ranks=2 rank=0 blocking=0; abort", "NEREID_STUB_NCCL_SLOW=-1")
	if dev == nil {
		return
	}
	id, err := collective.NewID(dev, collective.Config{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := collective.Config{Size: 2, ID: id, Timeout: 50 * time.Millisecond}
	if _, err = collective.Open(t.Context(), dev, cfg); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Open: %v", err)
	}
}

// TestStubAbort: Abort and the end of a context end an operation while NCCL waits for other ranks.
func TestStubAbort(t *testing.T) {
	dev := stubbed(t, abortedSum+"; "+abortedSum, "NEREID_STUB_NCCL_HANG=1")
	if dev == nil {
		return
	}
	why := errors.New("enough")
	for _, byContext := range []bool{false, true} {
		ctx, cancel := context.WithCancelCause(context.Background())
		c, err := collective.Open(ctx, dev, collective.Config{Size: 1})
		if err != nil {
			t.Fatal(err)
		}
		s, err := dev.NewStream(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			time.Sleep(20 * time.Millisecond)
			if byContext {
				cancel(why)
			} else {
				c.Abort()
			}
		}()
		x := onDevice(dev, run.Float32, 1, 37)
		if err := c.AllReduce(s, x, x, collective.Sum); err == nil || byContext && !errors.Is(err, why) {
			t.Errorf("an operation that was aborted: %v", err)
		}
		if err := c.Close(); err != nil || c.Err() == nil {
			t.Errorf("after the end: %v, %v", err, c.Err())
		}
		cancel(nil)
	}
}

// TestWithoutNCCL: the error names what to install.
func TestWithoutNCCL(t *testing.T) {
	if !txtest.Inside() {
		cudastub.Again(t, "NEREID_NCCL=/nowhere/libnccl.so.2", "NEREID_CACHE_DIR="+t.TempDir())
		return
	}
	dev := txtest.Device(t, "cuda", run.OpenDevice)
	_, err := collective.Open(t.Context(), dev, collective.Config{Size: 1})
	if err == nil || !strings.Contains(err.Error(), "pip install nvidia-nccl-cu13") {
		t.Errorf("%v", err)
	}
}

// TestStubRCCL: GPUs of AMD's use RCCL, which has the same calls.
func TestStubRCCL(t *testing.T) {
	if !txtest.Inside() {
		lib, log := ncclstub.Build(t)
		hipstub.Again(t, "NEREID_RCCL="+lib, "NEREID_STUB_NCCL_LOG="+log, "NEREID_CACHE_DIR="+t.TempDir())
		text, err := os.ReadFile(log)
		const want = "init ranks=1 rank=0 blocking=0\nall_reduce n=37 type=7 op=0 stream=1\n" +
			"all_gather n=37 type=1 stream=1\nfinalize\ndestroy\n"
		if err != nil || string(text) != want {
			t.Errorf("%v, calls %s\nwant %s", err, text, want)
		}
		return
	}
	dev := txtest.Device(t, "hip", run.OpenDevice)
	r := gpuRank(t, dev, collective.Config{})
	x := onDevice(dev, run.Float32, 1, 37)
	if err := r.AllReduce(r.s, x, x, collective.Sum); err != nil || r.Transport() != "rccl" {
		t.Errorf("%s: %v", r.Transport(), err)
	}
	small := onDevice(dev, run.Float8E5, 1, 37)
	if err := r.AllGather(r.s, small, small); err != nil {
		t.Error(err)
	}
	if err := r.AllReduce(r.s, small, small, collective.Sum); err == nil ||
		!strings.Contains(err.Error(), "rccl 22809 has no reductions of fp8e5") {
		t.Errorf("fp8: %v", err)
	}
}
