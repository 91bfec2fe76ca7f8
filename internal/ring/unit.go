package ring

import (
	"math"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/num"
)

// Units stand in certified code for functions of floats in single precision, and for conversions to a format
// of that name, whose result is the format's bits.

// units are the names, by their numbers in literals.
var units = slices.Concat(formatNames(), strings.Fields(`floor ceil trunc rint round sqrt rsqrt cbrt
	rcbrt exp exp2 exp10 expm1 log log2 log10 log1p logb sin cos tan sin16 cos16 tan16 sinpi cospi asin
	acos atan sinh cosh tanh asinh acosh atanh j0 j1 y0 y1 jn yn cyl_bessel_i0 cyl_bessel_i1 erf erfc
	erfinv erfcinv erfcx normcdf normcdfinv lgamma tgamma atan2 hypot rhypot fmod remainder pow fdim
	norm3d rnorm3d norm4d rnorm4d saturate sigmoid`))

func formatNames() []string {
	var out []string
	for _, f := range num.MLIR {
		out = append(out, f.Name)
	}
	return out
}

// literals begin here: the literal of a unit has its number in the last byte.
const firstLiteral = 0x4e52a700

// Literal returns the number that stands for a unit in an instruction, 0 for a name that is none.
func Literal(name string) uint32 {
	i := slices.Index(units, name)
	if i < 0 {
		return 0
	}
	return uint32(firstLiteral + i)
}

// UnitOf returns the unit of a literal.
func UnitOf(literal uint32) (name string, ok bool) {
	if i := int(literal) - firstLiteral; i >= 0 && i < len(units) {
		return units[i], true
	}
	return "", false
}

// Unit returns the bits of a unit's result from the bits of its arguments.
func Unit(name string, args ...uint64) uint64 {
	x := make([]float64, len(args))
	for i, a := range args {
		x[i] = float64(math.Float32frombits(uint32(a)))
	}
	for _, f := range num.MLIR {
		if f.Name == name {
			return f.Encode(Round(f, x[0]))
		}
	}
	return uint64(math.Float32bits(float32(Call(num.F32, name, x...))))
}
