package dap

import (
	"fmt"
	"math"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/interp"
)

// shownElements is the number of elements that a summary begins with.
const shownElements = 4

// summary is a value in one line: a scalar, or the first elements of a tensor, its extremes, and how many NaN
// and infinities it has.
func summary(v interp.TraceValue) string {
	if v.Len() == 1 && len(v.Shape) == 0 {
		return v.At(0)
	}
	var parts []string
	for i := range min(v.Len(), shownElements) {
		parts = append(parts, v.At(i))
	}
	text := strings.Join(parts, ", ")
	if v.Len() > shownElements {
		text += ", …"
	}
	text = "[" + text + "]"
	if _, float := v.Number(0); !float {
		return text
	}
	lo, hi, nan, inf := math.Inf(1), math.Inf(-1), 0, 0
	for i := range v.Len() {
		x, _ := v.Number(i)
		switch {
		case math.IsNaN(x):
			nan++
		case math.IsInf(x, 0):
			inf++
		default:
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	if lo <= hi {
		text += fmt.Sprintf(" from %.6g to %.6g", lo, hi)
	}
	if nan > 0 {
		text += fmt.Sprintf(", %d NaN", nan)
	}
	if inf > 0 {
		text += fmt.Sprintf(", %d infinite", inf)
	}
	return text
}

// coordinates returns the place of element i in a tensor.
func coordinates(i int, shape []int64) string {
	at := make([]string, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = fmt.Sprint(i % int(shape[d]))
		i /= int(shape[d])
	}
	return "[" + strings.Join(at, ", ") + "]"
}
