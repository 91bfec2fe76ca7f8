package backend_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/backend"
)

// toy is a back end that knows one kernel: it fills memory with a constant.
type toy struct{ compiled, loaded atomic.Int32 }

var theToy = &toy{}

func init() { backend.Register(theToy) }

func (*toy) Name() string                     { return "toy" }
func (*toy) Info() (string, error)            { return "fills memory", nil }
func (*toy) Input() backend.Stage             { return backend.Linalg }
func (*toy) Stages() []string                 { return []string{"notes", "toycode"} }
func (*toy) Version() string                  { return "1" }
func (*toy) Options() []backend.Option        { return []backend.Option{{Name: "a"}, {Name: "b"}} }
func (t *toy) seen() (compiled, loaded int32) { return t.compiled.Load(), t.loaded.Load() }

func (t *toy) Compile(_ context.Context, k *backend.Kernel) (*backend.Code, error) {
	t.compiled.Add(1)
	if !strings.Contains(string(k.IR), `"func.func"`) || strings.Contains(string(k.IR), "tt.func") {
		return nil, fmt.Errorf("this is no linalg in generic form:\n%s", k.IR)
	}
	if k.Constants["V"] == "13" {
		return nil, errors.New("thirteen brings bad luck")
	}
	if k.Constants["V"] == "14" {
		return nil, backend.Refuse("V=14", "the target counts to 13", "use 12")
	}
	notes := fmt.Sprintf("%s %+v %v", k.Name, k.Params, k.Options.Extra)
	return &backend.Code{Stages: map[string][]byte{"notes": []byte(notes),
		"toycode": []byte(k.Constants["V"])}, Meta: []byte("meta")}, nil
}

func (t *toy) Load(_ context.Context, k *backend.Kernel, c *backend.Code) (backend.Executable, error) {
	t.loaded.Add(1)
	v, err := strconv.Atoi(string(c.Stages["toycode"]))
	if err != nil || string(c.Meta) != "meta" {
		return nil, fmt.Errorf("damaged code: %q, %q, %v", c.Stages["toycode"], c.Meta, err)
	}
	return fill(v), nil
}

type fill int

func (v fill) Launch(_ context.Context, grid [3]int, words []uint64) error {
	x := unsafe.Slice(*(**int32)(unsafe.Pointer(&words[0])), words[1])
	for i := range x {
		x[i] = int32(int(v) * grid[0])
	}
	return nil
}

func (fill) Close() error { return nil }

const fillKernel = `
import triton
import triton.language as tl

@triton.jit
def fill(x_ptr, n, V: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x_ptr + i, V, mask=i < n)
`

// load returns the kernel, under a configuration.
func load(t *testing.T, c nereid.Config) *nereid.Kernel {
	t.Helper()
	m, err := nereid.Parse("fill.py", []byte(fillKernel), nereid.With(c))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("fill")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func stream(t *testing.T) *nereid.Stream { return on(t, "toy") }

// A back end from outside is a device like any other: found, launched, and its code kept between processes'
// worth of modules.
func TestLaunch(t *testing.T) {
	s := stream(t)
	cache, err := nereid.OpenCache(nereid.CacheOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	x := make([]int32, 5)
	compiled, loaded := theToy.seen()
	for range 2 { // the second finds what the first has kept
		k := load(t, nereid.Config{Cache: cache})
		for _, n := range []int{5, 3} { // of one class
			clear(x)
			if err := k.Launch(s, nereid.Grid{2}, nereid.FromSlice(x), n, 7, 16); err != nil {
				t.Fatal(err)
			}
			if want := 14; x[0] != int32(want) || x[n-1] != int32(want) || n == 3 && x[3] != 0 {
				t.Errorf("%d elements: %v", n, x)
			}
		}
	}
	if c, l := theToy.seen(); c != compiled+1 || l != loaded+2 {
		t.Errorf("compiled %d times and loaded %d times, want 1 and 2", c-compiled, l-loaded)
	}
}

// Memory of the device is memory of the host.
func TestMemory(t *testing.T) {
	s := stream(t)
	x, err := nereid.NewTensor(s.Device(), nereid.Int32, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := load(t, nereid.Config{}).Launch(s, nereid.Grid{1}, x, 4, 3, 16); err != nil {
		t.Fatal(err)
	}
	if v, err := x.At(3); v != 3 || err != nil {
		t.Error(v, err)
	}
}

func TestCompile(t *testing.T) {
	k := load(t, nereid.Config{})
	c, err := k.CompileFor(t.Context(), "toy", "*i32:16, i32, 7, 16", nereid.Options{Extra: "a=1, b=2"}, "")
	if err != nil {
		t.Fatal(err)
	}
	stages := map[string]string{}
	for _, s := range c.Stages {
		stages[s.Name] = string(s.Text)
	}
	want := "fill [{Name:x_ptr Pointer:true Type:i32 Bytes:4 Align16:true} {Name:n Pointer:false Type:i32 " +
		"Bytes:4 Align16:false}] map[a:1 b:2]"
	if stages["notes"] != want || stages["toycode"] != "7" ||
		!strings.Contains(stages["linalg"], "func.func @fill") {
		t.Errorf("stages %v", stages)
	}
	if _, err := k.CompileFor(t.Context(), "toy", "*i32:16, i32, 13, 16", nereid.Options{}, ""); err == nil ||
		!strings.Contains(err.Error(), "toy: thirteen") {
		t.Error(err)
	}
	if _, err := k.CompileFor(t.Context(), "nosuch", "*i32:16, i32, 7, 16", nereid.Options{},
		""); err == nil || !strings.Contains(err.Error(), "toy") {
		t.Error(err)
	}
}

// What the target declines is a Refusal of its name; a compiled kernel of the target is saved and loaded.
func TestRefuse(t *testing.T) {
	s, k := stream(t), load(t, nereid.Config{})
	_, err := k.Compile(t.Context(), s.Device(), "*i32:16, i32, 14, 16", nereid.Options{})
	var r *nereid.Refusal
	if !errors.As(err, &r) || r.Target != "toy" || r.Feature != "V=14" || r.Remedy != "use 12" {
		t.Errorf("%v: %+v", err, r)
	}
	c, err := k.Compile(t.Context(), s.Device(), "*i32:16, i32, 7, 16", nereid.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := c.Save(&file); err != nil {
		t.Fatal(err)
	}
	back, err := nereid.LoadCompiled(s.Device(), &file)
	if err != nil {
		t.Fatal(err)
	}
	x, err := nereid.NewTensor(s.Device(), nereid.Int32, 5)
	if err != nil {
		t.Fatal(err)
	}
	if err := back.Launch(s, nereid.Grid{2}, x, 5); err != nil {
		t.Fatal(err)
	}
	if v, _ := x.At(4); v != 14 {
		t.Errorf("%v", x)
	}
}

// Options that cannot be read are an error, not options that are lost.
func TestExtra(t *testing.T) {
	k := load(t, nereid.Config{})
	for _, extra := range []string{"a", "a=1,b", "=1", "a=1,a=2", ","} {
		_, err := k.CompileFor(t.Context(), "toy", "*i32:16, i32, 7, 16", nereid.Options{Extra: extra}, "")
		if err == nil || !strings.Contains(err.Error(), "expected name=value") {
			t.Errorf("%q: %v", extra, err)
		}
	}
}

func TestRegister(t *testing.T) {
	for _, name := range []string{"", "Toy", "a b", "cpu", "cuda", "toy"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was taken", name)
				}
			}()
			backend.Register(named(name))
		}()
	}
	here, _ := nereid.Devices()
	for _, d := range here {
		if d.String() == "toy" {
			return
		}
	}
	t.Error("the device is not listed")
}

type named string

func (n named) Name() string                                                  { return string(n) }
func (named) Info() (string, error)                                           { return "", nil }
func (named) Input() backend.Stage                                            { return backend.TTIR }
func (named) Stages() []string                                                { return []string{"x"} }
func (named) Version() string                                                 { return "" }
func (named) Compile(context.Context, *backend.Kernel) (*backend.Code, error) { return nil, nil }
func (named) Load(context.Context, *backend.Kernel, *backend.Code) (backend.Executable, error) {
	return nil, nil
}
