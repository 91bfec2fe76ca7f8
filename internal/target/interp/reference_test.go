package interp

import (
	"bufio"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// exactRow is a call of a function and its exact result, rounded to float64. peer/functions.py has mpmath
// compute them, which shares nothing with Go's math.
type exactRow struct {
	args []uint64
	want uint64
}

// exactRows reads testdata/functions.txt.gz.
func exactRows(t *testing.T) map[string][]exactRow {
	t.Helper()
	rows := map[string][]exactRow{}
	for s := bufio.NewScanner(txtest.Unpacked(t, "testdata/functions.txt.gz")); s.Scan(); {
		words := strings.Fields(s.Text())
		var row exactRow
		for i, w := range words[1:] {
			v, err := strconv.ParseUint(w, 16, 64)
			if i == 0 && len(w) < 16 { // an integer
				var n int
				n, err = strconv.Atoi(w)
				v = uint64(uint32(n))
			}
			if err != nil {
				t.Fatal(err)
			}
			row.args = append(row.args, v)
		}
		row.args, row.want = row.args[:len(row.args)-1], row.args[len(row.args)-1]
		rows[words[0]] = append(rows[words[0]], row)
	}
	return rows
}

// ulpsApart returns how many float64 lie between two, counted over zero if their signs differ.
func ulpsApart(a, b float64) float64 {
	if a == b || a != a && b != b {
		return 0
	}
	if a != a || b != b {
		return math.Inf(1)
	}
	place := func(x float64) int64 { // numbers these in order
		n := int64(math.Float64bits(math.Abs(x)))
		if x < 0 {
			return -n
		}
		return n
	}
	return math.Abs(float64(place(a) - place(b)))
}

// exactWithin has the functions that are further from exact than 1 ulp: sines of large arguments, whose
// reduction by multiples of pi is Go's beyond 2**27, powers, and special functions.
var exactWithin = map[string]float64{
	"sin": 8, "cos": 8, "tan": 8, "pow": 2, "exp10": 2, "lgamma": 4, "tgamma": 64, "erfc": 2, "erfcx": 2,
	"normcdf": 2, "erfinv": 4, "erfcinv": 4, "normcdfinv": 4, "cyl_bessel_i0": 8, "cyl_bessel_i1": 8,
	"j0": 4, "j1": 4, "y0": 4, "y1": 4, "jn": 16, "yn": 16,
}

// swings has the functions that swing around zero: errors are in units of the swings' height, since next to
// their zeros no digits hold.
var swings = map[string]bool{"j0": true, "j1": true, "y0": true, "y1": true, "jn": true, "yn": true}

// error returns the distance of a result from the exact one, in units in the last place.
func (r exactRow) error(name string, got float64) float64 {
	want, x := math.Float64frombits(r.want), math.Float64frombits(r.args[len(r.args)-1])
	height := math.Sqrt(2 / math.Pi / math.Abs(x))
	if swings[name] && math.Abs(want) < height && height < 1 {
		return math.Abs(got-want) / (math.Nextafter(height, 2) - height)
	}
	return ulpsApart(got, want)
}

// TestExactFunctions holds the interpreter's functions of float64 to exact results.
func TestExactFunctions(t *testing.T) {
	rows := exactRows(t)
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		list := rows[name]
		cols := make([][]uint64, len(list[0].args))
		types := slices.Repeat([]string{"f64"}, len(cols))
		if name == "jn" || name == "yn" {
			types[0] = "i32"
		}
		for _, r := range list {
			for i, a := range r.args {
				cols[i] = append(cols[i], a)
			}
		}
		got := callExtern(t, "__nv_"+name, types, "f64", cols...)
		worst, at := 0.0, 0
		for i, r := range list {
			if u := r.error(name, math.Float64frombits(got[i])); u > worst {
				worst, at = u, i
			}
		}
		t.Logf("%-14s %4d calls, within %.1f ulp", name, len(list), worst)
		if worst > max(1, exactWithin[name]) {
			var args []string
			for _, a := range list[at].args {
				args = append(args, fmt.Sprint(math.Float64frombits(a)))
			}
			t.Errorf("%s(%s) is %v, exactly %v: %.1f ulp", name, strings.Join(args, ", "),
				math.Float64frombits(got[at]), math.Float64frombits(list[at].want), worst)
		}
	}
	if len(rows) < 44 {
		t.Errorf("results of %d functions", len(rows))
	}
}

// TestExactOperations holds the operations that tl.exp and its kin become to the same results.
func TestExactOperations(t *testing.T) {
	rows := exactRows(t)
	for _, name := range []string{"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos",
		"tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc",
		"cbrt", "rsqrt"} {
		var args []uint64
		for _, r := range rows[name] {
			args = append(args, r.args[0])
		}
		got := elementwise(t, "math."+name+" A : TR", vectors, []string{"f64"}, "f64", args)
		for i, r := range rows[name] {
			if u := r.error(name, math.Float64frombits(got[i])); u > max(1, exactWithin[name]) {
				t.Errorf("math.%s %v is %v, exactly %v: %.1f ulp", name, math.Float64frombits(args[i]),
					math.Float64frombits(got[i]), math.Float64frombits(r.want), u)
			}
		}
	}
}
