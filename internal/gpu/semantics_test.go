package gpu_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/irgen"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
)

// outcome returns what a kernel of irgen leaves in its buffers. Sums of its numbers are exact in any order.
func outcome(t *testing.T, m *ir.Module, seed uint64) ([]byte, error) {
	return passtest.Outcome(t, m, seed, func(r *rand.Rand) float32 { return float32(r.IntN(64) - 32) })
}

// unchanged runs passes one by one over a kernel of irgen, which leaves what it left before.
func unchanged(t *testing.T, m *ir.Module, seed uint64, passes []pass.Pass) {
	t.Helper()
	want, err := outcome(t, m, seed)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, m)
	}
	for _, p := range passes {
		before := m.String()
		ctx := &pass.Context{Options: pass.Options{Verify: true}}
		if err := pass.Run(ctx, m, []pass.Pass{p}); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, before)
		}
		got, err := outcome(t, m, seed)
		if err != nil {
			t.Fatalf("seed %d after %s: %v\n%s", seed, p.Name, err, m)
		}
		if i := passtest.FirstDiff(want, got); i >= 0 {
			t.Fatalf("seed %d: %s changes element %d from %x to %x\n%s\nto\n%s", seed, p.Name, i,
				want[4*i:4*i+4], got[4*i:4*i+4], before, m)
		}
	}
}

// TestSemantics: random kernels leave the same bytes before and after each pass of the pipeline, and every
// pass leaves valid IR. NEREID_RANDOM=N tries N of them.
func TestSemantics(t *testing.T) {
	n := 80
	if s := os.Getenv("NEREID_RANDOM"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	conversions := 0
	for seed := range uint64(n) {
		m := randomKernel(t, seed)
		unchanged(t, m, seed, gpu.Pipeline(randomMachine(seed)))
		conversions += countOp(m, "ttg.convert_layout")
	}
	t.Logf("%d kernels, %d conversions left", n, conversions)
}

// TestScrambled puts random layouts between ops, and takes the conversions out again: kernels still do the
// same, and there are fewer conversions than before.
func TestScrambled(t *testing.T) {
	n := 80
	if s := os.Getenv("NEREID_RANDOM"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	before, after := 0, 0
	for seed := range uint64(n) {
		o := randomMachine(seed)
		o.NumWarps = 1 // so that most tensors have more elements than there are threads
		m := randomKernel(t, seed+1<<20)
		passtest.Run(t, m, []pass.Pass{gpu.ConvertTriton(o.Machine)})
		scramble(m, o, rand.New(rand.NewPCG(seed, 4)))
		before += countOp(m, "ttg.convert_layout")
		unchanged(t, m, seed, []pass.Pass{gpu.RemoveLayoutConversions, gpu.OptimizeThreadLocality,
			gpu.RemoveLayoutConversions})
		after += countOp(m, "ttg.convert_layout")
	}
	t.Logf("%d kernels, %d conversions, then %d", n, before, after)
	if before < 4*n || after > before/4 {
		t.Errorf("%d conversions, then %d, in %d kernels", before, after, n)
	}
}

// scramble gives ops with one layout for everything another one, with conversions before and after.
func scramble(m *ir.Module, o gpu.Options, r *rand.Rand) {
	var ops []*ir.Op
	for op := range m.Op.Ops() {
		one := op.Def.Has(ir.Elementwise) || op.Def.Has(ir.SameOperandsAndResultEncoding) ||
			op.Name() == "tt.load" || op.Name() == "tt.store"
		if one && op.Name() != "tt.scan" && r.IntN(2) == 0 {
			ops = append(ops, op)
		}
	}
	for _, op := range ops {
		shape := tensorShape(op)
		if shape == nil {
			continue
		}
		enc := randomBlocked(r, len(shape), o.NumWarps)
		b := ir.At(op)
		for i, v := range op.Operands() {
			if t, ok := v.Type.(*ir.TensorType); ok {
				op.SetOperand(i, b.Val(ttg.ConvertLayout, t.WithEncoding(enc), v))
			}
		}
		b.After(op)
		for _, v := range op.Results() {
			if t, ok := v.Type.(*ir.TensorType); ok {
				back := b.Op(ttg.ConvertLayout, []*ir.Value{v}, []ir.Type{t})
				v.Type = t.WithEncoding(enc)
				v.ReplaceUsesIf(back.Result(0), func(u *ir.Use) bool { return u.Owner() != back })
			}
		}
	}
}

func tensorShape(op *ir.Op) []int64 {
	for _, v := range slices.Concat(op.Operands(), op.Results()) {
		if t, ok := v.Type.(*ir.TensorType); ok {
			return t.Shape
		}
	}
	return nil
}

func randomBlocked(r *rand.Rand, rank, warps int) ir.Attr {
	split := func(n int) []int64 {
		v := slices.Repeat([]int64{1}, rank)
		for ; n > 1; n /= 2 {
			v[r.IntN(rank)] *= 2
		}
		return v
	}
	var order []int64
	for _, d := range r.Perm(rank) {
		order = append(order, int64(d))
	}
	return ttg.Blocked{SizePerThread: split(1 << r.IntN(3)), ThreadsPerWarp: split(32),
		WarpsPerCTA: split(warps), Order: order}.Attr()
}

// randomKernel is TTIR made of random bytes.
func randomKernel(t *testing.T, seed uint64) *ir.Module {
	r := rand.New(rand.NewPCG(seed, 9))
	entropy := make([]byte, 3000)
	for i := range entropy {
		entropy[i] = byte(r.Uint32())
	}
	m := irgen.Module(entropy, irgen.Options{Ops: 250, Depth: 5})
	if err := pass.Run(&pass.Context{}, m, pass.TTIR(pass.TTIROptions{NoDescriptors: true})); err != nil {
		t.Fatal(err)
	}
	return m
}

func randomMachine(seed uint64) gpu.Options {
	return gpu.Options{Machine: gpu.Machine{Target: []string{"cuda:80", "cuda:90"}[seed%2],
		NumWarps: 1 << (seed % 4)}, NumStages: 3, WarpGroups: true}
}
