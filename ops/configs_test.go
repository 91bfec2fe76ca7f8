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
	atOnceConfigs = [][4]int{{64, 128, 8, 2}, {64, 64, 4, 1}, {64, 64, 4, 2}, {64, 128, 8, 1}, {128, 128, 8, 2},
		{128, 128, 8, 1}, {128, 64, 4, 2}, {128, 64, 4, 1}, {128, 64, 8, 2}, {64, 64, 4, 3}}
	productConfigs = [][5]int{{128, 256, 64, 8, 3}, {128, 256, 64, 8, 4}, {256, 128, 64, 8, 3},
		{128, 128, 64, 8, 3}, {128, 128, 64, 8, 1}, {128, 128, 64, 4, 1}, {64, 128, 64, 4, 1}, {64, 256, 64, 4, 1},
		{64, 64, 64, 4, 4}, {64, 64, 64, 4, 5}, {64, 64, 128, 4, 3}, {64, 128, 64, 4, 4}, {128, 64, 64, 4, 4},
		{128, 32, 128, 4, 4}, {64, 32, 128, 4, 4}, {128, 32, 64, 4, 6}, {128, 16, 128, 4, 4}}
	tf32Configs = [][5]int{{128, 256, 32, 8, 3}, {128, 256, 32, 8, 4}, {256, 128, 32, 8, 4}, {128, 128, 32, 8, 4},
		{128, 128, 64, 8, 3}, {256, 128, 32, 8, 3}}
	singleConfigs = [][5]int{{128, 128, 32, 8, 2}, {128, 128, 16, 8, 2}, {128, 128, 16, 8, 3}, {128, 128, 32, 4, 2},
		{128, 128, 16, 4, 3}, {128, 64, 32, 4, 2}, {64, 128, 32, 4, 3}, {128, 256, 16, 8, 3}, {256, 128, 16, 8, 3},
		{64, 128, 16, 4, 2}, {128, 128, 8, 8, 3}}
	vectorConfigs = [][3]int{{4, 1024, 4}, {8, 1024, 4}, {4, 2048, 4}, {4, 2048, 8}, {2, 4096, 4}, {4, 4096, 8},
		{1, 4096, 4}, {4, 512, 4}, {8, 512, 4}, {16, 256, 4}, {2, 2048, 4}, {16, 512, 8}, {2, 1024, 2}}
	rowsConfigs = []reduceConfig{{4096, [3]int{64, 32, 4}, 1600, 4, true}, {4096, [3]int{64, 32, 4}, 1600, 4, false}, {4096, [3]int{64, 32, 4}, 2048, 2, false},
		{4096, [3]int{64, 32, 4}, 4096, 1, false}, {8192, [3]int{64, 32, 4}, 2048, 1, false}, {8192, [3]int{64, 32, 4}, 1056, 2, false},
		{16384, [3]int{64, 32, 4}, 1024, 1, false}, {2048, [3]int{64, 32, 4}, 1056, 4, false}, {8192, [3]int{64, 32, 4}, 528, 2, false}}
	columnsConfigs = []reduceConfig{{4096, [3]int{64, 32, 4}, 1600, 4, true}, {4096, [3]int{64, 32, 4}, 1600, 4, false}, {4096, [3]int{128, 32, 4}, 1600, 4, false},
		{4096, [3]int{128, 32, 8}, 1600, 4, false}, {4096, [3]int{128, 16, 4}, 1600, 4, false}, {4096, [3]int{64, 64, 8}, 1600, 4, false},
		{4096, [3]int{128, 64, 8}, 1600, 2, false}, {4096, [3]int{64, 64, 4}, 1600, 4, false}, {4096, [3]int{256, 32, 8}, 1600, 4, false},
		{4096, [3]int{128, 64, 8}, 3200, 2, false}, {4096, [3]int{256, 16, 8}, 1600, 4, false}, {4096, [3]int{64, 32, 4}, 3200, 4, false},
		{4096, [3]int{128, 128, 16}, 1056, 2, false}}
	softmaxConfigs = [][2]int{{16384, 32}, {8192, 32}, {8192, 16}, {4096, 16}, {4096, 8}, {32768, 32}, {16384, 16}}
	flatConfigs    = []int{1024, 2048, 4096, 512}
	gradConfigs    = []int{2048, 1024, 4096, 8192}
)

// reduceConfig has the arguments of ops.SetReductions.
type reduceConfig struct {
	Columns         int
	Across          [3]int
	Programs, Turns int
	Apart           bool // the second kernel begins when the first has ended
}

// TestConfigs prints the times of lines with other configs than the shipped ones, as TestSpeed prints times:
// on the device that NEREID_TEST_OPS_CONFIGS names, for lines that NEREID_TEST_OPS_ONLY chooses.
func TestConfigs(t *testing.T) {
	dev := txtest.LongForm(t, "NEREID_TEST_OPS_CONFIGS", "the device on which configs are compared")
	only := chosen(t)
	for _, l := range speedLines() {
		switch {
		case !only.MatchString(l.name):
		case strings.HasPrefix(l.name, "matmul"):
			productTimes(t, dev, l)
		case strings.HasPrefix(l.name, "conv"), strings.Contains(l.name, "backward"):
			gradTimes(t, dev, l)
		default:
			rowTimes(t, dev, l)
		}
	}
}

// each prints the time of a line with each of some configs.
func each[C any](t *testing.T, dev string, l speedLine, list []C, set func(C)) {
	for _, c := range list {
		set(c)
		configTime(t, dev, l, c)
	}
}

// productTimes does so for a product.
func productTimes(t *testing.T, dev string, l speedLine) {
	switch {
	case strings.Contains(l.name, " 1x"):
		each(t, dev, l, vectorConfigs, ops.SetVectors)
	case strings.Contains(l.name, "tf32"):
		each(t, dev, l, tf32Configs, ops.SetProducts)
	case strings.Contains(l.name, "fp32"):
		each(t, dev, l, singleConfigs, ops.SetProducts)
	default:
		each(t, dev, l, productConfigs, ops.SetProducts)
	}
}

// rowTimes does so for reductions, softmax, padding and elementwise ops.
func rowTimes(t *testing.T, dev string, l speedLine) {
	reduce := func(c reduceConfig) { ops.SetReductions(c.Columns, c.Across, c.Programs, c.Turns, !c.Apart) }
	switch {
	case strings.HasPrefix(l.name, "softmax"):
		each(t, dev, l, softmaxConfigs, ops.SetSoftmax)
	case strings.Contains(l.name, "columns"):
		each(t, dev, l, columnsConfigs, reduce)
	case strings.HasPrefix(l.name, "sum"):
		each(t, dev, l, rowsConfigs, reduce)
	default:
		each(t, dev, l, flatConfigs, func(n int) { ops.SetFlat(n, n) })
	}
}

// gradTimes does so for convolution and backward passes.
func gradTimes(t *testing.T, dev string, l speedLine) {
	switch {
	case strings.HasPrefix(l.name, "conv"):
		each(t, dev, l, convConfigs, ops.SetConvs)
	case strings.Contains(l.name, "entropy"):
		each(t, dev, l, gradConfigs, ops.SetGradBlock)
	case strings.Contains(l.name, "attention"):
		each(t, dev, l, atOnceConfigs, ops.SetAtOnce)
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
