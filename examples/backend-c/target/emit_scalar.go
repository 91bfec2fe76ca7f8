package target

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ctypes are the C types of elements. Signed types hold integers, which in MLIR have no sign; cc wraps
// them (-fwrapv).
var ctypes = map[string]string{
	"i1": "bool", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t", "index": "int64_t",
	"f16": "_Float16", "f32": "float", "f64": "double",
}

func ctype(elem string) (string, error) {
	if c, ok := ctypes[elem]; ok {
		return c, nil
	}
	if strings.HasPrefix(elem, pointer) {
		return "uint64_t", nil // an address
	}
	return "", fmt.Errorf("this back end has no C for the type %s", elem)
}

// scalarOps are C expressions of operations on numbers. $a, $b, $c are the operands; $sa is the first one
// as a signed number, $ua and $ub are unsigned; $T is the type of the result. Division is defined for
// every divisor, since lanes that a mask hides divide as well.
var scalarOps = map[string]string{
	"arith.addi": "$a + $b", "arith.subi": "$a - $b", "arith.muli": "$a * $b",
	"arith.andi": "$a & $b", "arith.ori": "$a | $b", "arith.xori": "$a ^ $b",
	"arith.shli": "$ua << $ub", "arith.shrui": "$ua >> $ub", "arith.shrsi": "$sa >> $ub",
	"arith.divsi": "$b == 0 ? 0 : $b == -1 ? -$a : $a / $b",
	"arith.remsi": "$b == 0 || $b == -1 ? 0 : $a % $b",
	"arith.divui": "$ub == 0 ? 0 : $ua / $ub",
	"arith.remui": "$ub == 0 ? 0 : $ua % $ub",
	"arith.minsi": "$sa < $sb ? $a : $b", "arith.maxsi": "$sa > $sb ? $a : $b",
	"arith.minui": "$ua < $ub ? $a : $b", "arith.maxui": "$ua > $ub ? $a : $b",

	"arith.addf": "$a + $b", "arith.subf": "$a - $b", "arith.mulf": "$a * $b", "arith.divf": "$a / $b",
	"arith.negf": "-$a",
	// The "num" forms return the other operand where one is not a number, the others return NaN.
	"arith.maxnumf":  "$a > $b || $b != $b ? $a : $b",
	"arith.minnumf":  "$a < $b || $b != $b ? $a : $b",
	"arith.maximumf": "$a > $b || $a != $a || ($a == $b && !signbit($a)) ? $a : $b",
	"arith.minimumf": "$a < $b || $a != $a || ($a == $b && signbit($a)) ? $a : $b",

	"arith.select": "$a ? $b : $c",
	"arith.extsi":  "$sa",
	"arith.extui":  "$ua",
	"arith.trunci": "$a",
	"arith.extf":   "$a",
	"arith.truncf": "($T)$a",
	"arith.sitofp": "($T)$sa",
	"arith.uitofp": "($T)$ua",
	"arith.fptosi": "($T)$a",
	"arith.fptoui": "($T)(uint64_t)$a",
	"math.absi":    "$a < 0 ? -$a : $a",
	"math.isnan":   "$a != $a",
	"math.ctpop":   "__builtin_popcountll($ua)",

	"arith.index_cast":   "$sa",
	"arith.index_castui": "$ua",
}

// mathOps are the functions of math.h; the float forms end in f.
var mathOps = map[string]string{
	"math.exp": "exp", "math.exp2": "exp2", "math.expm1": "expm1",
	"math.log": "log", "math.log2": "log2", "math.log10": "log10", "math.log1p": "log1p",
	"math.fma": "fma", "math.powf": "pow", "math.atan2": "atan2", "math.copysign": "copysign",
	"math.sqrt": "sqrt", "math.absf": "fabs", "math.erf": "erf",
	"math.sin": "sin", "math.cos": "cos", "math.tan": "tan", "math.tanh": "tanh",
	"math.floor": "floor", "math.ceil": "ceil", "math.trunc": "trunc", "math.roundeven": "nearbyint",
}

// onElements reports whether an operation on tensors is one on each of their elements.
func onElements(name string) bool {
	return scalarOps[name] != "" || mathOps[name] != "" ||
		slices.Contains([]string{"arith.cmpi", "arith.cmpf", "arith.bitcast"}, name)
}

// cmpi and cmpf are the predicates of comparisons, by their numbers.
var (
	cmpi = []string{"$a == $b", "$a != $b", "$sa < $sb", "$sa <= $sb", "$sa > $sb", "$sa >= $sb",
		"$ua < $ub", "$ua <= $ub", "$ua > $ub", "$ua >= $ub"}
	cmpf = []string{"false", "$a == $b", "$a > $b", "$a >= $b", "$a < $b", "$a <= $b", "$a < $b || $a > $b",
		"$a == $a && $b == $b", "!($a < $b || $a > $b)", "!($a <= $b)", "!($a < $b)", "!($a >= $b)",
		"!($a > $b)", "$a != $b", "$a != $a || $b != $b", "true"}
)

// compare writes a comparison.
func compare(predicates []string) func(*emitter, *Op) error {
	return func(e *emitter, op *Op) error {
		n, err := op.integer("predicate")
		if err != nil || n < 0 || int(n) >= len(predicates) {
			return fmt.Errorf("no such predicate: %s", op.Attrs["predicate"])
		}
		return e.scalar(op, predicates[n])
	}
}

// scalar writes an operation on numbers.
func (e *emitter) scalar(op *Op, template string) error {
	if len(op.Results) != 1 || op.Results[0].Type.Kind != Scalar {
		return fmt.Errorf("expected one number as the result: tensors are for linalg.generic")
	}
	elem := op.Results[0].Type.Elem
	t, err := ctype(elem)
	if err != nil {
		return err
	}
	pairs := []string{"$T", t}
	for i, v := range op.Operands[:min(3, len(op.Operands))] {
		c, letter := e.values[v].c, string("abc"[i])
		pairs = append(pairs, "$"+letter, c, "$s"+letter, signed(c, v.Type.Elem), "$u"+letter,
			unsigned(c, v.Type.Elem))
	}
	expr := strings.NewReplacer(pairs...).Replace(template)
	if elem == "i1" {
		expr = "(" + expr + ") & 1" // a bool of C holds every number but 0 as true
	}
	return e.declare(op.Results[0], expr)
}

// signed returns an integer as a signed number; i1 has the numbers 0 and -1.
func signed(c, elem string) string {
	if elem == "i1" {
		return "-(int8_t)" + c
	}
	return c
}

func unsigned(c, elem string) string {
	if t := ctypes[elem]; strings.HasPrefix(t, "int") {
		return "(u" + t + ")" + c
	}
	return c
}

// math writes a call of math.h, which has functions of float and double: a half is computed as a float.
func (e *emitter) math(op *Op, fn string) error {
	n := len(op.Operands)
	if n == 0 || n > 3 {
		return fmt.Errorf("expected one to three operands")
	}
	args := []string{"$a", "$b", "$c"}[:n]
	switch op.Operands[0].Type.Elem {
	case "f64":
		return e.scalar(op, fn+"("+strings.Join(args, ", ")+")")
	case "f32":
		return e.scalar(op, fn+"f("+strings.Join(args, ", ")+")")
	}
	return e.scalar(op, "($T)"+fn+"f((float)"+strings.Join(args, ", (float)")+")")
}

// bitcast keeps the bits of a number under another type.
func (e *emitter) bitcast(op *Op) error {
	from, err := ctype(op.Operands[0].Type.Elem)
	if err != nil {
		return err
	}
	bits := e.name("b")
	e.line("%s %s = %s;", from, bits, e.values[op.Operands[0]].c)
	if err := e.scalar(op, "0"); err != nil {
		return err
	}
	to := e.values[op.Results[0]].c
	e.line("memcpy(&%s, &%s, sizeof %s);", to, bits, to)
	return nil
}

// constant makes a literal the operand; a tensor of one number is a slot that is filled.
func (e *emitter) constant(op *Op) error {
	v := op.Results[0]
	text, _, _ := strings.Cut(op.Attrs["value"], " : ")
	if v.Type.Kind == Scalar {
		c, err := literal(text, v.Type.Elem)
		e.values[v] = &operand{typ: v.Type, c: c}
		return err
	}
	inner, ok := strings.CutPrefix(text, "dense<")
	if !ok || strings.HasPrefix(inner, "[") {
		return fmt.Errorf("constant %s: only tensors of one number are written", text)
	}
	c, err := literal(strings.TrimSuffix(inner, ">"), v.Type.Elem)
	if err != nil {
		return err
	}
	return e.filled(v, c)
}

// literal returns a number of MLIR's text as C. Floats may be their bits in hexadecimal.
func literal(text, elem string) (string, error) {
	if _, err := ctype(elem); err != nil {
		return "", err
	}
	switch {
	case text == "true" || text == "false":
		return text, nil
	case elem == "i64" || elem == "index":
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err != nil:
			return "", fmt.Errorf("constant %s: expected an integer", text)
		case n == math.MinInt64:
			return "INT64_MIN", nil
		case n < 0:
			return fmt.Sprintf("(%dLL)", n), nil
		case n > math.MaxInt32:
			return fmt.Sprintf("%dLL", n), nil
		}
		return text, nil
	case elem[0] == 'i':
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "", fmt.Errorf("constant %s: expected an integer", text)
		}
		return fmt.Sprintf("((%s)%d)", ctypes[elem], n), nil
	}
	f, err := float(text, elem)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("((%s)%s)", ctypes[elem], f), nil
}

// float returns a double of C: exact, since hexadecimal.
func float(text, elem string) (string, error) {
	f, err := strconv.ParseFloat(text, 64)
	if hex, ok := strings.CutPrefix(text, "0x"); ok {
		var bits uint64
		bits, err = strconv.ParseUint(hex, 16, 64)
		switch elem {
		case "f16":
			f = half(uint16(bits))
		case "f32":
			f = float64(math.Float32frombits(uint32(bits)))
		default:
			f = math.Float64frombits(bits)
		}
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("constant %s: expected a number", text)
	case math.IsNaN(f):
		return "NAN", nil
	case math.IsInf(f, 1):
		return "INFINITY", nil
	case math.IsInf(f, -1):
		return "-INFINITY", nil
	}
	return strconv.FormatFloat(f, 'x', -1, 64), nil
}

// half returns the number of 16 bits: a sign, 5 bits of exponent, 10 of fraction.
func half(b uint16) float64 {
	sign := math.Copysign(1, -float64(b>>15)+0.5)
	exp, frac := int(b>>10&31), float64(b&1023)
	switch exp {
	case 0:
		return sign * math.Ldexp(frac, -24)
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}
