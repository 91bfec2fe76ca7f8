package irgen

import (
	"math/rand/v2"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/ir"
)

func entropy(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// TestModule: what is made is valid, is its own print read back, and is the same for the same entropy.
func TestModule(t *testing.T) {
	ops := map[string]int{}
	for seed := range uint64(200) {
		m := Module(entropy(seed, 400), Options{})
		if err := ir.Verify(m.Op); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, m)
		}
		text := m.String()
		if again := Module(entropy(seed, 400), Options{}).String(); again != text {
			t.Fatalf("seed %d: two different modules", seed)
		}
		back, err := ir.Parse(diag.NewFileSet(), "m", []byte(text))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if back.String() != text {
			t.Fatalf("seed %d: read back differently", seed)
		}
		for op := range m.Op.Ops() {
			ops[op.Name()]++
		}
	}
	for _, def := range table() {
		if ops[def.FullName()] == 0 {
			t.Errorf("%s is never made", def.FullName())
		}
	}
	for _, name := range []string{"scf.for", "scf.if", "scf.while", "cf.cond_br", "tt.call", "tt.reduce",
		"tt.scan", "tt.load", "tt.store", "tt.splat", "tt.broadcast", "tt.expand_dims", "tt.reshape",
		"tt.trans", "tt.join", "tt.split", "arith.select", "tt.make_tensor_ptr", "tt.advance",
		"tt.make_tensor_descriptor", "tt.descriptor_load", "tt.descriptor_store"} {
		if ops[name] == 0 {
			t.Errorf("%s is never made", name)
		}
	}
}

// TestNoEntropy: nothing at all is enough.
func TestNoEntropy(t *testing.T) {
	for n := range 20 {
		if err := ir.Verify(Module(make([]byte, n), Options{Ops: 20}).Op); err != nil {
			t.Error(err)
		}
	}
}
