package lower

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/rules"
)

// operandKernel converts a tensor in some layout to an operand of a product.
func operandKernel(seed int) (string, launch, float64) {
	r := rand.New(rand.NewPCG(uint64(seed), 9))
	shape := []int{64, 64 << r.IntN(2)}
	a := randomLinear(r, shape, 4)
	b := "#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, " +
		"warpsPerCTA = [2, 2], instrShape = [16, 8]}>, kWidth = 2}>"
	ty := func(enc string) string { return fmt.Sprintf("tensor<%s, %s>", shapeText(shape, "f16"), enc) }
	body := "tt.func public @k(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>) {\n" + offsetsText("o", shape, a) +
		accessText("x", "o", "v", shape, "f16", a, false) +
		fmt.Sprintf("%%w = ttg.convert_layout %%v : %s -> %s\n", ty(a), ty(b)) +
		offsetsText("n", shape, b) + accessText("y", "n", "w", shape, "f16", b, true) + "tt.return\n}\n"

	return moduleText(4, body), launch{"k", [3]int{1, 1, 1},
		[]any{ints(ir.F16, size(shape), 100), ints(ir.F16, size(shape), 100)}}, 0
}

// TestRuleLayouts: each rule of exchanges that names this test changes the code of some conversion or gather,
// whose results stay the same.
func TestRuleLayouts(t *testing.T) {
	type sample struct {
		text  string
		l     launch
		scale float64
	}
	var samples []sample
	add := func(text string, l launch, scale float64) { samples = append(samples, sample{text, l, scale}) }
	for seed := range 64 {
		add(convertKernel(seed, randomLinear))
		add(gatherKernel(seed, sameBlocked(seed)))
		add(operandKernel(seed))
	}
	for _, r := range rules.All() {
		if r.Test != "lower.TestRuleLayouts" {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			for _, s := range samples {
				set, trace := rules.NewTrace(nil)
				code := loweredWith(t, s.text, set.Text())
				trace.Close()
				for _, other := range r.Others(trace.Decisions()) {
					value := fmt.Sprintf("%s=%d", r.Name, other)
					if loweredWith(t, s.text, value) != code {
						runBoth(t, withRules(s.text, value), s.l, s.scale)
						return
					}
				}
			}
			t.Error("no sample's code depends on the rule")
		})
	}
}

// withRules gives a module values of rules.
func withRules(text, values string) string {
	const head = "module attributes {"
	return strings.Replace(text, head, fmt.Sprintf("%s%s = %q, ", head, rules.Attr, values), 1)
}

// loweredWith returns the LLVM IR of a module with values of rules.
func loweredWith(t *testing.T, text, values string) string {
	t.Helper()
	m := parseIR(t, "test.ttgir", []byte(withRules(text, values)))
	k, err := Lower(m, "k", testOptions(m, 80))
	if err != nil {
		t.Fatal(err)
	}
	return string(k.IR)
}
