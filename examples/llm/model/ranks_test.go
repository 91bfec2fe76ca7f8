package model

import (
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"example.com/llm/gguf"
	"example.com/llm/weights"
	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/collective"
)

// spread returns rank 0 of a model over several ranks, which are goroutines.
func spread(t *testing.T, f *gguf.File, n int) *Model {
	t.Helper()
	dev := tiny(t).dev // the CPU, or the interpreter
	id, err := collective.NewID(dev, collective.Config{})
	if err != nil {
		t.Fatal(err)
	}
	options := func(rank int) Options {
		return Options{DType: nereid.Float32, Device: dev.String(), Pages: 64, Config: nereid.EnvConfig(),
			Ranks: collective.Config{Rank: rank, Size: n, ID: id}}
	}
	var followers sync.WaitGroup
	for rank := 1; rank < n; rank++ {
		followers.Go(func() {
			m, err := New(f, options(rank))
			if err == nil {
				err = errors.Join(m.Follow(), m.Close())
			}
			if err != nil {
				t.Errorf("rank %d of %d: %v", rank, n, err)
			}
		})
	}
	m, err := New(f, options(0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		followers.Wait()
	})
	return m
}

// TestRanks: models over 2 and 4 ranks generate the tokens of a model on one, with the same probabilities.
func TestRanks(t *testing.T) {
	f := weights.Random(weights.Four, 3)
	one := open(t, f, Options{DType: nereid.Float32, Device: tiny(t).dev.String()})
	for _, n := range []int{2, 4} {
		many := spread(t, f, n)
		prompt, p := randomTokens(37, 5), pages(3, 6)
		var last [2]Prediction
		for i, m := range []*Model{one, many} {
			var err error
			if last[i], err = m.Prefill(prompt, 0, p, true); err != nil {
				t.Fatal(err)
			}
		}
		for position := len(prompt); position < len(prompt)+24; position++ {
			for i, c := range last[0].Top[:5] {
				if d := math.Abs(c.LogProb - last[1].Top[i].LogProb); d > 1e-4 {
					t.Errorf("%d ranks, position %d: candidate %d is off by %g", n, position, i, d)
				}
			}
			if last[0].Token != last[1].Token {
				t.Fatalf("%d ranks, position %d: token %d, not %d", n, position, last[1].Token, last[0].Token)
			}
			for i, m := range []*Model{one, many} {
				list, err := m.Decode([]Row{{last[i].Token, position, p}}, true)
				if err != nil {
					t.Fatal(err)
				}
				last[i] = list[0]
			}
		}
	}
}

// TestShare: what cannot be split over ranks is refused, with the reason.
func TestShare(t *testing.T) {
	for want, n := range map[string]int{
		"3 heads of keys and values and 1536 columns": 2, "split over 4 ranks": 4, "-1 ranks": -1,
	} {
		shape := weights.SmolLM2
		shape.Layers, shape.Vocabulary = 0, 320
		f := weights.Random(shape, 1)
		f.Meta["llama.block_count"] = uint32(1)
		if err := Splits(f, n); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, not %q", err, want)
		}
	}
	// Blocks of weights are found when they are read; both ranks come so far.
	dev := tiny(t).dev
	id, err := collective.NewID(dev, collective.Config{})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for rank := range 2 {
		go func() {
			_, err := New(weights.Random(weights.Tiny, 1), Options{DType: nereid.Float32, Pages: 1,
				Device: dev.String(), Ranks: collective.Config{Rank: rank, Size: 2, ID: id}})
			done <- err
		}()
	}
	const want = "rows of 96 weights in blocks of 32 (Q4_1) cannot be split over 2 ranks"
	if err := errors.Join(<-done, <-done); err == nil || strings.Count(err.Error(), want) != 2 {
		t.Errorf("the error is %v, not %q", err, want)
	}
}
