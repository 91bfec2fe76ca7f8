package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordLen returns the bytes of the first word of a text that is not empty. Merges stay within words. Every
// digit is a word of its own; other words are those of GPT-2's expression
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// in the text up to the next digit.
func wordLen(text string) int {
	for _, end := range contractions {
		if strings.HasPrefix(text, end) {
			return len(end)
		}
	}
	first, n := utf8.DecodeRuneInString(text)
	if kindOf(first) == digit {
		return n
	}
	if first == ' ' && len(text) > 1 {
		next, _ := utf8.DecodeRuneInString(text[1:])
		if k := kindOf(next); k == letter || k == other {
			return 1 + runLen(text[1:], k)
		}
	}
	k := kindOf(first)
	n = runLen(text, k)
	if k != space || n == len(text) {
		return n
	}
	// White space gives its last character to the word behind it, but a digit takes none.
	if next, _ := utf8.DecodeRuneInString(text[n:]); kindOf(next) == digit {
		return n
	}
	if _, last := utf8.DecodeLastRuneInString(text[:n]); last < n {
		return n - last
	}
	return n
}

var contractions = []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}

// runLen returns the bytes of the characters of one kind that a text begins with.
func runLen(text string, k charKind) int {
	for i, r := range text {
		if kindOf(r) != k {
			return i
		}
	}
	return len(text)
}

type charKind uint8

const (
	other charKind = iota
	letter
	digit
	space
)

func kindOf(r rune) charKind {
	switch {
	case unicode.IsLetter(r):
		return letter
	case unicode.IsNumber(r):
		return digit
	case unicode.IsSpace(r):
		return space
	}
	return other
}
