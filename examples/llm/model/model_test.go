package model

import (
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.com/llm/gguf"
	"example.com/llm/weights"
	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// open returns a model for one test.
func open(t testing.TB, f *gguf.File, o Options) *Model {
	t.Helper()
	m := start(t, f, o)
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// start returns a model on the CPU, or in the interpreter where there is no LLVM.
func start(t testing.TB, f *gguf.File, o Options) *Model {
	t.Helper()
	o.Config = nereid.EnvConfig()
	if o.Pages == 0 {
		o.Pages = 64
	}
	if o.Device == "" {
		o.Device = os.Getenv("NEREID_LLM_DEVICE")
	}
	if o.Device == "" {
		o.Device = "cpu"
		if _, err := nereid.OpenDevice("cpu"); errors.Is(err, fs.ErrNotExist) {
			o.Device = "interp"
		}
	}
	m, err := New(f, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// single is a tiny model in fp32, which tests share: its kernels are compiled once.
var single *Model

func tiny(t testing.TB) *Model {
	t.Helper()
	if single == nil {
		single = start(t, weights.Random(weights.Tiny, 1), Options{DType: nereid.Float32})
	}
	return single
}

// pages returns n pages from a page on, in reverse order.
func pages(from, n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(from + n - 1 - i)
	}
	return list
}

func randomTokens(n int, seed uint64) []int {
	r := rand.New(rand.NewPCG(seed, 1))
	ids := make([]int, n)
	for i := range ids {
		ids[i] = r.IntN(weights.Tiny.Vocabulary)
	}
	return ids
}

// allLogits returns the logits behind each token of a text, by one forward pass.
func (m *Model) allLogits(t testing.TB, ids []int, pages []int32) *nereid.Tensor {
	t.Helper()
	b, err := m.prompt(ids, 0, pages)
	if err != nil {
		t.Fatal(err)
	}
	if err := nereid.CopyFrom(b.device, b.host); err != nil {
		t.Fatal(err)
	}
	b.all = true
	defer func() { b.all = false }()
	logits, err := m.forward(b)
	if err != nil {
		t.Fatal(err)
	}
	return logits.Slice(0, 0, len(ids), 1)
}

// TestForward compares the logits of a tiny model with those of plain Go in float64.
func TestForward(t *testing.T) {
	f := weights.Random(weights.Tiny, 1)
	ids := randomTokens(70, 2)
	want := reference(t, f, ids)
	for dt, bound := range map[nereid.DType]float64{nereid.Float32: 1e-4, nereid.BFloat16: 0.05} {
		m := tiny(t)
		if dt != nereid.Float32 {
			m = open(t, f, Options{DType: dt})
		}
		got, err := read[float32](ops.Copy(m.s, m.allLogits(t, ids, pages(3, 5))))
		if err != nil {
			t.Fatal(err)
		}
		if d := distance(got, slices.Concat(want...)); d > bound {
			t.Errorf("%s: logits are off by %g of their size", dt, d)
		}
	}
}

// distance returns the norm of a - b divided by that of b.
func distance[T float32 | float64](a []float32, b []T) float64 {
	var diff, norm float64
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		diff += d * d
		norm += float64(b[i]) * float64(b[i])
	}
	return math.Sqrt(diff / norm)
}

// TestParts reads a prompt at once, in parts, and token by token: the next one is as likely each time. Other
// sequences that decode in the same batch do not change it.
func TestParts(t *testing.T) {
	m := tiny(t)
	ids, p := randomTokens(75, 3), pages(1, 5)
	whole, err := m.Prefill(ids, 0, p, true)
	if err != nil {
		t.Fatal(err)
	}
	same := func(name string, got Prediction) {
		t.Helper()
		for i, c := range got.Top[:8] {
			if w := whole.Top[i]; c.Token != w.Token || math.Abs(c.LogProb-w.LogProb) > 1e-3 {
				t.Errorf("%s: candidate %d is %v, not %v", name, i, c, w)
			}
		}
	}
	q := pages(10, 5)
	if _, err := m.Prefill(ids[:33], 0, q, false); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Prefill(ids[33:50], 33, q, false); err != nil {
		t.Fatal(err)
	}
	rest, err := m.Prefill(ids[50:], 50, q, true)
	if err != nil {
		t.Fatal(err)
	}
	same("in parts", rest)
	other, far := randomTokens(75, 4), pages(20, 5)
	for i := range ids {
		rows := []Row{{other[i], i, far}, {ids[i], i, q}, {other[i], i, pages(30, 5)}}
		list, err := m.Decode(rows, true)
		if err != nil {
			t.Fatal(err)
		}
		rest = list[1]
	}
	same("token by token", rest)
	greedy, err := m.Decode([]Row{{ids[74], 74, q}}, false)
	if err != nil || greedy[0].Token != whole.Token {
		t.Errorf("the greedy token is %v, %v, not %d", greedy, err, whole.Token)
	}
}

func TestRefused(t *testing.T) {
	m := tiny(t)
	for want, row := range map[string]Row{
		"token 320":    {320, 0, pages(0, 1)},
		"token -1":     {-1, 0, pages(0, 1)},
		"position 512": {0, 512, pages(0, 40)},
		"with 1 pages": {0, 16, pages(0, 1)},
		"page 64":      {0, 0, []int32{64}},
	} {
		if _, err := m.Decode([]Row{row}, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, not %q", err, want)
		}
	}
}

// TestFiles has files that are no models. Sizes that their tensors do not have take no memory.
func TestFiles(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	defer func() {
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 128<<20 {
			t.Errorf("the files took %d bytes", n)
		}
	}()
	for want, change := range map[string]func(f *gguf.File){
		"architecture":             func(f *gguf.File) { f.Meta["general.architecture"] = "mamba" },
		"llama.block_count":        func(f *gguf.File) { f.Meta["llama.block_count"] = uint32(1 << 30) },
		"no tensor \"blk.1.ffn_up": func(f *gguf.File) { delete(f.Tensors, "blk.1.ffn_up.weight") },
		"heads over":               func(f *gguf.File) { f.Meta["llama.attention.head_count"] = uint32(5) },
		"have the shape [320 64]":  func(f *gguf.File) { f.Meta["llama.embedding_length"] = uint32(128) },
		"not [192 64]": func(f *gguf.File) {
			f.Meta["llama.attention.head_count"] = uint32(1)
			f.Meta["llama.attention.head_count_kv"] = uint32(1)
			f.Meta["llama.context_length"] = uint32(1 << 20)
		},
		"blk.0.attn_norm.weight\" is": func(f *gguf.File) {
			f.Tensors["blk.0.attn_norm.weight"] = f.Tensors["token_embd.weight"]
		},
	} {
		f := weights.Random(weights.Tiny, 1)
		change(f)
		if _, err := New(f, Options{Device: "interp", DType: nereid.Float32, Pages: 1}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, not %q", err, want)
		}
	}
}
