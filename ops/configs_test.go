package ops_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/ops"
)

// The configs that TestConfigs compares.
var (
	convConfigs = [][5]int{{128, 256, 64, 8, 3}, {128, 128, 64, 8, 3}, {128, 128, 64, 4, 4},
		{64, 256, 64, 4, 4}, {64, 256, 64, 8, 4}, {64, 128, 64, 4, 4}, {256, 128, 64, 8, 3}, {128, 64, 64,
			4, 4},
		{64, 64, 64, 4, 4}, {128, 128, 32, 8, 4}, {64, 128, 32, 4, 4}}
	dkvConfigs = [][4]int{{64, 128, 8, 2}, {64, 128, 8, 3}, {32, 128, 4, 3}, {32, 128, 8, 3}, {64, 64, 4, 2},
		{128, 64, 8, 2}, {128, 128, 8, 1}, {64, 128, 4, 2}}
	dqConfigs = [][4]int{{128, 64, 8, 2}, {128, 64, 8, 3}, {128, 32, 4, 3}, {64, 64, 4, 2}, {128, 128, 8, 2},
		{64, 128, 4, 2}}
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
		case strings.Contains(l.name, "backward"):
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

// TestSettledSpeed prints the time of a layer between its products, with the promise PagedCache.Settled and
// without it, on the device that NEREID_TEST_OPS_CONFIGS names: 30 layers of a small model in a graph.
func TestSettledSpeed(t *testing.T) {
	dev := txtest.LongForm(t, "NEREID_TEST_OPS_CONFIGS", "the device on which configs are compared")
	const layers, heads, kv, size, page = 30, 9, 3, 64, 64
	for _, batch := range []int{1, 8} {
		for _, length := range []int{64, 1024} {
			var took [2]time.Duration
			for round := range 6 {
				s := streamOn(t, dev)
				in, _ := quantizedMatrix(t, s, 1, (heads+2*kv)*size, heads*size)
				back, _ := quantizedMatrix(t, s, 1, heads*size, heads*size)
				x := made(t, s, nereid.BFloat16, wave, batch, heads*size)
				angles := made(t, s, nereid.Float32, wave, 2048, size/2)
				cache := ops.PagedCache{Keys: s.New(nereid.BFloat16, batch*length/page, page, kv, size),
					Values: s.New(nereid.BFloat16, batch*length/page, page, kv, size),
					Table: made(t, s, nereid.Int32, func(i int) float64 { return float64(i) }, batch,
						length/page),
					Lengths: made(t, s, nereid.Int32, func(int) float64 { return float64(length) }, batch),
					Slots:   made(t, s, nereid.Int32, func(int) float64 { return -1 }, batch),
					Settled: round%2 == 1}
				run := func() error {
					y, mark := x, s.Mark()
					for range layers {
						qkv := ops.MatMulQuantized(s, y, in, ops.FixedWeights)
						a := ops.AppendAttention(s, qkv.Reshape(batch, 1, -1), heads, cache,
							ops.Rotary{Cos: angles, Sin: angles}, ops.AttentionOptions{})
						y = ops.MatMulQuantized(s, a.Reshape(batch, -1), back, ops.FixedWeights)
					}
					s.Release(mark)
					return y.Err()
				}
				if err := run(); err != nil {
					t.Fatal(err)
				}
				g, err := s.Stream().Capture(run)
				if err != nil {
					t.Fatal(err)
				}
				us, err := s.Stream().Measure(20*time.Millisecond, 50*time.Millisecond,
					func() error { return g.Launch(s.Stream()) })
				if err != nil {
					t.Fatal(err)
				}
				if took[round%2] == 0 || us < took[round%2] {
					took[round%2] = us
				}
			}
			t.Logf("batch %d, %d positions: %v a layer, %v with Settled, ratio %.3f", batch, length,
				took[0]/layers, took[1]/layers, float64(took[0])/float64(took[1]))
		}
	}
}
