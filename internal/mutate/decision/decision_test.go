package decision

import (
	"slices"
	"testing"
)

// TestDecisions: a term is marked where the whole would be otherwise without it, and values are those of Go's
// operators.
func TestDecisions(t *testing.T) {
	yes, no := func() bool { return true }, func() bool { return false }
	bad := func() bool { panic("not computed without what stands before it") }
	for _, c := range []struct {
		name string
		got  bool
		want bool
	}{
		{"all true", And(10, yes, yes), true},
		{"first alone", And(20, no, yes), false},
		{"both false", And(30, no, no), false},
		{"last alone", And(40, yes, no), false},
		{"a guard", And(50, no, bad), false},
		{"all false", Or(60, no, no), false},
		{"first is true", Or(70, yes, no), true},
		{"both true", Or(80, yes, yes), true},
		{"if", If(90, true), true},
		{"if not", If(92, false), false},
		{"less", Less(100, 1, 2), true},
		{"not less", Less(101, 2, 2), false},
		{"at most", LessOrEqual(102, 2, 2), true},
		{"greater", Greater(103, "b", "a"), true},
		{"not greater", Greater(104, 1, 2), false},
		{"at least", GreaterOrEqual(105, 2, 2), true},
		{"not at least", GreaterOrEqual(106, 1, 2), false},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v", c.name, c.got)
		}
	}
	want := []int{12, 20, 41, 50, 62, 70, 90, 93, 101, 102, 105}
	if got := Take(); !slices.Equal(got, want) {
		t.Errorf("decided %v, not %v", got, want)
	}
	if got := Take(); got != nil {
		t.Errorf("decided %v before anything ran", got)
	}
}
