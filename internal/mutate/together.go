package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Faults that are planted together: one build has all of them, each behind a number, and a variable of the
// environment chooses the one that a run has. A build takes longer than most runs of tests.

// choice is the package that knows which fault a run has. It exists in the overlay alone.
const choice = `package planted

import (
	"os"
	"strconv"
)

// At is the number of the fault of this run.
var At, _ = strconv.Atoi(os.Getenv("PLANTED_FAULT"))
`

// importLines is how many lines an import of it takes.
const importLines = 2

const choicePath = "github.com/nereid-lang/nereid/internal/mutate/planted"

// behind returns the text of a fault behind its number, and the part of the file that it replaces; ok is
// false for a fault that has no such form: another constant, whose type is not known here.
func (f *fault) behind(n int) (start, end int, by string, ok bool) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, f.file, f.src, parser.SkipObjectResolution)
	if err != nil {
		return 0, 0, "", false
	}
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	text := func(x ast.Node) string { return string(f.src[at(x.Pos()):at(x.End())]) }
	is, isnt := fmt.Sprintf("planted.At == %d", n), fmt.Sprintf("planted.At != %d", n)
	ast.Inspect(tree, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.IfStmt:
			if at(x.Cond.Pos()) == f.start && at(x.Cond.End()) == f.end && strings.HasPrefix(f.by, "!(") {
				start, end, by, ok = f.start, f.end, "("+text(x.Cond)+") != ("+is+")", true
			}
		case *ast.BinaryExpr:
			if at(x.OpPos) != f.start {
				break
			}
			a, b := text(x.X), text(x.Y)
			start, end = at(x.Pos()), at(x.End())
			switch x.Op {
			case token.LAND:
				by, ok = fmt.Sprintf("((%s) && (%s) || %s && ((%s) || (%s)))", a, b, is, a, b), true
			case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ, token.LOR:
				by, ok = fmt.Sprintf("(%s && (%s %s %s) || %s && (%s %s %s))", isnt, a, x.Op, b, is, a, f.by,
					b), true
			}
		case *ast.ExprStmt, *ast.AssignStmt:
			if at(x.Pos()) == f.start && at(x.End()) == f.end && f.by == "" {
				start, end, by, ok = f.start, f.end, "if "+isnt+" { "+text(x)+" }", true
			}
		}
		return true
	})
	return start, end, by, ok
}

// together plants faults in one build of some tests and runs these for each fault. One that does not compile
// with the others is left out, with what else its file has: so a file has few.
func together(all []fault) error {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var chosen []fault
	for _, f := range all {
		if len(chosen) == *count {
			break
		}
		if _, _, _, ok := f.behind(0); ok && !overlaps(f, chosen) {
			chosen = append(chosen, f)
		}
	}
	chosen, binaries, err := buildTogether(dir, chosen)
	if err != nil {
		return err
	}
	if verdict, by := runBuilt(binaries, 0); verdict != "SURVIVED" {
		return fmt.Errorf("without a fault: %s %s", verdict, by)
	}
	verdicts := map[string]int{}
	for i, f := range chosen {
		begin := time.Now()
		verdict, by := runBuilt(binaries, i+1)
		verdicts[verdict]++
		fmt.Printf("%-8s %5.0fs  %s  %s\n", verdict, time.Since(begin).Seconds(), f, by)
	}
	fmt.Println(verdicts)
	return nil
}

// buildTogether builds the tests with all faults. It leaves out those that do not compile.
func buildTogether(dir string, chosen []fault) (_ []fault, binaries []string, err error) {
	overlay := filepath.Join(dir, "overlay.json")
	for range 20 {
		if err := overlayOf(dir, overlay, chosen); err != nil {
			return nil, nil, err
		}
		out, err := []byte(nil), error(nil)
		binaries = nil
		for _, t := range strings.Split(*also, ";") {
			pkg, pattern, _ := strings.Cut(t, "=")
			bin := filepath.Join(dir, flat(strings.Trim(pkg, "./"))+".test")
			cmd := exec.Command("go", "test", "-c", "-vet=off", "-gcflags=-e", "-overlay="+overlay, "-o", bin,
				pkg)
			if out, err = cmd.CombinedOutput(); err != nil {
				break
			}
			binaries = append(binaries, bin+" "+pkg+" "+pattern)
		}
		if err == nil {
			return chosen, binaries, nil
		}
		before := len(chosen)
		for _, m := range errorPlace.FindAllStringSubmatch(string(out), -1) {
			line, _ := strconv.Atoi(m[2])
			chosen = slices.DeleteFunc(chosen, func(f fault) bool {
				return filepath.Base(m[1]) == flat(f.file) && f.on(line-importLines)
			})
		}
		if len(chosen) == before {
			return nil, nil, fmt.Errorf("%w\n%s", err, out)
		}
	}
	return nil, nil, errors.New("faults do not compile together")
}

// on reports whether what a fault replaces is on a line.
func (f *fault) on(line int) bool {
	start, end, _, _ := f.behind(0)
	first := 1 + bytes.Count(f.src[:start], []byte("\n"))
	return first <= line && line <= first+bytes.Count(f.src[start:end], []byte("\n"))
}

// flat returns a path as the name of a file.
func flat(path string) string { return strings.ReplaceAll(path, "/", "-") }

// errorPlace finds the place of an error of the compiler.
var errorPlace = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+: `)

// overlaps reports whether a fault's text touches that of another.
func overlaps(f fault, others []fault) bool {
	s, e, _, _ := f.behind(0)
	return slices.ContainsFunc(others, func(o fault) bool {
		t, u, _, _ := o.behind(0)
		return o.file == f.file && s < u && t < e
	})
}

// overlayOf writes the changed files and the overlay that names them.
func overlayOf(dir, overlay string, chosen []fault) error {
	files := map[string][]int{}
	for i, f := range chosen {
		files[f.file] = append(files[f.file], i+1)
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	planted := filepath.Join(dir, "planted.go")
	replace := map[string]string{filepath.Join(root, "internal/mutate/planted/planted.go"): planted}
	if err := os.WriteFile(planted, []byte(choice), 0o666); err != nil {
		return err
	}
	for file, numbers := range files {
		src := string(chosen[numbers[0]-1].src)
		slices.SortFunc(numbers, func(a, b int) int { // from the end, so that places stay
			s, _, _, _ := chosen[a-1].behind(a)
			t, _, _, _ := chosen[b-1].behind(b)
			return t - s
		})
		for _, n := range numbers {
			s, e, by, _ := chosen[n-1].behind(n)
			src = src[:s] + by + src[e:]
		}
		at := strings.Index(src, "\npackage ") // behind a comment
		if strings.HasPrefix(src, "package ") {
			at = -1
		}
		end := at + 1 + strings.Index(src[at+1:], "\n")
		src = src[:end] + strings.Repeat("\n", importLines) + "import planted " + strconv.Quote(choicePath) +
			src[end:]
		name := filepath.Join(dir, flat(file))
		replace[filepath.Join(root, file)] = name
		if err := os.WriteFile(name, []byte(src), 0o666); err != nil {
			return err
		}
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(overlay, data, 0o666)
}

// runBuilt runs tests that are built, with a fault: each is a file, its package and a pattern.
func runBuilt(binaries []string, n int) (verdict, by string) {
	for _, b := range binaries {
		words := strings.Fields(b)
		ctx, cancel := context.WithTimeout(context.Background(), *limit)
		args := []string{"-test.failfast", "-test.count=1"}
		if len(words) > 2 {
			args = append(args, "-test.run="+words[2])
		}
		cmd := exec.CommandContext(ctx, words[0], args...)
		cmd.Dir, cmd.Env = words[1], append(os.Environ(), fmt.Sprintf("PLANTED_FAULT=%d", n))
		out, err := cmd.CombinedOutput()
		late := ctx.Err() != nil
		cancel()
		switch {
		case late:
			return "slow", words[1]
		case err == nil:
			continue
		}
		if m := failedTest.FindSubmatch(out); m != nil {
			return "killed", words[1] + " " + string(m[1])
		}
		return "killed", fmt.Sprint(words[1], ": ", err, " ", clip(string(out)))
	}
	return "SURVIVED", ""
}
