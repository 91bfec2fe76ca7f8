package safefile

import "strings"

// maxName bounds what Name leaves of a text.
const maxName = 60

// Name returns a text as a part of a file name that every file system takes: letters, digits, dots and
// underscores of ASCII, no dot in front, so that it neither leaves its folder nor hides in it.
func Name(text string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
			return r
		}
		return '_'
	}, text)
	return strings.TrimLeft(name[:min(len(name), maxName)], ".")
}
