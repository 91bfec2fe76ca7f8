package backend_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/backend"
)

// duo is a back end with two devices that have memory and streams of their own. Like toy it knows one kernel,
// which fills memory with a constant. A constant of 0 fails while the kernel runs, 99 while it is queued.
type duo struct {
	compiled atomic.Int32
	mu       sync.Mutex
	last     backend.Kernel // what was compiled last
	devices  []*duoDevice
	lenient  atomic.Bool  // code of other versions runs too
	later    atomic.Int32 // versions after 2
}

var theDuo = func() *duo {
	d := &duo{}
	for i := range 2 {
		d.devices = append(d.devices, &duoDevice{i: i, memory: map[uint64][]byte{},
			next: uint64(i+1) << 40, gate: make(chan struct{})})
		close(d.devices[i].gate)
	}
	return d
}()

func init() { backend.Register(theDuo) }

func (*duo) Name() string          { return "duo" }
func (*duo) Info() (string, error) { return "two devices", nil }
func (*duo) Input() backend.Stage  { return backend.TTGIR }
func (*duo) Form() backend.Form    { return backend.Form{Pretty: true, ThreadsPerWarp: 16} }
func (*duo) Stages() []string      { return []string{"duocode"} }
func (d *duo) Version() string     { return strconv.Itoa(2 + int(d.later.Load())) }

func (*duo) Options() []backend.Option {
	return []backend.Option{
		{Name: "speed", Help: "how fast", Values: []string{"slow", "fast"}},
		{Name: "size", Check: func(v string) error {
			if _, err := strconv.Atoi(v); err != nil {
				return errors.New("expected a number")
			}
			return nil
		}},
	}
}

func (*duo) Specialization() backend.Specialization { return backend.Specialization{} }

func (d *duo) Runs(version string) error {
	if d.lenient.Load() {
		return nil
	}
	return fmt.Errorf("version %s is too old", version)
}

func (d *duo) Devices() ([]backend.Device, error) {
	return []backend.Device{d.devices[0], d.devices[1]}, nil
}

func (d *duo) Compile(_ context.Context, k *backend.Kernel) (*backend.Code, error) {
	d.compiled.Add(1)
	d.mu.Lock()
	d.last = *k
	d.mu.Unlock()
	return &backend.Code{Stages: map[string][]byte{"duocode": []byte(k.Constants["V"])}}, nil
}

func (d *duo) seen() backend.Kernel {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last
}

// duoDevice is a device whose addresses are none of the host's.
type duoDevice struct {
	i      int
	mu     sync.Mutex
	memory map[uint64][]byte
	next   uint64
	closed int           // codes
	gate   chan struct{} // work waits until it is closed
}

func (d *duoDevice) Info() string { return fmt.Sprintf("device %d of two", d.i) }

func (d *duoDevice) Alloc(n int) (uint64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n > 1<<30 {
		return 0, errors.New("the memory is full")
	}
	addr := d.next
	d.next += uint64(n+127) &^ 63
	d.memory[addr] = bytes.Repeat([]byte{0xee}, n)
	return addr, nil
}

func (d *duoDevice) Free(addr uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.memory[addr] == nil {
		return fmt.Errorf("%#x was never allocated", addr)
	}
	delete(d.memory, addr)
	return nil
}

// at returns the memory behind an address.
func (d *duoDevice) at(addr uint64) ([]byte, error) {
	for base, b := range d.memory {
		if addr >= base && addr < base+uint64(len(b)) {
			return b[addr-base:], nil
		}
	}
	return nil, fmt.Errorf("%#x is no memory of device %d", addr, d.i)
}

func (d *duoDevice) Write(addr uint64, from []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	b, err := d.at(addr)
	copy(b, from)
	return err
}

func (d *duoDevice) Read(into []byte, addr uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	b, err := d.at(addr)
	copy(into, b)
	return err
}

// live returns how many pieces of memory there are.
func (d *duoDevice) live() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.memory)
}

func (d *duoDevice) Load(_ context.Context, k *backend.Kernel, c *backend.Code) (backend.Executable, error) {
	v, err := strconv.Atoi(string(c.Stages["duocode"]))
	if k.IR != nil {
		err = errors.New("IR is not for loading")
	}
	return &duoCode{d, v}, err
}

type duoCode struct {
	d *duoDevice
	v int
}

func (x *duoCode) Launch(_ context.Context, grid [3]int, words []uint64) error {
	if x.v == 0 {
		return errors.New("a kernel that fills with nothing")
	}
	x.d.mu.Lock()
	defer x.d.mu.Unlock()
	b, err := x.d.at(words[0])
	if err != nil {
		return err
	}
	for i := range int(words[1]) {
		binary.LittleEndian.PutUint32(b[4*i:], uint32(x.v*grid[0]))
	}
	return nil
}

func (x *duoCode) Close() error {
	x.d.mu.Lock()
	defer x.d.mu.Unlock()
	x.d.closed++
	return nil
}

// duoStream runs its work on a goroutine, after the gate of its device.
type duoStream struct {
	d    *duoDevice
	work chan func() error
	mu   sync.Mutex
	err  error
	left int // work that is not done
	idle sync.Cond
}

func (d *duoDevice) NewStream() (backend.Stream, error) {
	s := &duoStream{d: d, work: make(chan func() error, 100)}
	s.idle.L = &s.mu
	go func() {
		for f := range s.work {
			d.mu.Lock()
			gate := d.gate
			d.mu.Unlock()
			<-gate
			err := f()
			s.mu.Lock()
			if s.err == nil {
				s.err = err
			}
			s.left--
			s.idle.Broadcast()
			s.mu.Unlock()
		}
	}()
	return s, nil
}

func (s *duoStream) queue(f func() error) {
	s.mu.Lock()
	s.left++
	s.mu.Unlock()
	s.work <- f
}

func (s *duoStream) Launch(ctx context.Context, x backend.Executable, grid [3]int, words []uint64) error {
	if x.(*duoCode).v == 99 {
		return backend.Refuse("V=99", "the queue does not take it", "")
	}
	s.queue(func() error { return x.Launch(ctx, grid, words) })
	return nil
}

func (s *duoStream) Sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.left > 0 {
		s.idle.Wait()
	}
	err := s.err
	s.err = nil
	return err
}

func (s *duoStream) Close() error {
	close(s.work)
	return nil
}

func (s *duoStream) Record() (backend.Event, error) {
	e := &duoEvent{}
	s.queue(func() error { e.at.Store(time.Now().UnixNano()); return nil })
	return e, nil
}

type duoEvent struct{ at atomic.Int64 }

func (e *duoEvent) Done() (bool, error) { return e.at.Load() != 0, nil }
func (e *duoEvent) Close() error        { return nil }
func (e *duoEvent) Since(o backend.Event) (time.Duration, error) {
	return time.Duration(e.at.Load() - o.(*duoEvent).at.Load()), nil
}

// hold makes work of a device wait until the result is called.
func (d *duoDevice) hold() (release func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	gate := make(chan struct{})
	d.gate = gate
	return sync.OnceFunc(func() { close(gate) })
}

// on returns a stream of a device.
func on(t *testing.T, name string) *nereid.Stream {
	t.Helper()
	dev, err := nereid.OpenDevice(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dev.NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func tensorOn(t *testing.T, s *nereid.Stream, n int) *nereid.Tensor {
	t.Helper()
	x, err := nereid.NewTensor(s.Device(), nereid.Int32, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// wantError fails unless an error says something.
func wantError(t *testing.T, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", texts)
		return
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%v: it does not say %q", err, text)
		}
	}
}

// A device by its number is that one; one that is not there is an error that names those that are.
func TestDevices(t *testing.T) {
	for name, want := range map[string]string{"duo": "duo:0", "duo:0": "duo:0", "duo:1": "duo:1"} {
		d, err := nereid.OpenDevice(name)
		if err != nil || d.String() != want || d.Target() != "duo" ||
			!strings.HasPrefix(d.Info(), "device "+want[4:]) {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
	for _, name := range []string{"duo:2", "duo:-1", "duo:01", "duo:", "toy:1", "toy:0"} {
		_, err := nereid.OpenDevice(name)
		wantError(t, err, "there is no device", "duo:0, duo:1")
	}
	k := load(t, nereid.Config{})
	if _, err := k.CompileFor(t.Context(), "duo:1", "*i32, i32, 7, 16", nereid.Options{}, ""); err != nil {
		t.Error(err)
	}
	_, err := k.CompileFor(t.Context(), "duo:2", "*i32, i32, 7, 16", nereid.Options{}, "")
	wantError(t, err, `"duo:2"`, "duo has duo:0, duo:1")
	_, err = k.CompileFor(t.Context(), "toy:1", "*i32, i32, 7, 16", nereid.Options{}, "")
	wantError(t, err, `"toy:1"`, "write toy")
}

// Each device has memory of its own: tensors that stay there, and slices of the host that are copied.
func TestOwnMemory(t *testing.T) {
	k := load(t, nereid.Config{})
	live := theDuo.devices[1].live()
	s0, s1 := on(t, "duo:0"), on(t, "duo:1")
	x := tensorOn(t, s1, 6)
	if v, err := x.At(3); v != 0 || err != nil {
		t.Errorf("new memory holds %v, %v", v, err)
	}
	if err := k.Launch(s1, nereid.Grid{2}, x, 4, 7, 16); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{14, 14, 14, 14, 0, 0} {
		if v, err := x.At(i); v != want || err != nil {
			t.Errorf("element %d: %v, %v", i, v, err)
		}
	}
	wantError(t, k.Launch(s0, nereid.Grid{2}, x, 4, 7, 16), "duo:1", "duo:0")
	host := []int32{1, 2, 3}
	for _, s := range []*nereid.Stream{s0, s1} {
		if err := k.Launch(s, nereid.Grid{1}, nereid.FromSlice(host), 2, 5, 16); err != nil ||
			host[0] != 5 || host[1] != 5 || host[2] != 3 {
			t.Errorf("%v: %v, %v", s.Device(), host, err)
		}
		host[0] = 0
	}
	view := x.Offset(4 * 4)
	if err := k.Launch(s1, nereid.Grid{1}, view, 2, 3, 16); err != nil {
		t.Error(err)
	}
	if v, _ := x.At(5); v != 3 {
		t.Errorf("through a view: %v", v)
	}
	x.Close()
	if now := theDuo.devices[1].live(); now != live {
		t.Errorf("%d pieces of memory are left", now-live)
	}
	_, err := nereid.NewTensor(s1.Device(), nereid.Int32, 1<<29)
	wantError(t, err, "duo:1: the memory is full")
}

// A launch returns before its work is done; whoever needs the result waits for it.
func TestAsynchronous(t *testing.T) {
	k := load(t, nereid.Config{})
	s, other := on(t, "duo:0"), on(t, "duo:0")
	x, y := tensorOn(t, s, 4), tensorOn(t, s, 4)
	release := theDuo.devices[0].hold()
	defer release()
	c, err := k.Compile(t.Context(), s.Device(), "*i32, i32, 6, 16", nereid.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(k.Launch(s, nereid.Grid{1}, x, 4, 8, 16),
		c.Launch(other, nereid.Grid{1}, y, 4)); err != nil {
		t.Fatal(err) // and with work that is not asynchronous the test would end here
	}
	closed := make(chan error)
	go func() { closed <- c.Close() }()
	select {
	case <-closed:
		t.Error("code is gone before its launch is done")
	case <-time.After(20 * time.Millisecond):
	}
	release()
	if v, err := y.At(0); v != 6 || err != nil { // it waits for both streams
		t.Error(v, err)
	}
	if v, err := x.At(3); v != 8 || err != nil {
		t.Error(v, err)
	}
	if err := errors.Join(s.Sync(), other.Sync(), <-closed); err != nil {
		t.Error(err)
	}
	if err := c.Launch(other, nereid.Grid{1}, y, 4); !errors.Is(err, nereid.ErrClosed) {
		t.Error(err)
	}
}

// An error that comes after the launch is that of the next Sync of its stream, also if a copy met it before,
// and then is over.
func TestLateErrors(t *testing.T) {
	k := load(t, nereid.Config{})
	s, fine := on(t, "duo:0"), on(t, "duo:0")
	x := tensorOn(t, s, 4)
	if err := k.Launch(s, nereid.Grid{1}, x, 4, 0, 16); err != nil {
		t.Fatal(err)
	}
	_, err := x.At(0)
	wantError(t, err, "duo:0: a kernel that fills with nothing")
	if err := fine.Sync(); err != nil {
		t.Error(err)
	}
	wantError(t, s.Sync(), "duo:0: a kernel that fills with nothing")
	if err := s.Sync(); err != nil {
		t.Error(err)
	}
	if err := k.Launch(s, nereid.Grid{1}, x, 4, 3, 16); err != nil {
		t.Fatal(err)
	}
	if v, err := x.At(0); v != 3 || err != nil {
		t.Error(v, err)
	}
	var r *nereid.Refusal
	if err := k.Launch(s, nereid.Grid{1}, x, 4, 99, 16); !errors.As(err, &r) || r.Target != "duo:0" {
		t.Errorf("a launch that the queue refuses: %v", err)
	}
	if err := k.Launch(s, nereid.Grid{1}, x, 4, 0, 16); err != nil {
		t.Fatal(err)
	}
	wantError(t, s.Close(), "a kernel that fills with nothing")
}

// Many goroutines launch, copy and close at once.
func TestTogether(t *testing.T) {
	k := load(t, nereid.Config{})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			s := on(t, fmt.Sprintf("duo:%d", i%2))
			for n := range 20 {
				x, err := nereid.NewTensor(s.Device(), nereid.Int32, 8)
				if err != nil {
					t.Error(err)
					return
				}
				host := make([]int32, 8)
				err = errors.Join(k.Launch(s, nereid.Grid{1}, x, 8, 1+n, 16),
					k.Launch(s, nereid.Grid{1}, nereid.FromSlice(host), 8, 1+n, 16), s.Sync())
				v, failed := x.At(7)
				if err != nil || failed != nil || v != float64(1+n) || host[0] != int32(1+n) {
					t.Errorf("%v, %v: %v, %v", err, failed, v, host)
				}
				x.Close()
			}
			s.Close()
		})
	}
	all.Wait()
}

// What a back end does not have is refused by its name.
func TestNoGraphs(t *testing.T) {
	for _, name := range []string{"duo:1", "toy"} {
		s := on(t, name)
		_, err := s.Capture(func() error { return nil })
		var r *nereid.Refusal
		if !errors.As(err, &r) || r.Target != name || r.Feature != "Capture" ||
			!strings.Contains(err.Error(), name+" has no graphs") {
			t.Errorf("%s: %v, %+v", name, err, r)
		}
		_, err = s.Device().ExternalStream(t.Context(), 1)
		wantError(t, err, name+" has no streams of others")
	}
	k := load(t, nereid.Config{})
	_, err := k.CompileFor(t.Context(), "duo", "*i32, i32, 7, 16", nereid.Options{Check: true}, "")
	wantError(t, err, "Options.Check", "duo")
}

// Options have names and values that are checked before the back end sees them.
func TestOptions(t *testing.T) {
	k := load(t, nereid.Config{})
	compile := func(target, extra string) error {
		_, err := k.CompileFor(t.Context(), target, "*i32, i32, 7, 16", nereid.Options{Extra: extra}, "")
		return err
	}
	if err := compile("duo", "speed=fast, size=3"); err != nil {
		t.Error(err)
	}
	if got := theDuo.seen().Options.Extra; len(got) != 2 || got["speed"] != "fast" || got["size"] != "3" {
		t.Errorf("the back end sees %v", got)
	}
	wantError(t, compile("duo", "waves=2"), "option waves", "duo has no option of that name",
		"size, speed=slow|fast (how fast)")
	wantError(t, compile("duo", "speed=2"), "option speed=2", "expected slow or fast")
	wantError(t, compile("duo", "size=big"), "option size=big", "expected a number")
	for _, own := range []string{"cpu", "cuda:90", "interp"} {
		wantError(t, compile(own, "waves_per_eu=zzz"), "option waves_per_eu", own, "it has none")
	}
	wantError(t, compile("hip:gfx942", "waves_per_eu=zzz"), "option waves_per_eu=zzz", "expected a number")
	wantError(t, compile("hip:gfx942", "waves=1"), "option waves", "kpack=0|1|2, matrix_instr_nonkdim=0|16|32")
	s := on(t, "duo:0")
	wantError(t, k.Launch(s, nereid.Grid{1}, tensorOn(t, s, 4), 4, 7, 16, nereid.Options{Extra: "x=1"}),
		"option x")
}

// A back end that asks for no specialization gets one code for all numbers and addresses of a type.
func TestSpecialization(t *testing.T) {
	k := load(t, nereid.Config{})
	s := on(t, "duo:0")
	x := tensorOn(t, s, 40)
	before := theDuo.compiled.Load()
	for _, at := range []int{0, 1} {
		for _, n := range []int{5, 16, 1, 32, 1} {
			if err := k.Launch(s, nereid.Grid{1}, x.Offset(4*at), n, 20+n, 16); err != nil {
				t.Fatal(err)
			}
			for i, want := range map[int]float64{at: float64(20 + n), at + n - 1: float64(20 + n)} {
				if v, err := x.At(i); v != want || err != nil {
					t.Errorf("%d numbers at %d: element %d is %v, %v", n, at, i, v, err)
				}
			}
		}
	}
	if n := theDuo.compiled.Load() - before; n != 4 { // one for each constant
		t.Errorf("compiled %d times, want 4", n)
	}
	for _, p := range theDuo.seen().Params {
		if p.Align16 {
			t.Errorf("%+v", p)
		}
	}
	b, err := k.Bind(s, x, 1, 77, 16)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := errors.Join(b.SetInt(1, 16), b.Launch(nereid.Grid{1})); err != nil {
		t.Error(err)
	}
	if v, _ := x.At(15); v != 77 {
		t.Errorf("a bound kernel: %v", v)
	}
}

// A back end is handed the form that it asks for, and all options that a compiler may need.
func TestHandedOn(t *testing.T) {
	lib := filepath.Join(t.TempDir(), "fast.bc")
	if err := os.WriteFile(lib, []byte("a library"), 0o600); err != nil {
		t.Fatal(err)
	}
	k := load(t, nereid.Config{})
	opts := nereid.Options{NumWarps: 2, NumStages: 5, NumCTAs: 2, MaxNReg: 64, NoFPFusion: true,
		LaunchCooperativeGrid: true, ExternLibs: "fast=" + lib}
	if _, err := k.CompileFor(t.Context(), "duo", "*i32, i32, 7, 64", opts, ""); err != nil {
		t.Fatal(err)
	}
	got := theDuo.seen()
	o := got.Options
	if o.NumWarps != 2 || o.NumStages != 5 || o.NumCTAs != 2 || o.MaxNReg != 64 || o.FPFusion ||
		!o.CooperativeGrid {
		t.Errorf("options %+v", o)
	}
	if len(got.Libs) != 1 || got.Libs[0].Name != "fast" || string(got.Libs[0].Data) != "a library" {
		t.Errorf("libraries %+v", got.Libs)
	}
	for _, text := range []string{"#blocked", `ttg.target = "duo"`, `"ttg.threads-per-warp" = 16`,
		`"ttg.num-ctas" = 2`, "tt.func public @fill(%x_ptr: !tt.ptr<i32>",
		"tt.store %", "arith.cmpi slt, %"} {
		if !strings.Contains(string(got.IR), text) {
			t.Errorf("no %s in\n%s", text, got.IR)
		}
	}
	if _, err := k.CompileFor(t.Context(), "duo", "*i32, i32, 7, 64", nereid.Options{}, ""); err != nil ||
		!theDuo.seen().Options.FPFusion || theDuo.seen().Options.NumCTAs != 1 {
		t.Errorf("without options: %v, %+v", err, theDuo.seen().Options)
	}
	c, err := k.CompileFor(t.Context(), "duo", "*i32, i32, 7, 64", nereid.Options{}, "ttgir")
	if err != nil || !strings.Contains(string(c.Stage("ttgir")), "#blocked") {
		t.Error(err)
	}
}

// A profile has the times of kernels, by the events of the device.
func TestEvents(t *testing.T) {
	var out bytes.Buffer
	p, err := nereid.StartProfile(&out)
	if err != nil {
		t.Fatal(err)
	}
	k, s := load(t, nereid.Config{}), on(t, "duo:1")
	if err := errors.Join(k.Launch(s, nereid.Grid{1}, tensorOn(t, s, 4), 4, 41, 16), s.Sync(),
		p.Stop()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "duo:1, stream 1") {
		t.Errorf("no track of the stream in\n%s", &out)
	}
}

// Code goes from one device to another by way of a file; that of other versions only where the back end says
// so.
func TestSave(t *testing.T) {
	k := load(t, nereid.Config{})
	c, err := k.CompileFor(t.Context(), "duo", "*i32, i32, 9, 16", nereid.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := c.Save(&file); err != nil {
		t.Fatal(err)
	}
	s := on(t, "duo:1")
	back, err := nereid.LoadCompiled(s.Device(), bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	x := tensorOn(t, s, 5)
	if err := back.Launch(s, nereid.Grid{2}, x, 5); err != nil {
		t.Fatal(err)
	}
	if v, err := x.At(4); v != 18 || err != nil {
		t.Error(v, err)
	}
	toy, err := nereid.OpenDevice("toy")
	if err != nil {
		t.Fatal(err)
	}
	_, err = nereid.LoadCompiled(toy, bytes.NewReader(file.Bytes()))
	wantError(t, err, "toy runs code for toy 1")
	theDuo.later.Store(1)
	defer theDuo.later.Store(0)
	_, err = nereid.LoadCompiled(s.Device(), bytes.NewReader(file.Bytes()))
	wantError(t, err, "version 2 is too old")
	theDuo.lenient.Store(true)
	defer theDuo.lenient.Store(false)
	if _, err = nereid.LoadCompiled(s.Device(), bytes.NewReader(file.Bytes())); err != nil {
		t.Error(err)
	}
}

const tunedKernel = `
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({'B': 16}), triton.Config({'B': 32})], key=['n'], HOW=['x_ptr'])
@triton.jit
def fill(x_ptr, n, V: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x_ptr + i, V, mask=i < n)
`

// Tuning zeroes and restores memory of a device whose streams cannot do it, by way of the host.
func TestTuned(t *testing.T) {
	s := on(t, "duo:1")
	for how, want := range map[string]float64{"reset_to_zero": 0, "restore_value": 5} {
		t.Setenv("NEREID_CACHE_DIR", t.TempDir()) // nothing is tuned yet
		m, err := nereid.Parse("tuned.py", []byte(strings.Replace(tunedKernel, "HOW", how, 1)))
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("fill")
		if err != nil {
			t.Fatal(err)
		}
		x, err := nereid.FromSlice([]int32{5, 5, 5, 5}).To(s.Device())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(k.Launch(s, nereid.Grid{1}, x, 2, 8), s.Sync()); err != nil {
			t.Fatal(err)
		}
		for i, want := range []float64{8, 8, want, want} {
			if v, err := x.At(i); v != want || err != nil {
				t.Errorf("%s: element %d is %v, %v", how, i, v, err)
			}
		}
		x.Close()
	}
}
