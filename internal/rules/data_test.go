package rules

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

// example has two kernels: fwd, which may choose values, and norm, which is held out.
func example(t *testing.T) *Data {
	t.Helper()
	if Held("fwd") || !Held("norm") {
		t.Fatal("the kernels of the example have changed sides: the hash must stay as it is")
	}
	return &Data{Commit: "abc", Chip: "H200", Kernels: []Kernel{
		{Name: "fwd 1k", Kernel: "fwd", Decisions: []Decision{
			{Rule: "early-words", N: 80, Value: 96, Holds: true}, {Rule: "early-words", N: 120, Value: 96},
			{Rule: "deepest-stages", N: 6, Value: 8, Holds: true},
			{Rule: "spare-loop", N: 24, All: 128, Value: 5, Holds: true}},
			Times: []Time{{Rule: "early-words", Value: 96, Other: -1, With: 10, Without: 11}}},
		{Name: "held 1k", Kernel: "norm", Decisions: []Decision{
			{Rule: "early-words", N: 90, Value: 96, Holds: true},
			{Rule: "load-instructions", Value: 4, Holds: true}},
			Times: []Time{{Rule: "early-words", Value: 96, Other: -1, With: 20, Without: 18},
				{Rule: "load-instructions", Value: 4, Other: 8, Same: true}}},
	}}
}

// TestReplay: a changed value shows the kernels that it decides otherwise, from the recorded quantities.
func TestReplay(t *testing.T) {
	d := example(t)
	for text, want := range map[string]string{
		"early-words=85":          "held 1k 90 yes->no timed",
		"early-words=off":         "fwd 1k 80 yes->no timed, held 1k 90 yes->no timed",
		"early-words=120":         "fwd 1k 120 no->yes",
		"deepest-stages=4":        "fwd 1k 6 6->4",
		"deepest-stages=7":        "",
		"spare-loop=6":            "fwd 1k 24 yes->no",
		"load-instructions=6":     "held 1k 0 4->6",
		"early-words=96":          "",
		"unrolled-instructions=1": "",
	} {
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range d.Replay(s) {
			line := c.Kernel + " " + itoa(c.Decision.N) + " " + c.Now + "->" + c.Then
			if c.Time != nil {
				line += " timed"
			}
			got = append(got, line)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %s, want %s", text, strings.Join(got, ", "), want)
		}
	}
}

// TestEffects: kernels that are held out count apart from the others, and same code does not count.
func TestEffects(t *testing.T) {
	chosen, held := example(t).Effects("early-words")
	if chosen.Kernels != 1 || math.Abs(chosen.Mean-1.1) > 1e-9 || chosen.Wins != 1 || chosen.Losses != 0 {
		t.Errorf("chosen %+v", chosen)
	}
	if held.Kernels != 1 || math.Abs(held.Mean-0.9) > 1e-9 || held.Wins != 0 || held.Losses != 1 {
		t.Errorf("held out %+v", held)
	}
	if _, held := example(t).Effects("load-instructions"); held.Kernels != 0 {
		t.Errorf("the same code counts: %+v", held)
	}
}

// TestWriteRead: a file is read as it was written.
func TestWriteRead(t *testing.T) {
	d := example(t)
	var b strings.Builder
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := Read(strings.NewReader(b.String()))
	if err != nil || !reflect.DeepEqual(got, d) {
		t.Errorf("%v\n%+v\nwant %+v", err, got, d)
	}
	if n := strings.Count(b.String(), "\n"); n != 4 {
		t.Errorf("%d lines, want one for each kernel and two around them:\n%s", n, b.String())
	}
	if _, err := Read(strings.NewReader("kernel,rule")); err == nil {
		t.Error("a file of another kind is read")
	}
}

// TestOthers: a kernel is compiled again only with values that decide otherwise.
func TestOthers(t *testing.T) {
	for _, c := range []struct {
		rule *Rule
		d    Decision
		want []int
	}{
		{EarlyWords, Decision{N: 80}, []int{never}},
		{EarlyWords, Decision{N: 120}, []int{192}},
		{EarlyWords, Decision{N: 500}, nil},
		{DeepestStages, Decision{N: 6}, []int{1}},
		{LoadInstructions, Decision{}, []int{8, 2}},
		{SpareLoop, Decision{N: 24, All: 128}, []int{always}},
		{SpareLoop, Decision{N: 60, All: 128}, []int{2}},
	} {
		c.d.Rule = c.rule.Name
		if got := c.rule.Others([]Decision{c.d}); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s of %+v: %v, want %v", c.rule.Name, c.d, got, c.want)
		}
	}
}
