package lower

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// shiftedLoop is a pipeline of three stages that loads into registers: an iteration stores the block that was
// loaded two iterations before. LOOP and END are a for, or a while that counts.
const shiftedLoop = `tt.func public @k(%x: !tt.ptr<ELEM>, %y: !tt.ptr<ELEM>, %n: i32) {
%zero = arith.constant 0 : i32
%one = arith.constant 1 : i32
%size = arith.constant SIZE : i32
%lanes = tt.make_range {end = SIZE : i32, start = 0 : i32} : tensor<SIZExi32, #reg>
%xs = tt.splat %x : !tt.ptr<ELEM> -> tensor<SIZEx!tt.ptr<ELEM>, #reg>
%ys = tt.splat %y : !tt.ptr<ELEM> -> tensor<SIZEx!tt.ptr<ELEM>, #reg>
%from = tt.addptr %xs, %lanes : tensor<SIZEx!tt.ptr<ELEM>, #reg>, tensor<SIZExi32, #reg>
%to = tt.addptr %ys, %lanes : tensor<SIZEx!tt.ptr<ELEM>, #reg>, tensor<SIZExi32, #reg>
%a0 = tt.load %from : tensor<SIZEx!tt.ptr<ELEM>, #reg>
%next = tt.splat %size : i32 -> tensor<SIZExi32, #reg>
%from1 = tt.addptr %from, %next : tensor<SIZEx!tt.ptr<ELEM>, #reg>, tensor<SIZExi32, #reg>
%b0 = tt.load %from1 : tensor<SIZEx!tt.ptr<ELEM>, #reg>
LOOP
  %at = arith.muli %i, %size : i32
  %ats = tt.splat %at : i32 -> tensor<SIZExi32, #reg>
  %into = tt.addptr %to, %ats : tensor<SIZEx!tt.ptr<ELEM>, #reg>, tensor<SIZExi32, #reg>
  tt.store %into, %a : tensor<SIZEx!tt.ptr<ELEM>, #reg>
  %ahead = tt.addptr %from1, %ats : tensor<SIZEx!tt.ptr<ELEM>, #reg>, tensor<SIZExi32, #reg>
  %further = tt.addptr %ahead, %next : tensor<SIZEx!tt.ptr<ELEM>, #reg>, tensor<SIZExi32, #reg>
  %c = tt.load %further : tensor<SIZEx!tt.ptr<ELEM>, #reg>
END
tt.return
}
`

var shiftedForms = map[string][2]string{
	"for": {`%r:2 = scf.for %i = %zero to %n step %one iter_args(%a = %a0, %b = %b0)
-> (tensor<SIZExELEM, #reg>, tensor<SIZExELEM, #reg>) : i32 {`,
		`  scf.yield %b, %c : tensor<SIZExELEM, #reg>, tensor<SIZExELEM, #reg>
}`},
	"while": {`%r:3 = scf.while (%j = %zero, %p = %a0, %q = %b0)
: (i32, tensor<SIZExELEM, #reg>, tensor<SIZExELEM, #reg>)
-> (i32, tensor<SIZExELEM, #reg>, tensor<SIZExELEM, #reg>) {
  %more = arith.cmpi slt, %j, %n : i32
  scf.condition(%more) %j, %p, %q : i32, tensor<SIZExELEM, #reg>, tensor<SIZExELEM, #reg>
} do {
^bb0(%i: i32, %a: tensor<SIZExELEM, #reg>, %b: tensor<SIZExELEM, #reg>):`,
		`  %j1 = arith.addi %i, %one : i32
  scf.yield %j1, %b, %c : i32, tensor<SIZExELEM, #reg>, tensor<SIZExELEM, #reg>
}`},
}

// TestShifted: elements of 8 and 16 bits that a loop passes between its arguments are phis of words as soon
// as they are many: the SLP vectorizer's time grows with the third power of their phis' number. Few elements
// are left to it, and wide ones are phis of their own.
func TestShifted(t *testing.T) {
	for _, test := range []struct {
		elem     string
		typ      ir.Type
		regs     int    // registers of a block in each thread
		phi      string // type of the phis
		elements int    // of a phi
	}{
		{"bf16", ir.BF16, 64, "i32", 2}, {"f16", ir.F16, 64, "i32", 2}, {"i8", ir.I8, 64, "i32", 4},
		{"bf16", ir.BF16, 32, "bfloat", 1}, {"f32", ir.F32, 64, "float", 1},
	} {
		for form, parts := range shiftedForms {
			t.Run(fmt.Sprint(test.elem, "/", test.regs, "/", form), func(t *testing.T) {
				size := test.regs * 32
				text := strings.NewReplacer("LOOP", parts[0], "END", parts[1]).Replace(shiftedLoop)
				text = strings.NewReplacer("SIZE", fmt.Sprint(size), "ELEM", test.elem).Replace(text)
				text = fmt.Sprintf("#reg = #ttg.blocked<{sizePerThread = [%d], threadsPerWarp = [32], "+
					"warpsPerCTA = [1], order = [0]}>\n", 8) + moduleText(1, text)
				blocks := []any{floats(test.typ, 8*size), floats(test.typ, 8*size), 5}
				runBoth(t, text, launch{"k", [3]int{1, 1, 1}, blocks}, 0)
				k, _ := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 80)
				phis := regexp.MustCompile(`= phi `+test.phi+` `).FindAll(k.IR, -1)
				want := 2 * test.regs / test.elements
				if test.phi == "i32" { // and the loop's counter
					want++
				}
				if len(phis) != want {
					t.Errorf("%d phis of %s, not %d\n%s", len(phis), test.phi, want, clip(k.IR))
				}
			})
		}
	}
}
