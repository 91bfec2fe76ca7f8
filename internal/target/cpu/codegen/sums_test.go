package codegen

import (
	"bytes"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/ir"
)

// sumText is a loop that adds up blocks, and a reduction of the sums behind it. op is the operation of the
// loop, and begin what the sums begin with; inside is a second use of the sums in the loop, more one behind
// it.
func sumText(op, begin, inside, more string) string {
	text := `func.func @k(%n: i32, %x: tensor<4x64xf32>, %y: tensor<64xf32>) -> (f32, tensor<4xf32>) {
  %begin = arith.constant BEGIN : f32
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %e = tensor.empty() : tensor<64xf32>
  %init = linalg.fill ins(%begin : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %e2 = tensor.empty() : tensor<4x64xf32>
  %init2 = linalg.fill ins(%begin : f32) outs(%e2 : tensor<4x64xf32>) -> tensor<4x64xf32>
  %acc:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init, %b = %init2)
        -> (tensor<64xf32>, tensor<4x64xf32>) : i32 {
    %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
        affine_map<(d0) -> (d0)>],
        iterator_types = ["parallel"]}
        ins(%a, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%p: f32, %q: f32, %out: f32):
      %r = OP %p, %q : f32
      linalg.yield %r : f32
    } -> tensor<64xf32>
    %s2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>,
            affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]} ins(%x, %b : tensor<4x64xf32>, tensor<4x64xf32>)
        outs(%e2 : tensor<4x64xf32>) {
    ^bb0(%p: f32, %q: f32, %out: f32):
      %r = OP %p, %q : f32
      linalg.yield %r : f32
    } -> tensor<4x64xf32>
    INSIDE
    scf.yield %s, %s2 : tensor<64xf32>, tensor<4x64xf32>
  }
  %e0 = tensor.empty() : tensor<f32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%acc#0 : tensor<64xf32>) outs(%f0 : tensor<f32>) dimensions = [0]
  %one = tensor.extract %sum[] : tensor<f32>
  %e1 = tensor.empty() : tensor<4xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %rows = linalg.reduce { arith.addf } ins(%acc#1 : tensor<4x64xf32>) outs(%f1 : tensor<4xf32>)
      dimensions = [1]
  MORE
  return %one, %rows : f32, tensor<4xf32>
}`
	return strings.NewReplacer("OP", op, "BEGIN", begin, "INSIDE", inside, "MORE", more).Replace(text)
}

func folded(t *testing.T, text string) string {
	t.Helper()
	m, err := ir.Parse(diag.NewFileSet(), "sums.mlir", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	foldSums(m.Lookup("k"))
	if err := ir.Verify(m.Op); err != nil {
		t.Fatalf("after folding: %v", err)
	}
	var b bytes.Buffer
	if err := ir.Print(&b, m.Op, ir.PrintOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSumsAreFolded(t *testing.T) {
	text := folded(t, sumText("arith.addf", "0.0", "", ""))
	if !strings.Contains(text, "-> (f32, tensor<4xf32>)") {
		t.Errorf("the loop still carries blocks:\n%s", text)
	}
	loop := text[strings.Index(text, "scf.for"):strings.Index(text, "return")]
	if strings.Count(loop, "linalg.reduce") != 2 || strings.Index(loop, "scf.yield") < strings.LastIndex(loop,
		"linalg.reduce") {
		t.Errorf("the reductions are not in the loop:\n%s", text)
	}
}

// TestSumsThatStay: a loop carries the blocks whose elements it, or code behind it, needs. Its other sums are
// folded.
func TestSumsThatStay(t *testing.T) {
	const (
		both, first, second = "(tensor<64xf32>, tensor<4x64xf32>)", "(tensor<64xf32>, tensor<4xf32>)",
			"(f32, tensor<4x64xf32>)"
		block, rows = "%u = arith.addf VALUE, %y : tensor<64xf32>\n",
			"%v = arith.addf VALUE, %x : tensor<4x64xf32>\n"
	)
	use := func(line, value string) string { return strings.Replace(line, "VALUE", value, 1) }
	for name, c := range map[string]struct{ text, want string }{
		"another operation": {sumText("arith.mulf", "0.0", "", ""), both},
		"another beginning": {sumText("arith.addf", "1.0", "", ""), both},
		"looked at elsewhere": {sumText("arith.addf", "0.0", "", use(block, "%acc#0")+use(rows, "%acc#1")),
			both},
		"looked at in each round": {sumText("arith.addf", "0.0", use(block, "%s")+use(rows, "%s2"), ""),
			both},
		"looked at before each round": {sumText("arith.addf", "0.0", use(block, "%a")+use(rows, "%b"), ""),
			both},
		"one is looked at elsewhere":       {sumText("arith.addf", "0.0", "", use(block, "%acc#0")), first},
		"one is looked at in each round":   {sumText("arith.addf", "0.0", use(block, "%s"), ""), first},
		"rows are looked at in each round": {sumText("arith.addf", "0.0", use(rows, "%s2"), ""), second},
		"looked at in a branch": {sumText("arith.addf", "0.0",
			"%odd = arith.trunci %i : i32 to i1\nscf.if %odd {\n"+use(block, "%s")+"}", ""), first},
	} {
		if got := folded(t, c.text); !strings.Contains(got, "-> "+c.want) {
			t.Errorf("%s: the loop does not carry %s\n%s", name, c.want, got)
		}
	}
}
