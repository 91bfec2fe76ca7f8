package all_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// exampleDirs are the folders of testdata with modules that are right. Of those in own only we know what they
// mean.
var exampleDirs = []string{"mlir", "triton", "triton-3.9", "own"}

// example is one module of testdata.
type example struct{ name, src string }

// examples are the modules in the txtar files of a folder of testdata.
func examples(t *testing.T, dir string) []example {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples in testdata/%s (%v)", dir, err)
	}
	var out []example
	for _, f := range files {
		c := txtest.Load(t, f)
		for _, section := range c.Names() {
			name := strings.TrimSuffix(filepath.Base(f), ".txtar") + "/" +
				strings.TrimSuffix(section, ".mlir")
			out = append(out, example{name, c.Text(t, section)})
		}
	}
	return out
}

// TestExamples: each example reads, verifies, and its print reads back to the same module, in either form.
func TestExamples(t *testing.T) {
	for _, dir := range exampleDirs {
		for _, e := range examples(t, dir) {
			t.Run(dir+"/"+e.name, func(t *testing.T) {
				m := parse(t, e.name, e.src)
				if err := ir.Verify(m.Op); err != nil {
					t.Fatal(err)
				}
				text := print(t, m.Op, ir.PrintOptions{})
				for _, generic := range []bool{false, true} {
					again := parse(t, "print", print(t, m.Op, ir.PrintOptions{Generic: generic}))
					if err := ir.Verify(again.Op); err != nil {
						t.Errorf("generic=%v: %v", generic, err)
					}
					if !generic {
						txtest.Equal(t, "print", text, print(t, again.Op, ir.PrintOptions{}))
					}
					txtest.Equal(t, fmt.Sprintf("generic=%v", generic), normal(parse(t, "print", text)),
						normal(again))
				}
				m.Op.Walk(func(op *ir.Op) bool {
					if op.Def.Unregistered {
						t.Errorf("no table has %s", op.Name())
					}
					return true
				})
			})
		}
	}
}

// TestExamplesCoverTables: every op of every table is in an example.
func TestExamplesCoverTables(t *testing.T) {
	seen := map[*ir.OpDef]bool{ir.ModuleOp: true}
	for _, dir := range exampleDirs {
		for _, e := range examples(t, dir) {
			parse(t, e.name, e.src).Op.Walk(func(op *ir.Op) bool { seen[op.Def] = true; return true })
		}
	}
	eachOp(func(op *ir.OpDef) {
		if !seen[op] {
			t.Errorf("no example has %s", op)
		}
	})
}

// TestMLIRAccepts: MLIR's own tool reads our print of each example, and its print of what it read is the
// same module to us, in the same words; so it is with the generic form, of ours and of its own.
func TestMLIRAccepts(t *testing.T) {
	tool := txtest.MLIROpt(t)
	list := examples(t, "mlir")
	if len(list) < 60 {
		t.Errorf("%d examples, at least 60 are promised", len(list))
	}
	texts, generic := printAll(t, list, ir.PrintOptions{}), printAll(t, list, ir.PrintOptions{Generic: true})
	compare(t, "mlir-opt", list, texts, mlirOpt(t, tool, texts))
	compare(t, "mlir-opt, our generic form", list, texts, mlirOpt(t, tool, generic))
	for i, theirs := range mlirOpt(t, tool, generic, "--mlir-print-op-generic") {
		name := "mlir-opt, its generic form: " + list[i].name
		txtest.Equal(t, name, normal(parse(t, list[i].name, texts[i])), normal(parse(t, name, theirs)))
	}
	t.Logf("%s accepts %d modules", filepath.Base(tool), len(list))
}

// TestMLIRReadsOwn: MLIR's own tool reads the generic form of dialects that it does not know.
func TestMLIRReadsOwn(t *testing.T) {
	list := examples(t, "own")
	texts := mlirOpt(t, txtest.MLIROpt(t), printAll(t, list, ir.PrintOptions{Generic: true}),
		"--allow-unregistered-dialect", "--mlir-print-op-generic")
	for i, e := range list {
		txtest.Equal(t, e.name, normal(parse(t, e.name, e.src)), normal(parse(t, e.name, texts[i])))
	}
}

// mlirOpt returns what mlir-opt prints of each module.
func mlirOpt(t *testing.T, tool string, texts []string, flags ...string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "examples.mlir")
	if err := os.WriteFile(path, []byte(strings.Join(texts, splitLine+"\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), tool, append(flags, "--split-input-file", path)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	theirs := strings.Split(string(out), splitLine+"\n")
	if len(theirs) != len(texts) {
		t.Fatalf("%s printed %d modules, expected %d", filepath.Base(tool), len(theirs), len(texts))
	}
	return theirs
}

// TestTritonAccepts: Triton's parser reads our print of each example of its dialects, and its print of that
// is the same to us, in the same words.
func TestTritonAccepts(t *testing.T) {
	python := txtest.Triton(t)
	list := examples(t, "triton")
	texts := printAll(t, list, ir.PrintOptions{})
	dir := t.TempDir()
	args := []string{filepath.Join("testdata", "dump.py")}
	for i, text := range texts {
		path := filepath.Join(dir, fmt.Sprintf("%03d.mlir", i))
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	cmd := exec.CommandContext(t.Context(), python, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	compare(t, "triton", list, texts, strings.Split(strings.TrimSuffix(string(out), splitLine+"\n"),
		splitLine+"\n"))
	t.Logf("triton accepts %d modules", len(list))
}

const splitLine = "// -----"

func printAll(t *testing.T, list []example, opts ir.PrintOptions) []string {
	t.Helper()
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = print(t, parse(t, e.name, e.src).Op, opts)
	}
	return texts
}

// compare checks that what another tool printed is, module by module, what we printed.
func compare(t *testing.T, tool string, list []example, ours, theirs []string) {
	t.Helper()
	if len(ours) != len(theirs) {
		t.Fatalf("%s printed %d modules, expected %d", tool, len(theirs), len(ours))
	}
	for i, e := range list {
		m := parse(t, tool+": "+e.name, theirs[i])
		txtest.Equal(t, tool+": "+e.name, normal(parse(t, e.name, ours[i])), normal(m))
		txtest.Equal(t, tool+", text: "+e.name, spaces(theirs[i]), spaces(normal(m)))
	}
}

// spaces is a text with one space where there are several, and none at the ends of lines.
func spaces(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(text)) {
		b.WriteString(strings.Join(strings.Fields(line), " ") + "\n")
	}
	return b.String()
}

// normal is a module's text without attributes that have their default value, which other tools spell out,
// and without names.
func normal(m *ir.Module) string {
	m.Op.Walk(func(op *ir.Op) bool {
		for _, r := range op.Results() {
			r.Name = ""
		}
		for _, r := range op.Regions() {
			for b := range r.Blocks() {
				for _, a := range b.Args() {
					a.Name = ""
				}
			}
		}
		for _, a := range slices.Clone(op.Attrs()) {
			if s := op.Def.AttrSlot(a.Name); s != nil && s.Default == a.Attr {
				op.SetAttr(a.Name, nil)
			}
		}
		return true
	})
	return m.String()
}

// TestUnreadable: text that almost fits an op's syntax is an error with a position, never a panic. Each
// example is cut short at every token of its lines.
func TestUnreadable(t *testing.T) {
	errs := map[string]int{}
	for _, dir := range exampleDirs {
		for _, e := range examples(t, dir) {
			for _, cut := range cuts(e.src) {
				if _, err := ir.Parse(newFiles(), "cut.mlir", []byte(cut)); err != nil {
					errs[firstLine(err)]++
				}
			}
		}
	}
	for _, msg := range slices.Sorted(maps.Keys(errs)) {
		if !strings.HasPrefix(msg, "cut.mlir:") {
			t.Errorf("no position: %s", msg)
		}
	}
	t.Logf("%d different messages", len(errs))
}

// cuts are the text with one word left out, for a sample of words.
func cuts(src string) []string {
	var out []string
	for i := 0; i < len(src); i++ {
		if src[i] == ' ' || src[i] == ',' || src[i] == ':' || src[i] == '>' {
			end := i + 1
			for end < len(src) && !strings.ContainsRune(" \n,:>)", rune(src[end])) {
				end++
			}
			out = append(out, src[:i]+src[end:])
			i = end + 40 // a sample is enough
		}
	}
	return out
}
