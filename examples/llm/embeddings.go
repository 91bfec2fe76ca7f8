package main

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"time"

	"example.com/llm/embed"
	"example.com/llm/engine"
	"example.com/llm/weights"
	"github.com/nereid-lang/nereid"
)

// maxInputs is how many texts a request for embeddings may have, as in OpenAI's API.
const maxInputs = 2048

// embedder answers requests for embeddings, one batch of texts after another.
type embedder struct {
	*embed.Model
	places         chan struct{} // requests that are let in
	inputs, tokens atomic.Int64  // so far
}

// embedder opens the model of a folder for embeddings. Without a name it is the folder that ./fetch makes; if
// that is not there, or the language model is a random one, there is no embedder.
func (s *settings) embedder(folder string, log io.Writer) (*embedder, error) {
	if folder == "none" || folder == "" && s.random != nil {
		return nil, nil
	}
	if folder == "" {
		file, err := weights.Find(filepath.Join(weights.MiniLM, "model.safetensors"))
		if err != nil {
			return nil, nil
		}
		folder = filepath.Dir(file)
	}
	begin := time.Now()
	m, err := embed.Open(folder, embed.Options{Device: s.device, Blocks: s.embedBlocks,
		Config: nereid.EnvConfig()})
	if err != nil {
		return nil, err
	}
	if err := m.Warm(); err != nil {
		m.Close()
		return nil, err
	}
	fmt.Fprintf(log, "%s, embeddings of %d numbers: ready after %.1f s\n", m.Name, m.Dim,
		time.Since(begin).Seconds())
	return &embedder{Model: m, places: make(chan struct{}, max(1, s.engine.Queue))}, nil
}

// embeddingRequest is a request of /v1/embeddings.
type embeddingRequest struct {
	Model      string `json:"model"`
	Input      texts  `json:"input"`
	Format     string `json:"encoding_format"`
	Dimensions *int   `json:"dimensions"`
}

// texts are one text or several, each as a string or as tokens.
type texts struct {
	strings []string
	tokens  [][]int
}

func (t *texts) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		t.strings = []string{one}
		return nil
	}
	if json.Unmarshal(b, &t.strings) == nil {
		return nil
	}
	t.strings = nil
	var ids []int
	if json.Unmarshal(b, &ids) == nil {
		t.tokens = [][]int{ids}
		return nil
	}
	if json.Unmarshal(b, &t.tokens) == nil {
		return nil
	}
	return errors.New("input is a text, tokens, or a list of either")
}

// read returns the tokens of each text of a request, and how many there are with those around them.
func (e *embedder) read(in *embeddingRequest) (list [][]int, total int, err error) {
	switch {
	case in.Format != "" && in.Format != "float" && in.Format != "base64":
		return nil, 0, fmt.Errorf("encoding_format is %q, not float or base64", in.Format)
	case in.Dimensions != nil && *in.Dimensions != e.Dim:
		return nil, 0, fmt.Errorf("dimensions is %d: this model has %d", *in.Dimensions, e.Dim)
	}
	list = in.Input.tokens
	for _, text := range in.Input.strings {
		if len(list) > maxInputs {
			break
		}
		list = append(list, e.Tokens(text))
		if text == "" {
			return nil, 0, fmt.Errorf("input %d is empty", len(list)-1)
		}
	}
	if len(list) == 0 || len(list) > maxInputs {
		return nil, 0, fmt.Errorf("input has no texts, or more than %d", maxInputs)
	}
	for i, ids := range list {
		if err := e.check(ids, in.Input.tokens != nil); err != nil {
			return nil, 0, fmt.Errorf("input %d %w", i, err)
		}
		total += len(ids) + 2
	}
	return list, total, nil
}

// check returns an error for a text that is refused.
func (e *embedder) check(ids []int, given bool) error {
	if len(ids) > e.Limit {
		return fmt.Errorf("has %d tokens: this model's maximum is %d", len(ids), e.Limit)
	}
	if given && len(ids) == 0 {
		return errors.New("is empty")
	}
	for _, id := range ids {
		if id < 0 || id >= e.Vocabulary() {
			return fmt.Errorf("has the token %d of a vocabulary of %d", id, e.Vocabulary())
		}
	}
	return nil
}

func (s *service) handleEmbeddings(w http.ResponseWriter, r *http.Request) {
	e := s.embedder
	if e == nil {
		writeError(w, http.StatusNotFound, errors.New("the server has no model for embeddings: "+
			"./fetch --embeddings downloads one, serve --embeddings FOLDER takes another"))
		return
	}
	var in embeddingRequest
	if !decode(w, r, &in) {
		return
	}
	list, total, err := e.read(&in)
	if err != nil {
		writeError(w, http.StatusBadRequest, err)
		return
	}
	vectors, err := e.run(r.Context(), list)
	switch {
	case errors.Is(err, engine.ErrBusy):
		writeError(w, http.StatusTooManyRequests, err)
	case err != nil:
		writeError(w, http.StatusInternalServerError, err)
	default:
		e.inputs.Add(int64(len(list)))
		e.tokens.Add(int64(total))
		writeJSON(w, http.StatusOK, e.answer(vectors, total, in.Format == "base64"))
	}
}

// run computes vectors, unless too many requests wait already.
func (e *embedder) run(ctx context.Context, list [][]int) ([][]float32, error) {
	select {
	case e.places <- struct{}{}:
		defer func() { <-e.places }()
		return e.Embed(ctx, list)
	default:
		return nil, engine.ErrBusy
	}
}

// answer returns vectors as OpenAI's API has them: lists of numbers, or the bytes of fp32 in base64.
func (e *embedder) answer(vectors [][]float32, tokens int, encoded bool) map[string]any {
	data := make([]any, len(vectors))
	for i, v := range vectors {
		entry := map[string]any{"object": "embedding", "index": i, "embedding": v}
		if encoded {
			var b []byte
			for _, x := range v {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
			}
			entry["embedding"] = base64.StdEncoding.EncodeToString(b)
		}
		data[i] = entry
	}
	return map[string]any{"object": "list", "data": data, "model": e.Name,
		"usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens}}
}
