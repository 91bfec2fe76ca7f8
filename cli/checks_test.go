package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/replay"
)

// What follows --check names the checks, with a space or with an equals sign.
func TestTakeChecks(t *testing.T) {
	for _, test := range []struct {
		given, args, checks, left string
	}{
		{"", "k.py n=1", "", "k.py n=1"},
		{"bounds", "k.py n=1", "bounds", "k.py n=1"},
		{"bounds", "k.py overflow n=1", "overflow", "k.py n=1"},
		{"bounds", "k.py n=1 bounds,overflow", "bounds overflow", "k.py n=1"},
		{"uninit", "k.py races", "uninit races", "k.py"},
	} {
		f := runFlags{check: strings.Fields(test.given)}
		left := f.takeChecks(strings.Fields(test.args))
		if !slices.Equal(f.check, strings.Fields(test.checks)) || !slices.Equal(left, strings.Fields(test.left)) {
			t.Errorf("%s, %s: checks %v, arguments %v", test.given, test.args, f.check, left)
		}
	}
}

// TestHelp: every command shows an example, and says what it does.
func TestHelp(t *testing.T) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Example == "" && cmd.HasParent() && cmd.Parent().Name() != "completion" && cmd.Name() != "help" {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRootCmd())
}

// TestSuspect: a result that differs is not always wrong, and the verdict says what may be the cause.
func TestSuspect(t *testing.T) {
	for _, c := range []struct {
		programs int
		short    bool
		check    checks
		want     string
	}{
		{1, false, nil, ""},
		{2, false, nil, "; if programs race, --check races shows where"},
		{2, false, checks{"races"}, ""},
		{1, true, nil, "; it sums in fp16 or bf16"},
	} {
		r := &runner{flags: &runFlags{check: c.check}, gridSize: nereid.Grid{c.programs, 1, 1}}
		if got := r.suspect(&replay.Case{ShortSums: c.short}); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
