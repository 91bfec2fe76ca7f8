package bundle_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/bundle"
	format "github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/kernels"
)

// item is a variant to compile.
type item struct {
	name, group, signature string
	targets                []string // "cuda:90 cubin" for a cubin too
	options                nereid.Options
}

// softmaxes returns variants of softmax for block sizes and two types.
func softmaxes(targets []string, blocks ...int) (list []item) {
	for _, dtype := range []string{"fp32", "fp16"} {
		for _, n := range blocks {
			list = append(list, item{
				name: fmt.Sprintf("softmax_%s_%d", dtype, n), group: "softmax_" + dtype, targets: targets,
				signature: fmt.Sprintf("*%s:16, *%[1]s:16, i32, i32, i32, %d", dtype, n),
			})
		}
	}
	return list
}

// compileAll compiles variants of softmax and returns their entries with the parts.
func compileAll(t testing.TB, list []item) (entries []format.Entry, parts []map[string][]byte) {
	t.Helper()
	txtest.LLVM(t, llvm.Load)
	m, err := nereid.LoadFS(kernels.Files, "softmax.py")
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("softmax_kernel")
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range list {
		for _, target := range it.targets {
			target, until, _ := strings.Cut(target, " ")
			c, err := k.CompileFor(t.Context(), target, it.signature, it.options, until)
			if err != nil {
				t.Fatal(err)
			}
			var file bytes.Buffer
			if err := c.Save(&file); err != nil {
				t.Fatal(err)
			}
			s, err := code.ReadSaved(&file)
			if err != nil {
				t.Fatal(err)
			}
			e, p, err := format.NewEntry(it.name, it.group, "source", s)
			if err != nil {
				t.Fatal(err)
			}
			if ptx := c.Stage(format.PartPTX); ptx != nil {
				p[format.PartPTX] = ptx // beside a cubin
			}
			entries, parts = append(entries, e), append(parts, p)
		}
	}
	return entries, parts
}

func write(t testing.TB, entries []format.Entry, parts []map[string][]byte) []byte {
	t.Helper()
	w := &format.Writer{}
	for i, e := range entries {
		if err := w.Add(e, parts[i]); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if _, err := w.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func build(t testing.TB, list []item) []byte {
	t.Helper()
	entries, parts := compileAll(t, list)
	return write(t, entries, parts)
}

func open(t testing.TB, data []byte) *bundle.Bundle {
	t.Helper()
	return txtest.Open(t, bundle.OpenBytes, data)
}

func newStream(t testing.TB, name string) *nereid.Stream {
	t.Helper()
	dev := txtest.Device(t, name, bundle.Device)
	s, err := dev.NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func lookup(t testing.TB, b *bundle.Bundle, name string) *bundle.Variant {
	t.Helper()
	v, err := b.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// baseline returns a target whose code every machine of this architecture runs.
func baseline() string {
	if runtime.GOARCH == "arm64" {
		return "cpu:aarch64"
	}
	return "cpu:x86-64"
}

// softmax runs a variant over rows of cols elements and returns the largest error.
func softmax(s *nereid.Stream, v *bundle.Variant, rows, cols int) (worst float64, err error) {
	dt := nereid.Float32
	if isHalf(v) {
		dt = nereid.Float16
	}
	in := make([]float32, rows*cols)
	for i := range in {
		in[i] = float32(math.Sin(float64(i)))
	}
	x, err1 := newRoom(s, dt, in)
	out, err2 := newRoom(s, dt, make([]float32, len(in)))
	if err := errors.Join(err1, err2); err != nil {
		return 0, err
	}
	defer x.Close()
	defer out.Close()
	if err := v.Launch(s, nereid.Grid{rows}, out.Tensor, x.Tensor, cols, cols, cols); err != nil {
		return 0, err
	}
	got, err := out.values(s)
	if err != nil {
		return 0, err
	}
	for r := range rows {
		sum := 0.0
		for _, y := range in[r*cols : (r+1)*cols] {
			sum += math.Exp(float64(y))
		}
		for c := range cols {
			want := math.Exp(float64(in[r*cols+c])) / sum
			worst = max(worst, math.Abs(got[r*cols+c]-want))
		}
	}
	return worst, nil
}

// hidden is the variable by which TestWithoutCompiler tells its child where the bundle lies. By hand, for a
// machine with a GPU:
//
//	NEREID_TEST_BUNDLE_OUT=b.nrb NEREID_PTXAS=/full/path/ptxas go test ./bundle -run TestWithoutCompiler
//	go test -c -o bundle.test ./bundle
//	NEREID_TEST_BUNDLE=b.nrb NEREID_DEVICE=cuda NEREID_LLVM=/nowhere \
//	    ./bundle.test -test.run TestWithoutCompiler -test.v
const hidden = "NEREID_TEST_BUNDLE"

// TestWithoutCompiler runs every variant of a bundle in a process that finds neither LLVM nor Python nor any
// other program, on the CPU: the results are right.
func TestWithoutCompiler(t *testing.T) {
	if path := os.Getenv(hidden); path != "" {
		withoutCompiler(t, path)
		return
	}
	path, cuda := filepath.Join(t.TempDir(), "softmax.nrb"), "cuda:90"
	if out := os.Getenv(hidden + "_OUT"); out != "" {
		path = out
	}
	if os.Getenv("NEREID_PTXAS") != "" {
		cuda = "cuda:90 cubin"
	}
	data := build(t, softmaxes([]string{"cpu:x86-64", "cpu:aarch64", "cpu", cuda}, 64, 128, 256, 512, 1024))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestWithoutCompiler$", "-test.v", "-test.count=1")
	cmd.Env = []string{hidden + "=" + path, "NEREID_LLVM=/nowhere/libLLVM.so",
		"NEREID_CUDA=/nowhere/libcuda.so", "PATH=/nowhere", "NEREID_CACHE=off", "HOME=" + t.TempDir()}
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("every variant: 10")) {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%d bytes\n%s", len(data), out)
}

func withoutCompiler(t *testing.T, path string) {
	if _, err := nereid.OpenDevice("cpu"); !errors.Is(err, nereid.ErrNoLLVM) {
		t.Fatalf("LLVM is not hidden: %v", err)
	}
	want := cmp.Or(os.Getenv("NEREID_DEVICE"), "cpu")
	dev, err := bundle.Device("")
	if err != nil || !strings.HasPrefix(dev.String(), want) {
		t.Fatal(dev, err)
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	// the driver is up then
	if x, err := nereid.NewTensor(dev, nereid.Float32, 64); err != nil || x.Close() != nil {
		t.Fatal(err)
	}
	start := time.Now()
	b, err := bundle.OpenFS(os.DirFS(filepath.Dir(path)), filepath.Base(path))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	opened := time.Since(start)
	n := 0
	for _, v := range b.Variants() {
		if err := checks[v.Kernel()](s, v); err != nil {
			t.Errorf("%s: %v", v, err)
		}
		if n++; n == 1 {
			t.Logf("open after %v, first result after %v", opened, time.Since(start))
		}
	}
	t.Logf("every variant: %d after %v, %s", n, time.Since(start), dev.Info())
	if b.Loaded() != n {
		t.Errorf("%d loads", b.Loaded())
	}
	m, err := nereid.LoadFS(kernels.Files, "softmax.py")
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("softmax_kernel")
	if err != nil {
		t.Fatal(err)
	}
	x := nereid.FromSlice(make([]float32, 64))
	if err := k.Launch(s, nereid.Grid{1}, x, x, 64, 64, 64, 64); !errors.Is(err, nereid.ErrNoLLVM) {
		t.Errorf("compiled without LLVM: %v", err)
	}
}

// countingFS has one file, and counts the bytes that are read of it.
type countingFS struct {
	fstest.MapFS
	read *int
}

type countingFile struct {
	*bytes.Reader
	fs.File
	read *int
}

func (f *countingFile) Read(p []byte) (int, error) { return f.File.Read(p) }
func (f *countingFile) ReadAt(p []byte, at int64) (int, error) {
	*f.read += len(p)
	return f.Reader.ReadAt(p, at)
}

func (c countingFS) Open(name string) (fs.File, error) {
	f, err := c.MapFS.Open(name)
	if err != nil {
		return nil, err
	}
	return &countingFile{bytes.NewReader(c.MapFS[name].Data), f, c.read}, nil
}

// TestOpen480 opens 480 variants for two targets: in at most 5 ms, and nothing but the index is read or
// loaded until a variant is asked for, which reads and loads that one.
func TestOpen480(t *testing.T) {
	entries, parts := compileAll(t, softmaxes([]string{baseline(), "cuda:90"}, 64))
	var all []format.Entry
	var data []map[string][]byte
	for i := range 480 {
		for j := range entries[:2] { // fp32 for both targets
			e := entries[j]
			e.Name = fmt.Sprintf("softmax_%03d", i)
			all, data = append(all, e), append(data, parts[j])
		}
	}
	file := write(t, all, data)
	read := 0
	fsys := countingFS{fstest.MapFS{"b.nrb": {Data: file}}, &read}
	best := time.Hour
	var b *bundle.Bundle
	for range 5 {
		read = 0
		start := time.Now()
		opened, err := bundle.OpenFS(fsys, "b.nrb")
		best = min(best, time.Since(start))
		if err != nil {
			t.Fatal(err)
		}
		b = opened
		defer b.Close()
	}
	index := read
	code := len(parts[0][format.PartObj])
	if v, err := b.Lookup("softmax_477"); err != nil || v.Name() != "softmax_477" ||
		len(b.Variants()) != 480 {
		t.Error(v, err)
	}
	if read != index || b.Loaded() != 0 {
		t.Errorf("looking up reads %d bytes and loads %d variants", read-index, b.Loaded())
	}
	if _, err := softmax(newStream(t, "cpu"), lookup(t, b, "softmax_477"), 2, 60); err != nil {
		t.Fatal(err)
	}
	if b.Loaded() != 1 || read == index || read-index > code+10_000 {
		t.Errorf("a launch reads %d bytes and loads %d variants", read-index, b.Loaded())
	}
	t.Logf("%d bytes, index of %d, open in %v", len(file), index, best)
	if best > 5*time.Millisecond && !raceDetector {
		t.Errorf("opening takes %v", best)
	}
}

// TestSameBytes compiles and writes a bundle twice: the bytes are the same.
func TestSameBytes(t *testing.T) {
	list := softmaxes([]string{baseline(), "cuda:90"}, 64)
	one := build(t, list)
	slices.Reverse(list)
	if !bytes.Equal(one, build(t, list)) {
		t.Error("two builds differ")
	}
}

// TestOneLoad asks for a variant from many goroutines: it is loaded once.
func TestOneLoad(t *testing.T) {
	b := open(t, build(t, softmaxes([]string{baseline()}, 64)))
	s := newStream(t, "cpu")
	v := lookup(t, b, "softmax_fp32_64")
	var all sync.WaitGroup
	codes := make([]*nereid.Compiled, 32)
	for i := range codes {
		all.Go(func() {
			var err error
			if codes[i], err = v.Load(s.Device()); err != nil {
				t.Error(err)
			}
			if _, err := softmax(s, v, 2, 64); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if b.Loaded() != 1 || slices.ContainsFunc(codes, func(c *nereid.Compiled) bool { return c != codes[0] }) {
		t.Errorf("%d loads", b.Loaded())
	}
}

// TestClose closes a bundle while goroutines load from it: each load succeeds or is ErrClosed, and afterwards
// everything is.
func TestClose(t *testing.T) {
	data := build(t, softmaxes([]string{baseline()}, 64, 128))
	s := newStream(t, "cpu")
	for range 20 {
		b := open(t, data)
		var all sync.WaitGroup
		for _, v := range b.Variants() {
			all.Go(func() {
				if _, err := v.Load(s.Device()); err != nil && !errors.Is(err, nereid.ErrClosed) {
					t.Error(err)
				}
			})
		}
		all.Go(func() {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	b := open(t, data)
	v := lookup(t, b, "softmax_fp32_64")
	c, err := v.Load(s.Device())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := softmax(s, v, 2, 64); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"Launch":   second(softmax(s, v, 2, 64)),
		"Load":     second(v.Load(s.Device())),
		"Compiled": c.Launch(s, nereid.Grid{1}),
		"another":  second(lookup(t, b, "softmax_fp32_128").Load(s.Device())),
	} {
		if !errors.Is(err, nereid.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestLookup finds variants by name, by group and by their constants; what is not there is an error that
// lists what is.
func TestLookup(t *testing.T) {
	b := open(t, build(t, softmaxes([]string{baseline(), "cuda:90"}, 64, 128)))
	v := lookup(t, b, "softmax_fp16_128")
	code := v.Code()
	if v.Kernel() != "softmax_kernel" || v.Constants()["BLOCK_SIZE"] != "128" || len(code) != 2 ||
		code[1].Target != "cuda:90" || !slices.Equal(code[1].Forms, []string{"ptx"}) ||
		code[1].Options.NumWarps != 4 ||
		code[0].Hash == code[1].Hash || code[0].Size == 0 || !strings.Contains(v.Signature(), "*fp16:16") {
		t.Errorf("%+v", code)
	}
	group, err := b.Group("softmax_fp32")
	if err != nil || len(group) != 2 || group[0].Name() != "softmax_fp32_128" {
		t.Error(group, err)
	}
	if !slices.Equal(b.Groups(), []string{"softmax_fp16", "softmax_fp32"}) {
		t.Error(b.Groups())
	}
	small := b.Find(func(v *bundle.Variant) bool { n, ok := v.Int("BLOCK_SIZE"); return ok && n < 100 })
	if len(small) != 2 || small[1].Name() != "softmax_fp32_64" {
		t.Error(small)
	}
	var missing *bundle.NotFoundError
	if _, err := b.Lookup("softmax_fp32_46"); !errors.As(err, &missing) ||
		!errors.Is(err, bundle.ErrNotFound) ||
		len(missing.Have) != 4 ||
		!strings.Contains(err.Error(), `there is no variant "softmax_fp32_46": did you mean`) ||
		!strings.Contains(err.Error(), "softmax_fp16_128, ") {
		t.Error(err)
	}
	if _, err := b.Group("norm"); !errors.As(err, &missing) || missing.What != "group" ||
		!strings.Contains(err.Error(), "here: softmax_fp16, softmax_fp32") {
		t.Error(err)
	}
}

// TestBestCode loads the code that asks for most of what the processor has.
func TestBestCode(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		txtest.NotHere(t, "the levels are those of x86-64")
	}
	b := open(t, build(t,
		softmaxes([]string{"cpu:x86-64", "cpu:x86-64-v2", "cpu:x86-64-v3", "cpu:aarch64"}, 64)))
	s := newStream(t, "cpu")
	v := lookup(t, b, "softmax_fp32_64")
	c, err := v.Load(s.Device())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		txtest.NotHere(t, "%v", err)
	}
	want := "cpu:x86-64-v2"
	if strings.Contains(string(text), " avx2 ") && strings.Contains(string(text), " fma ") {
		want = "cpu:x86-64-v3"
	}
	if got := c.Info().Target; got != want {
		t.Errorf("the code is for %s, not %s", got, want)
	}
	if worst, err := softmax(s, v, 3, 60); err != nil || worst > 1e-6 {
		t.Error(worst, err)
	}
}
