package engine

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/llm/model"
)

// TestPages: texts that begin alike share pages, pages in use are never given out for another text, and in
// the end all of them are there again.
func TestPages(t *testing.T) {
	var p pages
	const total = 20
	p.fill(total)
	r := rand.New(rand.NewPCG(1, 2))
	type user struct {
		tokens []int
		pages  []int32
	}
	var users []user
	contents := map[int32][]int{} // what the last user of a page wrote to it
	reused := 0
	for range 5000 {
		if len(users) > 0 && r.IntN(2) == 0 {
			i := r.IntN(len(users))
			u := users[i]
			p.note(u.pages, keysOf(u.tokens))
			p.give(u.pages)
			users = slices.Delete(users, i, i+1)
			continue
		}
		text := make([]int, 1+r.IntN(6*model.PageSize))
		for i := range text {
			text[i] = i / model.PageSize * r.IntN(2) // few different beginnings
		}
		n := (len(text) + model.PageSize - 1) / model.PageSize
		taken, shared := p.take(n, keysOf(text[:len(text)-1]))
		if taken == nil {
			continue
		}
		reused += shared
		for i, page := range taken {
			part := text[i*model.PageSize : min((i+1)*model.PageSize, len(text))]
			if i < shared && !slices.Equal(contents[page], text[:(i+1)*model.PageSize]) {
				t.Fatalf("page %d has other contents", page)
			}
			for _, u := range users {
				if at := slices.Index(u.pages, page); i >= shared && at >= 0 {
					t.Fatalf("page %d, of %v, is in use", page, part)
				}
			}
			if i >= shared {
				contents[page] = text[:min((i+1)*model.PageSize, len(text))]
			}
		}
		users = append(users, user{text, taken})
	}
	for _, u := range users {
		p.give(u.pages)
	}
	if p.inUse() != 0 || len(p.free)+p.unused.Len() != total || reused == 0 {
		t.Errorf("%d pages are in use, %d free and %d unused of %d; %d were shared", p.inUse(), len(p.free),
			p.unused.Len(), total, reused)
	}
}

// TestCancelled: a request that is cancelled while it waits leaves the queue, wherever it stands.
func TestCancelled(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	first := newSequence(t.Context(), nil, Request{Prompt: []int{1}, MaxTokens: 1})
	second := newSequence(gone, nil, Request{Prompt: []int{1}, MaxTokens: 1})
	e := &Engine{waiting: []*sequence{first, second}} // there is no room in its batch
	e.Stats.Waiting.Store(2)
	e.admit()
	if len(e.waiting) != 1 || e.waiting[0] != first || e.Stats.Waiting.Load() != 1 {
		t.Errorf("%d requests wait", len(e.waiting))
	}
	select {
	case end := <-second.events:
		if end.Finish != "cancelled" {
			t.Errorf("the request ended with %q", end.Finish)
		}
	default:
		t.Error("the request has not ended")
	}
}
