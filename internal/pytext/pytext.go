// Package pytext writes numbers and strings as Python's repr does: for the evaluator of Python, and for
// signatures, which the running half of Nereid reads without it.
package pytext

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Float returns a float as Python writes it: the shortest text that reads back as the same float.
func Float(f float64) string {
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

// Bool returns a bool as Python writes it.
func Bool(v bool) string {
	if v {
		return "True"
	}
	return "False"
}

// Quote returns a str as Python writes it.
func Quote(s string) string {
	q := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = '"'
	}
	b := []byte{q}
	for len(s) > 0 {
		c, n := DecodeRune(s)
		b, s = AppendQuoted(b, c, q), s[n:]
	}
	return string(append(b, q))
}

// AppendQuoted appends a code point between quotes q.
func AppendQuoted(b []byte, c rune, q byte) []byte {
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
	case IsPrintable(c):
		return utf8.AppendRune(b, c)
	case c <= 0xff:
		return fmt.Appendf(b, `\x%02x`, c)
	case c <= 0xffff:
		return fmt.Appendf(b, `\u%04x`, c)
	}
	return fmt.Appendf(b, `\U%08x`, c)
}

// IsPrintable reports whether Python's repr shows a code point as it is.
func IsPrintable(c rune) bool {
	return c == ' ' || unicode.IsPrint(c) && !(c >= 0xD800 && c <= 0xDFFF)
}

// DecodeRune does what utf8.DecodeRuneInString does, for strings of Python, which may hold surrogates.
func DecodeRune(s string) (r rune, size int) {
	if len(s) >= 3 && s[0] == 0xED && s[1]&0xE0 == 0xA0 && s[2]&0xC0 == 0x80 {
		return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
	}
	return utf8.DecodeRuneInString(s)
}
