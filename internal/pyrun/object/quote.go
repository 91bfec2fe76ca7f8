package object

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FloatRepr returns a float as Python writes it: the shortest text that reads back as the same float.
func FloatRepr(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "nan"
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	exp, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
	if exp < -4 || exp >= 16 {
		return s
	}
	s = strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.ContainsRune(s, '.') {
		s += ".0"
	}
	return s
}

// Quote returns a str as Python writes it.
func Quote(s string) string {
	q := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = '"'
	}
	b := []byte{q}
	for _, c := range toRunes(s) {
		b = appendQuoted(b, c, q)
	}
	return string(append(b, q))
}

func appendQuoted(b []byte, c rune, q byte) []byte {
	switch {
	case c == rune(q) || c == '\\':
		return append(b, '\\', byte(c))
	case c == '\n':
		return append(b, `\n`...)
	case c == '\r':
		return append(b, `\r`...)
	case c == '\t':
		return append(b, `\t`...)
	case c < ' ' || c == 0x7f:
		return fmt.Appendf(b, `\x%02x`, c)
	case c < utf8.RuneSelf:
		return append(b, byte(c))
	case isPrintable(c):
		return utf8.AppendRune(b, c)
	case c <= 0xff:
		return fmt.Appendf(b, `\x%02x`, c)
	case c <= 0xffff:
		return fmt.Appendf(b, `\u%04x`, c)
	}
	return fmt.Appendf(b, `\U%08x`, c)
}

func isPrintable(c rune) bool {
	return c == ' ' || unicode.IsPrint(c) && !(c >= 0xD800 && c <= 0xDFFF)
}

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
		b = appendQuoted(b, rune(s[i]), q)
	}
	return string(append(b, q))
}
