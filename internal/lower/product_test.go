package lower

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestBothHalves multiplies as Philox does: where both halves of a product are wanted, one instruction
// makes them.
func TestBothHalves(t *testing.T) {
	for _, c := range []struct {
		name, text string
		wide       bool
	}{
		{"both", "%h = tt.mulhiui %u, %v : T\n%l = arith.muli %v, %u : T\n%w = arith.xori %h, %l : T", true},
		{"constant", "%c = arith.constant dense<-845247145> : T\n%h = tt.mulhiui %c, %v : T\n%l = " +
			"arith.muli %v, %c : T\n%s = arith.subi %h, %u : T\n%w = arith.xori %s, %l : T", true},
		{"others", "%c = arith.constant dense<-845247145> : T\n%h = tt.mulhiui %c, %v : T\n%l = " +
			"arith.muli %v, %u : T\n%w = arith.xori %h, %l : T", false},
		{"lower", "%w = arith.muli %v, %u : T", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole := func() *buf { return &buf{elem: ir.I32, n: mathN, lo: -1 << 31, hi: 1 << 31} }
			text := mathKernel("i32", c.text)
			runBoth(t, text, launch{"k", [3]int{1, 1, 1}, []any{whole(), whole(), whole()}}, 0)
			_, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 80)
			if got := bytes.Contains(ptx, []byte("mul.wide.u32")) &&
				!bytes.Contains(ptx, []byte("mul.lo")); got != c.wide {
				t.Errorf("one instruction for both halves: %v, expected %v\n%s", got, c.wide, ptx)
			}
		})
	}
}

// TestRoundsOfProducts: what a round makes of a product is the factor of the next, in 32 bits.
func TestRoundsOfProducts(t *testing.T) {
	text := "%c = arith.constant dense<-845247145> : T\n"
	v := "%v"
	for i := range 4 {
		h, l, x := fmt.Sprintf("%%h%d", i), fmt.Sprintf("%%l%d", i), fmt.Sprintf("%%x%d", i)
		text += h + " = tt.mulhiui %c, " + v + " : T\n" + l + " = arith.muli " + v + ", %c : T\n" +
			x + " = arith.xori " + h + ", " + l + " : T\n"
		v = x
	}
	text = mathKernel("i32", text+"%w = arith.xori "+v+", %u : T")
	whole := func() *buf { return &buf{elem: ir.I32, n: mathN, lo: -1 << 31, hi: 1 << 31} }
	runBoth(t, text, launch{"k", [3]int{1, 1, 1}, []any{whole(), whole(), whole()}}, 0)
	_, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 80)
	if bytes.Contains(ptx, []byte("mul.lo")) {
		t.Errorf("factors of 64 bits from the second round on\n%s", ptx)
	}
}
