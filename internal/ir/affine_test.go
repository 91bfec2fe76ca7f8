package ir_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
)

// affineMapOf reads a map from the attribute of an operation.
func affineMapOf(text string) (*ir.AffineMap, error) {
	src := "\"test.op\"() {m = affine_map<" + text + ">} : () -> ()\n"
	m, err := ir.Parse(diag.NewFileSet(), "map.mlir", []byte(src))
	if err != nil {
		return nil, err
	}
	var found *ir.AffineMap
	m.Walk(func(op *ir.Op) bool {
		if a, ok := op.Attr("m").(*ir.AffineMapAttr); ok {
			found = a.Map
		}
		return true
	})
	return found, nil
}

// randomAffine returns an expression as text, and what computes it. With symbolic set, no dimension occurs.
func randomAffine(r *rand.Rand, depth int, symbolic bool) (string, func(d, s []int64) int64) {
	n := int64(r.IntN(9))
	switch k := r.IntN(8); {
	case depth == 0 && k < 4 && !symbolic:
		return fmt.Sprint("d", n%2), func(d, _ []int64) int64 { return d[n%2] }
	case depth == 0 && k < 6:
		return "s0", func(_, s []int64) int64 { return s[0] }
	case depth == 0:
		return fmt.Sprint(n), func(_, _ []int64) int64 { return n }
	case k == 0:
		x, f := randomAffine(r, depth-1, symbolic)
		return "-(" + x + ")", func(d, s []int64) int64 { return -f(d, s) }
	}
	x, f := randomAffine(r, depth-1, symbolic)
	word := []string{"+", "-", "*", "mod", "floordiv", "ceildiv"}[r.IntN(6)]
	y, g := randomAffine(r, depth-1, symbolic || word == "*")
	if word != "+" && word != "-" && word != "*" {
		y, g = fmt.Sprint(n+1), func(_, _ []int64) int64 { return n + 1 }
	}
	return "(" + x + ") " + word + " (" + y + ")", func(d, s []int64) int64 {
		a, b := f(d, s), g(d, s)
		down := func(a int64) int64 { return (a - (a%b+b)%b) / b }
		switch word {
		case "+":
			return a + b
		case "-":
			return a - b
		case "*":
			return a * b
		case "mod":
			return (a%b + b) % b
		case "floordiv":
			return down(a)
		}
		return down(a + b - 1)
	}
}

// TestAffine reads random maps: they compute what their texts say, at all points of a small domain, and so
// do their texts once written.
func TestAffine(t *testing.T) {
	for seed := range 400 {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		text, value := randomAffine(r, 1+r.IntN(3), false)
		for range 2 {
			m, err := affineMapOf("(d0, d1)[s0] -> (d1, " + text + ")")
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			for i := range 125 {
				d, s := []int64{int64(i%5) - 2, int64(i/5%5) - 2}, []int64{int64(i/25) - 2}
				if got, want := m.Eval(d, s), []int64{d[1], value(d, s)}; !slices.Equal(got, want) {
					t.Fatalf("%s at %d, %d: %d, not %d", text, d, s, got, want)
				}
			}
			text = strings.TrimSuffix(strings.TrimPrefix(m.String(), "(d0, d1)[s0] -> (d1, "), ")")
		}
	}
}

// TestAffineErrors: maps that are none are refused.
func TestAffineErrors(t *testing.T) {
	for text, want := range map[string]string{
		"(d0) -> (d0 * d0)":      "at least one of the multiply operands has to be either a constant or symbolic",
		"(d0) -> (d0 mod d0)":    "right operand of mod has to be either a positive constant or symbolic",
		"(d0) -> (d0 mod 0)":     "right operand of mod has to be either a positive constant or symbolic",
		"(d0) -> (q)":            "use of undeclared identifier 'q'",
		"(d0, d0) -> (d0)":       "redefinition of identifier 'd0'",
		"(d0)[d0] -> (d0)":       "redefinition of identifier 'd0'",
		"(d0) -> (+)":            "an affine expression",
		"(d0) -> ((d0)":          "expected",
		"(d0) (d0)":              "expected",
		"(3) -> (d0)":            "expected",
		"(d0) -> (d0 + )":        "an affine expression",
		"(d0) -> (d0 floordiv )": "an affine expression",
		"(d0)[s0 -> (d0)":        "expected",
		"(d0) -> (-)":            "an affine expression",
	} {
		if _, err := affineMapOf(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %s", text, err, want)
		}
	}
}

// TestIdentityMaps: a map is the identity if each result is the dimension of its place.
func TestIdentityMaps(t *testing.T) {
	for text, want := range map[string]bool{"() -> ()": true, "(d0, d1) -> (d0, d1)": true,
		"(d0, d1) -> (d1, d0)": false, "(d0, d1) -> (d0)": false, "(d0)[s0] -> (d0)": false,
		"(d0) -> (d0 + 1)": false, "(d0) -> (0)": false} {
		m, err := affineMapOf(text)
		if err != nil {
			t.Fatal(err)
		}
		if m.IsIdentity() != want || want && ir.IdentityMap(m.NumDims).String() != text {
			t.Errorf("%s is the identity: %v", text, !want)
		}
	}
}
