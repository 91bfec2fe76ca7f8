package cform

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/rule"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestRulesInC compares rules as the C source evaluates them with rule.Eval.
func TestRulesInC(t *testing.T) {
	cc := txtest.Tool(t, "cc")
	names, values := []string{"n", "m", "zero"}, map[string]float64{"n": 1000, "m": 7, "zero": 0}
	texts := []string{"n", "-n + +m", "cdiv(n, 64)", "n // 64 * 64", "n % 64", "-m // 2", "-m % 4", "n / 8",
		"n / zero + n // zero + cdiv(n, zero)", "n % zero", "n <= 1024 and m == 7", "n > 1024 or not m",
		"0 < m < n", "3 if n > 100 else m", "3 if n > 1000 else m", "min(n, m, 5)", "max(n, m)",
		"next_power_of_2(n)", "64 ** -0.5", "sqrt(m)", "2 ** 40 + 1", "m != 7", "m >= 7", "m - 1", "0.1 * n",
		"1 if zero else 2 if n < m else max(m, n if m > 3 else zero)"}
	w := &writer{prefix: "t"}
	var lines strings.Builder
	var want strings.Builder
	for _, text := range texts {
		r, err := rule.Compile(text, nil, names)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "\tprintf(\"%%a\\n\", eval(%s, values));\n", w.rule(r, names))
		fmt.Fprintf(&want, "%s\n", fmt.Sprintf("%x", r.Eval(values)))
	}
	var b strings.Builder
	b.WriteString("#include <stdint.h>\n#include <stdio.h>\n" +
		"typedef struct { int64_t op; double value; } step;\n" +
		"typedef double call;\nstatic double value(const call *c, int64_t i) { return c[i]; }\n")
	b.WriteString(steps())
	for i := range w.tables {
		w.tables[i].c(&b)
	}
	_, eval, _ := strings.Cut(groupText, "/* eval returns")
	eval, _, _ = strings.Cut(eval, "/* grid_of computes")
	b.WriteString("/* eval returns" + eval)
	b.WriteString("int main(void) {\n\tdouble values[] = {1000, 7, 0};\n" + lines.String() +
		"\treturn 0;\n}\n")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "t.c"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(dir, "t")
	if out, err := exec.Command(cc, "-o", exe, filepath.Join(dir, "t.c"),
		"-lm").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	got, wanted := strings.Split(string(out), "\n"), strings.Split(want.String(), "\n")
	for i, text := range texts {
		var a, b float64
		if _, err := fmt.Sscan(got[i], &a); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if _, err := fmt.Sscan(wanted[i], &b); err != nil || a != b {
			t.Errorf("%s is %v in C, %v in Go", text, a, b)
		}
	}
}
