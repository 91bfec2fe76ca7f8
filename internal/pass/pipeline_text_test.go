package pass_test

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// TestPipelineText: pipelines as mlir-opt reads them: anchors, nesting, options; what is wrong is named.
func TestPipelineText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"canonicalize,cse", "canonicalize,cse"},
		{" canonicalize , , cse ", "canonicalize,cse"},
		{"builtin.module(canonicalize,cse)", "canonicalize,cse"},
		{"builtin.module( canonicalize, func.func( cse , sccp ), inline )",
			"canonicalize,func.func(cse,sccp),inline"},
		{"builtin.module(builtin.module(cse))", "builtin.module(cse)"},
		{"builtin.module(any(cse{}))", "any(cse)"},
		{"builtin.module()", ""},
		{"builtin.module(cse", `error: the pipeline of "builtin.module" lacks a )`},
		{"cse)", `error: unexpected ")" in the pipeline "cse)"`},
		{"cse{a=1}", `error: cse takes no options, but has "a=1"`},
		{"cse{a=1", `error: the options of cse lack a }`},
		{"no.op(cse)", `error: "no.op" is no operation that passes could run over`},
		{"scf.for(cse)", `error: passes cannot run over scf.for, whose body uses values from around it`},
		{"builtin.module(canonicalise)", `error: no pass is called "canonicalise" (did you mean canonicalize?); ` +
			`there are: canonicalize, check-index-overflow, cse,`},
		{strings.Repeat("builtin.module(", 100), `error: the pipeline is nested more than 64 deep`},
	} {
		passes, err := pass.Parse(pass.All(), c.text)
		got := pass.Names(passes)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want && !(err != nil && strings.HasPrefix(got, c.want)) {
			t.Errorf("%q:\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestPipelineNested: passes under an anchor see the operations of that name alone, and leave them in their
// place.
func TestPipelineNested(t *testing.T) {
	const text = `
func.func @a() -> i32 {
  %0 = arith.constant 1 : i32
  %1 = arith.addi %0, %0 : i32
  return %1 : i32
}
tt.func @b() -> i32 {
  %0 = arith.constant 1 : i32
  %1 = arith.addi %0, %0 : i32
  tt.return %1 : i32
}
module @c {
  func.func @d() -> i32 {
    %0 = arith.constant 1 : i32
    %1 = arith.addi %0, %0 : i32
    return %1 : i32
  }
}
`
	for pipeline, want := range map[string]string{
		"builtin.module(func.func(canonicalize))":                 "a folded, b, c, d",
		"builtin.module(tt.func(canonicalize))":                   "a, b folded, c, d",
		"builtin.module(builtin.module(func.func(canonicalize)))": "a, b, c, d folded",
		"builtin.module(any(canonicalize))":                       "a folded, b folded, c, d folded",
	} {
		m, err := ir.Parse(diag.NewFileSet(), "nested", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		passes, err := pass.Parse(pass.All(), pipeline)
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Run(&pass.Context{Options: pass.Options{Verify: true}}, m, passes); err != nil {
			t.Fatal(err)
		}
		var seen []string
		m.Op.Walk(func(op *ir.Op) bool {
			if name := op.Text("sym_name"); name != "" {
				var sums int
				op.Walk(func(o *ir.Op) bool {
					if o.Name() == "arith.addi" {
						sums++
					}
					return true
				})
				if op.Def != ir.ModuleOp && sums == 0 {
					name += " folded"
				}
				seen = append(seen, name)
			}
			return true
		})
		if got := strings.Join(seen, ", "); got != want {
			t.Errorf("%s: %s, want %s", pipeline, got, want)
		}
	}
}
