package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// fault is a change of one place of a file.
type fault struct {
	file       string
	src        []byte
	line       int
	start, end int // offsets of the text that is replaced
	by         string
	run        [][]string // arguments of go test, for each run of tests; nil for those that go by the package
}

func (f fault) String() string {
	return fmt.Sprintf("%s:%d: %s -> %s", f.file, f.line, clip(string(f.src[f.start:f.end])), clip(f.by))
}

// clip shortens text for a line of the report.
func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

// text returns the file with the fault in it.
func (f *fault) text() []byte {
	return []byte(string(f.src[:f.start]) + f.by + string(f.src[f.end:]))
}

// faultsIn returns all faults that can be planted in a package's files.
func faultsIn(pkg string) (list []fault, err error) {
	files, err := filepath.Glob(filepath.Join(pkg, "*.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no Go files in %s: %v", pkg, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || filepath.Base(file) == "doc.go" {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		found, err := faultsOf(file, src)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// swaps has the operator that takes the place of another.
var swaps = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
	token.LAND: "||", token.LOR: "&&", token.ADD: "-", token.SUB: "+", token.MUL: "+", token.SHL: ">>",
	token.SHR: "<<", token.AND: "|", token.OR: "&", token.REM: "/",
}

// faultsOf returns the faults of a file: another operator, another constant, a condition turned around or
// dropped, the other boolean, a statement left out. Faults are inside of functions only.
func faultsOf(file string, src []byte) (list []fault, err error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	add := func(from, to token.Pos, by string) {
		p := fset.Position(from)
		list = append(list, fault{file: file, src: src, line: p.Line, start: p.Offset,
			end: fset.Position(to).Offset, by: by})
	}
	text := func(n ast.Node) string {
		return string(src[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset])
	}
	for _, decl := range tree.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil || f.Name.Name == "String" {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if by, ok := swaps[n.Op]; ok {
					add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), by)
				}
			case *ast.BasicLit:
				if v, err := strconv.Atoi(n.Value); err == nil && n.Kind == token.INT {
					add(n.Pos(), n.End(), strconv.Itoa(v+1))
				}
			case *ast.IfStmt:
				add(n.Cond.Pos(), n.Cond.End(), "!("+text(n.Cond)+")")
			case *ast.Ident:
				if by := map[string]string{"true": "false", "false": "true"}[n.Name]; by != "" {
					add(n.Pos(), n.End(), by)
				}
			case *ast.ExprStmt:
				add(n.Pos(), n.End(), "")
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE {
					add(n.Pos(), n.End(), "")
				}
			}
			return true
		})
	}
	return list, nil
}
