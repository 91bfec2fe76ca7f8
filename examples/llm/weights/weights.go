// Package weights finds the weights of SmolLM2-135M-Instruct and all-MiniLM-L6-v2, and makes models with
// random weights for tests and measurements.
package weights

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"example.com/llm/gguf"
)

// Folder returns the folder that ./fetch puts the weights into.
func Folder() string {
	if dir := os.Getenv("NEREID_LLM_CACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "nereid-llm")
}

// Find returns the path of a file in Folder, or an error that says how to get it.
func Find(name string) (string, error) {
	path := filepath.Join(Folder(), name)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("no %s: ./fetch downloads weights, with --embeddings those of %s too, with "+
			"--reference also makes what tests compare with", path, MiniLM)
	}
	return path, nil
}

// Name is the file of the weights in Folder.
const Name = "SmolLM2-135M-Instruct.Q4_1.gguf"

// Shape is the size of a model.
type Shape struct {
	Layers, Dim, Heads, KVHeads, FFN, Context, Vocabulary int
}

var (
	// SmolLM2 is the shape of SmolLM2-135M.
	SmolLM2 = Shape{Layers: 30, Dim: 576, Heads: 9, KVHeads: 3, FFN: 1536, Context: 8192, Vocabulary: 49152}
	// Four is a shape for tests that up to four ranks can share.
	Four = Shape{Layers: 2, Dim: 128, Heads: 8, KVHeads: 4, FFN: 256, Context: 512, Vocabulary: 320}
	// Tiny is a shape for tests.
	Tiny = Shape{Layers: 2, Dim: 64, Heads: 4, KVHeads: 2, FFN: 96, Context: 512, Vocabulary: 320}
)

// Random returns a model with random weights, quantized as SmolLM2's are: matrices to Q4_1, the embedding to
// Q8_0.
func Random(s Shape, seed uint64) *gguf.File {
	file := &gguf.File{Version: 3, Meta: s.meta(), Tensors: map[string]gguf.Tensor{}}
	r := random{rand.New(rand.NewPCG(seed, 0)), file}
	kv := s.Dim / s.Heads * s.KVHeads
	r.matrix("token_embd.weight", gguf.Q8_0, s.Vocabulary, s.Dim)
	r.ones("output_norm.weight", s.Dim)
	for i := range s.Layers {
		name := func(part string) string { return fmt.Sprintf("blk.%d.%s.weight", i, part) }
		r.ones(name("attn_norm"), s.Dim)
		r.ones(name("ffn_norm"), s.Dim)
		r.matrix(name("attn_q"), gguf.Q4_1, s.Dim, s.Dim)
		r.matrix(name("attn_k"), gguf.Q4_1, kv, s.Dim)
		r.matrix(name("attn_v"), gguf.Q4_1, kv, s.Dim)
		r.matrix(name("attn_output"), gguf.Q4_1, s.Dim, s.Dim)
		r.matrix(name("ffn_gate"), gguf.Q4_1, s.FFN, s.Dim)
		r.matrix(name("ffn_up"), gguf.Q4_1, s.FFN, s.Dim)
		r.matrix(name("ffn_down"), gguf.Q4_1, s.Dim, s.FFN)
	}
	return r.file
}

// meta returns the metadata of a model: its tokenizer has all bytes, two merges and tokens without use.
func (s Shape) meta() map[string]any {
	tokens := []string{"<|endoftext|>", "<|im_start|>", "<|im_end|>"}
	kinds := []int32{3, 3, 3}
	next := rune(256)
	for i := range 256 {
		if '!' <= i && i <= '~' || '¡' <= i && i <= '¬' || '®' <= i && i <= 'ÿ' {
			tokens = append(tokens, string(rune(i)))
			continue
		}
		tokens = append(tokens, string(next)) // a byte that is no printable letter
		next++
	}
	tokens = append(tokens, "th", "the", "Ġthe")
	for i := len(tokens); i < s.Vocabulary; i++ {
		tokens = append(tokens, fmt.Sprintf("#%d", i))
	}
	for len(kinds) < len(tokens) {
		kinds = append(kinds, 1)
	}
	return map[string]any{
		"general.architecture": "llama", "general.name": "random", "llama.block_count": uint32(s.Layers),
		"llama.context_length": uint32(s.Context), "llama.embedding_length": uint32(s.Dim),
		"llama.feed_forward_length": uint32(s.FFN), "llama.attention.head_count": uint32(s.Heads),
		"llama.attention.head_count_kv": uint32(s.KVHeads), "llama.rope.freq_base": float32(10000),
		"llama.attention.layer_norm_rms_epsilon": float32(1e-5), "tokenizer.ggml.model": "gpt2",
		"tokenizer.ggml.pre": "smollm", "tokenizer.ggml.tokens": tokens, "tokenizer.ggml.token_type": kinds,
		"tokenizer.ggml.merges": []string{"t h", "th e", "Ġ the"}, "tokenizer.ggml.eos_token_id": uint32(2),
		"tokenizer.chat_template": "{{'<|im_start|>'}}",
	}
}

type random struct {
	*rand.Rand
	file *gguf.File
}

// ones adds a vector of ones.
func (r random) ones(name string, n int) {
	var data []byte
	for range n {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(1))
	}
	r.file.Tensors[name] = gguf.Tensor{Name: name, Type: gguf.F32, Shape: []int{n}, Data: data}
}

// matrix adds a matrix whose products keep the size of vectors.
func (r random) matrix(name string, kind gguf.Type, rows, cols int) {
	limit := math.Sqrt(3 / float64(cols)) // of a uniform distribution with the variance 1/cols
	var head []byte
	random := 16
	switch kind {
	case gguf.Q8_0:
		head, random = half(limit/127), 32
	default: // Q4_1
		head = append(half(limit/7.5), half(-limit)...)
	}
	var data []byte
	for range rows * cols / 32 {
		data = append(data, head...)
		for range random / 8 {
			data = binary.LittleEndian.AppendUint64(data, r.Uint64())
		}
	}
	r.file.Tensors[name] = gguf.Tensor{Name: name, Type: kind, Shape: []int{rows, cols}, Data: data}
}

// half returns a normal number as fp16, rounded toward zero.
func half(v float64) []byte {
	b := math.Float32bits(float32(v))
	exponent := int(b>>23&0xff) - 127 + 15
	return binary.LittleEndian.AppendUint16(nil, uint16(b>>16&0x8000|uint32(exponent)<<10|b>>13&0x3ff))
}
