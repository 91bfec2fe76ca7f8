package object

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/nereid-lang/nereid/internal/pytext"
)

// FloatRepr returns a float as Python writes it: the shortest text that reads back as the same float.
func FloatRepr(f float64) string { return pytext.Float(f) }

// Quote returns a str as Python writes it.
func Quote(s string) string { return pytext.Quote(s) }

func isPrintable(c rune) bool { return pytext.IsPrintable(c) }

// asciiOnly escapes what is not ASCII in a repr.
func asciiOnly(s string) string {
	if isASCII(s) {
		return s
	}
	var b []byte
	for _, c := range toRunes(s) {
		switch {
		case c < utf8.RuneSelf:
			b = append(b, byte(c))
		case c <= 0xff:
			b = fmt.Appendf(b, `\x%02x`, c)
		case c <= 0xffff:
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = fmt.Appendf(b, `\U%08x`, c)
		}
	}
	return string(b)
}

func quoteBytes(s string) string {
	q := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = '"'
	}
	b := []byte{'b', q}
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			b = fmt.Appendf(b, `\x%02x`, s[i])
			continue
		}
		b = pytext.AppendQuoted(b, rune(s[i]), q)
	}
	return string(append(b, q))
}
