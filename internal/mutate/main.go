// Mutate plants faults in the code, one at a time, and reports which of them the tests find.
//
//	go run ./internal/mutate -n 30 -seed 1 -packages internal/middle,internal/lower -and ./internal/memfuzz=T
//	go run ./internal/mutate -chosen internal/mutate/testdata/chosen.txt
//	go run ./internal/mutate -areas internal/mutate/testdata/areas.txt -seed 9
//	go run ./internal/mutate -together -n 100 -packages internal/rule -and ./internal/rule
//
// In: packages and a seed, or a list of faults. Out: one line for each fault: its place, what was changed,
// and the tests' verdict: killed, with the test that failed, SURVIVED, slow, which a test's time limit ended,
// or NOT RUN, where the go command found no such tests. Faults that do not compile are left out. The tree is
// never touched: the go command reads the changed file through an overlay. -list prints the faults as -chosen
// reads them, and -areas prints a list that is drawn from all areas of the code. With -together, one build
// has all faults, and each run of tests has one of them: a hundred in the time that few take otherwise. With
// -decisions, a copy of the packages is written that records which parts of conditions decide
// (internal/fingerprint chooses kernels by it).
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

var (
	count    = flag.Int("n", 0, "how many faults to plant (0: 10, or all that are chosen)")
	seed     = flag.Uint64("seed", 1, "the seed of their choice")
	packages = flag.String("packages", "internal/middle", "the packages to plant them in, separated by commas")
	also     = flag.String("and", "./internal/conform=TestConformCPU|TestConformSim",
		"tests to run where the package's own find nothing: PACKAGE=PATTERN, separated by semicolons")
	list  = flag.String("chosen", "", "a file with faults to plant instead of random ones")
	skip  = flag.Int("skip", 0, "how many faults to pass over first")
	limit = flag.Duration("limit", 4*time.Minute, "time limit of one run of tests")
	one   = flag.Bool("together", false, "build the tests once, with all faults")
	show  = flag.Bool("list", false, "print the faults, in the form of a list, and run nothing")
	parts = flag.String("areas", "", "a file with areas of the code: print a list drawn from them")
	into  = flag.String("decisions", "",
		"write a copy of the packages that records what decides conditions to this folder, and run nothing")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run() error {
	if *into != "" {
		return writeDecisions(*into, strings.Split(*packages, ","))
	}
	if *parts != "" {
		return drawAreas(*parts)
	}
	all, err := candidates()
	if err != nil {
		return err
	}
	all = all[min(*skip, len(all)):]
	if *one {
		return together(all)
	}
	verdicts := map[string]int{}
	for planted := 0; planted < *count && len(all) > 0; all = all[1:] {
		if *show {
			fmt.Println(all[0].listed())
			planted++
			continue
		}
		verdict, by, took := all[0].judge()
		if verdict == "" {
			fmt.Printf("does not compile: %s\n", all[0])
			continue
		}
		planted++
		verdicts[verdict]++
		fmt.Printf("%-8s %5.0fs  %s  %s\n", verdict, took.Seconds(), all[0], by)
	}
	if !*show {
		fmt.Println(verdicts)
	}
	return nil
}

// candidates returns the faults to plant, in order.
func candidates() (all []fault, err error) {
	if *list != "" {
		if all, err = readChosen(*list); *count == 0 {
			*count = len(all)
		}
		return all, err
	}
	if *count == 0 {
		*count = 10
	}
	return faultsOfAll(strings.Split(*packages, ","))
}

// judge runs the tests with the fault planted: those of its package, then others. It returns "" for a fault
// that does not compile; by is the test that failed.
func (f *fault) judge() (verdict, by string, took time.Duration) {
	begin := time.Now()
	overlay, remove, err := f.plant()
	if err != nil {
		return err.Error(), "", 0
	}
	defer remove()
	for _, args := range f.tests() {
		if verdict, by := test(overlay, args); verdict != "SURVIVED" {
			return verdict, by, time.Since(begin)
		}
	}
	return "SURVIVED", "", time.Since(begin)
}

// tests returns the arguments of go test, in turn: the tests of the fault's package, those of the package
// around it, and further ones.
func (f *fault) tests() (list [][]string) {
	if f.run != nil {
		return f.run
	}
	pkg := filepath.Dir(f.file)
	list = append(list, []string{"./" + filepath.ToSlash(pkg)})
	around := filepath.Dir(pkg)
	if found, _ := filepath.Glob(filepath.Join(around, "*_test.go")); len(found) > 0 && around != "." {
		list = append(list, []string{"./" + filepath.ToSlash(around)})
	}
	for _, more := range strings.FieldsFunc(*also, func(r rune) bool { return r == ';' }) {
		list = append(list, testArgs(more))
	}
	return list
}

// test runs tests with an overlay, and returns the verdict and the first test that failed.
func test(overlay string, args []string) (verdict, by string) {
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	flags := []string{"test", "-count=1", "-failfast", "-vet=off"}
	cmd := exec.CommandContext(ctx, "go", append(flags, args...)...)
	pkg := &cmd.Args[len(cmd.Args)-1]
	cmd.Dir, *pkg = inModule(*pkg)
	// programs that tests build have the fault, too
	cmd.Env = append(environment(cmd.Dir), "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "slow", strings.Join(args, " ")
	}
	return verdictOf(string(out), err, args[len(args)-1])
}

// inModule returns the folder of the module that a package of the repository is in, "" for the one at its
// root, and the package's path from there.
func inModule(pkg string) (dir, inside string) {
	for dir := strings.TrimPrefix(strings.TrimSuffix(pkg, "/..."), "./"); dir != "."; dir = path.Dir(dir) {
		if _, err := os.Stat(filepath.Join(filepath.FromSlash(dir), "go.mod")); err == nil {
			return dir, "." + strings.TrimPrefix(pkg, "./"+dir)
		}
	}
	return "", pkg
}

// verdictOf reads go test's report. A run that tests nothing, of a package that is not there, kills nothing.
func verdictOf(out string, err error, pkg string) (verdict, by string) {
	switch failed := failedIn(out); {
	case err == nil:
		return "SURVIVED", ""
	case strings.Contains(out, "[build failed]"):
		return "", ""
	case failed != "":
		return "killed", pkg + " " + failed
	case !failedPackage.MatchString(out):
		return "NOT RUN", pkg + ": " + clip(out)
	}
	return "killed", pkg
}

// failedIn returns the first test that failed in go test's report, the innermost of nested ones, or "".
func failedIn(out string) (failed string) {
	for _, m := range failedTest.FindAllStringSubmatch(out, -1) {
		if failed == "" || strings.HasPrefix(m[1], failed+"/") {
			failed = m[1]
		}
	}
	return failed
}

var (
	// failedTest finds the names of tests in go test's report, those around others first.
	failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	// failedPackage finds a package whose tests ran and failed.
	failedPackage = regexp.MustCompile(`(?m)^FAIL\t\S+\t[0-9.]+s$`)
)

// plant writes the changed file and an overlay that names it.
func (f *fault) plant() (overlay string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	abs, err := filepath.Abs(f.file)
	if err != nil {
		return "", remove, err
	}
	changed := filepath.Join(dir, filepath.Base(f.file))
	data, err := json.Marshal(map[string]map[string]string{"Replace": {abs: changed}})
	if err != nil {
		return "", remove, err
	}
	overlay = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(changed, f.text(), 0o666); err != nil {
		return "", remove, err
	}
	return overlay, remove, os.WriteFile(overlay, data, 0o666)
}
