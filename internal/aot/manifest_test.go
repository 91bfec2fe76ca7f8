package aot

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nereid-lang/nereid"
)

// A manifest has ranges, conditions, computed values, options of every kind, and targets.
func TestManifest(t *testing.T) {
	table, err := read(t, "t.toml", `
targets = ["cuda:90", "cpu:x86-64-v3"]

[[variants]]
kernel = "scale.py:scale"
name = "scale_{dtype}_{BLOCK:04d}_w{num_warps}"
group = "scale_{dtype}"
signature = "*{dtype}:16, *{dtype}:16, i32, fp32"
where = ["num_warps * 32 <= BLOCK", "dtype != 'fp16' or BLOCK < 256"]

[variants.vars]
dtype = ["fp32", "fp16"]

[variants.constants]
BLOCK = { from = 64, to = 512, times = 2 }

[variants.options]
num_warps = { from = 2, to = 16, times = 2 }
num_stages = "= 3 if BLOCK > 256 else 2"
maxnreg = 64
sanitize_overflow = false
enable_fp_fusion = false
num_ctas = 2
extern_libs = { b = "b.bc", a = "a.bc" }

[[variants]]
kernel = "scale.py:scale"
name = "negated"
signature = { out = "*bf16", x = "*bf16", n = "i32", factor = "fp32" }
targets = ["cuda:90"]
constants = { BLOCK = { from = 32, to = 32, step = 8 }, NEGATE = "= BLOCK == 32" }
`)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range table.Variants {
		names = append(names, v.Name)
	}
	want := "scale_fp32_0064_w2 scale_fp32_0128_w2 scale_fp32_0128_w4 scale_fp32_0256_w2 " +
		"scale_fp32_0256_w4 scale_fp32_0256_w8 scale_fp32_0512_w2 scale_fp32_0512_w4 scale_fp32_0512_w8 " +
		"scale_fp32_0512_w16 scale_fp16_0064_w2 scale_fp16_0128_w2 scale_fp16_0128_w4 negated"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("variants\n%s, want\n%s", got, want)
	}
	if got := strings.Join(table.Targets, " "); got != "cuda:90 cpu:x86-64-v3" {
		t.Error(got)
	}
	last := table.Variants[len(table.Variants)-1]
	if d := cmp.Diff(Variant{Name: "negated", File: "scale.py", Kernel: "scale", Targets: []string{"cuda:90"},
		Signature: "*bf16, *bf16, i32, fp32, 32, True"}, last); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(Variant{Name: "scale_fp32_0512_w16", Group: "scale_fp32", File: "scale.py",
		Kernel: "scale", Signature: "*fp32:16, *fp32:16, i32, fp32, 512, False",
		Options: nereid.Options{NumWarps: 16, NumStages: 3, MaxNReg: 64, NoSanitizeOverflow: true,
			NoFPFusion: true, NumCTAs: 2, ExternLibs: "a=a.bc,b=b.bc"},
	}, table.Variants[9]); d != "" {
		t.Error(d)
	}
}

// A wrong manifest is an error with its place.
func TestWrongManifests(t *testing.T) {
	const head = "[[variants]]\nkernel = 'scale.py:scale'\n"
	const types = "signature = '*fp32, *fp32, i32, fp32'\n"
	const named = head + "name = 'a'\n" + types
	for _, test := range []struct{ text, want string }{
		{"", "the table has no variants"},
		{"targets = [", "t.toml:1:11: error: unexpected EOF; expected value"},
		{"[[variants]]\nname = 'a'\nname = 'b'\n", "t.toml:3:1: error: "},
		{"target = ['cpu']\n",
			"t.toml:1:1: error: unknown key \"target\" [table]\n    target = ['cpu']\n    ^~~~~~\n" +
				"hint: did you mean targets?"},
		{"[[kernel]]\nfile = 'scale.py'\n", "t.toml:1:3: error: unknown key \"kernel\""},
		{head + "[variants.constant]\nBLOCK = [64]\n", "t.toml:3:11: error: unknown key \"constant\""},
		{head + "wher = ''\n", "t.toml:3:1: error: unknown key \"wher\""},
		{"[[variants]]\nname = 'a'\n", "t.toml:1:1: error: variants 1: kernel is \"\": expected " +
			"FILE.py:KERNEL"},
		{"[[variants]]\nkernel = 'no.py:k'\n", "t.toml:2:1: error: no.py:k: open "},
		{"[[variants]]\nkernel = 'scale.py:scal'\n", "t.toml:2:1: error: scale.py:scal: "},
		{head + "name = 'a'\n", "t.toml:1:1: error: scale.py:scale: signature is missing"},
		{head + types, "name is missing"},
		{head + "name = 'a'\nsignature = '*fp32, *fp32, i32, f32x'\nconstants.BLOCK = 8\n",
			"t.toml:4:1: error: scale.py:scale: parameter factor: "},
		{named + "constants.BLOK = 8\n",
			"t.toml:5:11: error: scale.py:scale: there is no parameter \"BLOK\": did you mean BLOCK?"},
		{named + "options.num_warp = 8\nconstants.BLOCK = 8\n",
			"there is no option \"num_warp\": did you mean num_warps?"},
		{head + "name = '{x}'\n" + types, "t.toml:3:1: error: scale.py:scale: NameError: name 'x' is " +
			"not defined"},
		{named + "where = 'BLOCK <'\nconstants.BLOCK = 8\n",
			"t.toml:5:1: error: scale.py:scale: BLOCK < is no expression: "},
		{named + "where = 'BLOCK / 0'\nconstants.BLOCK = 8\n",
			"t.toml:5:1: error: scale.py:scale: ZeroDivisionError: "},
		{named + "where = ')\\nimport os\\n('\nconstants.BLOCK = 8\n",
			"is no expression: "},
		{named + "constants.BLOCK = [8, 16]\n", "a second variant is called \"a\""},
		{named + "constants.BLOCK = []\n",
			"t.toml:5:11: error: scale.py:scale: BLOCK has no values"},
		{named + "constants.BLOCK = { from = 8, to = 64 }\n",
			"a range is {from, to, step} or {from, to, times}"},
		{named + "constants.BLOCK = { from = 8, to = 64, times = 1 }\n",
			"a range must grow"},
		{named + "constants.BLOCK = { from = 1, to = 9000000000, step = 1 }\n",
			"a range of more than 4096 values"},
		{named + "constants.BLOCK = 8\nvars.BLOCK = 8\n", "BLOCK has values in two places"},
		{named + "when = 'fator > BLOCK'\nconstants.BLOCK = 8\n",
			"t.toml:5:1: error: scale.py:scale: \"(fator > BLOCK)\": there is no fator: did you mean factor?"},
		{named + "grid = ['1', 'rows']\nconstants.BLOCK = 8\n",
			"t.toml:5:1: error: scale.py:scale: \"rows\": there is no rows: there are BLOCK, "},
		{named + "grid = ['1', '1', '1', '1']\nconstants.BLOCK = 8\n",
			"a grid has three sizes at most"},
		{named + "grid = 3\nconstants.BLOCK = 8\n", "expected a string or a list of strings"},
		{named + "sizes = ['factor']\nconstants.BLOCK = 8\n", "factor is there twice"},
		{named + "constants.BLOCK = 8\n[[operators]]\nname = 'Scale'\ngroup = 'g'\n" +
			"inputs = ['x T']\noutputs = ['y: T[n]']\n",
			"t.toml:9:1: error: operator Scale: \"x T\" is no tensor: expected \"x: T[*rows, n]\""},
		{named + "constants.BLOCK = 8\n[[operators]]\nnames = 'Scale'\n",
			"t.toml:7:1: error: unknown key \"names\""},
	} {
		if _, err := read(t, "t.toml", test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\ngives %v\nwant %s", test.text, err, test.want)
		}
	}
}
