package ir

import "strings"

// tokKind is the kind of a token of MLIR's text.
type tokKind uint8

const (
	tokEOF     tokKind = iota
	tokError           // its message is lexError's
	tokWord            // func.func, i32, attributes: a bare identifier
	tokAt              // @name, @"na me"
	tokHash            // #name, #dialect.name, #1
	tokBang            // !name, !dialect.name
	tokPercent         // %name
	tokCaret           // ^name
	tokInt             // 12, 0xFF
	tokFloat           // 1.5e-3
	tokString          // "text"
	tokPunct           // one of punctuation, or ->, ::, ...
)

// token is a piece of the source, [start, end).
type token struct {
	kind       tokKind
	start, end int
}

// Classes of characters.
const (
	clLetter = 1 << iota // a-z A-Z _
	clDigit
	clMark  // $ . which a bare identifier may go on with
	clMinus // - which only prefixed identifiers may have
	clHex
	clSpace
	clPunct
)

var charClass = func() (t [256]uint8) {
	set := func(chars string, class uint8) {
		for i := range len(chars) {
			t[chars[i]] |= class
		}
	}
	set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", clLetter)
	set("0123456789", clDigit|clHex)
	set("abcdefABCDEF", clHex)
	set("$.", clMark)
	set("-", clMinus)
	set(" \t\r\n\f\v", clSpace)
	set(":,=<>{}()[]?+*-|/&;~", clPunct)
	return t
}()

// lex reads the token that begins at or after offset i of src.
func lex(src string, i int) token {
	i = skipBlank(src, i)
	if i >= len(src) {
		return token{tokEOF, len(src), len(src)}
	}
	c := src[i]
	switch class := charClass[c]; {
	case class&clLetter != 0:
		return token{tokWord, i, run(src, i+1, clLetter|clDigit|clMark)}
	case class&clDigit != 0:
		return lexNumber(src, i)
	case c == '"':
		end, ok := stringEnd(src, i)
		return token{kindIf(ok, tokString), i, end}
	case c == '@':
		return lexSymbol(src, i)
	case c == '%' || c == '^' || c == '#' || c == '!':
		return lexPrefixed(src, i)
	case class&clPunct != 0:
		return lexPunct(src, i)
	case strings.HasPrefix(src[i:], "..."):
		return token{tokPunct, i, i + 3}
	}
	return token{tokError, i, i + 1}
}

func kindIf(ok bool, kind tokKind) tokKind {
	if ok {
		return kind
	}
	return tokError
}

func skipBlank(src string, i int) int {
	for i < len(src) {
		switch {
		case charClass[src[i]]&clSpace != 0:
			i++
		case src[i] == '/' && i+1 < len(src) && src[i+1] == '/':
			n := strings.IndexByte(src[i:], '\n')
			if n < 0 {
				return len(src)
			}
			i += n
		default:
			return i
		}
	}
	return i
}

// run returns the end of the characters of the given classes from i on.
func run(src string, i int, class uint8) int {
	for i < len(src) && charClass[src[i]]&class != 0 {
		i++
	}
	return i
}

// lexNumber reads 12, 0xFF, 1.5 or 1.5e-3. As in MLIR, 0x is hexadecimal only where a hex digit follows:
// 0xf32 in a shape is taken apart again by Parser.Dims.
func lexNumber(src string, i int) token {
	if src[i] == '0' && i+2 < len(src) && src[i+1] == 'x' && charClass[src[i+2]]&clHex != 0 {
		return token{tokInt, i, run(src, i+2, clHex)}
	}
	end := run(src, i, clDigit)
	if end >= len(src) || src[end] != '.' {
		return token{tokInt, i, end}
	}
	end = run(src, end+1, clDigit)
	if end < len(src) && (src[end] == 'e' || src[end] == 'E') {
		e := end + 1
		if e < len(src) && (src[e] == '+' || src[e] == '-') {
			e++
		}
		if e < len(src) && charClass[src[e]]&clDigit != 0 {
			end = run(src, e, clDigit)
		}
	}
	return token{tokFloat, i, end}
}

// stringEnd returns the end of the string literal at i, and whether it has one on its line and its escapes
// are right.
func stringEnd(src string, i int) (end int, ok bool) {
	for i++; i < len(src); i++ {
		switch src[i] {
		case '"':
			return i + 1, true
		case '\n', '\v', '\f':
			return i, false
		case '\\':
			n := escapeLen(src[i+1:])
			if n == 0 {
				return i + 1, false
			}
			i += n
		}
	}
	return i, false
}

// escapeLen returns the length of what may follow a backslash: one of `"\nt`, or two hex digits.
func escapeLen(s string) int {
	switch {
	case s == "":
		return 0
	case strings.IndexByte(`"\nt`, s[0]) >= 0:
		return 1
	case len(s) >= 2 && charClass[s[0]]&clHex != 0 && charClass[s[1]]&clHex != 0:
		return 2
	}
	return 0
}

func lexSymbol(src string, i int) token {
	switch {
	case i+1 < len(src) && src[i+1] == '"':
		end, ok := stringEnd(src, i+1)
		return token{kindIf(ok && end > i+3, tokAt), i, end}
	case i+1 < len(src) && charClass[src[i+1]]&clLetter != 0:
		return token{tokAt, i, run(src, i+2, clLetter|clDigit|clMark)}
	}
	return token{tokError, i, i + 1}
}

var prefixKinds = [128]tokKind{'%': tokPercent, '^': tokCaret, '#': tokHash, '!': tokBang}

// lexPrefixed reads %12 or %a-b.c: all digits, or an identifier that may hold $, . and -.
func lexPrefixed(src string, i int) token {
	end := i + 1
	switch {
	case end < len(src) && charClass[src[end]]&clDigit != 0:
		end = run(src, end, clDigit)
	default:
		end = run(src, end, clLetter|clDigit|clMark|clMinus)
	}
	if end == i+1 {
		return token{tokError, i, end}
	}
	return token{prefixKinds[src[i]], i, end}
}

func lexPunct(src string, i int) token {
	n := 1
	if two := src[i:min(i+2, len(src))]; two == "->" || two == "::" {
		n = 2
	}
	return token{tokPunct, i, i + n}
}

// lexError says what is wrong with the text of a tokError.
func lexError(text string) string {
	switch text[0] {
	case '"':
		if strings.HasSuffix(text, `\`) {
			return "unknown escape in string literal"
		}
		return "string literal without an end"
	case '@':
		return "@ needs a name"
	case '%', '^', '#', '!':
		return text[:1] + " needs a name"
	}
	return "unexpected character"
}

// unquote returns the value of a string literal, its quotes included in s.
func unquote(s string) string {
	s = s[1 : len(s)-1]
	if strings.IndexByte(s, '\\') < 0 {
		return strings.Clone(s) // not a part of the whole source, which would then live as long
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			b = append(b, '\n')
		case 't':
			b = append(b, '\t')
		case '"', '\\':
			b = append(b, s[i])
		default:
			b = append(b, hexDigit(s[i])<<4|hexDigit(s[i+1]))
			i++
		}
	}
	return string(b)
}

func hexDigit(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c >= 'a':
		return c - 'a' + 10
	}
	return c - 'A' + 10
}

// isBareName reports whether an attribute's name may be written without quotes.
func isBareName(s string) bool {
	return s != "" && charClass[s[0]]&clLetter != 0 && run(s, 1, clLetter|clDigit|clMark) == len(s)
}
