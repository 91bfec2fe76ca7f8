package nvidia

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
)

// TestRecurs: a product of a sum that the loop carries makes a recurrence; sums that are only added to, as in
// matrix products, and numbers of rows that a product is scaled by, as in attention, do not.
func TestRecurs(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want bool
	}{
		"state": {`%h = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
    %v = tt.dot %a, %h, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %w = arith.truncf %v : tensor<64x64xf32> to tensor<64x64xf16>
    %next = tt.dot %a, %w, %sum : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %most = math.absf %top : tensor<64xf32>`, true},
		"sum": {`%v = tt.dot %a, %a, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %w = arith.truncf %v : tensor<64x64xf32> to tensor<64x64xf16>
    %next = tt.dot %a, %w, %sum : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %most = math.absf %top : tensor<64xf32>`, false},
		"rows": {`%v = tt.dot %a, %a, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %most = "tt.reduce"(%v) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<64x64xf32>) -> tensor<64xf32>
    %rows = tt.expand_dims %top {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %spread = tt.broadcast %rows : tensor<64x1xf32> -> tensor<64x64xf32>
    %p = arith.subf %v, %spread : tensor<64x64xf32>
    %w = arith.truncf %p : tensor<64x64xf32> to tensor<64x64xf16>
    %next = tt.dot %a, %w, %sum : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>`, false},
	} {
		text := strings.Replace(`module {
tt.func public @k(%n: i32, %a: tensor<64x64xf16>, %start: tensor<64xf32>) {
  %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %r:2 = scf.for %i = %n to %n step %n iter_args(%sum = %zero, %top = %start)
      -> (tensor<64x64xf32>, tensor<64xf32>) : i32 {
    BODY
    scf.yield %next, %most : tensor<64x64xf32>, tensor<64xf32>
  }
  tt.return
} }`, "BODY", c.body, 1)
		m, err := ir.Parse(diag.NewFileSet(), "k.ttir", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := recurs(m); got != c.want {
			t.Errorf("%s: %v, not %v", name, got, c.want)
		}
	}
}

func TestStridesOverGrid(t *testing.T) {
	for from, want := range map[string]bool{"%pid": true, "%zero": false} {
		text := `module { tt.func public @k(%n: i32) {
  %pid = tt.get_program_id x : i32
  %zero = arith.constant 0 : i32
  scf.for %i = ` + from + ` to %n step %n : i32 { }
  tt.return
} }`
		m, err := ir.Parse(diag.NewFileSet(), "k.ttir", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := stridesOverGrid(m); got != want {
			t.Errorf("a loop from %s on: %v", from, got)
		}
	}
}
