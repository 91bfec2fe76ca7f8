package pass_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const sums = `
tt.func @f(%x: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %a = arith.addi %x, %c1 : i32
  %b = arith.addi %a, %c1 : i32
  %c = arith.addi %b, %c1 : i32
  tt.return %c : i32
}`

func named(t *testing.T, names string) []pass.Pass {
	t.Helper()
	passes, err := pass.Parse(pass.All(), names)
	if err != nil {
		t.Fatal(err)
	}
	return passes
}

func TestDumps(t *testing.T) {
	var dump strings.Builder
	ctx := &pass.Context{Dump: &dump, Options: pass.Options{DumpBefore: []string{"canonicalize"},
		DumpAfter: []string{"all"}}}
	if err := pass.Run(ctx, passtest.Parse(t, "f", sums), named(t, "cse,canonicalize")); err != nil {
		t.Fatal(err)
	}
	var titles []string
	for line := range strings.Lines(dump.String()) {
		if strings.HasPrefix(line, "// -----") {
			titles = append(titles, strings.TrimSpace(line))
		}
	}
	txtest.Equal(t, "dumps", "// ----- IR after cse -----\n// ----- IR before canonicalize -----\n// "+
		"----- IR after canonicalize -----",
		strings.Join(titles, "\n"))
	if !strings.Contains(dump.String(), "arith.constant 3") {
		t.Errorf("the dump after canonicalize does not show its work:\n%s", dump.String())
	}
}

func TestStages(t *testing.T) {
	var got []string
	ctx := &pass.Context{Stage: func(s pass.Stage) { got = append(got, s.Title()) }}
	ctx.StopAfter = "canonicalize"
	if err := pass.Run(ctx, passtest.Parse(t, "f", sums), named(t, "inline,canonicalize,cse")); err != nil {
		t.Fatal(err)
	}
	txtest.Equal(t, "stages", "before inline, after inline, before canonicalize, after canonicalize",
		strings.Join(got, ", "))
	if n := len(ctx.Timings()); n != 2 {
		t.Errorf("%d timings, want 2", n)
	}
	var table strings.Builder
	pass.WriteTimings(&table, ctx.Timings())
	for _, want := range []string{"ms", "%", "inline", "canonicalize", "total"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table of timings lacks %q:\n%s", want, table.String())
		}
	}
}

func TestUnknownNames(t *testing.T) {
	for _, o := range []pass.Options{{StopAfter: "cse"}, {DumpAfter: []string{"cse"}},
		{DumpBefore: []string{"nothing"}}, {StopAfter: "all"}} {
		if err := pass.Run(&pass.Context{Options: o}, passtest.Parse(t, "f", sums),
			named(t, "canonicalize")); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	if _, err := pass.Parse(pass.All(), "canonicalize,cze"); err == nil ||
		!strings.Contains(err.Error(), `"cze"`) {
		t.Errorf("an unknown pass: %v", err)
	}
}

// TestRewriteLimit: with a limit of n, the first n rewrites happen, and no more.
func TestRewriteLimit(t *testing.T) {
	full := &pass.Context{}
	m := passtest.Parse(t, "f", sums)
	if err := pass.Run(full, m, named(t, "canonicalize")); err != nil {
		t.Fatal(err)
	}
	last := ""
	for limit := 1; limit <= full.Rewrites(); limit++ {
		part := passtest.Parse(t, "f", sums)
		ctx := &pass.Context{Options: pass.Options{RewriteLimit: limit, Verify: true}}
		if err := pass.Run(ctx, part, named(t, "canonicalize")); err != nil {
			t.Fatal(err)
		}
		if ctx.Rewrites() != limit {
			t.Errorf("limit %d: %d rewrites", limit, ctx.Rewrites())
		}
		if s := part.String(); s == last {
			t.Errorf("rewrite %d changed nothing", limit)
		} else {
			last = s
		}
	}
	txtest.Equal(t, "with the limit that is enough", m.String(), last)
}

// broken are passes that go wrong in each way a pass can.
var broken = map[string]pass.Pass{
	"panics": {Name: "panics", Run: func(ctx *pass.Context, m *ir.Module) error {
		for op := range m.Op.Ops() {
			if op.Def == arith.AddI {
				ctx.At(op)
				panic("no way on")
			}
		}
		return nil
	}},
	"breaks": {Name: "breaks", Run: func(ctx *pass.Context, m *ir.Module) error {
		for op := range m.Op.Ops() {
			if op.Def == arith.AddI {
				op.Result(0).Type = ir.F32
			}
		}
		return nil
	}},
	"refuses": {Name: "refuses", Run: func(*pass.Context, *ir.Module) error {
		return errors.New("not this module")
	}},
}

// TestFailures: a pass that goes wrong gives an error that says which, where, and how to see it again.
func TestFailures(t *testing.T) {
	for name, want := range map[string]string{
		"panics":  `internal error in pass panics at arith.addi from k.py:3:7: no way on`,
		"breaks":  `internal error in pass breaks: k.py:3:7: 'arith.addi' op result #0 must be`,
		"refuses": `refuses: not this module`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			text := strings.Replace(sums, "%c1 : i32\n", "%c1 : i32 loc(\"k.py\":3:7)\n", 1)
			m := passtest.Parse(t, "f", text)
			ctx := &pass.Context{Options: pass.Options{Verify: true, Reproducers: dir}}
			passes := append(named(t, "canonicalize"), broken[name])
			passes = append(passes, named(t, "cse,symbol-dce")...)
			passes[0], passes[1] = passes[1], passes[0]
			err := pass.Run(ctx, m, passes)
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Fatalf("got  %v\nwant %s", err, want)
			}
			if name != "refuses" && !errors.As(err, new(*pass.InternalError)) {
				t.Errorf("%T is no InternalError", err)
			}
			files, _ := filepath.Glob(filepath.Join(dir, "*.mlir"))
			if len(files) != 1 || !strings.Contains(err.Error(), filepath.ToSlash(files[0])) {
				t.Fatalf("reproducers: %v", files)
			}
			checkReproducer(t, files[0], broken[name])
		})
	}
}

// checkReproducer: the file holds the IR before the pass, and names it and those after it.
func checkReproducer(t *testing.T, file string, bad pass.Pass) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	passes, err := pass.ReproducerPasses(append(pass.All(), bad), src)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := pass.Names(passes), bad.Name+",canonicalize,cse,symbol-dce"; got != want {
		t.Errorf("the reproducer asks for %s, want %s", got, want)
	}
	ctx := &pass.Context{Options: pass.Options{Verify: true}}
	if err := pass.Run(ctx, passtest.Parse(t, file, string(src)), passes); err == nil {
		t.Error("the reproducer does not reproduce")
	}
}

func TestNoReproducer(t *testing.T) {
	if _, err := pass.ReproducerPasses(pass.All(),
		[]byte("// a comment\nmodule {}\n// nereid-reproducer: cse\n")); err == nil {
		t.Error("a file without the comment on top is no reproducer")
	}
}

// TestInvalidInput: passes are not run on IR that is not valid.
func TestInvalidInput(t *testing.T) {
	m := passtest.Parse(t, "f",
		`func.func @f(%x: i32) -> i64 { %y = "arith.addi"(%x, %x) : (i32, i32) -> i64 func.return %y : i64 }`)
	err := pass.Run(&pass.Context{Options: pass.Options{Verify: true}}, m, named(t, "cse"))
	if err == nil || !strings.Contains(err.Error(), "the input is not valid") {
		t.Errorf("got %v", err)
	}
}
