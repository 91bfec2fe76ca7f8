package view

import (
	"slices"
	"testing"

	_ "github.com/nereid-lang/nereid/internal/dialect/all"
)

const ttgirText = `#blocked = #ttg.blocked<{` +
	`sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ` +
	`ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%a: f32, %c: i1) {
    %0 = tt.splat %a : f32 -> tensor<16x32xf32, #blocked>
    %1 = tt.splat %c : i1 -> tensor<16x32xi1, #blocked>
    %2 = tt.splat %a : f32 -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %3 = ttg.local_alloc %0 : (tensor<16x32xf32, #blocked>) -> !ttg.memdesc<16x32xf32, #shared, #smem>
    tt.return
  }
}
`

func TestLayouts(t *testing.T) {
	list, err := Layouts([]byte(ttgirText))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 3 {
		t.Fatalf("%d layouts, want 3: %+v", len(list), list)
	}
	b := list[0]
	if b.Alias != "#blocked" || b.Uses != 2 || b.Elem != "f32" || b.Bits != 32 || b.Shared ||
		!slices.Equal(b.Shape, []int64{16, 32}) || !slices.Equal(b.Elems, []string{"f32", "i1"}) {
		t.Errorf("the first is %+v", b)
	}
	if v := b.Bases[0]; v.Name != "register" || len(v.Vectors) != 2 ||
		!slices.Equal(v.Vectors[1], []int{0, 2}) {
		t.Errorf("registers are %+v", v)
	}
	if a := list[1].Alias; a != "#ttg.slice<{dim = 1, parent = #blocked}>" {
		t.Errorf("the slice is called %s", a)
	}
	if s := list[2]; s.Alias != "#shared" || !s.Shared || s.Bases[0].Name != "offset" {
		t.Errorf("the buffer is %+v", s)
	}
	if _, err := Layouts([]byte("module {")); err == nil {
		t.Error("text that ends early has layouts")
	}
}
