package ops_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/ops"
)

// candidate is a config of a line: what sets it, and how it is printed.
type candidate struct {
	set  func()
	name any
}

// candidates returns configs as candidates.
func candidates[C any](set func(C), list ...C) (out []candidate) {
	for _, c := range list {
		out = append(out, candidate{func() { set(c) }, c})
	}
	return out
}

// configsOf returns the configs that are compared for a line.
func configsOf(name string) []candidate {
	switch {
	case strings.HasPrefix(name, "conv"):
		return candidates(ops.SetConvs, [][5]int{{128, 256, 64, 8, 3}, {128, 128, 64, 8, 3},
			{64, 256, 64, 8, 4},
			{128, 64, 64, 4, 4}, {64, 128, 64, 4, 4}, {64, 64, 64, 4, 4}, {128, 128, 32, 4, 4}}...)
	case strings.Contains(name, "attention") && strings.Contains(name, "backward"):
		return candidates(ops.SetAtOnce, [][4]int{{64, 64, 4, 2}, {64, 64, 4, 3}, {64, 64, 4, 4},
			{32, 128, 4, 3}, {64, 128, 4, 3}, {64, 128, 8, 2}, {64, 128, 8, 3}, {64, 128, 8, 4},
			{128, 64, 4, 3}, {128, 128, 8, 2}, {128, 128, 8, 3}}...)
	case strings.HasPrefix(name, "matmul tf32"):
		return candidates(ops.SetProducts, [][5]int{{128, 256, 32, 8, 3}, {128, 256, 32, 8, 4},
			{128, 256, 64, 8, 2}, {256, 128, 32, 8, 3}, {256, 128, 32, 8, 4}, {128, 128, 32, 8, 4},
			{128, 128, 32, 4, 4}, {128, 128, 64, 4, 3}, {64, 256, 32, 4, 4}}...)
	case strings.HasPrefix(name, "matmul fp32"):
		return candidates(ops.SetProducts, [][5]int{{128, 128, 64, 8, 2}, {128, 128, 32, 8, 2},
			{128, 128, 32, 8, 3}, {128, 128, 16, 8, 2}, {128, 128, 16, 8, 3}, {128, 128, 16, 8, 4},
			{128, 64, 32, 4, 2}, {128, 64, 16, 4, 3}, {64, 128, 32, 4, 2}, {64, 128, 16, 4, 3},
			{128, 128, 32, 4, 2}, {128, 128, 16, 4, 3}, {128, 256, 16, 8, 3}, {256, 128, 16, 8, 3},
			{64, 64, 32, 4, 2}, {128, 128, 32, 16, 2}, {256, 128, 32, 16, 2}}...)
	case name == "matmul fp16 1024":
		return candidates(ops.SetProducts, [][5]int{{64, 64, 64, 4, 4}, {64, 64, 64, 4, 5},
			{64, 64, 128, 4, 3}, {64, 128, 64, 4, 4}, {128, 64, 64, 4, 4}, {64, 128, 64, 4, 6},
			{128, 64, 64, 4, 6}, {64, 128, 128, 4, 3}, {128, 64, 128, 4, 3}, {64, 128, 128, 4, 4},
			{128, 128, 64, 8, 4}, {64, 64, 128, 4, 4}, {64, 64, 256, 4, 2}, {64, 128, 64, 8, 4}}...)
	case strings.HasPrefix(name, "matmul bf16 128x"):
		return candidates(ops.SetProducts, [][5]int{{64, 64, 64, 4, 4}, {64, 64, 128, 4, 4},
			{128, 32, 128, 4, 4},
			{64, 32, 128, 4, 4}, {128, 32, 64, 4, 6}}...)
	case strings.HasPrefix(name, "matmul batched"):
		return candidates(ops.SetProducts, [][5]int{{128, 256, 64, 8, 3}, {128, 256, 64, 8, 1},
			{128, 128, 64, 8, 1}, {128, 128, 64, 4, 1}, {64, 256, 64, 4, 1}, {64, 128, 64, 4, 1},
			{64, 64, 64, 4, 1}, {128, 64, 64, 4, 1}, {256, 128, 64, 8, 1}, {128, 128, 64, 4, 3},
			{128, 128, 64, 8, 3}, {64, 512, 64, 8, 1}, {256, 64, 64, 4, 1}}...)
	case name == "matmul bf16 4096":
		return candidates(ops.SetProducts, [][5]int{{128, 256, 64, 8, 3}, {128, 256, 64, 8, 4}}...)
	case strings.HasPrefix(name, "tanh"):
		return candidates(ops.SetFlat, 1024, 2048)
	}
	return nil
}

// TestConfigs prints the times of lines with other configs than the shipped ones, as TestSpeed prints times:
// on the device that NEREID_TEST_OPS_CONFIGS names, for lines that NEREID_TEST_OPS_ONLY chooses.
func TestConfigs(t *testing.T) {
	dev := txtest.LongForm(t, "NEREID_TEST_OPS_CONFIGS", "the device on which configs are compared")
	only := chosen(t)
	for _, l := range speedLines() {
		if !only.MatchString(l.name) {
			continue
		}
		for _, c := range configsOf(l.name) {
			c.set()
			row := map[string]any{"name": l.name, "config": c.name}
			s := streamOn(t, dev)
			if us, err := speedOf(s, l); err != nil {
				row["error"] = err.Error()
			} else {
				row["us"] = us
			}
			if strings.HasPrefix(l.name, "matmul") {
				row["exact"] = exactProduct(t, s, l.name)
			}
			if err := json.NewEncoder(os.Stdout).Encode(row); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// exactProduct multiplies matrices of small integers with the config that is set, in the type that a line's
// name has, and returns whether every element is the sum that a reduction makes of the products.
func exactProduct(t *testing.T, s *ops.Stream, name string) bool {
	dt, options := speedBF16, []ops.MatMulOption{ops.As(speedF32)}
	switch {
	case strings.Contains(name, "tf32"):
		dt, options = speedF32, append(options, ops.TF32)
	case strings.Contains(name, "fp32"):
		dt = speedF32
	case strings.Contains(name, "fp16"):
		dt = speedF16
	}
	const m, n, k = 300, 520, 264
	r := &room{s: s}
	small := func(rows, cols int) *nereid.Tensor { return ops.Cast(s, r.below(5, rows, cols), speedF32) }
	a, b := small(m, k), small(n, k)
	got := ops.MatMul(s, ops.Cast(s, a, dt), ops.Cast(s, b, dt).Transpose(0, 1), options...)
	want := ops.Sum(s, ops.Mul(s, a.Reshape(m, 1, k), b.Reshape(1, n, k)), 2)
	return values(t, ops.All(s, ops.Equal(s, got, want)))[0] == 1
}
