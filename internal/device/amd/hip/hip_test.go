package hip

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/device/amd/hip/stub"
	"github.com/nereid-lang/nereid/internal/dl"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// started returns the runtime of the stub and a function that returns the calls since the last time.
func started(t *testing.T) (*Runtime, func() string) {
	t.Helper()
	lib, log := stub.Build(t)
	r, err := open([]dl.Candidate{dl.Candidate(lib)})
	if err != nil {
		t.Fatal(err)
	}
	news := txtest.Appended(t, log)
	return r, func() string { return strings.ReplaceAll(strings.TrimSpace(news()), "\n", "; ") }
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestDevices: what a device is, in the structure of ROCm 6.
func TestDevices(t *testing.T) {
	r, _ := started(t)
	if len(r.Devices()) != 2 || r.Version() != 60443483 {
		t.Fatalf("%d devices, version %d", len(r.Devices()), r.Version())
	}
	d := *r.Devices()[1]
	d.rt, d.live = nil, nil
	want := Device{
		Ordinal: 1, Name: "Stub Instinct", Chip: "gfx90a", Memory: 192 << 30, Units: 304, Pools: true,
	}
	if d != want {
		t.Errorf("%+v, want %+v", d, want)
	}
}

// TestMemory: what is written is read, on the device's own thread.
func TestMemory(t *testing.T) {
	r, calls := started(t)
	d := r.Devices()[0]
	p, err := d.Alloc(100)
	ok(t, err)
	s, err := d.NewStream()
	ok(t, err)
	ok(t, s.Zero(p, 100))
	ok(t, d.Write(p+10, []byte("hello")))
	ok(t, s.Copy(p+20, p+10, 5))
	got := make([]byte, 16)
	ok(t, d.Read(got, p+9))
	if string(got) != "\x00hello\x00\x00\x00\x00\x00hello" {
		t.Errorf("read %q", got)
	}
	ok(t, s.Close())
	ok(t, d.Free(p))
	const want = "hipMalloc; hipStreamCreateWithFlags; hipMemsetD8Async; hipMemcpyHtoD; " +
		"hipMemcpyDtoDAsync; hipMemcpyDtoH; hipStreamSynchronize; hipStreamDestroy; hipFree"
	if got := calls(); got != want {
		t.Errorf("calls %s\nwant  %s", got, want)
	}
	_, err = d.Alloc(1 << 50)
	var e *Error
	const much = "hipMalloc: hipErrorOutOfMemory (the stub says no): " +
		"1125899906842624 bytes on Stub Instinct, 1073741824 of 206158430208 are free"
	if !errors.As(err, &e) || err.Error() != much {
		t.Errorf("too much memory: %v", err)
	}
}

// TestPool: memory in the order of a stream, from the device's pool or, where there is none, from the device.
func TestPool(t *testing.T) {
	for pools, want := range map[string]string{"1": "hipMallocAsync; hipFreeAsync",
		"0": "hipMalloc; hipFree"} {
		t.Setenv("NEREID_STUB_POOLS", pools)
		r, calls := started(t)
		s := r.Devices()[0].DefaultStream()
		p, err := s.Alloc(100)
		ok(t, err)
		ok(t, s.Free(p))
		if got := calls(); got != want {
			t.Errorf("pools %s: %s, want %s", pools, got, want)
		}
		if _, err = s.Alloc(1 << 50); err == nil || !strings.Contains(err.Error(), "1073741824 of") {
			t.Errorf("too much memory: %v", err)
		}
	}
	r, _ := started(t)
	d := r.Devices()[0]
	if on, err := d.PointerDevice(1<<60 + 5); on != 1 || err != nil {
		t.Errorf("memory of device %d, %v", on, err)
	}
	if _, err := d.PointerDevice(5); err == nil || !strings.Contains(err.Error(), "address 0x5") {
		t.Errorf("no memory: %v", err)
	}
}

// TestEvents: points in streams, the time between them, and streams that wait.
func TestEvents(t *testing.T) {
	r, calls := started(t)
	d := r.Devices()[0]
	s, other := d.DefaultStream(), d.ExternalStream(0x999)
	start, err := d.NewEvent()
	ok(t, err)
	end, err := d.NewEvent()
	ok(t, err)
	if done, err := end.Done(); done || err != nil {
		t.Errorf("an event that nobody recorded: %v, %v", done, err)
	}
	ok(t, start.Record(s))
	ok(t, end.Record(s))
	ok(t, end.Synchronize())
	ok(t, other.Wait(end))
	if took, err := end.Since(start); took != 250*time.Microsecond || err != nil {
		t.Errorf("%v, %v", took, err)
	}
	for q, want := range map[*Stream]bool{s: true, other: false} {
		if done, err := q.Done(); done != want || err != nil {
			t.Errorf("a stream is done: %v, %v", done, err)
		}
	}
	ok(t, end.Close())
	ok(t, end.Close())
	const want = "hipEventCreateWithFlags; hipEventCreateWithFlags; hipEventRecord; hipEventRecord; " +
		"hipEventSynchronize; hipStreamWaitEvent; hipEventDestroy"
	if got := calls(); got != want {
		t.Errorf("calls %s\nwant  %s", got, want)
	}
}

// TestLaunch: the packed argument buffer, each argument aligned to its size, and work recorded as a graph.
func TestLaunch(t *testing.T) {
	r, calls := started(t)
	d := r.Devices()[1]
	f, err := d.Load([]byte("\x7fELF…"), "add")
	ok(t, err)
	calls()
	packed, err := Pack([]int{8, 4, 8, 1, 2}, []uint64{0x1122334455667788, 7, 9, 1, 0xabcd})
	ok(t, err)
	s := d.DefaultStream()
	ok(t, f.Launch(s, [3]int{3, 2, 1}, 256, 1024, packed))
	const want = "launch add on 1: 3,2,1 x 256,1,1 shared 1024: " +
		"8877665544332211 0700000000000000 0900000000000000 0100cdab"
	if got := calls(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	g, err := s.Capture(func() error { return f.Launch(s, [3]int{1, 1, 1}, 64, 0, nil) })
	ok(t, err)
	ok(t, g.Launch(s))
	ok(t, g.Close())
	ok(t, g.Close())
	const begin = "hipStreamBeginCapture; launch add on 1: 1,1,1 x 64,1,1 shared 0:; hipStreamEndCapture; " +
		"hipGraphInstantiate"
	if got := calls(); !strings.HasPrefix(got, begin) || strings.Count(got, "hipGraphExecDestroy") != 1 {
		t.Errorf("a graph: %s", got)
	}
	ok(t, f.Close())
	ok(t, f.Close())
	if got := calls(); got != "hipDeviceSynchronize; hipModuleUnload" {
		t.Errorf("closed twice: %s", got)
	}
}

// TestErrors: bad code, kernels that are not there, arguments that are too few, no GPU, no library.
func TestErrors(t *testing.T) {
	r, _ := started(t)
	d := r.Devices()[0]
	check := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	_, err := d.Load([]byte("text"), "add")
	check(err, "hipModuleLoadData")
	_, err = d.Load(nil, "add")
	check(err, "empty")
	_, err = d.Load([]byte("\x7fELF"), "absent")
	check(err, "hipModuleGetFunction: hipErrorNotFound")
	_, err = Pack([]int{8, 8}, []uint64{1})
	check(err, "1 arguments, expected 2")
	lib, _ := stub.Build(t)
	t.Setenv("NEREID_STUB_DEVICES", "0")
	_, err = open([]dl.Candidate{dl.Candidate(lib)})
	check(err, "hipGetDeviceCount")
	_, err = open([]dl.Candidate{"/nowhere/libamdhip64.so"})
	check(err, "NEREID_HIP names another path")
}

// debian is the library that Debian packages.
const debian = dl.Candidate("libamdhip64.so.5")

// TestSymbols: Debian's library, where it is installed, has every function that is called, also those that
// other versions may lack.
func TestSymbols(t *testing.T) {
	r := &Runtime{}
	_, err := dl.Open("AMD's runtime", []dl.Candidate{debian}, r.bind)
	if missing := (*dl.NotFoundError)(nil); errors.As(err, &missing) {
		txtest.Need(t, "hip", err)
	}
	ok(t, err)
	if r.raw.deviceGetPool == nil || r.raw.mallocAsync == nil || r.raw.freeAsync == nil {
		t.Error("no pools")
	}
}

// TestWithoutGPU: on a machine with Debian's library but no GPU, the error says so.
func TestWithoutGPU(t *testing.T) {
	_, err := open([]dl.Candidate{debian})
	switch missing := (*dl.NotFoundError)(nil); {
	case errors.As(err, &missing):
		txtest.Need(t, "hip", err)
	case err == nil:
		txtest.NotHere(t, "there is an AMD GPU")
	case !strings.HasPrefix(err.Error(), "AMD's runtime is here, but no GPU that it can use: hip"):
		t.Error(err)
	}
}
