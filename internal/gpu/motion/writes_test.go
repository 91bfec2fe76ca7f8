package motion

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
)

// TestWritesBetween: of the ops behind the start, each up to the end counts, the end too; ops behind it do
// not, nor does the start itself.
func TestWritesBetween(t *testing.T) {
	m := passtest.Parse(t, "f.mlir", `tt.func @f(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
  %a = tt.load %p : !tt.ptr<i32>
  %b = tt.load %p : !tt.ptr<i32>
  %c = arith.addi %a, %b : i32
  tt.store %q, %c : !tt.ptr<i32>
  %d = tt.load %p : !tt.ptr<i32>
  %e = arith.addi %c, %d : i32
  tt.store %q, %e : !tt.ptr<i32>
  tt.return
}`)
	loads, stores := ttgir.OpsOf(m.Op, tt.Load), ttgir.OpsOf(m.Op, tt.Store)
	a, b, d := loads[0], loads[1], loads[2]
	sum := b.Next()
	for _, c := range []struct {
		what  string
		wrote bool
		want  bool
	}{
		{"load, load", WritesBetween(a, b), false},
		{"load, load, sum", WritesBetween(a, sum), false},
		{"load, load, sum, store", WritesBetween(a, stores[0]), true},
		{"sum, store", WritesBetween(sum, stores[0]), true},
		{"load, load, sum, store, load", WritesBetween(a, d), true},
		{"store, load", WritesBetween(stores[0], d), false},
		{"store, load, sum", WritesBetween(stores[0], d.Next()), false},
		{"load, sum", WritesBetween(d, d.Next()), false},
		{"an end that does not follow", WritesBetween(d, a), true},
	} {
		if c.wrote != c.want {
			t.Errorf("%s: %t, want %t", c.what, c.wrote, c.want)
		}
	}
}
