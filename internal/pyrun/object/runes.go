package object

import (
	"unicode/utf8"

	"github.com/nereid-lang/nereid/internal/python"
)

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func runeCount(s string) int {
	if isASCII(s) {
		return len(s)
	}
	return len(toRunes(s))
}

// toRunes returns the code points of a str, surrogates included.
func toRunes(s string) []rune {
	out := make([]rune, 0, len(s))
	for len(s) > 0 {
		r, n := python.DecodeRune(s)
		out = append(out, r)
		s = s[n:]
	}
	return out
}

func fromRunes(rs []rune) string {
	b := make([]byte, 0, len(rs))
	for _, r := range rs {
		if r >= 0xD800 && r <= 0xDFFF {
			b = append(b, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0xBF, 0x80|byte(r)&0xBF)
			continue
		}
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}
