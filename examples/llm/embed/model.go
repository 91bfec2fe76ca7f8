// Package embed turns texts into vectors whose products tell how alike the texts are, by models of BERT's
// architecture such as all-MiniLM-L6-v2, on a device, by the operators of package ops.
//
//	config.go   sizes
//	weights.go  weights on the device
//	model.go    the forward pass
//	batch.go    its inputs
package embed

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"example.com/llm/wordpiece"
	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// Options say how a model runs.
type Options struct {
	Device string // as nereid.OpenDevice has it
	Blocks int    // of Block tokens in a forward pass, at most; default: 32, and at least a longest text
	Config nereid.Config
}

// Model is a model on a device. Several goroutines may use it: their texts are computed one batch after
// another.
type Model struct {
	Name  string
	Dim   int // of vectors
	Limit int // tokens that a text may have

	config config
	tok    *wordpiece.Tokenizer
	blocks int // of a batch, at most

	mu     sync.Mutex // for what follows
	dev    *nereid.Device
	stream *nereid.Stream
	s      *ops.Stream
	memory []*nereid.Tensor // to be freed

	words, places *nereid.Tensor
	first         norm
	layers        []layer
	batches       map[int]*inputs // by blocks
	warm          bool
	compiled      atomic.Int64 // kernels, after Warm
}

// Open puts the model of a folder on a device: config.json, vocab.txt and model.safetensors, as Hugging
// Face's models have them.
func Open(folder string, o Options) (m *Model, err error) {
	m = &Model{Name: filepath.Base(folder), batches: map[int]*inputs{}}
	var room int
	if m.config, room, err = readConfig(folder); err != nil {
		return nil, err
	}
	m.Dim, m.Limit = m.config.Dim, room-2 // between the tokens around a text
	m.blocks = pow2(max(o.Blocks, m.longest()))
	if o.Blocks == 0 {
		m.blocks = max(m.blocks, 32)
	}
	if err := m.vocabulary(folder); err != nil {
		return nil, err
	}
	data, err := readFile(filepath.Join(folder, "model.safetensors"), maxWeights)
	if err != nil {
		return nil, err
	}
	tensors, err := nereid.ParseSafetensors(data)
	if err != nil {
		return nil, fmt.Errorf("embed: model.safetensors: %w", err)
	}
	defer func() {
		if err != nil {
			m.Close()
		}
	}()
	if err := m.open(o); err != nil {
		return nil, err
	}
	return m, m.load(tensors)
}

// vocabulary reads the tokenizer.
func (m *Model) vocabulary(folder string) error {
	text, err := readFile(filepath.Join(folder, "vocab.txt"), maxVocabulary)
	if err != nil {
		return err
	}
	if m.tok, err = wordpiece.Parse(string(text)); err != nil {
		return err
	}
	if n := m.tok.Size(); n > m.config.Vocabulary {
		return fmt.Errorf("embed: vocab.txt has %d tokens, and the model %d", n, m.config.Vocabulary)
	}
	return nil
}

// open opens the device, and counts kernels that are compiled after Warm.
func (m *Model) open(o Options) (err error) {
	after := o.Config.Hooks.AfterCompile
	o.Config.Hooks.AfterCompile = func(v nereid.Variant, took time.Duration, found bool, err error) {
		if m.warm {
			m.compiled.Add(1)
		}
		if after != nil {
			after(v, took, found, err)
		}
	}
	if m.dev, err = nereid.OpenDevice(o.Device); err != nil {
		return err
	}
	if m.stream, err = m.dev.NewStream(context.Background()); err != nil {
		return err
	}
	m.s = ops.Load(nereid.With(o.Config)).On(m.stream)
	return nil
}

// CompiledLate returns how many kernels were compiled, or found in a cache, after Warm: none.
func (m *Model) CompiledLate() int { return int(m.compiled.Load()) }

// Tokens returns the tokens of a text.
func (m *Model) Tokens(text string) []int { return m.tok.Encode(text) }

// Vocabulary returns how many tokens there are.
func (m *Model) Vocabulary() int { return m.tok.Size() }

// Close frees the memory of the device.
func (m *Model) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var err error
	if m.s != nil {
		err = m.s.Close()
	}
	for _, t := range m.memory {
		err = errors.Join(err, t.Close())
	}
	if m.stream != nil {
		err = errors.Join(err, m.stream.Close())
	}
	return err
}

// forward launches the forward pass of a batch and returns the means of its texts' vectors, [blocks, Dim].
// They live until the next call.
func (m *Model) forward(b *inputs) *nereid.Tensor {
	s := m.s
	s.Reset()
	eps := m.config.Epsilon
	x, y := s.New(nereid.Float32, b.rows(), m.Dim), s.New(nereid.Float32, b.rows(), m.Dim)
	sum := ops.Add(s, ops.Take(s, m.words, b.tokens.Tensor, 0), ops.Take(s, m.places, b.positions.Tensor, 0))
	ops.LayerNorm(s.Into(x), sum, m.first.weight, m.first.bias, eps)
	for i := range m.layers {
		l, mark := &m.layers[i], s.Mark()
		a := l.output.times(s, m.attention(l, x, b), ops.Plus(x))
		ops.LayerNorm(s.Into(y), a, l.afterAttention.weight, l.afterAttention.bias, eps)
		h := l.down.times(s, l.up.times(s, y, ops.ThenGELU), ops.Plus(y))
		if out := ops.LayerNorm(s.Into(x), h, l.after.weight, l.after.bias, eps); out.Err() != nil {
			return out
		}
		s.Release(mark)
	}
	return ops.MatMul(s, b.shares, x)
}

// attention returns the outputs of a layer's heads. Each block of queries sees the keys of its own text:
// those of its pages, up to the text's length.
func (m *Model) attention(l *layer, x *nereid.Tensor, b *inputs) *nereid.Tensor {
	qkv := l.qkv.times(m.s, x)
	if qkv.Err() != nil {
		return qkv
	}
	heads := qkv.Reshape(b.blocks, Block, 3, m.config.Heads, -1)
	q, k, v := heads.Select(2, 0), heads.Select(2, 1), heads.Select(2, 2)
	out := m.s.New(nereid.Float32, q.Shape...)
	a := ops.PagedAttention(m.s.Into(out.Transpose(1, 2)), q.Transpose(1, 2), k, v, b.table.Tensor,
		b.lengths.Tensor, ops.AttentionOptions{})
	if a.Err() != nil {
		return a
	}
	return out.Reshape(b.rows(), m.Dim)
}

// times returns x times the transpose of the matrix, plus the bias.
func (w *linear) times(s *ops.Stream, x *nereid.Tensor, options ...ops.MatMulOption) *nereid.Tensor {
	options = append(options, ops.Bias(w.bias), ops.FixedWeights)
	return ops.MatMul(s, x, w.weight.Transpose(0, 1), options...)
}
