package programs

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
)

// TestIsLastFirst: the last program's number is the number of programs minus 1, or plus -1, of the same axis;
// no other op or constant makes it.
func TestIsLastFirst(t *testing.T) {
	for _, test := range []struct {
		last, id string
		want     bool
	}{
		{"arith.subi %nx, %one", "%x", true},
		{"arith.addi %nx, %minus", "%x", true},
		{"arith.subi %ny, %one", "%y", true},
		{"arith.subi %nx, %minus", "%x", false},
		{"arith.addi %nx, %one", "%x", false},
		{"arith.muli %nx, %one", "%x", false},
		{"arith.muli %nx, %minus", "%x", false},
		{"arith.subi %nx, %two", "%x", false},
		{"arith.addi %nx, %two", "%x", false},
		{"arith.subi %nx, %a", "%x", false},
		{"arith.subi %nx, %one", "%y", false},
		{"arith.subi %nx, %one", "%a", false},
		{"arith.subi %a, %one", "%x", false},
	} {
		m := passtest.Parse(t, "f.mlir", fmt.Sprintf(`tt.func @f(%%p: !tt.ptr<i32>, %%a: i32) {
  %%one = arith.constant 1 : i32
  %%two = arith.constant 2 : i32
  %%minus = arith.constant -1 : i32
  %%x = tt.get_program_id x : i32
  %%y = tt.get_program_id y : i32
  %%nx = tt.get_num_programs x : i32
  %%ny = tt.get_num_programs y : i32
  %%last = %s : i32
  %%from = arith.subi %%last, %s : i32
  tt.store %%p, %%from : !tt.ptr<i32>
  tt.return
}`, test.last, test.id))
		store := ttgir.OpsOf(m.Op, tt.Store)[0]
		if got := ttgir.IsLastFirst(store.Operand(1).Def()); got != test.want {
			t.Errorf("%s, minus %s: %v", test.last, test.id, got)
		}
	}
}

// TestRenumber: IsLastFirst knows what renumber makes.
func TestRenumber(t *testing.T) {
	m := passtest.Parse(t, "f.mlir", `tt.func @f(%p: !tt.ptr<i32>) {
  %x = tt.get_program_id x : i32
  tt.store %p, %x : !tt.ptr<i32>
  tt.return
}`)
	renumber(ttgir.OpsOf(m.Op, tt.GetProgramID)[0])
	store := ttgir.OpsOf(m.Op, tt.Store)[0]
	if !ttgir.IsLastFirst(store.Operand(1).Def()) {
		t.Errorf("the number is %s", store.Operand(1).Def())
	}
}
