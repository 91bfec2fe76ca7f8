package object

import (
	"strings"
	"unicode"
)

type methodTable map[string]struct {
	params string
	fn     func(in *Interp, a []Value) (Value, error)
}

// define adds methods to one of Python's own types.
func define(c *Class, table methodTable) {
	for _, name := range sortedKeys(table) {
		c.Attrs.SetStr(name, NewMethod(name, table[name].params, table[name].fn))
	}
}

// textMethod returns a method of str that maps its text.
func textMethod(f func(s string) string) func(in *Interp, a []Value) (Value, error) {
	return func(in *Interp, a []Value) (Value, error) {
		s, err := Text(a[0])
		if err != nil {
			return nil, err
		}
		out := f(s)
		return Str(out), in.Alloc(len(out))
	}
}

// textTest returns a method of str that tests all characters; an empty str fails.
func textTest(f func(r rune) bool) func(in *Interp, a []Value) (Value, error) {
	return func(in *Interp, a []Value) (Value, error) {
		s, err := Text(a[0])
		if err != nil {
			return nil, err
		}
		for _, r := range s {
			if !f(r) {
				return Bool(false), nil
			}
		}
		return Bool(s != ""), nil
	}
}

// IsSpace reports whether Python takes r for white space.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

func init() {
	defineTextTests()
	defineBytes()
	define(StrClass, methodTable{
		"upper": {"", textMethod(upper)},
		"lower": {"", textMethod(strings.ToLower)},
		"casefold": {"", textMethod(func(s string) string {
			return strings.ReplaceAll(strings.ToLower(s), "ß", "ss")
		})},
		"capitalize": {"", textMethod(capitalize)},
		"title":      {"", textMethod(title)},
		"swapcase":   {"", textMethod(swapCase)},
		"strip": {"chars=", func(in *Interp, a []Value) (Value, error) {
			return strip(in, a, true, true)
		}},
		"lstrip": {"chars=", func(in *Interp, a []Value) (Value, error) {
			return strip(in, a, true, false)
		}},
		"rstrip": {"chars=", func(in *Interp, a []Value) (Value, error) {
			return strip(in, a, false, true)
		}},
		"removeprefix": {"prefix", textPair(strings.TrimPrefix)},
		"removesuffix": {"suffix", textPair(strings.TrimSuffix)},
		"startswith": {"prefix start= end=", func(in *Interp, a []Value) (Value, error) {
			return affix(in, a, strings.HasPrefix)
		}},
		"endswith": {"suffix start= end=", func(in *Interp, a []Value) (Value, error) {
			return affix(in, a, strings.HasSuffix)
		}},
		"find": {"sub start= end=", func(in *Interp, a []Value) (Value, error) {
			return find(in, a, strings.Index, false)
		}},
		"rfind": {"sub start= end=", func(in *Interp, a []Value) (Value, error) {
			return find(in, a, strings.LastIndex, false)
		}},
		"index": {"sub start= end=", func(in *Interp, a []Value) (Value, error) {
			return find(in, a, strings.Index, true)
		}},
		"rindex": {"sub start= end=", func(in *Interp, a []Value) (Value, error) {
			return find(in, a, strings.LastIndex, true)
		}},
		"count":      {"sub start= end=", countText},
		"replace":    {"old new count=", replaceText},
		"split":      {"sep= maxsplit=", splitText},
		"rsplit":     {"sep= maxsplit=", rsplitText},
		"splitlines": {"keepends=", splitLines},
		"partition":  {"sep", func(_ *Interp, a []Value) (Value, error) { return partition(a, false) }},
		"rpartition": {"sep", func(_ *Interp, a []Value) (Value, error) { return partition(a, true) }},
		"join":       {"iterable", joinText},
		"format": {"*args **kws", func(in *Interp, a []Value) (Value, error) {
			s, err := Text(a[0])
			if err != nil {
				return nil, err
			}
			out, err := strFormat(in, s, a[1].(*Tuple).Items, a[2].(*Dict))
			return Str(out), err
		}},
		"format_map": {"mapping", func(in *Interp, a []Value) (Value, error) {
			s, err := Text(a[0])
			if err != nil {
				return nil, err
			}
			d, err := in.Mapping(a[1], "format_map() argument")
			if err != nil {
				return nil, err
			}
			out, err := strFormat(in, s, nil, d)
			return Str(out), err
		}},
		"ljust": {"width fillchar=", func(in *Interp, a []Value) (Value, error) {
			return justify(in, a, '<')
		}},
		"rjust": {"width fillchar=", func(in *Interp, a []Value) (Value, error) {
			return justify(in, a, '>')
		}},
		"center":     {"width fillchar=", center},
		"zfill":      {"width", zfill},
		"expandtabs": {"tabsize=", expandTabs},
		"encode": {"encoding= errors=", func(_ *Interp, a []Value) (Value, error) {
			s, err := Text(a[0])
			return Bytes(s), err
		}},
		"translate": {"table", translate},
	})
	StrClass.Attrs.SetStr("maketrans", &StaticMethod{Native("maketrans", "x y= z=", makeTrans)})
}

// defineTextTests gives str the methods that ask what kind of characters it has.
func defineTextTests() {
	define(StrClass, methodTable{
		"isspace": {"", textTest(IsSpace)},
		"isalpha": {"", textTest(unicode.IsLetter)},
		"isdigit": {"", textTest(func(r rune) bool {
			return unicode.IsDigit(r) || strings.ContainsRune("²³¹", r)
		})},
		"isdecimal": {"", textTest(unicode.IsDigit)},
		"isnumeric": {"", textTest(unicode.IsNumber)},
		"isalnum":   {"", textTest(func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })},
		"isascii": {"", func(_ *Interp, a []Value) (Value, error) {
			s, err := Text(a[0])
			return Bool(isASCII(s)), err
		}},
		"isprintable": {"", func(_ *Interp, a []Value) (Value, error) {
			s, err := Text(a[0])
			return Bool(strings.IndexFunc(s, func(r rune) bool { return !isPrintable(r) }) < 0), err
		}},
		"isidentifier": {"", func(_ *Interp, a []Value) (Value, error) {
			s, err := Text(a[0])
			return Bool(IsIdentifier(s)), err
		}},
		"isupper": {"", func(_ *Interp, a []Value) (Value, error) {
			return cased(a[0], unicode.IsUpper, unicode.IsLower)
		}},
		"islower": {"", func(_ *Interp, a []Value) (Value, error) {
			return cased(a[0], unicode.IsLower, unicode.IsUpper)
		}},
		"istitle": {"", isTitle},
	})
}

func defineBytes() {
	define(BytesClass, methodTable{
		"decode": {"encoding= errors=", func(_ *Interp, a []Value) (Value, error) {
			b, ok := a[0].(Bytes)
			if !ok {
				return nil, Errorf(TypeError, "decode wants bytes")
			}
			return Str(b), nil
		}},
		"hex": {"", func(_ *Interp, a []Value) (Value, error) {
			b, ok := a[0].(Bytes)
			if !ok {
				return nil, Errorf(TypeError, "hex wants bytes")
			}
			const digits = "0123456789abcdef"
			var out []byte
			for i := range len(b) {
				out = append(out, digits[b[i]>>4], digits[b[i]&15])
			}
			return Str(out), nil
		}},
	})
}

func upper(s string) string { return strings.ReplaceAll(strings.ToUpper(s), "ß", "SS") }

func capitalize(s string) string {
	rs := toRunes(s)
	for i, r := range rs {
		if i == 0 {
			rs[i] = unicode.ToTitle(r)
		} else {
			rs[i] = unicode.ToLower(r)
		}
	}
	return fromRunes(rs)
}

func title(s string) string {
	rs := toRunes(s)
	inWord := false
	for i, r := range rs {
		if inWord {
			rs[i] = unicode.ToLower(r)
		} else {
			rs[i] = unicode.ToTitle(r)
		}
		inWord = unicode.IsLetter(r)
	}
	return fromRunes(rs)
}

func swapCase(s string) string {
	rs := toRunes(s)
	for i, r := range rs {
		if unicode.IsUpper(r) {
			rs[i] = unicode.ToLower(r)
		} else {
			rs[i] = unicode.ToUpper(r)
		}
	}
	return fromRunes(rs)
}

func cased(v Value, want, not func(r rune) bool) (Value, error) {
	s, err := Text(v)
	seen := false
	for _, r := range s {
		if not(r) || unicode.IsTitle(r) {
			return Bool(false), nil
		}
		seen = seen || want(r)
	}
	return Bool(seen), err
}

func isTitle(_ *Interp, a []Value) (Value, error) {
	s, err := Text(a[0])
	seen, inWord := false, false
	for _, r := range s {
		switch {
		case unicode.IsUpper(r) || unicode.IsTitle(r):
			if inWord {
				return Bool(false), nil
			}
			inWord, seen = true, true
		case unicode.IsLower(r):
			if !inWord {
				return Bool(false), nil
			}
		default:
			inWord = false
		}
	}
	return Bool(seen), err
}

// IsIdentifier reports whether s can be a name.
func IsIdentifier(s string) bool {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r)) {
			return false
		}
	}
	return s != ""
}

func textPair(f func(s, x string) string) func(in *Interp, a []Value) (Value, error) {
	return func(_ *Interp, a []Value) (Value, error) {
		s, err := Text(a[0])
		if err != nil {
			return nil, err
		}
		x, err := Text(a[1])
		return Str(f(s, x)), err
	}
}

func strip(_ *Interp, a []Value, left, right bool) (Value, error) {
	s, err := Text(a[0])
	if err != nil {
		return nil, err
	}
	drop := IsSpace
	if a[1] != nil && a[1] != None {
		chars, err := Text(a[1])
		if err != nil {
			return nil, err
		}
		drop = func(r rune) bool { return strings.ContainsRune(chars, r) }
	}
	if left {
		s = strings.TrimLeftFunc(s, drop)
	}
	if right {
		s = strings.TrimRightFunc(s, drop)
	}
	return Str(s), nil
}

// window returns the part of s between two optional indices, and the index at which it begins. ok is false
// when start is beyond the end.
func window(in *Interp, s string, start, end Value) (part string, at int, ok bool, err error) {
	if start == nil && end == nil {
		return s, 0, true, nil
	}
	n := runeCount(s)
	lo, err := in.bound(start, n, 1, 0)
	if err != nil {
		return "", 0, false, err
	}
	hi, err := in.bound(end, n, 1, n)
	if err != nil {
		return "", 0, false, err
	}
	if start != nil && start != None {
		if k, _ := AsInt64(start); k > int64(n) {
			return "", 0, false, nil
		}
	}
	if hi < lo {
		return "", lo, false, nil
	}
	if isASCII(s) {
		return s[lo:hi], lo, true, nil
	}
	return fromRunes(toRunes(s)[lo:hi]), lo, true, nil
}

func affix(in *Interp, a []Value, test func(s, x string) bool) (Value, error) {
	s, err := Text(a[0])
	if err != nil {
		return nil, err
	}
	s, _, ok, err := window(in, s, a[2], a[3])
	if err != nil {
		return nil, err
	}
	candidates := []Value{a[1]}
	if t, isTuple := a[1].(*Tuple); isTuple {
		candidates = t.Items
	}
	for _, c := range candidates {
		x, err := Text(c)
		if err != nil {
			return nil, err
		}
		if ok && test(s, x) {
			return Bool(true), nil
		}
	}
	return Bool(false), nil
}

// searched returns the part of a text in which a method searches, where it begins, and what it searches for.
func searched(in *Interp, a []Value) (part, sub string, at int, ok bool, err error) {
	s, err := Text(a[0])
	if err != nil {
		return "", "", 0, false, err
	}
	if sub, err = Text(a[1]); err != nil {
		return "", "", 0, false, err
	}
	if part, at, ok, err = window(in, s, a[2], a[3]); err != nil {
		return "", "", 0, false, err
	}
	return part, sub, at, ok, in.Work(len(s) / 64)
}

func find(in *Interp, a []Value, index func(s, sub string) int, must bool) (Value, error) {
	part, sub, at, ok, err := searched(in, a)
	if err != nil {
		return nil, err
	}
	i := -1
	if ok {
		i = index(part, sub)
	}
	if i < 0 {
		if must {
			return nil, Errorf(ValueError, "substring not found")
		}
		return MakeInt(-1), nil
	}
	return MakeInt(int64(at + runeCount(part[:i]))), nil
}

func countText(in *Interp, a []Value) (Value, error) {
	part, sub, _, ok, err := searched(in, a)
	if err != nil || !ok {
		return MakeInt(0), err
	}
	return MakeInt(int64(strings.Count(part, sub))), nil
}

func replaceText(in *Interp, a []Value) (Value, error) {
	var s [3]string
	for i := range s {
		t, err := Text(a[i])
		if err != nil {
			return nil, err
		}
		s[i] = t
	}
	n := int64(-1)
	if a[3] != nil {
		k, err := in.AsIndex(a[3])
		if err != nil {
			return nil, err
		}
		n = k
	}
	count := strings.Count(s[0], s[1])
	if err := in.Alloc(len(s[0]) + Product(max(len(s[2]), 1), int64(count))); err != nil {
		return nil, err
	}
	if n > int64(count) {
		n = int64(count)
	}
	return Str(strings.Replace(s[0], s[1], s[2], int(n))), nil
}
