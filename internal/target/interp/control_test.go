package interp

import (
	"testing"
)

// run1 runs a kernel that takes an i32 and stores one i32.
func run1(t *testing.T, src string, x int32) int32 {
	t.Helper()
	out := []int32{-1}
	mem := NewMemory()
	mustLaunch(t, src, one, mem, mem.Alloc(bytesOf(out), "out"), uint64(uint32(x)))
	return out[0]
}

func TestControlFlow(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		f    func(x int32) int32
	}{
		"for: fibonacci, carried values change places": {`
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %x step %c1 iter_args(%a = %c0, %b = %c1) -> (i32, i32) : i32 {
    %s = arith.addi %a, %b : i32
    scf.yield %b, %s : i32, i32
  }
  tt.store %o, %r#0 : !tt.ptr<i32>`, func(x int32) int32 {
			a, b := int32(0), int32(1)
			for range max(0, x) {
				a, b = b, a+b
			}
			return a
		}},
		"for: a carried value is handed on by the iteration that replaces it": {`
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %r:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x, %b = %c0) -> (i32, i32) : i32 {
    scf.yield %c4, %a : i32, i32
  }
  tt.store %o, %r#1 : !tt.ptr<i32>`, func(x int32) int32 { return x }},
		"for: steps, nested, the counter used": {`
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %x step %c3 iter_args(%a = %c0) -> (i32) : i32 {
    %q = scf.for %j = %c0 to %i step %c1 iter_args(%b = %a) -> (i32) : i32 {
      %s = arith.addi %b, %j : i32
      scf.yield %s : i32
    }
    %s2 = arith.addi %q, %i : i32
    scf.yield %s2 : i32
  }
  tt.store %o, %r : !tt.ptr<i32>`, func(x int32) int32 {
			a := int32(0)
			for i := int32(0); i < x; i += 3 {
				for j := range i {
					a += j
				}
				a += i
			}
			return a
		}},
		"if: values from either side": {`
  %c10 = arith.constant 10 : i32
  %c = arith.cmpi sgt, %x, %c10 : i32
  %r = scf.if %c -> (i32) {
    %a = arith.subi %x, %c10 : i32
    scf.yield %a : i32
  } else {
    scf.yield %c10 : i32
  }
  tt.store %o, %r : !tt.ptr<i32>`, func(x int32) int32 {
			if x > 10 {
				return x - 10
			}
			return 10
		}},
		"while: collatz": {`
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %r:2 = scf.while (%n = %x, %k = %c0) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi sgt, %n, %c1 : i32
    scf.condition(%go) %n, %k : i32, i32
  } do {
  ^bb0(%n: i32, %k: i32):
    %m = arith.andi %n, %c1 : i32
    %odd = arith.cmpi ne, %m, %c0 : i32
    %h = arith.divsi %n, %c2 : i32
    %t = arith.muli %n, %c3 : i32
    %u = arith.addi %t, %c1 : i32
    %next = arith.select %odd, %u, %h : i32
    %k1 = arith.addi %k, %c1 : i32
    scf.yield %next, %k1 : i32, i32
  }
  tt.store %o, %r#1 : !tt.ptr<i32>`, func(x int32) int32 {
			k := int32(0)
			for x > 1 {
				if x&1 != 0 {
					x = 3*x + 1
				} else {
					x /= 2
				}
				k++
			}
			return k
		}},
		"branches: early return and a loop of blocks": {`
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %neg = arith.cmpi slt, %x, %c0 : i32
  cf.cond_br %neg, ^early, ^head(%c0, %c1 : i32, i32)
^early:
  tt.store %o, %c5 : !tt.ptr<i32>
  tt.return
^head(%i: i32, %p: i32):
  %more = arith.cmpi slt, %i, %x : i32
  cf.cond_br %more, ^body, ^done
^body:
  %p2 = arith.addi %p, %p : i32
  %i2 = arith.addi %i, %c1 : i32
  cf.br ^head(%i2, %p2 : i32, i32)
^done:
  tt.store %o, %p : !tt.ptr<i32>`, func(x int32) int32 {
			if x < 0 {
				return 5
			}
			return 1 << max(0, x)
		}},
		"branches: arguments change places": {`
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  cf.br ^head(%c0, %c1, %c7 : i32, i32, i32)
^head(%i: i32, %a: i32, %b: i32):
  %i2 = arith.addi %i, %c1 : i32
  %more = arith.cmpi slt, %i, %x : i32
  cf.cond_br %more, ^head(%i2, %b, %a : i32, i32, i32), ^done
^done:
  tt.store %o, %a : !tt.ptr<i32>`, func(x int32) int32 {
			if max(0, x)%2 == 1 {
				return 7
			}
			return 1
		}},
		"switch": {`
  %c10 = arith.constant 10 : i32
  %c20 = arith.constant 20 : i32
  cf.switch %x : i32, [default: ^d(%c10 : i32), 3: ^d(%c20 : i32), -1: ^e]
^d(%v: i32):
  tt.store %o, %v : !tt.ptr<i32>
  tt.return
^e:
  tt.store %o, %x : !tt.ptr<i32>`, func(x int32) int32 {
			switch x {
			case 3:
				return 20
			case -1:
				return -1
			}
			return 10
		}},
		"index_switch and execute_region": {`
  %c10 = arith.constant 10 : i32
  %c20 = arith.constant 20 : i32
  %i = arith.index_cast %x : i32 to index
  %r = scf.index_switch %i -> i32
  case 3 {
    scf.yield %c20 : i32
  }
  default {
    scf.yield %c10 : i32
  }
  %q = scf.execute_region -> i32 {
    %c = arith.cmpi slt, %x, %c10 : i32
    cf.cond_br %c, ^a, ^b
  ^a:
    scf.yield %r : i32
  ^b:
    scf.yield %x : i32
  }
  tt.store %o, %q : !tt.ptr<i32>`, func(x int32) int32 {
			switch {
			case x >= 10:
				return x
			case x == 3:
				return 20
			}
			return 10
		}},
	} {
		src := "tt.func public @k(%o: !tt.ptr<i32>, %x: i32) {" + c.body + "\n  tt.return\n}"
		for _, x := range []int32{-3, -1, 0, 1, 2, 3, 7, 10, 11, 27} {
			if got, want := run1(t, src, x), c.f(x); got != want {
				t.Errorf("%s: x = %d: got %d, want %d", name, x, got, want)
			}
		}
	}
}

// TestLoopsOfTensors: tensors that a loop carries change places, one is used twice, one is a constant.
func TestLoopsOfTensors(t *testing.T) {
	const src = `
tt.func public @k(%o: !tt.ptr<i32>, %x: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %z = arith.constant dense<1> : tensor<32xi32>
  %q:4 = scf.for %i = %c0 to %x step %c1 iter_args(%a = %r, %b = %z, %c = %z, %d = %r)
      -> (tensor<32xi32>, tensor<32xi32>, tensor<32xi32>, tensor<32xi32>) : i32 {
    %s = arith.addi %a, %b : tensor<32xi32>
    %odd = arith.andi %i, %c1 : i32
    %is = arith.cmpi ne, %odd, %c0 : i32
    %t = scf.if %is -> (tensor<32xi32>) {
      %m = arith.muli %s, %c : tensor<32xi32>
      scf.yield %m : tensor<32xi32>
    } else {
      scf.yield %d : tensor<32xi32>
    }
    scf.yield %b, %s, %s, %t : tensor<32xi32>, tensor<32xi32>, tensor<32xi32>, tensor<32xi32>
  }
  %u = arith.xori %q#0, %q#1 : tensor<32xi32>
  %v = arith.addi %u, %q#2 : tensor<32xi32>
  %w = arith.subi %v, %q#3 : tensor<32xi32>
  %os = tt.splat %o : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %op = tt.addptr %os, %r : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %op, %w : tensor<32x!tt.ptr<i32>>
  tt.return
}`
	for _, n := range []int{0, 1, 2, 3, 8} {
		out := make([]int32, 32)
		mem := NewMemory()
		for range 2 { // frames are used again
			mustLaunch(t, src, [3]int{3, 1, 1}, mem, mem.Alloc(bytesOf(out), "out"), n)
		}
		for e := range int32(32) {
			a, b, c, d := e, int32(1), int32(1), e
			for i := range n {
				s := a + b
				tt := d
				if i%2 == 1 {
					tt = s * c
				}
				a, b, c, d = b, s, s, tt
			}
			if want := a ^ b + c - d; out[e] != (a^b)+c-d {
				t.Fatalf("%d turns, element %d: got %d, want %d", n, e, out[e], want)
			}
		}
	}
}

func TestCalls(t *testing.T) {
	const src = `
module {
tt.func private @twice(%v: tensor<8xf32>, %p: !tt.ptr<f32>)
    -> (tensor<8xf32>, !tt.ptr<f32>) attributes {noinline = true} {
  %w = arith.addf %v, %v : tensor<8xf32>
  %c8 = arith.constant 8 : i32
  %q = tt.addptr %p, %c8 : !tt.ptr<f32>, i32
  tt.return %w, %q : tensor<8xf32>, !tt.ptr<f32>
}
tt.func public @k(%o: !tt.ptr<f32>) {
  %c = arith.constant dense<1.5> : tensor<8xf32>
  %a:2 = tt.call @twice(%c, %o) : (tensor<8xf32>, !tt.ptr<f32>) -> (tensor<8xf32>, !tt.ptr<f32>)
  %b:2 = tt.call @twice(%a#0, %a#1) : (tensor<8xf32>, !tt.ptr<f32>) -> (tensor<8xf32>, !tt.ptr<f32>)
  %d = arith.subf %b#0, %a#0 : tensor<8xf32>
  %r = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %os = tt.splat %b#1 : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %op = tt.addptr %os, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %op, %d : tensor<8x!tt.ptr<f32>>
  tt.return
}
}`
	out := make([]float32, 24)
	mem := NewMemory()
	mustLaunch(t, src, one, mem, mem.Alloc(bytesOf(out), "out"))
	for i, v := range out {
		if want := map[bool]float32{true: 3}[i >= 16]; v != want {
			t.Errorf("element %d: %v", i, v)
		}
	}
}
