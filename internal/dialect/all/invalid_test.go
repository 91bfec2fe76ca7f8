package all_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// invalid are the modules of testdata/invalid that a tool rejects.
func invalid(t *testing.T, tool string) []example {
	t.Helper()
	var out []example
	for _, e := range examples(t, "invalid") {
		if strings.HasPrefix(e.name, tool+"/") {
			out = append(out, e)
		}
	}
	return out
}

// TestInvalid: a module that breaks a rule is rejected, when it is read or by the verifier, with the
// message in its first line.
func TestInvalid(t *testing.T) {
	for _, e := range examples(t, "invalid") {
		t.Run(e.name, func(t *testing.T) {
			comment, _, _ := strings.Cut(e.src, "\n")
			want := strings.TrimPrefix(comment, "// ")
			m, err := ir.Parse(newFiles(), e.name, []byte(e.src))
			if err == nil {
				err = ir.Verify(m.Op)
			}
			if err == nil {
				t.Fatalf("accepted, expected %q", want)
			}
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not contain %q", err, want)
			}
			if m != nil {
				print(t, m.Op, ir.PrintOptions{}) // whatever is wrong with it, it can be shown
			}
		})
	}
}

// TestMLIRRejects and TestTritonRejects: the rules are MLIR's and Triton's.
func TestMLIRRejects(t *testing.T) {
	tool := txtest.MLIROpt(t)
	list := invalid(t, "mlir")
	var text strings.Builder
	end := make([]int, len(list)) // the line after each module
	for i, e := range list {
		text.WriteString(e.src + splitLine + "\n")
		end[i] = strings.Count(text.String(), "\n")
	}
	cmd := exec.CommandContext(t.Context(), tool, "--split-input-file", "-o", os.DevNull)
	cmd.Stdin = strings.NewReader(text.String())
	var stderr strings.Builder
	cmd.Stderr = &stderr
	cmd.Run() // it fails, of course
	rejected := map[int]bool{}
	header := regexp.MustCompile(`(?m)^<stdin>:(\d+):\d+: error: `)
	for _, m := range header.FindAllStringSubmatch(stderr.String(), -1) {
		line, _ := strconv.Atoi(m[1])
		i, _ := slices.BinarySearch(end, line)
		rejected[i] = true
	}
	for i, e := range list {
		if !rejected[i] {
			t.Errorf("%s accepts %s", filepath.Base(tool), e.name)
		}
	}
}

func TestTritonRejects(t *testing.T) {
	python := txtest.Triton(t)
	list := invalid(t, "triton")
	dir := t.TempDir()
	args := []string{filepath.Join("testdata", "reject.py")}
	for i, e := range list {
		path := filepath.Join(dir, fmt.Sprintf("%03d.mlir", i))
		if err := os.WriteFile(path, []byte(e.src), 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	out, err := exec.CommandContext(t.Context(), python, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	verdicts := strings.Fields(string(out))
	if len(verdicts) != len(list) {
		t.Fatalf("%d verdicts for %d modules", len(verdicts), len(list))
	}
	for i, e := range list {
		if verdicts[i] != "rejected" {
			t.Errorf("triton accepts %s", e.name)
		}
	}
}
