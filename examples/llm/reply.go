package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"example.com/llm/engine"
	"example.com/llm/tokenizer"
)

// reply is how an answer is written: as a chat's, or as that of a completion.
type reply interface {
	prefix() string            // of the answer's id
	object(stream bool) string // the kind of the answer
	choice(a *answer, e engine.Event, stream bool) map[string]any
}

// answer is an answer on its way.
type answer struct {
	tok     *tokenizer.Tokenizer
	head    map[string]any // fields of all its parts
	prompt  int            // tokens
	offset  int            // bytes of the tokens whose probabilities are out
	tokens  int
	started bool
}

// answer runs a request and writes the answer.
func (s *service) answer(w http.ResponseWriter, r *http.Request, p *params, tokens []int, logProbs int,
	kind reply) {
	request, err := p.request(tokens, logProbs)
	if err != nil {
		writeError(w, http.StatusBadRequest, err)
		return
	}
	events, err := s.engine.Submit(r.Context(), request)
	switch {
	case errors.Is(err, engine.ErrBusy):
		writeError(w, http.StatusTooManyRequests, err)
		return
	case errors.Is(err, engine.ErrClosed):
		writeError(w, http.StatusServiceUnavailable, err)
		return
	case err != nil:
		writeError(w, http.StatusBadRequest, err)
		return
	}
	a := &answer{tok: s.tok, prompt: len(tokens), head: map[string]any{"object": kind.object(p.Stream),
		"id": fmt.Sprintf("%s-%d-%d", kind.prefix(), s.started.Unix(), s.answers.Add(1)), "model": s.name,
		"created": time.Now().Unix()}}
	if p.Stream {
		a.stream(w, events, kind, p.StreamOptions.IncludeUsage)
	} else {
		a.whole(w, events, kind)
	}
}

// whole writes the answer when it is complete.
func (a *answer) whole(w http.ResponseWriter, events <-chan engine.Event, kind reply) {
	var text strings.Builder
	var all engine.Event
	for e := range events {
		text.WriteString(e.Text)
		all.Tokens = append(all.Tokens, e.Tokens...)
		all.Finish, all.Err = e.Finish, e.Err
	}
	if all.Err != nil {
		writeError(w, http.StatusInternalServerError, all.Err)
		return
	}
	if all.Finish == "cancelled" { // the client is gone, or the grace of a shutdown is over
		writeError(w, http.StatusServiceUnavailable, engine.ErrClosed)
		return
	}
	all.Text = text.String()
	a.tokens = len(all.Tokens)
	out := a.with("choices", []any{kind.choice(a, all, false)})
	out["usage"] = a.usage()
	writeJSON(w, http.StatusOK, out)
}

// stream writes the answer piece by piece, as server-sent events.
func (a *answer) stream(w http.ResponseWriter, events <-chan engine.Event, kind reply, usage bool) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	control := http.NewResponseController(w)
	send := func(v any) {
		data, err := json.Marshal(v)
		if err != nil {
			data = []byte(`{"error": {"message": "the answer is no JSON"}}`)
		}
		fmt.Fprintf(w, "data: %s\n\n", data)
		_ = control.Flush() // a client that is gone ends the request's context
	}
	for e := range events {
		if e.Finish == "cancelled" { // as in whole
			e.Err = engine.ErrClosed
		}
		if e.Err != nil {
			send(map[string]any{"error": map[string]any{"type": "server_error",
				"message": fmt.Sprint("the answer was ended: ", e.Err)}})
			return
		}
		a.tokens += len(e.Tokens)
		send(a.with("choices", []any{kind.choice(a, e, true)}))
	}
	if usage {
		out := a.with("choices", []any{})
		out["usage"] = a.usage()
		send(out)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
	_ = control.Flush()
}

// with returns the fields of all parts of the answer, and one more.
func (a *answer) with(key string, value any) map[string]any {
	out := map[string]any{key: value}
	for k, v := range a.head {
		out[k] = v
	}
	return out
}

func (a *answer) usage() map[string]int {
	return map[string]int{"prompt_tokens": a.prompt, "completion_tokens": a.tokens,
		"total_tokens": a.prompt + a.tokens}
}

// finish returns why an answer ended, null if it did not.
func finish(e engine.Event) any {
	if e.Finish == "" {
		return nil
	}
	return e.Finish
}

// chatReply writes answers of a chat.
type chatReply struct{ top int }

func (*chatReply) prefix() string { return "chatcmpl" }

func (*chatReply) object(stream bool) string {
	if stream {
		return "chat.completion.chunk"
	}
	return "chat.completion"
}

func (c *chatReply) choice(a *answer, e engine.Event, stream bool) map[string]any {
	m := map[string]any{}
	if e.Text != "" || !stream {
		m["content"] = e.Text
	}
	if !a.started {
		m["role"], a.started = "assistant", true
	}
	out := map[string]any{"index": 0, "finish_reason": finish(e), "logprobs": c.logProbs(a.tok, e.Tokens)}
	if stream {
		out["delta"] = m
	} else {
		out["message"] = m
	}
	return out
}

// logProbs returns the tokens with their probabilities, null if they have none.
func (c *chatReply) logProbs(tok *tokenizer.Tokenizer, tokens []engine.Token) any {
	entry := func(id int, logProb float64) map[string]any {
		text := tok.Name(id)
		bytes := make([]int, len(text))
		for i := range bytes {
			bytes[i] = int(text[i])
		}
		return map[string]any{"token": valid(text), "logprob": logProb, "bytes": bytes}
	}
	var list []any
	for _, t := range tokens {
		if t.Top == nil {
			return nil
		}
		e, top := entry(t.ID, t.LogProb), []any{}
		for _, x := range t.Top[:min(c.top, len(t.Top))] {
			top = append(top, entry(x.Token, x.LogProb))
		}
		e["top_logprobs"] = top
		list = append(list, e)
	}
	if list == nil {
		return nil
	}
	return map[string]any{"content": list}
}

// textReply writes answers of /v1/completions.
type textReply struct{}

func (textReply) prefix() string     { return "cmpl" }
func (textReply) object(bool) string { return "text_completion" }

func (textReply) choice(a *answer, e engine.Event, _ bool) map[string]any {
	return map[string]any{"index": 0, "text": e.Text, "finish_reason": finish(e),
		"logprobs": textLogProbs(a, e.Tokens)}
}

// textLogProbs returns the tokens with their probabilities, null if they have none.
func textLogProbs(a *answer, tokens []engine.Token) any {
	if len(tokens) == 0 || tokens[0].Top == nil {
		return nil
	}
	var names []string
	var probs []float64
	var tops []map[string]float64
	var offsets []int
	for _, t := range tokens {
		top := map[string]float64{}
		for _, x := range t.Top {
			top[valid(a.tok.Name(x.Token))] = x.LogProb
		}
		names = append(names, valid(a.tok.Name(t.ID)))
		probs, tops, offsets = append(probs, t.LogProb), append(tops, top), append(offsets, a.offset)
		a.offset += len(a.tok.Text(t.ID))
	}
	return map[string]any{"tokens": names, "token_logprobs": probs, "top_logprobs": tops,
		"text_offset": offsets}
}

// valid returns a text as JSON can have it.
func valid(text string) string { return strings.ToValidUTF8(text, "\ufffd") }
