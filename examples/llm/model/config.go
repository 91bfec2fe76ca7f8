package model

import (
	"fmt"

	"example.com/llm/gguf"
)

// Config is the size of a model, as a file says it.
type Config struct {
	Name                        string
	Layers, Dim, Heads, KVHeads int
	HeadSize, FFN, Context      int
	Vocabulary                  int
	Epsilon, RopeBase           float64
}

// limits bound what a file may ask for: the sizes of the largest models of this kind.
var limits = []struct {
	key string
	max uint32
	to  func(c *Config) *int
}{
	{"llama.block_count", 256, func(c *Config) *int { return &c.Layers }},
	{"llama.embedding_length", 1 << 16, func(c *Config) *int { return &c.Dim }},
	{"llama.attention.head_count", 1 << 10, func(c *Config) *int { return &c.Heads }},
	{"llama.attention.head_count_kv", 1 << 10, func(c *Config) *int { return &c.KVHeads }},
	{"llama.feed_forward_length", 1 << 18, func(c *Config) *int { return &c.FFN }},
	{"llama.context_length", 1 << 20, func(c *Config) *int { return &c.Context }},
}

// configOf reads the metadata of a file.
func configOf(f *gguf.File) (c Config, err error) {
	if arch, _ := f.Meta["general.architecture"].(string); arch != "llama" {
		return c, fmt.Errorf("model: the architecture %q is not known: llama is", arch)
	}
	for _, l := range limits {
		v, err := gguf.Get[uint32](f, l.key)
		if err != nil {
			return c, err
		}
		if v == 0 || v > l.max {
			return c, fmt.Errorf("model: %s is %d, not from 1 to %d", l.key, v, l.max)
		}
		*l.to(&c) = int(v)
	}
	epsilon, err := gguf.Get[float32](f, "llama.attention.layer_norm_rms_epsilon")
	if err != nil {
		return c, err
	}
	c.Epsilon, c.RopeBase = float64(epsilon), 10000
	if v, ok := f.Meta["llama.rope.freq_base"].(float32); ok {
		c.RopeBase = float64(v)
	}
	c.Name, _ = f.Meta["general.name"].(string)
	c.HeadSize = c.Dim / c.Heads
	if c.Dim%c.Heads != 0 || c.HeadSize%2 != 0 || c.Heads%c.KVHeads != 0 {
		return c, fmt.Errorf("model: %d heads over %d of %d elements", c.Heads, c.KVHeads, c.Dim)
	}
	if t, ok := f.Tensors["token_embd.weight"]; ok {
		c.Vocabulary = t.Shape[0]
	}
	return c, nil
}
