package embed

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/llm/weights"
	"example.com/llm/weights/weightstest"
	"github.com/nereid-lang/nereid"
)

// options returns those of the CPU, or of the interpreter where there is no LLVM.
func options() Options {
	o := Options{Device: os.Getenv("NEREID_LLM_DEVICE"), Config: nereid.EnvConfig()}
	if o.Device == "" {
		o.Device = "cpu"
		if _, err := nereid.OpenDevice("cpu"); errors.Is(err, fs.ErrNotExist) {
			o.Device = "interp"
		}
	}
	return o
}

// open returns a model for one test.
func open(t testing.TB, folder string, blocks int) *Model {
	t.Helper()
	o := options()
	o.Blocks = blocks
	m, err := Open(folder, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func embed(t testing.TB, m *Model, texts ...[]int) [][]float32 {
	t.Helper()
	got, err := m.Embed(context.Background(), texts)
	if err != nil || len(got) != len(texts) {
		t.Fatalf("%d vectors of %d texts: %v", len(got), len(texts), err)
	}
	return got
}

// apart returns the largest difference of elements, and the cosine.
func apart[T float32 | float64](a []float32, b []T) (most, cosine float64) {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		most = max(most, math.Abs(x-y))
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return most, ab / math.Sqrt(aa*bb)
}

// TestTiny compares a tiny random model with plain Go in float64: texts of all lengths, in batches of several
// and alone. Nothing is compiled after Warm.
func TestTiny(t *testing.T) {
	folder := t.TempDir()
	if err := weights.RandomBERT(folder, 1); err != nil {
		t.Fatal(err)
	}
	m := open(t, folder, 2)
	if err := m.Warm(); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var texts [][]int
	for _, n := range []int{0, 1, 5, 30, 31, 62, 29, 12, 45} {
		ids := make([]int, n)
		for i := range ids {
			ids[i] = r.IntN(m.Vocabulary())
		}
		texts = append(texts, ids)
	}
	want := newPlain(t, m, folder)
	for i, got := range embed(t, m, texts...) {
		most, _ := apart(got, want.embed(texts[i]))
		if most > 1e-5 {
			t.Errorf("text %d of %d tokens is off by %g", i, len(texts[i]), most)
		}
		if most, _ := apart(embed(t, m, texts[i])[0], got); most > 1e-6 {
			t.Errorf("text %d differs by %g alone", i, most)
		}
	}
	if n := m.CompiledLate(); n != 0 {
		t.Errorf("%d kernels were compiled late", n)
	}
	refuses(t, m)
}

// refuses tests texts that the model cannot read.
func refuses(t *testing.T, m *Model) {
	t.Helper()
	for want, ids := range map[string][]int{"63 tokens, more than 62": make([]int, 63), "token -1": {-1},
		"token 57": {m.Vocabulary()}} {
		_, err := m.Embed(context.Background(), [][]int{{5}, ids})
		if err == nil || !strings.Contains(err.Error(), "text 1: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not an error with %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Embed(ctx, [][]int{{5}}); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
}

// TestFiles has files that are damaged, of other models, or hostile.
func TestFiles(t *testing.T) {
	sane := t.TempDir()
	if err := weights.RandomBERT(sane, 1); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(sane, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	header := func(text string, body int) string {
		b := append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
		return string(append(b, make([]byte, body)...))
	}
	replaced := func(from, to string) string { return strings.ReplaceAll(string(whole), from, to) }
	const config = `{"model_type": "bert", "hidden_act": "gelu", "hidden_size": 32, "num_attention_heads": 2,
		"intermediate_size": 64, "max_position_embeddings": 70, "type_vocab_size": 2, "vocab_size": 57,
		"layer_norm_eps": 1e-12, "num_hidden_layers": `
	for _, c := range []struct{ file, data, want string }{
		{"model.safetensors", "", "too short"},
		{"model.safetensors", string(whole[:len(whole)-4]), "bytes"},
		{"model.safetensors", "\xff\xff\xff\xff\xff\xff\xff\x7f{}", "header"},
		{"model.safetensors", header(`{"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]},`+
			`"y":{"dtype":"F32","shape":[1],"data_offsets":[6,10]}}`, 10), "overlap"},
		{"model.safetensors", header(`{"x":{"dtype":"F32","shape":[1099511627776],`+
			`"data_offsets":[0,4398046511104]}}`, 8), "bytes"},
		{"model.safetensors", header(`{"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, 4), "shape"},
		{"model.safetensors", header(`{"x":{"dtype":"Q9","shape":[1],"data_offsets":[0,4]}}`, 4), "Q9"},
		{"model.safetensors", header(`{}`, 0), `no tensor "embeddings.word_embeddings.weight"`},
		{"model.safetensors", replaced("layer.1.output.dense.bias", "layer.1.output.dense.bios"),
			`no tensor "encoder.layer.1.output.dense.bias"`},
		{"model.safetensors", replaced(`"F32"`, `"I32"`), "not fp32"},
		{"config.json", "{", "config.json"},
		{"config.json", `{"model_type": "roberta"}`, "roberta"},
		{"config.json", config + "-1}", "num_hidden_layers is -1"},
		{"config.json", config + "3}", `no tensor "encoder.layer.2`},
		{"config.json", config + `2, "num_attention_heads": 3}`, "heads do not divide"},
		{"config.json", config + `2, "vocab_size": 1048577}`, "vocab_size"},
		{"config.json", config + `2, "vocab_size": 58}`, "not fp32[58 32]"},
		{"config.json", config + `2, "vocab_size": 50}`, "vocab.txt has 57"},
		{"config.json", strings.Repeat(" ", maxConfig+1), "more than"},
		{"sentence_bert_config.json", `{"max_seq_length": 2}`, "no room"},
		{"sentence_bert_config.json", `{"max_seq_length": -2}`, "max_seq_length is -2"},
		{"vocab.txt", "a\n", "[PAD]"},
	} {
		folder := t.TempDir()
		if err := os.CopyFS(folder, os.DirFS(sane)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, c.file), []byte(c.data), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := Open(folder, options())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.40q: %v, not an error with %q", c.file, c.data, err, c.want)
		}
		if err == nil {
			m.Close()
		}
	}
}

// TestMiniLM compares with the vectors that reference_embeddings.py made.
func TestMiniLM(t *testing.T) {
	folder := filepath.Dir(weightstest.File(t, filepath.Join(weights.MiniLM, "model.safetensors")))
	data, err := os.ReadFile(weightstest.File(t, "minilm.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want []struct {
		Text   string
		Vector []float64
	}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&want); err != nil {
		t.Fatal(err)
	}
	m := open(t, folder, 0)
	var texts [][]int
	for _, w := range want {
		texts = append(texts, m.Tokens(w.Text))
	}
	worst, least := 0.0, 1.0
	for i, got := range embed(t, m, texts...) {
		most, cosine := apart(got, want[i].Vector)
		worst, least = max(worst, most), min(least, cosine)
		if most > 1e-4 || cosine < 0.9999 {
			t.Errorf("%.40q: off by %g, cosine %g", want[i].Text, most, cosine)
		}
	}
	t.Logf("%d texts: off by %.2g at most, cosines of 1 - %.2g at least", len(want), worst, 1-least)
}
