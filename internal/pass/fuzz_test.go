package pass_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/irgen"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// FuzzPasses runs passes over random valid IR: first some single ones, in an order taken from the entropy,
// then the whole TTIR pipeline. The IR stays valid after each, rewriting comes to rest, what is left reads
// back as itself, and the kernel does what it did.
func FuzzPasses(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(randomBytes(seed, 300))
	}
	f.Fuzz(func(t *testing.T, entropy []byte) {
		checkPasses(t, entropy)
		checkSemantics(t, entropy, 1)
	})
}

// TestRandomPasses is the same for a fixed set of random modules.
func TestRandomPasses(t *testing.T) {
	for seed := range uint64(300) {
		checkPasses(t, randomBytes(1000+seed, 400))
		if t.Failed() {
			t.Fatalf("seed %d", 1000+seed)
		}
	}
}

func randomBytes(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func checkPasses(t *testing.T, entropy []byte) {
	m := irgen.Module(entropy, irgen.Options{})
	before := m.String()
	all := pass.All()
	var passes []pass.Pass
	for _, b := range entropy[:min(3, len(entropy))] {
		passes = append(passes, all[int(b)%len(all)])
	}
	passes = append(passes, pass.TTIR(pass.TTIROptions{NoDescriptors: true, HoistLoads: true})...)
	ctx := &pass.Context{Options: pass.Options{Verify: true}}
	if err := pass.Run(ctx, m, passes); err != nil {
		stack := ""
		if e := (*pass.InternalError)(nil); errors.As(err, &e) {
			stack = e.Stack
		}
		t.Fatalf("%s: %v\n%s\n%s", pass.Names(passes), err, stack, before)
	}
	if u := ctx.Unsettled(); len(u) > 0 {
		t.Errorf("%s did not settle:\n%s", pass.Names(passes), before)
	}
	text := m.String()
	txtest.Equal(t, "read back", text, passtest.Parse(t, "m", text).String())
	if err := settled(m); err != nil {
		t.Errorf("%v\n%s", err, before)
	}
}

// settled reports an error when canonicalizing twice differs from once: a pattern that undoes another.
func settled(m *ir.Module) error {
	passes := []pass.Pass{pass.Canonicalize}
	if err := pass.Run(&pass.Context{}, m, passes); err != nil {
		return err
	}
	once := m.String()
	ctx := &pass.Context{}
	if err := pass.Run(ctx, m, passes); err != nil {
		return err
	}
	if twice := m.String(); twice != once {
		return errors.New("canonicalizing again changes more:\n" + txtest.Diff(once, twice))
	}
	return nil
}
