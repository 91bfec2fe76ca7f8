package fingerprint

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/mutate/decision"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// Of many kernels in many forms those are in a table without which a part of a condition of the compiler
// would decide nothing: a fault there changes no line of any other table. They are chosen with a compiler
// that records its decisions, and the packages that have tables choose in turn:
//
//	go run ./internal/mutate -decisions /tmp/dec -packages internal/gpu/layouts,…
//	go test -overlay /tmp/dec/overlay.json ./internal/conform -run Fingerprint -args -decided /tmp/known
//
// Then UPDATE_GOLDEN=1 writes their lines.
var (
	decidedFlag = flag.String("decided", "", "a file of decisions; kernels are chosen that add to it")
	longFlag    = flag.Duration("choose", time.Hour, "how long to choose")
)

// form is a target and options that a kernel is compiled for.
type form struct {
	name string
	to   Target
	opts device.Options
}

// forms are drawn from for each kernel.
var forms = []form{
	{name: "plain", to: Target{Name: "cuda:90"}},
	{name: "first", to: Target{Name: "cuda:90", Way: device.AnyLaunch}},
	{name: "fallback", to: Target{Name: "cuda:90", Way: device.Way{Fallback: true}}},
	{name: "merged", to: Target{Name: "cuda:90", Way: device.Way{Fallback: true, Merge: 4}}},
	{name: "units", to: Target{Name: "cuda:90", Way: device.Way{Fallback: true, Merge: 2, Unit: true}}},
	{name: "alone", to: Target{Name: "cuda:90", Way: device.Way{Fallback: true, BlocksPerSM: 1}}},
	{name: "many", to: Target{Name: "cuda:90", Way: device.Way{Fallback: true, Persist: true,
		BlocksPerSM: device.Many}}},
	{name: "checked", to: Target{Name: "cuda:90"}, opts: device.Options{Check: true}},
	{name: "cluster", to: Target{Name: "cuda:90"}, opts: device.Options{NumCTAs: 2}},
	{name: "warp", to: Target{Name: "cuda:90"}, opts: device.Options{NumWarps: 1}},
	{name: "warps", to: Target{Name: "cuda:90"}, opts: device.Options{NumWarps: 8, NumStages: 4}},
	{name: "sm80", to: Target{Name: "cuda:80"}},
	{name: "sm70", to: Target{Name: "cuda:75"}, opts: device.Options{NumWarps: 2}},
	{name: "gfx942", to: Target{Name: "hip:gfx942"}},
	{name: "gfx90a", to: Target{Name: "hip:gfx90a"}, opts: device.Options{NumWarps: 8}},
	{name: "gfx1100", to: Target{Name: "hip:gfx1100"}},
	{name: "v2", to: Target{Name: "cpu:x86-64-v2"}},
	{name: "v3", to: Target{Name: "cpu:x86-64-v3"}, opts: device.Options{Check: true}},
	{name: "v4", to: Target{Name: "cpu:x86-64-v4"}},
	{name: "arm", to: Target{Name: "cpu:neoverse-v1"}, opts: device.Options{Overlap: true}},
}

// Decisive compares the lines of the kernels that a table has, each FORM@NAME. Where kernels are chosen, it
// writes their names instead: of a pool, each in a number of forms.
func Decisive(t *testing.T, file string, pool []string, each int, kernel func(name string) (Kernel, error)) {
	t.Helper()
	if *decidedFlag != "" {
		writeDecisive(t, file, pool, each, kernel)
		return
	}
	var rows []Row
	for line := range strings.Lines(txtest.Read(t, file)) {
		name, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		r, err := inForm(name, kernel)
		if err != nil {
			t.Fatalf("%s: %s: %v", file, name, err)
		}
		rows = append(rows, r)
	}
	Compare(t, file, rows)
}

// inForm returns the row of FORM@NAME.
func inForm(name string, kernel func(name string) (Kernel, error)) (Row, error) {
	way, of, _ := strings.Cut(name, "@")
	i := slices.IndexFunc(forms, func(f form) bool { return f.name == way })
	if i < 0 {
		return Row{}, fmt.Errorf("no form %q", way)
	}
	k, err := kernel(of)
	if err != nil {
		return Row{}, err
	}
	f := forms[i]
	k.Name = name
	k.Options.Check = k.Options.Check || f.opts.Check
	k.Options.Overlap = k.Options.Overlap || f.opts.Overlap
	if f.opts.NumWarps != 0 {
		k.Options.NumWarps = f.opts.NumWarps
	}
	if f.opts.NumStages != 0 {
		k.Options.NumStages = f.opts.NumStages
	}
	if f.opts.NumCTAs != 0 {
		k.Options.NumCTAs = f.opts.NumCTAs
	}
	return Row{Kernel: k, Targets: []Target{f.to}}, nil
}

// writeDecisive chooses kernels and writes their names.
func writeDecisive(t *testing.T, file string, pool []string, each int,
	kernel func(name string) (Kernel, error)) {
	known := readDecided(t)
	by, count := map[string][]int{}, map[int]int{}
	var order []string
	begin := time.Now()
	for i, of := range pool {
		for j := range each {
			if time.Since(begin) > *longFlag {
				break
			}
			name := forms[(i+j*7)%len(forms)].name + "@" + of
			decision.Take()
			r, err := inForm(name, kernel)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			r.line(t)
			news, all := false, decision.Take()
			all = slices.DeleteFunc(all, func(n int) bool { return known[n] })
			for _, n := range all {
				news = news || count[n] == 0
			}
			if !news {
				continue
			}
			for _, n := range all {
				count[n]++
			}
			by[name], order = all, append(order, name)
		}
	}
	var names []string
	for _, name := range order { // without those whose decisions later ones make, too
		needed := slices.ContainsFunc(by[name], func(n int) bool { return count[n] == 1 })
		if needed {
			names = append(names, name)
			continue
		}
		for _, n := range by[name] {
			count[n]--
		}
	}
	for n := range count {
		known[n] = true
	}
	t.Logf("%s: %d of %d kernels make %d decisions more", file, len(names), len(pool)*each, len(count))
	addDecided(t, slices.Collect(maps.Keys(count)))
	slices.Sort(names)
	if err := os.WriteFile(file, []byte(strings.Join(names, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

// readDecided reads the decisions of the file.
func readDecided(t *testing.T) map[int]bool {
	t.Helper()
	data, err := os.ReadFile(*decidedFlag)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	known := map[int]bool{}
	for _, word := range strings.Fields(string(data)) {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		known[n] = true
	}
	return known
}

// addDecided adds decisions to the file.
func addDecided(t *testing.T, list []int) {
	t.Helper()
	f, err := os.OpenFile(*decidedFlag, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range list {
		fmt.Fprintln(f, n)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
