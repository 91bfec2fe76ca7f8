// Package model runs models of Llama's architecture on a device, by the operators of package ops.
//
//	config.go      sizes
//	weights.go     weights and memory on the device
//	model.go       the forward pass
//	batch.go       its inputs
//	candidates.go  the likeliest tokens
//	ranks.go       a model over several devices
package model

import (
	"context"
	"errors"
	"math/bits"
	"sync/atomic"
	"time"

	"example.com/llm/gguf"
	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/collective"
	"github.com/nereid-lang/nereid/ops"
)

// PageSize is the number of positions that a page of the cache has.
const PageSize = 16

// Options say how a model runs.
type Options struct {
	Device string       // as nereid.OpenDevice has it
	DType  nereid.DType // of activations and cache
	Pages  int          // of the cache
	Config nereid.Config

	// Ranks says which part of the model this is, if it is spread over several devices (tensor parallelism).
	// Rank 0 is used like a whole model, the others call Follow.
	Ranks collective.Config
	// Context ends what ranks wait for each other; nil: never.
	Context context.Context
	// Closed is called at the end of Close, if it is not nil.
	Closed func() error
}

// Model is a model on a device. One goroutine uses it at a time.
type Model struct {
	Config
	// OneByOne launches kernels one by one where there are graphs, for profiles; it is set before Warm.
	OneByOne bool

	dev    *nereid.Device
	stream *nereid.Stream
	s      *ops.Stream
	dt     nereid.DType
	ranks  ranks
	closed func() error
	pages  int
	memory []*nereid.Tensor // to be freed

	embedding, head matrix
	norm            *nereid.Tensor
	layers          []layer
	rotary          ops.Rotary
	batches         map[shape]*inputs
	warm            bool
	compiled        atomic.Int64 // kernels, after Warm
}

// New puts the model of a file on a device.
func New(f *gguf.File, o Options) (m *Model, err error) {
	m = &Model{dt: o.DType, pages: o.Pages, batches: map[shape]*inputs{}, closed: o.Closed}
	defer func() {
		if err != nil {
			m.Close()
			m = nil
		}
	}()
	if m.Config, err = configOf(f); err != nil {
		return m, err
	}
	if err = m.ranks.share(&m.Config, o.Ranks.Size); err != nil {
		return m, err
	}
	m.watch(&o.Config.Hooks)
	if m.dev, err = nereid.OpenDevice(o.Device); err != nil {
		return m, err
	}
	if m.stream, err = m.dev.NewStream(context.Background()); err != nil {
		return m, err
	}
	if err = m.join(o.Context, o.Ranks); err != nil {
		return m, err
	}
	m.s = ops.Load(nereid.With(o.Config)).On(m.stream)
	return m, m.load(f)
}

// watch counts kernels that are compiled after Warm.
func (m *Model) watch(h *nereid.Hooks) {
	after := h.AfterCompile
	h.AfterCompile = func(v nereid.Variant, took time.Duration, found bool, err error) {
		if m.warm {
			m.compiled.Add(1)
		}
		if after != nil {
			after(v, took, found, err)
		}
	}
}

// CompiledLate returns how many kernels were compiled, or found in a cache, after Warm: none, if all shapes
// were run.
func (m *Model) CompiledLate() int { return int(m.compiled.Load()) }

// Device returns the name of the device.
func (m *Model) Device() string { return m.dev.String() }

// Pages returns how many pages the cache has.
func (m *Model) Pages() int { return m.pages }

// Close frees the memory of the device. Rank 0 ends the other ranks.
func (m *Model) Close() error {
	err := m.dismiss()
	if m.s != nil {
		err = errors.Join(err, m.s.Close())
	}
	for _, b := range m.batches {
		if b.graph != nil {
			err = errors.Join(err, b.graph.Close())
		}
	}
	for _, t := range m.memory {
		err = errors.Join(err, t.Close())
	}
	err = errors.Join(err, m.ranks.close())
	if m.stream != nil {
		err = errors.Join(err, m.stream.Close())
	}
	if m.closed != nil {
		err = errors.Join(err, m.closed())
	}
	return err
}

// forward launches the forward pass of a batch and returns the logits of the wanted rows, [rows,
// Vocabulary], of fp32. They live until the next call.
func (m *Model) forward(b *inputs) (*nereid.Tensor, error) {
	s := m.s
	s.Reset()
	x := m.embedding.rows(s, b.tokens.Tensor, m.dt)
	y := s.New(m.dt, b.tokens.Len(), m.Dim)
	for i := range m.layers {
		l, mark := &m.layers[i], s.Mark()
		qkv := l.qkv.times(s, x, ops.Norm(l.attentionNorm, m.Epsilon))
		a, err := m.attention(l, qkv, b)
		if err != nil {
			return nil, err
		}
		if err := m.addUp(&l.output, y, a, x); err != nil {
			return nil, err
		}
		h := l.gateUp.times(s, y, ops.Norm(l.ffnNorm, m.Epsilon), ops.ThenSiLU, ops.Gated)
		if err := m.addUp(&l.down, x, h, y); err != nil {
			return nil, err
		}
		s.Release(mark)
	}
	if b.queries > 1 && !b.all {
		x = ops.Take(s, x, b.wanted.Tensor, 0)
	}
	logits := m.head.times(s, x, ops.Norm(m.norm, m.Epsilon), ops.As(nereid.Float32))
	return logits, logits.Err()
}

// attention returns the outputs of a layer's heads for their inputs.
func (m *Model) attention(l *layer, qkv *nereid.Tensor, b *inputs) (*nereid.Tensor, error) {
	if err := qkv.Err(); err != nil {
		return nil, err
	}
	cache := ops.PagedCache{Keys: l.keys, Values: l.values, Table: b.table.Tensor, Lengths: b.lengths.Tensor,
		Slots: b.slots.Tensor}
	out := ops.AppendAttention(m.s, qkv.Reshape(b.blocks, b.queries, -1), m.ranks.heads, cache, m.rotary,
		ops.AttentionOptions{})
	if err := out.Err(); err != nil {
		return nil, err
	}
	return out.Reshape(b.blocks*b.queries, -1), nil
}

// pow2 returns the smallest power of two that is at least n, which is at least 1.
func pow2(n int) int { return 1 << bits.Len(uint(n-1)) }
