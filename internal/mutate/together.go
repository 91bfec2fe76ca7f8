package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Faults that are planted together: one build has all of them, and a variable of the environment chooses the
// one that a run has. A build takes longer than most runs of tests.

// choice is the package that knows which fault a run has. It exists in the overlay alone. Programs that tests
// start with an environment of their own find the number in a file, which is there while tests run.
const choice = `package planted

import (
	"os"
	"strconv"
)

// At is the number of the fault of this run.
var At = number()

func number() int {
	text, ok := os.LookupEnv("PLANTED_FAULT")
	if !ok {
		file, _ := os.ReadFile(%q)
		text = string(file)
	}
	n, _ := strconv.Atoi(text)
	return n
}
`

const choicePath = "github.com/nereid-lang/nereid/internal/mutate/planted"

// behind returns a second body for the function that a fault is in, behind the fault's number, and where the
// first body begins. Errors in it are reported for a file of the fault's number.
func (f *fault) behind(n int) (at int, text string, err error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, f.file, f.src, parser.SkipObjectResolution)
	if err != nil {
		return 0, "", err
	}
	for _, d := range tree.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || d.Body == nil {
			continue
		}
		start, end := fset.Position(d.Body.Lbrace).Offset+1, fset.Position(d.Body.Rbrace).Offset
		if f.start < start || end < f.end {
			continue
		}
		last := "return"
		if d.Type.Results != nil {
			last = `panic("the end of a function")` // which the compiler cannot know not to be reached
		}
		body := string(f.src[start:f.start]) + f.by + string(f.src[f.end:end])
		return start, fmt.Sprintf("\nif plantedFault.At == %d {\n//line %s:1\n%s\n%s\n}\n//line %s:%d\n", n,
			faultFile(n), body, last, path.Base(f.file), fset.Position(d.Body.Lbrace).Line), nil
	}
	return 0, "", fmt.Errorf("%s: not in a function", f)
}

// faultFile names the file that the compiler reports errors of a fault for.
func faultFile(n int) string { return fmt.Sprintf("planted_%d.go", n) }

// together plants faults in one build of their tests, each of which runs for its faults.
func together(all []fault) error {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &build{dir: dir, binaries: map[string]string{}, skip: map[string][]string{}}
	for _, f := range all {
		if len(b.faults) == *count {
			break
		}
		if _, _, err := f.behind(0); err == nil {
			b.faults = append(b.faults, f)
		}
	}
	b.left = make([]bool, len(b.faults))
	if err := b.compile(); err != nil {
		return err
	}
	verdicts := map[string]int{}
	for i, f := range b.faults {
		if b.left[i] {
			fmt.Printf("does not compile: %s\n", f)
			continue
		}
		begin := time.Now()
		verdict, by := b.judge(i)
		verdicts[verdict]++
		fmt.Printf("%-8s %5.0fs  %s  %s\n", verdict, time.Since(begin).Seconds(), f, by)
	}
	fmt.Println(verdicts)
	return nil
}

// build is the code with all faults in it.
type build struct {
	dir      string
	faults   []fault
	left     []bool              // faults that do not compile
	binaries map[string]string   // of packages with tests
	skip     map[string][]string // of packages: tests that fail without a fault, too
}

// number is the file with the number of the fault under test.
func (b *build) number() string { return filepath.Join(b.dir, "number") }

func (b *build) overlay() string { return filepath.Join(b.dir, "overlay.json") }

// compile compiles the packages of the faults until those that do not compile are left out.
func (b *build) compile() error {
	for range 20 {
		if err := b.write(); err != nil {
			return err
		}
		pkgs := map[string][]string{}
		for i, f := range b.faults {
			if module, pkg := inModule("./" + path.Dir(filepath.ToSlash(f.file))); !b.left[i] {
				pkgs[module] = append(pkgs[module], pkg)
			}
		}
		var report []byte
		for module, list := range pkgs {
			cmd := exec.Command("go", append([]string{"build", "-overlay=" + b.overlay()},
				slices.Compact(slices.Sorted(slices.Values(list)))...)...)
			cmd.Dir, cmd.Env = module, environment(module)
			out, err := cmd.CombinedOutput()
			if err != nil {
				report = append(report, out...)
			}
		}
		if len(report) == 0 {
			return nil
		}
		if !b.leaveOut(string(report)) {
			return fmt.Errorf("faults do not compile together:\n%s", report)
		}
	}
	return errors.New("faults do not compile together")
}

// leaveOut leaves out the faults that the compiler reports.
func (b *build) leaveOut(report string) (any bool) {
	for _, m := range errorPlace.FindAllStringSubmatch(report, -1) {
		for i := range b.faults {
			if !b.left[i] && path.Base(filepath.ToSlash(m[1])) == faultFile(i+1) {
				b.left[i], any = true, true
			}
		}
	}
	return any
}

// flat returns a path as the name of a file.
func flat(path string) string { return strings.ReplaceAll(path, "/", "-") }

// errorPlace finds the place of an error of the compiler.
var errorPlace = regexp.MustCompile(`(?m)^(\S+\.go):\d+:(?:\d+:)? `)

// write writes the changed files and the overlay that names them.
func (b *build) write() error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	planted := filepath.Join(b.dir, "planted.go")
	replace := map[string]string{filepath.Join(root, "internal/mutate/planted/planted.go"): planted}
	if err := os.WriteFile(planted, fmt.Appendf(nil, choice, b.number()), 0o666); err != nil {
		return err
	}
	files := map[string][]int{}
	for i, f := range b.faults {
		if !b.left[i] {
			files[f.file] = append(files[f.file], i)
		}
	}
	for file, list := range files {
		src, err := b.text(list)
		if err != nil {
			return err
		}
		name := filepath.Join(b.dir, flat(file))
		replace[filepath.Join(root, file)] = name
		if err := os.WriteFile(name, []byte(src), 0o666); err != nil {
			return err
		}
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(b.overlay(), data, 0o666)
}

// text returns a file with some faults in it.
func (b *build) text(list []int) (string, error) {
	texts, places := map[int]string{}, []int{}
	for _, i := range list {
		at, text, err := b.faults[i].behind(i + 1)
		if err != nil {
			return "", err
		}
		if texts[at] == "" {
			places = append(places, at)
		}
		texts[at] += text
	}
	slices.Sort(places)
	src := string(b.faults[list[0]].src)
	for _, at := range slices.Backward(places) {
		src = src[:at] + texts[at] + src[at:]
	}
	at := strings.Index("\n"+src, "\npackage ") // behind a comment
	end := at + strings.Index(src[at:], "\n")
	return src[:end] + "; import plantedFault " + strconv.Quote(choicePath) + src[end:], nil
}

// judge runs the tests of a fault in turn.
func (b *build) judge(i int) (verdict, by string) {
	for _, args := range b.faults[i].tests() {
		pkgs, err := packagesOf(args[len(args)-1])
		if err != nil {
			return "NOT RUN", err.Error()
		}
		for _, pkg := range pkgs {
			pattern := ""
			if len(args) > 1 {
				pattern = args[1]
			}
			if verdict, by := b.judgeBy(pkg, pattern, i+1); verdict != "SURVIVED" {
				return verdict, by
			}
		}
	}
	return "SURVIVED", ""
}

// judgeBy runs tests of a package with a fault. A test that fails without it, too, kills nothing.
func (b *build) judgeBy(pkg, pattern string, n int) (verdict, by string) {
	for {
		verdict, failed, by := b.run(pkg, pattern, n)
		if failed == "" {
			return verdict, by
		}
		alone := onlyTest(failed)
		// Run alone, a test may fail for lack of what others leave behind: only the same failure counts.
		if _, again, _ := b.run(pkg, alone, 0); again != failed {
			return verdict, by
		}
		fmt.Println("fails without a fault:", pkg, failed)
		b.skip[pkg] = append(b.skip[pkg], alone)
	}
}

// onlyTest returns the pattern of one test, which may be inside of others.
func onlyTest(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// packagesOf returns the packages with tests that a pattern names; none if the packages it names have none.
func packagesOf(pattern string) (list []string, err error) {
	found := false
	for _, dir := range folders([]string{strings.TrimPrefix(pattern, "./")}) {
		files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
		found = found || len(files) > 0
		if slices.ContainsFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") }) {
			list = append(list, "./"+dir)
		}
	}
	if !found {
		return nil, fmt.Errorf("%s names no package", pattern)
	}
	return list, nil
}

// binary builds the tests of a package, once.
func (b *build) binary(pkg string) (file string, err error) {
	if file := b.binaries[pkg]; file != "" {
		return file, nil
	}
	file = filepath.Join(b.dir, flat(strings.Trim(pkg, "./"))+".test")
	module, inside := inModule(pkg)
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-overlay="+b.overlay(), "-o", file, inside)
	cmd.Dir, cmd.Env = module, environment(module)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", pkg, err, clip(string(out)))
	}
	b.binaries[pkg] = file
	return file, nil
}

// run runs tests of a package with a fault; failed is the first that failed.
func (b *build) run(pkg, pattern string, n int) (verdict, failed, by string) {
	file, err := b.binary(pkg)
	if err != nil {
		return "NOT RUN", "", err.Error()
	}
	cache, err := os.MkdirTemp(b.dir, "cache")
	if err == nil {
		err = os.WriteFile(b.number(), strconv.AppendInt(nil, int64(n), 10), 0o666)
	}
	if err != nil {
		return "NOT RUN", "", err.Error()
	}
	defer os.RemoveAll(cache)
	defer os.Remove(b.number())
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, file, "-test.failfast", "-test.run="+pattern,
		"-test.skip="+strings.Join(b.skip[pkg], "|"))
	module, _ := inModule(pkg)
	// what tests keep on the disk is of one fault, and programs that they build have it, too
	cmd.Dir, cmd.Env = pkg, append(environment(module), fmt.Sprintf("PLANTED_FAULT=%d", n),
		"NEREID_CACHE_DIR="+cache, "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+b.overlay())
	out, err := cmd.CombinedOutput()
	switch failed := failedIn(string(out)); {
	case ctx.Err() != nil:
		return "slow", "", pkg
	case err == nil:
		return "SURVIVED", "", ""
	case failed != "":
		return "killed", failed, pkg + " " + failed
	}
	return "killed", "", fmt.Sprint(pkg, ": ", err, " ", clip(string(out)))
}
