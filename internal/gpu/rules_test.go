package gpu_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
	"github.com/nereid-lang/nereid/internal/rules"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// ruledCase is a case of a pass, with the decisions of its rules.
type ruledCase struct {
	passes    []pass.Pass
	in        *ir.Module
	out       string
	decisions []rules.Decision
}

// run returns what the passes make of the case with values of rules.
func (c *ruledCase) run(t *testing.T, values *rules.Set) string {
	t.Helper()
	m := c.in.Clone()
	m.Op.SetAttr(rules.Attr, ir.Str(values.Text()))
	if err := pass.Run(&pass.Context{}, m, c.passes); err != nil {
		return err.Error()
	}
	m.Op.SetAttr(rules.Attr, nil)
	return m.String()
}

// ruledCases returns the cases of testdata.
func ruledCases(t *testing.T) (list []*ruledCase) {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	for _, path := range paths {
		c := txtest.Load(t, path)
		names, _ := c.Option("opt")
		passes, err := pass.Parse(passes(), names)
		if err != nil {
			t.Fatal(err)
		}
		x := &ruledCase{passes: passes, in: passtest.Parse(t, c.Path, c.Text(t, "in.mlir"))}
		set, trace := rules.NewTrace(nil)
		x.out = x.run(t, set)
		trace.Close()
		x.decisions = trace.Decisions()
		list = append(list, x)
	}
	return list
}

// TestRuleCases: each rule of passes that names this test changes what they make of some case.
func TestRuleCases(t *testing.T) {
	cases := ruledCases(t)
	for _, r := range rules.All() {
		if r.Test != "gpu.TestRuleCases" {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			for _, c := range cases {
				for _, other := range r.Others(c.decisions) {
					set, err := rules.Parse(fmt.Sprintf("%s=%d", r.Name, other))
					if err != nil {
						t.Fatal(err)
					}
					if c.run(t, set) != c.out {
						return
					}
				}
			}
			t.Error("no case depends on the rule")
		})
	}
}
