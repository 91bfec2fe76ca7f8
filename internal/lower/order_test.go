package lower

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestMergedPrograms: stores of one program are in order; those of programs that were merged need not be.
func TestMergedPrograms(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
	for second, want := range map[string]int{"0": 1, "1": 0} {
		text := moduleText(4, strings.ReplaceAll(`tt.func public @k(%x: !tt.ptr<i32>, %s: i32) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, ENC>
  %by = tt.splat %s : i32 -> tensor<128xi32, ENC>
  %j = arith.addi %i, %by : tensor<128xi32, ENC>
  %p = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, ENC>
  %a = tt.addptr %p, %i : tensor<128x!tt.ptr<i32>, ENC>, tensor<128xi32, ENC>
  %b = tt.addptr %p, %j : tensor<128x!tt.ptr<i32>, ENC>, tensor<128xi32, ENC>
  tt.store %a, %i {nereid.program = 0 : i32} : tensor<128x!tt.ptr<i32>, ENC>
  tt.store %b, %j {nereid.program = SECOND : i32} : tensor<128x!tt.ptr<i32>, ENC>
  tt.return
}
`, "ENC", enc))
		text = strings.Replace(text, "SECOND", second, 1)
		_, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 80)
		if got := bytes.Count(ptx, []byte("bar.sync")); got != want {
			t.Errorf("the second store is of program %s: %d barriers, not %d", second, got, want)
		}
	}
}

// TestReadBack: threads meet before they load what others have stored, and only then.
func TestReadBack(t *testing.T) {
	blocked := func(per int) string {
		return fmt.Sprintf("#ttg.blocked<{sizePerThread = [%d], threadsPerWarp = [32], warpsPerCTA = [4], "+
			"order = [0]}>", per)
	}
	for _, c := range []struct {
		name     string
		n        int
		from, to string // layouts of what is stored and of what is loaded
		other    bool   // it is loaded from somewhere else
		barriers int
	}{
		{"another layout", 512, blocked(1), blocked(4), false, 1},
		{"the same layout", 512, blocked(4), blocked(4), false, 0},
		{"threads with the same elements", 64, blocked(1), blocked(1), false, 0},
		{"another pointer", 512, blocked(1), blocked(4), true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			shape, from := []int{c.n}, "y"
			if c.other {
				from = "x"
			}
			double := func(v, enc string) string {
				return fmt.Sprintf("%%%s2 = arith.addi %%%s, %%%s : tensor<%dxi32, %s>\n", v, v, v, c.n, enc)
			}
			text := moduleText(4, "tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: "+
				"!tt.ptr<i32>) {\n"+
				offsetsText("a", shape, c.from)+accessText("x", "a", "v", shape, "i32", c.from, false)+
				double("v", c.from)+accessText("y", "a", "v2", shape, "i32", c.from, true)+
				offsetsText("b", shape, c.to)+accessText(from, "b", "w", shape, "i32", c.to, false)+
				double("w", c.to)+accessText("z", "b", "w2", shape, "i32", c.to, true)+
				"tt.return\n}\n")
			runBoth(t, text, launch{"k", [3]int{1, 1, 1},
				[]any{ints(ir.I32, c.n, 100), ints(ir.I32, c.n, 100), ints(ir.I32, c.n, 100)}}, 0)
			_, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 80)
			if got := bytes.Count(ptx, []byte("bar.sync")); got != c.barriers {
				t.Errorf("%d barriers, not %d", got, c.barriers)
			}
		})
	}
}
