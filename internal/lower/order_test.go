package lower

import (
	"bytes"
	"fmt"
	"regexp"
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

// TestBlocksApart: blocks of a descriptor that lie apart in one iteration of a loop may overlap in several.
// Stores of the copy engine are complete before it loads what they have written.
func TestBlocksApart(t *testing.T) {
	const (
		load  = "LOAD %d[%at, %c0] %m, %b, %true : DESC, BAR -> MEM\n"
		store = "STORE %d[%to, %c0] %m : DESC, MEM\n"
		loop  = "scf.for %at = %c0 to %n step %c16 : i32 {\n"
		below = "%to = arith.addi %at, %c16 : i32\n"
		above = "%to = arith.subi %at, %c16 : i32\n"
		part  = "%to = arith.addi %at, %c8 : i32\n"
		from  = "%at = arith.addi %n, %c0 : i32\n"
	)
	words := map[string]string{"cp.async.bulk.wait_group 0": "wait", "shared::cluster.global": "load",
		"tensor.2d.global": "store"}
	for _, c := range []struct{ name, body, want string }{
		{"apart", from + below + store + load, "store load"},
		{"apart, above", from + above + store + load, "store load"},
		{"overlap", from + part + store + load, "store wait load"},
		{"in a loop", loop + below + load + store + "}\n", "wait load store"},
		{"in a loop, above", loop + above + load + store + "}\n", "wait load store"},
		{"in a loop, stores first", loop + below + store + load + "}\n", "wait store load"},
		{"overlap in a loop", loop + part + store + load + "}\n", "store wait load"},
		{"in a loop within one", "scf.for %i = %c0 to %n step %c16 : i32 {\n" + loop + below + load + "}\n" +
			"%at = arith.addi %i, %c0 : i32\n" + below + store + "}\n",
			"wait load wait store"}, // the inner loop may have no iteration
		{"behind a loop", loop + below + store + "}\n" + strings.ReplaceAll(load, "%at", "%n"),
			"wait store wait load"},
	} {
		text := strings.NewReplacer("BODY", c.body).Replace(blocksKernel)
		text = strings.NewReplacer("LOAD", "ttng.async_tma_copy_global_to_local",
			"STORE", "ttng.async_tma_copy_local_to_global",
			"DESC", "!tt.tensordesc<tensor<16x64xf16, #shared>>",
			"BAR", "!ttg.memdesc<1xi64, #bar, #smem, mutable>",
			"MEM", "!ttg.memdesc<16x64xf16, #shared, #smem, mutable>").Replace(text)
		m := parseIR(t, "k.ttgir", []byte(text))
		k, err := Lower(m, "k", testOptions(m, 90))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range blockAccess.FindAllString(string(k.IR), -1) {
			got = append(got, words[w])
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, not %q", c.name, s, c.want)
		}
	}
}

var blockAccess = regexp.MustCompile(
	`cp\.async\.bulk\.wait_group 0|shared::cluster\.global|tensor\.2d\.global`)

// blocksKernel copies blocks of 16 rows from one place of a tensor to another.
const blocksKernel = `
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
    ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%d: DESC, %n: i32) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %c16 = arith.constant 16 : i32
    %m = ttg.local_alloc : () -> MEM
    %b = ttg.local_alloc : () -> BAR
    ttng.init_barrier %b, 1 : BAR
    BODY
    tt.return
  }
}
`
