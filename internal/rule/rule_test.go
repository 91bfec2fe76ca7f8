package rule

import (
	"strings"
	"testing"
)

func TestEval(t *testing.T) {
	values := map[string]float64{"n": 1000, "m": 7, "zero": 0}
	for _, c := range []struct {
		text string
		want float64
	}{
		{"n", 1000}, {"B", 64}, {"-n + +m", -993}, {"cdiv(n, B)", 16}, {"n // B * B", 960}, {"n % B", 40},
		{"-m // 2", -4}, {"-m % 4", 1}, {"n / 8", 125}, {"n / zero + n // zero + n % zero", 1000},
		{"n <= 1024 and m == 7", 1}, {"n > 1024 or not m", 0}, {"0 < m < n", 1}, {"0 < n < m", 0},
		{"B if n > 100 else m", 64}, {"B if n > 1000 else m", 7}, {"min(n, m, B)", 7}, {"max(n, m)", 1000},
		{"next_power_of_2(n)", 1024}, {"next_power_of_2(0)", 1}, {"64 ** -0.5", 0.125}, {"sqrt(B)", 8},
		{"True", 1}, {"2 ** 40 + 1", 1<<40 + 1}, {"m != 7", 0}, {"m >= 7", 1}, {"m - 1", 6},
	} {
		r, err := Compile(c.text, map[string]float64{"B": 64}, []string{"n", "m", "zero"})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := r.Eval(values); got != c.want {
			t.Errorf("%s = %v, want %v", c.text, got, c.want)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	long := strings.Repeat("(n + ", 40) + "n" + strings.Repeat(")", 40)
	for text, want := range map[string]string{
		"n +":       "is no expression",
		"n_colls":   "did you mean n_cols?",
		"xyz":       "there are B, n, n_cols",
		"n @ n":     "the operator @",
		"~n":        "the operator ~",
		"n in n":    "the operator in",
		"'a'":       "is no number",
		"f(n)":      "there is no function f: there are cdiv",
		"cdiv(n)":   "cdiv takes 2 arguments, not 1",
		"n.x":       "a rule has numbers",
		"min(a=1)":  "without keywords",
		"[n][0]":    "a rule has numbers",
		long:        "too long",
		"lambda: n": "a rule has numbers",
	} {
		_, err := Compile(text, map[string]float64{"B": 64}, []string{"n", "n_cols"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
