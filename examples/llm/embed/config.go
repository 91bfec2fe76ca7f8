package embed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// config has the sizes of a model, as config.json names them.
type config struct {
	Kind       string  `json:"model_type"`
	Activation string  `json:"hidden_act"`
	Placed     string  `json:"position_embedding_type"`
	Layers     int     `json:"num_hidden_layers"`
	Dim        int     `json:"hidden_size"`
	Heads      int     `json:"num_attention_heads"`
	FFN        int     `json:"intermediate_size"`
	Positions  int     `json:"max_position_embeddings"`
	Types      int     `json:"type_vocab_size"`
	Vocabulary int     `json:"vocab_size"`
	Epsilon    float64 `json:"layer_norm_eps"`
}

// What files may have at most. The sizes of a model are bounded by its file, too.
const (
	maxConfig     = 1 << 20 // bytes
	maxVocabulary = 64 << 20
	maxWeights    = 4 << 30
	maxLayers     = 256
	maxSize       = 1 << 20
)

// readConfig reads the sizes of a model, and how many tokens a text may have.
func readConfig(folder string) (c config, limit int, err error) {
	data, err := readFile(filepath.Join(folder, "config.json"), maxConfig)
	if err != nil {
		return c, 0, err
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, 0, fmt.Errorf("embed: config.json: %w", err)
	}
	if err := c.check(); err != nil {
		return c, 0, fmt.Errorf("embed: config.json: %w", err)
	}
	limit, err = readLimit(folder)
	if limit == 0 || limit > c.Positions {
		limit = c.Positions
	}
	if err == nil && limit < 3 {
		err = fmt.Errorf("embed: %d tokens are no room for a text between two others", limit)
	}
	return c, limit, err
}

// readLimit reads how many tokens the model was trained with, 0 if the folder does not say it.
func readLimit(folder string) (int, error) {
	data, err := readFile(filepath.Join(folder, "sentence_bert_config.json"), maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	var s struct {
		Max int `json:"max_seq_length"`
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err == nil && s.Max < 0 {
		err = fmt.Errorf("max_seq_length is %d", s.Max)
	}
	if err != nil {
		return 0, fmt.Errorf("embed: sentence_bert_config.json: %w", err)
	}
	return s.Max, nil
}

// check returns an error for a model that this package does not run.
func (c *config) check() error {
	if c.Kind != "bert" || c.Activation != "gelu" || c.Placed != "" && c.Placed != "absolute" {
		return fmt.Errorf("the model is %q with the activation %q and positions %q: "+
			"there are bert, gelu and absolute", c.Kind, c.Activation, c.Placed)
	}
	for name, n := range map[string]int{"hidden_size": c.Dim, "num_attention_heads": c.Heads,
		"intermediate_size": c.FFN, "max_position_embeddings": c.Positions, "type_vocab_size": c.Types,
		"vocab_size": c.Vocabulary} {
		if n < 1 || n > maxSize {
			return fmt.Errorf("%s is %d", name, n)
		}
	}
	switch {
	case c.Layers < 1 || c.Layers > maxLayers:
		return fmt.Errorf("num_hidden_layers is %d", c.Layers)
	case c.Dim%c.Heads != 0:
		return fmt.Errorf("%d heads do not divide hidden_size, %d", c.Heads, c.Dim)
	case c.Epsilon <= 0 || c.Epsilon > 1:
		return fmt.Errorf("layer_norm_eps is %g", c.Epsilon)
	}
	return nil
}

// readFile reads a file of at most so many bytes.
func readFile(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s has more than %d bytes", path, most)
	}
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	return data, nil
}
