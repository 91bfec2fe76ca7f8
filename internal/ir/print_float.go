package ir

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/num"
)

// appendFloat writes a float as MLIR does: with six digits after the point where those say it all, else with
// as many digits as its format needs, else, and for infinities and NaNs, its bits in hexadecimal.
func appendFloat(b []byte, v uint64, f *num.Format) (out []byte, isHex bool) {
	x := f.Decode(v)
	if !math.IsInf(x, 0) && !math.IsNaN(x) {
		if s := scientific(x); readsAs(s, v, f) {
			return append(b, s...), false
		}
		if s := plain(x, f); strings.IndexByte(s, '.') >= 0 && readsAs(s, v, f) {
			return append(b, s...), false
		}
	}
	b = append(b, "0x"...)
	return append(b, strings.ToUpper(strconv.FormatUint(v, 16))...), true
}

// readsAs reports whether the reader makes the same bits of s.
func readsAs(s string, v uint64, f *num.Format) bool {
	x, err := strconv.ParseFloat(s, 64)
	return err == nil && f.Encode(x) == v
}

// decimal is digits × 10^exp.
type decimal struct {
	digits []byte // the most significant first, no zero at either end
	exp    int
}

// decimalOf returns x ≠ 0 to about the given number of digits. It cuts before it rounds, as LLVM's APFloat
// does, and so does not always give the nearest decimal; text that should equal MLIR's must do the same.
func decimalOf(x float64, precision int) decimal {
	frac, exp := math.Frexp(math.Abs(x))
	man := uint64(frac * (1 << 53))
	exp -= 53
	zeros := bits.TrailingZeros64(man)
	n, exp := new(big.Int).SetUint64(man>>zeros), exp+zeros
	d := decimal{}
	if exp >= 0 {
		n.Lsh(n, uint(exp))
	} else {
		n.Mul(n, new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(-exp)), nil)) // 2^-k = 5^k 10^-k
		d.exp = exp
	}
	// 196/59 is a little more than log2(10).
	if enough := (precision*196 + 58) / 59; n.BitLen() > enough {
		cut := (n.BitLen() - enough) * 59 / 196
		n.Quo(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(cut)), nil))
		d.exp += cut
	}
	d.digits = n.Append(nil, 10)
	d.trim()
	d.round(precision)
	return d
}

func (d *decimal) trim() {
	for len(d.digits) > 1 && d.digits[len(d.digits)-1] == '0' {
		d.digits = d.digits[:len(d.digits)-1]
		d.exp++
	}
}

// round keeps n digits, a half rounded up.
func (d *decimal) round(n int) {
	if len(d.digits) <= n {
		return
	}
	up := d.digits[n] >= '5'
	d.exp += len(d.digits) - n
	d.digits = d.digits[:n]
	for i := n - 1; up && i >= 0; i-- {
		if d.digits[i] == '9' {
			d.digits[i] = '0'
			continue
		}
		d.digits[i]++
		up = false
	}
	if up {
		d.digits[0] = '1' // 999 became 000
		d.exp += n
		d.digits = d.digits[:1]
	}
	d.trim()
}

// scientific returns x as 1.234560e+00.
func scientific(x float64) string {
	if x == 0 {
		if math.Signbit(x) {
			return "-0.000000e+00"
		}
		return "0.000000e+00"
	}
	d := decimalOf(x, 6)
	b := make([]byte, 0, 16)
	if x < 0 {
		b = append(b, '-')
	}
	b = append(b, d.digits[0], '.')
	b = append(b, d.digits[1:]...)
	for i := len(d.digits); i < 7; i++ {
		b = append(b, '0')
	}
	return string(appendExp(b, 'e', d.exp+len(d.digits)-1, 2))
}

func appendExp(b []byte, e byte, exp, width int) []byte {
	b = append(b, e, '+')
	if exp < 0 {
		b[len(b)-1] = '-'
		exp = -exp
	}
	if width == 2 && exp < 10 {
		b = append(b, '0')
	}
	return strconv.AppendInt(b, int64(exp), 10)
}

// plain returns x with all the digits that its format can tell apart, in scientific form only where that
// saves many zeros.
func plain(x float64, f *num.Format) string {
	precision := 2 + (f.Man+1)*59/196
	d := decimalOf(x, precision)
	b := make([]byte, 0, 24)
	if x < 0 {
		b = append(b, '-')
	}
	n := len(d.digits)
	const padding = 3
	switch first := d.exp + n - 1; {
	case d.exp >= 0 && (d.exp > padding || n+d.exp > precision), d.exp < 0 && first < -padding:
		b = append(b, d.digits[0], '.')
		if n == 1 {
			b = append(b, '0')
		}
		b = append(b, d.digits[1:]...)
		return string(appendExp(b, 'E', first, 1))
	case d.exp >= 0:
		b = append(b, d.digits...)
		for range d.exp {
			b = append(b, '0')
		}
	case first >= 0:
		b = append(b, d.digits[:n+d.exp]...)
		b = append(b, '.')
		b = append(b, d.digits[n+d.exp:]...)
	default:
		b = append(b, "0."...)
		for range -first - 1 {
			b = append(b, '0')
		}
		b = append(b, d.digits...)
	}
	return string(b)
}
