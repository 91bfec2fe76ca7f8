package amd

import (
	"encoding/json"
	"slices"
	"testing"

	devamd "github.com/nereid-lang/nereid/internal/device/amd"
	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// givenKernel has parameters of all sizes.
const givenKernel = `module {
tt.func public @k(%p: !tt.ptr<i32>, %a: i32, %b: i64, %c: i16) {
%v = arith.extsi %c : i16 to i32
%w = arith.trunci %b : i64 to i32
%x = arith.addi %v, %w : i32
%y = arith.addi %x, %a : i32
tt.store %p, %y : !tt.ptr<i32>
tt.return
}
}
`

// givenInput is the kernel as a compiler gets it, with the code of another compiler or none.
func givenInput(t *testing.T, given *target.Given) *target.Input {
	t.Helper()
	m, err := ir.Parse(diag.NewFileSet(), "k.ttir", []byte(givenKernel))
	if err != nil {
		t.Fatal(err)
	}
	return &target.Input{Module: m, Kernel: "k", Options: target.Options{NumWarps: 1}, Given: given}
}

// TestGivenObject: a code object takes the place of one that we make if each of its parameters has the size
// that the kernel's has. It may have more behind them.
func TestGivenObject(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	c := Compiler{Chip: "gfx942"}
	made, err := c.CompileOnly(t.Context(), givenInput(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	object, err := made.(*target.Unloaded).Code()
	if err != nil {
		t.Fatal(err)
	}
	about, err := devamd.Kept(object)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{8, 4, 8, 2}; !slices.Equal(about.Params, want) {
		t.Fatalf("parameters of %v bytes, not %v", about.Params, want)
	}
	for i := range about.Params {
		other := *about
		other.Params = slices.Clone(about.Params)
		other.Params[i] *= 2
		if takes(object.Data, &other) == nil {
			t.Errorf("parameter %d of twice its size was taken", i)
		}
		other.Params = about.Params[:i]
		if err := takes(object.Data, &other); err != nil {
			t.Errorf("an object with more parameters: %v", err)
		}
	}
	other := *about
	other.Params = append(slices.Clone(about.Params), 8)
	if takes(object.Data, &other) == nil {
		t.Error("an object with too few parameters was taken")
	}
	meta, err := json.Marshal(about)
	if err != nil {
		t.Fatal(err)
	}
	given := &target.Given{Stage: stageCode, Text: object.Data, Meta: meta}
	if _, err := c.CompileOnly(t.Context(), givenInput(t, given)); err != nil {
		t.Errorf("the kernel's own object: %v", err)
	}
}
