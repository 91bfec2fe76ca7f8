// Package engine generates text for many clients at once with one model.
//
// One goroutine owns the model. In each round it admits requests that the cache has pages for, reads a part
// of one prompt (chunked prefill), and generates a token for every sequence whose prompt is read
// (continuous batching): a long prompt delays the others by one part of it, and nobody waits for a batch to
// end.
//
//	engine.go    requests, rounds
//	sequence.go  one request on its way
//	pages.go     the pages of the cache
//	sample.go    which token follows
//	text.go      tokens to text, up to stop words
//	stats.go     counters
package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"example.com/llm/model"
	"example.com/llm/tokenizer"
)

// Options bound what an engine does at the same time.
type Options struct {
	Batch int // sequences that generate
	Chunk int // tokens of a prompt that are read in a round
	Queue int // requests that wait; more are refused
}

// Errors of Submit.
var (
	ErrBusy   = errors.New("too many requests are waiting")
	ErrClosed = errors.New("the engine is shutting down")
)

// Request asks for the continuation of a prompt.
type Request struct {
	Prompt    []int
	MaxTokens int      // 0: as many as the context has room for
	Stop      []string // texts that end the answer, and are not part of it
	Sampling  Sampling
	LogProbs  int // how many candidates each token has with it
}

// Event is a piece of an answer.
type Event struct {
	Text   string // may be empty, if a character or a stop word is not complete
	Tokens []Token
	Finish string // of the last event: "stop", "length", "cancelled" or "error"
	Err    error
}

// Token is a generated token with the logarithm of its probability, and the likeliest ones in its place; both
// are there if the request asks for candidates.
type Token struct {
	ID      int
	LogProb float64
	Top     []model.Candidate
}

// Engine generates text.
type Engine struct {
	Stats Stats
	o     Options
	model *model.Model
	tok   *tokenizer.Tokenizer
	pages pages
	wake  chan struct{} // has room for one: there is work
	done  chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex
	closed  bool
	waiting []*sequence

	// Of the goroutine alone:
	reading, writing []*sequence
}

// New starts an engine. Warm compiles what it needs; call it first.
func New(m *model.Model, tok *tokenizer.Tokenizer, o Options) *Engine {
	e := &Engine{o: o, model: m, tok: tok, wake: make(chan struct{}, 1), done: make(chan struct{})}
	e.pages.fill(m.Pages())
	e.Stats.pages = func() int { return e.pages.inUse() }
	go e.run()
	return e
}

// Warm runs every shape of batch that an engine with these options has, so that everything is compiled.
func Warm(m *model.Model, o Options) error { return m.Warm(o.Batch, o.Chunk) }

// Submit hands in a request. The answer comes as events; the last one says how it ended, and the channel is
// closed. When ctx ends, so does the work.
func (e *Engine) Submit(ctx context.Context, r Request) (<-chan Event, error) {
	room := e.model.Context - len(r.Prompt)
	switch {
	case len(r.Prompt) == 0:
		return nil, errors.New("the prompt is empty")
	case room <= 0:
		return nil, fmt.Errorf("the prompt has %d tokens, and the context %d", len(r.Prompt), e.model.Context)
	case r.MaxTokens <= 0 || r.MaxTokens > room:
		r.MaxTokens = room
	}
	s := newSequence(ctx, e.tok, r)
	if s.pagesNeeded() > e.model.Pages() {
		return nil, fmt.Errorf("%d tokens do not fit into a cache of %d", len(r.Prompt)+r.MaxTokens,
			e.model.Pages()*model.PageSize)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, ErrClosed
	}
	if len(e.waiting) >= e.o.Queue {
		e.Stats.Refused.Add(1)
		return nil, ErrBusy
	}
	e.waiting = append(e.waiting, s)
	e.Stats.Waiting.Add(1)
	e.signal()
	return s.events, nil
}

// Close answers what was handed in, and ends the engine.
func (e *Engine) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.signal()
	<-e.done
}

// signal wakes the goroutine.
func (e *Engine) signal() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// run does rounds until the engine is closed and idle.
func (e *Engine) run() {
	defer close(e.done)
	for {
		e.admit()
		if len(e.reading)+len(e.writing) == 0 {
			e.mu.Lock()
			end := e.closed && len(e.waiting) == 0
			e.mu.Unlock()
			if end {
				return
			}
			<-e.wake
			continue
		}
		e.read()
		e.write()
	}
}

// admit takes requests from the queue, in their order, while there is room in the batch and in the cache. A
// sequence gets all pages that it may need at once, so that it never has to give way.
func (e *Engine) admit() {
	e.mu.Lock()
	defer e.mu.Unlock()
	// Those that were cancelled go wherever they stand, so that they keep no others out of the queue.
	e.waiting = slices.DeleteFunc(e.waiting, func(s *sequence) bool {
		if s.ctx.Err() == nil {
			return false
		}
		e.begin()
		e.finish(s, "cancelled", nil)
		return true
	})
	for len(e.waiting) > 0 && len(e.reading)+len(e.writing) < e.o.Batch {
		s := e.waiting[0]
		// The last token of a prompt is read in any case: the next one is predicted behind it.
		pages, shared := e.pages.take(s.pagesNeeded(), keysOf(s.Prompt[:len(s.Prompt)-1]))
		if pages == nil {
			return
		}
		s.pages, s.position = pages, shared*model.PageSize
		e.Stats.SharedTokens.Add(int64(s.position))
		e.reading = append(e.reading, s)
		e.waiting[0] = nil
		e.waiting = e.waiting[1:]
		e.begin()
	}
}

// begin counts a sequence that waits no longer; finish ends what it counts.
func (e *Engine) begin() {
	e.Stats.Waiting.Add(-1)
	e.Stats.Running.Add(1)
}

// read reads a part of the first prompt.
func (e *Engine) read() {
	if len(e.reading) == 0 {
		return
	}
	s := e.reading[0]
	if s.ctx.Err() != nil {
		e.reading = e.reading[1:]
		e.finish(s, "cancelled", nil)
		return
	}
	part := s.Prompt[s.position:min(s.position+e.o.Chunk, len(s.Prompt))]
	next, err := e.model.Prefill(part, s.position, s.pages, s.candidates())
	s.position += len(part)
	e.Stats.PromptTokens.Add(int64(len(part)))
	if err == nil && s.position < len(s.Prompt) {
		return
	}
	e.reading = e.reading[1:]
	if err != nil {
		e.finish(s, "error", err)
		return
	}
	e.pages.note(s.pages, keysOf(s.Prompt)) // others may begin with it from now on
	e.Stats.FirstToken.add(time.Since(s.arrived))
	if e.step(s, next) {
		e.writing = append(e.writing, s)
	}
}

// write generates the next token of all sequences whose prompts are read.
func (e *Engine) write() {
	live := e.writing[:0]
	for _, s := range e.writing {
		if s.ctx.Err() == nil {
			live = append(live, s)
		} else {
			e.finish(s, "cancelled", nil)
		}
	}
	clear(e.writing[len(live):])
	e.writing = live
	if len(live) == 0 {
		return
	}
	begin := time.Now()
	rows, top := make([]model.Row, len(live)), false
	for i, s := range live {
		rows[i] = model.Row{Token: s.last, Position: s.position, Pages: s.pages}
		s.position++
		top = top || s.candidates()
	}
	list, err := e.model.Decode(rows, top)
	next := live[:0]
	for i, s := range live {
		if err != nil {
			e.finish(s, "error", err)
		} else if e.step(s, list[i]) {
			next = append(next, s)
		}
	}
	clear(e.writing[len(next):])
	e.writing = next
	e.Stats.NextToken.add(time.Since(begin))
}

// step gives a sequence its next token, and reports whether it goes on.
func (e *Engine) step(s *sequence, p model.Prediction) bool {
	e.Stats.GeneratedTokens.Add(1)
	if finish := s.accept(p); finish != "" {
		e.finish(s, finish, nil)
		return false
	}
	return true
}

// finish ends a sequence.
func (e *Engine) finish(s *sequence, how string, err error) {
	s.end(how, err)
	if err == nil && s.pages != nil {
		e.pages.note(s.pages, keysOf(s.tokens[:s.position])) // a conversation goes on with the answer
	}
	e.pages.give(s.pages)
	s.pages = nil
	e.Stats.Running.Add(-1)
	e.Stats.finished(how)
}
