package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// area is a part of the code that some of the faults of a list are drawn from.
type area struct {
	name     string
	count    string
	packages []string
	tests    []string // after those of the fault's package
}

// readAreas reads areas of the code, of three lines each: name, number of faults and folders (DIR/... has all
// below DIR), and the tests to run.
//
//	lowering to GPUs
//	3 internal/lower internal/target/gpu/...
//	& ./internal/conform=Fingerprint ./internal/conform
func readAreas(name string) (list []area, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var a area
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "&":
			a.tests = words[1:]
			list, a = append(list, a), area{}
		case a.name == "":
			a.name = strings.TrimSpace(line)
		default:
			a.count, a.packages = words[0], words[1:]
		}
	}
	return list, nil
}

// folders returns the folders with Go files that patterns name.
func folders(patterns []string) (list []string) {
	for _, p := range patterns {
		root, all := strings.CutSuffix(p, "/...")
		if !all {
			list = append(list, p)
			continue
		}
		_ = filepath.WalkDir(root, func(dir string, d os.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if d.Name() == "testdata" {
				return filepath.SkipDir
			}
			if files, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(files) > 0 {
				list = append(list, filepath.ToSlash(dir))
			}
			return nil
		})
	}
	return list
}

// drawAreas prints a list of faults: of each area as many as it says, in the order of a draw by the seed,
// without those that do not compile.
func drawAreas(name string) error {
	areas, err := readAreas(name)
	if err != nil {
		return err
	}
	for _, a := range areas {
		all, err := a.drawn()
		if err != nil {
			return err
		}
		fmt.Printf("# %s\n\n", a.name)
		n := 0
		if _, err := fmt.Sscan(a.count, &n); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		for ; n > 0 && len(all) > 0; all = all[1:] {
			if all[0].compiles() {
				fmt.Println(all[0].listed())
				n--
			}
		}
	}
	return nil
}

// drawn returns all faults of an area in the order of the draw, with the tests of their package before the
// area's.
func (a *area) drawn() ([]fault, error) {
	all, err := faultsOfAll(folders(a.packages))
	for i := range all {
		own := "./" + path.Dir(filepath.ToSlash(all[i].file))
		all[i].run = [][]string{{own}}
		for _, t := range a.tests {
			if t != own {
				all[i].run = append(all[i].run, testArgs(t))
			}
		}
	}
	return all, err
}

// faultsOfAll returns the faults of packages in the order of a draw by the seed.
func faultsOfAll(packages []string) (all []fault, err error) {
	for _, pkg := range packages {
		list, err := faultsIn(pkg)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	r := rand.New(rand.NewPCG(*seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all, nil
}

// compiles reports whether the package of a fault compiles with it.
func (f *fault) compiles() bool {
	overlay, remove, err := f.plant()
	if err != nil {
		return false
	}
	defer remove()
	cmd := exec.Command("go", "build", "-overlay="+overlay, "-o", os.DevNull)
	dir, pkg := inModule("./" + path.Dir(filepath.ToSlash(f.file)))
	cmd.Dir, cmd.Args = dir, append(cmd.Args, pkg)
	cmd.Env = environment(dir)
	return cmd.Run() == nil
}

// environment returns what the go command runs with in a module: the package of capi is left out without C.
func environment(module string) []string {
	if module == "capi" {
		return append(os.Environ(), "CGO_ENABLED=1")
	}
	return os.Environ()
}
