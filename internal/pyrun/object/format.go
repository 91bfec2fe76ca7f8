package object

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// formatSpec is a parsed [[fill]align][sign][z][#][0][width][,][.precision][type].
type formatSpec struct {
	fill      rune
	align     byte // 0 when not given
	sign      byte
	alt, zero bool
	filled    bool // the fill character was given
	noNegZero bool
	width     int
	group     byte
	precision int // -1 when not given
	kind      byte
}

// maxWidth bounds the width and the precision that a format may ask for.
const maxWidth = 1 << 20

func parseSpec(s string) (formatSpec, error) {
	f := formatSpec{fill: ' ', precision: -1}
	bad := func() (formatSpec, error) { return f, Errorf(ValueError, "Invalid format specifier") }
	rs := toRunes(s)
	i := 0
	if len(rs) > 1 && isAlign(rs[1]) {
		f.fill, f.align, f.filled, i = rs[0], byte(rs[1]), true, 2
	} else if len(rs) > 0 && isAlign(rs[0]) {
		f.align, i = byte(rs[0]), 1
	}
	peek := func(set string) bool { return i < len(rs) && strings.ContainsRune(set, rs[i]) }
	if peek("+- ") {
		f.sign = byte(rs[i])
		i++
	}
	if peek("z") {
		f.noNegZero = true
		i++
	}
	if peek("#") {
		f.alt = true
		i++
	}
	if !f.filled && peek("0") {
		i++
		f.fill = '0'
		if f.align == 0 {
			f.align, f.zero = '=', true // unless it is a str
		}
	}
	number := func() (int, bool) {
		n := 0
		for ; peek("0123456789"); i++ {
			if n = n*10 + int(rs[i]-'0'); n > maxWidth {
				return 0, false
			}
		}
		return n, true
	}
	var ok bool
	if f.width, ok = number(); !ok {
		return f, Errorf(ValueError, "Too many decimal digits in format string")
	}
	if peek(",_") {
		f.group = byte(rs[i])
		i++
	}
	if peek(".") {
		i++
		if !peek("0123456789") {
			return f, Errorf(ValueError, "Format specifier missing precision")
		}
		if f.precision, ok = number(); !ok {
			return f, Errorf(ValueError, "Too many decimal digits in format string")
		}
	}
	if i < len(rs) {
		if rs[i] >= 128 {
			return bad()
		}
		f.kind = byte(rs[i])
		i++
	}
	if i != len(rs) {
		return bad()
	}
	return f, nil
}

func isAlign(r rune) bool { return r == '<' || r == '>' || r == '=' || r == '^' }

// Format returns format(v, spec).
func Format(in *Interp, v Value, spec string) (string, error) {
	if fn := Special(v, "__format__"); fn != nil {
		r, err := in.CallSpecial(v, fn, Str(spec))
		if err != nil {
			return "", err
		}
		s, ok := r.(Str)
		if !ok {
			return "", Errorf(TypeError, "__format__ must return a str, not %s", r.TypeName())
		}
		return string(s), nil
	}
	if spec == "" {
		return ToStr(in, v)
	}
	if x, ok := v.(*Instance); ok && x.Class.enum != nil && !x.Class.enum.plainFormat(x) {
		s, err := ToStr(in, x)
		if err != nil {
			return "", err
		}
		v = Str(s)
	}
	s, err := in.formatValue(Payload(v), spec)
	if err != nil {
		return "", err
	}
	return s, in.Alloc(len(s))
}

func (in *Interp) formatValue(v Value, spec string) (string, error) {
	if x, ok := v.(HasFormat); ok {
		return x.Format(spec)
	}
	switch v := v.(type) {
	case Str, Int, Bool, Float:
	case *Unknown:
		return "", v.Need("the text")
	default:
		return "", Errorf(TypeError, "unsupported format string passed to %s.__format__", v.TypeName())
	}
	f, err := parseSpec(spec)
	if err != nil {
		return "", err
	}
	switch x := v.(type) {
	case Str:
		return f.str(string(x))
	case Bool:
		return f.int(IntOf(x), "bool")
	case Int:
		return f.int(x, "int")
	}
	return f.float(float64(v.(Float)), "float")
}

// HasFormat is a value of another package that formats itself.
type HasFormat interface {
	Format(spec string) (string, error)
}

func (f formatSpec) unknownCode(typ string) error {
	return Errorf(ValueError, "Unknown format code '%c' for object of type '%s'", f.kind, typ)
}

func (f formatSpec) str(s string) (string, error) {
	switch {
	case f.kind != 0 && f.kind != 's':
		return "", f.unknownCode("str")
	case f.sign != 0:
		return "", Errorf(ValueError, "Sign not allowed in string format specifier")
	case f.alt:
		return "", Errorf(ValueError, "Alternate form (#) not allowed in string format specifier")
	case f.noNegZero:
		return "", Errorf(ValueError, "Negative zero coercion (z) not allowed in string format specifier")
	case f.group != 0:
		return "", Errorf(ValueError, "Cannot specify '%c' with 's'.", f.group)
	case f.align == '=' && !f.zero:
		return "", Errorf(ValueError, "'=' alignment not allowed in string format specifier")
	}
	if f.precision >= 0 {
		if rs := toRunes(s); len(rs) > f.precision {
			s = fromRunes(rs[:f.precision])
		}
	}
	if f.zero {
		f.align = '<' // "05" pads a str on the right
	}
	return f.pad(s, '<'), nil
}

// pad fills up to the width.
func (f formatSpec) pad(s string, def byte) string {
	align := f.align
	if align == 0 {
		align = def
	}
	n := f.width - runeCount(s)
	if n <= 0 {
		return s
	}
	fill := func(n int) string { return strings.Repeat(string(f.fill), n) }
	switch align {
	case '<':
		return s + fill(n)
	case '^':
		return fill(n/2) + s + fill(n-n/2)
	}
	return fill(n) + s
}

var intBases = map[byte]struct {
	base   int
	prefix string
}{0: {10, ""}, 'd': {10, ""}, 'n': {10, ""}, 'b': {2, "0b"}, 'o': {8, "0o"}, 'x': {16, "0x"}, 'X': {16, "0X"}}

func (f formatSpec) int(x Int, typ string) (string, error) {
	if strings.IndexByte("eEfFgG%", f.kind) >= 0 && f.kind != 0 {
		v, err := x.Float64()
		if err != nil {
			return "", err
		}
		return f.float(v, typ)
	}
	b, ok := intBases[f.kind]
	switch {
	case !ok && f.kind != 'c':
		return "", f.unknownCode(typ)
	case f.noNegZero:
		return "", Errorf(ValueError,
			"Negative zero coercion (z) not allowed in format specifier with integer format code '%c'",
			f.kind)
	case f.precision >= 0:
		return "", Errorf(ValueError, "Precision not allowed in integer format specifier")
	case f.group != 0 && (f.kind == 'c' || f.kind == 'n' || f.group == ',' && b.base != 10):
		return "", Errorf(ValueError, "Cannot specify '%c' with '%c'.", f.group, f.kind)
	case f.kind == 'c':
		return f.char(x)
	}
	var digits string
	if b.base == 10 {
		s, err := intText(x)
		if err != nil {
			return "", err
		}
		digits = strings.TrimPrefix(s, "-")
	} else {
		digits = new(big.Int).Abs(x.Big()).Text(b.base)
	}
	prefix := ""
	if f.alt {
		prefix = b.prefix
	}
	if f.kind == 'X' {
		digits = strings.ToUpper(digits)
	}
	every := 3
	if b.base != 10 {
		every = 4
	}
	return f.number(x.Sign() < 0, prefix, digits, "", every), nil
}

// char returns the character of that number.
func (f formatSpec) char(x Int) (string, error) {
	if f.sign != 0 {
		return "", Errorf(ValueError, "Sign not allowed with integer format specifier 'c'")
	}
	if f.alt {
		return "", Errorf(ValueError, "Alternate form (#) not allowed with integer format specifier 'c'")
	}
	n, ok := x.Int64()
	if !ok || n < 0 || n > 0x10ffff {
		return "", Errorf(OverflowError, "%%c arg not in range(0x110000)")
	}
	return f.pad(fromRunes([]rune{rune(n)}), '>'), nil
}

// number puts sign, prefix, grouped digits and the rest together.
func (f formatSpec) number(negative bool, prefix, digits, rest string, every int) string {
	sign := ""
	switch {
	case negative:
		sign = "-"
	case f.sign == '+' || f.sign == ' ':
		sign = string(f.sign)
	}
	head := sign + prefix
	if f.align == '=' && f.fill == '0' && f.group != 0 {
		digits = f.groupZeros(digits, f.width-len(head)-len(rest), every)
	} else if f.group != 0 {
		digits = groupDigits(digits, f.group, every)
	}
	body := digits + rest
	if f.align == '=' {
		if n := f.width - len(head) - runeCount(body); n > 0 {
			return head + strings.Repeat(string(f.fill), n) + body
		}
		return head + body
	}
	return f.pad(head+body, '>')
}

func groupDigits(digits string, sep byte, every int) string {
	var b []byte
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%every == 0 {
			b = append(b, sep)
		}
		b = append(b, digits[i])
	}
	return string(b)
}

// groupZeros pads with zeros that are grouped like digits.
func (f formatSpec) groupZeros(digits string, width, every int) string {
	n := len(digits)
	for n+(n-1)/every < width {
		n++
	}
	return groupDigits(strings.Repeat("0", n-len(digits))+digits, f.group, every)
}

func (f formatSpec) float(x float64, typ string) (string, error) {
	if f.kind != 0 && strings.IndexByte("eEfFgGn%", f.kind) < 0 {
		return "", f.unknownCode(typ)
	}
	if f.group != 0 && f.kind == 'n' {
		return "", Errorf(ValueError, "Cannot specify '%c' with 'n'.", f.group)
	}
	negative := math.Signbit(x) && !math.IsNaN(x)
	s := f.floatDigits(math.Abs(x))
	if f.noNegZero && negative && strings.Trim(s, "0.e+-%") == "" {
		negative = false
	}
	if f.kind == 'E' || f.kind == 'F' || f.kind == 'G' {
		s = strings.ToUpper(s)
	}
	n := len(s)
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			n = i
			break
		}
	}
	if n == 0 { // inf, nan
		if f.align == '=' && f.fill == '0' {
			f.group = 0
		}
		return f.number(negative, "", "", s, 3), nil
	}
	return f.number(negative, "", s[:n], s[n:], 3), nil
}

// floatDigits returns the text of a float that is not negative.
func (f formatSpec) floatDigits(x float64) string {
	suffix, kind, prec := "", f.kind, f.precision
	if kind == '%' {
		x, kind, suffix = x*100, 'f', "%"
	}
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return strings.TrimPrefix(FloatRepr(x), "-") + suffix
	}
	switch kind | 0x20 {
	case 'f', 'e':
		if prec < 0 {
			prec = 6
		}
		s := strconv.FormatFloat(x, kind|0x20, prec, 64)
		if f.alt && prec == 0 {
			s = withPoint(s)
		}
		return s + suffix
	}
	if f.kind == 0 && prec < 0 {
		s := FloatRepr(x)
		if f.alt && !strings.Contains(s, ".") {
			s = withPoint(s)
		}
		return s
	}
	return f.general(x, prec)
}

// withPoint adds a point after the digits.
func withPoint(s string) string {
	if i := strings.IndexByte(s, 'e'); i >= 0 {
		return s[:i] + "." + s[i:]
	}
	return s + "."
}

// general returns the form of 'g', or the default form with a precision, which keeps at least one digit after
// the point.
func (f formatSpec) general(x float64, prec int) string {
	if prec < 0 {
		prec = 6
	}
	prec = max(prec, 1)
	e := strconv.FormatFloat(x, 'e', prec-1, 64)
	exp, _ := strconv.Atoi(e[strings.IndexByte(e, 'e')+1:])
	limit := prec
	if f.kind == 0 {
		limit = prec - 1
	}
	if exp < -4 || exp >= limit {
		mant, tail, _ := strings.Cut(e, "e")
		if !f.alt {
			mant = trimZeros(mant)
		} else if !strings.Contains(mant, ".") {
			mant += "."
		}
		return mant + "e" + tail
	}
	s := strconv.FormatFloat(x, 'f', max(prec-1-exp, 0), 64)
	if !f.alt {
		s = trimZeros(s)
	} else if !strings.Contains(s, ".") {
		s += "."
	}
	if f.kind == 0 && !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}
