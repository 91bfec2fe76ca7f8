package lower

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestParts: a loop over a program's part of a whole number of parts has a known number of iterations, and
// programs beyond the last part have none. With a rest, the last part is shorter.
func TestParts(t *testing.T) {
	for _, test := range []struct {
		whole, first int
		known        bool
	}{{32, 4, true}, {30, 4, false}, {32, 6, false}, {32, 8, true}} {
		t.Run(fmt.Sprint(test.whole, test.first), func(t *testing.T) {
			text := moduleText(4, fmt.Sprintf(`tt.func public @k(%%x: !tt.ptr<i32>) {
%%g = tt.get_program_id x : i32
%%by = arith.constant %d : i32
%%part = arith.constant 4 : i32
%%whole = arith.constant %d : i32
%%step = arith.constant 1 : i32
%%lo = arith.muli %%g, %%by : i32
%%next = arith.addi %%lo, %%part : i32
%%hi = arith.minsi %%next, %%whole : i32
scf.for %%i = %%lo to %%hi step %%step : i32 {
  %%p = tt.addptr %%x, %%i : !tt.ptr<i32>, i32
  tt.store %%p, %%g : !tt.ptr<i32>
}
tt.return
}
`, test.first, test.whole))
			for programs := 1; programs < 10; programs++ {
				runBoth(t, text, launch{"k", [3]int{programs, 1, 1}, []any{ints(ir.I32, 64, 100)}}, 0)
			}
			k, _ := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 90)
			if got := bytes.Contains(k.IR, []byte(" = select i1 ")); got != test.known {
				t.Errorf("the number of iterations is known: %v, not %v\n%s", got, test.known, k.IR)
			}
		})
	}
}

// TestStrides: a loop over the grid, whose counter might wrap around, has no division, and programs store
// what is theirs.
func TestStrides(t *testing.T) {
	text := moduleText(4, `tt.func public @k(%x: !tt.ptr<i32>, %n: i32) {
%g = tt.get_program_id x : i32
%all = tt.get_num_programs x : i32
scf.for %i = %g to %n step %all : i32 {
  %p = tt.addptr %x, %i : !tt.ptr<i32>, i32
  tt.store %p, %g : !tt.ptr<i32>
}
tt.return
}
`)
	for _, n := range []int{0, 1, 5, 64} {
		runBoth(t, text, launch{"k", [3]int{5, 1, 1}, []any{ints(ir.I32, 64, 100), n}}, 0)
	}
	k, _ := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 90)
	if bytes.Contains(k.IR, []byte("udiv")) {
		t.Errorf("the loop counts its iterations:\n%s", k.IR)
	}
}

// TestCallResults: a call gives every result of its function, scalars between tensors, in their order.
func TestCallResults(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>"
	block := func(elem string) string { return fmt.Sprintf("tensor<256x%s, %s>", elem, enc) }
	results := fmt.Sprintf("(i32, %s, f32, %s)", block("f32"), block("i32"))
	shape := []int{256}
	text := moduleText(1, fmt.Sprintf(`tt.func private @parts(%%a: %[2]s, %%n: i32) -> %[1]s {
%%one = arith.constant 1 : i32
%%m = arith.addi %%n, %%one : i32
%%f = arith.sitofp %%n : i32 to f32
%%b = arith.addf %%a, %%a : %[2]s
%%c = arith.fptosi %%a : %[2]s to %[3]s
tt.return %%m, %%b, %%f, %%c : i32, %[2]s, f32, %[3]s
}
tt.func public @k(%%x: !tt.ptr<f32>, %%y: !tt.ptr<f32>, %%z: !tt.ptr<i32>, %%s: !tt.ptr<i32>,
    %%u: !tt.ptr<f32>, %%n: i32) {
`, results, block("f32"), block("i32"))+offsetsText("o", shape, enc)+
		accessText("x", "o", "v", shape, "f32", enc, false)+
		fmt.Sprintf("%%r:4 = tt.call @parts(%%v, %%n) : (%s, i32) -> %s\n", block("f32"), results)+
		fmt.Sprintf("%%w = arith.addf %%r#1, %%v : %s\n", block("f32"))+
		accessText("y", "o", "w", shape, "f32", enc, true)+
		fmt.Sprintf("%%q = arith.addi %%r#3, %%o : %s\n", block("i32"))+
		accessText("z", "o", "q", shape, "i32", enc, true)+
		"tt.store %s, %r#0 : !tt.ptr<i32>\ntt.store %u, %r#2 : !tt.ptr<f32>\ntt.return\n}\n")
	runBoth(t, text, launch{"k", [3]int{1, 1, 1}, []any{&buf{elem: ir.F32, n: 256, lo: -50, hi: 50},
		floats(ir.F32, 256), ints(ir.I32, 256, 9), ints(ir.I32, 1, 9), floats(ir.F32, 1), 41}}, 0)
}

// TestCallOrder: functions come behind all of their callers, whichever calls them first, and those that a
// kernel does not reach do not come. Shared memory is placed in this order: that of a function lies behind
// that of its callers.
func TestCallOrder(t *testing.T) {
	calls := map[string][]string{"k": {"a", "b", "d"}, "a": {"c"}, "b": {"c", "e"}, "c": {"d"}, "e": {"a"},
		"d": nil, "apart": {"a"}}
	var text strings.Builder
	for name, callees := range calls {
		fmt.Fprintf(&text, "tt.func private @%s() {\n", name)
		for _, c := range callees {
			fmt.Fprintf(&text, "tt.call @%s() : () -> ()\n", c)
		}
		text.WriteString("tt.return\n}\n")
	}
	m := parseIR(t, "test.ttgir", []byte(moduleText(4, text.String())))
	at := map[string]int{}
	for i, fn := range newProgram(m, testOptions(m, 80)).callOrder(m.Lookup("k")) {
		at[fn.Text("sym_name")] = i
	}
	if _, ok := at["apart"]; ok || len(at) != len(calls)-1 {
		t.Errorf("k reaches all functions but one: %v", at)
	}
	for name, callees := range calls {
		for _, c := range callees {
			if name != "apart" && at[c] <= at[name] {
				t.Errorf("%s comes before %s, which calls it: %v", c, name, at)
			}
		}
	}
}
