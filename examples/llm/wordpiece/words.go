package wordpiece

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// words calls f with each word of a text, in lower case and without accents. Punctuation and Chinese
// characters are words of their own.
func words(text string, f func(string)) {
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			f(word.String())
			word.Reset()
		}
	}
	for _, r := range norm.NFD.String(clean(text)) {
		switch {
		case mark(r):
		case unicode.IsSpace(r):
			flush()
		case alone(unicode.ToLower(r)):
			flush()
			f(string(unicode.ToLower(r)))
		default:
			word.WriteRune(unicode.ToLower(r))
		}
	}
	flush()
}

// clean returns a text without control characters, with plain spaces, also around Chinese characters. This
// comes before a text is decomposed: some characters decompose to Chinese ones, and stay in their word.
func clean(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.Is(unicode.White_Space, r) && !unicode.IsControl(r), r == '\t', r == '\n', r == '\r':
			b.WriteByte(' ')
		case r == unicode.ReplacementChar || dropped(r):
		case chinese(r):
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// dropped tells whether a character is left out: controls, marks of direction, private use.
func dropped(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co) && !unicode.Is(newer, r)
}

// mark tells whether a character is an accent, or another mark above or below a letter.
func mark(r rune) bool {
	return unicode.Is(unicode.Mn, r) && !unicode.Is(newer, r) || r == formerMark
}

// alone tells whether a character is a word of its own: punctuation, and the signs that ASCII has.
func alone(r rune) bool {
	return unicode.IsPunct(r) && !unicode.Is(newer, r) || r < unicode.MaxASCII && unicode.IsSymbol(r) ||
		former(r)
}

// chinese tells whether a character is in a block of Chinese characters, which Japanese has too. The fifth
// block begins where the reference has it, 256 characters late.
func chinese(r rune) bool {
	switch {
	case 0x4E00 <= r && r <= 0x9FFF, 0x3400 <= r && r <= 0x4DBF, 0xF900 <= r && r <= 0xFAFF,
		0x20000 <= r && r <= 0x2A6DF, 0x2A700 <= r && r <= 0x2B81F, 0x2B920 <= r && r <= 0x2CEAF,
		0x2F800 <= r && r <= 0x2FA1F:
		return true
	}
	return false
}
