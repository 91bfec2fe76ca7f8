package aot

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// scaleTable returns variants of the scale kernel: two blocks, two numbers of warps.
func scaleTable(t *testing.T) []Variant {
	t.Helper()
	txtest.LLVM(t, llvm.Load)
	dir := write(t, map[string]string{"scale.py": scaleKernel, "t.toml": `
[[variants]]
kernel = "scale.py:scale"
name = "scale_{BLOCK}_w{num_warps}"
group = "scale"
signature = "*fp32, *fp32, i32, fp32"
constants.BLOCK = [64, 256]
options.num_warps = [2, 4]
`})
	table, err := Read(filepath.Join(dir, "t.toml"), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return table.Variants
}

// built returns the bytes of a bundle of variants, and the bundle.
func built(t *testing.T, variants []Variant, o BuildOptions) ([]byte, *bundle.File, *Built) {
	t.Helper()
	b, err := Build(t.Context(), variants, o)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := b.Writer.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	f, err := bundle.OpenBytes(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), f, b
}

// The same table gives the same bytes, whatever the order of its rows, the number of workers and its folder.
func TestBuildTwice(t *testing.T) {
	targets := []string{"cuda:80", "cuda:90", "hip:gfx942", "cpu:x86-64-v3", "cpu:aarch64"}
	first, f, b := built(t, scaleTable(t), BuildOptions{Targets: targets, Workers: 1})
	again := scaleTable(t)
	rand.Shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
	second, _, _ := built(t, again, BuildOptions{Targets: targets, Workers: 4})
	if !bytes.Equal(first, second) {
		t.Error("two builds of a table differ")
	}
	if f.Len() != 20 || b.Stats.Variants != 20 || b.Stats.Compiled != 16 {
		t.Errorf("%d entries, %+v", f.Len(), b.Stats)
	}
	if faults := f.Verify(); len(faults) > 0 {
		t.Error(faults)
	}
	if bytes.Contains(first, []byte("TestBuildTwice")) {
		t.Error("the bundle names the folder of the table")
	}
}

// Each entry has what a launch must know, PTX beside a cubin, and on the CPU shares its code with variants
// that differ in options of GPUs alone.
func TestEntries(t *testing.T) {
	_, f, b := built(t, scaleTable(t), BuildOptions{Targets: []string{"cuda:90", "cpu:x86-64-v3"}})
	gpu, host, host4 := entry(t, f, "scale_64_w2", "cuda:90"), entry(t, f, "scale_64_w2", "cpu:x86-64-v3"),
		entry(t, f, "scale_64_w4", "cpu:x86-64-v3")
	ptx, err := f.Read(gpu, bundle.PartPTX)
	if err != nil || !bytes.Contains(ptx, []byte(".target sm_90\n")) {
		t.Errorf("PTX that later GPUs do not take: %v\n%.200s", err, ptx)
	}
	if cubins := strings.Contains(gpu.Generator, "ptxas"); cubins != (gpu.Part(bundle.PartCubin) != nil) {
		t.Errorf("%s makes %v", gpu.Generator, gpu.Parts)
	}
	s, err := f.Saved(host4, bundle.PartObj)
	if err != nil || s.Options.NumWarps != 4 || s.Kernel != "scale" || s.Constants["BLOCK"] != "64" ||
		s.Signature != "*fp32, *fp32, i32, fp32, 64, False" || !strings.Contains(s.Machine, "+avx2") {
		t.Errorf("%+v, %v", s, err)
	}
	code, _ := f.Read(host, bundle.PartObj)
	if !bytes.Equal(code, s.Code) {
		t.Error("code for the CPU depends on the number of warps")
	}
	if host.Source == "" || host.Source != gpu.Source || !strings.HasPrefix(host.Generator, "llvm ") {
		t.Errorf("%+v", host)
	}
	if len(b.Stats.Stages) < 6 || b.Stats.Stages[0].Took <= 0 {
		t.Errorf("%+v", b.Stats)
	}
}

func entry(t *testing.T, f *bundle.File, name, target string) *bundle.Entry {
	t.Helper()
	for i := range f.Len() {
		if e := f.Entry(i); e.Name == name && e.Target == target {
			return e
		}
	}
	t.Fatalf("there is no %s for %s", name, target)
	return nil
}

// A kernel that fails for a target fails the build, with the variant's name, or is left out if that was asked
// for.
func TestBuildFails(t *testing.T) {
	list := scaleTable(t)
	list[1].Options.NumCTAs = 2 // clusters are Hopper's
	o := BuildOptions{Targets: []string{"cuda:80", "cpu:x86-64-v2"}}
	_, err := Build(t.Context(), list, o)
	if err == nil || !strings.Contains(err.Error(), list[1].Name+" for cuda:80: ") ||
		!strings.HasSuffix(err.Error(), "\n1 of 6 compilations failed") {
		t.Errorf("%v", err)
	}
	o.Skip = true
	_, f, b := built(t, list, o)
	if f.Len() != 7 || len(b.Skipped) != 1 || len(f.Named(list[1].Name)) != 1 {
		t.Errorf("%d entries, skipped %v", f.Len(), b.Skipped)
	}
}

// Variants are compiled only for the targets that they name.
func TestVariantTargets(t *testing.T) {
	list := scaleTable(t)[:2]
	list[0].Targets = []string{"cuda:90"}
	_, f, _ := built(t, list, BuildOptions{Targets: []string{"cpu:x86-64-v2"}})
	if f.Len() != 1 || f.Entry(0).Name != list[1].Name {
		t.Errorf("%d entries", f.Len())
	}
	if _, err := Build(t.Context(), list[:1], BuildOptions{Targets: []string{"cpu"}}); err == nil ||
		err.Error() != "no variant is for any of the targets" {
		t.Error(err)
	}
}

// A build ends soon after its context.
func TestBuildStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := BuildOptions{Targets: []string{"cpu:x86-64-v2"}, Workers: 1}
	o.Step = func(begun, all int, what string) {
		if begun == 1 {
			cancel()
		}
		if begun > 1 {
			t.Errorf("%s is compiled after the end", what)
		}
	}
	if _, err := Build(ctx, scaleTable(t), o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Unknown targets are errors that say which there are.
func TestCheckTargets(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	for target, want := range map[string]string{
		"cpu:banana":  `the target "cpu:banana": there is no CPU "banana": expected cpu for this machine's`,
		"cuda:banana": `the target "cuda:banana" has no compute capability: write cuda:90`,
		"cuda":        "has no compute capability",
		"cuda:12":     `the target "cuda:12": unknown NVIDIA architecture "sm_12"; known: `,
		"gpu":         `there is no code ahead of time for the target "gpu": expected cuda:80`,
		"interp":      "there is no code ahead of time",
		"hip:gfx1":    `the target "hip:gfx1": unknown chip "gfx1" (have gfx1100, `,
		"":            "there is no code",
	} {
		if err := CheckTargets([]string{target}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", target, err, want)
		}
	}
	if err := CheckTargets([]string{"cuda:90", "cuda:90"}); err == nil ||
		err.Error() != "the target cuda:90 is named twice" {
		t.Error(err)
	}
	if err := CheckTargets(nil); err == nil {
		t.Error("no targets")
	}
	good := []string{"cuda:75", "cuda:90", "hip:gfx942", "cpu", "cpu:x86-64-v4", "cpu:aarch64"}
	if err := CheckTargets(good); err != nil {
		t.Error(err)
	}
}

// PTX of Hopper's own instructions stays Hopper's.
func TestPortable(t *testing.T) {
	const fence = ".entry k() { wgmma.fence; }\n"
	for text, want := range map[string]string{
		".version 8.3\n.target sm_90a, debug\n": ".version 8.3\n.target sm_90, debug\n",
		".target sm_80\n":                       ".target sm_80\n",
		".target sm_90a\n" + fence:              ".target sm_90a\n" + fence,
	} {
		if got := string(portable([]byte(text))); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
