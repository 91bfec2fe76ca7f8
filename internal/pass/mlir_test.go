package pass_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	mathd "github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestFoldsAgreeWithMLIR folds every operation of arith and math, for many constants of each type, and has
// mlir-opt do the same: where both fold, they fold to the same bits.
func TestFoldsAgreeWithMLIR(t *testing.T) {
	tool := txtest.MLIROpt(t)
	m := constantFuncs()
	names := map[string]*ir.OpDef{}
	for f := range m.Block().Ops() {
		names[f.Text("sym_name")] = f.Body(0).Last().Operand(0).Def().Def
	}
	cmd := exec.Command(tool, "--canonicalize", "-")
	cmd.Stdin = strings.NewReader(m.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("mlir-opt: %v", err)
	}
	passtest.Run(t, m, []pass.Pass{pass.Canonicalize})
	ours, theirs := returned(m), returned(passtest.Parse(t, "mlir-opt", string(out)))
	both, onlyUs, onlyThem := 0, map[string]bool{}, map[string]bool{}
	for name, def := range names {
		a, b := ours[name], theirs[name]
		switch {
		case a != nil && b != nil:
			both++
			if !agree(def, a, b) {
				t.Errorf("%s of %s: %s, mlir-opt says %s", def, name, a, b)
			}
		case a != nil:
			onlyUs[def.FullName()] = true
		case b != nil:
			onlyThem[def.FullName()] = true
		}
	}
	if both < 1000 {
		t.Errorf("only %d folds to compare", both)
	}
	t.Logf("%d folds agree; folded here and not there: %v; there and not here: %v", both, keys(onlyUs),
		keys(onlyThem))
}

func keys(m map[string]bool) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

// agree compares results: bit for bit, but any NaN equals any other, and elementary functions, which MLIR
// takes from the C library, may differ in the last place.
func agree(def *ir.OpDef, a, b ir.Attr) bool {
	x, ok := a.(*ir.FloatAttr)
	y, ok2 := b.(*ir.FloatAttr)
	switch {
	case a == b:
		return true
	case !ok || !ok2:
		return false
	case x.Value() != x.Value():
		return y.Value() != y.Value()
	}
	return def.Dialect == mathd.Dialect && max(x.Bits, y.Bits)-min(x.Bits, y.Bits) <= 1
}

// returned is, for each function that returns a constant, that constant.
func returned(m *ir.Module) map[string]ir.Attr {
	out := map[string]ir.Attr{}
	for f := range m.Block().Ops() {
		out[f.Text("sym_name")] = constfold.Of(f.Body(0).Last().Operand(0))
	}
	return out
}

// constantFuncs is a module of functions that each apply one operation to constants.
func constantFuncs() *ir.Module {
	r := rand.New(rand.NewPCG(7, 7))
	m := ir.NewModule(ir.Unknown)
	for _, d := range []*ir.Dialect{arith.Dialect, mathd.Dialect} {
		for def := range d.Ops() {
			if def == arith.Constant || len(def.Regions) > 0 || def == arith.ScalingExtF ||
				def == arith.ScalingTruncF {
				continue
			}
			for range 60 {
				addFunc(m, def, r)
			}
		}
	}
	return m
}

// addFunc adds a function that applies an operation, if chance picks types that fit.
func addFunc(m *ir.Module, def *ir.OpDef, r *rand.Rand) {
	elems := []ir.Type{ir.I1, ir.I8, ir.I16, ir.I32, ir.I64, ir.F16, ir.BF16, ir.F32, ir.F64}
	t := elems[r.IntN(len(elems))]
	f := ir.NewOp(funclike.State(funcd.Func, fmt.Sprintf("f%d", count(m)), ir.Func(nil, nil), "", false))
	b := ir.NewBuilder(f.Body(0))
	s := ir.State{Def: def}
	for i, slot := range def.Operands {
		want := t
		if def == arith.Select && i == 0 {
			want = ir.I1
		}
		if !slot.Ok(want) || slot.Arity != ir.One {
			return
		}
		s.Operands = append(s.Operands, arith.Const(b, randomConst(r, want)))
	}
	for _, a := range def.Attrs {
		if a.Kind.Enum != nil && !a.Optional {
			c := a.Kind.Enum.Cases
			s.Attrs = append(s.Attrs, ir.A(a.Name, ir.IntAttr(c[r.IntN(len(c))].Value, a.Kind.Type)))
		}
	}
	var err error
	if s.Results, err = def.Infer(&s); err != nil {
		s.Results = []ir.Type{elems[r.IntN(len(elems))]}
	}
	op := b.Create(s)
	b.Op(funcd.Return, []*ir.Value{op.Result(0)}, nil)
	funclike.SetType(f, ir.Func(nil, s.Results[:1]))
	if ir.Verify(f) == nil {
		m.Block().Append(f)
	}
}

// randomConst is a constant that is interesting, or anything.
func randomConst(r *rand.Rand, t ir.Type) ir.Attr {
	if ft, ok := t.(*ir.FloatType); ok {
		switch r.IntN(3) {
		case 0:
			return ir.FloatBits(r.Uint64()>>(64-ft.Format.Bits), ft)
		case 1:
			return ir.FloatOf(r.NormFloat64()*math.Exp2(float64(r.IntN(40)-20)), ft)
		}
		list := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, 2.5, -2.5, 127, -128, 255, 65504, 1e300,
			1e-310, math.Inf(1), math.Inf(-1), math.NaN()}
		return ir.FloatOf(list[r.IntN(len(list))], ft)
	}
	list := []int64{0, 1, -1, 2, 7, 8, 31, 32, 63, 127, -128, 128, 255, math.MaxInt32, math.MinInt32,
		math.MaxInt64, math.MinInt64}
	if r.IntN(3) == 0 {
		return ir.IntAttr(int64(r.Uint64()), t)
	}
	return ir.IntAttr(list[r.IntN(len(list))], t)
}

func count(m *ir.Module) int {
	n := 0
	for range m.Block().Ops() {
		n++
	}
	return n
}
