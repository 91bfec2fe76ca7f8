package address

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// parse makes a module of a function's body: %x and %y are pointers to f32, %n and %s numbers, %r counts to
// 64, %xs are 64 times %x.
func parse(t *testing.T, body string) *ir.Module {
	t.Helper()
	text := `module {
  tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32, %s: i32, %b: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant dense<2> : tensor<64xi32>
    %c32 = arith.constant dense<32> : tensor<64xi32>
    %c64 = arith.constant dense<64> : tensor<64xi32>
    %k64 = arith.constant 64 : i32
    %one = arith.constant dense<1> : tensor<64xi32>
    %v = arith.constant dense<0.0> : tensor<64xf32>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
` + body + `
    tt.return
  }
}`
	text = strings.NewReplacer("ADD ", "arith.addi ", "MUL ", "arith.muli ", "PTR ", "tt.addptr ", ": T",
		": tensor<64xi32>",
		": P", ": tensor<64x!tt.ptr<f32>>, tensor<64xi32>", ": A", ": tensor<64x!tt.ptr<f32>>", ": S",
		": !tt.ptr<f32>, i32").Replace(text)
	m, err := ir.Parse(diag.NewFileSet(), "k.ttir", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRelate compares the pointers of the first two stores. Where both are in a loop, an iteration lies
// between.
func TestRelate(t *testing.T) {
	const first = "%p = PTR %xs, %r : P\ntt.store %p, %v : A\n"
	loop := func(carried, body string) string {
		return fmt.Sprintf("%%l = scf.for %%i = %%c0 to %%n step %%k64 iter_args(%%c = %s) -> "+
			"(tensor<64x!tt.ptr<f32>>) : i32 {\n%s\n}\n", carried, body)
	}
	for _, c := range []struct {
		name, body string
		want       Relation
	}{
		{"the same", first + "tt.store %p, %v : A", Same},
		{"computed twice", first + "%q = PTR %xs, %r : P\ntt.store %q, %v : A", Same},
		{"behind it", first + "%j = ADD %r, %c64 : T\n%q = PTR %xs, %j : P\ntt.store %q, %v : A", Apart},
		{"half of it", first + "%j = ADD %r, %c32 : T\n%q = PTR %xs, %j : P\ntt.store %q, %v : A", Unknown},
		{"even and odd", "%e = MUL %r, %c2 : T\n%p = PTR %xs, %e : P\ntt.store %p, %v : A\n" +
			"%o = ADD %e, %one : T\n%q = PTR %xs, %o : P\ntt.store %q, %v : A", Apart},
		{"no stride", "tt.store %xs, %v : A\ntt.store %xs, %v : A", Unknown},
		{"remainder", "%j = arith.remsi %r, %c32 : tensor<64xi32>\n%p = PTR %xs, %j : P\n" +
			"tt.store %p, %v : A\ntt.store %p, %v : A", Unknown},
		{"from a number on", "%m = PTR %x, %n : S\n" +
			"%ms = tt.splat %m : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>\n%p = PTR %ms, %r : P\n" +
			"tt.store %p, %v : A\n%q = PTR %ms, %r : P\ntt.store %q, %v : A", Same},
		{"from another number on", first +
			"%m = PTR %x, %n : S\n%ms = tt.splat %m : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>\n" +
			"%q = PTR %ms, %r : P\n" +
			"tt.store %q, %v : A", Unknown},
		{"whole blocks away", first +
			"%w = MUL %n, %k64 : i32\n%m = PTR %x, %w : S\n" +
			"%ms = tt.splat %m : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>\n" +
			"%q = PTR %ms, %r : P\ntt.store %q, %v : A", Same},
		{"the loop's variable",
			loop("%xs", "%is = tt.splat %i : i32 -> tensor<64xi32>\n%j = ADD %r, %is : T\n%p = PTR %xs, %j "+
				": P\n"+
				"tt.store %p, %v : A\ntt.store %p, %v : A\nscf.yield %c : tensor<64x!tt.ptr<f32>>"), Same},
		{"a pointer that advances", "%p = PTR %xs, %r : P\n" +
			loop("%p", "tt.store %c, %v : A\ntt.store %c, %v : A\n%d = PTR %c, %c64 : P\n"+
				"scf.yield %d : tensor<64x!tt.ptr<f32>>"), Same},
		{"one that advances by half", "%p = PTR %xs, %r : P\n" +
			loop("%p", "tt.store %c, %v : A\ntt.store %c, %v : A\n%d = PTR %c, %c32 : P\n"+
				"scf.yield %d : tensor<64x!tt.ptr<f32>>"), Unknown},
		{"one that goes astray", "%p = PTR %xs, %r : P\n" +
			loop("%p", "tt.store %c, %v : A\ntt.store %c, %v : A\n%d = PTR %c, %r : P\n"+
				"scf.yield %d : tensor<64x!tt.ptr<f32>>"), Unknown},
		{"both ways to advance", "%p = PTR %xs, %r : P\n" +
			loop("%p", "%is = tt.splat %i : i32 -> tensor<64xi32>\n%j = ADD %r, %is : T\n"+
				"%q = PTR %xs, %j : P\ntt.store %c, %v : A\ntt.store %q, %v : A\n%d = PTR %c, %c64 : P\n"+
				"scf.yield %d : tensor<64x!tt.ptr<f32>>"), Same},
	} {
		m := parse(t, c.body)
		var ptrs []*ir.Value
		var in *ir.Op
		for op := range m.Op.Ops() {
			if op.Def == tt.Store {
				ptrs = append(ptrs, op.Operand(0))
				if in = op.Parent(); in.Def != scf.For {
					in = nil
				}
			}
		}
		a := New(m.Op)
		old := Place{Ptr: ptrs[0], Changed: func(s Symbol) bool { return in != nil && s.ChangesIn(in) }}
		if got := a.Relate(old, ptrs[1]); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestRoots: pointers lead back to all arguments that they may be of.
func TestRoots(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       bool // the pointers of the first two stores may be of one argument
	}{
		{"two arguments", "tt.store %xs, %v : A\ntt.store %ys, %v : A", false},
		{"select", "%z = arith.select %b, %x, %y : !tt.ptr<f32>\n" +
			"%zs = tt.splat %z : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>\n" +
			"tt.store %zs, %v : A\ntt.store %ys, %v : A", true},
		{"if", "%z = scf.if %b -> (!tt.ptr<f32>) {\nscf.yield %x : !tt.ptr<f32>\n} else {\n" +
			"scf.yield %y : !tt.ptr<f32>\n}\n" +
			"%zs = tt.splat %z : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>\ntt.store %zs, %v : A\n" +
			"tt.store %ys, %v : A", true},
		{"an integer", "%z = tt.ptr_to_int %x : !tt.ptr<f32> -> i64\n" +
			"%w = tt.int_to_ptr %z : i64 -> !tt.ptr<f32>\n" +
			"%zs = tt.splat %w : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>\ntt.store %zs, %v : A\n" +
			"tt.store %xs, %v : A", true},
		{"exchanged in a loop",
			"%l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (!tt.ptr<f32>, " +
				"!tt.ptr<f32>) : i32 {\n" +
				"scf.yield %q, %p : !tt.ptr<f32>, !tt.ptr<f32>\n}\n" +
				"%zs = tt.splat %l#0 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>\n" +
				"tt.store %zs, %v : A\ntt.store %ys, %v : A", true},
	} {
		var ptrs []*ir.Value
		m := parse(t, c.body)
		for op := range m.Op.Ops() {
			if op.Def == tt.Store {
				ptrs = append(ptrs, op.Operand(0))
			}
		}
		if got := New(m.Op).MayAlias(ptrs[0], ptrs[1]); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestApartIf: a stride that is an argument keeps the stores of iterations apart if it is large, unless one
// of the stores has another term: a constant only moves it.
func TestApartIf(t *testing.T) {
	at := func(name, off string) string {
		return fmt.Sprintf("%%%s0 = arith.muli %%i, %%s : i32\n"+
			"%s%%%[1]s2 = tt.splat %%%[1]s1 : i32 -> tensor<64xi32>\n"+
			"%%%[1]s3 = ADD %%%[1]s2, %%r : T\n%%%[1]s = PTR %%xs, %%%[1]s3 : P\ntt.store %%%[1]s, %%v : A\n",
			name, fmt.Sprintf("%%%s1 = arith.addi %%%[1]s0, %s : i32\n", name, off))
	}
	for _, c := range []struct {
		first, second string
		ok            bool
		reach         int64
	}{{"%c0", "%c0", true, 4 + 2*63*4}, {"%c1", "%c0", true, 8 + 2*63*4}, {"%k64", "%n", false, 0},
		{"%n", "%c0", false, 0}, {"%n", "%n", true, 4 + 2*63*4}} {
		m := parse(t, "scf.for %i = %c0 to %n step %c1 : i32 {\n"+at("p", c.first)+at("q", c.second)+"}\n")
		a := New(m.Op)
		var stores []*ir.Op
		var loop *ir.Op
		for op := range m.Ops() {
			switch op.Def {
			case tt.Store:
				stores = append(stores, op)
			case scf.For:
				loop = op
			}
		}
		old := Place{Ptr: stores[0].Operand(0), Loop: loop, Changed: func(s Symbol) bool {
			return s.ChangesIn(loop)
		}}
		got, ok := a.ApartIf(old, stores[1].Operand(0), func(s Symbol) bool {
			return s.Value != nil && s.Value.IsArg()
		})
		if ok != c.ok || ok && (got.Reach != c.reach || got.Scale != 4 || len(got.Factors) != 1) {
			t.Errorf("%s and %s: %+v, %v", c.first, c.second, got, ok)
		}
	}
}
