package tokenizer

import "container/heap"

// word is memory for the merges of one word: a list of its parts, and a heap of the merges that may come
// next. Its time is that of sorting, so that a long word without spaces, which a stranger may send, costs
// no more than a long text.
type word struct {
	parts []part
	next  candidates
}

// part is a token of a word, linked to those beside it. A part that was merged into its left neighbor has the
// token -1.
type part struct {
	token       int32
	left, right int32 // positions in word.parts, or -1
}

// candidate is a merge of a part with its right neighbor. It is out of date if their tokens are others by
// now.
type candidate struct {
	merge
	at          int32
	left, right int32 // tokens
}

type candidates []candidate

func (c candidates) Len() int      { return len(c) }
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c candidates) Less(i, j int) bool {
	return c[i].rank < c[j].rank || c[i].rank == c[j].rank && c[i].at < c[j].at
}
func (c *candidates) Push(x any) { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// encode appends the tokens of a word to out.
func (w *word) encode(t *Tokenizer, text string, out []int) []int {
	w.parts, w.next = w.parts[:0], w.next[:0]
	for i := range len(text) {
		if id := t.byByte[text[i]]; id >= 0 {
			n := int32(len(w.parts))
			w.parts = append(w.parts, part{id, n - 1, n + 1})
		}
	}
	if len(w.parts) == 0 {
		return out
	}
	w.parts[len(w.parts)-1].right = -1
	for i := range w.parts {
		w.propose(t, int32(i))
	}
	for len(w.next) > 0 {
		w.apply(t, heap.Pop(&w.next).(candidate))
	}
	for i := int32(0); i >= 0; i = w.parts[i].right {
		out = append(out, int(w.parts[i].token))
	}
	return out
}

// propose adds the merge of a part with its right neighbor, if there is one.
func (w *word) propose(t *Tokenizer, at int32) {
	if at < 0 || w.parts[at].right < 0 {
		return
	}
	left, right := w.parts[at].token, w.parts[w.parts[at].right].token
	if m, ok := t.merges[pair{left, right}]; ok {
		heap.Push(&w.next, candidate{m, at, left, right})
	}
}

// apply merges two parts, unless they have changed.
func (w *word) apply(t *Tokenizer, c candidate) {
	p := &w.parts[c.at]
	if p.token != c.left || p.right < 0 || w.parts[p.right].token != c.right {
		return
	}
	q := &w.parts[p.right]
	p.token, p.right = c.token, q.right
	q.token = -1
	if p.right >= 0 {
		w.parts[p.right].left = c.at
	}
	w.propose(t, p.left)
	w.propose(t, c.at)
}
