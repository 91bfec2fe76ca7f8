package llvm

import (
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/txtest"
)

const addIR = `
define i64 @add(i64 %a, i64 %b) {
  %c = add i64 %a, %b
  ret i64 %c
}

define i64 @sum(ptr %p, i64 %n) {
entry:
  %none = icmp eq i64 %n, 0
  br i1 %none, label %done, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi i64 [ 0, %entry ], [ %t, %loop ]
  %q = getelementptr i64, ptr %p, i64 %i
  %v = load i64, ptr %q
  %t = add i64 %s, %v
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  %r = phi i64 [ 0, %entry ], [ %t, %loop ]
  ret i64 %r
}
`

func TestJIT(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		j := host(t, lib, addIR, JITOptions{})
		add, sum := lookup(t, j, "add"), lookup(t, j, "sum")
		if got := Call(add, 40, 2); got != 42 {
			t.Errorf("add(40, 2) = %d", got)
		}
		numbers := make([]int64, 1000)
		want := uintptr(0)
		for i := range numbers {
			numbers[i] = int64(i * i)
			want += uintptr(i * i)
		}
		if got := Call(sum, uintptr(unsafe.Pointer(&numbers[0])), uintptr(len(numbers))); got != want {
			t.Errorf("sum = %d, want %d", got, want)
		}
		if got := Call(sum, 0, 0); got != 0 {
			t.Errorf("sum of nothing = %d", got)
		}
	})
}

const vectorAddIR = `
define void @vector_add(ptr noalias %x, ptr noalias %y, ptr noalias %z, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %px = getelementptr float, ptr %x, i64 %i
  %py = getelementptr float, ptr %y, i64 %i
  %pz = getelementptr float, ptr %z, i64 %i
  %a = load float, ptr %px
  %b = load float, ptr %py
  %c = fadd float %a, %b
  store float %c, ptr %pz
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
`

func TestVectorAdd(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		j := host(t, lib, vectorAddIR, JITOptions{})
		fn := lookup(t, j, "vector_add")
		const n = 1003
		x, y, z := make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range x {
			x[i], y[i] = float32(i), float32(i)/2
		}
		Call(fn, address(x), address(y), address(z), n)
		for i := range z {
			if z[i] != x[i]+y[i] {
				t.Fatalf("z[%d] = %v, want %v", i, z[i], x[i]+y[i])
			}
		}
		runtime.KeepAlive(x)
		runtime.KeepAlive(y)
	})
}

func address[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }

func TestVectorized(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		txtest.Need(t, "llvm", lib.need("X86"))
		opts := Options{Target: Target{Triple: "x86_64-unknown-linux-gnu", CPU: "haswell"}}
		if asm := string(compile(t, lib, vectorAddIR, opts).Asm); !strings.Contains(asm, "vaddps") {
			t.Errorf("no vaddps at O3 in\n%s", asm)
		}
		opts.Level = O1
		if asm := string(compile(t, lib, vectorAddIR, opts).Asm); strings.Contains(asm, "vaddps") {
			t.Errorf("vaddps at O1")
		}
	})
}

const callbackIR = `
declare i64 @from_go(i64, i64)
@table = external global [4 x i64]

define i64 @apply(i64 %a) {
  %p = getelementptr [4 x i64], ptr @table, i64 0, i64 2
  %v = load i64, ptr %p
  %r = call i64 @from_go(i64 %a, i64 %v)
  ret i64 %r
}
`

var (
	goCalls   [][2]uintptr
	fromGo    = sync.OnceValue(func() uintptr { return NewCallback(recordCall) })
	goTable   = [4]int64{5, 6, 7, 8}
	callsLock sync.Mutex
)

func recordCall(a, b uintptr) uintptr {
	callsLock.Lock()
	defer callsLock.Unlock()
	goCalls = append(goCalls, [2]uintptr{a, b})
	return a * b
}

func TestJITSymbols(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		symbols := map[string]uintptr{"from_go": fromGo(), "table": uintptr(unsafe.Pointer(&goTable))}
		fn := lookup(t, host(t, lib, callbackIR, JITOptions{Symbols: symbols}), "apply")
		if got := Call(fn, 6); got != 42 {
			t.Errorf("apply(6) = %d, want 42", got)
		}
		if len(goCalls) == 0 || goCalls[len(goCalls)-1] != [2]uintptr{6, 7} {
			t.Errorf("Go was called with %v", goCalls)
		}
	})
}

func TestJITMissingSymbol(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		j := host(t, lib, callbackIR,
			JITOptions{Symbols: map[string]uintptr{"table": uintptr(unsafe.Pointer(&goTable))}})
		_, err := j.Lookup("apply")
		if err == nil || !strings.Contains(err.Error(), "from_go") {
			t.Errorf("Lookup: %v", err)
		}
		if _, err := j.Lookup("not_there"); err == nil || !strings.Contains(err.Error(), "not_there") {
			t.Errorf("Lookup of a function that is not there: %v", err)
		}
	})
}

// The code calls into libc and libm without being told where they are.
func TestJITProcessSymbols(t *testing.T) {
	const ir = `
declare double @cbrt(double)
declare ptr @memchr(ptr, i32, i64)
define i64 @f(ptr %p) {
  %x = load double, ptr %p
  %y = call double @cbrt(double %x)
  %n = fptosi double %y to i64
  ret i64 %n
}
define ptr @g(ptr %p) {
  %q = call ptr @memchr(ptr %p, i32 64, i64 8)
  ret ptr %q
}`
	each(t, func(t *testing.T, lib *Lib) {
		j := host(t, lib, ir, JITOptions{})
		x := []float64{27}
		if got := Call(lookup(t, j, "f"), address(x)); got != 3 {
			t.Errorf("cbrt(27) = %d", got)
		}
		if got := Call(lookup(t, j, "g"), address(x)); got != address(x)+7 && got != 0 {
			t.Errorf("memchr is off by %d", got-address(x))
		}
	})
}

func TestJITListeners(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		dir := t.TempDir()
		t.Setenv("JITDUMPDIR", dir) // where the dump for perf goes, read once by each LLVM
		for _, opts := range []JITOptions{{GDB: true}, {Perf: true}, {GDB: true, Perf: true}} {
			if got := Call(lookup(t, host(t, lib, addIR, opts), "add"), 1, 2); got != 3 {
				t.Errorf("%+v: add(1, 2) = %d", opts, got)
			}
		}
		if lib.raw.perfListener == nil || lib.raw.perfListener() == 0 {
			txtest.LeftOut(t, "this LLVM has no listener for perf")
		}
		dumps, _ := filepath.Glob(filepath.Join(dir, ".debug", "jit", "*", "jit-*.dump"))
		if len(dumps) != 1 {
			t.Errorf("the dumps for perf are %q", dumps)
		}
	})
}

func TestJITClose(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		j := host(t, lib, addIR, JITOptions{})
		for range 2 {
			if err := j.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}
		if _, err := j.Lookup("add"); err == nil {
			t.Error("Lookup works after Close")
		}
	})
}

func TestJITBrokenObject(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		for _, obj := range []string{"", "not an object", "\x7fELF\x02\x01\x01"} {
			j, err := lib.JIT([]byte(obj), JITOptions{})
			if err == nil {
				_, err = j.Lookup("f")
				j.Close()
			}
			if err == nil {
				t.Errorf("%q is an object file", obj)
			}
		}
	})
}

func TestCallAllocatesNothing(t *testing.T) {
	j := host(t, load(t), addIR, JITOptions{})
	add := lookup(t, j, "add")
	args := []uintptr{1, 2}
	if n := testing.AllocsPerRun(100, func() { Call(add, args...) }); n != 0 {
		t.Errorf("Call allocates %v times", n)
	}
}

func BenchmarkCall(b *testing.B) {
	j := host(b, load(b), addIR, JITOptions{})
	add := lookup(b, j, "add")
	args := []uintptr{1, 2}
	b.ReportAllocs()
	for b.Loop() {
		Call(add, args...)
	}
}

func BenchmarkJIT(b *testing.B) {
	lib := load(b)
	obj := compile(b, lib, vectorAddIR, Options{Target: lib.HostTarget(), Emit: EmitObj}).Obj
	for b.Loop() {
		j, err := lib.JIT(obj, JITOptions{})
		if err != nil {
			b.Fatal(err)
		}
		lookup(b, j, "vector_add")
		if err := j.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
