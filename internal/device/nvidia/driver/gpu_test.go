package driver

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// These tests need a GPU and are skipped elsewhere. They need nothing else: the kernels are here.
const testPTX = `
.version 6.3
.target sm_75
.address_size 64

.extern .shared .align 16 .b8 scratch[];
.visible .global .align 4 .u32 seed = 41;

// z[i] = x[i] + y[i]
.visible .entry add(.param .u64 x, .param .u64 y, .param .u64 z, .param .u32 n)
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .f32 %f<4>;
	.reg .b64 %d<11>;
	ld.param.u64 %d1, [x];
	ld.param.u64 %d2, [y];
	ld.param.u64 %d3, [z];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	setp.ge.u32 %p1, %r5, %r1;
	@%p1 bra done;
	mul.wide.u32 %d4, %r5, 4;
	cvta.to.global.u64 %d5, %d1;
	cvta.to.global.u64 %d6, %d2;
	cvta.to.global.u64 %d7, %d3;
	add.s64 %d8, %d5, %d4;
	add.s64 %d9, %d6, %d4;
	add.s64 %d10, %d7, %d4;
	ld.global.f32 %f1, [%d8];
	ld.global.f32 %f2, [%d9];
	add.f32 %f3, %f1, %f2;
	st.global.f32 [%d10], %f3;
done:
	ret;
}

// One thread: writes to the last word of n bytes of shared memory, reads it back, stores it.
.visible .entry through_shared(.param .u64 out, .param .u32 n, .param .u32 v)
{
	.reg .b32 %r<6>;
	.reg .b64 %d<3>;
	ld.param.u64 %d1, [out];
	ld.param.u32 %r1, [n];
	ld.param.u32 %r2, [v];
	mov.u32 %r3, scratch;
	add.s32 %r4, %r3, %r1;
	st.shared.u32 [%r4+-4], %r2;
	bar.sync 0;
	ld.shared.u32 %r5, [%r4+-4];
	cvta.to.global.u64 %d2, %d1;
	st.global.u32 [%d2], %r5;
	ret;
}

// Stores where nothing is.
.visible .entry crash(.param .u64 p)
{
	.reg .b32 %r<2>;
	.reg .b64 %d<2>;
	ld.param.u64 %d1, [p];
	mov.u32 %r1, 1;
	st.global.u32 [%d1], %r1;
	ret;
}

// The kernel of peer/launch_limit.c.
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
	ret;
}
`

// gpu is the first GPU's context.
func gpu(t testing.TB) *Context {
	t.Helper()
	d, err := Load()
	txtest.Need(t, "gpu", err)
	c, err := d.Devices()[0].Context()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// kernel is one of the kernels above, loaded.
func kernel(t testing.TB, c *Context, name string) *Function {
	t.Helper()
	m, err := c.Load([]byte(testPTX), JITOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Unload(); err != nil {
			t.Error(err)
		}
	})
	f, err := m.Function(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func stream(t testing.TB, c *Context) *Stream {
	t.Helper()
	s, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func alloc(t testing.TB, c *Context, n int) DevicePtr {
	t.Helper()
	p, err := c.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Free(p); err != nil {
			t.Error(err)
		}
	})
	return p
}

func check(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func floats(values []float32) []byte {
	var out []byte
	for _, v := range values {
		out = binary.NativeEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

func TestGPUDevice(t *testing.T) {
	d := gpu(t).Device()
	t.Logf("%s, sm_%d, %d SMs at %d MHz, %d GiB, L2 %d MiB, shared memory %d KiB, CUDA %d, %s", d.Name,
		d.Capability(), d.SMs, d.ClockKHz/1000, d.TotalMemory>>30, d.L2Bytes>>20, d.SharedPerBlockOptin>>10,
		d.Driver().Version(), d.UUID)
	if d.Capability() < 50 || d.SMs < 1 || d.TotalMemory < 1<<28 || d.WarpSize != 32 ||
		d.SharedPerBlockOptin < d.SharedPerBlock ||
		d.L2Bytes < 1<<18 || d.Name == "" || !strings.HasPrefix(d.UUID, "GPU-") {
		t.Errorf("%+v", d)
	}
	free, total, err := gpu(t).MemInfo()
	if err != nil || free <= 0 || free > total {
		t.Errorf("%d of %d bytes free, %v", free, total, err)
	}
}

// vectorAdd runs the kernel on n numbers and checks them.
func vectorAdd(t testing.TB, f *Function, s *Stream, n int, config Config) {
	t.Helper()
	c := f.Context()
	x, y := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(i), float32(2*i)
	}
	var ptrs [3]DevicePtr
	a := NewArgs(8, 8, 8, 4)
	for i := range ptrs {
		var err error
		if ptrs[i], err = s.Alloc(4 * n); err != nil {
			t.Error(err)
			return
		}
		a.Pointer(i, ptrs[i])
	}
	a.Uint32(3, uint32(n))
	config.Block = Dim3{128, 1, 1}
	config.Grid = Dim3{uint32(n+127) / 128, 1, 1}
	if config.Cluster.X > 0 {
		config.Grid.X = (config.Grid.X + config.Cluster.X - 1) / config.Cluster.X * config.Cluster.X
	}
	out, err := c.AllocHost(4 * n)
	if err != nil {
		t.Error(err)
		return
	}
	defer out.Close()
	err = errors.Join(s.CopyTo(ptrs[0], floats(x)), s.CopyTo(ptrs[1], floats(y)), s.Fill(ptrs[2], 0, 4, n),
		f.Launch(s, &config, a), s.CopyFrom(out.Bytes(), ptrs[2]), s.Synchronize())
	for _, p := range ptrs {
		err = errors.Join(err, s.Free(p))
	}
	if err != nil {
		t.Errorf("%+v: %v", config, err)
		return
	}
	for i := range n {
		if got := math.Float32frombits(binary.NativeEndian.Uint32(out.Bytes()[4*i:])); got != x[i]+y[i] {
			t.Errorf("%+v: z[%d] = %v, want %v", config, i, got, x[i]+y[i])
			return
		}
	}
}

func TestGPULaunch(t *testing.T) {
	c := gpu(t)
	f := kernel(t, c, "add")
	t.Logf("%d registers, PTX %d, binary %d", f.Registers, f.PTXVersion, f.BinaryVersion)
	if f.Registers == 0 || f.MaxThreadsPerBlock < 128 || f.BinaryVersion == 0 {
		t.Errorf("%+v", f)
	}
	s := stream(t, c)
	configs := []Config{{}}
	if c.Device().Cooperative {
		configs = append(configs, Config{Cooperative: true})
	}
	if c.Device().Clusters {
		configs = append(configs, Config{Overlap: true}, Config{Cluster: Dim3{2, 1, 1}},
			Config{Cluster: Dim3{4, 1, 1}, Overlap: true})
	}
	for _, config := range configs {
		vectorAdd(t, f, s, 10007, config)
		vectorAdd(t, f, c.DefaultStream(), 1, config)
		vectorAdd(t, f, c.ExternalStream(s.Handle()), 1000, config)
	}
	if n, err := f.BlocksPerSM(128, 0); err != nil || n < 4 {
		t.Errorf("BlocksPerSM: %d, %v", n, err)
	}
	if c.Device().Clusters {
		config := Config{Grid: Dim3{64, 1, 1}, Block: Dim3{128, 1, 1}, Cluster: Dim3{2, 1, 1}}
		if n, err := f.Clusters(&config); err != nil || n < 1 {
			t.Errorf("Clusters: %d, %v", n, err)
		}
	}
}

// Goroutines, each with its own stream, on whatever threads.
func TestGPUConcurrent(t *testing.T) {
	c := gpu(t)
	f := kernel(t, c, "add")
	var wg sync.WaitGroup
	for i := range 16 {
		s := stream(t, c)
		wg.Go(func() {
			for j := range 20 {
				vectorAdd(t, f, s, 1000+100*i+j, Config{})
			}
		})
	}
	wg.Wait()
}

// Every device in turn, from the same goroutine.
func TestGPUSeveral(t *testing.T) {
	gpu(t)
	d, err := Load()
	check(t, err)
	if len(d.Devices()) < 2 {
		txtest.NotHere(t, "there is one GPU")
	}
	for range 3 {
		for _, device := range d.Devices() {
			c, err := device.Context()
			check(t, err)
			vectorAdd(t, kernel(t, c, "add"), stream(t, c), 1000, Config{})
		}
	}
}

func TestGPUMemory(t *testing.T) {
	c := gpu(t)
	p, q := alloc(t, c, 1024), alloc(t, c, 1024)
	in, out := make([]byte, 1024), make([]byte, 1024)
	for i := range in {
		in[i] = byte(i * 7)
	}
	check(t, c.CopyTo(p, in), c.Copy(q, p, 1024), c.CopyFrom(out, q))
	if !slices.Equal(in, out) {
		t.Error("a copy differs")
	}
	s := stream(t, c)
	check(t, s.Fill(p, 0xab, 1, 8), s.Fill(p+8, 0x1234, 2, 4), s.Fill(p+16, 0x01020304, 4, 2),
		s.Copy(q, p, 24), s.Synchronize(), c.CopyFrom(out[:24], q))
	want := strings.Repeat("\xab", 8) + strings.Repeat("\x34\x12", 4) + strings.Repeat("\x04\x03\x02\x01", 2)
	if string(out[:24]) != want {
		t.Errorf("%x", out[:24])
	}
	if n, err := c.PointerDevice(p); n != 0 || err != nil {
		t.Errorf("PointerDevice: %d, %v", n, err)
	}
	if _, err := c.PointerDevice(0x10); err == nil {
		t.Error("address 0x10 lies on a device")
	}
	_, err := c.Alloc(1 << 50)
	if !errors.Is(err, ErrOutOfMemory) || !strings.Contains(err.Error(), "are free") {
		t.Errorf("a petabyte: %v", err)
	}
	t.Log(err)
}

func TestGPUEvents(t *testing.T) {
	c := gpu(t)
	s, other := stream(t, c), stream(t, c)
	start, err := c.NewEvent()
	check(t, err)
	end, err := c.NewEvent()
	check(t, err)
	p := alloc(t, c, 256<<20)
	check(t, start.Record(s))
	for range 10 {
		check(t, s.Fill(p, 1, 4, 64<<20))
	}
	check(t, end.Record(s), other.Wait(end), other.Synchronize())
	done, err := end.Done()
	if !done || err != nil {
		t.Errorf("Done: %v, %v", done, err)
	}
	took, err := end.Since(start)
	check(t, err, start.Close(), end.Close())
	t.Logf("2.5 GiB filled in %v: %.0f GB/s", took, 10*float64(256<<20)/took.Seconds()/1e9)
	if took < 10*time.Microsecond || took > 10*time.Second {
		t.Errorf("2.5 GiB filled in %v", took)
	}
}

// Compilations at once, by more goroutines than there are threads.
func TestGPUCompileAtOnce(t *testing.T) {
	c := gpu(t)
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for range 8 {
				m, err := c.Load([]byte(testPTX), JITOptions{LineInfo: true})
				if err != nil {
					t.Error(err)
					return
				}
				if err := m.Unload(); err != nil {
					t.Error(err)
				}
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
}

func TestGPUModules(t *testing.T) {
	c := gpu(t)
	_, err := c.Load([]byte(strings.Replace(testPTX, "add.f32", "odd.f32", 1)), JITOptions{})
	if !errors.Is(err, ErrInvalidPTX) || !strings.Contains(err.Error(), "odd") &&
		!strings.Contains(err.Error(), "line 35") {
		t.Errorf("broken PTX: %v", err)
	}
	t.Log(err)
	_, err = c.Load([]byte("nonsense"), JITOptions{})
	if err == nil {
		t.Error("nonsense was compiled")
	}
	t.Log(err)

	m, err := c.Load([]byte(testPTX), JITOptions{LineInfo: true, Verbose: true})
	check(t, err)
	t.Log(m.Log)
	defer m.Unload()
	f, err := m.Function("add")
	check(t, err)
	vectorAdd(t, f, stream(t, c), 5000, Config{})
	if _, err := m.Function("subtract"); !errors.Is(err, ErrNotFound) ||
		!strings.Contains(err.Error(), "subtract") {
		t.Errorf("a kernel that is not there: %v", err)
	}
	p, n, err := m.Global("seed")
	check(t, err)
	seed := make([]byte, n)
	check(t, c.CopyFrom(seed, p))
	if n != 4 || binary.NativeEndian.Uint32(seed) != 41 {
		t.Errorf("seed is %x", seed)
	}
}

func TestGPUShared(t *testing.T) {
	c := gpu(t)
	f := kernel(t, c, "through_shared")
	s := stream(t, c)
	out := alloc(t, c, 4)
	most := c.Device().SharedPerBlockOptin
	for _, n := range []int{1 << 10, 48 << 10, most} {
		a := NewArgs(8, 4, 4)
		a.Pointer(0, out)
		a.Uint32(1, uint32(n))
		a.Uint32(2, uint32(n+1))
		check(t, f.AllowShared(n), f.PreferShared())
		config := Config{Grid: Dim3{1, 1, 1}, Block: Dim3{1, 1, 1}, Shared: uint32(n)}
		got := make([]byte, 4)
		check(t, f.Launch(s, &config, a), s.Synchronize(), c.CopyFrom(got, out))
		if v := binary.NativeEndian.Uint32(got); v != uint32(n+1) {
			t.Errorf("%d bytes of shared memory: %d came back", n, v)
		}
	}
	if err := f.AllowShared(most + 1); err == nil {
		t.Error("more shared memory than there is")
	}
	config := Config{Grid: Dim3{7, 1, 1}, Block: Dim3{4096, 1, 1}}
	err := f.Launch(s, &config, NewArgs(8, 4, 4))
	if !errors.Is(err, ErrInvalidValue) || !strings.Contains(err.Error(),
		"kernel through_shared, grid 7x1x1, block 4096x1x1") {
		t.Errorf("4096 threads: %v", err)
	}
	t.Log(err)
}

func TestGPUGraph(t *testing.T) {
	c := gpu(t)
	f := kernel(t, c, "add")
	s := stream(t, c)
	const n = 1000
	x, z := alloc(t, c, 4*n), alloc(t, c, 4*n)
	check(t, s.Fill(x, math.Float32bits(1), 4, n), s.Fill(z, 0, 4, n), s.Synchronize())
	a := NewArgs(8, 8, 8, 4)
	a.Pointer(0, x)
	a.Pointer(1, z)
	a.Pointer(2, z)
	a.Uint32(3, n)
	config := Config{Grid: Dim3{8, 1, 1}, Block: Dim3{128, 1, 1}}
	g, err := s.Capture(func() error { return errors.Join(f.Launch(s, &config, a), f.Launch(s, &config, a)) })
	check(t, err)
	if nodes, err := g.Nodes(); nodes != 2 || err != nil {
		t.Errorf("%d nodes, %v", nodes, err)
	}
	for range 5 {
		check(t, g.Launch(s))
	}
	out := make([]byte, 4*n)
	check(t, s.Synchronize(), c.CopyFrom(out, z), g.Close())
	if got := math.Float32frombits(binary.NativeEndian.Uint32(out[4*(n-1):])); got != 10 {
		t.Errorf("ten additions of 1 give %v", got)
	}
	if _, err := s.Capture(s.Synchronize); err == nil {
		t.Error("waiting was recorded")
	}
	vectorAdd(t, f, s, 100, Config{}) // the stream works again
}

// A kernel that faults spoils the context for good, so it runs in a process of its own.
func TestGPUSticky(t *testing.T) {
	c := gpu(t)
	if os.Getenv("NEREID_TEST_CRASH") == "" {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestGPUSticky$", "-test.v")
		cmd.Env = append(os.Environ(), "NEREID_TEST_CRASH=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v:\n%s", err, out)
		}
		t.Logf("%s", out)
		return
	}
	m, err := c.Load([]byte(testPTX), JITOptions{})
	check(t, err)
	f, err := m.Function("crash")
	check(t, err)
	s, err := c.NewStream()
	check(t, err)
	a := NewArgs(8)
	a.Pointer(0, 0x10)
	config := Config{Grid: Dim3{3, 1, 1}, Block: Dim3{32, 1, 1}}
	check(t, f.Launch(s, &config, a))
	for _, err := range []error{s.Synchronize(), c.Synchronize()} {
		t.Log(err)
		if !errors.Is(err, ErrIllegalAddress) || !strings.Contains(err.Error(), "kernel crash, grid 3x1x1") ||
			!strings.Contains(err.Error(), "sticky") {
			t.Errorf("%v", err)
		}
	}
	if _, err := c.Alloc(4); !errors.Is(err, ErrIllegalAddress) {
		t.Errorf("after that: %v", err)
	}
}

func TestGPULaunchAllocatesNothing(t *testing.T) {
	c := gpu(t)
	f, s := kernel(t, c, "k"), stream(t, c)
	a := NewArgs(8, 8, 8, 4)
	config := Config{Grid: Dim3{1, 1, 1}, Block: Dim3{128, 1, 1}}
	if n := testing.AllocsPerRun(1000, func() { check(t, f.Launch(s, &config, a)) }); n != 0 {
		t.Errorf("a launch allocates %v times", n)
	}
	check(t, s.Synchronize())
}

// launchTime is the median of 15 samples of 2000 launches each, as peer/launch_limit.c measures it.
func launchTime(t testing.TB, launch func() error, s *Stream) time.Duration {
	t.Helper()
	for range 500 {
		check(t, launch())
	}
	check(t, s.Synchronize())
	samples := make([]time.Duration, 15)
	for i := range samples {
		start := time.Now()
		for range 2000 {
			if err := launch(); err != nil {
				t.Fatal(err)
			}
		}
		samples[i] = time.Since(start) / 2000
		check(t, s.Synchronize())
	}
	slices.Sort(samples)
	return samples[7]
}

// BenchmarkGPULaunch compares a launch with the bare call to the driver: both in ns for each launch.
// peer/launch_limit.c measures the same in C.
func BenchmarkGPULaunch(b *testing.B) {
	c := gpu(b)
	f, s := kernel(b, c, "k"), stream(b, c)
	p := alloc(b, c, 4096)
	a := NewArgs(8, 8, 8, 4)
	config := Config{Grid: Dim3{1, 1, 1}, Block: Dim3{128, 1, 1}}
	launch := func() error {
		a.Pointer(0, p)
		a.Pointer(1, p)
		a.Pointer(2, p)
		a.Uint32(3, 1024)
		return f.Launch(s, &config, a)
	}
	cases := []struct {
		name   string
		launch func() error
	}{
		{"Launch", launch},
		{"bare", func() error { return c.driver.check("cuLaunchKernel", a.call(c.driver.raw.launchKernel)) }},
		{"set-current", func() error {
			call, err := f.prepare(s, &config, a)
			if err != nil {
				return err
			}
			return f.launchCurrent(&config, a, call)
		}},
	}
	for _, bench := range cases {
		b.Run(bench.name, func(b *testing.B) {
			var took time.Duration
			for b.Loop() {
				took = launchTime(b, bench.launch, s)
			}
			b.ReportMetric(float64(took.Nanoseconds()), "ns/launch")
		})
	}
}
