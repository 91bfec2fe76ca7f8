package conform

import (
	"encoding/json"
	"hash/fnv"
	"testing"

	codes "github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/fingerprint"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/llvm"
	_ "github.com/nereid-lang/nereid/internal/llvm/llvmtest" // LLVM compiles a module once for the whole run
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestFingerprint compiles kernels of the cases and compares the code with a table: a fault that only costs
// speed shows here, and so does one whose wrong results no case sees. The kernels are those that pass through
// every statement of the compiler, and some more.
func TestFingerprint(t *testing.T) {
	txtest.LLVMTool(t, "opt")
	type share struct {
		target, chosen string
		part           uint32
	}
	shares := []share{{"cuda:90", "cuda:90", 20}, {"hip:gfx942", "hip:gfx942", 48},
		{"cpu:x86-64-v3", "cpu", 48}}
	var rows []fingerprint.Row
	seen := map[string]bool{}
	for _, c := range all() {
		key := c.module.name + " " + c.kernel + " " + c.signature()
		if c.refused || c.compile || c.gpuless != "" || seen[key] {
			continue
		}
		seen[key] = true
		var targets []fingerprint.Target
		for _, s := range shares {
			if chosenFor(s.chosen)[c.name] || lot(c.name)%s.part == 0 {
				targets = append(targets, fingerprint.Target{Name: s.target})
			}
		}
		src, err := c.module.source()
		if err != nil {
			t.Fatal(err)
		}
		if n := lot("another " + c.name); n%20 == 0 {
			rows = append(rows, another(c, src, n/20))
		}
		if targets == nil {
			continue
		}
		rows = append(rows, fingerprint.Row{Targets: targets, Kernel: fingerprint.Kernel{Name: c.name,
			Source: src, Kernel: c.kernel, Signature: c.signature()}})
	}
	fingerprint.Compare(t, "testdata/fingerprint.txt", rows)
}

// another returns a row of a case under options, or for a target, that few have.
func another(c *testCase, src *lang.Source, n uint32) fingerprint.Row {
	k := fingerprint.Kernel{Name: "another/" + c.name, Source: src, Kernel: c.kernel,
		Signature: c.signature()}
	to := fingerprint.Target{Name: "cuda:90"}
	switch n % 12 {
	case 0, 1, 2, 3:
		k.Options.NumWarps = []int{1, 2, 8, 16}[n%12]
	case 4, 5:
		k.Options.NumCTAs = 2 << (n % 2)
	case 6:
		k.Options.Check = true
	case 7:
		to.Way = codes.Way{Fallback: true, Merge: 4}
	case 8:
		to.Name = "hip:gfx90a"
	case 9:
		to.Name = "hip:gfx1100"
	case 10:
		to.Name, k.Options.Check = "cpu:x86-64-v2", true
	case 11:
		to.Name, k.Options.Overlap = "cpu:neoverse-v1", true
	}
	return fingerprint.Row{Kernel: k, Targets: []fingerprint.Target{to}}
}

// lot is a number by which cases are drawn: a new case changes nothing for the others.
func lot(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()
}

// sampleSpec is a sample kernel, as kernels/specs.json has it.
type sampleSpec struct {
	Name, File, Kernel, Signature string
	Warps                         int `json:"num_warps"`
	Stages                        int `json:"num_stages"`
}

// row returns the row of a sample in a form.
func (s *sampleSpec) row(t *testing.T, form string, o codes.Options, to fingerprint.Target) fingerprint.Row {
	t.Helper()
	text := txtest.Read(t, txtest.Path(t, "kernels", s.File))
	src, err := lang.Load(s.File, []byte(text), lang.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	to.Count = true
	return fingerprint.Row{Targets: []fingerprint.Target{to}, Kernel: fingerprint.Kernel{
		Name: s.Name + "/" + form, Source: src, Kernel: s.Kernel, Signature: s.Signature, Options: o}}
}

// sampleSpecs returns the sample kernels.
func sampleSpecs(t *testing.T) (specs []sampleSpec) {
	t.Helper()
	list := txtest.Read(t, txtest.Path(t, "kernels", "specs.json"))
	if err := json.Unmarshal([]byte(list), &specs); err != nil {
		t.Fatal(err)
	}
	return specs
}

// tableLLVM is the LLVM that made the PTX of testdata/ptx.txt.
const tableLLVM = "22.1.8"

// TestFingerprintPTX compares the PTX of the sample kernels and what launches know of it. Another LLVM may
// make other PTX.
func TestFingerprintPTX(t *testing.T) {
	lib := txtest.LLVM(t, llvm.Load)
	if v := lib.Version().String(); v != tableLLVM {
		txtest.LeftOut(t, "the table is of LLVM %s, this is %s", tableLLVM, v)
	}
	var rows []fingerprint.Row
	for _, s := range sampleSpecs(t) {
		o := codes.Options{NumWarps: s.Warps, NumStages: s.Stages}
		rows = append(rows, s.row(t, "any", o, fingerprint.Target{Name: "cuda:90", Until: "ptx"}))
	}
	fingerprint.Compare(t, "testdata/ptx.txt", rows)
}

// TestFingerprintSamples compiles the sample kernels in every form and for every family of targets, and
// counts the instructions of each kind.
func TestFingerprintSamples(t *testing.T) {
	txtest.LLVMTool(t, "opt")
	type form struct {
		name   string
		to     fingerprint.Target
		change func(*codes.Options)
	}
	gpu := func(way codes.Way) fingerprint.Target { return fingerprint.Target{Name: "cuda:90", Way: way} }
	named := func(name string) fingerprint.Target { return fingerprint.Target{Name: name} }
	const many = codes.Many
	forms := []form{
		{"any", gpu(codes.Way{}), nil},
		{"first", gpu(codes.AnyLaunch), nil},
		{"merged", gpu(codes.Way{Fallback: true, Merge: 4}), nil},
		{"units", gpu(codes.Way{Fallback: true, Merge: 2, Unit: true}), nil},
		{"alone", gpu(codes.Way{Fallback: true, BlocksPerSM: 1}), nil},
		{"many", gpu(codes.Way{Fallback: true, BlocksPerSM: many, Persist: true}), nil},
		{"checked", gpu(codes.Way{}), func(o *codes.Options) { o.Check = true }},
		{"cluster", gpu(codes.Way{}), func(o *codes.Options) { o.NumCTAs = 2 }},
		{"warps", gpu(codes.Way{}), func(o *codes.Options) { o.NumWarps, o.NumStages = 2, 2 }},
		{"sm80", named("cuda:80"), nil},
		{"gfx942", named("hip:gfx942"), nil},
		{"gfx1100", named("hip:gfx1100"), nil},
		{"v3", named("cpu:x86-64-v3"), nil},
		{"overlap", named("cpu:x86-64-v4"), func(o *codes.Options) { o.Overlap = true }},
		{"arm", named("cpu:neoverse-n1"), func(o *codes.Options) { o.Check = true }},
	}
	var rows []fingerprint.Row
	for _, s := range sampleSpecs(t) {
		for _, f := range forms {
			o := codes.Options{NumWarps: s.Warps, NumStages: s.Stages}
			if f.change != nil {
				f.change(&o)
			}
			rows = append(rows, s.row(t, f.name, o, f.to))
		}
	}
	fingerprint.Compare(t, "testdata/samples.txt", rows)
}
