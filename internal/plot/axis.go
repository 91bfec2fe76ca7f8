package plot

import (
	"fmt"
	"math"
	"strconv"
)

// tick is a number at an axis.
type tick struct {
	at   float64
	name string
}

// axis maps numbers to a length.
type axis struct {
	lo, hi float64
	log    bool // logarithmic scale, with ticks at powers of two
}

// place returns where a number lies, from 0 to 1.
func (a axis) place(v float64) float64 {
	lo, hi := a.lo, a.hi
	if a.log {
		v, lo, hi = math.Log2(v), math.Log2(lo), math.Log2(hi)
	}
	if hi == lo {
		return 0.5
	}
	return (v - lo) / (hi - lo)
}

// ticks returns up to about n numbers of the axis.
func (a axis) ticks(n int) (out []tick) {
	if a.log {
		return a.powers(n)
	}
	step := niceStep((a.hi - a.lo) / float64(n))
	for i := math.Ceil(a.lo/step - 1e-9); i*step <= a.hi*(1+1e-9); i++ {
		out = append(out, tick{i * step, number(i * step)})
	}
	return out
}

// powers returns powers of two: sizes of tensors are such.
func (a axis) powers(n int) (out []tick) {
	from, to := int(math.Ceil(math.Log2(a.lo)-1e-9)), int(math.Floor(math.Log2(a.hi)+1e-9))
	step := max(1, (to-from+n-1)/n)
	for e := from; e <= to; e += step {
		out = append(out, tick{math.Exp2(float64(e)), fmt.Sprintf("2^%d", e)})
	}
	return out
}

// niceStep returns 1, 2 or 5 times a power of ten, not less than a step.
func niceStep(step float64) float64 {
	if step <= 0 || math.IsInf(step, 0) || math.IsNaN(step) {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(step)))
	for _, m := range []float64{1, 2, 5} {
		if m*unit >= step*(1-1e-9) {
			return m * unit
		}
	}
	return 10 * unit
}

func number(v float64) string {
	if v == 0 {
		return "0"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
