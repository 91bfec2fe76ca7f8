package model

import (
	"math"
	"os"
	"slices"
	"testing"

	"example.com/llm/gguf"
	"example.com/llm/tokenizer"
	"example.com/llm/weights"
	"example.com/llm/weights/weightstest"
	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// smolLM returns SmolLM2 with the reference's results, which reference.py writes, or skips the test.
func smolLM(t *testing.T, dt nereid.DType) (m *Model, tok *tokenizer.Tokenizer, want referenceFile,
	logits []float32) {
	t.Helper()
	f := weightstest.Expected(t, "reference.json", &want)
	tok, err := tokenizer.New(f)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(weightstest.File(t, "logits.npy"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	x, err := nereid.ReadNPY(file)
	if err != nil {
		t.Fatal(err)
	}
	if logits, err = nereid.AsSlice[float32](x); err != nil {
		t.Fatal(err)
	}
	return open(t, f, Options{DType: dt}), tok, want, logits
}

// referenceFile is reference.json.
type referenceFile struct {
	Cases []struct {
		IDs, Follow []int
		Text        string
	}
	IDs        []int
	Perplexity float64
}

// TestSmolLM compares logits, greedy tokens and the perplexity of a text with NumPy's.
func TestSmolLM(t *testing.T) {
	m, tok, want, logits := smolLM(t, nereid.Float32)
	p, worst, equal, total := pages(0, 60), 0.0, 0, 0
	for i, c := range want.Cases {
		all := m.allLogits(t, append(slices.Clone(c.IDs), c.Follow...), p)
		last, err := read[float32](all.Select(0, len(c.IDs)-1))
		if err != nil {
			t.Fatal(err)
		}
		d := distance(last, logits[i*m.Vocabulary:(i+1)*m.Vocabulary])
		worst = max(worst, d)
		if d > 1e-3 {
			t.Errorf("prompt %d: logits are off by %g of their size", i, d)
		}
		equal += m.agree(t, all, len(c.IDs), c.Follow)
		total += len(c.Follow)
	}
	t.Logf("logits of %d prompts are off by %.2g at most; %d of %d greedy tokens are equal",
		len(want.Cases), worst, equal, total)
	if equal < total*99/100 {
		t.Errorf("%d of %d greedy tokens are equal", equal, total)
	}
	m.perplexity(t, want, p)
	next, err := m.Prefill(tok.Encode("The capital of France is"), 0, p, false)
	if err != nil || tok.Text(next.Token) != " Paris" {
		t.Errorf("The capital of France is%s, %v", tok.Text(next.Token), err)
	}
}

// TestSmolLMHalf compares greedy tokens of bf16 with NumPy's in fp32.
func TestSmolLMHalf(t *testing.T) {
	m, _, want, _ := smolLM(t, nereid.BFloat16)
	p, equal, total := pages(0, 60), 0, 0
	for _, c := range want.Cases {
		equal += m.agree(t, m.allLogits(t, append(slices.Clone(c.IDs), c.Follow...), p), len(c.IDs), c.Follow)
		total += len(c.Follow)
	}
	t.Logf("%d of %d greedy tokens are equal", equal, total)
	if equal < total*95/100 {
		t.Errorf("%d of %d greedy tokens are equal, less than 95%%", equal, total)
	}
	m.perplexity(t, want, p)
}

// agree counts how often the likeliest token behind a prompt, and behind each token that follows it, is the
// reference's.
func (m *Model) agree(t *testing.T, logits *nereid.Tensor, from int, follow []int) (equal int) {
	t.Helper()
	ids, err := read[int64](ops.ArgMax(m.s, logits, -1))
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range follow {
		if int(ids[from-1+i]) == id {
			equal++
		}
	}
	return equal
}

// perplexity compares that of the reference's text.
func (m *Model) perplexity(t *testing.T, want referenceFile, pages []int32) {
	t.Helper()
	n := len(want.IDs)
	labels := make([]int32, n-1)
	for i := range labels {
		labels[i] = int32(want.IDs[i+1])
	}
	logits := m.allLogits(t, want.IDs, pages).Slice(0, 0, n-1, 1)
	loss, err := read[float32](ops.Mean(m.s, ops.CrossEntropy(m.s, logits, nereid.FromSlice(labels))))
	if err != nil {
		t.Fatal(err)
	}
	got := math.Exp(float64(loss[0]))
	t.Logf("perplexity %.4f, of the reference %.4f", got, want.Perplexity)
	if math.Abs(got/want.Perplexity-1) > 0.005 {
		t.Errorf("the perplexity is %.4f, that of the reference %.4f", got, want.Perplexity)
	}
}

// TestSmolLMRanks: SmolLM2 over three ranks generates the greedy tokens of one.
func TestSmolLMRanks(t *testing.T) {
	f, err := gguf.ReadFile(weightstest.File(t, weights.Name))
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.New(f)
	if err != nil {
		t.Fatal(err)
	}
	one, three := open(t, f, Options{DType: nereid.Float32}), spread(t, f, 3)
	for _, prompt := range []string{"The capital of France is", "Once upon a time", "def add(a, b):"} {
		a, b := one.greedy(t, tok.Encode(prompt), 32), three.greedy(t, tok.Encode(prompt), 32)
		t.Logf("%q goes on with %q", prompt, tok.Decode(b))
		if !slices.Equal(a, b) {
			t.Errorf("%q: %q by three ranks, %q by one", prompt, tok.Decode(b), tok.Decode(a))
		}
	}
}

// greedy returns the likeliest tokens behind a prompt.
func (m *Model) greedy(t *testing.T, ids []int, n int) (out []int) {
	t.Helper()
	p := pages(0, 8)
	next, err := m.Prefill(ids, 0, p, false)
	for err == nil && len(out) < n {
		out = append(out, next.Token)
		var list []Prediction
		list, err = m.Decode([]Row{{next.Token, len(ids) + len(out) - 1, p}}, false)
		if err == nil {
			next = list[0]
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}
