package scf_test

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/ir"
)

// TestBuild makes a function with each kind of loop and branch, and reads its text back.
func TestBuild(t *testing.T) {
	m := ir.NewModule(nil)
	fn := ir.NewBuilder(m.Block()).Create(funclike.State(funcd.Func, "f",
		ir.Func([]ir.Type{ir.I32, ir.I1}, []ir.Type{ir.I32}), "private", false))
	n, c := fn.Body(0).Arg(0), fn.Body(0).Arg(1)
	b := ir.NewBuilder(fn.Body(0))

	loop := scf.NewFor(b, n, n, n, []*ir.Value{n})
	in := ir.NewBuilder(loop.Body(0))
	scf.MakeYield(in, in.Val(arith.AddI, ir.I32, scf.IV(loop), scf.IterArgs(loop)[0]))

	branch := scf.NewIf(b, c, []ir.Type{ir.I32}, true)
	for i := range 2 {
		scf.MakeYield(ir.NewBuilder(branch.Body(i)), loop.Result(0))
	}

	while := scf.NewWhile(b, []*ir.Value{branch.Result(0)}, []ir.Type{ir.I32})
	ir.NewBuilder(while.Body(0)).Op(scf.Condition, []*ir.Value{c, while.Body(0).Arg(0)}, nil)
	scf.MakeYield(ir.NewBuilder(while.Body(1)), while.Body(1).Arg(0))
	b.Op(funcd.Return, while.Results(), nil)

	if err := ir.Verify(m.Op); err != nil {
		t.Fatal(err)
	}
	want := `module {
  func.func private @f(%arg0: i32, %arg1: i1) -> i32 {
    %0 = scf.for %arg2 = %arg0 to %arg0 step %arg0 iter_args(%arg3 = %arg0) -> (i32)  : i32 {
      %3 = arith.addi %arg2, %arg3 : i32
      scf.yield %3 : i32
    }
    %1 = scf.if %arg1 -> (i32) {
      scf.yield %0 : i32
    } else {
      scf.yield %0 : i32
    }
    %2 = scf.while (%arg2 = %1) : (i32) -> i32 {
      scf.condition(%arg1) %arg2 : i32
    } do {
    ^bb0(%arg2: i32):
      scf.yield %arg2 : i32
    }
    return %2 : i32
  }
}`
	if got := m.String(); got != want {
		t.Errorf("got:\n%s", got)
	}
	if scf.LowerBound(loop) != n || scf.UpperBound(loop) != n || scf.Step(loop) != n ||
		scf.Inits(loop)[0] != n {
		t.Error("the parts of the loop")
	}
}
