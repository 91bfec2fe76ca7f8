package engine

import (
	"context"
	"slices"
	"time"

	"example.com/llm/model"
	"example.com/llm/tokenizer"
)

// sequence is a request on its way. Its channel has room for all events, so that a slow client delays nobody.
type sequence struct {
	Request
	ctx     context.Context
	tok     *tokenizer.Tokenizer
	events  chan Event
	arrived time.Time
	pages   []int32
	sampler *sampler
	text    text

	tokens    []int // the prompt, and what follows it
	position  int   // tokens in the cache
	last      int   // the newest token, not in the cache yet
	generated int
	held      []Token // whose text is not out
}

func newSequence(ctx context.Context, tok *tokenizer.Tokenizer, r Request) *sequence {
	return &sequence{Request: r, ctx: ctx, tok: tok, tokens: slices.Clone(r.Prompt),
		events: make(chan Event, r.MaxTokens+1), arrived: time.Now(), sampler: newSampler(r.Sampling),
		text: text{stop: r.Stop}}
}

// pagesNeeded returns the pages for the longest answer.
func (s *sequence) pagesNeeded() int {
	return (len(s.Prompt) + s.MaxTokens + model.PageSize - 1) / model.PageSize
}

// candidates reports whether the candidates of a token are needed.
func (s *sequence) candidates() bool { return s.Sampling.Temperature > 0 || s.LogProbs > 0 }

// accept takes a token, and returns how the answer ends with it, or "".
func (s *sequence) accept(p model.Prediction) string {
	c := s.sampler.pick(p)
	s.last, s.tokens = c.Token, append(s.tokens, c.Token)
	s.generated++
	if s.tok.Ends(c.Token) {
		return "stop"
	}
	t := Token{ID: c.Token}
	if s.LogProbs > 0 {
		t.LogProb, t.Top = c.LogProb, p.Top[:min(s.LogProbs, len(p.Top))]
	}
	s.held = append(s.held, t)
	out, stopped := s.text.add(s.tok.Text(c.Token))
	if out != "" && !stopped {
		s.events <- Event{Text: out, Tokens: s.held}
		s.held = nil
	}
	switch {
	case stopped:
		s.text.rest = out // what comes before the stop word goes with the last event
		return "stop"
	case s.generated >= s.MaxTokens:
		return "length"
	}
	return ""
}

// end sends the last event.
func (s *sequence) end(how string, err error) {
	s.events <- Event{Text: s.text.flush(), Tokens: s.held, Finish: how, Err: err}
	close(s.events)
}
