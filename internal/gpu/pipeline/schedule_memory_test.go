package pipeline

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// conflictText has an op that accesses memory, or may do anything, on each line of the kernel but the first.
const conflictText = `module {
  tt.func private @other(%p: !tt.ptr<f32>)
  tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32, %v: f32, %b: i1) {
    %a = tt.load %x : !tt.ptr<f32>
    %c = tt.load %y : !tt.ptr<f32>
    tt.store %x, %v : !tt.ptr<f32>
    tt.store %y, %v : !tt.ptr<f32>
    %o = tt.atomic_rmw fadd, relaxed, gpu, %y, %v, %b : (!tt.ptr<f32>, f32, i1) -> f32
    %i = tt.elementwise_inline_asm "x" {constraints = "=r,r", packed_element = 1 : i32, pure = false}
        %n : i32 -> i32
    %j = tt.elementwise_inline_asm "x" {constraints = "=r,r", packed_element = 1 : i32, pure = true}
        %n : i32 -> i32
    tt.call @other(%y) : (!tt.ptr<f32>) -> ()
    scf.if %b {
      tt.store %x, %v : !tt.ptr<f32>
    }
    tt.return
  }
}`

// TestConflict compares each op with a load of x and one of y, with a store to y, and with one that may do
// anything: what may change memory keeps its place among all that access the same, and what may do anything
// among all that access any.
func TestConflict(t *testing.T) {
	m, err := ir.Parse(diag.NewFileSet(), "k.ttir", []byte(conflictText))
	if err != nil {
		t.Fatal(err)
	}
	fn := m.Lookup("k")
	at := address.New(fn)
	var list []*ir.Op
	for op := range fn.Body(0).Ops() {
		if op.Def != tt.Return {
			list = append(list, op)
		}
	}
	names := []string{"load x", "load y", "store x", "store y", "atomic y", "asm", "pure asm", "call", "branch"}
	if len(list) != len(names) {
		t.Fatalf("%d ops, not %d", len(list), len(names))
	}
	const loadX, loadY, storeY, asm = 0, 1, 3, 5
	for other, with := range map[int]string{ // a letter for each op that conflicts
		loadX:  "..x..x.xx",
		loadY:  "...xxx.x.",
		storeY: ".xxxxx.xx",
		asm:    "xxxxxx.xx",
	} {
		for i, op := range list {
			a, b := AccessesOf(list[other]), AccessesOf(op)
			want := with[i] == 'x'
			if got := Conflict(at, a, b); got != want || Conflict(at, b, a) != want {
				t.Errorf("%s and %s: %v, not %v", names[other], names[i], got, want)
			}
		}
	}
}
