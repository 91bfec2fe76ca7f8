package cpu_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/stray"
	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/cpu"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// device is the CPU with a compiler, through the LLVM that is found, or the one at a path.
func testDevice(t testing.TB, path string, c cpu.Compiler) *cpu.Device {
	t.Helper()
	lib, err := llvm.Load()
	if path != "" {
		lib, err = llvm.Open(path)
	}
	txtest.NeedFound(t, "llvm", err)
	return cpu.New(lib, c)
}

func build(t testing.TB, d *cpu.Device, text string) target.Executable {
	t.Helper()
	k, err := compile(d, text)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	return k
}

func compile(d *cpu.Device, text string) (target.Executable, error) {
	m, err := ir.Parse(diag.NewFileSet(), "kernel.mlir", []byte(text))
	if err != nil {
		return nil, err
	}
	return d.Compile(context.Background(), &target.Input{Module: m, Kernel: "k",
		Options: target.Options{}.Defaults()})
}

func alloc(t testing.TB, d *cpu.Device, size int) target.Buffer {
	t.Helper()
	b, err := d.Alloc(size)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func words(args ...any) []uint64 {
	var out []uint64
	for _, a := range args {
		switch a := a.(type) {
		case target.Buffer:
			out = append(out, a.Addr())
		case int:
			out = append(out, uint64(uint32(a)))
		case uint64:
			out = append(out, a)
		}
	}
	return out
}

// launch launches a kernel on words and buffers, and tells it the bounds of these.
func launch(ctx context.Context, k target.Executable, grid [3]int, args ...any) error {
	var mem []target.Memory
	for i, a := range args {
		if b, ok := a.(target.Buffer); ok {
			end := b.Addr() + uint64(b.Size())
			mem = append(mem, target.Memory{Word: i, Lo: b.Addr(), Hi: end, Base: b.Addr(), End: end})
		}
	}
	return k.(target.Bounded).LaunchBounded(ctx, nil, grid, words(args...), mem)
}

// loadStore copies four numbers in each program, a block of two by two.
const loadStore = `
#f = loc("kernel.py":12:4)
#g = loc("kernel.py":14:8)
#h = loc("kernel.py":15:4)
#main = loc("kernel.py":30:11)
#call = loc(callsite("x"(#f) at #main))
module {
tt.func public @k(%x: !tt.ptr<i32>, %o: !tt.ptr<i32>, %off: i32) {
  %pid = tt.get_program_id x : i32
  %c4 = arith.constant 4 : i32
  %base0 = arith.muli %pid, %c4 : i32
  %base = arith.addi %base0, %off : i32
  %r = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %bs = tt.splat %base : i32 -> tensor<4xi32>
  %i = arith.addi %bs, %r : tensor<4xi32>
  %i2 = tt.reshape %i : tensor<4xi32> -> tensor<2x2xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<2x2x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %i2 : tensor<2x2x!tt.ptr<i32>>, tensor<2x2xi32>
  %v = tt.load %xp : tensor<2x2x!tt.ptr<i32>> loc(#call)
  %os = tt.splat %o : !tt.ptr<i32> -> tensor<2x2x!tt.ptr<i32>>
  %op = tt.addptr %os, %i2 : tensor<2x2x!tt.ptr<i32>>, tensor<2x2xi32>
  tt.store %op, %v : tensor<2x2x!tt.ptr<i32>> loc(#g)
  tt.return loc(#h)
}
}`

// wantFault compares the whole message.
func wantFault(t *testing.T, err error, want string) {
	t.Helper()
	want = strings.TrimSpace(want)
	var f *stray.Fault
	switch {
	case err == nil:
		t.Errorf("no fault, want\n%s", want)
	case !errors.As(err, &f) || err.Error() != want:
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// TestChecked: an access out of bounds stops a checked kernel, and what lies beyond the buffer stays as it
// was.
func TestChecked(t *testing.T) {
	d := testDevice(t, "", cpu.Compiler{Check: true})
	k := build(t, d, loadStore)
	run := func(n int, args ...any) error { return launch(t.Context(), k, [3]int{n, 1, 1}, args...) }
	x, o := alloc(t, d, 40), alloc(t, d, 48)
	if err := run(2, x, o, 0); err != nil {
		t.Fatal(err)
	}
	wantFault(t, run(3, x, o, 0), `
kernel.py:12:5: out of bounds load of 4 bytes at offset 40 of x (40 bytes)
    bufferization.to_tensor in k, program (2, 0, 0)
    called at kernel.py:30:12`)
	wantFault(t, run(1, o, x, -1), `
kernel.py:12:5: out of bounds load of 4 bytes at offset -4 of x (48 bytes)
    bufferization.to_tensor in k, program (0, 0, 0)
    called at kernel.py:30:12`)
	wantFault(t, run(1, uint64(0), o, 0), `
kernel.py:12:5: out of bounds load of 4 bytes at address 0x0: x is null
    bufferization.to_tensor in k, program (0, 0, 0)
    called at kernel.py:30:12`)

	// Both buffers are parts of one piece of memory, so that an access that is not checked goes from one to
	// the other.
	mem := alloc(t, d, 160)
	all := mem.Host()
	mem.Close()
	big, _ := d.Wrap(all[:64])
	small, _ := d.Wrap(all[64:88])
	copy(all[88:], bytes.Repeat([]byte{7}, 72))
	wantFault(t, run(2, big, small, 0), `
kernel.py:14:9: out of bounds store of 4 bytes at offset 24 of o (24 bytes)
    bufferization.materialize_in_destination in k, program (1, 0, 0)`)
	if !bytes.Equal(all[88:], bytes.Repeat([]byte{7}, 72)) {
		t.Error("a store went beyond its buffer")
	}
}

// TestCheckedMasks: what a mask excludes is no access; what it does not is.
func TestCheckedMasks(t *testing.T) {
	const text = `tt.func public @k(%x: !tt.ptr<f32>, %idx: !tt.ptr<i32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %is = tt.splat %idx : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %ip = tt.addptr %is, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %i = tt.load %ip, %m : tensor<64x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %old = tt.atomic_rmw fadd, relaxed, gpu, %xp, %one, %m
      : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> tensor<64xf32>
  tt.return
}`
	d := testDevice(t, "", cpu.Compiler{Check: true})
	k := build(t, d, text)
	x, idx := alloc(t, d, 4*10), alloc(t, d, 4*50)
	for i := range 50 {
		binary.LittleEndian.PutUint32(idx.Host()[4*i:], uint32(i%10))
	}
	run := func(n int) error { return launch(t.Context(), k, [3]int{1, 1, 1}, x, idx, n) }
	if err := run(50); err != nil {
		t.Error(err)
	}
	if err := run(51); err == nil || !strings.Contains(err.Error(),
		"load of 4 bytes at offset 200 of idx (200 bytes)") {
		t.Errorf("%v", err)
	}
	binary.LittleEndian.PutUint32(idx.Host()[4*20:], 10)
	if err := run(50); err == nil || !strings.Contains(err.Error(),
		"atomic of 4 bytes at offset 40 of x (40 bytes)") {
		t.Errorf("%v", err)
	}
}

// TestCheckedGather: places that are data, with an address of one element each.
func TestCheckedGather(t *testing.T) {
	const text = `tt.func public @k(%x: !tt.ptr<f32>, %idx: !tt.ptr<i32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %is = tt.splat %idx : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %ip = tt.addptr %is, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %i = tt.load %ip : tensor<64x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xp : tensor<64x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %yp, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}`
	d := testDevice(t, "", cpu.Compiler{Check: true})
	k := build(t, d, text)
	idx := alloc(t, d, 4*64)
	for i := range 64 {
		binary.LittleEndian.PutUint32(idx.Host()[4*i:], uint32(63-i))
	}
	for _, c := range []struct {
		x, y int
		want string
	}{
		{64, 64, ""},
		{63, 64, "load of 4 bytes at offset 252 of x (252 bytes)"},
		{64, 60, "store of 4 bytes at offset 252 of y (240 bytes)"},
	} {
		err := launch(t.Context(), k, [3]int{1, 1, 1}, alloc(t, d, 4*c.x), idx, alloc(t, d, 4*c.y))
		if c.want == "" && err != nil || c.want != "" &&
			(err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d, %d: %v, want %q", c.x, c.y, err, c.want)
		}
	}
}

// TestAssert: a failed assertion stops the launch, checked or not.
func TestAssert(t *testing.T) {
	const text = `
#a = loc("kernel.py":7:8)
tt.func public @k(%x: !tt.ptr<i32>, %n: i32) {
  %pid = tt.get_program_id y : i32
  %c = arith.cmpi slt, %pid, %n : i32
  tt.assert %c, "too many programs" : i1 loc(#a)
  %p = tt.addptr %x, %pid : !tt.ptr<i32>, i32
  tt.store %p, %pid : !tt.ptr<i32>
  tt.return
}`
	for _, check := range []bool{false, true} {
		d := testDevice(t, "", cpu.Compiler{Check: check})
		k := build(t, d, text)
		x := alloc(t, d, 64)
		if err := launch(t.Context(), k, [3]int{1, 4, 1}, x, 4); err != nil {
			t.Error(err)
		}
		wantFault(t, launch(t.Context(), k, [3]int{1, 4, 1}, x, 3), `
kernel.py:7:9: assertion failed: too many programs
    cf.assert in k, program (0, 3, 0)`)
	}
}

// TestPrint: device_print writes what Triton writes.
func TestPrint(t *testing.T) {
	const text = `tt.func public @k(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  %v = tt.load %xp : tensor<4x!tt.ptr<f32>>
  %two = arith.constant dense<2.0> : tensor<4xf32>
  %w = arith.mulf %v, %two : tensor<4xf32>
  %m = tt.reshape %r : tensor<4xi32> -> tensor<2x2xi32>
  tt.print " twice: " {hex = false, isSigned = array<i32: 0, 1>} : %w, %m : tensor<4xf32>, tensor<2x2xi32>
  tt.print " n: " {hex = false, isSigned = array<i32: 1>} : %n : i32
  tt.print " bits: " {hex = true, isSigned = array<i32: 1>} : %n : i32
  tt.print " done" {hex = false, isSigned = array<i32>}
  tt.return
}`
	d := testDevice(t, "", cpu.Compiler{})
	k := build(t, d, text)
	x := alloc(t, d, 16)
	for i, bits := range []uint32{0x3f000000, 0xbf800000, 0x7f800000, 0x42c80000} { // 0.5, -1, inf, 100
		binary.LittleEndian.PutUint32(x.Host()[4*i:], bits)
	}
	var out bytes.Buffer
	device.PrintTo(&out)
	defer device.PrintTo(nil)
	if err := launch(t.Context(), k, [3]int{1, 1, 1}, x, -5); err != nil {
		t.Fatal(err)
	}
	const want = `pid (0, 0, 0) idx (0) twice: (operand 0) 1.000000
pid (0, 0, 0) idx (1) twice: (operand 0) -2.000000
pid (0, 0, 0) idx (2) twice: (operand 0) inf
pid (0, 0, 0) idx (3) twice: (operand 0) 200.000000
pid (0, 0, 0) idx (0, 0) twice: (operand 1) 0
pid (0, 0, 0) idx (0, 1) twice: (operand 1) 1
pid (0, 0, 0) idx (1, 0) twice: (operand 1) 2
pid (0, 0, 0) idx (1, 1) twice: (operand 1) 3
pid (0, 0, 0) idx () n: -5
pid (0, 0, 0) idx () bits: 0xfffffffb
pid (0, 0, 0) done
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// spin takes a while in each program.
const spin = `tt.func public @k(%x: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %x {isVolatile = true} : !tt.ptr<i32>
    %w = arith.addi %v, %c1 : i32
    tt.store %x, %w : !tt.ptr<i32>
  }
  tt.return
}`

// TestCancel: a launch ends soon after its context does, and the device works on.
func TestCancel(t *testing.T) {
	d := testDevice(t, "", cpu.Compiler{})
	k := build(t, d, spin)
	x := alloc(t, d, 4)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	start := time.Now()
	err := launch(ctx, k, [3]int{1 << 22, 1, 1}, x, 2000) // minutes, if nobody stopped it
	if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took > 5*time.Second {
		t.Errorf("%v after %v", err, took)
	}
	var wg sync.WaitGroup
	for range 8 { // several launches at once, all of them cancelled
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(5*time.Millisecond, cancel)
			if err := launch(ctx, k, [3]int{1 << 22, 1, 1}, x, 2000); !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		})
	}
	wg.Wait()
	if err := launch(t.Context(), k, [3]int{4, 1, 1}, x, 1); err != nil {
		t.Error(err)
	}
}

// scale is a kernel that multiplies by a constant of its own.
func scale(by int) string {
	return fmt.Sprintf(`tt.func public @k(%%x: !tt.ptr<i32>, %%n: i32) {
  %%r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %%ns = tt.splat %%n : i32 -> tensor<128xi32>
  %%m = arith.cmpi slt, %%r, %%ns : tensor<128xi32>
  %%xs = tt.splat %%x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %%xp = tt.addptr %%xs, %%r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %%v = tt.load %%xp, %%m : tensor<128x!tt.ptr<i32>>
  %%c = arith.constant dense<%d> : tensor<128xi32>
  %%w = arith.muli %%v, %%c : tensor<128xi32>
  tt.store %%xp, %%w, %%m : tensor<128x!tt.ptr<i32>>
  tt.return
}`, by)
}

// scales compiles such a kernel and runs it on 100 numbers.
func scales(d *cpu.Device, by int) error {
	k, err := compile(d, scale(by))
	if err != nil {
		return err
	}
	defer k.Close()
	x, err := d.Alloc(4 * 100)
	if err != nil {
		return err
	}
	for i := range 100 {
		binary.LittleEndian.PutUint32(x.Host()[4*i:], uint32(i))
	}
	if err := launch(context.Background(), k, [3]int{1, 1, 1}, x, 100); err != nil {
		return err
	}
	for i := range 100 {
		if got := binary.LittleEndian.Uint32(x.Host()[4*i:]); got != uint32(i*by) {
			return fmt.Errorf("element %d is %d, not %d", i, got, i*by)
		}
	}
	return nil
}

// TestConcurrentCompiles: two devices, of one library each or of the same, compile at once.
func TestConcurrentCompiles(t *testing.T) {
	a, b := testDevice(t, "", cpu.Compiler{}), testDevice(t, "", cpu.Compiler{Check: true, Lines: true})
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			d := a
			if i%2 == 1 {
				d = b
			}
			if err := scales(d, i+2); err != nil {
				t.Errorf("kernel %d: %v", i, err)
			}
		})
	}
	wg.Wait()
}

// versions are the versions of LLVM that a test looks for, and where.
var versions = map[int][]string{
	19: {"/usr/lib/x86_64-linux-gnu/libLLVM.so.19.1", "/usr/lib/llvm-19/lib/libLLVM.so.19.1",
		"libLLVM.so.19.1", "libLLVM-19.so"},
	22: {"/usr/lib/x86_64-linux-gnu/libLLVM.so.22.1", "/usr/lib/llvm-22/lib/libLLVM.so.22.1",
		"libLLVM.so.22.1", "libLLVM-22.so"},
}

// samples are kernels of the repository that use much of what there is.
var samples = map[string]string{
	"softmax_f16_2048": "softmax_kernel", "matmul_bf16_relu": "matmul_kernel",
	"attention_d64": "attention_kernel", "dropout_f32": "dropout_kernel",
	"layer_norm_f16": "layer_norm_kernel", "total_sum_f32": "total_sum_kernel",
}

// TestVersions: kernels compile and run with LLVM 19 and 22.
func TestVersions(t *testing.T) {
	for v, paths := range versions {
		t.Run(fmt.Sprint(v), func(t *testing.T) {
			var lib *llvm.Lib
			var err error
			for _, p := range paths {
				if lib, err = llvm.Open(p); err == nil {
					break
				}
			}
			txtest.NeedFound(t, fmt.Sprintf("llvm-%d", v), err)
			if got := lib.Version().Major; got != v {
				t.Fatalf("LLVM %d at a place for %d", got, v)
			}
			for _, c := range []cpu.Compiler{{}, {Check: true}, {Lines: true}} {
				if err := scales(cpu.New(lib, c), 3); err != nil {
					t.Errorf("%+v: %v", c, err)
				}
			}
			d := cpu.New(lib, cpu.Compiler{})
			for file, kernel := range samples {
				m, err := ir.Parse(diag.NewFileSet(), file,
					[]byte(txtest.Read(t, txtest.Path(t, "testdata", "golden", "cuda-90", file+".ttir"))))
				if err != nil {
					t.Fatal(err)
				}
				k, err := d.Compile(t.Context(),
					&target.Input{Module: m, Kernel: kernel, Options: target.Options{}.Defaults()})
				if err != nil {
					t.Errorf("%s: %v", file, err)
					continue
				}
				k.Close()
			}
		})
	}
}
