package pass_test

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestCases runs the cases of testdata.
func TestCases(t *testing.T) { passtest.Cases(t, "testdata/*.txtar", pass.All()) }

// TestPasses: every pass has a name of its own, a line of help, and a test file.
func TestPasses(t *testing.T) {
	tested := map[string]bool{}
	txtest.Run(t, "testdata/*.txtar", func(t *testing.T, c *txtest.Case) {
		names, _ := c.Option("opt")
		for name := range strings.SplitSeq(names, ",") {
			tested[name] = true
		}
	})
	seen := map[string]bool{}
	for _, p := range pass.All() {
		switch {
		case seen[p.Name]:
			t.Errorf("two passes are called %s", p.Name)
		case p.Doc == "" || strings.Contains(p.Doc, "\n") || strings.HasSuffix(p.Doc, "."):
			t.Errorf("%s: help is one line, no full stop: %q", p.Name, p.Doc)
		case !tested[p.Name]:
			t.Errorf("%s: no case in testdata", p.Name)
		}
		seen[p.Name] = true
	}
}

// TestConstraints: the pipelines keep the orderings that they must.
func TestConstraints(t *testing.T) {
	for _, c := range pass.Constraints {
		for _, name := range []string{c.Before, c.After} {
			if _, ok := pass.Lookup(pass.All(), name); !ok {
				t.Errorf("a constraint names %q, which is no pass", name)
			}
		}
		if c.Why == "" {
			t.Errorf("%s before %s: no reason", c.Before, c.After)
		}
	}
	for _, o := range []pass.TTIROptions{{}, {NoDescriptors: true}, {NoDescriptors: true, HoistLoads: true}} {
		at := map[string]int{}
		for i, p := range pass.TTIR(o) {
			at[p.Name] = i
		}
		for _, c := range pass.Constraints {
			i, ok := at[c.Before]
			j, ok2 := at[c.After]
			if ok && ok2 && i > j {
				t.Errorf("%+v: %s comes after %s: %s", o, c.Before, c.After, c.Why)
			}
		}
	}
}

// TestTTIR: the pipelines are those of Triton's back ends, behind a pass of our own.
func TestTTIR(t *testing.T) {
	for target, want := range map[string]string{
		"cuda 90": "inline,triton-rewrite-tensor-pointer,canonicalize," +
			"triton-combine,triton-reorder-broadcast,cse,symbol-dce,triton-loop-unroll",
		"cuda 80": "inline,triton-rewrite-tensor-pointer,triton-rewrite-tensor-descriptor-to-pointer," +
			"canonicalize,triton-combine," +
			"triton-reorder-broadcast,cse,symbol-dce,triton-loop-unroll",
		"hip 0": "inline,triton-rewrite-tensor-pointer,triton-rewrite-tensor-descriptor-to-pointer," +
			"canonicalize,triton-combine," +
			"triton-reorder-broadcast,cse,triton-licm,symbol-dce,triton-loop-unroll",
	} {
		backend, arch, _ := strings.Cut(target, " ")
		capability := map[string]int{"90": 90, "80": 80, "0": 0}[arch]
		want = "nereid-expand-newer," + want
		if got := pass.Names(pass.TTIR(pass.TTIRFor(chip.Row(backend, capability, "gfx942")))); got != want {
			t.Errorf("%s: %s\nwant %s", target, got, want)
		}
	}
}
