package gomlx

import (
	"fmt"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// formulas are the texts of operations on elements, with $0 and $1 for the operands: of floats, of
// signed and of unsigned integers, of bools. "" means that there is none.
type formula struct{ float, signed, unsigned, bool string }

func all(s string) formula    { return formula{s, s, s, s} }
func floats(s string) formula { return formula{float: s} }
func ints(s string) formula   { return formula{signed: s, unsigned: s} }

var formulas = map[compute.OpType]formula{
	compute.OpTypeAbs:        {"tl.abs($0)", "tl.where($0 < 0, -$0, $0)", "$0", ""},
	compute.OpTypeBitCount:   ints("functions.bit_count($0)"),
	compute.OpTypeBitwiseNot: all("~$0"),
	compute.OpTypeCeil:       floats("tl.ceil($0)"),
	compute.OpTypeClz:        ints("functions.leading_zeros($0)"),
	compute.OpTypeCos:        floats("tl.cos($0)"),
	compute.OpTypeErf:        floats("tl.erf($0)"),
	compute.OpTypeExp:        floats("tl.exp($0)"),
	compute.OpTypeExpm1:      floats("libdevice.expm1($0)"),
	compute.OpTypeFloor:      floats("tl.floor($0)"),
	compute.OpTypeIsFinite:   floats(`tl.abs($0) < float("inf")`),
	compute.OpTypeIsNaN:      floats("$0 != $0"),
	compute.OpTypeLog:        floats("tl.log($0)"),
	compute.OpTypeLog1p:      floats("libdevice.log1p($0)"),
	compute.OpTypeLogicalNot: {bool: "~$0"},
	compute.OpTypeLogistic:   floats("functions.logistic($0)"),
	compute.OpTypeNeg:        {"-$0", "-$0", "-$0", ""},
	compute.OpTypeRound:      floats("libdevice.rint($0)"),
	compute.OpTypeRsqrt:      floats("functions.rsqrt($0)"),
	compute.OpTypeSign:       {"functions.sign($0)", "functions.sign($0)", "($0 != 0).to($T)", ""},
	compute.OpTypeSin:        floats("tl.sin($0)"),
	compute.OpTypeSqrt:       floats("libdevice.sqrt($0)"),
	compute.OpTypeTanh:       floats("libdevice.tanh($0)"),
	compute.OpTypeAdd:        {"$0 + $1", "$0 + $1", "$0 + $1", "$0 | $1"},
	compute.OpTypeSub:        {"$0 - $1", "$0 - $1", "$0 - $1", ""},
	compute.OpTypeMul:        {"$0 * $1", "$0 * $1", "$0 * $1", "$0 & $1"},
	compute.OpTypeDiv: {"$0 / $1", "functions.quotient($0, $1)",
		"functions.unsigned_quotient($0, $1)", ""},
	compute.OpTypeRem: {"$0 % $1", "functions.remainder($0, $1)",
		"functions.unsigned_remainder($0, $1)", ""},
	compute.OpTypePow: {"libdevice.pow($0, $1)", "functions.power($0, $1)",
		"functions.power($0, $1)", ""},
	compute.OpTypeAtan2: floats("libdevice.atan2($0, $1)"),
	compute.OpTypeMax: {"functions.maximum($0, $1)", "tl.maximum($0, $1)",
		"tl.maximum($0, $1)", "$0 | $1"},
	compute.OpTypeMin: {"functions.minimum($0, $1)", "tl.minimum($0, $1)",
		"tl.minimum($0, $1)", "$0 & $1"},
	compute.OpTypeBitwiseAnd:        {"", "$0 & $1", "$0 & $1", "$0 & $1"},
	compute.OpTypeBitwiseOr:         {"", "$0 | $1", "$0 | $1", "$0 | $1"},
	compute.OpTypeBitwiseXor:        {"", "$0 ^ $1", "$0 ^ $1", "$0 ^ $1"},
	compute.OpTypeLogicalAnd:        {bool: "$0 & $1"},
	compute.OpTypeLogicalOr:         {bool: "$0 | $1"},
	compute.OpTypeLogicalXor:        {bool: "$0 ^ $1"},
	compute.OpTypeShiftLeft:         ints("functions.shift_left($0, $1, $B)"),
	compute.OpTypeShiftRightLogical: ints("functions.shift_right($0.to($U), $1, $B).to($T)"),
	compute.OpTypeEqual:             all("$0 == $1"),
	compute.OpTypeNotEqual:          all("$0 != $1"),
	compute.OpTypeGreaterThan:       all("$0 > $1"),
	compute.OpTypeGreaterOrEqual:    all("$0 >= $1"),
	compute.OpTypeLessThan:          all("$0 < $1"),
	compute.OpTypeLessOrEqual:       all("$0 <= $1"),
	compute.OpTypeShiftRightArithmetic: {signed: "functions.shift_right_signed($0, $1, $B)",
		unsigned: "functions.shift_right_signed($0.to($S), $1, $B).to($T)"},
	compute.OpTypeEqualTotalOrder:          totalOrder("=="),
	compute.OpTypeNotEqualTotalOrder:       totalOrder("!="),
	compute.OpTypeGreaterThanTotalOrder:    totalOrder(">"),
	compute.OpTypeGreaterOrEqualTotalOrder: totalOrder(">="),
	compute.OpTypeLessThanTotalOrder:       totalOrder("<"),
	compute.OpTypeLessOrEqualTotalOrder:    totalOrder("<="),
}

// totalOrder is a comparison in which -NaN < -Inf < … < -0 < +0 < … < +Inf < +NaN.
func totalOrder(sign string) formula {
	plain := "$0 " + sign + " $1"
	return formula{"functions.order($0, $S) " + sign + " functions.order($1, $S)", plain, plain, plain}
}

// apply returns the text of an operation on elements.
func (k *kernelText) apply(n *node, args []value) value {
	of := make([]expr, len(args))
	for i, a := range args {
		of[i] = a.expr
	}
	dt := computed(n.shape.DType)
	switch n.op {
	case compute.OpTypeConvertDType:
		return k.converted(args[0], n.shape.DType)
	case compute.OpTypeBitcast:
		return k.bitcast(args[0], n.inputs[0].shape.DType, n.shape.DType)
	case compute.OpTypeWhere:
		return value{with(fmt.Sprintf("tl.where(%s, %s, %s)", args[0].s, args[1].s, args[2].s), of...), dt}
	case compute.OpTypeFusedGelu:
		name := "functions.gelu_tanh"
		if n.attr.(bool) {
			name = "functions.gelu"
		}
		return value{with(fmt.Sprintf("%s(%s)", name, args[0].s), of...), dt}
	}
	f, ok := formulas[n.op]
	if !ok {
		panic(fmt.Sprintf("%s is no operation on elements", n.op))
	}
	from := args[0].dt
	var s string
	switch {
	case isFloat(from):
		s = f.float
	case from == dtypes.Bool:
		s = f.bool
	case isSigned(from):
		s = f.signed
	default:
		s = f.unsigned
	}
	if s == "" {
		panic(fmt.Sprintf("%s has no formula for %s", n.op, from))
	}
	for i, a := range args {
		s = strings.ReplaceAll(s, fmt.Sprintf("$%d", i), a.s)
	}
	s = strings.NewReplacer("$T", languageNames[from], "$U", languageNames[unsigned(from)],
		"$S", languageNames[signedOf(from)], "$B", fmt.Sprint(from.Bits())).Replace(s)
	return value{with(s, of...), dt}
}

// converted returns a value as one of a type, rounded as that type does.
func (k *kernelText) converted(v value, to dtypes.DType) value {
	c := computed(to)
	s := v.s
	switch {
	case to == dtypes.Bool && v.dt != dtypes.Bool:
		s = "(" + s + " != 0)"
	case to.Bits() < 8: // the low bits
		name := languageNames[c]
		s = fmt.Sprintf("(%s.to(%s) & %d)", s, languageNames[dtypes.Uint8], 1<<to.Bits()-1)
		if isSigned(to) {
			half := 1 << (to.Bits() - 1)
			s = fmt.Sprintf("((%s ^ %d).to(tl.int8) - %d)", s, half, half)
		}
		s += ".to(" + name + ")"
	case c != to:
		if v.dt != dtypes.Float32 && v.dt != dtypes.Float64 {
			s += ".to(tl.float32)"
		}
		s += ".to(" + languageNames[to] + ").to(" + languageNames[c] + ")"
	case v.dt != c:
		s += ".to(" + languageNames[c] + ")"
	}
	return value{with(s, v.expr), c}
}

// bitcast returns the bits of a value as a type of the same size.
func (k *kernelText) bitcast(v value, from, to dtypes.DType) value {
	s := v.s
	if computed(from) != from {
		s += ".to(" + languageNames[from] + ")"
	}
	s += ".to(" + languageNames[to] + ", bitcast=True)"
	if computed(to) != to {
		s += ".to(" + languageNames[computed(to)] + ")"
	}
	return value{with(s, v.expr), computed(to)}
}

// storedText returns a value as memory holds it.
func storedText(v value, dt dtypes.DType) string {
	if v.dt != dt {
		return v.s + ".to(" + languageNames[dt] + ")"
	}
	return v.s
}
