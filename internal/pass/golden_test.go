package pass_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// golden is a kernel of testdata/golden: what Triton's front end made of it, and its TTIR.
type golden struct {
	name, source, ttir string // name is cuda-90/add_f32
	target             string // cuda:90
	opts               pass.TTIROptions
}

func goldens(t testing.TB) []golden {
	var list []golden
	for _, f := range txtest.Glob(t, "testdata/golden/*/*.source") {
		dir := filepath.Base(filepath.Dir(f))
		backend, arch, _ := strings.Cut(dir, "-")
		capability := 0
		fmt.Sscan(arch, &capability)
		list = append(list, golden{
			name:   dir + "/" + strings.TrimSuffix(filepath.Base(f), ".source"),
			source: f,
			ttir:   strings.TrimSuffix(f, ".source") + ".ttir",
			target: backend + ":" + arch,
			opts:   pass.TTIRFor(chip.Row(backend, capability, "gfx942")),
		})
	}
	return list
}

// text is a module with its locations.
func text(m *ir.Module) string {
	var b strings.Builder
	ir.Print(&b, m.Op, ir.PrintOptions{Locs: true})
	return b.String()
}

func countOps(m *ir.Module) (counts map[string]int, total int) {
	counts = map[string]int{}
	for op := range m.Op.Ops() {
		counts[op.Name()]++
		total++
	}
	return counts, total
}

// TestGoldenTTIR runs the TTIR pipeline over what Triton's front end made: the result is valid, reads back
// as itself, and has no more operations than Triton's own TTIR, plus 5% at most.
func TestGoldenTTIR(t *testing.T) {
	var table strings.Builder
	for _, g := range goldens(t) {
		m := passtest.Parse(t, g.source, txtest.Read(t, g.source))
		again := m.Clone()
		passtest.Run(t, m, pass.TTIR(g.opts))
		txtest.Equal(t, g.name+": printed and read back", text(m), text(passtest.Parse(t, g.name, text(m))))
		passtest.Run(t, again, pass.TTIR(g.opts))
		txtest.Equal(t, g.name+": made twice", text(m), text(again))
		ours, n := countOps(m)
		theirs, limit := countOps(passtest.Parse(t, g.ttir, txtest.Read(t, g.ttir)))
		if n*100 > limit*105 {
			t.Errorf("%s: %d operations, Triton has %d", g.name, n, limit)
		}
		fmt.Fprintf(&table, "%-34s %4d of Triton's %4d%s\n", g.name, n, limit, differences(ours, theirs))
	}
	t.Logf("operations after the TTIR pipeline:\n%s", table.String())
}

// differences lists the operations that one has more of than the other.
func differences(ours, theirs map[string]int) string {
	names := map[string]bool{}
	for n := range ours {
		names[n] = true
	}
	for n := range theirs {
		names[n] = true
	}
	var b strings.Builder
	for _, n := range slices.Sorted(maps.Keys(names)) {
		if ours[n] != theirs[n] {
			fmt.Fprintf(&b, "\n    %-30s %4d, Triton %4d", n, ours[n], theirs[n])
		}
	}
	return b.String()
}

// writeTTIR writes what our pipeline makes of some goldens and returns the files.
func writeTTIR(t *testing.T, list []golden) []string {
	dir := t.TempDir()
	var files []string
	for _, g := range list {
		m := passtest.Parse(t, g.source, txtest.Read(t, g.source))
		passtest.Run(t, m, pass.TTIR(g.opts))
		file := filepath.Join(dir, strings.ReplaceAll(g.name, "/", "-")+".ttir")
		if err := os.WriteFile(file, []byte(text(m)), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// TestTritonReadsTTIR: Triton's own reader and verifier take all that our pipeline makes.
func TestTritonReadsTTIR(t *testing.T) {
	txtest.Triton(t)
	args := []string{"same"}
	for _, f := range writeTTIR(t, goldens(t)) {
		args = append(args, f, f)
	}
	if out, err := txtest.Oracle(t, args...); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestTritonCompilesTTIR: Triton compiles our TTIR down to the binary. By default that is asked of a few
// kernels; with NEREID_ACCEPT_ALL=1 of all, which takes minutes.
func TestTritonCompilesTTIR(t *testing.T) {
	txtest.Triton(t)
	some := map[string]bool{"cuda-90/softmax_f32_8192": true, "cuda-80/layer_norm_f16": true}
	all := os.Getenv("NEREID_ACCEPT_ALL") == "1"
	type config struct {
		target string
		warps  int
	}
	groups := map[config][]golden{}
	for _, g := range goldens(t) {
		if all || some[g.name] {
			k := config{g.target, warps(t, g)}
			groups[k] = append(groups[k], g)
		}
	}
	for k, list := range groups {
		args := append([]string{"accept", "--target", k.target, "--num-warps", fmt.Sprint(k.warps)},
			writeTTIR(t, list)...)
		if out, err := txtest.Oracle(t, args...); err != nil {
			t.Errorf("%s, %d warps: %v\n%s", k.target, k.warps, err, out)
		}
	}
}

// warps is the number of warps that a golden was compiled for.
func warps(t *testing.T, g golden) int {
	var meta struct {
		NumWarps int `json:"num_warps"`
	}
	if err := json.Unmarshal([]byte(txtest.Read(t, strings.TrimSuffix(g.ttir, "ttir")+"json")),
		&meta); err != nil {
		t.Fatal(err)
	}
	return meta.NumWarps
}
