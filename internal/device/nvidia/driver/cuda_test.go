package driver

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dl"
	"github.com/nereid-lang/nereid/internal/txtest"
)

func TestMissingDriver(t *testing.T) {
	_, err := open([]dl.Candidate{"/nowhere/libcuda.so.1", "libcuda-that-nobody-has.so"})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("open: %v", err)
	}
	for _, want := range []string{
		"the CUDA driver (libcuda.so.1) cannot be opened",
		"not found: /nowhere/libcuda.so.1, libcuda-that-nobody-has.so",
		"NVIDIA's display driver",
		"NEREID_CUDA",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in:\n%v", want, err)
		}
	}
}

func TestCandidates(t *testing.T) {
	t.Setenv("NEREID_CUDA", "/opt/libcuda.so")
	if list := candidates(); len(list) != 1 || list[0] != "/opt/libcuda.so" {
		t.Errorf("NEREID_CUDA is one of %q", list)
	}
}

// Each field of the raw layer is in the table of symbols once.
func TestSymbolTable(t *testing.T) {
	var r raw
	seen := map[any]bool{}
	for _, row := range r.symbols() {
		if seen[row.Ptr] || !strings.HasPrefix(row.Symbol, "cu") {
			t.Errorf("%s", row.Symbol)
		}
		seen[row.Ptr] = true
	}
	if n := reflect.TypeOf(r).NumField(); len(seen) != n {
		t.Errorf("%d symbols for %d fields", len(seen), n)
	}
}

// The structures are those of cuda.h.
func TestLayout(t *testing.T) {
	var c launchConfig
	for name, pair := range map[string][2]uintptr{
		"CUlaunchConfig":          {unsafe.Sizeof(c), 56},
		"CUlaunchConfig.hStream":  {unsafe.Offsetof(c.stream), 32},
		"CUlaunchConfig.attrs":    {unsafe.Offsetof(c.attrs), 40},
		"CUlaunchConfig.numAttrs": {unsafe.Offsetof(c.count), 48},
		"CUlaunchAttribute":       {unsafe.Sizeof(launchAttribute{}), 72},
		"CUlaunchAttribute.value": {unsafe.Offsetof(launchAttribute{}.value), 8},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is at or has %d, in C %d", name, pair[0], pair[1])
		}
	}
}

func TestStart(t *testing.T) {
	f := newFake(t, 2)
	f.attrs[115] = 0
	delete(f.attrs, 120) // a driver that does not know of clusters
	if err := f.start(); err != nil {
		t.Fatal(err)
	}
	if f.Version() != 12080 || len(f.Devices()) != 2 {
		t.Errorf("version %d, %d devices", f.Version(), len(f.Devices()))
	}
	d, err := f.Device(1)
	if err != nil {
		t.Fatal(err)
	}
	if d.String() != "cuda:1" || d.Name != "Fake 11" || d.Capability() != 90 || d.SMs != 132 ||
		d.L2Bytes != 60<<20 ||
		d.SharedPerBlockOptin != 227<<10 || d.TotalMemory != 80<<30 || d.MemoryPools || d.Clusters ||
		!d.Cooperative ||
		d.UUID != "GPU-ab000000-0000-0000-0000-0000000000cd" {
		t.Errorf("%+v", d)
	}
	if _, err := f.Device(2); err == nil || err.Error() != "no device cuda:2, there are 2" {
		t.Errorf("Device(2): %v", err)
	}
}

func TestStartFails(t *testing.T) {
	f := newFake(t, 0)
	err := f.start()
	if !errors.Is(err, ErrNoDevice) || !strings.Contains(err.Error(),
		"CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)") {
		t.Errorf("no device: %v", err)
	}
	f.results["init"] = 999
	if err := f.start(); err == nil || err.Error() != "cuInit: CUDA error 999" {
		t.Errorf("cuInit: %v", err)
	}
}

func TestContext(t *testing.T) {
	f := newFake(t, 1)
	if err := f.start(); err != nil {
		t.Fatal(err)
	}
	c, err := f.devices[0].Context()
	if err != nil {
		t.Fatal(err)
	}
	again, err := f.devices[0].Context()
	if err != nil || again != c {
		t.Errorf("a second context: %v", err)
	}
	f.want(t, "init", "retain 10", "pool 4 ffffffffffffffff")
	if err := errors.Join(c.Synchronize(), c.SetLimit(LimitPrintf, 1<<20), c.Release(),
		c.Release()); err != nil {
		t.Error(err)
	}
	f.want(t, "current 110", "ctxSync", "current 110", "limit 1 1048576", "release 10")
}

func TestMemory(t *testing.T) {
	f, c := started(t, 1)
	s, err := c.NewStreamWithPriority(-1)
	if err != nil {
		t.Fatal(err)
	}
	f.want(t, "current 110", "stream 1 -1")
	p, err := c.Alloc(64)
	q, err2 := s.Alloc(32)
	none, err3 := s.Alloc(0)
	if err := errors.Join(err, err2, err3); err != nil || p != 0x1000 || q != 0x2000 || none != 0 {
		t.Errorf("%#x %#x %#x %v", p, q, none, err)
	}
	f.want(t, "current 110", "alloc 64", "current 110", "allocAsync 32 7")
	out := make([]byte, 4)
	for _, err := range []error{
		c.CopyTo(p, []byte{1, 2}), c.CopyTo(p, nil), c.CopyFrom(out, p), c.Copy(p, q, 8),
		s.CopyTo(p, []byte{3}), s.CopyFrom(out, p), s.Copy(p, q, 8),
		s.Fill(p, 0xff, 1, 3), s.Fill(p, 0x3c00, 2, 4), s.Fill(p, 7, 4, 5), s.Fill(p, 7, 4, 0),
		s.Free(q), c.Free(p), c.Free(0),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	f.calls = without(f.calls, "current 110")
	f.want(t, "HtoD 0x1000 [1 2]", "streamSync 0", "DtoH 0x1000 4", "DtoD 0x1000 0x2000 8", "streamSync 0",
		"HtoDAsync 0x1000 [3] 7", "DtoHAsync 0x1000 4 7", "DtoDAsync 0x1000 0x2000 8 7",
		"set8 0x1000 255 3 7", "set16 0x1000 15360 4 7", "set32 0x1000 7 5 7",
		"freeAsync 0x2000 7", "free 0x1000")
	if string(out) != "abcd" {
		t.Errorf("copied %q", out)
	}
	if err := s.Fill(p, 1, 3, 1); err == nil {
		t.Error("a pattern of three bytes")
	}
	if n, err := c.PointerDevice(p); n != 3 || err != nil {
		t.Errorf("PointerDevice: %d, %v", n, err)
	}
}

func without(list []string, drop string) []string {
	var kept []string
	for _, s := range list {
		if s != drop {
			kept = append(kept, s)
		}
	}
	return kept
}

func TestOutOfMemory(t *testing.T) {
	f, c := started(t, 1)
	f.results["alloc"] = ErrOutOfMemory
	_, err := c.Alloc(1000)
	const want = "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory): 1000 bytes on cuda:0, 5 of 100 " +
		"are free"
	if !errors.Is(err, ErrOutOfMemory) || err.Error() != want {
		t.Errorf("Alloc: %v", err)
	}
}

// Without pools, memory of a stream is ordinary memory.
func TestNoPools(t *testing.T) {
	f, c := started(t, 1)
	c.device.MemoryPools = false
	p, err := c.DefaultStream().Alloc(8)
	if err := errors.Join(err, c.DefaultStream().Free(p)); err != nil {
		t.Error(err)
	}
	f.want(t, "current 110", "alloc 8", "current 110", "free 0x1000")
}

func TestHostBuffer(t *testing.T) {
	f, c := started(t, 1)
	b, err := c.AllocHost(16)
	if err != nil {
		t.Fatal(err)
	}
	copy(b.Bytes(), "pinned")
	if len(b.Bytes()) != 16 || !bytes.HasPrefix(b.Bytes(), []byte("pinned")) {
		t.Errorf("%q", b.Bytes())
	}
	if err := errors.Join(b.Close(), b.Close()); err != nil || len(b.Bytes()) != 0 {
		t.Errorf("Close: %v", err)
	}
	f.want(t, "current 110", "hostAlloc 16 1", "current 110", "hostFree")
}

func TestStreamsAndEvents(t *testing.T) {
	f, c := started(t, 1)
	s := c.ExternalStream(99)
	start, err := c.NewEvent()
	end, err2 := c.NewMarker()
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{start.Record(s), end.Record(s), s.Wait(end), s.Synchronize(),
		end.Synchronize()} {
		if err != nil {
			t.Error(err)
		}
	}
	if d, err := end.Since(start); d != 1500*time.Microsecond || err != nil {
		t.Errorf("Since: %v, %v", d, err)
	}
	if done, err := s.Done(); !done || err != nil {
		t.Errorf("Done: %v, %v", done, err)
	}
	f.results["eventQuery"] = ErrNotReady
	if done, err := end.Done(); done || err != nil {
		t.Errorf("Done: %v, %v", done, err)
	}
	if err := errors.Join(start.Close(), start.Close(), s.Close()); err != nil || s.Handle() != 99 {
		t.Error(err)
	}
	f.calls = without(f.calls, "current 110")
	f.want(t, "event 0", "event 2", "record 21 99", "record 21 99", "wait 99 21", "streamSync 99",
		"eventSync 21", "elapsed 21 21", "streamQuery 99", "eventQuery 21", "eventDestroy 21")
}

func TestGraph(t *testing.T) {
	f, c := started(t, 1)
	s, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.Capture(func() error { return s.Fill(0x10, 0, 4, 1) })
	if err != nil {
		t.Fatal(err)
	}
	if n, err := g.Nodes(); n != 2 || err != nil {
		t.Errorf("Nodes: %d, %v", n, err)
	}
	if err := errors.Join(g.Launch(s), g.Close(), g.Close()); err != nil {
		t.Error(err)
	}
	f.calls = without(f.calls, "current 110")
	f.want(t, "stream 1 0", "begin 7 1", "set32 0x10 0 1 7", "end 7", "instantiate 31", "graphLaunch 41 7",
		"execDestroy 41", "graphDestroy 31")

	for _, status := range []int32{0, 1, 2} { // none, active, invalidated
		f.capturing = status
		if on, err := s.Capturing(); on != (status != 0) || err != nil {
			t.Errorf("Capturing, status %d: %v, %v", status, on, err)
		}
	}
	f.calls = nil

	// A recording that fails is ended all the same.
	wrong := errors.New("wrong")
	if _, err := s.Capture(func() error { return wrong }); !errors.Is(err, wrong) {
		t.Errorf("Capture: %v", err)
	}
	f.calls = without(f.calls, "current 110")
	f.want(t, "begin 7 1", "end 7", "graphDestroy 31")
}

func TestModule(t *testing.T) {
	f, c := started(t, 1)
	level := 2
	m, err := c.Load([]byte("// ptx"), JITOptions{OptLevel: &level, MaxRegisters: 128, LineInfo: true,
		Verbose: true, Target: 90})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[jitOption]uintptr{
		jitOptLevel: 2, jitMaxRegisters: 128, jitLineInfo: 1, jitVerbose: 1, jitTarget: 90,
		jitErrorLogSize: logSize, jitInfoLogSize: logSize,
	} {
		if got, ok := f.options[key]; !ok || got != want {
			t.Errorf("option %d is %d, want %d", key, got, want)
		}
	}
	if _, ok := f.options[jitDebugInfo]; ok || len(f.options) != 9 {
		t.Errorf("options %v", f.options)
	}
	fn, err := m.Function("add")
	if err != nil {
		t.Fatal(err)
	}
	if fn.Registers != 40 || fn.LocalBytes != 16 || fn.SharedBytes != 1024 || fn.MaxThreadsPerBlock != 512 ||
		fn.PTXVersion != 83 || fn.BinaryVersion != 90 {
		t.Errorf("%+v", fn)
	}
	if p, n, err := m.Global("seed"); p != 0x3000 || n != 8 || err != nil {
		t.Errorf("Global: %#x, %d, %v", p, n, err)
	}
	if err := errors.Join(m.Unload(), m.Unload()); err != nil {
		t.Error(err)
	}
	f.calls = without(f.calls, "current 110")
	f.want(t, "load // ptx", "function 51 add", "global seed", "unload 51")
	if _, err := c.Load(nil, JITOptions{}); err == nil {
		t.Error("loaded nothing")
	}
}

func TestModuleErrors(t *testing.T) {
	f, c := started(t, 1)
	f.log = "ptxas application ptx input, line 5; fatal: Parsing error\n"
	f.results["load"] = ErrInvalidPTX
	_, err := c.Load([]byte("// ptx"), JITOptions{})
	const want = "cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed): ptxas " +
		"application ptx input, line 5; fatal: Parsing error"
	if !errors.Is(err, ErrInvalidPTX) || err.Error() != want {
		t.Errorf("Load: %v", err)
	}
	f.results = map[string]Result{"function": ErrNotFound}
	m, err := c.Load([]byte("// ptx"), JITOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Function("sub"); err == nil ||
		err.Error() != "cuModuleGetFunction: CUDA_ERROR_NOT_FOUND (named symbol not found): kernel sub" {
		t.Errorf("Function: %v", err)
	}
}

func TestIsPTX(t *testing.T) {
	for image, want := range map[string]bool{"//\n.version 8.3": true, "\x7fELF\x02": false,
		"\x50\xed\x55\xba\x01": false, "": false} {
		if isPTX([]byte(image)) != want {
			t.Errorf("%q", image)
		}
	}
	image := make([]byte, 3, 10)
	copy(image, "ptx")
	if got := terminated(image); string(got) != "ptx\x00" || &got[0] == &image[0] {
		t.Errorf("%q, in place", got)
	}
}

// function is a kernel of the fake.
func function(t *testing.T, c *Context) *Function {
	t.Helper()
	m, err := c.Load([]byte("// ptx"), JITOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fn, err := m.Function("add")
	if err != nil {
		t.Fatal(err)
	}
	return fn
}

func TestShared(t *testing.T) {
	f, c := started(t, 1)
	fn := function(t, c)
	f.calls = nil
	if err := errors.Join(fn.AllowShared(40<<10), fn.AllowShared(100<<10), fn.SetCarveout(50),
		fn.PreferShared(), fn.AllowLargeClusters()); err != nil {
		t.Error(err)
	}
	f.calls = without(f.calls, "current 110")
	f.want(t, "set 61 8 102400", "set 61 9 50", "cache 61 1", "set 61 14 1")
	err := fn.AllowShared(227 << 10)
	if err == nil || err.Error() != "shared memory: kernel add needs 232448 bytes, cuda:0 (Fake 10) has "+
		"231424 for a block: use smaller blocks or fewer stages" {
		t.Errorf("AllowShared: %v", err)
	}
	if n, err := fn.BlocksPerSM(128, 1024); n != 4 || err != nil {
		t.Errorf("BlocksPerSM: %d, %v", n, err)
	}
	if n, err := fn.Clusters(&Config{Grid: Dim3{8, 1, 1}, Cluster: Dim3{2, 1, 1}}); n != 16 || err != nil {
		t.Errorf("Clusters: %d, %v", n, err)
	}
}

func TestLaunch(t *testing.T) {
	f, c := started(t, 1)
	fn := function(t, c)
	s := c.ExternalStream(5)
	a := NewArgs(8, 4)
	a.Pointer(0, 0xdead)
	f.calls = nil
	config := Config{Grid: Dim3{1, 2, 3}, Block: Dim3{32, 4, 1}, Shared: 77}
	if err := fn.Launch(s, &config, a); err != nil {
		t.Error(err)
	}
	f.want(t, "launch 61 grid 1 2 3 block 32 4 1 shared 77 stream 5 first 0xdead extra 0")

	config.Cluster, config.Cooperative, config.Overlap = Dim3{X: 2}, true, true
	for range 2 { // the buffers are used again
		if err := fn.Launch(s, &config, a); err != nil {
			t.Error(err)
		}
		f.want(t, "launchEx 61 grid 1x2x3 block 32x4x1 shared 77 stream 5 first 0xdead extra 0 "+
			"attrs 4:[2 0 0 0 1 0 0 0 1 0 0 0] 2:[1 0 0 0 0 0 0 0 0 0 0 0] 6:[1 0 0 0 0 0 0 0 0 0 0 0]")
	}

	config.Grid.Y = 0
	if err := fn.Launch(s, &config, a); err != nil {
		t.Error(err)
	}
	f.want(t)

	f.raw.launchKernelEx = 0
	config.Grid.Y = 1
	if err := fn.Launch(s, &config, a); !errors.Is(err, ErrNotSupported) ||
		!strings.Contains(err.Error(), "the driver (CUDA 12.8) lacks it") {
		t.Errorf("an old driver: %v", err)
	}
}

// A thread without the context gets it, and the launch is tried again; with several devices in use, it gets
// it first.
func TestLaunchMakesCurrent(t *testing.T) {
	f, c := started(t, 2)
	fn := function(t, c)
	a := NewArgs(8)
	config := Config{Grid: Dim3{1, 1, 1}, Block: Dim3{32, 1, 1}}
	const launch = "launch 61 grid 1 1 1 block 32 1 1 shared 0 stream 0 first 0x0 extra 0"
	f.calls = nil
	f.results["launch"] = ErrInvalidContext
	setCurrent := f.raw.ctxSetCurrent
	f.raw.ctxSetCurrent = func(r contextRef) Result { delete(f.results, "launch"); return setCurrent(r) }
	if err := fn.Launch(c.DefaultStream(), &config, a); err != nil {
		t.Error(err)
	}
	f.want(t, launch, "current 110", launch)

	if _, err := f.devices[1].Context(); err != nil {
		t.Fatal(err)
	}
	f.calls = nil
	if err := fn.Launch(c.DefaultStream(), &config, a); err != nil {
		t.Error(err)
	}
	f.want(t, "current 110", launch)
}

func TestLaunchErrors(t *testing.T) {
	f, c := started(t, 1)
	fn := function(t, c)
	a := NewArgs(8)
	s := c.ExternalStream(5)
	config := Config{Grid: Dim3{4, 1, 1}, Block: Dim3{1024, 1, 1}, Shared: 100 << 10, Cluster: Dim3{2, 1, 1}}
	f.results["launchEx"] = ErrInvalidValue
	err := fn.Launch(s, &config, a)
	const want = "cuLaunchKernelEx: CUDA_ERROR_INVALID_VALUE (invalid argument): kernel add, grid 4x1x1, " +
		"block 1024x1x1, 102400 bytes of shared memory, cluster 2x1x1; it can have at most 512 threads in " +
		"a block"
	if !errors.Is(err, ErrInvalidValue) || err.Error() != want {
		t.Errorf("Launch: %v", err)
	}

	// What goes wrong while a kernel runs comes out when somebody waits.
	const sticky = "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered): the last launch " +
		"on the stream was kernel add, grid 4x1x1, 102400 bytes of shared memory (a launch with " +
		"Options.Check, or with NEREID_CHECK=1, names the line, the argument and the index, and the device " +
		"goes on); this error is sticky: every later call on this device fails until the process is " +
		"restarted"
	f.results = map[string]Result{"streamSync": ErrIllegalAddress, "ctxSync": ErrIllegalAddress,
		"DtoH": ErrIllegalAddress}
	config.Cluster = Dim3{}
	if err := fn.Launch(s, &config, a); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"cuStreamSynchronize": s.Synchronize(), "cuCtxSynchronize": c.Synchronize(),
		"cuMemcpyDtoH": c.CopyFrom(make([]byte, 4), 0x10),
	} {
		if err == nil || err.Error() != name+": "+sticky {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The kernel may have run on another stream.
	other, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	if err := fn.Launch(other, &Config{Grid: Dim3{7, 2, 1}, Block: Dim3{32, 1, 1}}, a); err != nil {
		t.Error(err)
	}
	const also = "; on other streams: kernel add, grid 7x2x1, 0 bytes of shared memory ("
	if err := s.Synchronize(); err == nil || !strings.Contains(err.Error(), also) {
		t.Errorf("two streams: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Synchronize(); err == nil || strings.Contains(err.Error(), "other streams") {
		t.Errorf("a stream that is closed: %v", err)
	}
	if !ErrIllegalAddress.Sticky() || ErrInvalidValue.Sticky() {
		t.Error("Sticky")
	}
}

func TestArgs(t *testing.T) {
	a := NewArgs(1, 8, 4, 2, 128, 4, 0, 8)
	if a.Len() != 8 {
		t.Errorf("%d parameters", a.Len())
	}
	a.Uint8(0, 0x11)
	a.Uint64(1, 0x2222222222222222)
	a.Float32(2, 1)
	a.Uint16(3, 0x3333)
	a.Bytes(4, bytes.Repeat([]byte{0x44}, 128))
	a.Uint32(5, 0x55555555)
	a.Float64(7, -2)
	for i, want := range []string{
		"\x11", strings.Repeat("\x22", 8), "\x00\x00\x80\x3f", "\x33\x33", strings.Repeat("\x44", 128),
		strings.Repeat("\x55", 4), "", "\x00\x00\x00\x00\x00\x00\x00\xc0",
	} {
		if want == "" {
			continue
		}
		if got := unsafe.Slice((*byte)(a.params[i]), len(want)); string(got) != want {
			t.Errorf("parameter %d is %x, want %x", i, got, want)
		}
		if at := uintptr(a.params[i]); at%uintptr(alignment(len(want))) != 0 {
			t.Errorf("parameter %d lies at %#x", i, at)
		}
	}
	if n := len(a.Data()); n < 128+8+8+4+4+2+1 {
		t.Errorf("%d bytes", n)
	}
	NewArgs() // a kernel without parameters
}

// A launch allocates nothing. A C function that returns its first argument's absolute value, 0, stands for
// the driver.
func TestLaunchAllocatesNothing(t *testing.T) {
	libc, err := dl.Open("libc", []dl.Candidate{"libc.so.6"}, nil)
	if err != nil {
		txtest.NotHere(t, "%v", err)
	}
	abs, err := libc.Symbol("abs")
	if err != nil {
		t.Fatal(err)
	}
	f, c := started(t, 1)
	fn := function(t, c)
	fn.ref = 0
	f.raw.launchKernel = abs
	a := NewArgs(8, 8, 8, 4)
	s := c.ExternalStream(5)
	n := testing.AllocsPerRun(100, func() {
		config := Config{Grid: Dim3{1, 1, 1}, Block: Dim3{128, 1, 1}}
		a.Pointer(0, 1)
		if err := fn.Launch(s, &config, a); err != nil {
			t.Error(err)
		}
	})
	if n != 0 {
		t.Errorf("a launch allocates %v times", n)
	}

	f.contexts.Store(2) // several devices: the context is made current each time
	c.ref = 0
	f.raw.ctxSetCurrentAt = abs
	config := Config{Grid: Dim3{1, 1, 1}, Block: Dim3{128, 1, 1}}
	if n := testing.AllocsPerRun(100, func() { _ = fn.Launch(s, &config, a) }); n != 0 {
		t.Errorf("a launch with several devices allocates %v times", n)
	}
}

// BenchmarkLaunchOverhead is what a launch costs besides the driver.
func BenchmarkLaunchOverhead(b *testing.B) {
	libc, err := dl.Open("libc", []dl.Candidate{"libc.so.6"}, nil)
	if err != nil {
		txtest.NotHere(b, "%v", err)
	}
	abs, err := libc.Symbol("abs")
	if err != nil {
		b.Fatal(err)
	}
	d := &Driver{raw: raw{launchKernel: abs}}
	d.contexts.Store(1)
	c := &Context{driver: d, device: &Device{driver: d}}
	fn := &Function{ctx: c, module: &Module{ctx: c}, name: "k"}
	s := &Stream{ctx: c}
	a := NewArgs(8, 8, 8, 4)
	config := Config{Grid: Dim3{1, 1, 1}, Block: Dim3{128, 1, 1}}
	b.ReportAllocs()
	for b.Loop() {
		a.Pointer(0, 1)
		a.Pointer(1, 2)
		a.Pointer(2, 3)
		a.Uint32(3, 4)
		if err := fn.Launch(s, &config, a); err != nil {
			b.Fatal(err)
		}
	}
}

// TestBare: the bare call, beside which launches are timed, is one launch and nothing else, unless its thread
// has no context.
func TestBare(t *testing.T) {
	f, c := started(t, 1)
	m, err := c.Load([]byte("ptx"), JITOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fn, err := m.Function("add")
	if err != nil {
		t.Fatal(err)
	}
	a := NewArgs(8)
	a.Uint64(0, 0x1234)
	call, err := fn.Bare(c.DefaultStream(), &Config{Grid: Dim3{1, 1, 1}, Block: Dim3{128, 1, 1}}, a)
	if err != nil {
		t.Fatal(err)
	}
	f.calls = nil
	if err := call(); err != nil {
		t.Fatal(err)
	}
	launch := "launch 61 grid 1 1 1 block 128 1 1 shared 0 stream 0 first 0x1234 extra 0"
	f.want(t, launch)
	f.results["launch"] = ErrInvalidContext
	f.calls = nil
	if err := call(); !errors.Is(err, ErrInvalidContext) {
		t.Error(err)
	}
	f.want(t, launch, "current 110", launch)
}

func TestReady(t *testing.T) {
	f, c := started(t, 1)
	m, err := c.Load([]byte("ptx"), JITOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fn, err := m.Function("add")
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	r := fn.Ready(Config{Block: Dim3{128, 1, 1}, Shared: 64}, nil)
	if !r.Is() || new(Ready).Is() {
		t.Error("what is ready is not")
	}
	for _, n := range []int{1, MaxReady} {
		words := make([]uint64, n)
		words[0] = 0x1234
		f.calls = nil
		if err := r.Launch(s, 2, 3, 4, words, nil); err != nil {
			t.Fatal(err)
		}
		f.want(t, "launch 61 grid 2 3 4 block 128 1 1 shared 64 stream 7 first 0x1234 extra 0")
		f.results["launch"] = ErrInvalidValue
		if err := r.Launch(s, 1, 1, 1, words, nil); !errors.Is(err, ErrInvalidValue) ||
			!strings.Contains(err.Error(), "kernel add, grid 1x1x1, block 128x1x1, 64 bytes") {
			t.Error(err)
		}
		// the thread has no context: it is made current, and that does not help here
		f.results["launch"] = ErrInvalidContext
		f.calls = nil
		if err := r.Launch(s, 1, 1, 1, words, nil); !errors.Is(err, ErrInvalidContext) {
			t.Error(err)
		}
		launch := "launch 61 grid 1 1 1 block 128 1 1 shared 64 stream 7 first 0x1234 extra 0"
		f.want(t, launch, "current 110", launch)
		delete(f.results, "launch")
	}
}

// The last launch of a stream is that of the code that ran, also if a kernel has other code for the grid.
func TestLastLaunch(t *testing.T) {
	_, c := started(t, 1)
	fn, other := function(t, c), function(t, c)
	s, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	if f, _ := s.LastLaunch(); f != nil {
		t.Error("a stream without launches has a last one")
	}
	r := fn.Ready(Config{Block: Dim3{128, 1, 1}, Shared: 64}, nil)
	o := other.Ready(Config{Block: Dim3{128, 1, 1}}, nil)
	asked := 0
	fn.Other = func(_ *Stream, x, _, z uint32) *Ready {
		asked++
		if x > 2 || z > 1 {
			return nil
		}
		return &o
	}
	for _, want := range []struct {
		x, y, z uint32
		fn      *Function
		shared  int
		asked   int // the answer for the last grid with other code is remembered
	}{
		{2, 1, 1, other, 0, 1}, {2, 1, 1, other, 0, 1}, {3, 1, 1, fn, 64, 2}, {2, 1, 1, other, 0, 2},
		{2, 1, 2, fn, 64, 3}, {2, 2, 1, other, 0, 4}, {2, 2, 1, other, 0, 4}, {2, 1, 1, other, 0, 5},
	} {
		if err := r.Launch(s, want.x, want.y, want.z, make([]uint64, 1), nil); err != nil {
			t.Fatal(err)
		}
		if asked != want.asked {
			t.Errorf("asked %d times for other code, want %d", asked, want.asked)
		}
		if f, shared := s.LastLaunch(); f != want.fn || shared != want.shared {
			t.Errorf("%d programs: another function's launch, with %d bytes", want.x, shared)
		}
	}
}

// A closed stream's handle is destroyed: no launch on it reaches the driver, not even one like the last.
func TestLaunchOnClosedStream(t *testing.T) {
	f, c := started(t, 1)
	fn := function(t, c)
	own, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	r := fn.Ready(Config{Block: Dim3{128, 1, 1}}, nil)
	config, words := Config{Grid: Dim3{1, 1, 1}, Block: Dim3{128, 1, 1}}, []uint64{1}
	for _, s := range []*Stream{own, c.ExternalStream(5)} {
		if err := errors.Join(r.Launch(s, 1, 1, 1, words, nil), s.Close()); err != nil {
			t.Fatal(err)
		}
		f.calls = nil
		for range 2 {
			if err := r.Launch(s, 1, 1, 1, words, nil); !errors.Is(err, errClosed) {
				t.Error(err)
			}
			if err := fn.Launch(s, &config, NewWords(1)); !errors.Is(err, errClosed) {
				t.Error(err)
			}
		}
		f.want(t)
	}
}

// By a result of resources, the GPU declines a launch that is right: errors.As finds a refusal. A fault is
// none.
func TestErrorRefuses(t *testing.T) {
	var r *diag.Refusal
	err := fmt.Errorf("launch: %w", &Error{Call: "cuLaunchKernel", Result: ErrOutOfResources,
		Detail: "kernel add"})
	if !errors.As(err, &r) || r.Feature != "resources of a block" ||
		!strings.Contains(r.Reason, "kernel add") || r.Remedy == "" {
		t.Errorf("%+v", r)
	}
	if errors.As(&Error{Call: "cuLaunchKernel", Result: ErrIllegalAddress}, new(*diag.Refusal)) {
		t.Error("a wild access is a refusal")
	}
}
