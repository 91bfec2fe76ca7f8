package engine

import (
	"strings"
	"unicode/utf8"
)

// text puts the bytes of tokens together to text. It holds back what may be the beginning of a stop word,
// or of a character whose other bytes are missing.
type text struct {
	stop []string
	rest string // held back
}

// add takes the bytes of a token and returns the text that is certain; stopped says that a stop word
// follows it.
func (t *text) add(s string) (out string, stopped bool) {
	all := t.rest + s
	first := -1
	for _, stop := range t.stop {
		if at := strings.Index(all, stop); stop != "" && at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	if first >= 0 {
		t.rest = ""
		return all[:first], true
	}
	keep := len(all) - incomplete(all)
	for _, stop := range t.stop {
		for n := min(len(stop)-1, len(all)); n > 0; n-- {
			if strings.HasSuffix(all, stop[:n]) {
				keep = min(keep, len(all)-n)
				break
			}
		}
	}
	t.rest = all[keep:]
	return strings.ToValidUTF8(all[:keep], "\ufffd"), false
}

// flush returns what was held back.
func (t *text) flush() string {
	s := t.rest
	t.rest = ""
	return strings.ToValidUTF8(s, "\ufffd")
}

// incomplete returns how many bytes at the end begin a character that is not complete.
func incomplete(s string) int {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if b := s[len(s)-n]; utf8.RuneStart(b) {
			if utf8.FullRuneInString(s[len(s)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}
