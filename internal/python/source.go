package python

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"
)

// badSource says why a text cannot be decoded.
type badSource struct {
	at, size  int
	msg, hint string
}

// decodeSource takes the byte order mark off a text and makes it UTF-8, as its coding comment (PEP 263) says.
func decodeSource(src []byte) ([]byte, *badSource) {
	text := bytes.TrimPrefix(src, []byte("\ufeff"))
	name, at := codingComment(text)
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return text, &badSource{i, 1, "source code cannot hold null bytes", ""}
	}
	enc := strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	if name == "" || enc == "utf-8" || enc == "utf8" || enc == "u8" || enc == "utf-8-sig" ||
		strings.HasPrefix(enc, "utf-8-") {
		return text, checkUTF8(text)
	}
	if len(text) < len(src) {
		return text, &badSource{at, len(name),
			"the coding comment says " + name + " but the file begins with a mark of utf-8", ""}
	}
	table, ok := charmaps[canonical[enc]]
	if !ok {
		return text, &badSource{at, len(name), "unknown encoding " + name, "save the file in utf-8"}
	}
	return recode(text, table)
}

func checkUTF8(text []byte) *badSource {
	if utf8.Valid(text) {
		return nil
	}
	i := 0
	for i < len(text) {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		i += n
	}
	return &badSource{i, 1, "this is not valid utf-8",
		"save the file in utf-8, or name its encoding in a comment such as # coding: latin-1"}
}

var coding = regexp.MustCompile(`^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)`)

// codingComment returns the name of the encoding in one of the first two lines, and where it stands.
func codingComment(text []byte) (name string, at int) {
	off := 0
	for range 2 {
		line := text[off:]
		if i := bytes.IndexAny(line, "\r\n"); i >= 0 {
			line = line[:i]
		}
		if m := coding.FindSubmatchIndex(line); m != nil {
			return string(line[m[2]:m[3]]), off + m[2]
		}
		if t := bytes.TrimLeft(line, " \t\f"); len(t) > 0 && t[0] != '#' {
			return "", 0 // only comments may stand before it
		}
		off += len(line)
		if bytes.HasPrefix(text[off:], []byte("\r\n")) {
			off++
		}
		if off++; off > len(text) {
			break
		}
	}
	return "", 0
}

// canonical names the encodings that can be read besides UTF-8 after one spelling each.
var canonical = map[string]string{
	"latin-1": "latin-1", "latin1": "latin-1", "iso-8859-1": "latin-1", "iso8859-1": "latin-1",
	"l1":          "latin-1",
	"iso-latin-1": "latin-1", "iso-8859-1-unix": "latin-1", "latin-1-unix": "latin-1",
	"ascii": "ascii", "us-ascii": "ascii", "646": "ascii",
	"iso-8859-15": "latin-9", "iso8859-15": "latin-9", "latin-9": "latin-9", "latin9": "latin-9",
	"l9":     "latin-9",
	"cp1252": "cp1252", "windows-1252": "cp1252", "koi8-r": "koi8-r", "cp1251": "cp1251",
	"windows-1251": "cp1251",
}

// charmaps hold, for the encodings of one byte to a character, the characters of the bytes from 0x80 on.
// U+FFFD is no character.
var charmaps = map[string][]rune{
	"ascii":   []rune(strings.Repeat("\ufffd", 128)),
	"latin-1": latin(nil),
	"latin-9": latin(map[rune]rune{0xA4: '€', 0xA6: 'Š', 0xA8: 'š', 0xB4: 'Ž', 0xB8: 'ž', 0xBC: 'Œ',
		0xBD: 'œ', 0xBE: 'Ÿ'}),
	"cp1252": append([]rune("€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd\ufffd‘’“”•–—˜™š›œ\ufffdžŸ"), latin(nil)[32:]...),
	"koi8-r": []rune("─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u00a0⌡°²·÷═║╒ё╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡Ё╢╣╤╥╦╧╨╩╪╫╬©" +
		"юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ"),
	"cp1251": []rune("ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\ufffd™љ›њќћџ\u00a0ЎўЈ¤Ґ¦§Ё©Є«¬\u00ad®Ї°±Ііґµ¶·ё№є»јЅѕї" +
		"АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя"),
}

func latin(except map[rune]rune) []rune {
	t := make([]rune, 128)
	for i := range t {
		t[i] = rune(0x80 + i)
		if r, ok := except[t[i]]; ok {
			t[i] = r
		}
	}
	return t
}

func recode(text []byte, table []rune) ([]byte, *badSource) {
	out := make([]byte, 0, len(text)+len(text)/8)
	for i, c := range text {
		if c < 0x80 {
			out = append(out, c)
			continue
		}
		r := table[c-0x80]
		if r == utf8.RuneError {
			return text, &badSource{i, 1, "this byte is no character of the file's encoding", ""}
		}
		out = utf8.AppendRune(out, r)
	}
	return out, nil
}
