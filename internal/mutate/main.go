// Mutate plants faults in the code, one at a time, and reports which of them the tests find.
//
//	go run ./internal/mutate -n 30 -seed 1 -packages internal/middle,internal/lower -and ./internal/memfuzz=T
//
// In: packages, a seed. Out: one line for each fault: its place, what was changed, and the tests' verdict:
// killed, SURVIVED, or slow, which a test's time limit ended. Faults that do not compile are left out. The
// tree is never touched: the go command reads the changed file through an overlay.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

var (
	count    = flag.Int("n", 10, "how many faults to plant")
	seed     = flag.Uint64("seed", 1, "the seed of their choice")
	packages = flag.String("packages", "internal/middle", "the packages to plant them in, separated by commas")
	also     = flag.String("and", "./internal/conform=TestConformCPU|TestConformSim",
		"tests to run where the package's own find nothing: PACKAGE=PATTERN, separated by semicolons")
	limit = flag.Duration("limit", 4*time.Minute, "time limit of one run of tests")
	show  = flag.Bool("list", false, "print the faults and run nothing")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run() error {
	var all []fault
	for _, pkg := range strings.Split(*packages, ",") {
		list, err := faultsIn(pkg)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	r := rand.New(rand.NewPCG(*seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	verdicts := map[string]int{}
	for planted := 0; planted < *count && len(all) > 0; all = all[1:] {
		if *show {
			fmt.Println(all[0])
			planted++
			continue
		}
		verdict, took := all[0].judge()
		if verdict == "" {
			continue // it does not compile
		}
		planted++
		verdicts[verdict]++
		fmt.Printf("%-8s %5.0fs  %s\n", verdict, took.Seconds(), all[0])
	}
	fmt.Println(verdicts)
	return nil
}

// judge runs the tests with the fault planted: those of its package, then others. It returns "" for a fault
// that does not compile.
func (f *fault) judge() (verdict string, took time.Duration) {
	begin := time.Now()
	overlay, remove, err := f.plant()
	if err != nil {
		return err.Error(), 0
	}
	defer remove()
	for _, args := range f.tests() {
		if verdict := test(overlay, args); verdict != "SURVIVED" {
			return verdict, time.Since(begin)
		}
	}
	return "SURVIVED", time.Since(begin)
}

// tests returns the arguments of go test, in turn: the tests of the fault's package, those of the package
// around it, and further ones.
func (f *fault) tests() (list [][]string) {
	pkg := filepath.Dir(f.file)
	list = append(list, []string{"./" + filepath.ToSlash(pkg)})
	around := filepath.Dir(pkg)
	if found, _ := filepath.Glob(filepath.Join(around, "*_test.go")); len(found) > 0 && around != "." {
		list = append(list, []string{"./" + filepath.ToSlash(around)})
	}
	for _, more := range strings.Split(*also, ";") {
		pkg, pattern, _ := strings.Cut(more, "=")
		list = append(list, []string{"-run", pattern, pkg})
	}
	return list
}

// test runs tests with an overlay.
func test(overlay string, args []string) string {
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	flags := []string{"test", "-count=1", "-failfast", "-vet=off", "-short", "-overlay=" + overlay}
	args = append(flags, args...)
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	switch {
	case err == nil:
		return "SURVIVED"
	case ctx.Err() != nil:
		return "slow"
	case strings.Contains(string(out), "[build failed]"):
		return ""
	}
	return "killed"
}

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
