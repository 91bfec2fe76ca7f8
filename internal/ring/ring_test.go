package ring

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nereid-lang/nereid/internal/num"
)

var formats = []*num.Format{num.F64, num.F32, num.F16, num.BF16, num.F8E4M3FN, num.F8E5M2, num.F8E4M3FNUZ}

// TestStands checks that each residue has a float of each format, and its negative the float's negative.
func TestStands(t *testing.T) {
	for _, f := range formats {
		m := modulus(f)
		for r := range m {
			v := In(f, Elem(r))
			if f.Round(v) != v || uint32(Of(v))%m != r || In(f, Elem((m-r)%m)) != -v {
				t.Fatalf("%s: %v stands for %d", f.Name, v, r)
			}
			if a := math.Abs(v); a > largest || a != 0 && a < 0x1p-30 {
				t.Fatalf("%s: %v for %d is not moderate", f.Name, v, r)
			}
		}
		if f.Bits > 8 {
			for _, v := range []float64{0, 1, -1, 0.5, -2, 4, 0.25, 3, 100} {
				if Round(f, v) != v {
					t.Errorf("%s: %v became %v", f.Name, v, Round(f, v))
				}
			}
		}
	}
}

// element returns a random element of a format.
func element(r *rand.Rand, f *num.Format) float64 { return In(f, Elem(r.Uint32N(modulus(f)))) }

// TestLaws checks the laws that compilers use.
func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range formats {
		for range 2000 {
			a, b, c := element(r, f), element(r, f), element(r, f)
			laws := map[string][2]float64{
				"a+b = b+a":         {Add(f, a, b), Add(f, b, a)},
				"(a+b)+c = a+(b+c)": {Add(f, Add(f, a, b), c), Add(f, a, Add(f, b, c))},
				"(ab)c = a(bc)":     {Mul(f, Mul(f, a, b), c), Mul(f, a, Mul(f, b, c))},
				"a(b+c) = ab+ac":    {Mul(f, a, Add(f, b, c)), Add(f, Mul(f, a, b), Mul(f, a, c))},
				"fma(a,b,c) = ab+c": {Fma(f, a, b, c), Add(f, Mul(f, a, b), c)},
				"a+0 = a":           {Add(f, a, 0), a},
				"a·1 = a":           {Mul(f, a, 1), a},
				"a-b = a+(-b)":      {Sub(f, a, b), Add(f, a, -b)},
				"-(ab) = (-a)b":     {-Mul(f, a, b) + 0, Mul(f, -a, b) + 0},
				"2a = a+a":          {Mul(f, 2, a), Add(f, a, a)},
				"a/4 = a·¼":         {Div(f, a, 4), Mul(f, a, 0.25)},
				"a/b = a·(1/b)":     {Div(f, a, b), Mul(f, a, Call(f, "rcp", b))},
				"(4b)⁻¹ = b⁻¹/4":    {Call(f, "rcp", Mul(f, 4, b)), Mul(f, 0.25, Call(f, "rcp", b))},
				"dot = sums of fmas": {Dot(f, []float64{a, b}, []float64{b, c}, a),
					Fma(f, a, b, Fma(f, b, c, a))},
			}
			for law, v := range laws {
				if v[0] != v[1] {
					t.Fatalf("%s: %s: %v, %v for %v, %v, %v", f.Name, law, v[0], v[1], a, b, c)
				}
			}
		}
	}
}

// TestNewton checks that the steps of a division by a reciprocal end where they begin, also for elements
// that have no inverse.
func TestNewton(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	f := num.F32
	for i := range 5000 {
		a, b := element(r, f), element(r, f)
		if i%3 == 0 {
			b = Mul(f, b, 29)
		}
		x := Call(f, "rcp", b)
		x = Fma(f, Fma(f, -b, x, 1), x, x)
		q := Mul(f, a, x)
		if q = Fma(f, Fma(f, -b, q, a), x, q); q != Div(f, a, b) {
			t.Fatalf("%v/%v is %v, by steps %v", a, b, Div(f, a, b), q)
		}
	}
}

// TestConversions checks that rounding is a homomorphism, and undoes extension.
func TestConversions(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, to := range formats {
		for range 2000 {
			a, b := element(r, num.F32), element(r, num.F32)
			sum, product := Add(num.F32, a, b), Mul(num.F32, a, b)
			x, y := Round(to, a), Round(to, b)
			if Round(to, sum) != Add(to, x, y) || Round(to, product) != Mul(to, x, y) {
				t.Fatalf("%s: %v, %v", to.Name, a, b)
			}
			if c := element(r, to); Round(to, Add(num.F32, c, 0)) != c {
				t.Fatalf("%s: %v does not come back", to.Name, c)
			}
		}
	}
}

// TestExact checks that every float has the residue of its value, whatever its format.
func TestExact(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 5000 {
		a := math.Float32frombits(r.Uint32())
		e := r.IntN(200) - 100
		if !Finite(float64(a)) {
			continue
		}
		scaled := math.Ldexp(float64(a), e)
		if Of(scaled) != mul(Of(float64(a)), Of(math.Ldexp(1, e))) {
			t.Fatalf("%v·2^%d", a, e)
		}
		if Mul(num.F64, float64(a), 0x1p40) != float64(a)*0x1p40 {
			t.Fatalf("%v·2^40 is not exact", a)
		}
	}
}

// TestFunctions checks that functions are spread over the ring and differ.
func TestFunctions(t *testing.T) {
	seen := map[string]bool{}
	for i := range 1000 {
		x := In(num.F32, Elem(i+2))
		for _, name := range []string{"exp2", "log2", "sin", "cos", "sqrt", "tanh"} {
			seen[fmt.Sprint(Call(num.F32, name, x))] = true
		}
	}
	if len(seen) < 5900 {
		t.Errorf("6000 values of functions are %d", len(seen))
	}
	if Call(num.F32, "exp", math.Inf(-1)) != 0 || Call(num.F32, "exp2", 0) != 1 {
		t.Error("exp of -∞ or 0")
	}
	x := In(num.F16, 100)
	if Call(num.F32, "exp", x) != Call(num.F32, "exp2", Mul(num.F32, x, log2e)) {
		t.Error("exp is not 2^(x·log2 e)")
	}
	if Call(num.F16, "sin", x) != Round(num.F16, Call(num.F32, "sin", x)) {
		t.Error("functions of fp16 are not those of fp32, rounded")
	}
}
