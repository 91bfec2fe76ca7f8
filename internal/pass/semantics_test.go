package pass_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/irgen"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/target/interp"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// outcome is what a kernel of irgen leaves in its buffers, as the interpreter runs it.
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
				bits = math.Float32bits(float32(r.NormFloat64() * 10))
			}
			b = binary.LittleEndian.AppendUint32(b, bits)
		}
		buffers = append(buffers, b)
		args = append(args, mem.Alloc(b, fmt.Sprint("buffer", i)).Addr())
	}
	args = append(args, uint64(r.IntN(9)), uint64(uint32(r.IntN(2000)-1000)),
		uint64(math.Float32bits(float32(r.NormFloat64()))), uint64(r.IntN(2)))
	if err := p.Run(t.Context(), mem, [3]int{1, 1, 1}, args,
		interp.Options{Workers: 1, MaxSteps: 1 << 20}); err != nil {
		return nil, err
	}
	return slices.Concat(buffers...), nil
}

// TestSemantics: random kernels leave the same bytes before and after each pass. NEREID_RANDOM=N tries N of
// them.
func TestSemantics(t *testing.T) {
	n := 300
	if s := os.Getenv("NEREID_RANDOM"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	for seed := range uint64(n) {
		checkSemantics(t, randomBytes(5000+seed, 400), seed)
	}
}

func checkSemantics(t *testing.T, entropy []byte, seed uint64) {
	m := irgen.Module(entropy, irgen.Options{})
	want, err := outcome(t, m, seed)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, m)
	}
	all := pass.All()
	var passes []pass.Pass
	for _, b := range entropy[:min(3, len(entropy))] {
		passes = append(passes, all[int(b)%len(all)])
	}
	passes = append(passes, pass.TTIR(pass.TTIROptions{NoDescriptors: true, HoistLoads: true})...)
	for _, p := range passes {
		before := m.Clone()
		if err := pass.Run(&pass.Context{}, m, []pass.Pass{p}); err != nil {
			t.Fatal(err)
		}
		got, err := outcome(t, m, seed)
		if err != nil {
			t.Fatalf("seed %d after %s: %v\n%s", seed, p.Name, err, m)
		}
		if i := firstDiff(want, got); i >= 0 {
			t.Fatalf("seed %d: %s changes element %d from %x to %x\n%s", seed, p.Name, i, want[4*i:4*i+4],
				got[4*i:4*i+4], bisect(t, before, p, seed, want))
		}
	}
}

// bisect finds the rewrite that changes what a kernel does, and shows it.
func bisect(t *testing.T, before *ir.Module, p pass.Pass, seed uint64, want []byte) string {
	with := func(limit int) *ir.Module {
		m := before.Clone()
		ctx := &pass.Context{Options: pass.Options{RewriteLimit: limit}}
		if err := pass.Run(ctx, m, []pass.Pass{p}); err != nil {
			t.Fatal(err)
		}
		return m
	}
	last := before
	for limit := 1; limit < 10000; limit++ {
		m := with(limit)
		got, err := outcome(t, m, seed)
		if err != nil || firstDiff(want, got) >= 0 {
			return fmt.Sprintf("rewrite %d (%v):\n%s\n%s", limit, err,
				txtest.Diff(last.String(), m.String()), last)
		}
		last = m
	}
	return before.String()
}

// firstDiff is the first element of four bytes that differs, or -1. All NaNs are equal.
func firstDiff(a, b []byte) int {
	for i := 0; i < len(a); i += 4 {
		x, y := binary.LittleEndian.Uint32(a[i:]), binary.LittleEndian.Uint32(b[i:])
		nan := i/(4*irgen.BufferLen)%2 == 0 && math.Float32frombits(x) != math.Float32frombits(x) &&
			math.Float32frombits(y) != math.Float32frombits(y)
		if x != y && !nan {
			return i / 4
		}
	}
	return -1
}
