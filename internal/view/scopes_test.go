package view

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/profile"
)

// TestScopes: of a recording, the last launch on the GPU is shown, with the scopes that began in it.
func TestScopes(t *testing.T) {
	var b strings.Builder
	event := func(category, name, device string, start, took float64, args string) {
		fmt.Fprintf(&b, `{"ph":"X","pid":1,"tid":1,"cat":%q,"name":%q,"ts":%g,"dur":%g,"args":{"kernel":"k",`+
			`"device":%q%s}}`+"\n", category, name, start, took, device, args)
	}
	mark := func(name string, start, took float64, sm, block, warp, cycles int) {
		event("scope", name, "cuda:0", start, took,
			fmt.Sprintf(`,"sm":%d,"block":%d,"warp":%d,"cycles":%d`, sm, block, warp, cycles))
	}
	event("kernel", "k", "cuda:0", 100, 10, "")
	mark("loop", 102, 4, 0, 0, 0, 8000)
	event("kernel", "k", "cuda:0", 500, 12, "")
	mark("loop", 503, 6, 3, 1, 0, 12000)
	mark("all", 499, 12, 3, 1, 0, 24000) // by another clock than that of the launch
	mark("loop", 504, 5, 1, 0, 2, 10000)
	event("kernel", "k", "interp", 900, 50, "")
	event("scope", "loop", "interp", 910, 1, `,"block":0,"steps":77`)
	event("kernel", "other", "cuda:0", 1000, 50, "")
	trace, err := profile.Read(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	s := NewScopes(trace, "k")
	if s == nil || s.Device != "cuda:0" || s.Launches != 2 || s.Took != 12 || s.Unit != "cycles" {
		t.Fatalf("the launch is %+v", s)
	}
	want := []float64{0, 1, 0, 2, 5, 5, 10000, 1, 3, 1, 0, 0, 12, 24000, 0, 3, 1, 0, 4, 6, 12000}
	if !slices.Equal(s.Bars, want) || len(s.Bars)%scopeWords != 0 ||
		!slices.Equal(s.Names, []string{"loop", "all"}) {
		t.Errorf("the scopes are %v of %v", s.Bars, s.Names)
	}
	if len(s.Rows) != 2 || s.Rows[0].Name != "loop" || s.Rows[0].Count != 3 || s.Rows[0].Median != 10000 {
		t.Errorf("the table is %+v", s.Rows)
	}
	if NewScopes(trace, "other") != nil {
		t.Error("a kernel without scopes has some")
	}
}
