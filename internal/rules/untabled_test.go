package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// untabled lists the constants of the GPU compiler that are compared with quantities of a kernel and are no
// rules, with the reason.
var untabled = map[string]string{
	"groupRows":       "rows of a warp group's instruction",
	"groupWarps":      "warps of a warp group",
	"rowsOfWarp":      "rows of a warp in such an instruction",
	"threadRegisters": "registers that a thread can have",
	"reservedShared":  "shared memory that the system takes",
	"maxCTAs":         "blocks of a cluster",
	"portableCTAs":    "blocks of a cluster on every GPU",
	"maxGuard":        "bounds the length of a guard",
	"maxGuarded":      "bounds the programs for which a guard is evaluated",
	"shiftedElements": "bounds LLVM's time",
	"longStep":        "which loops end where Triton's do; no question of speed",
	"maxScratch":      "bounds memory",
	"SiteShift":       "a bit of a record",
	"version":         "a place in a file",
	"order":           "a set of bits",
	"high":            "a pattern of bits",
	"step":            "the cost of a scan in the units of Triton's layout costs; also a variable's name",
}

// TestUntabled: a constant that passes, lowering or assembling compare with something is a rule, or is listed
// above with the reason why it is none.
func TestUntabled(t *testing.T) {
	for _, dir := range []string{"internal/gpu", "internal/lower", "internal/target/nvidia"} {
		for name := range compared(t, txtest.Path(t, dir)) {
			if untabled[name] == "" {
				t.Errorf("%s: %s is compared with something: make it a rule (internal/rules), or say here why "+
					"it is none", dir, name)
			}
		}
	}
}

// compared returns the numeric constants of a package that it compares by size.
func compared(t *testing.T, dir string) map[string]bool {
	t.Helper()
	consts, out := map[string]bool{}, map[string]bool{}
	files := parsed(t, dir)
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
				noteConsts(d, consts)
			}
			return true
		})
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			b, ok := n.(*ast.BinaryExpr)
			if !ok || b.Op != token.LSS && b.Op != token.GTR && b.Op != token.LEQ && b.Op != token.GEQ {
				return true
			}
			ast.Inspect(b, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && consts[id.Name] {
					out[id.Name] = true
				}
				return true
			})
			return true
		})
	}
	return out
}

// noteConsts notes the constants of a declaration whose value has a number and no iota.
func noteConsts(d *ast.GenDecl, consts map[string]bool) {
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		for i, value := range v.Values {
			number, other := false, false
			ast.Inspect(value, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok {
					number, other = number || lit.Kind == token.INT, other || lit.Kind != token.INT
				}
				return true
			})
			if number && !other {
				consts[v.Names[i].Name] = true
			}
		}
	}
}

// parsed returns the files of a package but its tests.
func parsed(t *testing.T, dir string) (files []*ast.File) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}
