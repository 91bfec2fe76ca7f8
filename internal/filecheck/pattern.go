package filecheck

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// pieceKind is what a part of a pattern is.
type pieceKind uint8

const (
	literal pieceKind = iota // text as it is
	regex                    // a regular expression
	capture                  // a regular expression, and a name for what it matches
	use                      // what was captured under a name
)

// piece is a part of a pattern.
type piece struct {
	kind pieceKind
	name string // of a capture or a use
	text string // of a literal; in Go's syntax, of a regular expression
}

// pattern is what a directive looks for: a sequence of pieces within one line.
type pattern struct {
	pieces []piece
	fixed  *regexp.Regexp // all of it, where no capture is used
}

func literalPattern(text string) (p pattern, wrong string) {
	p.pieces = []piece{{text: text}}
	return p, p.compileFixed()
}

func (p *pattern) hasVariables() bool {
	return slices.ContainsFunc(p.pieces, func(pc piece) bool { return pc.name != "" })
}

// parsePattern splits text into its pieces, or says what is wrong with it.
func parsePattern(text string) (p pattern, wrong string) {
	for text != "" && wrong == "" {
		var pc piece
		switch {
		case strings.HasPrefix(text, "{{"):
			pc, text, wrong = regexPiece(text[2:])
		case strings.HasPrefix(text, "[["):
			pc, text, wrong = variablePiece(text[2:])
		default:
			pc.text, text = cutLiteral(text)
		}
		p.pieces = append(p.pieces, pc)
	}
	if wrong != "" {
		return p, wrong
	}
	return p, p.compileFixed()
}

// compileFixed compiles a pattern that uses no capture, once for all matches.
func (p *pattern) compileFixed() (wrong string) {
	if slices.ContainsFunc(p.pieces, func(pc piece) bool { return pc.kind == use }) {
		return ""
	}
	var err error
	if p.fixed, err = compile(p.pieces); err != nil {
		return err.Error()
	}
	return ""
}

// compile makes one regular expression of pieces without uses.
func compile(pieces []piece) (*regexp.Regexp, error) {
	var b strings.Builder
	for _, pc := range pieces {
		b.WriteString(pc.source())
	}
	re, err := regexp.Compile(b.String())
	if err != nil {
		return nil, fmt.Errorf("the regular expression is wrong: %w", err)
	}
	re.Longest()
	return re, nil
}

// source is a piece as a part of a regular expression; the use of a capture has none.
func (p piece) source() string {
	switch p.kind {
	case capture:
		return "(" + p.text + ")"
	case regex:
		return "(?:" + p.text + ")"
	}
	return regexp.QuoteMeta(p.text)
}

func cutLiteral(text string) (before, rest string) {
	for i := range len(text) {
		if t := text[i:]; strings.HasPrefix(t, "{{") || strings.HasPrefix(t, "[[") {
			return text[:i], t
		}
	}
	return text, ""
}

// regexPiece reads the rest of {{regex}}.
func regexPiece(text string) (pc piece, rest, wrong string) {
	body, rest, ok := strings.Cut(text, "}}")
	if !ok {
		return pc, "", "{{ is not closed by }}"
	}
	pc.kind = regex
	pc.text, wrong = goRegex(body)
	return pc, rest, wrong
}

var variableName = regexp.MustCompile(`^\$?[A-Za-z_][A-Za-z0-9_]*`)

// variablePiece reads the rest of [[NAME]] or [[NAME:regex]].
func variablePiece(text string) (pc piece, rest, wrong string) {
	size := variableEnd(text)
	if size < 0 {
		return pc, "", "[[ is not closed by ]]"
	}
	body, rest := text[:size], text[size+2:]
	pc.name = variableName.FindString(body)
	after := body[len(pc.name):]
	switch {
	case strings.HasPrefix(body, "#"):
		return pc, "", "numeric expressions are not supported"
	case pc.name == "":
		return pc, "", "[[ is not followed by the name of a variable"
	case after == "":
		pc.kind = use
		return pc, rest, ""
	case after[0] != ':':
		return pc, "", "the name of a variable ends in : or ]]"
	}
	pc.kind = capture
	pc.text, wrong = goRegex(after[1:])
	return pc, rest, wrong
}

// variableEnd is the offset of the ]] that closes a variable, or -1. A bracket expression may hold brackets.
func variableEnd(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch {
		case depth == 0 && strings.HasPrefix(text[i:], "]]"):
			return i
		case text[i] == '\\':
			i++
		case text[i] == '[':
			depth++
		case text[i] == ']':
			if depth--; depth < 0 {
				return -1
			}
		}
	}
	return -1
}

// goRegex turns a POSIX extended regular expression into Go's syntax, or says why not. They differ in three
// ways that matter here: a backslash makes any character literal, inside brackets it is an ordinary
// character, and one repetition may not follow another.
func goRegex(posix string) (text, wrong string) {
	var b strings.Builder
	repeatable := false // there is something to repeat
	for i := 0; i < len(posix); {
		size := 1
		c := posix[i]
		switch c {
		case '\\':
			if i+1 == len(posix) {
				return "", "the regular expression ends in a backslash"
			}
			if '1' <= posix[i+1] && posix[i+1] <= '9' {
				return "", "back-references by number are not supported"
			}
			b.WriteString(regexp.QuoteMeta(posix[i+1 : i+2]))
			size, repeatable = 2, true
		case '[':
			class, n := goClass(posix[i:])
			if n == 0 {
				return "", "[ is not closed by ]"
			}
			b.WriteString(class)
			size, repeatable = n, true
		case '*', '+', '?':
			if !repeatable {
				return "", "there is nothing to repeat before " + string(c)
			}
			b.WriteByte(c)
			repeatable = false
		default:
			b.WriteByte(c)
			repeatable = c != '(' && c != '|' && c != '^'
		}
		i += size
	}
	if _, err := syntax.Parse(b.String(), syntax.Perl); err != nil {
		return "", "the regular expression is wrong: " + err.(*syntax.Error).Code.String()
	}
	return b.String(), ""
}

// goClass turns the bracket expression at the start of text into Go's syntax, and gives its length in text:
// 0 when it is not closed.
func goClass(text string) (class string, size int) {
	var b strings.Builder
	b.WriteByte('[')
	i := 1
	if strings.HasPrefix(text[i:], "^") {
		b.WriteByte('^')
		i++
	}
	for first := i; i < len(text); i++ {
		switch c := text[i]; {
		case c == ']' && i > first:
			b.WriteByte(']')
			return b.String(), i + 1
		case strings.HasPrefix(text[i:], "[:"):
			n := strings.Index(text[i:], ":]")
			if n < 0 {
				return "", 0
			}
			b.WriteString(text[i : i+n+2])
			i += n + 1
		case c == '\\' || c == '[' || c == ']':
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return "", 0
}
