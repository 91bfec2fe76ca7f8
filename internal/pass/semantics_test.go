package pass_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/irgen"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// outcome returns what a kernel of irgen leaves in its buffers.
func outcome(t *testing.T, m *ir.Module, seed uint64) ([]byte, error) {
	return passtest.Outcome(t, m, seed, func(r *rand.Rand) float32 { return float32(r.NormFloat64() * 10) })
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
		if i := passtest.FirstDiff(want, got); i >= 0 {
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
		if err != nil || passtest.FirstDiff(want, got) >= 0 {
			return fmt.Sprintf("rewrite %d (%v):\n%s\n%s", limit, err,
				txtest.Diff(last.String(), m.String()), last)
		}
		last = m
	}
	return before.String()
}
