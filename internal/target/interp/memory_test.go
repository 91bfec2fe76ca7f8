package interp

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// launch runs a kernel on buffers and returns what went wrong. Arguments are *Buffer or integers.
func launch(t testing.TB, src string, grid [3]int, opts Options, mem *Memory, args ...any) error {
	t.Helper()
	p := compileText(t, src, "k")
	bits := make([]uint64, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case *Buffer:
			bits[i] = a.Addr()
		case int:
			bits[i] = uint64(a)
		case uint64:
			bits[i] = a
		default:
			t.Fatalf("argument %d is a %T", i, a)
		}
	}
	return p.Run(context.Background(), mem, grid, bits, opts)
}

// mustLaunch is launch on a grid of its own with nothing special.
func mustLaunch(t testing.TB, src string, grid [3]int, mem *Memory, args ...any) {
	t.Helper()
	if err := launch(t, src, grid, Options{}, mem, args...); err != nil {
		t.Fatal(err)
	}
}

var one = [3]int{1, 1, 1}

const maskedLoad = `
tt.func public @k(%x: !tt.ptr<TY>, %o: !tt.ptr<TY>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %ns = tt.splat %n : i32 -> tensor<16xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<TY> -> tensor<16x!tt.ptr<TY>>
  %xp = tt.addptr %xs, %r : tensor<16x!tt.ptr<TY>>, tensor<16xi32>
  OTHER
  %v = tt.load %xp, %m USE : tensor<16x!tt.ptr<TY>>
  %os = tt.splat %o : !tt.ptr<TY> -> tensor<16x!tt.ptr<TY>>
  %op = tt.addptr %os, %r : tensor<16x!tt.ptr<TY>>, tensor<16xi32>
  tt.store %op, %v : tensor<16x!tt.ptr<TY>>
  tt.return
}`

// TestMaskedLoad: only the first ten elements exist; the others become other, or zero.
func TestMaskedLoad(t *testing.T) {
	for _, ty := range []string{"i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "f8E5M2",
		"f8E4M3FN"} {
		one := "1 : " + ty
		oneBits := uint64(1)
		if f := floatFormats[ty]; f != nil {
			one, oneBits = "1.0 : "+ty, f.Encode(1)
		}
		for _, other := range []bool{false, true} {
			src := strings.ReplaceAll(maskedLoad, "TY", ty)
			fillBits := uint64(0)
			if other {
				fillBits = oneBits
				src = strings.NewReplacer("OTHER", fmt.Sprintf("%%c = arith.constant dense<%s> : "+
					"tensor<16x%s>", strings.Split(one, " ")[0], ty), "USE", ", %c").Replace(src)
			} else {
				src = strings.NewReplacer("OTHER", "", "USE", "").Replace(src)
			}
			in := make([]uint64, 10)
			for i := range in {
				in[i] = uint64(i*5 + 40)
			}
			out := make([]byte, 16*sizeOf(ty))
			mem := NewMemory()
			mustLaunch(t, src, [3]int{1, 1, 1}, mem, mem.Alloc(pack(ty, in), "x"), mem.Alloc(out, "o"), 10)
			for i, got := range unpack(ty, out) {
				want := fillBits
				if i < 10 {
					want = in[i]
				}
				if got != want {
					t.Errorf("%s other %v element %d: got %#x, want %#x", ty, other, i, got, want)
				}
			}
		}
	}
}

// TestScatter stores in a permuted order, with some lanes masked off, and loads strided.
func TestScatter(t *testing.T) {
	const src = `
tt.func public @k(%x: !tt.ptr<f16>, %o: !tt.ptr<f16>) {
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %c3 = arith.constant dense<3> : tensor<16xi32>
  %c7 = arith.constant dense<7> : tensor<16xi32>
  %c15 = arith.constant dense<15> : tensor<16xi32>
  %i = arith.muli %r, %c3 : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %i : tensor<16x!tt.ptr<f16>>, tensor<16xi32>
  %v = tt.load %xp : tensor<16x!tt.ptr<f16>>
  %j0 = arith.muli %r, %c7 : tensor<16xi32>
  %j = arith.andi %j0, %c15 : tensor<16xi32>
  %m = arith.cmpi ne, %r, %c3 : tensor<16xi32>
  %os = tt.splat %o : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
  %op = tt.addptr %os, %j : tensor<16x!tt.ptr<f16>>, tensor<16xi32>
  tt.store %op, %v, %m : tensor<16x!tt.ptr<f16>>
  tt.return
}`
	in := make([]uint16, 48)
	for i := range in {
		in[i] = uint16(i)
	}
	out := make([]uint16, 16)
	out[5] = 999 // 3*7 mod 16, which is masked off
	mem := NewMemory()
	mustLaunch(t, src, one, mem, mem.Alloc(bytesOf(in), "x"), mem.Alloc(bytesOf(out), "o"))
	for i := range 16 {
		want := uint16(3 * i)
		if i == 3 {
			want = 999
		}
		if out[7*i%16] != want {
			t.Errorf("element %d: got %d, want %d", i, out[7*i%16], want)
		}
	}
}

// TestPointersInMemory: pointers are loaded, stored, turned into integers and back.
func TestPointersInMemory(t *testing.T) {
	const src = `
tt.func public @k(%pp: !tt.ptr<i64>, %o: !tt.ptr<i64>) {
  %i = tt.load %pp : !tt.ptr<i64>
  %p = tt.int_to_ptr %i : i64 -> !tt.ptr<f32>
  %c2 = arith.constant 2 : i64
  %q = tt.addptr %p, %c2 : !tt.ptr<f32>, i64
  %v = tt.load %q : !tt.ptr<f32>
  %w = arith.addf %v, %v : f32
  tt.store %q, %w : !tt.ptr<f32>
  %b = tt.bitcast %q : !tt.ptr<f32> -> !tt.ptr<i8>
  %j = tt.ptr_to_int %b : !tt.ptr<i8> -> i64
  tt.store %o, %j : !tt.ptr<i64>
  tt.return
}`
	x := []float32{1, 2, 3, 4}
	mem := NewMemory()
	b := mem.Alloc(bytesOf(x), "x")
	pp, out := []uint64{b.Addr()}, []uint64{0}
	mustLaunch(t, src, one, mem, mem.Alloc(bytesOf(pp), "pp"), mem.Alloc(bytesOf(out), "o"))
	if x[2] != 6 || out[0] != b.Addr()+8 {
		t.Errorf("x = %v, pointer %#x, want %#x", x, out[0], b.Addr()+8)
	}
}

func TestFree(t *testing.T) {
	const src = `
tt.func public @k(%x: !tt.ptr<i32>) {
  %v = tt.load %x : !tt.ptr<i32>
  tt.store %x, %v : !tt.ptr<i32>
  tt.return
}`
	mem := NewMemory()
	b := mem.Alloc(make([]byte, 4), "x")
	mustLaunch(t, src, one, mem, b)
	mem.Free(b)
	err := launch(t, src, one, Options{}, mem, b)
	if err == nil || !strings.Contains(err.Error(), `offset 0 of buffer "x", which was freed`) {
		t.Error(err)
	}
	for range keepFreed + 2 { // regions are used again in the end
		mem.Free(mem.Alloc(nil, "y"))
	}
	if n := len(mem.table()); n > keepFreed+2 {
		t.Errorf("%d regions", n)
	}
}

const histogramKernel = `
tt.func public @k(%x: !tt.ptr<TY>, %o: !tt.ptr<TY>, %old: !tt.ptr<TY>) {
  %pid = tt.get_program_id x : i32
  %r = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %c8 = arith.constant 8 : i32
  %base = arith.muli %pid, %c8 : i32
  %bs = tt.splat %base : i32 -> tensor<8xi32>
  %i = arith.addi %bs, %r : tensor<8xi32>
  %xs = tt.splat %x : !tt.ptr<TY> -> tensor<8x!tt.ptr<TY>>
  %xp = tt.addptr %xs, %i : tensor<8x!tt.ptr<TY>>, tensor<8xi32>
  %v = tt.load %xp : tensor<8x!tt.ptr<TY>>
  %c7 = arith.constant dense<7> : tensor<8xi32>
  %m = arith.cmpi ne, %r, %c7 : tensor<8xi32>
  %os = tt.splat %o : !tt.ptr<TY> -> tensor<8x!tt.ptr<TY>>
  %d = tt.atomic_rmw RMW, acq_rel, gpu, %os, %v, %m
      : (tensor<8x!tt.ptr<TY>>, tensor<8xTY>, tensor<8xi1>) -> tensor<8xTY>
  %ds = tt.splat %old : !tt.ptr<TY> -> tensor<8x!tt.ptr<TY>>
  %dp = tt.addptr %ds, %i : tensor<8x!tt.ptr<TY>>, tensor<8xi32>
  tt.store %dp, %d : tensor<8x!tt.ptr<TY>>
  tt.return
}`

// TestAtomicRMW: many programs combine into one element; the last lane of each is masked off.
func TestAtomicRMW(t *testing.T) {
	intOps := map[string]func(a, b int64) int64{
		"add": func(a, b int64) int64 {
			return a + b
		}, "and": func(a, b int64) int64 { return a & b }, "or": func(a, b int64) int64 { return a | b },
		"xor": func(a, b int64) int64 {
			return a ^ b
		}, "max": func(a, b int64) int64 {
			return max(a, b)
		}, "min": func(a, b int64) int64 { return min(a, b) },
		"umax": func(a, b int64) int64 {
			return int64(max(uint64(a), uint64(b)))
		}, "umin": func(a, b int64) int64 { return int64(min(uint64(a), uint64(b))) },
	}
	const programs = 50
	for op, f := range intOps {
		for _, width := range []int{32, 64} {
			ty := fmt.Sprintf("i%d", width)
			in := make([]uint64, programs*8)
			first := uint64(0x55)
			want := signExtend(first, width)
			for i := range in {
				in[i] = uint64(i*0x9e3779b97f4a7c) >> 3
				if i%8 != 7 {
					v := signExtend(in[i], width)
					if op[0] == 'u' && width == 32 {
						v = int64(uint32(v))
					}
					want = f(want, v)
				}
			}
			out, old := pack(ty, []uint64{first}), make([]byte, programs*8*sizeOf(ty))
			mem := NewMemory()
			src := strings.NewReplacer("TY", ty, "RMW", op).Replace(histogramKernel)
			mustLaunch(t, src, [3]int{programs, 1, 1}, mem, mem.Alloc(pack(ty, in), "x"), mem.Alloc(out, "o"),
				mem.Alloc(old, "old"))
			if got := unpack(ty, out)[0]; got != uint64(want)<<(64-width)>>(64-width) {
				t.Errorf("%s %s: got %#x, want %#x", op, ty, got, want)
			}
		}
	}
	for ty, f := range floatFormats {
		if f.Bits < 16 {
			continue
		}
		in := make([]uint64, programs*8)
		for i := range in {
			in[i] = f.Encode(float64(i % 3))
		}
		want := 0.0
		for i := range in {
			if i%8 != 7 {
				want += float64(i % 3)
			}
		}
		if ty == "bf16" { // 256 is as far as it counts
			want = 256
		}
		out, old := make([]byte, sizeOf(ty)), make([]byte, programs*8*sizeOf(ty))
		mem := NewMemory()
		src := strings.NewReplacer("TY", ty, "RMW", "fadd").Replace(histogramKernel)
		mustLaunch(t, src, [3]int{programs, 1, 1}, mem, mem.Alloc(pack(ty, in), "x"), mem.Alloc(out, "o"),
			mem.Alloc(old, "old"))
		if got := f.Decode(unpack(ty, out)[0]); got < want || ty != "bf16" && got != want {
			t.Errorf("fadd %s: got %v, want %v", ty, got, want)
		}
	}
}

func TestAtomicReturnsOld(t *testing.T) {
	for _, ty := range []string{"i32", "i64", "f16", "f32", "f64"} {
		src := fmt.Sprintf(`
tt.func public @k(%%p: !tt.ptr<%[1]s>, %%x: !tt.ptr<%[1]s>, %%o: !tt.ptr<%[1]s>) {
  %%v = tt.load %%x : !tt.ptr<%[1]s>
  %%d = tt.atomic_rmw exch, relaxed, sys, %%p, %%v : (!tt.ptr<%[1]s>, %[1]s) -> %[1]s
  tt.store %%o, %%d : !tt.ptr<%[1]s>
  tt.return
}`, ty)
		p, x, o := pack(ty, []uint64{17}), pack(ty, []uint64{23}), make([]byte, sizeOf(ty))
		mem := NewMemory()
		mustLaunch(t, src, one, mem, mem.Alloc(p, "p"), mem.Alloc(x, "x"), mem.Alloc(o, "o"))
		if unpack(ty, p)[0] != 23 || unpack(ty, o)[0] != 17 {
			t.Errorf("%s: memory %d, result %d", ty, unpack(ty, p)[0], unpack(ty, o)[0])
		}
	}
}

// TestSpinLock: programs take a lock in turn, more of them than workers; the critical section is not atomic
// by itself.
func TestSpinLock(t *testing.T) {
	const src = `
tt.func public @k(%lock: !tt.ptr<i32>, %count: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.while : () -> () {
    %old = tt.atomic_cas acq_rel, gpu, %lock, %c0, %c1 : (!tt.ptr<i32>, i32, i32) -> i32
    %busy = arith.cmpi ne, %old, %c0 : i32
    scf.condition(%busy)
  } do {
    scf.yield
  }
  %v = tt.load %count : !tt.ptr<i32>
  %w = arith.addi %v, %c1 : i32
  tt.store %count, %w : !tt.ptr<i32>
  %free = tt.atomic_rmw exch, acq_rel, gpu, %lock, %c0 : (!tt.ptr<i32>, i32) -> i32
  tt.return
}`
	lock, count := []int32{0}, []int32{0}
	mem := NewMemory()
	mustLaunch(t, src, [3]int{100, 3, 2}, mem, mem.Alloc(bytesOf(lock), "lock"),
		mem.Alloc(bytesOf(count), "count"))
	if count[0] != 600 || lock[0] != 0 {
		t.Errorf("count %d, lock %d", count[0], lock[0])
	}
}

// TestGridBarrier: every program waits for all others, so all must run at once, however few the workers.
func TestGridBarrier(t *testing.T) {
	const src = `
tt.func public @k(%count: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = tt.get_num_programs x : i32
  %mine = tt.atomic_rmw add, acq_rel, gpu, %count, %c1 : (!tt.ptr<i32>, i32) -> i32
  scf.while : () -> () {
    %seen = tt.atomic_rmw add, acq_rel, gpu, %count, %c0 : (!tt.ptr<i32>, i32) -> i32
    %wait = arith.cmpi slt, %seen, %n : i32
    scf.condition(%wait)
  } do {
    scf.yield
  }
  %pid = tt.get_program_id x : i32
  %p = tt.addptr %out, %pid : !tt.ptr<i32>, i32
  tt.store %p, %n : !tt.ptr<i32>
  tt.return
}`
	count, out := []int32{0}, make([]int32, 64)
	mem := NewMemory()
	p := compileText(t, src, "k")
	args := []uint64{mem.Alloc(bytesOf(count), "count").Addr(), mem.Alloc(bytesOf(out), "out").Addr()}
	if err := p.Run(context.Background(), mem, [3]int{64, 1, 1}, args, Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	for i, v := range out {
		if v != 64 {
			t.Errorf("program %d stored %d", i, v)
		}
	}
}

// The cost of a buffer does not grow with the number of those that live, and a kernel that runs keeps the
// table it began with.
func TestManyBuffers(t *testing.T) {
	const n = 20_000
	m := NewMemory()
	m.Alloc(make([]byte, 8), "first")
	began := m.table()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		m.Alloc(nil, "")
	}
	runtime.ReadMemStats(&after)
	// a table copied for each takes 80,000
	if each := (after.TotalAlloc - before.TotalAlloc) / n; each > 1000 {
		t.Errorf("each buffer takes %d bytes", each)
	}
	if len(began) != 1 || find(began, 2<<regionBits) != nil || find(m.table(), n<<regionBits) == nil {
		t.Errorf("tables of %d and %d buffers", len(began), len(m.table()))
	}
}
