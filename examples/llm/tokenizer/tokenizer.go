// Package tokenizer converts text to tokens and back: byte-level byte pair encoding, as GPT-2 has it, by the
// vocabulary and the merges in a GGUF file.
//
//	tokenizer.go  vocabulary, Encode, Decode
//	split.go      where a text is split into words before its bytes are merged
//	merge.go      the merges of one word
package tokenizer

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"example.com/llm/gguf"
)

// Tokenizer holds a vocabulary. It is safe for concurrent use.
type Tokenizer struct {
	EOS     int // ends a text
	text    []string
	special map[string]int // control tokens by name: they stand in no text
	byByte  [256]int32     // the token of a byte, -1 for none
	merges  map[pair]merge
}

// pair is two tokens, one after the other.
type pair struct{ left, right int32 }

// merge is what a pair becomes. Those of the lowest rank are applied first.
type merge struct{ rank, token int32 }

const control = 3 // tokens of this type in a GGUF file are special

// New returns the tokenizer of a GGUF file.
func New(f *gguf.File) (*Tokenizer, error) {
	model, _ := gguf.Get[string](f, "tokenizer.ggml.model")
	pre, _ := gguf.Get[string](f, "tokenizer.ggml.pre")
	if model != "gpt2" || pre != "smollm" {
		return nil, fmt.Errorf("tokenizer: %q with the splitter %q is not known: gpt2 with smollm is", model,
			pre)
	}
	tokens, err := gguf.Get[[]string](f, "tokenizer.ggml.tokens")
	if err != nil {
		return nil, err
	}
	kinds, err := gguf.Get[[]int32](f, "tokenizer.ggml.token_type")
	if err != nil {
		return nil, err
	}
	merges, err := gguf.Get[[]string](f, "tokenizer.ggml.merges")
	if err != nil {
		return nil, err
	}
	eos, err := gguf.Get[uint32](f, "tokenizer.ggml.eos_token_id")
	if err != nil {
		return nil, err
	}
	if len(kinds) != len(tokens) || int64(eos) >= int64(len(tokens)) || len(tokens) > math.MaxInt32 {
		return nil, fmt.Errorf("tokenizer: %d tokens, %d types of tokens, the last token is %d", len(tokens),
			len(kinds), eos)
	}
	t := &Tokenizer{EOS: int(eos), text: make([]string, len(tokens)), special: map[string]int{},
		merges: make(map[pair]merge, len(merges))}
	return t, t.fill(tokens, kinds, merges)
}

// fill makes the tables.
func (t *Tokenizer) fill(tokens []string, kinds []int32, merges []string) error {
	ids := make(map[string]int32, len(tokens))
	for i := range t.byByte {
		t.byByte[i] = -1
	}
	for i, name := range tokens {
		if kinds[i] == control {
			t.special[name], t.text[i] = i, name
			continue
		}
		b, ok := bytesOf(name)
		if !ok {
			return fmt.Errorf("tokenizer: token %d, %q, has a letter that stands for no byte", i, name)
		}
		t.text[i] = string(b)
		ids[name] = int32(i)
		if len(b) == 1 {
			t.byByte[b[0]] = int32(i)
		}
	}
	for rank, line := range merges {
		left, right, _ := strings.Cut(line, " ")
		l, lok := ids[left]
		r, rok := ids[right]
		whole, ok := ids[left+right]
		if !lok || !rok || !ok {
			return fmt.Errorf("tokenizer: merge %d, %q, is of no tokens", rank, line)
		}
		if _, twice := t.merges[pair{l, r}]; !twice {
			t.merges[pair{l, r}] = merge{int32(rank), whole}
		}
	}
	return nil
}

// Size returns the number of tokens.
func (t *Tokenizer) Size() int { return len(t.text) }

// Special returns a control token by its name.
func (t *Tokenizer) Special(name string) (id int, ok bool) {
	id, ok = t.special[name]
	return id, ok
}

// Encode returns the tokens of a text. Names of control tokens in it are ordinary text. A byte that no token
// has is left out.
func (t *Tokenizer) Encode(text string) []int {
	var out []int
	var w word
	for len(text) > 0 {
		n := wordLen(text)
		out = w.encode(t, text[:n], out)
		text = text[n:]
	}
	return out
}

// Text returns the bytes of a token, which may end in the middle of a character. Control tokens have none.
func (t *Tokenizer) Text(id int) string {
	if id < 0 || id >= len(t.text) || t.IsSpecial(id) {
		return ""
	}
	return t.text[id]
}

// Name returns a token as people read it, control tokens too.
func (t *Tokenizer) Name(id int) string {
	if id < 0 || id >= len(t.text) {
		return ""
	}
	return t.text[id]
}

// IsSpecial reports whether a token is a control token.
func (t *Tokenizer) IsSpecial(id int) bool {
	at, ok := t.special[t.Name(id)]
	return ok && at == id
}

// Ends reports whether a token ends a text.
func (t *Tokenizer) Ends(id int) bool {
	return id == t.EOS || t.IsSpecial(id) && t.text[id] == "<|endoftext|>"
}

// Decode returns the text of tokens, without control tokens.
func (t *Tokenizer) Decode(ids []int) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(t.Text(id))
	}
	return b.String()
}

// bytesOf returns the bytes that the letters of a vocabulary stand for: printable bytes are letters of the
// same number, all others follow from 256 on.
func bytesOf(name string) ([]byte, bool) {
	b := make([]byte, 0, len(name))
	for _, r := range name {
		x, ok := letters[r]
		if !ok {
			return nil, false
		}
		b = append(b, x)
	}
	return b, utf8.ValidString(name)
}

// letters has the byte that each letter of vocabularies stands for.
var letters = func() map[rune]byte {
	m := map[rune]byte{}
	next := rune(256)
	for i := range 256 {
		switch {
		case '!' <= i && i <= '~', '¡' <= i && i <= '¬', '®' <= i && i <= 'ÿ':
			m[rune(i)] = byte(i)
		default:
			m[next] = byte(i)
			next++
		}
	}
	return m
}()
