package gpu_test

import (
	"encoding/binary"
	"fmt"
	"math"
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
	"github.com/nereid-lang/nereid/internal/target/interp"
)

// outcome is what a kernel of irgen leaves in its buffers, as the interpreter runs it. Layouts mean nothing
// to it.
func outcome(t *testing.T, m *ir.Module, seed uint64) ([]byte, error) {
	p, err := interp.Compile(m, irgen.Name)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(seed, 2))
	mem := interp.NewMemory()
	var args []uint64
	var buffers [][]byte
	for i := range 4 {
		b := make([]byte, 0, 4*irgen.BufferLen)
		for range irgen.BufferLen {
			bits := uint32(r.IntN(2000) - 1000)
			if i%2 == 0 {
				bits = math.Float32bits(float32(r.IntN(64) - 32)) // sums of these are exact in any order
			}
			b = binary.LittleEndian.AppendUint32(b, bits)
		}
		buffers = append(buffers, b)
		args = append(args, mem.Alloc(b, fmt.Sprint("buffer", i)).Addr())
	}
	args = append(args, uint64(r.IntN(9)), uint64(uint32(r.IntN(2000)-1000)),
		uint64(math.Float32bits(float32(r.IntN(8)))), uint64(r.IntN(2)))
	if err := p.Run(t.Context(), mem, [3]int{1, 1, 1}, args,
		interp.Options{Workers: 1, MaxSteps: 1 << 20}); err != nil {
		return nil, err
	}
	return slices.Concat(buffers...), nil
}

func sameBytes(a, b []byte) int {
	for i := 0; i < len(a); i += 4 {
		x, y := binary.LittleEndian.Uint32(a[i:]), binary.LittleEndian.Uint32(b[i:])
		fx, fy := math.Float32frombits(x), math.Float32frombits(y)
		if nan := fx != fx && fy != fy; x != y && !nan {
			return i / 4
		}
	}
	return -1
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
		want, err := outcome(t, m, seed)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, m)
		}
		for _, p := range gpu.Pipeline(randomMachine(seed)) {
			before := m.String()
			if err := pass.Run(&pass.Context{Options: pass.Options{Verify: true}}, m,
				[]pass.Pass{p}); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, before)
			}
			got, err := outcome(t, m, seed)
			if err != nil {
				t.Fatalf("seed %d after %s: %v\n%s", seed, p.Name, err, m)
			}
			if i := sameBytes(want, got); i >= 0 {
				t.Fatalf("seed %d: %s changes element %d from %x to %x\n%s\nto\n%s", seed, p.Name, i,
					want[4*i:4*i+4], got[4*i:4*i+4], before, m)
			}
		}
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
		run(t, m, []pass.Pass{gpu.ConvertTriton(o.Machine)})
		scramble(m, o, rand.New(rand.NewPCG(seed, 4)))
		want, err := outcome(t, m, seed)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, m)
		}
		text := m.String()
		before += countOp(m, "ttg.convert_layout")
		for _, p := range []pass.Pass{gpu.RemoveLayoutConversions, gpu.OptimizeThreadLocality,
			gpu.RemoveLayoutConversions} {
			if err := pass.Run(&pass.Context{Options: pass.Options{Verify: true}}, m,
				[]pass.Pass{p}); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			got, err := outcome(t, m, seed)
			if err != nil {
				t.Fatalf("seed %d after %s: %v\n%s", seed, p.Name, err, m)
			}
			if i := sameBytes(want, got); i >= 0 {
				t.Fatalf("seed %d: %s changes element %d from %x to %x\n%s\nto\n%s", seed, p.Name, i,
					want[4*i:4*i+4], got[4*i:4*i+4], text, m)
			}
		}
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
