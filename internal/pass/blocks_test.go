package pass_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/target/interp"
)

// TestBlocksSemantics: functions of a few blocks, in loops too, some of them copies of others, some with
// values of blocks before them, do the same after the passes that tidy blocks.
func TestBlocksSemantics(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 3))
	shorter := 0
	for range 300 {
		text := randomBlocks(r)
		m, err := ir.Parse(&diag.FileSet{}, "k.mlir", []byte(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		want, before := blocksOutcome(t, m), strings.Count(m.String(), "^bb")
		for _, p := range []pass.Pass{pass.Canonicalize, pass.Combine} {
			if err := pass.Run(&pass.Context{Options: pass.Options{Verify: true}}, m,
				[]pass.Pass{p}); err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			if got := blocksOutcome(t, m); got != want {
				t.Fatalf("%s makes %v of %v:\n%s\n%s", p.Name, got, want, text, m)
			}
		}
		if strings.Count(m.String(), "^bb") < before {
			shorter++
		}
	}
	if shorter < 30 {
		t.Errorf("%d of 300 functions became shorter", shorter)
	}
}

// blockGraphs have, for each block, those that follow it: a block with two chooses by a sum in memory, one
// with one goes on until the fuel in memory is used up. Every loop has one of these.
var blockGraphs = [][][]int{
	{{1}, {2, 3}, {3}, {1}}, {{1, 2}, {3}, {3}, {0}}, {{1, 2}, {2, 3}, {3}, {1}}, {{1, 2}, {0}, {0}},
	{{1}, {2}, {3, 4}, {1}, {2}}, {{1, 2}, {3, 4}, {3, 4}, {4}, {0}},
}

// randomBlocks returns a function that comes to its first block in two ways, and whose blocks each add a
// value to a sum and hand a value on: the block's argument, a new value, or the argument of a block that
// control always passes through before. Some blocks are copies of others.
func randomBlocks(r *rand.Rand) string {
	next := blockGraphs[r.IntN(len(blockGraphs))]
	var b strings.Builder
	b.WriteString("tt.func public @k(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32) {\n" +
		"  %one = arith.constant 1 : i32\n  %three = arith.constant 3 : i32\n" +
		"  %zero = arith.constant 0 : i32\n  %rest = arith.remsi %n, %three : i32\n" +
		"  %c = arith.cmpi eq, %rest, %zero : i32\n  cf.cond_br %c, ^x, ^y\n" +
		"^x:\n  tt.store %p, %n : !tt.ptr<i32>\n  cf.br ^b0(%n : i32)\n" +
		"^y:\n  tt.store %p, %one : !tt.ptr<i32>\n  cf.br ^b0(%three : i32)\n")
	for i := range next {
		like := r.IntN(2) == 0 // it has no value but its own, as its copies do
		value := func() string {
			list := passedBefore(next, i)
			if like || len(list) == 0 || r.IntN(3) == 0 {
				return "%a$"
			}
			return fmt.Sprintf("%%a%d", list[r.IntN(len(list))])
		}
		text := "^b$(%a$: i32):\n  %s$ = tt.load %p : !tt.ptr<i32>\n  %t$ = arith.muli %s$, %three : i32\n" +
			"  %u$ = arith.addi %t$, " + value() + " : i32\n  tt.store %p, %u$ : !tt.ptr<i32>\n"
		if len(next[i]) == 1 {
			text += "  %f$ = tt.load %q : !tt.ptr<i32>\n  %g$ = arith.subi %f$, %one : i32\n" +
				"  tt.store %q, %g$ : !tt.ptr<i32>\n  %c$ = arith.cmpi sgt, %g$, %zero : i32\n" +
				fmt.Sprintf("  cf.cond_br %%c$, ^b%d(%%u$ : i32), ^end\n", next[i][0])
		} else {
			text += "  %f$ = arith.andi %u$, %three : i32\n  %c$ = arith.cmpi sgt, %f$, %one : i32\n" +
				fmt.Sprintf("  cf.cond_br %%c$, ^b%d(%%u$ : i32), ^b%d(%s : i32)\n", next[i][0], next[i][1],
					value())
		}
		b.WriteString(strings.ReplaceAll(text, "$", fmt.Sprint(i)))
	}
	return b.String() + "^end:\n  tt.return\n}\n"
}

// passedBefore returns the blocks other than i that control passes through on every way from the first to i.
func passedBefore(next [][]int, i int) (out []int) {
	for j := range next {
		reached, work := map[int]bool{j: true}, []int{0}
		for len(work) > 0 {
			at := work[0]
			work = work[1:]
			if !reached[at] {
				reached[at] = true
				work = append(work, next[at]...)
			}
		}
		if j != i && !reached[i] {
			out = append(out, j)
		}
	}
	return out
}

// blocksOutcome returns the sum that a function leaves for some fuels and arguments.
func blocksOutcome(t *testing.T, m *ir.Module) (out string) {
	t.Helper()
	p, err := interp.Compile(m, "k")
	if err != nil {
		t.Fatal(err)
	}
	for _, fuel := range []uint32{1, 2, 3, 7, 12} {
		mem := interp.NewMemory()
		sum, left := make([]byte, 4), binary.LittleEndian.AppendUint32(nil, fuel)
		args := []uint64{mem.Alloc(sum, "sum").Addr(), mem.Alloc(left, "fuel").Addr(), uint64(fuel + 5)}
		if err := p.Run(context.Background(), mem, [3]int{1, 1, 1}, args,
			interp.Options{Workers: 1, MaxSteps: 1 << 16}); err != nil {
			t.Fatalf("%v in\n%s", err, m)
		}
		out += fmt.Sprint(binary.LittleEndian.Uint32(sum), " ")
	}
	return out
}
