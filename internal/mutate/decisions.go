package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/mutate/decision"
)

// A copy of the sources in which conditions record what decided them (package decision). Its files:
//
//	overlay.json     for go test -overlay
//	decisions.txt    what each number is
const decisionPath = "github.com/nereid-lang/nereid/internal/mutate/decision"

// comparisons are the functions of package decision for operators.
var comparisons = map[token.Token]string{token.LSS: "Less", token.LEQ: "LessOrEqual", token.GTR: "Greater",
	token.GEQ: "GreaterOrEqual"}

// writeDecisions writes the copy of some packages to a folder. A file that does not compile with what is put
// into it, since its booleans have a type of their own, say, stays as it is.
func writeDecisions(dir string, packages []string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	leave := map[string]bool{}
	for range 12 {
		if err := overlayDecisions(dir, packages, leave); err != nil {
			return err
		}
		args := []string{"build", "-gcflags=-e", "-overlay=" + filepath.Join(dir, "overlay.json")}
		for _, p := range packages {
			args = append(args, "./"+p)
		}
		out, err := exec.Command("go", args...).CombinedOutput()
		if err == nil {
			return nil
		}
		before := len(leave)
		for _, m := range errorPlace.FindAllStringSubmatch(string(out), -1) {
			leave[filepath.Base(m[1])] = true
			fmt.Println("left as it is:", m[0])
		}
		if len(leave) == before {
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	return fmt.Errorf("decisions do not compile")
}

// overlayDecisions writes the files, but for some.
func overlayDecisions(dir string, packages []string, leave map[string]bool) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	replace, places := map[string]string{}, []string{}
	for _, pkg := range packages {
		files, err := filepath.Glob(filepath.Join(pkg, "*.go"))
		if err != nil {
			return err
		}
		for _, file := range files {
			name := flat(file)
			if strings.HasSuffix(file, "_test.go") || leave[name] {
				continue
			}
			src, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			text, list, err := decisionsOf(file, src, len(places))
			if err != nil {
				return err
			}
			if len(list) == 0 {
				continue
			}
			places = append(places, list...)
			replace[filepath.Join(root, file)] = filepath.Join(dir, name)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				return err
			}
		}
	}
	if len(places) > decision.Most {
		return fmt.Errorf("%d decisions are more than %d", len(places), decision.Most)
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), data, 0o666); err != nil {
		return err
	}
	text := strings.Join(places, "\n") + "\n"
	return os.WriteFile(filepath.Join(dir, "decisions.txt"), []byte(text), 0o666)
}

// edit replaces a part of a file. Edits of one place stand in the order of their ranks.
type edit struct {
	start, end int
	by         string
	rank       int
}

// decider puts calls of package decision into a file.
type decider struct {
	fset   *token.FileSet
	src    []byte
	file   string
	first  int      // the number of the first decision
	places []string // what each is
	edits  []edit
	inside map[ast.Expr]bool // parts of longer conditions
}

// decisionsOf returns a file in which conditions record their decisions, and what these are.
func decisionsOf(file string, src []byte, first int) (text string, places []string, err error) {
	d := &decider{fset: token.NewFileSet(), src: src, file: file, first: first, inside: map[ast.Expr]bool{}}
	tree, err := parser.ParseFile(d.fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		return "", nil, err
	}
	for _, decl := range tree.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil && f.Name.Name != "String" {
			ast.Inspect(f.Body, d.node)
		}
	}
	if len(d.places) == 0 {
		return "", nil, nil
	}
	end := d.at(tree.Name.End())
	d.edits = append(d.edits, edit{start: end, end: end,
		by: "\n\nimport decision " + strconv.Quote(decisionPath)})
	slices.SortStableFunc(d.edits, func(a, b edit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.rank - b.rank
	})
	var b strings.Builder
	at := 0
	for _, e := range d.edits {
		b.Write(src[at:e.start])
		b.WriteString(e.by)
		at = e.end
	}
	b.Write(src[at:])
	return b.String(), d.places, nil
}

func (d *decider) at(p token.Pos) int { return d.fset.Position(p).Offset }

// node takes a node of the tree.
func (d *decider) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok != token.CONST
	case *ast.IfStmt:
		if b, ok := n.Cond.(*ast.BinaryExpr); ok && (b.Op == token.LAND || b.Op == token.LOR) {
			return true
		}
		d.around(n.Cond, "If", "true", "false")
	case *ast.BinaryExpr:
		if n.Op == token.LAND || n.Op == token.LOR {
			d.chain(n)
		} else if name := comparisons[n.Op]; name != "" {
			d.around(n, name, "equal")
			d.put(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), ",", 0)
		}
	}
	return true
}

// around puts a call around an expression, with decisions of its own.
func (d *decider) around(x ast.Expr, name string, what ...string) {
	begin := fmt.Sprintf("decision.%s(%d, ", name, d.number(x, what...))
	d.put(x.Pos(), x.Pos(), begin, d.at(x.Pos()))
	d.put(x.End(), x.End(), ")", -d.at(x.Pos()))
}

// number gives decisions of an expression their numbers and returns the first.
func (d *decider) number(x ast.Expr, what ...string) int {
	n := d.first + len(d.places)
	text := clip(string(d.src[d.at(x.Pos()):d.at(x.End())]))
	for _, w := range what {
		d.places = append(d.places, fmt.Sprintf("%s:%d: %s: %s", d.file, d.fset.Position(x.Pos()).Line, w,
			text))
	}
	return n
}

// put adds an edit.
func (d *decider) put(from, to token.Pos, by string, rank int) {
	// what begins at a place stands behind what ends there, and outer calls before inner ones
	d.edits = append(d.edits, edit{start: d.at(from), end: d.at(to), by: by, rank: rank})
}

// chain puts a call around terms that one operator joins.
func (d *decider) chain(n *ast.BinaryExpr) {
	if d.inside[n] {
		return
	}
	var terms []ast.Expr
	var ops []token.Pos
	var split func(x ast.Expr)
	split = func(x ast.Expr) {
		if b, ok := x.(*ast.BinaryExpr); ok && b.Op == n.Op {
			d.inside[b] = true
			split(b.X)
			ops = append(ops, b.OpPos)
			split(b.Y)
			return
		}
		terms = append(terms, x)
	}
	split(n)
	name, what := "And", []string{}
	if n.Op == token.LOR {
		name = "Or"
	}
	for _, t := range terms {
		what = append(what, "alone "+clip(string(d.src[d.at(t.Pos()):d.at(t.End())])))
	}
	number := d.number(n, append(what, "none")...)
	if strings.Contains(strings.Join(what, " "), "yield(") { // cannot be called where the program does not
		return
	}
	begin := fmt.Sprintf("decision.%s(%d, func() bool { return (", name, number)
	d.put(n.Pos(), n.Pos(), begin, d.at(n.Pos()))
	for _, p := range ops {
		d.put(p, p+2, ") }, func() bool { return (", 0)
	}
	d.put(n.End(), n.End(), ") })", -d.at(n.Pos()))
}
