package lower

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// powEdges are numbers of which each is raised to the power of each.
var powEdges = []float64{
	0, math.Copysign(0, -1), 1, -1, 2, -2, 0.5, -0.5, 3, -3, 2.5, -2.5, 1e-40, -1e-40, 16777217, 33554432,
	math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, -math.MaxFloat32, 1e-45,
}

// TestPow compares powers of floats with Go's: powers of edges in all pairs, and random ones, with exact
// approximations and with the worst that the PTX specification allows. NVIDIA's device library is right to 4
// units of the last place.
func TestPow(t *testing.T) {
	text := strings.NewReplacer("%v", "%v, %u", "(T)", "(T, T)").Replace(externText("powf"))
	_, ptx := compile(t, parseIR(t, "math.ttgir", []byte(mathKernel("f32", text))), "k", 90)
	r := rand.New(rand.NewPCG(1, 2))
	for _, off := range [][2]float64{{0, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
		code := worsened(ptx, off[0], off[1])
		worst := 0.0
		for run := range 8 {
			x, y := make([]float64, mathN), make([]float64, mathN)
			for k := range x {
				if at := run*mathN + k; at < len(powEdges)*len(powEdges) {
					x[k], y[k] = powEdges[at%len(powEdges)], powEdges[at/len(powEdges)]
					continue
				}
				x[k] = float64(float32(math.Exp2(20 * r.NormFloat64() / float64(1+run%4*10))))
				y[k] = float64(float32((300*r.Float64() - 150) / math.Log2(x[k])))
			}
			worst = max(worst, powError(t, code, x, y))
		}
		t.Logf("approximations %v: at most %.2f ulp", off, worst)
		if limit := 1.1 + 5*math.Abs(off[0]); worst > limit {
			t.Errorf("%.2f ulp", worst)
		}
	}
}

// powError runs the kernel and returns the largest error of its results. Wrong edges are errors of the test.
func powError(t *testing.T, ptx []byte, x, y []float64) (worst float64) {
	t.Helper()
	at := func(v []float64) *buf {
		return &buf{elem: ir.F32, n: mathN, fill: func(k int) float64 { return v[k] }}
	}
	l := launch{"k", [3]int{1, 1, 1}, []any{at(x), floats(ir.F32, mathN), at(y)}}
	_, mem := l.memory(1)
	onSim(t, ptx, 0, l, mem, false)
	for k := range x {
		a, b := float64(float32(x[k])), float64(float32(y[k]))
		got, want := decode(ir.F32, get(mem[1][4*k:], 4)), math.Pow(a, b)
		rounded := float64(float32(want))
		if got == rounded && math.Signbit(got) == math.Signbit(rounded) || got != got && want != want {
			continue
		}
		if got != got || want != want || math.IsInf(want, 0) || want == 0 ||
			math.Signbit(got) != math.Signbit(want) {
			t.Errorf("pow(%v, %v) = %v, want %v", a, b, got, want)
			continue
		}
		if math.IsInf(got, 0) { // as far as the next number there would be
			got = math.Copysign(0x1p128, got)
		}
		largest := min(max(want, -math.MaxFloat32), math.MaxFloat32)
		if e := math.Abs(got-want) / ulpOf(ir.F32, largest); e > worst {
			worst = e
			if e > 4 {
				t.Logf("pow(%v, %v) = %v, want %v", a, b, got, want)
			}
		}
	}
	return worst
}
