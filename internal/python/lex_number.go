package python

import "strings"

// number reads a number. Its value is computed when the parser comes to it.
func (l *lexer) number() {
	start := l.off
	name := "decimal"
	ok := true
	if l.src[l.off] == '0' {
		switch l.src[l.off+1] | 0x20 {
		case 'x':
			name, ok = "hexadecimal", l.based(func(c byte) bool { return class[c]&cHex != 0 })
		case 'o':
			name, ok = "octal", l.based(func(c byte) bool { return c >= '0' && c <= '7' })
		case 'b':
			name, ok = "binary", l.based(func(c byte) bool { return c == '0' || c == '1' })
		default:
			ok = l.decimal(&name)
		}
	} else {
		ok = l.decimal(&name)
	}
	if ok && l.endsNumber() {
		l.emit(kNumber, start)
		return
	}
	at := l.off
	for class[l.src[l.off]]&(cNameStart|cDigit) != 0 {
		l.off++
	}
	if c := l.src[at]; class[c]&cDigit != 0 && name != "decimal" {
		l.bad(start, codeLiteral, "", "invalid digit '%c' in %s literal", c, name)
		return
	}
	l.bad(start, codeLiteral, numberHint(l.src[start:l.off]), "invalid %s literal", name)
}

func numberHint(text string) string {
	switch c := text[len(text)-1]; {
	case strings.HasPrefix(text, "0x"), strings.HasPrefix(text, "0X"):
		return ""
	case c == 'L' || c == 'l' || c == 'u' || c == 'U':
		return "integers in Python have no suffix"
	case c == 'f' || c == 'F':
		return "floats in Python have no suffix"
	}
	return ""
}

// based reads 0x and the digits after it. The first digit may follow an underscore.
func (l *lexer) based(digit func(byte) bool) bool {
	l.off += 2
	for {
		if l.src[l.off] == '_' {
			l.off++
		}
		if !digit(l.src[l.off]) {
			return false
		}
		for digit(l.src[l.off]) {
			l.off++
		}
		if l.src[l.off] != '_' {
			return true
		}
	}
}

// decimal reads a number of base ten: integer, float or imaginary.
func (l *lexer) decimal(name *string) bool {
	start := l.off
	float := false
	if l.src[l.off] != '.' && !l.digits() {
		return false
	}
	intEnd := l.off
	if l.src[l.off] == '.' {
		float = true
		l.off++
		if class[l.src[l.off]]&cDigit != 0 && !l.digits() {
			return false
		}
	}
	if e := l.src[l.off]; e == 'e' || e == 'E' {
		n := 1
		if s := l.src[l.off+1]; s == '+' || s == '-' {
			n = 2
		}
		if class[l.src[l.off+n]]&cDigit != 0 {
			float = true
			l.off += n
			if !l.digits() {
				return false
			}
		}
	}
	if j := l.src[l.off]; j == 'j' || j == 'J' {
		*name = "imaginary"
		l.off++
		return true
	}
	if !float && l.src[start] == '0' && strings.Trim(l.src[start:intEnd], "0_") != "" {
		l.errorf(start, l.off, codeLiteral, "write 0o for an octal number",
			"leading zeros in a decimal integer")
	}
	return true
}

// digits reads decimal digits with single underscores between them.
func (l *lexer) digits() bool {
	for {
		for class[l.src[l.off]]&cDigit != 0 {
			l.off++
		}
		if l.src[l.off] != '_' {
			return true
		}
		if class[l.src[l.off+1]]&cDigit == 0 {
			return false
		}
		l.off++
	}
}

// endsNumber reports whether a number may end here: no letter follows, unless it begins one of the keywords
// that CPython still lets stand there, as in 1if x else 2.
func (l *lexer) endsNumber() bool {
	c := l.src[l.off]
	if class[c]&(cNameStart|cDigit) == 0 {
		return true
	}
	end := l.off
	for class[l.src[end]]&(cNameStart|cDigit) != 0 {
		end++
	}
	switch l.src[l.off:end] {
	case "and", "else", "for", "if", "in", "is", "or", "not":
		return true
	}
	return false
}
