package gpu

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
)

// TestTriedTMA: descriptors that have not run on hardware are told apart.
func TestTriedTMA(t *testing.T) {
	host := func(desc string) string { return "tt.func public @k(%d: !tt.tensordesc<" + desc + ">) { tt.return }" }
	made := func(desc string) string {
		return `tt.func public @k(%p: !tt.ptr<f16>, %m: i32, %s: i64) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%m, %m], [%s, %one] : !tt.ptr<f16>, !tt.tensordesc<` + desc + `>
  tt.return
}`
	}
	for body, want := range map[string]bool{
		host("tensor<64x64xf16>"): true, host("tensor<4x8xf32>"): true, host("tensor<8x16xi8>"): false, host("tensor<64xf16>"): false,
		host("tensor<2x4x8xf32>"): false, made("tensor<64x32xf16>"): true, made("tensor<64x16xf16>"): false,
	} {
		m, err := ir.Parse(diag.NewFileSet(), "k.ttir", []byte("module { "+body+" }"))
		if err != nil {
			t.Fatal(err)
		}
		if got := TriedTMA(m); got != want {
			t.Errorf("%s: %v", body, got)
		}
	}
}
