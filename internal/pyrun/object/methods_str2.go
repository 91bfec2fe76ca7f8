package object

import "strings"

// MaxSplit returns the value of a maxsplit argument, -1 for no limit.
func MaxSplit(in *Interp, v Value) (int, error) {
	if v == nil {
		return -1, nil
	}
	n, err := in.AsIndex(v)
	if err != nil {
		return 0, err
	}
	return int(max(min(n, 1<<31), -1)), nil
}

func strList(in *Interp, parts []string) (Value, error) {
	l := &List{Items: make([]Value, len(parts))}
	n := 0
	for i, p := range parts {
		l.Items[i] = Str(p)
		n += len(p) + 2*ValueSize
	}
	return l, in.Alloc(n)
}

func splitText(in *Interp, a []Value) (Value, error) { return splitBy(in, a, splitSpace, splitAt) }

func rsplitText(in *Interp, a []Value) (Value, error) { return splitBy(in, a, rsplitSpace, rsplitAt) }

// splitBy splits a text at white space, or at the separator if one is given, n times at most.
func splitBy(in *Interp, a []Value, space func(s string, n int) []string,
	at func(s, sep string, n int) []string) (Value, error) {
	s, err := Text(a[0])
	if err != nil {
		return nil, err
	}
	n, err := MaxSplit(in, a[2])
	if err != nil {
		return nil, err
	}
	if a[1] == nil || a[1] == None {
		return strList(in, space(s, n))
	}
	sep, err := Text(a[1])
	if err != nil {
		return nil, err
	}
	if sep == "" {
		return nil, Errorf(ValueError, "empty separator")
	}
	return strList(in, at(s, sep, n))
}

func splitAt(s, sep string, n int) []string {
	if n >= 0 {
		n++ // parts
	}
	return strings.SplitN(s, sep, n)
}

// splitSpace splits at runs of white space, n times at most.
func splitSpace(s string, n int) []string {
	var out []string
	s = strings.TrimLeftFunc(s, IsSpace)
	for s != "" {
		if n == 0 {
			return append(out, s)
		}
		end := strings.IndexFunc(s, IsSpace)
		if end < 0 {
			return append(out, s)
		}
		out = append(out, s[:end])
		s = strings.TrimLeftFunc(s[end:], IsSpace)
		n--
	}
	return out
}

func rsplitAt(s, sep string, n int) []string {
	var out []string
	for n != 0 {
		i := strings.LastIndex(s, sep)
		if i < 0 {
			break
		}
		out = append(out, s[i+len(sep):])
		s = s[:i]
		n--
	}
	return reversedStrings(append(out, s))
}

func rsplitSpace(s string, n int) []string {
	var out []string
	s = strings.TrimRightFunc(s, IsSpace)
	for s != "" {
		if n == 0 {
			out = append(out, s)
			break
		}
		i := strings.LastIndexFunc(s, IsSpace)
		if i < 0 {
			out = append(out, s)
			break
		}
		out = append(out, strings.TrimLeftFunc(s[i:], IsSpace))
		s = strings.TrimRightFunc(s[:i], IsSpace)
		n--
	}
	return reversedStrings(out)
}

func reversedStrings(list []string) []string {
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

func splitLines(in *Interp, a []Value) (Value, error) {
	s, err := Text(a[0])
	if err != nil {
		return nil, err
	}
	keep, err := Truth(in, OrElse(a[1], Bool(false)))
	if err != nil {
		return nil, err
	}
	var out []string
	for s != "" {
		i := strings.IndexAny(s, "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029")
		if i < 0 {
			out = append(out, s)
			break
		}
		end := i + 1
		switch {
		case strings.HasPrefix(s[i:], "\r\n"):
			end = i + 2
		case s[i] == 0xc2:
			end = i + 2
		case s[i] == 0xe2:
			end = i + 3
		}
		if keep {
			out = append(out, s[:end])
		} else {
			out = append(out, s[:i])
		}
		s = s[end:]
	}
	return strList(in, out)
}

func partition(a []Value, last bool) (Value, error) {
	s, err := Text(a[0])
	if err != nil {
		return nil, err
	}
	sep, err := Text(a[1])
	if err != nil {
		return nil, err
	}
	if sep == "" {
		return nil, Errorf(ValueError, "empty separator")
	}
	i := strings.Index(s, sep)
	if last {
		i = strings.LastIndex(s, sep)
	}
	switch {
	case i >= 0:
		return NewTuple(Str(s[:i]), Str(sep), Str(s[i+len(sep):])), nil
	case last:
		return NewTuple(Str(""), Str(""), Str(s)), nil
	}
	return NewTuple(Str(s), Str(""), Str("")), nil
}

func joinText(in *Interp, a []Value) (Value, error) {
	sep, err := Text(a[0])
	if err != nil {
		return nil, err
	}
	items, err := Iterate(in, a[1])
	if err != nil {
		return nil, ReplaceTypeError(err, "can only join an iterable")
	}
	parts := make([]string, len(items))
	n := 0
	for i, v := range items {
		s, ok := Payload(v).(Str)
		if !ok {
			if u := UnknownOf(v); u != nil {
				return nil, u.Need("the text")
			}
			return nil, Errorf(TypeError, "sequence item %d: expected str instance, %s found", i,
				v.TypeName())
		}
		parts[i] = string(s)
		n += len(s) + len(sep)
	}
	if err := in.Alloc(n); err != nil {
		return nil, err
	}
	return Str(strings.Join(parts, sep)), nil
}

// widthArgs returns the arguments of ljust and its kin: the text, the width and the fill character.
func widthArgs(in *Interp, a []Value) (s string, width int, fill rune, err error) {
	if s, err = Text(a[0]); err != nil {
		return "", 0, 0, err
	}
	n, err := in.AsIndex(a[1])
	if err != nil {
		return "", 0, 0, err
	}
	if n > maxWidth {
		return "", 0, 0, in.Alloc(1 << 50)
	}
	fill = ' '
	if len(a) > 2 && a[2] != nil {
		f, err := Text(a[2])
		if err != nil {
			return "", 0, 0, err
		}
		rs := toRunes(f)
		if len(rs) != 1 {
			return "", 0, 0, Errorf(TypeError, "The fill character must be exactly one character long")
		}
		fill = rs[0]
	}
	return s, int(max(n, 0)), fill, in.Alloc(int(max(n, 0)))
}

func justify(in *Interp, a []Value, align byte) (Value, error) {
	s, width, fill, err := widthArgs(in, a)
	if err != nil {
		return nil, err
	}
	return Str(formatSpec{width: width, fill: fill, align: align}.pad(s, align)), nil
}

func center(in *Interp, a []Value) (Value, error) {
	s, width, fill, err := widthArgs(in, a)
	if err != nil {
		return nil, err
	}
	n := width - runeCount(s)
	if n <= 0 {
		return Str(s), nil
	}
	left := n/2 + n&width&1 // CPython's choice of the longer side
	return Str(strings.Repeat(string(fill), left) + s + strings.Repeat(string(fill), n-left)), nil
}

func zfill(in *Interp, a []Value) (Value, error) {
	s, width, _, err := widthArgs(in, a[:2])
	if err != nil {
		return nil, err
	}
	n := width - runeCount(s)
	if n <= 0 {
		return Str(s), nil
	}
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return Str(s[:1] + strings.Repeat("0", n) + s[1:]), nil
	}
	return Str(strings.Repeat("0", n) + s), nil
}

func expandTabs(in *Interp, a []Value) (Value, error) {
	s, err := Text(a[0])
	if err != nil {
		return nil, err
	}
	size := int64(8)
	if a[1] != nil {
		if size, err = in.AsIndex(a[1]); err != nil {
			return nil, err
		}
	}
	if size > maxWidth {
		return nil, in.Alloc(1 << 50)
	}
	size = max(size, 0)
	if err := in.Alloc(Product(int(size)+1, int64(strings.Count(s, "\t"))) + len(s)); err != nil {
		return nil, err
	}
	var out []rune
	col := 0
	for _, r := range toRunes(s) {
		switch r {
		case '\t':
			if size > 0 {
				n := int(size) - col%int(size)
				out = append(out, []rune(strings.Repeat(" ", n))...)
				col += n
			}
		case '\n', '\r':
			out = append(out, r)
			col = 0
		default:
			out = append(out, r)
			col++
		}
	}
	return Str(fromRunes(out)), nil
}

func makeTrans(in *Interp, a []Value) (Value, error) {
	d := NewDict()
	if a[1] == nil {
		src, err := in.Mapping(a[0], "maketrans() argument")
		if err != nil {
			return nil, err
		}
		for k, v := range src.All() {
			if s, ok := k.(Str); ok && runeCount(string(s)) == 1 {
				k = MakeInt(int64(toRunes(string(s))[0]))
			}
			if err := d.Set(in, k, v); err != nil {
				return nil, err
			}
		}
		return d, nil
	}
	from, err := Text(a[0])
	if err != nil {
		return nil, err
	}
	to, err := Text(a[1])
	if err != nil {
		return nil, err
	}
	x, y := toRunes(from), toRunes(to)
	if len(x) != len(y) {
		return nil, Errorf(ValueError, "the first two maketrans arguments must have equal length")
	}
	for i := range x {
		if err := d.Set(in, MakeInt(int64(x[i])), MakeInt(int64(y[i]))); err != nil {
			return nil, err
		}
	}
	if a[2] != nil {
		gone, err := Text(a[2])
		if err != nil {
			return nil, err
		}
		for _, r := range toRunes(gone) {
			if err := d.Set(in, MakeInt(int64(r)), None); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

func translate(in *Interp, a []Value) (Value, error) {
	s, err := Text(a[0])
	if err != nil {
		return nil, err
	}
	d, ok := Payload(a[1]).(*Dict)
	if !ok {
		return nil, Errorf(TypeError, "translate() wants a dict")
	}
	var b strings.Builder
	for _, r := range toRunes(s) {
		v, ok, err := d.Get(in, MakeInt(int64(r)))
		if err != nil {
			return nil, err
		}
		part := fromRunes([]rune{r})
		switch x := v.(type) {
		case Int:
			part = fromRunes([]rune{rune(x.small)})
		case Str:
			part = string(x)
		case NoneType:
			part = ""
		default:
			if ok {
				return nil, Errorf(TypeError, "character mapping must return integer, None or str")
			}
		}
		if err := in.Alloc(len(part)); err != nil {
			return nil, err
		}
		b.WriteString(part)
	}
	return Str(b.String()), nil
}

func bytesContain(b Bytes, x Value) (bool, error) {
	switch x := x.(type) {
	case Bytes:
		return strings.Contains(string(b), string(x)), nil
	case Bool:
		return strings.IndexByte(string(b), byte(boolInt(bool(x)))) >= 0, nil
	case Int:
		if x.big != nil || x.small < 0 || x.small > 255 {
			return false, Errorf(ValueError, "byte must be in range(0, 256)")
		}
		return strings.IndexByte(string(b), byte(x.small)) >= 0, nil
	}
	return false, Errorf(TypeError, "a bytes-like object is required, not '%s'", x.TypeName())
}
