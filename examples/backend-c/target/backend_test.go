package target

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/backend"
)

// TestMain skips everything, by name, on a machine that has no C compiler. The tests have a cache of
// their own: code that an earlier emitter made must not pass for that of this one.
func TestMain(m *testing.M) {
	if _, err := cc(); err != nil {
		fmt.Println("skipped examples/backend-c:", err)
		return
	}
	dir, err := os.MkdirTemp("", "backend-c-test")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Setenv("NEREID_CACHE_DIR", dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// onBoth runs a kernel on the interpreter and on a device, on copies of the tensors, and returns the first
// tensor of each as bytes.
func onBoth(t *testing.T, device, src string, grid nereid.Grid, args func(first *nereid.Tensor) []any,
	dt nereid.DType,
	bytes []byte) (want, got []byte) {
	t.Helper()
	for _, device := range []string{"interp", device} {
		data := append([]byte(nil), bytes...)
		if err := launchOn(t.Context(), device, src, grid, args(nereid.FromBytes(dt, data))...); err != nil {
			t.Fatalf("%s: %v", device, err)
		}
		want, got = got, data
	}
	return want, got
}

// launchOn runs the kernel called k of a text once.
func launchOn(ctx context.Context, device, src string, grid nereid.Grid, args ...any) error {
	k, err := parse(src)
	if err != nil {
		return err
	}
	return launchKernel(ctx, device, k, grid, args...)
}

// parse returns the kernel called k of a text.
func parse(src string, opts ...nereid.LoadOption) (*nereid.Kernel, error) {
	m, err := nereid.Parse("test.py", []byte("import triton\nimport triton.language as tl\n\n\n"+src),
		opts...)
	if err != nil {
		return nil, err
	}
	return m.Kernel("k")
}

func launchKernel(ctx context.Context, device string, k *nereid.Kernel, grid nereid.Grid, args ...any) error {
	dev, err := nereid.OpenDevice(device)
	if err != nil {
		return err
	}
	s, err := dev.NewStream(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	return k.Launch(s, grid, args...)
}

// head begins the kernels of constructs: program pid has the elements i.
const head = `@triton.jit
def k(p):
    pid = tl.program_id(0) + tl.program_id(1) * 2
    i = pid * 64 + tl.arange(0, 64)`

// constructs are kernels on an array of 256 floats, each for some operations that the three kernels do
// not have.
var constructs = []struct{ name, body string }{
	{"if", `
    x = tl.load(p + i)
    if pid % 2 == 0:
        x = x * 2
    else:
        x = x - tl.max(x, axis=0)
    tl.store(p + i, x)`},
	{"while", `
    x = tl.load(p + i)
    n = 0
    while n < pid + 3:
        x = x * 0.5 + n
        n += 1
    tl.store(p + i, x)`},
	{"swap", `
    a = tl.load(p + i)
    b = a * 3
    u = 1
    v = 2
    for n in range(5 + pid):
        a, b = b, a
        u, v = v, u + v
    tl.store(p + i, a - b + u)`},
	{"matrix", `
    r = tl.arange(0, 8)
    at = pid * 64 + r[:, None] * 8 + r[None, :]
    x = tl.load(p + at)
    y = x - tl.sum(x, axis=1)[:, None] + tl.max(x, axis=0)[None, :]
    tl.store(p + at, tl.trans(y))`},
	{"reshape", `
    x = tl.load(p + i)
    y = tl.sum(tl.reshape(x, [4, 16]), axis=1)
    q = tl.arange(0, 4)
    tl.store(p + pid * 64 + q, y)`},
	{"integers", `
    x = tl.load(p + i).to(tl.int32)
    y = (x * 7 + i) % 13 - (x // (i % 3)) + ((x << 2) ^ (i >> 1))
    z = tl.where((x > 0) & (i < 100), tl.minimum(y, 50), -y)
    tl.store(p + i, z.to(tl.float32), mask=(i % 3 != 0) & (i % 64 > 2))`},
	{"nan", `
    x = tl.load(p + i)
    x = tl.where(i % 5 == 0, float("nan"), x)
    y = tl.maximum(x, 0.0, propagate_nan=tl.PropagateNan.ALL) + tl.minimum(x, 1.0)
    tl.store(p + i, tl.where(y != y, tl.max(x, axis=0), y))`},
	{"math", `
    x = tl.abs(tl.load(p + i)) + 0.25
    tl.store(p + i, tl.exp(-x) + tl.log(x) + tl.sqrt(x) + tl.sin(x) * tl.cos(x) + tl.floor(x * 3))`},
	{"grid", `
    x = tl.load(p + i)
    tl.store(p + i, x + tl.num_programs(0) + tl.num_programs(1) * 10 + tl.program_id(1) * 100)`},
}

func TestConstructs(t *testing.T) {
	data := make([]byte, 4*256)
	for i := range 256 {
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(float32((i*37)%101)/8-5))
	}
	for _, device := range []string{"c", "c-device"} {
		for _, c := range constructs {
			t.Run(device+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				src := head + c.body + "\n"
				want, got := onBoth(t, device, src, nereid.Grid{2, 2}, func(x *nereid.Tensor) []any {
					return []any{x}
				}, nereid.Float32, data)
				w, g := floats(want), floats(got)
				for i := range w {
					if !(math.Abs(float64(w[i]-g[i])) <= 1e-5*max(1, math.Abs(float64(w[i])))) {
						t.Fatalf("element %d: %v, want %v", i, g[i], w[i])
					}
				}
			})
		}
	}
}

func floats(b []byte) (f []float32) {
	for i := 0; i < len(b); i += 4 {
		f = append(f, math.Float32frombits(binary.LittleEndian.Uint32(b[i:])))
	}
	return f
}

// Halves are _Float16, which older compilers lack.
func TestHalf(t *testing.T) {
	c, _ := cc()
	if _, err := c.run(t.Context(), &backend.Kernel{Name: "probe"},
		"_Float16 f(_Float16 x) { return x + x; }\n"); err != nil {
		t.Skip("skipped: cc has no _Float16")
	}
	data := make([]byte, 2*64)
	for i := range 64 {
		binary.LittleEndian.PutUint16(data[2*i:], uint16(0x3000+i*97)|uint16(i%2)<<15)
	}
	src := `@triton.jit
def k(p, n, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(p + i, mask=i < n, other=-float("inf"))
    e = tl.exp(x.to(tl.float32) - tl.max(x, axis=0))
    tl.store(p + i, (x + x) * x + (e / tl.sum(e, axis=0)).to(tl.float16), mask=i < n)
`
	want, got := onBoth(t, "c", src, nereid.Grid{1}, func(x *nereid.Tensor) []any {
		return []any{x, 61, 64}
	}, nereid.Float16, data)
	for i := range 64 {
		w, g := half(binary.LittleEndian.Uint16(want[2*i:])), half(binary.LittleEndian.Uint16(got[2*i:]))
		if !(math.Abs(w-g) <= 1e-3*max(1, math.Abs(w))) {
			t.Errorf("element %d: %v, want %v", i, g, w)
		}
	}
}

// An operation, or a type, that the back end does not know is an error that names it and the kernel.
func TestUnsupported(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"@triton.jit\ndef k(p):\n    tl.atomic_add(p, 1.0)\n", "atomic_rmw"},
		{"@triton.jit\ndef k(p):\n    tl.store(p, tl.load(p).to(tl.bfloat16).to(tl.float32))\n",
			"the type bf16"},
	} {
		err := launchOn(t.Context(), "c", c.src, nereid.Grid{1}, nereid.FromSlice([]float32{1}))
		if err == nil || !strings.Contains(err.Error(), "c: kernel k: line ") ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%v\nwant one about kernel k and %s", err, c.want)
		}
	}
}

// Two modules over one cache: the second finds the code of the first.
func TestCache(t *testing.T) {
	cache, err := nereid.OpenCache(nereid.CacheOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	before := theTarget.compiled.Load()
	x := []float32{3}
	for range 2 {
		k, err := parse("@triton.jit\ndef k(p):\n    tl.store(p, tl.load(p) * 7)\n",
			nereid.With(nereid.Config{Cache: cache}))
		if err != nil {
			t.Fatal(err)
		}
		if err := launchKernel(t.Context(), "c", k, nereid.Grid{1}, nereid.FromSlice(x)); err != nil {
			t.Fatal(err)
		}
	}
	if n := theTarget.compiled.Load() - before; n != 1 || x[0] != 3*7*7 {
		t.Errorf("cc ran %d times, want once; the kernel made %v", n, x[0])
	}
}

// A launch stops when its context ends: this one would take hours.
func TestCancel(t *testing.T) {
	k, err := parse(`@triton.jit
def k(p, n):
    x = 0
    for i in range(n):
        x = (x * 5 + i) ^ tl.load(p)
    tl.store(p + 1, x, mask=x == 12345)
`)
	if err != nil {
		t.Fatal(err)
	}
	x := nereid.FromSlice([]int32{1, 2})
	if err := launchKernel(t.Context(), "c", k, nereid.Grid{1}, x, 1000); err != nil { // compiles
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := launchKernel(ctx, "c", k, nereid.Grid{1 << 20, 1 << 10}, x, 1000); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("%v, want %v", err, context.DeadlineExceeded)
	}
}

func compileAdd(t *testing.T, o nereid.Options) (map[string]string, error) {
	t.Helper()
	m, err := nereid.Load("../../../kernels/vector_add.py")
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("add_kernel")
	if err != nil {
		t.Fatal(err)
	}
	c, err := k.CompileFor(t.Context(), "c", "*fp32:16, *fp32:16, *fp32:16, i32, 1024", o, "")
	if err != nil {
		return nil, err
	}
	stages := map[string]string{}
	for _, s := range c.Stages {
		stages[s.Name] = string(s.Text)
	}
	return stages, nil
}

func TestStages(t *testing.T) {
	stages, err := compileAdd(t, nereid.Options{Extra: "opt=0"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stages["c"], entry) || !strings.Contains(stages["so"], entry) ||
		stages["linalg"] == "" {
		t.Errorf("stages: %d bytes of C, %d of code, %d of linalg", len(stages["c"]), len(stages["so"]),
			len(stages["linalg"]))
	}
	for extra, want := range map[string]string{"opt=9": "expected 0, 1, 2 or 3",
		"speed=1": "c has no option of that name; it has opt=0|1|2|3"} {
		if _, err := compileAdd(t, nereid.Options{Extra: extra}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", extra, err)
		}
	}
}

func TestNoCompiler(t *testing.T) {
	t.Setenv("PATH", "")
	if _, err := findCC(); err == nil || !strings.Contains(err.Error(), "install gcc or clang") {
		t.Error(err)
	}
}

// The module imports nothing of Nereid but its public packages.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}`,
		"example.com/backend-c/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		_, own, ours := strings.Cut(path, "github.com/nereid-lang/nereid")
		if ours && !slices.Contains([]string{"", "/backend", "/cli"}, own) {
			t.Errorf("imports %s", path)
		}
	}
}

// Text that is no kernel is an error, never a panic.
func FuzzEmit(f *testing.F) {
	const kernel = `#map = affine_map<(d0) -> (d0)>
"func.func"() <{sym_name = "k"}> ({
^bb0(%p: memref<*xf32>, %a: i32, %b: i32, %c: i32, %d: i32, %e: i32, %f: i32):
  %0 = "tensor.empty"() : () -> tensor<4xf32>
  %z = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
  %1:2 = "linalg.generic"(%0) <{indexing_maps = [#map], operandSegmentSizes = array<i32: 0, 1>}> ({
  ^bb0(%o: f32):
    %i = "linalg.index"() <{dim = 0 : i64}> : () -> index
    "linalg.yield"(%z) : (f32) -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>, f32)
  "func.return"() : () -> ()
}) {note = "x"} : () -> () loc("a.py":1:2)
`
	f.Add(strings.Replace(strings.Replace(kernel, "%1:2", "%1", 1), "(tensor<4xf32>, f32)",
		"tensor<4xf32>", 1))
	for _, cut := range []string{"", "%o: f32", "affine_map<", "dim = 0", "%z",
		`"linalg.yield"(%z) : (f32) -> ()`, "}", `"`,
		"array<i32: 0, 1>"} {
		f.Add(strings.Replace(kernel, cut, "", 1))
	}
	const pretty = `#blocked = #ttg.blocked<{sizePerThread = [1], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @k(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %c = arith.constant dense<0xFF800000> : tensor<4x4xf32, #blocked>
    %z = arith.constant 0 : i32
    %t = arith.constant true
    %pid = tt.get_program_id x : i32
    %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32, #blocked>
    %e = tt.expand_dims %r {axis = 1 : i32} : tensor<4xi32, #blocked> -> tensor<4x1xi32, #blocked>
    %b = tt.broadcast %e : tensor<4x1xi32, #blocked> -> tensor<4x4xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<4x4x!tt.ptr<f32>, #blocked>
    %a = tt.addptr %s, %b : tensor<4x4x!tt.ptr<f32>, #blocked>, tensor<4x4xi32, #blocked>
    %m = arith.cmpi slt, %b, %b : tensor<4x4xi32, #blocked>
    %v = tt.load %a, %m, %c cacheModifier = ca {x} : tensor<4x4x!tt.ptr<f32>, #blocked>
    %x = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%l: f32, %h: f32):
      %n = arith.addf %l, %h : f32
      tt.reduce.return %n : f32
    }) : (tensor<4x4xf32, #blocked>) -> tensor<4xf32, #blocked>
    %f = scf.for %i = %z to %pid step %pid iter_args(%q = %v) -> (tensor<4x4xf32, #blocked>) : i32 {
      %y = scf.if %t -> (tensor<4x4xf32, #blocked>) {
        scf.yield %q : tensor<4x4xf32, #blocked>
      } else {
        scf.yield %c : tensor<4x4xf32, #blocked>
      }
      scf.yield %y : tensor<4x4xf32, #blocked>
    }
    %w = arith.sitofp %b : tensor<4x4xi32, #blocked> to tensor<4x4xf32, #blocked>
    tt.store %a, %f, %m : tensor<4x4x!tt.ptr<f32>, #blocked>
    tt.return
  }
}
`
	if text, err := EmitTTGIR(&backend.Kernel{Name: "k", IR: []byte(pretty),
		Params: []backend.Param{{Name: "p"}}}); err != nil {
		f.Error(text, err)
	}
	for _, cut := range []string{"", "%q = %v", "axis = 0 : i32", "start = 0 : i32", "^bb0(%l: f32, %h: f32):",
		"slt, ",
		"%z to ", " -> (tensor<4x4xf32, #blocked>)", "4x4", "x : i32", "%l, "} {
		f.Add(strings.Replace(pretty, cut, "", 1))
	}
	f.Fuzz(func(t *testing.T, src string) {
		k := &backend.Kernel{Name: "k", IR: []byte(src),
			Params: []backend.Param{{Name: "p", Pointer: true, Type: "fp32", Bytes: 4}}}
		for _, emit := range []func(*backend.Kernel) (string, error){Emit, EmitTTGIR} {
			if text, err := emit(k); (err == nil) != (text != "") {
				t.Errorf("%q, %v", text, err)
			}
		}
	})
}
