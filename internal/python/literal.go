package python

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nereid-lang/nereid/internal/pytext"
)

// maxDigits is CPython's bound on decimal integers, whose conversion takes time quadratic in their length.
const maxDigits = 4300

// smallInts has integers that all trees share.
var smallInts = func() (t [257]*big.Int) {
	for i := range t {
		t[i] = big.NewInt(int64(i))
	}
	return t
}()

// numberValue returns the value of a number token.
func (p *parser) numberValue(t token) any {
	text := p.text(t)
	if strings.IndexByte(text, '_') >= 0 {
		text = strings.ReplaceAll(text, "_", "")
	}
	if len(text) == 1 {
		return smallInts[text[0]-'0']
	}
	if c := text[1] | 0x20; text[0] == '0' && (c == 'x' || c == 'o' || c == 'b') {
		return p.integer(text[2:], map[byte]int{'x': 16, 'o': 8, 'b': 2}[c])
	}
	if c := text[len(text)-1]; c == 'j' || c == 'J' {
		f, _ := strconv.ParseFloat(text[:len(text)-1], 64) // out of range is infinite, as in Python
		return complex(0, f)
	}
	if strings.ContainsAny(text, ".eE") {
		f, _ := strconv.ParseFloat(text, 64)
		return f
	}
	if len(text) > maxDigits {
		p.errorf(t, codeLiteral, "write it in hexadecimal",
			"an integer of %d digits is too long (the limit is %d)", len(text), maxDigits)
		return smallInts[0]
	}
	return p.integer(text, 10)
}

func (p *parser) integer(digits string, base int) any {
	v, err := strconv.ParseUint(digits, base, 63)
	if err != nil {
		n, _ := new(big.Int).SetString(digits, base)
		return n
	}
	if v < uint64(len(smallInts)) {
		return smallInts[v]
	}
	return big.NewInt(int64(v))
}

// decoder turns the text between the quotes of a literal into its value.
type decoder struct {
	p     *parser
	at    int // offset of text in the file
	text  string
	bytes bool
	out   []byte
}

// decode returns the value of text, which begins at offset at of the file and holds backslashes or carriage
// returns.
func (p *parser) decode(at int, text string, raw, bytes bool) string {
	if raw {
		return newlines(text)
	}
	d := decoder{p: p, at: at, text: text, bytes: bytes, out: make([]byte, 0, len(text))}
	for i := 0; i < len(text); {
		n := strings.IndexAny(text[i:], "\\\r")
		if n < 0 {
			d.out = append(d.out, text[i:]...)
			break
		}
		d.out = append(d.out, text[i:i+n]...)
		i += n
		if text[i] == '\r' {
			d.out = append(d.out, '\n')
			i += eol(text[i:])
			continue
		}
		i = d.escape(i + 1)
	}
	return string(d.out)
}

// newlines makes every end of line a single \n.
func newlines(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// eol returns the length of the end of line at the beginning of s.
func eol(s string) int {
	if strings.HasPrefix(s, "\r\n") {
		return 2
	}
	return 1
}

var simpleEscapes = [128]byte{
	'\\': '\\', '\'': '\'', '"': '"', 'a': 7, 'b': 8, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11,
}

// escape decodes the escape whose backslash stands before i, and returns the offset after it.
func (d *decoder) escape(i int) int {
	if i == len(d.text) { // before a brace in an f-string
		d.out = append(d.out, '\\')
		return i
	}
	c := d.text[i]
	switch {
	case c < 128 && simpleEscapes[c] != 0:
		d.out = append(d.out, simpleEscapes[c])
		return i + 1
	case isEOL(c):
		return i + eol(d.text[i:])
	case c >= '0' && c <= '7':
		return d.octal(i)
	case c == 'x':
		return d.hex(i, 2)
	case c == 'u' && !d.bytes:
		return d.hex(i, 4)
	case c == 'U' && !d.bytes:
		return d.hex(i, 8)
	case c == 'N' && !d.bytes:
		return d.named(i)
	}
	d.out = append(d.out, '\\') // not an escape: both characters stand for themselves
	return i
}

func (d *decoder) rune(r rune) {
	if d.bytes {
		d.out = append(d.out, byte(r))
	} else {
		d.out = appendRune(d.out, r)
	}
}

func (d *decoder) octal(i int) int {
	v, end := rune(0), i
	for end < len(d.text) && end < i+3 && d.text[end] >= '0' && d.text[end] <= '7' {
		v = v*8 + rune(d.text[end]-'0')
		end++
	}
	d.rune(v)
	return end
}

// hex decodes \x, \u or \U, whose letter is at i, and its n digits.
func (d *decoder) hex(i, n int) int {
	v, end := rune(0), i+1
	for end < len(d.text) && end < i+1+n && class[d.text[end]]&cHex != 0 {
		x, _ := strconv.ParseUint(d.text[end:end+1], 16, 8)
		v = v<<4 | rune(x)
		end++
	}
	switch {
	case end < i+1+n:
		d.error(i-1, end, "\\%c needs %d hexadecimal digits", d.text[i], n)
	case v > utf8.MaxRune || v < 0:
		d.error(i-1, end, "there is no character U+%X", uint32(v))
	default:
		d.rune(v)
	}
	return end
}

func (d *decoder) named(i int) int {
	end := strings.IndexByte(d.text[i:], '}')
	if end < 0 || !strings.HasPrefix(d.text[i:], "N{") {
		d.error(i-1, i+1, "\\N needs the name of a character in braces")
		return i + 1
	}
	name := d.text[i+2 : i+end]
	if r, ok := lookupName(name); ok {
		d.rune(r)
	} else {
		d.error(i-1, i+end+1, "there is no character named %q", name)
	}
	return i + end + 1
}

func (d *decoder) error(start, end int, format string, args ...any) {
	t := token{start: int32(d.at + start), end: int32(d.at + end)}
	d.p.errorf(t, codeLiteral, "", format, args...)
}

// appendRune adds r in generalised UTF-8: surrogates are three bytes, like their neighbours.
func appendRune(b []byte, r rune) []byte {
	if r >= 0xD800 && r <= 0xDFFF {
		return append(b, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0xBF, 0x80|byte(r)&0xBF)
	}
	return utf8.AppendRune(b, r)
}

// DecodeRune does what utf8.DecodeRuneInString does, for the strings of a Constant, which may hold
// surrogates.
func DecodeRune(s string) (r rune, size int) { return pytext.DecodeRune(s) }
