package weights

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/nereid-lang/nereid"
)

// MiniLM is the folder of all-MiniLM-L6-v2 in Folder.
const MiniLM = "all-MiniLM-L6-v2"

// The sizes of the model that RandomBERT writes.
const (
	bertLayers, bertDim, bertHeads, bertFFN, bertPositions = 2, 32, 2, 64, 70
	bertTokens                                             = 5 + 2*26
)

// RandomBERT writes a tiny model of BERT's architecture with random weights into a folder. Its tokens are the
// letters, at the beginning of a word and in it.
func RandomBERT(folder string, seed uint64) error {
	config, err := json.Marshal(map[string]any{"model_type": "bert", "hidden_act": "gelu",
		"num_hidden_layers": bertLayers, "hidden_size": bertDim, "num_attention_heads": bertHeads,
		"intermediate_size": bertFFN, "max_position_embeddings": bertPositions, "type_vocab_size": 2,
		"vocab_size": bertTokens, "layer_norm_eps": 1e-12})
	if err != nil {
		return err
	}
	vocabulary := "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"
	for c := 'a'; c <= 'z'; c++ {
		vocabulary += fmt.Sprintf("%c\n##%c\n", c, c)
	}
	for name, data := range map[string]string{"config.json": string(config), "vocab.txt": vocabulary,
		"sentence_bert_config.json": `{"max_seq_length": 64}`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(data), 0o600); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(folder, "model.safetensors"))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := nereid.WriteSafetensors(f, bertTensors(seed)); err != nil {
		return err
	}
	return f.Close()
}

// bertTensors returns random weights.
func bertTensors(seed uint64) map[string]*nereid.Tensor {
	r := rand.New(rand.NewPCG(seed, 0))
	all := map[string]*nereid.Tensor{}
	add := func(name string, middle, spread float64, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		data := make([]float32, n)
		for i := range data {
			data[i] = float32(middle + spread*r.NormFloat64())
		}
		all[name] = nereid.FromSlice(data, shape...)
	}
	norm := func(name string) {
		add(name+".weight", 1, 0.1, bertDim)
		add(name+".bias", 0, 0.1, bertDim)
	}
	linear := func(name string, outputs, inputs int) {
		add(name+".weight", 0, 1/math.Sqrt(float64(inputs)), outputs, inputs)
		add(name+".bias", 0, 0.1, outputs)
	}
	add("embeddings.word_embeddings.weight", 0, 1, bertTokens, bertDim)
	add("embeddings.position_embeddings.weight", 0, 1, bertPositions, bertDim)
	add("embeddings.token_type_embeddings.weight", 0, 1, 2, bertDim)
	norm("embeddings.LayerNorm")
	for i := range bertLayers {
		name := fmt.Sprintf("encoder.layer.%d.", i)
		for _, part := range []string{"query", "key", "value"} {
			linear(name+"attention.self."+part, bertDim, bertDim)
		}
		linear(name+"attention.output.dense", bertDim, bertDim)
		norm(name + "attention.output.LayerNorm")
		linear(name+"intermediate.dense", bertFFN, bertDim)
		linear(name+"output.dense", bertDim, bertFFN)
		norm(name + "output.LayerNorm")
	}
	return all
}
