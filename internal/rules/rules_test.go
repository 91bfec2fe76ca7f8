package rules

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// TestTable: every row is complete: a name of its own, a unit, what it decides, why, and the test that names
// it.
func TestTable(t *testing.T) {
	name := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	seen := map[string]bool{}
	for _, r := range All() {
		if !name.MatchString(r.Name) || seen[r.Name] {
			t.Errorf("%q is no name of its own", r.Name)
		}
		seen[r.Name] = true
		for what, text := range map[string]string{"area": r.Area, "unit": r.Unit, "decides": r.Decides,
			"reason": r.Reason, "test": r.Test} {
			if len(text) < 5 {
				t.Errorf("%s: %s is %q", r.Name, what, text)
			}
		}
		if n := strings.Count(r.Reason, ". ") + 1; n > 2 || !strings.HasSuffix(r.Reason, ".") {
			t.Errorf("%s: the reason is one or two sentences: %q", r.Name, r.Reason)
		}
		if (r.Off == NoOff) != (r.Kind == Number) && r != GatherExchanges {
			t.Errorf("%s: a rule can be switched off unless it is a number of an estimate", r.Name)
		}
		if r.Off == r.Value || r.Value < 1 {
			t.Errorf("%s: value %d, off %d", r.Name, r.Value, r.Off)
		}
	}
	if len(seen) < 70 {
		t.Errorf("%d rules", len(seen))
	}
}

// TestParse: overrides are read as users write them, and what makes no sense is refused.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"": "", " , ": "", "early-words=64": "early-words=64",
		"spare-few=2, early-words=off": "early-words=-1,spare-few=2",
		"early-words":                  "error: expected name=value",
		"early-wards=1":                "error: unknown rule",
		"early-words=many":             "error: expected off or a number",
		"early-words=-2":               "error: expected off or a number",
		"load-instructions=off":        "error: cannot be switched off",
		"spare-few=0":                  "error: expected at least 1",
	} {
		s, err := Parse(text)
		if what, isError := strings.CutPrefix(want, "error: "); isError {
			if err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("%q: error %v, want one with %q", text, err, what)
			}
			continue
		}
		if err != nil || s.Text() != want {
			t.Errorf("%q: %q, %v, want %q", text, s.Text(), err, want)
		}
		if again := Of(s.Text()); again.Text() != want {
			t.Errorf("%q: the attribute says %q", text, again.Text())
		}
	}
}

// TestKinds: each kind compares as it says.
func TestKinds(t *testing.T) {
	for _, c := range []struct {
		kind   Kind
		n, all int64
		want   bool
	}{
		{AtMost, 8, 0, true}, {AtMost, 9, 0, false}, {AtLeast, 8, 0, true}, {AtLeast, 7, 0, false},
		{Below, 7, 0, true}, {Below, 8, 0, false}, {Above, 9, 0, true}, {Above, 8, 0, false},
		{Share, 2, 16, true}, {Share, 3, 16, false}, {Share, -1, 0, true},
	} {
		r := &Rule{Name: "x", Kind: c.kind, Value: 8}
		if got := r.holds(Decision{N: c.n, All: c.all, Value: 8}); got != c.want {
			t.Errorf("%v %d of %d: %v", c.kind, c.n, c.all, got)
		}
	}
	if got := Capped(nil, DeepestStages, 20); got != 8 {
		t.Errorf("capped at %d", got)
	}
}

// TestTrace: a trace has each decision once, with its features, and ends when it is closed. Compilations at
// the same time do not see each other's values.
func TestTrace(t *testing.T) {
	over, err := Parse("early-words=50")
	if err != nil {
		t.Fatal(err)
	}
	set, trace := NewTrace(over)
	text := set.Text()
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if Holds(Of(text), EarlyWords, 60, F("warps", 8)) || !Holds(nil, EarlyWords, 60) {
				t.Error("a compilation has the values of another")
			}
		})
	}
	wait.Wait()
	Holds(Of(text), SpareFew, 1)
	list := trace.Decisions()
	if len(list) != 2 || list[0].Rule != "early-words" || list[0].Features["warps"] != 8 ||
		list[0].Value != 50 || list[0].Holds {
		t.Errorf("%+v", list)
	}
	trace.Close()
	if Holds(Of(text), SpareLoop, 1); len(trace.Decisions()) != 2 {
		t.Error("a closed trace goes on")
	}
}

// TestDocs: docs/RULES.md is what the table and the data say. -update writes it.
func TestDocs(t *testing.T) {
	var data *Data
	if f, err := os.Open(txtest.Path(t, "testdata", "rules", "h200.json")); err == nil {
		defer f.Close()
		if data, err = Read(f); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	WriteDocs(&b, data)
	txtest.Golden(t, txtest.Path(t, "docs", "RULES.md"), b.String())
}

// TestTests: the test that a row names is there, and looks at the rows that name it.
func TestTests(t *testing.T) {
	folders := map[string][]string{"gpu": {"internal/gpu"}, "lower": {"internal/lower"},
		"nvidia": {"internal/target/nvidia", "internal/device/nvidia"}}
	var all strings.Builder
	for _, list := range folders {
		for _, folder := range list {
			paths, err := filepath.Glob(filepath.Join(txtest.Path(t, folder), "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range paths {
				all.WriteString(txtest.Read(t, path))
			}
		}
	}
	for _, r := range All() {
		pkg, name, _ := strings.Cut(r.Test, ".")
		if folders[pkg] == nil || !strings.Contains(all.String(), "func "+name+"(t *testing.T)") ||
			!strings.Contains(all.String(), `r.Test != "`+r.Test+`"`) {
			t.Errorf("%s: there is no test %s", r.Name, r.Test)
		}
	}
}
