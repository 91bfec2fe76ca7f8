package amd_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// codeFacts is what is compared of a kernel's code.
type codeFacts struct {
	VGPRs, SGPRs, Spills, LDS int
	Loops                     []loopCount `json:",omitempty"`
}

// spec is a row of kernels/specs.json.
type spec struct {
	Name, File, Kernel, Signature string
	NumWarps                      int `json:"num_warps"`
	NumStages                     int `json:"num_stages"`
}

// besideChips are the chips whose code is compared with Triton's.
var besideChips = []string{"gfx942", "gfx90a", "gfx1100", "gfx950", "gfx1201"}

// TestBesideTriton compares the sample kernels' code with Triton's, whose facts lie in testdata: registers,
// shared memory, and the loops of products, for one chip at each commit. -update asks Triton anew; -v, with
// NEREID_TEST_PART=all, prints the table of docs/AMD.md.
func TestBesideTriton(t *testing.T) {
	chosen := txtest.Sample(t, len(besideChips))
	for i, chip := range besideChips {
		if chosen(i) || txtest.Updating() {
			t.Run(chip, func(t *testing.T) { besideTriton(t, chip) })
		}
	}
}

// spilling lists the kernels that spill registers where Triton's do not.
var spilling = map[string]bool{
	"gfx1201 attention_d128_causal": true, // 23 of 256, next to accumulators that fill the registers
}

const besideHead = "| kernel | VGPRs | SGPRs | shared memory | spills | instructions of main loops |\n" +
	"|---|---|---|---|---|---|\n"

func besideTriton(t *testing.T, chip string) {
	path := txtest.Path(t, "internal/target/amd/testdata", "triton-"+chip+".json")
	if txtest.Updating() {
		askTriton(t, chip, path)
	}
	theirs := map[string]codeFacts{}
	if err := json.Unmarshal([]byte(txtest.Read(t, path)), &theirs); err != nil {
		t.Fatal(err)
	}
	var specs []spec
	readJSON(t, txtest.Path(t, "kernels", "specs.json"), &specs)
	var sum, theirSum int
	var table strings.Builder
	for _, s := range specs {
		got, want := factsOf(t, s, "hip:"+chip), theirs[s.Name]
		fmt.Fprintf(&table, "| %s | %d / %d | %d / %d | %d / %d | %d / %d | %s |\n", s.Name,
			got.VGPRs, want.VGPRs, got.SGPRs, want.SGPRs, got.LDS, want.LDS, got.Spills, want.Spills,
			loopTotals(got, want))
		sum, theirSum = sum+got.VGPRs, theirSum+want.VGPRs
		if got.LDS*10 > want.LDS*11 {
			t.Errorf("%s: %d bytes of shared memory, Triton's has %d", s.Name, got.LDS, want.LDS)
		}
		if got.Spills > 0 && want.Spills == 0 && !spilling[chip+" "+s.Name] {
			t.Errorf("%s: %d registers spilled, Triton's has none", s.Name, got.Spills)
		}
		compareLoops(t, s.Name, got.Loops, want.Loops)
	}
	t.Logf("%s: ours / Triton's\n%s%s| in all | %d / %d | | | | |", chip, besideHead, &table, sum, theirSum)
	if sum*10 > theirSum*11 {
		t.Errorf("%d VGPRs in all, Triton's have %d", sum, theirSum)
	}
}

// compareLoops wants matrix instructions and accesses as Triton's, and at most 15% more instructions.
func compareLoops(t *testing.T, name string, got, want []loopCount) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d loops with products, Triton's has %d", name, len(got), len(want))
		return
	}
	for i, g := range got {
		w := want[i]
		if g.Total*100 > w.Total*115 {
			t.Errorf("%s, loop %d: %d instructions, Triton's has %d", name, i, g.Total, w.Total)
		}
		if !maps.Equal(g.Matrix, w.Matrix) {
			t.Errorf("%s, loop %d: matrix instructions %v, Triton's has %v", name, i, g.Matrix, w.Matrix)
		}
		if !maps.Equal(g.Access, w.Access) {
			t.Errorf("%s, loop %d: accesses %v, Triton's has %v", name, i, g.Access, w.Access)
		}
	}
}

func loopTotals(got, want codeFacts) string {
	var all []string
	for i := range min(len(got.Loops), len(want.Loops)) {
		all = append(all, fmt.Sprintf("%d / %d", got.Loops[i].Total, want.Loops[i].Total))
	}
	return strings.Join(all, ", ")
}

// factsOf compiles a sample kernel.
func factsOf(t *testing.T, s spec, target string) codeFacts {
	t.Helper()
	m, err := nereid.Load(txtest.Path(t, "kernels", s.File))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel(s.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	o := nereid.Options{NumWarps: s.NumWarps, NumStages: s.NumStages}
	c, err := k.CompileFor(t.Context(), target, s.Signature, o, "")
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	f := asmFacts(string(c.Stage("amdgcn")))
	f.LDS = c.Info().Shared
	return f
}

// asmFacts reads the metadata and the loops of assembly.
func asmFacts(text string) codeFacts {
	number := func(key string) int {
		m := regexp.MustCompile(`\.` + key + `:\s+(\d+)`).FindStringSubmatch(text)
		if m == nil {
			return 0
		}
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return codeFacts{VGPRs: number("vgpr_count"), SGPRs: number("sgpr_count"),
		Spills: number("vgpr_spill_count") + number("sgpr_spill_count"), Loops: countLoops(text)}
}

// askTriton has Triton compile the sample kernels and keeps the facts of its code.
func askTriton(t *testing.T, chip, path string) {
	t.Helper()
	dir := t.TempDir()
	if out, err := txtest.Oracle(t, "stages", dir, "--target", "hip:"+chip); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.amdgcn"))
	if err != nil || len(files) == 0 {
		t.Fatalf("Triton wrote no assembly: %v", err)
	}
	all := map[string]codeFacts{}
	for _, file := range files {
		base := file[:len(file)-len(".amdgcn")]
		f := asmFacts(txtest.Read(t, file))
		var about struct{ Shared int }
		readJSON(t, base+".json", &about)
		f.LDS = about.Shared
		all[filepath.Base(base)] = f
	}
	data, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(txtest.Read(t, path)), into); err != nil {
		t.Fatal(err)
	}
}
