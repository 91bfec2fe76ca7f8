package codegen

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/ir"
)

// val is a value of LLVM IR: a scalar, which stands for all lanes, or a vector. An index with a constant for
// each lane is kept in idx until an operation computes with it.
type val struct {
	s   string
	t   ir.Type // element type in the middle layer
	n   int     // lanes; 1 for a scalar
	idx *index
}

// elemType returns the LLVM type of an element in a register. Small floats are integers, because LLVM's own
// arithmetic on them differs.
func elemType(t ir.Type) string {
	switch t := t.(type) {
	case *ir.IntegerType:
		return "i" + strconv.Itoa(t.Width)
	case *ir.FloatType:
		switch t {
		case ir.F64:
			return "double"
		case ir.F32, ir.TF32:
			return "float"
		case ir.F16:
			return "half"
		}
		return "i" + strconv.Itoa(t.Format.Bits)
	case *ir.MemRefType:
		return "ptr"
	}
	return "i64"
}

// memType returns the LLVM type of an element in memory: booleans take a byte.
func memType(t ir.Type) string {
	if t == ir.Type(ir.I1) {
		return "i8"
	}
	return elemType(t)
}

// elemSize returns the bytes of an element in memory.
func elemSize(t ir.Type) int64 {
	if t == ir.Index {
		return 8
	}
	if _, ok := t.(*ir.MemRefType); ok {
		return 8
	}
	return int64(max(1, (ir.BitWidth(t)+7)/8))
}

func vector(elem string, n int) string {
	if n == 1 {
		return elem
	}
	return "<" + strconv.Itoa(n) + " x " + elem + ">"
}

// typ returns the LLVM type of a value.
func (v val) typ() string { return vector(elemType(v.t), v.n) }

// suffix returns the name of a type in intrinsics: v16f32.
func suffix(elem string, n int) string {
	short := map[string]string{"float": "f32", "double": "f64", "half": "f16", "ptr": "p0"}[elem]
	if short == "" {
		short = elem
	}
	if n == 1 {
		return short
	}
	return "v" + strconv.Itoa(n) + short
}

// isSmallFloat reports whether arithmetic on t is done in f32 and rounded.
func isSmallFloat(t ir.Type) bool {
	return ir.IsFloat(t) && ir.BitWidth(t) < 32 && t != ir.Type(ir.TF32)
}

// constant returns a scalar constant in LLVM's syntax.
func constant(a ir.Attr) (val, bool) {
	switch a := a.(type) {
	case *ir.IntegerAttr:
		if a.Type == ir.Type(ir.I1) {
			return val{s: strconv.FormatBool(a.Value != 0), t: a.Type, n: 1}, true
		}
		return val{s: strconv.FormatInt(a.Value, 10), t: a.Type, n: 1}, true
	case *ir.FloatAttr:
		return val{s: floatBits(a.Bits, a.Type), t: a.Type, n: 1}, true
	}
	return val{}, false
}

// floatBits returns a float constant in LLVM's syntax.
func floatBits(bits uint64, t *ir.FloatType) string {
	switch elemType(t) {
	case "double":
		return fmt.Sprintf("0x%016X", bits)
	case "float":
		f := math.Float32frombits(uint32(bits))
		wide := math.Float64bits(float64(f))
		if f != f { // a conversion may change NaNs
			wide = 0x7ff8000000000000 | uint64(bits>>31&1)<<63
		}
		return fmt.Sprintf("0x%016X", wide)
	case "half":
		return fmt.Sprintf("0xH%04X", bits)
	}
	return strconv.FormatUint(bits, 10)
}

func f32Const(x float64) val {
	return val{s: floatBits(uint64(math.Float32bits(float32(x))), ir.F32), t: ir.F32, n: 1}
}

func intConst(x int64, t ir.Type) val { return val{s: strconv.FormatInt(x, 10), t: t, n: 1} }

// constVector returns a vector of constants.
func constVector(elem string, list []int64) string {
	var b strings.Builder
	b.WriteByte('<')
	for i, x := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(elem)
		b.WriteByte(' ')
		b.WriteString(strconv.FormatInt(x, 10))
	}
	b.WriteByte('>')
	return b.String()
}

// isConst reports whether an operand is a constant, not a name.
func isConst(s string) bool { return s != "" && s[0] != '%' && s[0] != '@' }
