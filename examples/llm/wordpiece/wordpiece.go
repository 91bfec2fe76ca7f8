// Package wordpiece splits texts into the tokens of BERT: lower case, without accents, words in parts.
//
//	wordpiece.go  the vocabulary, words in parts
//	words.go      texts in words
//	newer.go      characters that the reference does not know
package wordpiece

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The tokens with a meaning of their own, which a vocabulary must have. In a text they stand for themselves,
// as in Hugging Face's `tokenizers`.
const (
	padding   = "[PAD]"
	unknown   = "[UNK]"
	beginning = "[CLS]"
	end       = "[SEP]"
	masked    = "[MASK]"
)

var special = []string{padding, unknown, beginning, end, masked}

const (
	// maxTokens bounds a vocabulary.
	maxTokens = 1 << 20
	// maxWord is how many letters a word may have; longer ones are unknown.
	maxWord = 100
	// within is what parts of a word begin with, but the first one.
	within = "##"
)

// Tokenizer splits texts. Several goroutines may use it.
type Tokenizer struct {
	ids     map[string]int
	longest int // token, in bytes
	unknown int
	// Begin and End are the tokens around a text, Pad fills up shorter ones.
	Begin, End, Pad int
}

// New returns the tokenizer of a vocabulary, whose tokens have their place as number.
func New(tokens []string) (*Tokenizer, error) {
	if len(tokens) > maxTokens {
		return nil, fmt.Errorf("wordpiece: a vocabulary of %d tokens: at most %d are read", len(tokens),
			maxTokens)
	}
	t := &Tokenizer{ids: make(map[string]int, len(tokens))}
	for i, name := range tokens {
		if _, twice := t.ids[name]; twice {
			return nil, fmt.Errorf("wordpiece: the vocabulary has %.100q twice", name)
		}
		t.ids[name] = i
		t.longest = max(t.longest, len(name))
	}
	for _, name := range special {
		if _, ok := t.ids[name]; !ok {
			return nil, fmt.Errorf("wordpiece: the vocabulary has no %s", name)
		}
	}
	t.unknown, t.Pad = t.ids[unknown], t.ids[padding]
	t.Begin, t.End = t.ids[beginning], t.ids[end]
	return t, nil
}

// Parse returns the tokenizer of a vocabulary with a token in each line, as vocab.txt has them.
func Parse(text string) (*Tokenizer, error) {
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return nil, errors.New("wordpiece: the vocabulary is empty")
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return New(lines)
}

// Size returns how many tokens there are.
func (t *Tokenizer) Size() int { return len(t.ids) }

// Encode returns the tokens of a text, without those around it.
func (t *Tokenizer) Encode(text string) (ids []int) {
	for text != "" {
		plain, name := untilSpecial(text)
		words(plain, func(word string) { ids = t.word(ids, word) })
		if name != "" {
			ids = append(ids, t.ids[name])
		}
		text = text[len(plain)+len(name):]
	}
	return ids
}

// untilSpecial returns the part of a text before the first special token, and that token.
func untilSpecial(text string) (plain, name string) {
	for i := 0; i < len(text); i++ {
		next := strings.IndexByte(text[i:], '[')
		if next < 0 {
			break
		}
		i += next
		for _, name := range special {
			if strings.HasPrefix(text[i:], name) {
				return text[:i], name
			}
		}
	}
	return text, ""
}

// word appends the tokens of a word: each time the longest part that is a token. A word with a rest that is
// none is unknown as a whole.
func (t *Tokenizer) word(ids []int, word string) []int {
	if utf8.RuneCountInString(word) > maxWord {
		return append(ids, t.unknown)
	}
	before := len(ids)
	for prefix, rest := "", word; rest != ""; prefix = within {
		n, id := t.part(prefix, rest)
		if n == 0 {
			return append(ids[:before], t.unknown)
		}
		ids, rest = append(ids, id), rest[n:]
	}
	return ids
}

// part returns the longest token that a rest of a word begins with: its bytes there, none if there is no
// token, and its number.
func (t *Tokenizer) part(prefix, rest string) (n, id int) {
	for n = min(len(rest), t.longest); n > 0; n-- {
		if n < len(rest) && !utf8.RuneStart(rest[n]) {
			continue
		}
		if id, ok := t.ids[prefix+rest[:n]]; ok {
			return n, id
		}
	}
	return 0, 0
}
