package ops_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/ops"
)

// The configs that TestConfigs compares.
var (
	convConfigs = [][5]int{{128, 256, 64, 8, 3}, {128, 128, 64, 8, 3}, {64, 256, 64, 8, 4},
		{128, 64, 64, 4, 4}, {64, 128, 64, 4, 4}, {64, 64, 64, 4, 4}, {128, 128, 32, 4, 4}}
	dkvConfigs = [][4]int{{64, 64, 4, 2}, {32, 128, 8, 3}, {64, 64, 4, 3}, {32, 64, 4, 3}, {32, 128, 8, 2},
		{64, 64, 8, 2}, {64, 128, 8, 2}, {128, 64, 4, 1}}
	dqConfigs = [][4]int{{64, 64, 4, 2}, {128, 32, 4, 3}, {64, 64, 4, 3}, {64, 32, 4, 3}, {128, 64, 8, 2},
		{64, 128, 8, 2}}
	togetherConfigs = [][4]int{{64, 128, 8, 2}, {64, 64, 8, 2}, {64, 64, 4, 2}, {32, 128, 8, 3},
		{32, 128, 8, 2}, {32, 64, 4, 3}, {32, 128, 4, 3}, {64, 64, 8, 3}}
)

// TestConfigs prints the times of lines with other configs than the shipped ones, as TestSpeed prints times:
// on the device that NEREID_TEST_OPS_CONFIGS names, for lines that NEREID_TEST_OPS_ONLY chooses.
func TestConfigs(t *testing.T) {
	dev := txtest.LongForm(t, "NEREID_TEST_OPS_CONFIGS", "the device on which configs are compared")
	only := chosen(t)
	for _, l := range append(imageLines(), backwardLines()...) {
		switch {
		case !only.MatchString(l.name):
		case strings.HasPrefix(l.name, "conv"):
			for _, c := range convConfigs {
				ops.SetConvs(c)
				configTime(t, dev, l, c)
			}
		case strings.Contains(l.name, "attention"):
			for _, c := range togetherConfigs {
				ops.SetTogether(c)
				configTime(t, dev, l, map[string]any{"together": c})
			}
			for _, c := range dkvConfigs {
				ops.SetGrads(c, dqConfigs[0])
				configTime(t, dev, l, map[string]any{"dkv": c})
			}
			for _, c := range dqConfigs[1:] {
				ops.SetGrads(dkvConfigs[0], c)
				configTime(t, dev, l, map[string]any{"dq": c})
			}
		}
	}
}

func configTime(t *testing.T, dev string, l speedLine, config any) {
	row := map[string]any{"name": l.name, "config": config}
	if us, err := speedOf(streamOn(t, dev), l); err != nil {
		row["error"] = err.Error()
	} else {
		row["us"] = us
	}
	if err := json.NewEncoder(os.Stdout).Encode(row); err != nil {
		t.Fatal(err)
	}
}
