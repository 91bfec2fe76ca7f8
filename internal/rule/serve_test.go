package rule

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestServes(t *testing.T) {
	text := OperatorText{Name: "Norm", Group: "g", Inputs: []string{"x: fp32[*rows, n]", "w: fp32[n]"},
		Outputs: []string{"y: fp32[*rows, n]"}, Attributes: []string{"eps: float", "k: int = 1"}}
	for pattern, want := range map[string]string{
		"Norm(x, w, epsilon=eps)":               "",
		"Mul(w, Add(Pow(x, 2), eps))":           "",
		`Norm(x, w, epsilon=eps, axes=[-1, 2])`: "",
		`Norm(x, w, epsilon=eps, how="so")`:     "",
		"Norm(x, epsilon=eps)":                  "the input w is not in it",
		"Norm(x, w)":                            "the attribute eps is not in it and has no default",
		"Norm(x, w, z, epsilon=eps)":            "z is no input and no attribute",
		"Norm(x, w, epsilon=x)":                 "x is no attribute of the operator",
		"x":                                     "a pattern begins with an operator of ONNX",
		"Norm(x + w, epsilon=eps)":              "a pattern has calls of ONNX's operators",
		"Norm(x, w, Zero(), epsilon=eps)":       "Zero has no inputs",
		"Norm(x, w, epsilon=eps":                "is no pattern",
	} {
		text.Serves = []string{pattern}
		o, key, err := CompileOperator(text)
		switch {
		case want == "" && (err != nil || len(o.Serves) != 1):
			t.Errorf("%s: %v", pattern, err)
		case want != "" && (err == nil || key != "serves" || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %s: %v, want %s", pattern, key, err, want)
		}
	}
}

// TestDomains: operators that ONNX Runtime would never run are refused.
func TestDomains(t *testing.T) {
	for domain, ok := range map[string]bool{"": false, "ai.onnx": false, "ai.onnx.ml": false,
		"com.microsoft": false, "nereid": true, "com.example": true} {
		_, key, err := CompileOperator(OperatorText{Name: "F", Domain: &domain, Group: "g",
			Inputs: []string{"x: fp32[n]"}, Outputs: []string{"y: fp32[n]"}})
		if (err == nil) != ok || !ok && key != "domain" {
			t.Errorf("%q: %s %v", domain, key, err)
		}
	}
}

func TestRuleText(t *testing.T) {
	r, err := Compile("n <= 256 and cdiv(m, 2) * 0.5 != (1 if n else -m)", nil, []string{"n", "m"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(Kernels{When: []Rule{r, nil}})
	if err != nil {
		t.Fatal(err)
	}
	var k Kernels
	if err := json.Unmarshal(text, &k); err != nil || !reflect.DeepEqual(k.When, []Rule{r, nil}) {
		t.Errorf("%s: %v %v", text, k.When, err)
	}
	for _, bad := range []string{"ADD", "1 2", "1 2 3 ADD", "PUSH", "n"} {
		if err := new(Rule).UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestFits(t *testing.T) {
	o, _, err := CompileOperator(OperatorText{Name: "F", Group: "g", Inputs: []string{"x: fp32[*rows, n]"},
		Outputs: []string{"y: fp32[*rows, n]"}, Arguments: map[string]string{"cols": "n * 2"}})
	if err != nil {
		t.Fatal(err)
	}
	when, err := Compile("cols <= 8", nil, []string{"cols"})
	if err != nil {
		t.Fatal(err)
	}
	k := &Kernels{Args: []string{"cols"}, When: []Rule{when}}
	for _, test := range []struct {
		n           float64
		fits, known bool
	}{{4, true, true}, {5, false, true}, {nan, true, false}} {
		fits, known := k.Fits(o, map[string]float64{"n": test.n})
		if fits != test.fits || known != test.known {
			t.Errorf("%g: %v %v", test.n, fits, known)
		}
	}
}
