package axisinfo

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

func parse(t testing.TB, src string) *ir.Module {
	t.Helper()
	m, err := ir.ParseWith(diag.NewFileSet(), "test.mlir", []byte(src), ir.ParseOptions{TextLocs: true})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestFacts checks the claims in testdata: a comment at the end of a line says what is known of the first
// result of the operation there, as contiguity/divisibility/constancy and =value, an entry for each axis:
// "// 1,8/16,1/128,1" or "// 1/4/128 =4". A row of ? is not looked at.
func TestFacts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.mlir")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := parse(t, string(src))
		a := Module(m)
		claims := 0
		ops := map[int]*ir.Op{}
		for op := range m.Op.Ops() {
			if l := ir.FileLocOf(op.Loc); l != nil && op.NumResults() > 0 && ops[l.Line] == nil {
				ops[l.Line] = op
			}
		}
		for i, line := range strings.Split(string(src), "\n") {
			_, want, ok := strings.Cut(line, "// ")
			if !ok || !strings.Contains(want, "/") || strings.HasPrefix(line, "//") {
				continue
			}
			claims++
			op := ops[i+1]
			if op == nil {
				t.Errorf("%s:%d: no operation with a result", file, i+1)
				continue
			}
			for k, w := range strings.Split(want, "; ") {
				if got := short(a.Of(op.Result(k))); got != strings.TrimSpace(w) {
					t.Errorf("%s:%d: result %d is %s, want %s\n\t%s", file, i+1, k, got, w,
						strings.TrimSpace(line))
				}
			}
		}
		if claims == 0 {
			t.Errorf("%s claims nothing", file)
		}
	}
}

// short is an info as the test data writes it, with max for the divisors of zero.
func short(a Info) string {
	join := func(v []int64) string {
		parts := make([]string, len(v))
		for i, x := range v {
			switch x {
			case MaxDivisor:
				parts[i] = "max"
			case 1 << 30:
				parts[i] = "2^30"
			default:
				parts[i] = fmt.Sprint(x)
			}
		}
		return strings.Join(parts, ",")
	}
	s := join(a.Contiguity) + "/" + join(a.Divisibility) + "/" + join(a.Constancy)
	if a.Known {
		s += fmt.Sprint(" =", a.Value)
	}
	return s
}

// TestSoundControl: what the analysis says of a loop's result holds after any number of iterations, none
// included, and what it says of a branch's result holds of both values.
func TestSoundControl(t *testing.T) {
	const n = 16
	ty := fmt.Sprintf("tensor<%dxi32>", n)
	ops := []string{"addi", "subi", "muli", "divsi", "remsi", "andi", "shli", "maxsi"}
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 2))
		var values [][]int64
		src := "tt.func @f(%n: i32, %c: i1) {\n" +
			"%zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n"
		for i, v := range []int64{0, 1, 4, 16, 48, 3} {
			src += fmt.Sprintf("%%v%d = arith.constant dense<%d> : %s\n", i, v, ty)
			values = append(values, fill(n, func(int) int64 { return v }))
		}
		for i, start := range []int64{0, 8, 64, 5} {
			src += fmt.Sprintf("%%v%d = tt.make_range {start = %d : i32, end = %d : i32} : %s\n", 6+i, start,
				start+n, ty)
			values = append(values, fill(n, func(i int) int64 { return start + int64(i) }))
		}
		init, by, other, op := r.IntN(10), r.IntN(10), r.IntN(10), ops[r.IntN(len(ops))]
		var after [][]int64 // the values that the loop can return
		for v, ok := values[init], true; ok && len(after) < 4; v, ok = compute(op, v, values[by]) {
			after = append(after, v)
		}
		src += fmt.Sprintf(`%%r = scf.for %%i = %%zero to %%n step %%one iter_args(%%acc = %%v%d) -> (%s) : i32 {
  %%x = arith.%s %%acc, %%v%d : %[2]s
  scf.yield %%x : %[2]s
}
%%w = scf.while (%%acc = %%v%[1]d) : (%[2]s) -> %[2]s {
  scf.condition(%%c) %%acc : %[2]s
} do {
^bb0(%%in: %[2]s):
  %%y = arith.%[3]s %%in, %%v%[4]d : %[2]s
  scf.yield %%y : %[2]s
}
%%b = scf.if %%c -> (%[2]s) {
  scf.yield %%v%[1]d : %[2]s
} else {
  scf.yield %%v%[5]d : %[2]s
}
tt.return
}`, init, ty, op, by, other)
		m := parse(t, src)
		a := Module(m).Exact()
		for o := range m.Op.Ops() {
			list := after
			switch o.Def {
			case scf.For, scf.While:
			case scf.If:
				list = [][]int64{values[init], values[other]}
			default:
				continue
			}
			for _, v := range list {
				if msg := violates(a.Of(o.Result(0)), v); msg != "" {
					t.Fatalf("seed %d: %s may be %v, but the analysis says %s: %s\n%s", seed, o.Def.Name, v,
						a.Of(o.Result(0)), msg, src)
				}
			}
		}
	}
}

// TestSound computes random programs and looks whether what the analysis claims is true of the numbers: the
// exact one always, the other if no number is negative.
func TestSound(t *testing.T) {
	const n = 16
	ops := []string{"addi", "subi", "muli", "divsi", "divui", "remsi", "remui", "andi", "ori", "xori", "shli",
		"shrsi", "shrui", "maxsi", "minsi", "maxui", "minui"}
	const positive = 6 // the first constants
	negative := func(v []int64) bool { return slices.Min(v) < 0 }
	known, claims := 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var src strings.Builder
		var values [][]int64
		ty := fmt.Sprintf("tensor<%dxi32>", n)
		for i, v := range []int64{0, 1, 4, 8, 48, 3, -48} {
			fmt.Fprintf(&src, "%%v%d = arith.constant dense<%d> : %s\n", i, v, ty)
			values = append(values, fill(n, func(int) int64 { return v }))
		}
		for _, start := range []int64{0, 8, 64, 5} {
			fmt.Fprintf(&src, "%%v%d = tt.make_range {start = %d : i32, end = %d : i32} : %s\n", len(values),
				start, start+n, ty)
			values = append(values, fill(n, func(i int) int64 { return start + int64(i) }))
		}
		for range 8 {
			a, b := r.IntN(len(values)), r.IntN(len(values))
			name := ops[r.IntN(len(ops))]
			v, ok := compute(name, values[a], values[b])
			if !ok {
				continue
			}
			fmt.Fprintf(&src, "%%v%d = arith.%s %%v%d, %%v%d : %s\n", len(values), name, a, b, ty)
			values = append(values, v)
			if r.IntN(3) == 0 {
				x, y := r.IntN(len(values)), r.IntN(len(values))
				p := []string{"slt", "sge", "sgt", "sle", "eq", "ult", "uge"}[r.IntN(7)]
				fmt.Fprintf(&src, "%%c%d = arith.cmpi %s, %%v%d, %%v%d : %s\n", len(values), p, a, b, ty)
				fmt.Fprintf(&src, "%%v%d = arith.select %%c%d, %%v%d, %%v%d : tensor<%dxi1>, %s\n",
					len(values), len(values), x, y, n, ty)
				values = append(values, choose(p, values[a], values[b], values[x], values[y]))
			}
		}
		m := parse(t, "tt.func @f() {\n"+src.String()+"tt.return\n}")
		a := Module(m).Exact()
		if !slices.ContainsFunc(values[positive+1:], negative) {
			a = Module(m)
		}
		i := 0
		for op := range m.Op.Ops() {
			if op.NumResults() == 0 || ir.ElemOf(op.Result(0).Type) != ir.I32 {
				continue
			}
			info := a.Of(op.Result(0))
			if msg := violates(info, values[i]); msg != "" {
				t.Fatalf("seed %d: %s is %v, but the analysis says %s\n%s", seed, op, values[i], info, msg)
			}
			if info.Known {
				known++
			}
			if info.Contiguity[0] > 1 || info.Constancy[0] > 1 || info.Divisibility[0] > 1 {
				claims++
			}
			i++
		}
	}
	if known < 1000 || claims < 10000 {
		t.Errorf("%d values known, %d claims: the test shows little", known, claims)
	}
}

func fill(n int, f func(i int) int64) []int64 {
	v := make([]int64, n)
	for i := range v {
		v[i] = f(i)
	}
	return v
}

// compute applies an op to 32-bit numbers; not ok where the result is undefined or wraps around, which the
// analysis, like Triton's, takes not to happen to addresses.
func compute(name string, a, b []int64) ([]int64, bool) {
	out := make([]int64, len(a))
	for i := range a {
		x, y := a[i], b[i]
		div := strings.HasPrefix(name, "div") || strings.HasPrefix(name, "rem")
		if div && y == 0 || strings.HasPrefix(name, "sh") && (y < 0 || y > 31) ||
			strings.HasSuffix(name, "ui") && (x < 0 || y < 0) {
			return nil, false
		}
		switch name {
		case "addi":
			out[i] = x + y
		case "subi":
			out[i] = x - y
		case "muli":
			out[i] = x * y
		case "divsi", "divui":
			out[i] = x / y
		case "remsi", "remui":
			out[i] = x % y
		case "andi":
			out[i] = x & y
		case "ori":
			out[i] = x | y
		case "xori":
			out[i] = x ^ y
		case "shli":
			out[i] = x << y
		case "shrsi", "shrui":
			out[i] = x >> y
		case "maxsi", "maxui":
			out[i] = max(x, y)
		case "minsi", "minui":
			out[i] = min(x, y)
		}
		if out[i] != int64(int32(out[i])) {
			return nil, false
		}
	}
	return out, true
}

func choose(p string, a, b, x, y []int64) []int64 {
	holds := map[string]func(a, b int64) bool{
		"slt": func(a, b int64) bool { return a < b }, "sge": func(a, b int64) bool { return a >= b },
		"sgt": func(a, b int64) bool { return a > b }, "sle": func(a, b int64) bool { return a <= b },
		"eq": func(a, b int64) bool { return a == b },
		"ult": func(a, b int64) bool {
			return uint32(a) < uint32(b)
		}, "uge": func(a, b int64) bool { return uint32(a) >= uint32(b) },
	}[p]
	return fill(len(a), func(i int) int64 {
		if holds(a[i], b[i]) {
			return x[i]
		}
		return y[i]
	})
}

// violates says which claim of a is false of the numbers.
func violates(a Info, v []int64) string {
	contig, div, equal := a.Contiguity[0], a.Divisibility[0], a.Constancy[0]
	for i := range int64(len(v)) {
		if i%contig != 0 && v[i] != v[i-1]+1 {
			return fmt.Sprintf("element %d does not follow the one before", i)
		}
		if i%contig == 0 && div < MaxDivisor && v[i]%div != 0 || i%contig == 0 && div == MaxDivisor &&
			v[i] != 0 {
			return fmt.Sprintf("element %d is no multiple of %d", i, div)
		}
		if i%equal != 0 && v[i] != v[i-1] {
			return fmt.Sprintf("element %d is not equal to the one before", i)
		}
		if a.Known && v[i] != a.Value {
			return fmt.Sprintf("element %d is not %d", i, a.Value)
		}
	}
	return ""
}

// TestSigns: Natural takes no divisor to be positive, NotNegative all. Both look at a value once, or a chain
// of doublings would take them a time that grows exponentially.
func TestSigns(t *testing.T) {
	var text strings.Builder
	text.WriteString("tt.func @f(%n: i32) -> (i32, i32, i32) {\n  %d0 = tt.get_program_id x : i32\n" +
		"  %three = arith.constant 3 : i32\n")
	const doublings = 200
	for i := range doublings {
		fmt.Fprintf(&text, "  %%d%d = arith.addi %%d%d, %%d%[2]d : i32\n", i+1, i)
	}
	fmt.Fprintf(&text, "  %%by_three = arith.divsi %%d%d, %%three : i32\n", doublings)
	fmt.Fprintf(&text, "  %%by_n = arith.divsi %%d%d, %%n : i32\n", doublings)
	text.WriteString("  tt.return %by_three, %by_n, %n : i32, i32, i32\n}\n")
	m := parse(t, text.String())
	a := Module(m)
	for op := range m.Op.Ops() {
		if op.Def != tt.Return {
			continue
		}
		for i, want := range [][2]bool{{true, true}, {true, false}, {false, false}} {
			v := op.Operand(i)
			if got := [2]bool{a.NotNegative(v), a.Natural(v)}; got != want {
				t.Errorf("result %d: not negative, natural: %v, want %v", i, got, want)
			}
		}
	}
}
