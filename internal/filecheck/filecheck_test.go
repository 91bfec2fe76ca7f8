package filecheck_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/filecheck"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// eachCase calls f for each case of the txtar files: sections NAME/checks, NAME/input, NAME/want.
func eachCase(t *testing.T, f func(t *testing.T, c *txtest.Case, name, checks, input string)) {
	t.Helper()
	txtest.Run(t, "testdata/*.txtar", func(t *testing.T, c *txtest.Case) {
		for _, section := range c.Names() {
			name, ok := strings.CutSuffix(section, "/checks")
			if !ok {
				continue
			}
			t.Run(name, func(t *testing.T) { f(t, c, name, c.Text(t, section), c.Text(t, name+"/input")) })
		}
	})
}

func TestCases(t *testing.T) {
	eachCase(t, func(t *testing.T, c *txtest.Case, name, checks, input string) {
		got := "ok"
		if err := filecheck.Check(checks, input); err != nil {
			got = err.Error()
		}
		c.Want(t, name+"/want", got)
	})
}

// TestAgainstLLVM asks LLVM's FileCheck about the same cases: the verdicts must agree.
func TestAgainstLLVM(t *testing.T) {
	llvm := newJudge(t)
	eachCase(t, func(t *testing.T, _ *txtest.Case, name, checks, input string) {
		if strings.HasPrefix(name, "ours-") {
			return // differs from LLVM on purpose
		}
		llvm.agree(t, checks, input)
	})
}

// TestRandomAgainstLLVM asks about checks and inputs made up of few words, so that they often nearly match.
func TestRandomAgainstLLVM(t *testing.T) {
	llvm := newJudge(t)
	const seed, n = 1, 300
	rnd := rand.New(rand.NewPCG(seed, seed))
	passed := 0
	for range n {
		checks, input := randomChecks(rnd), randomInput(rnd)
		if llvm.agree(t, checks, input) {
			passed++
		}
	}
	t.Logf("%d of %d pass", passed, n)
	if passed < n/10 || passed > n*9/10 {
		t.Errorf("%d of %d pass: such cases tell little", passed, n)
	}
}

// judge is LLVM's FileCheck, with the two files that it wants.
type judge struct{ tool, checks, input string }

func newJudge(t *testing.T) judge {
	t.Helper()
	dir := t.TempDir()
	return judge{txtest.FileCheck(t), filepath.Join(dir, "checks"), filepath.Join(dir, "input")}
}

// agree fails when LLVM's verdict is not ours, and returns ours.
func (j judge) agree(t *testing.T, checks, input string) bool {
	t.Helper()
	for path, text := range map[string]string{j.checks: checks, j.input: input} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(j.tool, "--input-file="+j.input, j.checks).CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	ours := filecheck.Check(checks, input)
	if (ours == nil) != (err == nil) {
		t.Errorf("the verdicts differ\n--- checks\n%s--- input\n%s--- ours: %v\n--- LLVM's: %v\n%s", checks,
			input, ours, err, out)
	}
	return ours == nil
}

var words = []string{"a", "b", "ab", "ba", "c"}

func randomInput(rnd *rand.Rand) string {
	var b strings.Builder
	for range 2 + rnd.IntN(7) {
		for range rnd.IntN(4) {
			fmt.Fprintf(&b, "%s ", words[rnd.IntN(len(words))])
		}
		b.WriteString("\n")
	}
	return b.String()
}

func randomChecks(rnd *rand.Rand) string {
	directives := []string{
		"CHECK", "CHECK", "CHECK", "CHECK-NEXT", "CHECK-SAME", "CHECK-NOT", "CHECK-DAG", "CHECK-DAG",
		"CHECK-LABEL", "CHECK-EMPTY", "CHECK-COUNT-2",
	}
	pieces := []string{"a", "b", "ab", "c", "{{a|b}}", "{{[ab]+}}", "{{.*}}", "{{^}}", "{{$}}", "[[X:[ab]+]]",
		"[[X]]", "[[Y:.]]", "[[Y]]"}
	lines := []string{"CHECK: {{^}}\n"}
	for range 1 + rnd.IntN(4) {
		d := directives[rnd.IntN(len(directives))]
		if d == "CHECK-EMPTY" {
			lines = append(lines, d+":\n")
			continue
		}
		choice := pieces
		if d == "CHECK-LABEL" {
			choice = pieces[:9]
		}
		text := choice[rnd.IntN(len(choice))]
		if rnd.IntN(2) == 0 {
			text += choice[rnd.IntN(len(choice))]
		}
		lines = append(lines, d+": "+text+"\n")
	}
	return strings.Join(lines, "")
}

func FuzzCheck(f *testing.F) {
	f.Add("CHECK: %[[R:.*]] = add %[[A:[a-z]+]], %[[A]]\nCHECK-NOT: {{a|b}}\nCHECK-DAG: x\n",
		"%0 = add %a, %a\nx\n")
	f.Add("CHECK-LABEL: @f\nCHECK-COUNT-2: {{^[[:alpha:]]+$}}\n", "@f\nab\ncd\n")
	f.Fuzz(func(t *testing.T, checks, input string) {
		filecheck.Check(checks, input) // a verdict or an error, never a panic
	})
}
