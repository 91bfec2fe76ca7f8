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

	"github.com/nereid-lang/nereid/internal/backend/interp"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/irgen"
	"github.com/nereid-lang/nereid/internal/pass"
)

// outcome is what a kernel of irgen leaves in its buffers, as the interpreter runs it. Layouts mean nothing to it.
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
	args = append(args, uint64(r.IntN(9)), uint64(uint32(r.IntN(2000)-1000)), uint64(math.Float32bits(float32(r.IntN(8)))), uint64(r.IntN(2)))
	if err := p.Run(t.Context(), mem, [3]int{1, 1, 1}, args, interp.Options{Workers: 1, MaxSteps: 1 << 20}); err != nil {
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

// TestSemantics: random kernels leave the same bytes before and after each pass of the pipeline, and every pass leaves valid
// IR. NEREID_RANDOM=N tries N of them.
func TestSemantics(t *testing.T) {
	n := 150
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
			if err := pass.Run(&pass.Context{Options: pass.Options{Verify: true}}, m, []pass.Pass{p}); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, before)
			}
			got, err := outcome(t, m, seed)
			if err != nil {
				t.Fatalf("seed %d after %s: %v\n%s", seed, p.Name, err, m)
			}
			if i := sameBytes(want, got); i >= 0 {
				t.Fatalf("seed %d: %s changes element %d from %x to %x\n%s\nto\n%s", seed, p.Name, i, want[4*i:4*i+4], got[4*i:4*i+4], before, m)
			}
		}
		conversions += countOp(m, "ttg.convert_layout")
	}
	t.Logf("%d kernels, %d conversions left", n, conversions)
}

// randomKernel is TTIR made of random bytes.
func randomKernel(t *testing.T, seed uint64) *ir.Module {
	r := rand.New(rand.NewPCG(seed, 9))
	entropy := make([]byte, 400)
	for i := range entropy {
		entropy[i] = byte(r.Uint32())
	}
	m := irgen.Module(entropy, irgen.Options{})
	if err := pass.Run(&pass.Context{}, m, pass.TTIR(pass.TTIROptions{NoDescriptors: true})); err != nil {
		t.Fatal(err)
	}
	return m
}

func randomMachine(seed uint64) gpu.Options {
	return gpu.Options{Machine: gpu.Machine{Target: []string{"cuda:80", "cuda:90"}[seed%2], NumWarps: 1 << (seed % 4)}}
}
