package conform

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// linalgText is a kernel as linalg.
type linalgText struct {
	name string
	m    *ir.Module
}

// TestGenericLinalg has mlir-opt read the generic form of the linalg of all samples and a part of the cases,
// and reads what it prints, in its generic form and in the other: the module is the same each time. All
// cases: NEREID_TEST_PART=all.
func TestGenericLinalg(t *testing.T) {
	tool := txtest.MLIROpt(t)
	list := append(samplesAsLinalg(t), casesAsLinalg(t, txtest.Sample(t, 64))...)
	const batch = 500 // in one file, which mlir-opt holds in memory
	for from := 0; from < len(list); from += batch {
		some := list[from:min(from+batch, len(list))]
		for _, flag := range []string{"--mlir-print-op-generic", "--mlir-print-local-scope"} {
			throughMLIR(t, some, tool, flag)
		}
	}
	t.Logf("%d modules", len(list))
}

func samplesAsLinalg(t *testing.T) (list []linalgText) {
	t.Helper()
	for _, s := range sampleSpecs(t) {
		m, err := nereid.Load(txtest.Path(t, "kernels", s.File))
		if err != nil {
			t.Fatal(err)
		}
		text, err := asLinalg(t, m, s.Kernel, s.Signature)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, linalgText{s.Name, text})
	}
	return list
}

func casesAsLinalg(t *testing.T, chosen func(int) bool) (list []linalgText) {
	t.Helper()
	for i, c := range all() {
		if c.refused || c.compile || !chosen(i) {
			continue
		}
		m, err := c.module.load()
		if err != nil {
			t.Fatal(err)
		}
		text, err := asLinalg(t, m, c.kernel, c.signature())
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		list = append(list, linalgText{c.name, text})
	}
	return list
}

// asLinalg returns the linalg of a kernel, as the CPU's compiler has it.
func asLinalg(t *testing.T, m *nereid.Module, kernel, signature string) (*ir.Module, error) {
	t.Helper()
	k, err := m.Kernel(kernel)
	if err != nil {
		return nil, err
	}
	const stage = "linalg"
	compiled, err := k.CompileFor(t.Context(), "cpu:x86-64-v3", signature, nereid.Options{}, stage)
	if err != nil {
		return nil, err
	}
	for _, s := range compiled.Stages {
		if s.Name == stage {
			return ir.Parse(diag.NewFileSet(), kernel, s.Text)
		}
	}
	return nil, fmt.Errorf("there is no stage %s", stage)
}

// throughMLIR writes the generic form of modules, has mlir-opt print them with a flag, and compares what is
// read back.
func throughMLIR(t *testing.T, list []linalgText, tool, flag string) {
	t.Helper()
	const mark = "// -----\n"
	var text strings.Builder
	for i, l := range list {
		if i > 0 {
			text.WriteString(mark)
		}
		if err := ir.Print(&text, l.m.Op, ir.PrintOptions{Generic: true}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "generic.mlir")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), tool, "--split-input-file", flag, path)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%.4000s", err, stderr.String())
	}
	theirs := strings.Split(string(out), mark)
	if len(theirs) != len(list) {
		t.Fatalf("mlir-opt printed %d modules of %d", len(theirs), len(list))
	}
	for i, l := range list {
		back, err := ir.Parse(diag.NewFileSet(), l.name, []byte(theirs[i]))
		if err != nil {
			t.Errorf("%s, %s: %v", l.name, flag, err)
			continue
		}
		txtest.Equal(t, l.name+", "+flag, anonymousText(l.m), anonymousText(back))
	}
}

// anonymousText is a module without the names of values, which mlir-opt does not keep.
func anonymousText(m *ir.Module) string {
	nameless(m.Op)
	return m.String()
}
