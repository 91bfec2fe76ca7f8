package gen

import (
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Exported returns a name as Go exports it: add_kernel becomes AddKernel.
func Exported(name string) string {
	var b strings.Builder
	up := true
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			up = true
		case up:
			b.WriteRune(unicode.ToUpper(r))
			up = false
		default:
			b.WriteRune(r)
		}
	}
	s := b.String()
	if s == "" || !unicode.IsUpper([]rune(s)[0]) {
		s = "K" + s
	}
	return s
}

// unexported is the same for names that stay in the package.
func unexported(name string) string {
	s := []rune(Exported(name))
	s[0] = unicode.ToLower(s[0])
	return string(s)
}

// field is a compile-time parameter as a field: its own name, with a capital letter in front.
func field(name string) string {
	r := []rune(name)
	if r[0] == '_' || !unicode.IsLetter(r[0]) {
		return "X" + name
	}
	r[0] = unicode.ToUpper(r[0])
	if !unicode.IsUpper(r[0]) {
		return "X" + name
	}
	return string(r)
}

// argName is the name of a parameter as Go writes it: x_ptr becomes xPtr, and SM_SCALE smScale.
func argName(name string) string {
	var b strings.Builder
	for _, part := range strings.Split(name, "_") {
		if part == strings.ToUpper(part) {
			part = strings.ToLower(part)
		}
		r := []rune(part)
		switch {
		case len(r) == 0:
			continue
		case b.Len() == 0:
			r[0] = unicode.ToLower(r[0])
		default:
			r[0] = unicode.ToUpper(r[0])
		}
		b.WriteString(string(r))
	}
	s := b.String()
	if s == "" || !unicode.IsLetter([]rune(s)[0]) {
		s = "p" + s
	}
	if token.IsKeyword(s) || taken[s] {
		return s + "_"
	}
	return s
}

// taken are names that generated functions use.
var taken = map[string]bool{
	"nereid": true, "genrt": true, "stream": true, "grid": true, "consts": true, "call": true, "error": true,
	"done": true, "err": true, "int64": true, "float64": true, "init": true, "string": true, "bool": true,
	"any": true, "nil": true,
}

// names are those that a generated file has given away.
type names map[string]bool

// unused returns the first of name, name2, name3 … that is free with each of the endings, and takes them
// all.
func (n names) unused(name string, endings ...string) string {
	free := func(s string) bool {
		return !n[s] && !slices.ContainsFunc(endings, func(e string) bool { return n[s+e] })
	}
	found := name
	for i := 2; !free(found); i++ {
		found = name + strconv.Itoa(i)
	}
	n[found] = true
	for _, e := range endings {
		n[found+e] = true
	}
	return found
}
