package hip

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/dl"
	"github.com/nereid-lang/nereid/internal/target/amd/hip/stub"
)

// started returns the runtime of the stub and a function that returns the calls since the last time.
func started(t *testing.T) (*Runtime, func() string) {
	t.Helper()
	lib, log := stub.Build(t)
	r, err := open([]dl.Candidate{dl.Candidate(lib)})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	return r, func() string {
		data, err := os.ReadFile(log)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		text := string(data[seen:])
		seen = len(data)
		return strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")
	}
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
	d.rt = nil
	want := Device{Ordinal: 1, Name: "Stub Instinct", Chip: "gfx90a", Memory: 192 << 30, Units: 304}
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
	if !errors.As(err, &e) || err.Error() != "hipMalloc: hipErrorOutOfMemory (the stub says no)" {
		t.Errorf("too much memory: %v", err)
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
	if got := calls(); got != "hipModuleUnload" {
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

// TestSymbols: the library that Debian packages, where it is installed, has every function that is called.
func TestSymbols(t *testing.T) {
	_, err := dl.Open("AMD's runtime", []dl.Candidate{"libamdhip64.so.5"}, (&Runtime{}).bind)
	if missing := (*dl.NotFoundError)(nil); errors.As(err, &missing) {
		t.Skip(err)
	}
	ok(t, err)
}
