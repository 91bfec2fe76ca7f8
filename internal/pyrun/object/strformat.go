package object

import (
	"strconv"
	"strings"
)

// strFormat returns s.format(*args, **kws).
func strFormat(in *Interp, s string, args []Value, kws *Dict) (string, error) {
	f := strFormatter{in: in, args: args, kws: kws}
	return f.format(s, 2)
}

type strFormatter struct {
	in     *Interp
	args   []Value
	kws    *Dict
	auto   int
	manual bool
}

func (f *strFormatter) format(s string, depth int) (string, error) {
	if depth == 0 {
		return "", Errorf(ValueError, "Max string recursion exceeded")
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case (c == '{' || c == '}') && i+1 < len(s) && s[i+1] == c:
			b.WriteByte(c)
			i += 2
		case c == '}':
			return "", Errorf(ValueError, "Single '}' encountered in format string")
		case c == '{':
			end := fieldEnd(s, i+1)
			if end < 0 {
				if i+1 == len(s) {
					return "", Errorf(ValueError, "Single '{' encountered in format string")
				}
				return "", Errorf(ValueError, "expected '}' before end of string")
			}
			text, err := f.field(s[i+1:end], depth)
			if err != nil {
				return "", err
			}
			if err := f.in.Alloc(len(text)); err != nil {
				return "", err
			}
			b.WriteString(text)
			i = end + 1
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String(), nil
}

// fieldEnd returns the index of the brace that closes a field.
func fieldEnd(s string, i int) int {
	depth := 1
	for ; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func (f *strFormatter) field(s string, depth int) (string, error) {
	name, spec := s, ""
	if i := specStart(s); i >= 0 {
		name, spec = s[:i], s[i+1:]
	}
	conversion := rune(-1)
	if i := strings.LastIndexByte(name, '!'); i >= 0 {
		if len(name)-i != 2 {
			return "", Errorf(ValueError, "expected ':' after conversion specifier")
		}
		conversion = rune(name[i+1])
		name = name[:i]
		if !strings.ContainsRune("sra", conversion) {
			return "", Errorf(ValueError, "Unknown conversion specifier '%c'", conversion)
		}
	}
	v, err := f.lookup(name)
	if err != nil {
		return "", err
	}
	if v, err = Convert(f.in, v, conversion); err != nil {
		return "", err
	}
	if strings.Contains(spec, "{") {
		if spec, err = f.format(spec, depth-1); err != nil {
			return "", err
		}
	}
	return Format(f.in, v, spec)
}

// specStart returns the index of the colon before the spec; a colon in brackets belongs to the name.
func specStart(s string) int {
	inBracket := false
	for i := range len(s) {
		switch s[i] {
		case '[':
			inBracket = true
		case ']':
			inBracket = false
		case ':':
			if !inBracket {
				return i
			}
		}
	}
	return -1
}

// lookup returns the value of name.attr[item].
func (f *strFormatter) lookup(name string) (Value, error) {
	end := strings.IndexAny(name, ".[")
	if end < 0 {
		end = len(name)
	}
	v, err := f.first(name[:end])
	if err != nil {
		return nil, err
	}
	rest := name[end:]
	for rest != "" {
		switch rest[0] {
		case '.':
			n := strings.IndexAny(rest[1:], ".[")
			if n < 0 {
				n = len(rest) - 1
			}
			if n == 0 {
				return nil, Errorf(ValueError, "Empty attribute in format string")
			}
			if v, err = GetAttr(f.in, v, rest[1:1+n]); err != nil {
				return nil, err
			}
			rest = rest[1+n:]
		case '[':
			n := strings.IndexByte(rest, ']')
			if n < 0 {
				return nil, Errorf(ValueError, "Missing ']' in format string")
			}
			var key Value = Str(rest[1:n])
			if k, err := strconv.Atoi(rest[1:n]); err == nil && k >= 0 {
				key = MakeInt(int64(k))
			}
			if v, err = GetItem(f.in, v, key); err != nil {
				return nil, err
			}
			rest = rest[n+1:]
		default:
			return nil, Errorf(ValueError, "Only '.' or '[' may follow ']' in format field specifier")
		}
	}
	return v, nil
}

func (f *strFormatter) first(name string) (Value, error) {
	i, err := strconv.Atoi(name)
	switch {
	case name == "":
		if f.manual {
			return nil, Errorf(ValueError,
				"cannot switch from manual field specification to automatic field numbering")
		}
		i = f.auto
		f.auto++
	case err == nil:
		if f.auto > 0 {
			return nil, Errorf(ValueError,
				"cannot switch from automatic field numbering to manual field specification")
		}
		f.manual = true
	default:
		return f.kws.item(f.in, Str(name))
	}
	if i >= len(f.args) {
		return nil, Errorf(IndexError, "Replacement index %d out of range for positional args tuple", i)
	}
	return f.args[i], nil
}
