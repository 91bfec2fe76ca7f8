package ops_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

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
		return candidates(ops.SetAtOnce, [][4]int{{64, 64, 4, 3}, {64, 64, 4, 4}, {64, 64, 4, 2},
			{64, 128, 8, 3},
			{128, 128, 8, 3}}...)
	case strings.HasPrefix(name, "matmul tf32"):
		return candidates(ops.SetProducts, [][5]int{{128, 256, 32, 8, 3}, {128, 256, 64, 8, 2}}...)
	case strings.HasPrefix(name, "matmul fp32"):
		return candidates(ops.SetProducts, [][5]int{{128, 128, 32, 8, 2}, {128, 128, 32, 8, 3},
			{128, 128, 64, 8, 2}, {64, 64, 32, 4, 2}}...)
	case name == "matmul fp16 1024":
		return candidates(ops.SetProducts, [][5]int{{64, 64, 64, 4, 4}, {64, 64, 64, 4, 5},
			{64, 64, 128, 4, 3},
			{64, 128, 64, 4, 4}, {128, 64, 64, 4, 4}}...)
	case strings.HasPrefix(name, "matmul bf16 128x"):
		return candidates(ops.SetProducts, [][5]int{{64, 64, 64, 4, 4}, {64, 64, 128, 4, 4},
			{128, 32, 128, 4, 4},
			{64, 32, 128, 4, 4}, {128, 32, 64, 4, 6}}...)
	case strings.HasPrefix(name, "matmul batched"):
		return candidates(ops.SetProducts, [][5]int{{128, 256, 64, 8, 3}, {128, 256, 64, 8, 1},
			{128, 128, 64, 8, 1}, {128, 128, 64, 4, 1}, {64, 256, 64, 4, 1}, {64, 128, 64, 4, 1}}...)
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
			if us, err := speedOf(streamOn(t, dev), l); err != nil {
				row["error"] = err.Error()
			} else {
				row["us"] = us
			}
			if err := json.NewEncoder(os.Stdout).Encode(row); err != nil {
				t.Fatal(err)
			}
		}
	}
}
