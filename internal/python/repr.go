package python

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// reprFloat returns a float in the fewest digits that give it back. whole is added to a whole number.
func reprFloat(f float64, whole string) string {
	if math.IsInf(f, 0) {
		return "inf" // a literal has no sign
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	exp, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
	if exp < -4 || exp >= 16 {
		return s
	}
	s = strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += whole
	}
	return s
}

// quoteFor returns the quote that repr chooses.
func quoteFor(s string) byte {
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		return '"'
	}
	return '\''
}

func reprString(s string) string {
	quote := quoteFor(s)
	b := make([]byte, 0, len(s)+2)
	b = append(b, quote)
	for i := 0; i < len(s); {
		if c := s[i]; c < 0x80 {
			b = appendASCII(b, c, quote)
			i++
			continue
		}
		r, n := DecodeRune(s[i:])
		switch {
		case unicode.IsPrint(r) && (r < 0xD800 || r > 0xDFFF):
			b = append(b, s[i:i+n]...)
		case r < 0x100:
			b = fmt.Appendf(b, `\x%02x`, r)
		case r < 0x10000:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = fmt.Appendf(b, `\U%08x`, r)
		}
		i += n
	}
	return string(append(b, quote))
}

func appendASCII(b []byte, c, quote byte) []byte {
	switch {
	case c == quote || c == '\\':
		return append(b, '\\', c)
	case c == '\n':
		return append(b, `\n`...)
	case c == '\r':
		return append(b, `\r`...)
	case c == '\t':
		return append(b, `\t`...)
	case c < ' ' || c == 0x7f:
		return fmt.Appendf(b, `\x%02x`, c)
	}
	return append(b, c)
}

func reprBytes(s string) string {
	quote := quoteFor(s)
	b := append(make([]byte, 0, len(s)+3), 'b', quote)
	for i := range len(s) {
		if s[i] >= 0x80 {
			b = fmt.Appendf(b, `\x%02x`, s[i])
		} else {
			b = appendASCII(b, s[i], quote)
		}
	}
	return string(append(b, quote))
}
