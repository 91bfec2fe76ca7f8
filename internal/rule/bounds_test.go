package rule

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

func compiled(t *testing.T, text string, names ...string) Rule {
	t.Helper()
	r, err := Compile(text, nil, names)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r
}

// TestBounds: a rule has 1000 steps and keeps 32 values at most, and both bounds are reached.
func TestBounds(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("(n + ", n-1) + "n" + strings.Repeat(")", n-1) }
	sum := strings.TrimSuffix(strings.Repeat("n + ", 500), " + ") // 999 steps
	for _, c := range []struct {
		text         string
		steps, depth int // 0 if it is too long
	}{
		{"n", 1, 1}, {"-n", 2, 1}, {"n + n", 3, 2}, {"n if n else n", 4, 3}, {"not n and n", 4, 2},
		{"(n if n else n) + (n + n)", 8, 3},
		{nested(Depth), 2*Depth - 1, Depth}, {nested(Depth + 1), 0, 0},
		{sum, maxSteps - 1, 2}, {"-n + " + strings.TrimPrefix(sum, "n + "), maxSteps, 2},
		{sum + " + n", 0, 0},
	} {
		r, err := Compile(c.text, nil, []string{"n"})
		if c.steps == 0 {
			if err == nil || !strings.HasSuffix(err.Error(), "is too long") {
				t.Errorf("%.30s with %d steps, depth %d: %v", c.text, len(r), r.depth(), err)
			}
			continue
		}
		if err != nil || len(r) != c.steps || r.depth() != c.depth {
			t.Errorf("%.30s: %d steps, depth %d, %v; want %d and %d", c.text, len(r), r.depth(), err, c.steps,
				c.depth)
		}
	}
}

// TestUnknownName: the message lists the known names in order, constants among them.
func TestUnknownName(t *testing.T) {
	constants := map[string]float64{"Q": 1, "W": 2, "E": 3, "R": 4, "T": 5}
	_, err := Compile("missing_name", constants, []string{"zz", "a"})
	want := "there is no missing_name: there are E, Q, R, T, W, a, zz"
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Error(err)
	}
	if _, err := Compile("1 +", nil, nil); err == nil || strings.Contains(err.Error(), "rule:1") {
		t.Errorf("the parser's error has a place: %v", err)
	}
}

// TestNames: each name that is loaded once, in the order of the first loads; constants are none.
func TestNames(t *testing.T) {
	r, err := Compile("b + a * b if c > K else a", map[string]float64{"K": 3}, []string{"a", "b", "c", "d"})
	if got := strings.Join(r.Names(), " "); err != nil || got != "c b a" {
		t.Errorf("%s, %v", got, err)
	}
	if r := (Rule)(nil); r.Names() != nil || r.Eval(nil) != 0 {
		t.Error("a rule without steps has a value")
	}
}

// TestText: a rule as text is the same rule, and texts that are none are refused.
func TestText(t *testing.T) {
	values := map[string]float64{"n": 10, "m": 3}
	for text, want := range map[string]string{
		"n": "$n", "n // m * 2": "$n $m FLOORDIV 2 MUL", "-n if n > 0.5 else m": "$n 0.5 GT $n NEG $m SELECT",
		"next_power_of_2(n)": "$n POW2",
	} {
		r := compiled(t, text, "n", "m")
		got, err := r.MarshalText()
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", text, got, err)
		}
		var again Rule
		if err := again.UnmarshalText(got); err != nil || !slices.Equal(again, r) ||
			again.Eval(values) != r.Eval(values) {
			t.Errorf("%s: %v, %v", got, again, err)
		}
	}
	deep := strings.Repeat("$n ", Depth+1) + strings.Repeat("ADD ", Depth)
	for _, text := range []string{"ADD", "$n ADD", "1 2", "$n NOTHING", "$a $b SELECT", "NOT", "END", deep} {
		var r Rule
		if err := r.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%.20s is read as %v", text, r)
		}
	}
	var r Rule
	deepest := strings.Repeat("$n ", Depth) + strings.Repeat("ADD ", Depth-1)
	if err := r.UnmarshalText([]byte(deepest)); err != nil {
		t.Error(err)
	}
}

// TestLaunch compiles what a table says of launches: conditions are joined, each as a whole.
func TestLaunch(t *testing.T) {
	l, key, err := CompileLaunch(LaunchText{When: []string{"n > 1 or m > 1", "m < B"},
		Grid: []string{"cdiv(n, B)", "rows", "m"}, Sizes: []string{"rows"}, Measure: true,
		Writes: []string{" y : n * m "}}, map[string]float64{"B": 4}, []string{"y", "n", "m"})
	if err != nil || key != "" {
		t.Fatal(key, err)
	}
	for _, c := range []struct{ n, m, want float64 }{{2, 1, 1}, {2, 5, 0}, {1, 1, 0}, {1, 2, 1}, {1, 4, 0}} {
		if got := l.When.Eval(map[string]float64{"n": c.n, "m": c.m}); got != c.want {
			t.Errorf("n = %v, m = %v: %v", c.n, c.m, got)
		}
	}
	values := map[string]float64{"n": 9, "m": 2, "rows": 7}
	grid := ""
	for _, g := range l.Grid {
		grid += fmt.Sprint(g.Eval(values), " ")
	}
	if grid != "3 7 2 " || !l.Measure || len(l.Writes) != 1 || l.Writes[0].Arg != "y" ||
		l.Writes[0].Elements.Eval(values) != 18 {
		t.Errorf("%s%+v", grid, l)
	}
	none, _, err := CompileLaunch(LaunchText{}, nil, []string{"n"})
	if err != nil || none.When != nil || none.Grid != nil || none.Writes != nil || none.Measure {
		t.Errorf("%+v, %v", none, err)
	}
}

// TestLaunchErrors: each error names the key that is wrong.
func TestLaunchErrors(t *testing.T) {
	for want, text := range map[string]LaunchText{
		"sizes: n is there twice":              {Sizes: []string{"n"}},
		"sizes: rows is there twice":           {Sizes: []string{"rows", "rows"}},
		"when: ":                               {When: []string{"n >"}},
		"grid: a grid has three sizes at most": {Grid: []string{"1", "1", "1", "1"}},
		"grid: ":                               {Grid: []string{"1", "z"}},
		"writes: \"y\": expected an argument":  {Writes: []string{"y"}},
		"writes: \"q: n\": expected an arg":    {Writes: []string{"q: n"}},
		"writes: ":                             {Writes: []string{"n: z"}},
	} {
		_, key, err := CompileLaunch(text, nil, []string{"y", "n"})
		if got := fmt.Sprintf("%s: %v", key, err); err == nil || !strings.HasPrefix(got, want) {
			t.Errorf("%+v: %s, want %s", text, got, want)
		}
	}
}

// TestOps: the numbers of the steps have names, each its own: C programs are written with them.
func TestOps(t *testing.T) {
	names := Ops()
	seen := map[string]bool{}
	for _, n := range names {
		seen[n] = true
	}
	if len(seen) != int(ops) || seen[""] || names[Push] != "PUSH" || names[Or] != "OR" {
		t.Errorf("%v", slices.Sorted(maps.Keys(seen)))
	}
}
