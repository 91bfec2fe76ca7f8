package programs

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
)

// TestGrowth: of random numbers made of the program's ids, arguments and constants, those that growth says do
// not depend on the program along the first axis do not, and those that it says grow never fall, over
// programs and arguments at random. It says so of many.
func TestGrowth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	said := map[int]int{}
	for range 300 {
		m := randomNumbers(t, r)
		fn := ttgir.OpsOf(m.Op, tt.Func)[0]
		of := ir.Once(growth)
		values := map[*ir.Value][]int64{} // for each program
		for range 4 {
			env := []int64{r.Int64N(9) - 4, r.Int64N(40), int64(r.IntN(3))}
			for pid := range int64(8) {
				for op := range fn.Body(0).Ops() {
					if op.NumResults() == 1 {
						values[op.Result(0)] = append(values[op.Result(0)], evaluate(op, pid, env, values))
					}
				}
			}
		}
		for v, list := range values {
			g := of(v)
			said[g]++
			for i := 1; i < len(list); i++ {
				if i%8 != 0 && (g == 0 && list[i] != list[i-1] || g == 1 && list[i] < list[i-1]) {
					t.Fatalf("%s: growth is %d, values are %v in\n%s", v.Def(), g, list[i-1:i+1], m)
				}
			}
		}
	}
	if said[0] < 300 || said[1] < 300 {
		t.Errorf("growth knows too little: %v", said)
	}
}

// randomNumbers returns a function of two arguments and a dozen numbers.
func randomNumbers(t *testing.T, r *rand.Rand) *ir.Module {
	var b strings.Builder
	b.WriteString("tt.func @f(%a: i32, %b: i32) {\n%v0 = tt.get_program_id x : i32\n" +
		"%v1 = tt.get_program_id y : i32\n%v2 = tt.get_num_programs x : i32\n")
	n := 3
	name := func() string {
		if i := r.IntN(n + 2); i < n {
			return fmt.Sprintf("%%v%d", i)
		}
		return []string{"%a", "%b"}[r.IntN(2)]
	}
	for range 12 {
		if r.IntN(4) == 0 {
			fmt.Fprintf(&b, "%%v%d = arith.constant %d : i32\n", n, r.IntN(7)-2)
			n++
			continue
		}
		op := []string{"addi", "subi", "muli", "divsi", "minsi", "maxsi", "andi", "remsi"}[r.IntN(8)]
		fmt.Fprintf(&b, "%%v%d = arith.%s %s, %s : i32\n", n, op, name(), name())
		n++
	}
	b.WriteString("tt.return\n}\n")
	m, err := ir.Parse(&diag.FileSet{}, "f.mlir", []byte(b.String()))
	if err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	return m
}

// evaluate returns the number that an operation makes in a program; the last value of each operand is that
// program's. Division by zero gives zero.
func evaluate(op *ir.Op, pid int64, env []int64, values map[*ir.Value][]int64) int64 {
	arg := func(i int) int64 {
		v := op.Operand(i)
		if v.Def() == nil {
			return env[v.Index()]
		}
		return values[v][len(values[v])-1]
	}
	switch op.Def {
	case tt.GetProgramID:
		return []int64{pid, env[2]}[op.IntOr("axis", 0)]
	case tt.GetNumPrograms:
		return 8
	case arith.Constant:
		n, _ := arith.IntOf(op.Result(0))
		return n
	}
	switch x, y := arg(0), arg(1); op.Def {
	case arith.AddI:
		return x + y
	case arith.SubI:
		return x - y
	case arith.MulI:
		return x * y
	case arith.MinSI:
		return min(x, y)
	case arith.MaxSI:
		return max(x, y)
	case arith.AndI:
		return x & y
	case arith.DivSI:
		if y != 0 {
			return x / y
		}
	case arith.RemSI:
		if y != 0 {
			return x % y
		}
	}
	return 0
}
