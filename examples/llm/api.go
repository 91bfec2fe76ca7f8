package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"

	"example.com/llm/engine"
)

// What a request may ask for.
const (
	maxBody     = 1 << 20 // bytes
	maxLogProbs = 20
	maxStops    = 4
	maxStopLen  = 256
	// defaultTokens is how long an answer is at most if the request does not say it.
	defaultTokens = 1024
)

// params are the fields that both kinds of requests have.
type params struct {
	Model         string   `json:"model"`
	MaxTokens     *int     `json:"max_tokens"`
	MaxCompletion *int     `json:"max_completion_tokens"`
	Temperature   *float64 `json:"temperature"`
	TopP          *float64 `json:"top_p"`
	TopK          int      `json:"top_k"`
	MinP          float64  `json:"min_p"`
	Seed          *int64   `json:"seed"`
	Stop          strs     `json:"stop"`
	N             *int     `json:"n"`
	Stream        bool     `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// chatRequest is a request of /v1/chat/completions.
type chatRequest struct {
	params
	Messages    []message `json:"messages"`
	LogProbs    bool      `json:"logprobs"`
	TopLogProbs int       `json:"top_logprobs"`
}

// completionRequest is a request of /v1/completions.
type completionRequest struct {
	params
	Prompt   prompt `json:"prompt"`
	LogProbs *int   `json:"logprobs"`
}

// message is a message of a conversation.
type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

// content is a message's text: a string, or parts of the type text.
type content string

func (c *content) UnmarshalJSON(b []byte) error {
	var parts []struct{ Type, Text string }
	if json.Unmarshal(b, &parts) != nil {
		return json.Unmarshal(b, (*string)(c))
	}
	for _, p := range parts {
		if p.Type != "text" {
			return fmt.Errorf("a message has a part of type %q: only text is known", p.Type)
		}
		*c += content(p.Text)
	}
	return nil
}

// strs is a string, or several.
type strs []string

func (s *strs) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		if one != "" {
			*s = strs{one}
		}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(s))
}

// prompt is a text, or tokens.
type prompt struct {
	text   string
	tokens []int
}

func (p *prompt) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &p.tokens) == nil || json.Unmarshal(b, &p.text) == nil {
		return nil
	}
	var list []string
	if json.Unmarshal(b, &list) == nil && len(list) == 1 {
		p.text, p.tokens = list[0], nil // without what the first attempt has left
		return nil
	}
	return errors.New("prompt is a text or a list of tokens; several prompts are several requests")
}

// request returns what the engine is asked for.
func (p *params) request(tokens []int, logProbs int) (engine.Request, error) {
	r := engine.Request{Prompt: tokens, MaxTokens: defaultTokens, Stop: p.Stop, LogProbs: logProbs,
		Sampling: engine.Sampling{Temperature: 1, TopK: p.TopK, MinP: p.MinP, Seed: rand.Uint64()}}
	for _, n := range []*int{p.MaxTokens, p.MaxCompletion} {
		if n != nil {
			r.MaxTokens = *n
		}
	}
	if p.Temperature != nil {
		r.Sampling.Temperature = *p.Temperature
	}
	if p.TopP != nil {
		r.Sampling.TopP = *p.TopP
	}
	if p.Seed != nil {
		r.Sampling.Seed = uint64(*p.Seed)
	}
	return r, p.check(&r)
}

// check returns an error for a request that is out of bounds.
func (p *params) check(r *engine.Request) error {
	long := false
	for _, s := range r.Stop {
		long = long || len(s) > maxStopLen
	}
	o := r.Sampling
	switch {
	case r.MaxTokens < 1:
		return errors.New("max_tokens is less than 1")
	case o.Temperature < 0 || o.Temperature > 2:
		return errors.New("temperature is not from 0 to 2")
	case o.TopP < 0 || o.TopP > 1 || o.MinP < 0 || o.MinP > 1 || o.TopK < 0:
		return errors.New("top_p or min_p is not from 0 to 1, or top_k is negative")
	case p.N != nil && *p.N != 1:
		return errors.New("n is not 1: send several requests")
	case len(r.Stop) > maxStops || long:
		return fmt.Errorf("stop has more than %d words, or one of more than %d bytes", maxStops, maxStopLen)
	case r.LogProbs < 0 || r.LogProbs > maxLogProbs:
		return fmt.Errorf("there are logprobs of up to %d tokens", maxLogProbs)
	}
	return nil
}

func (s *service) handleChat(w http.ResponseWriter, r *http.Request) {
	var in chatRequest
	if !decode(w, r, &in) {
		return
	}
	tokens, err := s.template.render(in.Messages)
	if err != nil {
		writeError(w, http.StatusBadRequest, err)
		return
	}
	n := 0
	if in.LogProbs {
		n = cmp.Or(in.TopLogProbs, 1)
	}
	s.answer(w, r, &in.params, tokens, n, &chatReply{top: in.TopLogProbs})
}

func (s *service) handleCompletion(w http.ResponseWriter, r *http.Request) {
	var in completionRequest
	if !decode(w, r, &in) {
		return
	}
	tokens := in.Prompt.tokens
	if in.Prompt.text != "" {
		tokens = s.tok.Encode(in.Prompt.text)
	}
	for _, id := range tokens {
		if id < 0 || id >= s.tok.Size() {
			writeError(w, http.StatusBadRequest,
				fmt.Errorf("token %d of a vocabulary of %d", id, s.tok.Size()))
			return
		}
	}
	n := 0
	if in.LogProbs != nil {
		n = cmp.Or(*in.LogProbs, 1)
	}
	s.answer(w, r, &in.params, tokens, n, &textReply{})
}

// decode reads a request's JSON; if it cannot, it answers with an error.
func decode(w http.ResponseWriter, r *http.Request, into any) bool {
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(into)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		writeError(w, http.StatusRequestEntityTooLarge, err)
	case err != nil:
		writeError(w, http.StatusBadRequest, err)
	}
	return err == nil
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that is gone hears nothing
}

// writeError answers with an error as OpenAI's API has it.
func writeError(w http.ResponseWriter, status int, err error) {
	kind := "invalid_request_error"
	if status >= http.StatusInternalServerError || status == http.StatusTooManyRequests {
		kind = "server_error"
		w.Header().Set("Retry-After", "1")
	}
	writeJSON(w, status, map[string]any{"error": map[string]any{"message": err.Error(), "type": kind,
		"param": nil, "code": nil}})
}
