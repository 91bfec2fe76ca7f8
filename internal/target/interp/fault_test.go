package interp

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

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

// wantFault runs a kernel and compares the whole message.
func wantFault(t *testing.T, err error, want string) {
	t.Helper()
	want = strings.TrimSpace(want)
	if err == nil {
		t.Fatalf("no fault, want\n%s", want)
	}
	var f *Fault
	if !errors.As(err, &f) || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestOutOfBounds(t *testing.T) {
	mem := NewMemory()
	x, o := mem.Alloc(make([]byte, 40), "x_ptr"), mem.Alloc(make([]byte, 48), "o_ptr")
	for range 20 { // program 3 fails too; the lowest one is reported, whoever is first
		wantFault(t, launch(t, loadStore, [3]int{4, 1, 1}, Options{Workers: 4}, mem, x, o, 0), `
kernel.py:12:5: out of bounds load of 4 bytes at offset 40 of buffer "x_ptr" (40 bytes), element (1, 0)
    tt.load in k, program (2, 0, 0)
    called at kernel.py:30:12`)
	}
	wantFault(t, launch(t, loadStore, one, Options{}, mem, o, x, -1), `
kernel.py:12:5: out of bounds load of 4 bytes at offset -4 of buffer "o_ptr" (48 bytes), element (0, 0)
    tt.load in k, program (0, 0, 0)
    called at kernel.py:30:12`)
	big := mem.Alloc(make([]byte, 4096), "big")
	wantFault(t, launch(t, loadStore, one, Options{}, mem, big, o, 11), `
kernel.py:14:9: out of bounds store of 4 bytes at offset 48 of buffer "o_ptr" (48 bytes), element (0, 1)
    tt.store in k, program (0, 0, 0)`)
}

func TestBadPointers(t *testing.T) {
	mem := NewMemory()
	o := mem.Alloc(make([]byte, 48), "o")
	wantFault(t, launch(t, loadStore, one, Options{}, mem, 0, o, 0), `
kernel.py:12:5: load of 4 bytes at a null pointer, element (0, 0)
    tt.load in k, program (0, 0, 0)
    called at kernel.py:30:12`)
	wantFault(t, launch(t, loadStore, one, Options{}, mem, 0x1234, o, 0), `
kernel.py:12:5: load of 4 bytes at address 0x1234, where there is no buffer, element (0, 0)
    tt.load in k, program (0, 0, 0)
    called at kernel.py:30:12`)
	wantFault(t, launch(t, loadStore, one, Options{}, mem, o.Addr()+2, o, 0), `
kernel.py:12:5: misaligned load of 4 bytes at offset 2 of buffer "o" (48 bytes), element (0, 0)
    tt.load in k, program (0, 0, 0)
    called at kernel.py:30:12`)
}

func TestUninitialised(t *testing.T) {
	mem := NewMemory()
	x, o := mem.AllocUninit(make([]byte, 64), "x"), mem.AllocUninit(make([]byte, 64), "o")
	x.MarkWritten(0, 28)
	opts := Options{TrackUninit: true, Workers: 2}
	wantFault(t, launch(t, loadStore, [3]int{4, 1, 1}, opts, mem, x, o, 0), `
kernel.py:12:5: load of 4 bytes at offset 28 of buffer "x", which nobody has written, element (1, 1)
    tt.load in k, program (1, 0, 0)
    called at kernel.py:30:12`)
	mustLaunch(t, loadStore, one, mem, x, o, 0) // not asked for: no fault
	if err := launch(t, loadStore, one, opts, mem, o, x, 0); err != nil {
		t.Errorf("what a kernel has written counts as written: %v", err)
	}
}

func TestRaces(t *testing.T) {
	const src = `
#s = loc("race.py":7:4)
tt.func public @k(%o: !tt.ptr<i32>, %shift: i32) {
  %pid = tt.get_program_id x : i32
  %v = arith.shrsi %pid, %shift : i32
  %c1 = arith.constant 1 : i32
  %p = tt.addptr %o, %c1 : !tt.ptr<i32>, i32
  tt.store %p, %v : !tt.ptr<i32> loc(#s)
  tt.return
}`
	mem := NewMemory()
	o := mem.Alloc(make([]byte, 8), "out")
	wantFault(t, launch(t, src, [3]int{4, 1, 1}, Options{TrackRaces: true}, mem, o, 1), `
race.py:7:5: race: store of 4 bytes at offset 4 of buffer "out", where program (1, 0, 0) has stored another value
    tt.store in k, program (2, 0, 0)`)
	if err := launch(t, src, [3]int{4, 1, 1}, Options{TrackRaces: true}, mem, o, 5); err != nil {
		t.Errorf("equal values are no race: %v", err)
	}
	if err := launch(t, src, [3]int{4, 1, 1}, Options{}, mem, o, 0); err != nil {
		t.Errorf("not asked for: %v", err)
	}
}

// TestRacesOfParts lets two programs store to parts of one buffer, as tensors over one allocation are:
// adjacent bytes are no race, wherever the parts begin, and a byte of both is one.
func TestRacesOfParts(t *testing.T) {
	const src = `
#s = loc("race.py":7:4)
tt.func public @k(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %at: i32) {
  %pid = tt.get_program_id x : i32
  %c0 = arith.constant 0 : i32
  %first = arith.cmpi eq, %pid, %c0 : i32
  %pp = tt.addptr %p, %at : !tt.ptr<i32>, i32
  %to = arith.select %first, %pp, %q : !tt.ptr<i32>
  tt.store %to, %pid : !tt.ptr<i32> loc(#s)
  tt.return
}`
	for _, c := range []struct {
		p, q [2]int // bytes of the buffer
		at   int    // where in p the first program stores
		want string
	}{
		{[2]int{0, 16}, [2]int{16, 32}, 0, ""},
		{[2]int{8, 16}, [2]int{16, 24}, 0, ""},
		{[2]int{16, 24}, [2]int{8, 16}, 0, ""},
		{[2]int{0, 16}, [2]int{8, 24}, 2,
			"\nrace.py:7:5: race: store of 4 bytes at offset 0 of buffer \"out\", " +
				"where program (0, 0, 0) has stored another value\n    tt.store in k, program (1, 0, 0)"},
	} {
		mem := NewMemory()
		b := mem.Alloc(make([]byte, 32), "out")
		p, q := mem.AllocPart(b, c.p[0], c.p[1]), mem.AllocPart(b, c.q[0], c.q[1])
		err := launch(t, src, [3]int{2, 1, 1}, Options{TrackRaces: true, Workers: 1}, mem, p, q, c.at)
		if c.want != "" {
			wantFault(t, err, c.want)
		} else if err != nil {
			t.Errorf("parts %v and %v: %v", c.p, c.q, err)
		}
	}
}

// TestRacesOfLoads loads what another program has stored: one of the program's own is fine, and so is one
// that a volatile load waits for.
func TestRacesOfLoads(t *testing.T) {
	const src = `
#s = loc("race.py":9:4)
tt.func public @k(%o: !tt.ptr<i32>, %from: i32) {
  %pid = tt.get_program_id x : i32
  %p = tt.addptr %o, %pid : !tt.ptr<i32>, i32
  tt.store %p, %pid : !tt.ptr<i32>
  %i = arith.subi %pid, %from : i32
  %c0 = arith.constant 0 : i32
  %j = arith.maxsi %i, %c0 : i32
  %q = tt.addptr %o, %j : !tt.ptr<i32>, i32
  %v = tt.load %q {VOLATILE} : !tt.ptr<i32> loc(#s)
  tt.store %p, %v : !tt.ptr<i32>
  tt.return
}`
	plain := strings.Replace(src, "{VOLATILE} ", "", 1)
	mem := NewMemory()
	o := mem.Alloc(make([]byte, 16), "out")
	wantFault(t, launch(t, plain, [3]int{4, 1, 1}, Options{TrackRaces: true}, mem, o, 2), `
race.py:9:5: race: load of 4 bytes at offset 0 of buffer "out", which program (0, 0, 0) has stored
    tt.load in k, program (1, 0, 0)`)
	if err := launch(t, plain, [3]int{4, 1, 1}, Options{TrackRaces: true}, mem, o, 0); err != nil {
		t.Errorf("what a program itself has stored: %v", err)
	}
	waiting := strings.Replace(src, "VOLATILE", "isVolatile = true", 1)
	if err := launch(t, waiting, [3]int{4, 1, 1}, Options{TrackRaces: true}, mem, o, 2); err != nil {
		t.Errorf("a volatile load: %v", err)
	}
}

// TestRacesInOrder lets programs store one after another, in an order that atomics on one place make: before
// what they load and store, or after it alone, or without order (relaxed), or on places of their own.
func TestRacesInOrder(t *testing.T) {
	const src = `
#s = loc("race.py":9:4)
tt.func public @k(%o: !tt.ptr<i32>, %own: i32) {
  %pid = tt.get_program_id x : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %at = arith.muli %pid, %own : i32
  %after = arith.addi %at, %c1 : i32
  %lock = tt.addptr %o, %after : !tt.ptr<i32>, i32
  ACQUIRE
  %v = tt.load %o : !tt.ptr<i32> loc(#s)
  %w = arith.addi %v, %pid : i32
  tt.store %o, %w : !tt.ptr<i32>
  RELEASE
  tt.return
}`
	const atomic = "%NAME = tt.atomic_rmw add, SEM, gpu, %lock, %c1, %true : " +
		"(!tt.ptr<i32>, i32, i1) -> i32"
	with := func(name, sem string) string {
		return strings.NewReplacer("NAME", name, "SEM", sem).Replace(atomic)
	}
	for _, c := range []struct {
		name             string
		acquire, release string
		own              int
		race             bool
	}{
		{"a lock", with("a", "acq_rel"), with("b", "acq_rel"), 0, false},
		{"before alone", with("a", "acq_rel"), "", 0, true},
		{"after alone", "", with("b", "acq_rel"), 0, true},
		{"relaxed", with("a", "relaxed"), with("b", "relaxed"), 0, true},
		{"locks of their own", with("a", "acq_rel"), with("b", "acq_rel"), 1, true},
	} {
		text := strings.NewReplacer("ACQUIRE", c.acquire, "RELEASE", c.release).Replace(src)
		mem := NewMemory()
		o := mem.Alloc(make([]byte, 64), "out")
		err := launch(t, text, [3]int{4, 1, 1}, Options{TrackRaces: true}, mem, o, c.own)
		if !c.race {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), `which program (0, 0, 0) has stored`) {
			t.Errorf("%s: %v, want a race", c.name, err)
		}
	}
}

// TestRacesThroughOthers orders two programs by a third: the first releases a place, the second another after
// it.
func TestRacesThroughOthers(t *testing.T) {
	first, second, third := &releases{}, &releases{}, &releases{}
	first.all = []release{{interval: interval{0, 0}}, {interval: interval{0, 1}}}
	a := &acquired{first, 1, nil}
	second.all = []release{{interval{1, 0}, a}}
	third.all = []release{{interval{2, 0}, &acquired{second, 1, nil}}}
	b := &acquired{third, 1, &acquired{second, 0, nil}}
	for _, c := range []struct {
		at   *acquired
		i    interval
		want bool
	}{
		{b, interval{0, 0}, true}, {b, interval{0, 1}, false}, {b, interval{1, 0}, true},
		{b, interval{1, 1}, false}, {b, interval{2, 0}, true}, {b, interval{3, 0}, false},
		{a, interval{1, 0}, false}, {nil, interval{0, 0}, false},
	} {
		if got := c.at.comesAfter(c.i); got != c.want {
			t.Errorf("comesAfter(%v) = %v", c.i, got)
		}
	}
}

func TestAssert(t *testing.T) {
	const src = `
#a = loc("a.py":3:2)
tt.func public @k(%n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  %c = arith.cmpi slt, %r, %ns : tensor<8xi32>
  tt.assert %c, "r < n" : tensor<8xi1> loc(#a)
  %pid = tt.get_program_id y : i32
  %c2 = arith.constant 2 : i32
  %s = arith.cmpi ne, %pid, %c2 : i32
  tt.assert %s, "pid is two" : i1
  tt.return
}`
	mem := NewMemory()
	wantFault(t, launch(t, src, one, Options{}, mem, 5), `
a.py:3:3: assertion failed: r < n, element (5)
    tt.assert in k, program (0, 0, 0)`)
	wantFault(t, launch(t, src, [3]int{1, 4, 1}, Options{}, mem, 8), `
assertion failed: pid is two
    tt.assert in k, program (0, 2, 0)`)
}

// TestCallStack: a fault in a function that was not inlined names the calls.
func TestCallStack(t *testing.T) {
	const src = `
#in = loc("lib.py":5:0)
#mid = loc("lib.py":9:0)
#top = loc("main.py":2:0)
module {
tt.func private @inner(%p: !tt.ptr<i32>) -> i32 {
  %v = tt.load %p : !tt.ptr<i32> loc(#in)
  tt.return %v : i32
}
tt.func private @outer(%p: !tt.ptr<i32>) -> i32 {
  %v = tt.call @inner(%p) : (!tt.ptr<i32>) -> i32 loc(#mid)
  tt.return %v : i32
}
tt.func public @k(%p: !tt.ptr<i32>) {
  %v = tt.call @outer(%p) : (!tt.ptr<i32>) -> i32 loc(#top)
  tt.return
}
}`
	mem := NewMemory()
	wantFault(t, launch(t, src, one, Options{}, mem, 0), `
lib.py:5:1: load of 4 bytes at a null pointer
    tt.load in k, program (0, 0, 0)
    called at lib.py:9:1
    called at main.py:2:1`)
}

const forever = `
tt.func public @k() {
  %t = arith.constant true
  scf.while : () -> () {
    tt.assert %t, "" : i1
    scf.condition(%t)
  } do {
    scf.yield
  }
  tt.return
}`

func TestLimits(t *testing.T) {
	err := launch(t, forever, [3]int{8, 1, 1}, Options{MaxSteps: 1000}, NewMemory())
	if err == nil || !strings.Contains(err.Error(), "stopped after 1000 steps") {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	p := compileText(t, forever, "k")
	if err := p.Run(ctx, NewMemory(), [3]int{3, 1, 1}, nil, Options{}); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestRecursionEnds(t *testing.T) {
	const src = `
module {
tt.func private @f(%x: i32) -> i32 {
  %v = tt.call @f(%x) : (i32) -> i32
  tt.return %v : i32
}
tt.func public @k(%x: i32) {
  %v = tt.call @f(%x) : (i32) -> i32
  tt.return
}
}`
	if err := launch(t, src, one, Options{}, NewMemory(), 1); err == nil ||
		!strings.Contains(err.Error(), "calls nested deeper than 256") {
		t.Error(err)
	}
}

func TestCompileErrors(t *testing.T) {
	for name, c := range map[string]struct{ src, kernel, want string }{
		"no kernel": {`tt.func public @f() { tt.return }`, "k", "interp: no function @k in the module"},
		"results": {`tt.func public @k(%x: i32) -> i32 { tt.return %x : i32 }`, "k",
			"interp: @k returns values, so it is no kernel"},
		"no body": {`tt.func private @k(i32)`, "k", "function @k has no body"},
		"asm": {`tt.func public @k(%x: i32) {
  %y = tt.elementwise_inline_asm "shl.b32 $0, $0, 3;"
      {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.print "y" {hex = false, isSigned = array<i32: 1>} : %y : i32
  tt.return
}`, "k", `tt.elementwise_inline_asm: inline assembly cannot be interpreted: "shl.b32 $0, $0, 3;"`},
		"unknown": {`tt.func public @k(%x: i32) {
  %y = "foo.bar"(%x) : (i32) -> i32
  tt.return
}`, "k", "foo.bar: this operation is not supported"},
		"type": {`tt.func public @k(%x: i7) {
  %y = arith.addi %x, %x : i7
  "foo.use"(%y) : (i7) -> ()
  tt.return
}`, "k", "type i7 is not supported"},
		"extern": {`tt.func public @k(%x: f32) {
  %y = tt.extern_elementwise %x {libname = "l", libpath = "", symbol = "__nv_nothing", pure = false}
      : (f32) -> f32
  tt.return
}`, "k", `tt.extern_elementwise: function "__nv_nothing" of library "l" is not known`},
	} {
		m, err := ir.Parse(diag.NewFileSet(), "test.ttir", []byte(c.src))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := Compile(m, c.kernel); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
	op := ir.NewOp(ir.State{Def: tt.AddPtr, Results: []ir.Type{tt.Ptr(ir.F32)}}) // without operands
	m, _ := ir.Parse(diag.NewFileSet(), "x", []byte(`tt.func public @k() { tt.return }`))
	ret := m.Lookup("k").Body(0).Last()
	ir.At(ret).Insert(op)
	ir.At(ret).Op(tt.Store, []*ir.Value{op.Result(0)}, nil)
	if _, err := Compile(m, "k"); err == nil ||
		!strings.HasPrefix(err.Error(), "interp: @k: the module is not valid: ") {
		t.Error(err)
	}
	p := compileText(t, forever, "k")
	if err := p.Run(context.Background(), NewMemory(), one, []uint64{1}, Options{}); err == nil ||
		err.Error() != "interp: k takes 0 arguments, not 1" {
		t.Error(err)
	}
	if err := p.Run(context.Background(), NewMemory(), [3]int{1, -1, 1}, nil, Options{}); err == nil {
		t.Error("a negative grid was accepted")
	}
	if err := p.Run(context.Background(), NewMemory(), [3]int{1, 0, 1}, nil, Options{}); err != nil {
		t.Errorf("an empty grid: %v", err)
	}
}

func TestPrint(t *testing.T) {
	const src = `
tt.func public @k(%n: i32, %f: f32) {
  %pid = tt.get_program_id x : i32
  %r = tt.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32>
  %e = tt.expand_dims %r {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %b = tt.broadcast %e : tensor<1x2xi32> -> tensor<16x2xi32>
  %ps = tt.splat %pid : i32 -> tensor<2xi32>
  %s = arith.subi %r, %ps : tensor<2xi32>
  tt.print " r: " {hex = false, isSigned = array<i32: 1>} : %s : tensor<2xi32>
  tt.print " u: " {hex = false, isSigned = array<i32: 0>} : %n : i32
  tt.print " x: " {hex = true, isSigned = array<i32: 1>} : %n : i32
  tt.print " f: " {hex = false, isSigned = array<i32: 1, 0>} : %f, %n : f32, i32
  tt.print " done" {hex = false, isSigned = array<i32>}
  tt.return
}`
	var out bytes.Buffer
	opts := Options{Stdout: &out, Workers: 3}
	if err := launch(t, src, [3]int{2, 1, 1}, opts, NewMemory(), 0xfffffffe, uint64(0x3fc00000)); err != nil {
		t.Fatal(err)
	}
	const want = `pid (0, 0, 0) idx (0) r: 0
pid (0, 0, 0) idx (1) r: 1
pid (0, 0, 0) idx () u: 4294967294
pid (0, 0, 0) idx () x: 0xfffffffe
pid (0, 0, 0) idx () f: (operand 0) 1.500000
pid (0, 0, 0) idx () f: (operand 1) 4294967294
pid (0, 0, 0) done
pid (1, 0, 0) idx (0) r: -1
pid (1, 0, 0) idx (1) r: 0
pid (1, 0, 0) idx () u: 4294967294
pid (1, 0, 0) idx () x: 0xfffffffe
pid (1, 0, 0) idx () f: (operand 0) 1.500000
pid (1, 0, 0) idx () f: (operand 1) 4294967294
pid (1, 0, 0) done
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	if s := (&printer{shape: []int64{16, 2}}).index(7); s != " 3, 1" {
		t.Errorf("an index is padded as wide as its dimension: %q", s)
	}
}
