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
	"GroupWarps":      "warps of a warp group",
	"rowsOfWarp":      "rows of a warp in such an instruction",
	"ThreadRegisters": "registers that a thread can have",
	"ReservedShared":  "shared memory that the system takes",
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
	for dir, patterns := range map[string][]string{
		"internal/gpu":   {"*.go", "*/*.go"},
		"internal/lower": {"*.go"}, "internal/target/nvidia": {"*.go"},
	} {
		for name := range compared(t, txtest.Path(t, dir), patterns) {
			if untabled[name] == "" {
				t.Errorf("%s: %s is compared with something: make it a rule (internal/rules), or say here why "+
					"it is none", dir, name)
			}
		}
	}
}

// compared returns the numeric constants of the files of a folder that they compare by size.
func compared(t *testing.T, dir string, patterns []string) map[string]bool {
	t.Helper()
	consts, out := map[string]bool{}, map[string]bool{}
	files := parsed(t, dir, patterns)
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

// parsed returns the files of a folder that match patterns, but for tests.
func parsed(t *testing.T, dir string, patterns []string) (files []*ast.File) {
	t.Helper()
	var paths []string
	for _, p := range patterns {
		found, err := filepath.Glob(filepath.Join(dir, p))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
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
