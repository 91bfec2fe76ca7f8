package memfuzz

import (
	"fmt"
	"strings"
)

// forms holds the text of each kind of expression: $0, $1, $2 are the arguments, $k the constant, $name the
// name, $type the type, $shape the shape and $lane its lane numbers.
var forms = map[string]string{
	"var":   "$name",
	"const": "tl.full($shape, $k, $type)",
	"lane":  "$lane",

	"+": "($0 + $1)", "-": "($0 - $1)", "*": "($0 * $1)", "^": "($0 ^ $1)", "&": "($0 & $1)",
	"|": "($0 | $1)", "min": "tl.minimum($0, $1)", "max": "tl.maximum($0, $1)",
	"where": "tl.where($0, $1, $2)",

	// Factors are cut off, so that products are exact.
	"dot": "tl.dot(tl.clamp($0, -15.0, 15.0), tl.clamp($1, -15.0, 15.0)).to($type)",

	"cast":      "$0.to($type)",
	"small":     "($0 & 15).to($type)", // integers as floats stay small, so that sums are exact
	"splat":     "(tl.zeros($shape, $type) + $0)",
	"ofrows":    "tl.broadcast_to($0[:, None], $shape)",
	"ofcols":    "tl.broadcast_to($0[None, :], $shape)",
	"reshape":   "tl.reshape($0, $shape)",
	"cumsum":    "tl.cumsum($0, axis=$k)",
	"sum":       "tl.sum($0).to($type)",
	"top":       "tl.max($0).to($type)",
	"bottom":    "tl.min($0).to($type)",
	"xorall":    "tl.xor_sum($0).to($type)",
	"sumaxis":   "tl.sum($0, axis=$k).to($type)",
	"topaxis":   "tl.max($0, axis=$k).to($type)",
	"transwice": "tl.trans(tl.trans($0) + 1)",

	"div":       "($0 // (($1 & 7) + 1))",
	"mod":       "($0 % (($1 & 7) + 1))",
	"widediv":   "(($0 * 3000000019) // (($1 & 1023) * 1000003 + 1))",
	"shift":     "($0 >> 3)",
	"cosint":    "tl.where(tl.cos(tl.where(($0 & 1) == 0, 1e30, 1.0)) < 2.0, $0, 7)",
	"cosfloat":  "tl.where(tl.cos(tl.where($0 > 3.0, 1e30, 1.0)) < 2.0, $0, 7.0)",
	"sort":      "tl.sort($0)",
	"flip":      "tl.flip($0)",
	"cumback":   "tl.cumsum($0, axis=$k, reverse=True)",
	"cumprod":   "tl.cumprod($0, axis=$k)",
	"gather":    "tl.gather($0, $1 & ($k - 1), 0)",
	"histogram": "tl.histogram($0 & ($k - 1), $k)",

	"arg<":     "($name < $k)",
	"pid":      "(pid % 2 == $k)",
	"lane<":    "($lane < $k)",
	"lane<arg": "($lane < $name)",
	"lane%":    "(($lane % $k) != 0)",
	"lane&":    "(($lane & $k) == 0)",
	"row<":     "(r[:, None] < $k)",
	"col<":     "(c[None, :] < $k)",
	"row<arg":  "(r[:, None] < $name)",
	"col<arg":  "(c[None, :] < $name)",
	">":        "($0 > $k)",
	"and":      "($0 & $1)",
	"or":       "($0 | $1)",
}

// expr returns the text of an expression.
func (w *writer) expr(e *Expr) string {
	shape := [nShapes]string{
		"[]", fmt.Sprintf("[%d]", w.k.size(Vec)), fmt.Sprintf("[%d, %d]", w.k.Rows, w.k.Cols),
		fmt.Sprintf("[%d]", w.k.Rows), fmt.Sprintf("[%d]", w.k.Cols),
	}
	pairs := []string{"$name", e.Name, "$type", types[e.Type].python, "$shape", shape[e.Shape], "$lane",
		lanes[e.Shape], "$k", fmt.Sprint(e.K)}
	for i, a := range e.Args {
		pairs = append(pairs, fmt.Sprintf("$%d", i), w.expr(a))
	}
	return strings.NewReplacer(pairs...).Replace(forms[e.Op])
}
