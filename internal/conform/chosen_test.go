package conform

import (
	_ "embed"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
)

// Of the cases a part runs at each commit. Some run always: together they pass through every statement of the
// compiler that any case passes through, so that no statement waits for its turn. testdata/chosen.txt lists
// them for each target. To choose again:
//
//	go test ./internal/conform -run TestChosen -args -kernels /tmp/kernels.json
//	go run -cover -covermode=atomic -coverpkg=./internal/... ./internal/conform/choose /tmp/kernels.json \
//	    cpu cuda:90 hip:gfx942 > internal/conform/testdata/chosen.txt

var kernelsFlag = flag.String("kernels", "", "a file to write all kernels of cases to, for choose")

//go:embed testdata/chosen.txt
var chosenList string

// chosenFor returns the names of the cases that always run on a target.
func chosenFor(target string) map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(chosenList) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), target+" "); ok {
			out[name] = true
		}
	}
	return out
}

// TestChosen: the cases that always run are there, and they are few.
func TestChosen(t *testing.T) {
	if *kernelsFlag != "" {
		writeCases(t, *kernelsFlag)
		return
	}
	names := map[string]bool{}
	for _, c := range all() {
		names[c.name] = true
	}
	for _, target := range []string{"cpu", "cuda:90", "hip:gfx942"} {
		list := chosenFor(target)
		if len(list) < 20 || len(list) > 400 {
			t.Errorf("%d cases are chosen for %s", len(list), target)
		}
		for name := range list {
			if !names[name] {
				t.Errorf("there is no case %s; choose again, see chosen_test.go", name)
			}
		}
	}
}

// writeCases writes what choose reads.
func writeCases(t *testing.T, file string) {
	type kernel struct{ Name, File, Source, Kernel, Signature string }
	var list []kernel
	seen := map[string]bool{}
	for _, c := range all() {
		key := c.module.name + " " + c.kernel + " " + c.signature()
		if !c.refused && !c.compile && c.gpuless == "" && !seen[key] {
			seen[key] = true
			list = append(list, kernel{c.name, c.module.name, c.module.text, c.kernel, c.signature()})
		}
	}
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
