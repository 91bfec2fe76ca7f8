package object

import "strings"

// formatPercent returns s % args.
func formatPercent(in *Interp, a, b Value) (Value, error) {
	s, ok := a.(Str)
	if !ok {
		return nil, nil
	}
	p := percent{in: in, args: []Value{b}}
	switch x := b.(type) {
	case *Tuple:
		p.args = x.Items
	case *Dict:
		p.dict, p.spare = x, true
	case *List, *Range, Bytes:
		p.spare = true
	}
	out, err := p.format(string(s))
	if err != nil {
		return nil, err
	}
	return Str(out), in.Alloc(len(out))
}

type percent struct {
	in    *Interp
	args  []Value
	next  int
	at    int // index of the conversion being done
	dict  *Dict
	spare bool // an argument may be left over
	b     strings.Builder
}

func (p *percent) format(s string) (string, error) {
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			p.b.WriteString(s)
			break
		}
		p.b.WriteString(s[:i])
		p.at += i + 1
		n, err := p.field(s[i+1:])
		if err != nil {
			return "", err
		}
		p.at += n
		s = s[i+1+n:]
	}
	if p.next < len(p.args) && !p.spare {
		return "", Errorf(TypeError, "not all arguments converted during string formatting")
	}
	return p.b.String(), nil
}

func (p *percent) arg() (Value, error) {
	if p.next >= len(p.args) {
		return nil, Errorf(TypeError, "not enough arguments for format string")
	}
	p.next++
	return p.args[p.next-1], nil
}

// field formats what follows a percent sign and returns its length.
func (p *percent) field(s string) (int, error) {
	f := formatSpec{fill: ' ', precision: -1, align: '>'}
	i := 0
	var value Value
	if strings.HasPrefix(s, "(") {
		end := strings.IndexByte(s, ')')
		if end < 0 {
			return 0, Errorf(ValueError, "incomplete format key")
		}
		if p.dict == nil {
			return 0, Errorf(TypeError, "format requires a mapping")
		}
		v, err := p.dict.item(p.in, Str(s[1:end]))
		if err != nil {
			return 0, err
		}
		value, i = v, end+1
	}
	left, zero := false, false
	for ; i < len(s) && strings.IndexByte("-+ #0", s[i]) >= 0; i++ {
		switch s[i] {
		case '-':
			left = true
		case '+':
			f.sign = '+'
		case ' ':
			if f.sign == 0 {
				f.sign = ' '
			}
		case '#':
			f.alt = true
		case '0':
			zero = true
		}
	}
	i, err := p.number(s, i, &f.width)
	if err != nil {
		return 0, err
	}
	if f.width < 0 {
		f.width, left = -f.width, true
	}
	if i < len(s) && s[i] == '.' {
		f.precision = 0
		if i, err = p.number(s, i+1, &f.precision); err != nil {
			return 0, err
		}
		f.precision = max(f.precision, 0)
	}
	for i < len(s) && strings.IndexByte("hlL", s[i]) >= 0 {
		i++
	}
	if i >= len(s) {
		return 0, Errorf(ValueError, "incomplete format")
	}
	f.kind = s[i]
	p.at += i
	if f.kind == '%' {
		p.b.WriteByte('%')
		p.at -= i
		return i + 1, nil
	}
	if value == nil {
		if value, err = p.arg(); err != nil {
			return 0, err
		}
	}
	if zero && !left {
		f.align, f.fill, f.zero = '=', '0', true
	}
	if left {
		f.align = '<'
	}
	text, err := p.convert(f, value)
	p.b.WriteString(text)
	p.at -= i
	return i + 1, err
}

// number reads digits or a star.
func (p *percent) number(s string, i int, n *int) (int, error) {
	if i < len(s) && s[i] == '*' {
		v, err := p.arg()
		if err != nil {
			return i, err
		}
		k, ok := AsInt64(v)
		if !ok || k > maxWidth || k < -maxWidth {
			return i, Errorf(TypeError, "* wants int")
		}
		*n = int(k)
		return i + 1, nil
	}
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		if *n = *n*10 + int(s[i]-'0'); *n > maxWidth {
			return i, Errorf(ValueError, "width too big")
		}
	}
	return i, nil
}

func (p *percent) convert(f formatSpec, v Value) (string, error) {
	switch f.kind {
	case 's', 'r', 'a':
		t, err := Convert(p.in, v, rune(f.kind))
		if err != nil {
			return "", err
		}
		return f.plainText(string(t.(Str)))
	case 'd', 'i', 'u':
		return p.int(f, v)
	case 'x', 'X', 'o':
		n, err := p.in.ToIndex(v)
		if err != nil {
			return "", ReplaceTypeError(err, "%%%c format: an integer is required, not %s", f.kind,
				v.TypeName())
		}
		return f.withPrecision(n)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		x, ok := AsFloat(v)
		if !ok {
			if u := UnknownOf(v); u != nil {
				return "", u.Need("the value")
			}
			return "", Errorf(TypeError, "must be real number, not %s", v.TypeName())
		}
		return f.float(x, "float")
	case 'c':
		if s, ok := Payload(v).(Str); ok {
			if runeCount(string(s)) != 1 {
				return "", Errorf(TypeError, "%%c requires int or char")
			}
			return f.plainText(string(s))
		}
		n, err := p.in.ToIndex(v)
		if err != nil {
			return "", ReplaceTypeError(err, "%%c requires int or char")
		}
		s, err := formatSpec{kind: 'c', precision: -1, fill: ' '}.char(n)
		if err != nil {
			return "", err
		}
		return f.plainText(s)
	}
	return "", Errorf(ValueError, "unsupported format character '%c' (0x%x) at index %d", f.kind, f.kind,
		p.at)
}

// plainText pads and cuts text; flags for numbers do not count.
func (f formatSpec) plainText(s string) (string, error) {
	f.kind, f.sign, f.alt, f.zero, f.fill = 's', 0, false, false, ' '
	if f.align == '=' {
		f.align = '>'
	}
	return f.str(s)
}

func (p *percent) int(f formatSpec, v Value) (string, error) {
	verb := f.kind
	f.kind = 'd'
	if x, ok := Payload(v).(Float); ok {
		n, err := FloatToInt(float64(x))
		if err != nil {
			return "", err
		}
		return f.withPrecision(n)
	}
	n, err := p.in.ToIndex(v)
	if err != nil {
		return "", ReplaceTypeError(err, "%%%c format: a real number is required, not %s", verb, v.TypeName())
	}
	return f.withPrecision(n)
}

// withPrecision pads the digits of an int with zeros up to the precision.
func (f formatSpec) withPrecision(n Int) (string, error) {
	prec := f.precision
	f.precision = -1
	if prec < 0 {
		return f.int(n, "int")
	}
	plain := formatSpec{precision: -1, kind: f.kind, fill: ' '}
	digits, err := plain.int(n, "int")
	if err != nil {
		return "", err
	}
	digits = strings.TrimPrefix(digits, "-")
	if pad := prec - len(digits); pad > 0 {
		digits = strings.Repeat("0", pad) + digits
	}
	prefix := ""
	if f.alt {
		prefix = intBases[f.kind].prefix
	}
	return f.number(n.Sign() < 0, prefix, digits, "", 3), nil
}
