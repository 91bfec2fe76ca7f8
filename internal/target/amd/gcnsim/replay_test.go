package gcnsim

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	devamd "github.com/nereid-lang/nereid/internal/device/amd"
	"github.com/nereid-lang/nereid/internal/replay"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/amd"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// sample is a recorded launch and the code object that Triton made for it.
type sample struct {
	name   string
	warps  int
	shared int
	wave   int // lanes
	order  Order
	triton bool // the code is Triton's
}

// samples are those whose code objects lie in testdata of package gcn.
var samples = []sample{{name: "0001-add_kernel", warps: 4, wave: 64},
	{name: "0022-softmax_kernel", warps: 4, shared: 8, wave: 64},
	{name: "0033-layer_norm_kernel", warps: 4, shared: 16, wave: 64},
	{name: "0035-matmul_kernel", warps: 4, shared: 2048, wave: 64},
	{name: "0053-row_sum_kernel", warps: 4, shared: 32, wave: 64},
	{name: "0055-total_sum_kernel", warps: 4, shared: 16, wave: 64}}

func (s sample) load(t testing.TB) []byte {
	t.Helper()
	hsaco, err := os.ReadFile(filepath.Join("..", "gcn", "testdata", s.name+".hsaco"))
	if err != nil {
		t.Fatal(err)
	}
	return hsaco
}

// launch returns the launch of a recorded case, and its storages.
func (s sample) launch(t testing.TB) (*replay.Case, *Launch, map[string][]byte) {
	t.Helper()
	c, err := replay.Read(txtest.Path(t, "testdata", "replay", s.name+".safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	mem, got, addr := NewMemory(), map[string][]byte{}, map[string]uint64{}
	for s, b := range c.Before {
		got[s] = slices.Clone(b)
		addr[s] = mem.Alloc(got[s])
	}
	return c, &Launch{Kernel: c.Kernel, Grid: c.Grid, Threads: s.wave * s.warps, LDS: s.shared,
		Args:   c.Words(addr),
		Memory: mem, Order: s.order, NoGlobal: s.triton}, got
}

var floatDot = regexp.MustCompile(`tt\.dot .*tensor<[0-9x]+xf32> \* tensor<[0-9x]+xf32>`)

// replayed runs a case and compares memory with that of the recorded launch.
func (s sample) replayed(t testing.TB, hsaco, ttir []byte) {
	t.Helper()
	c, l, got := s.launch(t)
	c.LessPrecise(ttir)
	c.TF32 = c.TF32 || floatDot.Match(ttir) // the recording GPU's products of float32 were in tf32
	if err := Run(context.Background(), hsaco, l); err != nil {
		t.Fatal(err)
	}
	worst, err := c.Compare(got)
	if err != nil {
		t.Error(err)
	}
	t.Logf("largest difference %.2g", worst)
}

// TestRecorded runs code objects of Triton's with the recorded results.
func TestRecorded(t *testing.T) {
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) { s.replayed(t, s.load(t), nil) })
	}
}

// TestTriton has Triton compile recorded launches and runs, with the recorded results, its code objects and
// those that we make of its TTGIR: some launches for each chip, others at each commit, or all with
// NEREID_TEST_AMD=all.
func TestTriton(t *testing.T) {
	for _, c := range []struct {
		chip       string
		wave, part int
	}{{"gfx942", 64, 12}, {"gfx90a", 64, 30}, {"gfx1100", 32, 26}} {
		t.Run(c.chip, func(t *testing.T) {
			chosen := txtest.Sample(t, c.part)
			var files []string
			for i, file := range txtest.Glob(t, "testdata/replay/*.safetensors") {
				if os.Getenv("NEREID_TEST_AMD") == "all" || chosen(i) {
					files = append(files, file)
				}
			}
			out := tritonObjects(t, c.chip, files)
			for _, file := range files {
				s := sample{name: strings.TrimSuffix(filepath.Base(file), ".safetensors"), wave: c.wave}
				t.Run(s.name, func(t *testing.T) { s.compiled(t, out) })
				t.Run("ours/"+s.name, func(t *testing.T) { s.continued(t, c.chip, out) })
			}
		})
	}
}

// compiled runs a case with the code object that Triton made in a folder.
func (s sample) compiled(t *testing.T, dir string) {
	t.Helper()
	base := filepath.Join(dir, s.name)
	var meta struct {
		Shared   int `json:"shared"`
		NumWarps int `json:"num_warps"`
	}
	if err := json.Unmarshal([]byte(txtest.Read(t, base+".json")), &meta); err != nil {
		t.Fatal(err)
	}
	s.warps, s.shared, s.triton = meta.NumWarps, meta.Shared, true
	s.replayed(t, []byte(txtest.Read(t, base+".hsaco")), []byte(txtest.Read(t, base+".ttir")))
}

// continued runs a case with the code object that we make of Triton's TTGIR in a folder.
func (s sample) continued(t *testing.T, chip, dir string) {
	t.Helper()
	base := filepath.Join(dir, s.name)
	_, kernel, _ := strings.Cut(s.name, "-")
	compiler, err := amd.CompilerFor(chip)
	if err != nil {
		t.Fatal(err)
	}
	made, err := compiler.CompileOnly(t.Context(), &target.Input{
		Kernel: kernel, Given: &target.Given{Stage: "ttgir", Text: []byte(txtest.Read(t, base+".ttgir"))},
	})
	if err != nil {
		t.Fatal(err)
	}
	code, err := made.(*target.Unloaded).Code()
	if err != nil {
		t.Fatal(err)
	}
	about, err := devamd.Kept(code)
	if err != nil {
		t.Fatal(err)
	}
	s.warps, s.shared = about.NumWarps, about.Shared
	s.replayed(t, code.Data, []byte(txtest.Read(t, base+".ttir")))
}

// tritonObjects compiles the kernels of recorded launches and returns the folder of the results.
func tritonObjects(t *testing.T, chip string, files []string) string {
	t.Helper()
	dir := t.TempDir()
	var specs []map[string]any
	for _, file := range files {
		c, err := replay.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		spec := map[string]any{"name": strings.TrimSuffix(filepath.Base(file), ".safetensors"),
			"file": c.Source(txtest.Root(t)), "kernel": c.Kernel, "signature": signature(c)}
		for _, o := range []string{"num_warps", "num_stages"} {
			if v, ok := c.Options[o]; ok {
				spec[o] = v
			}
		}
		specs = append(specs, spec)
	}
	text, err := json.Marshal(specs)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "specs.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := txtest.Oracle(t, "stages", dir, "--specs", path, "--target", "hip:"+chip); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// signature returns what the oracle is told of the arguments.
func signature(c *replay.Case) string {
	var parts []string
	for _, a := range c.Args {
		v, isInt := a.Value.(int64)
		switch text, isText := a.Value.(string); {
		case a.Constexpr && isText:
			parts = append(parts, fmt.Sprintf("%q", text))
		case a.Constexpr && a.Value == true:
			parts = append(parts, "True")
		case a.Constexpr && a.Value == false:
			parts = append(parts, "False")
		case a.Constexpr:
			parts = append(parts, fmt.Sprint(a.Value))
		case a.Kind == replay.Tensor:
			parts = append(parts, "*"+a.Dtype+divisible(a.Offset))
		case isInt && v == 1:
			parts = append(parts, "i32:1")
		case isInt:
			parts = append(parts, "i32"+divisible(v))
		default:
			parts = append(parts, "fp32")
		}
	}
	return strings.Join(parts, ", ")
}

func divisible(v int64) string {
	if v%16 == 0 {
		return ":16"
	}
	return ""
}
