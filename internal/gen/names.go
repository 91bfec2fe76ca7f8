package gen

import (
	"go/token"
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

// argument names are the kernel's own, unless Go or the function around them has another use for them.
func argName(name string) string {
	if token.IsKeyword(name) || taken[name] || name == "_" {
		return name + "_"
	}
	return name
}

// taken are names that generated functions use.
var taken = map[string]bool{
	"nereid": true, "genrt": true, "stream": true, "grid": true, "consts": true, "call": true, "error": true,
	"int64": true, "float64": true, "init": true, "string": true, "bool": true, "any": true, "nil": true,
}
