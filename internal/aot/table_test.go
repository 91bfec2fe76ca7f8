package aot

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nereid-lang/nereid"
)

const scaleKernel = `
import triton
import triton.language as tl

@triton.jit
def scale(out, x, n, factor, BLOCK: tl.constexpr, NEGATE: tl.constexpr = False):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.load(x + at, mask=at < n) * factor
    if NEGATE:
        y = -y
    tl.store(out + at, y, mask=at < n)
`

// write makes files in a new folder and returns its path.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// read reads a table whose text is given.
func read(t *testing.T, name, text string) (*Table, error) {
	t.Helper()
	dir := write(t, map[string]string{"scale.py": scaleKernel, name: text})
	table, err := Read(filepath.Join(dir, name), ReadOptions{})
	if table != nil {
		for i := range table.Variants {
			v := &table.Variants[i]
			v.File = filepath.Base(v.File)
		}
	}
	return table, err
}

// A table is read as ONNX Runtime writes them: patterns at the level of the module, a helper inside of the
// function, kwargs with num_warps and constants.
func TestPythonTable(t *testing.T) {
	table, err := read(t, "t.py", scaleKernel+`
dtypes = ["fp32", "fp16"]
name_pattern = "scale_{}_{}"
sig_pattern = "*{},*{},i32,fp32"

def get_function_table():
    func_table = []
    def get_num_warps(block):
        num_warps = 4
        if block >= 2048:
            num_warps = 8
        return num_warps
    for dtype in dtypes:
        for b in [1024, 2048]:
            kwargs = {"num_warps": get_num_warps(b), "constants": {"BLOCK": b}}
            func_desc = {"name": name_pattern.format(dtype, b), "group": f"scale_{dtype}", "func": scale,
                         "sig": sig_pattern.format(dtype, dtype), "kwargs": kwargs}
            func_table.append(func_desc)
    return func_table

if __name__ == "__main__":
    print(get_function_table())
`)
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Variants) != 4 || strings.Join(table.Groups(), " ") != "scale_fp16 scale_fp32" {
		t.Errorf("%+v", table)
	}
	want := Variant{Name: "scale_fp16_2048", Group: "scale_fp16", File: "t.py", Kernel: "scale",
		Signature: "*fp16, *fp16, i32, fp32, 2048, False", Options: nereid.Options{NumWarps: 8}}
	if d := cmp.Diff(want, table.Variants[3]); d != "" {
		t.Error(d)
	}
}

// Signatures and constants come in several forms, options under Triton's names, kernels from other files.
func TestRowForms(t *testing.T) {
	for _, test := range []struct{ row, want string }{
		{`"sig": "*fp32; *fp32; i32; fp32", "kwargs": {"constants": {"BLOCK": 64}}`,
			"*fp32, *fp32, i32, fp32, 64, False"},
		{`"sig": "*fp32:16, *fp32:16, i32, fp32, 64, True"`, "*fp32:16, *fp32:16, i32, fp32, 64, True"},
		{`"sig": ["*fp32", "*fp32", "i32", "fp32"], "kwargs": {"constants": {4: 32, "NEGATE": True}}`,
			"*fp32, *fp32, i32, fp32, 32, True"},
		{`"sig": {"out": "*bf16", "x": "*bf16", "n": "i64:16", "factor": "fp32", "BLOCK": "constexpr"},
		  "kwargs": {"constants": {"BLOCK": 32}}`, "*bf16, *bf16, i64:16, fp32, 32, False"},
		{`"sig": {0: "*fp32", 1: "*fp32", 2: "i32", 3: "fp32"}, "kwargs": {"constants": {"BLOCK": 8}}`,
			"*fp32, *fp32, i32, fp32, 8, False"},
		{`"sig": "*fp32, *fp32, i32", "kwargs": {"constants": {"BLOCK": 16, "factor": 2.5}}`,
			"*fp32, *fp32, i32, 2.5, 16, False"},
		{`"sig": "*fp32, *fp32, i32, fp32", "kwargs": {"BLOCK": 128, "num_warps": 2, "NEGATE": True}`,
			"*fp32, *fp32, i32, fp32, 128, True"},
		{`"sig": "*fp32, *fp32, i32, fp32", "kwargs": {"BLOCK": 128, "constants": {"NEGATE": True}}`,
			"*fp32, *fp32, i32, fp32, 128, True"},
	} {
		table, err := read(t, "t.py",
			"from scale import scale\ndef get_function_table():\n  return [{'name': 'a', 'func': scale, "+
				test.row+"}]\n")
		if err != nil {
			t.Errorf("%s: %v", test.row, err)
			continue
		}
		if v := table.Variants[0]; v.Signature != test.want || v.File != "scale.py" {
			t.Errorf("%s: %s in %s, want %s", test.row, v.Signature, v.File, test.want)
		}
	}
	table, err := read(t, "t.py", `
from scale import scale
def get_function_table():
    return [dict(name="a", func=scale, sig="*fp32, *fp32, i32, fp32, 64",
                 kwargs={"num_stages": 2, "num_ctas": 2,
                         "options": {"maxnreg": 64, "sanitize_overflow": False, "debug": None}})]
`)
	if err != nil {
		t.Fatal(err)
	}
	want := nereid.Options{NumStages: 2, NumCTAs: 2, MaxNReg: 64, NoSanitizeOverflow: true}
	if got := table.Variants[0].Options; got != want {
		t.Errorf("options %+v, want %+v", got, want)
	}
}

// A wrong table is an error that says what was expected, with the place.
func TestWrongPythonTables(t *testing.T) {
	row := func(rest string) string {
		return "from scale import scale\ndef get_function_table():\n" +
			"  return [{'name': 'a', 'func': scale,\n" + rest + "}]\n"
	}
	for _, test := range []struct{ text, want string }{
		{"x = 1\n",
			"t.py has no get_function_table(): it returns a list of {name, group, func, sig, kwargs}"},
		{"def get_function_table():\n  return []\n", "the table has no variants"},
		{"def get_function_table():\n  return 3\n",
			"t.py:1:5: error: TypeError: get_function_table() must return a list"},
		{"def get_function_table():\n  return [3]\n",
			"t.py:1:5: error: entry 1: expected a dictionary with name, group"},
		{"def get_function_table():\n  return [] + undefined\n",
			"t.py:2:15: error: NameError: name 'undefined'"},
		{"def get_function_table():\n  return [\n", "t.py:2:10: error: "},
		{row("'sig': '*fp32, *fp32, i32, fp33', 'kwargs': {'constants': {'BLOCK': 64}}"),
			"t.py:4:8: error: variant a: parameter factor: "},
		{row("'sig': '*fp32, *fp32, i32', 'kwargs': {'constants': {'BLOCK': 64}}"),
			"t.py:4:8: error: variant a: the signature has 3 types, and the kernel needs 4"},
		{row("'sig': '*fp32, *fp32, i32, fp32'"),
			"the signature has 4 types, and the kernel needs 5"},
		{row("'sig': {'out': '*fp32'}, 'kwargs': {'constants': {'BLOCK': 64}}"),
			"parameter x has neither a type nor a constant"},
		{row("'kwargs': {}"), "sig is missing"},
		{row("'sig': '', 'kwargs': {'BLOCK': 64, 'constants': {'BLOCK': 32}}"),
			"BLOCK is given twice: in kwargs, and in their constants"},
		{row("'sig': '*fp32, *fp32, i32, fp32, 64', 'kwargs': {'BLOK': 64}"), "there is no option \"BLOK\""},
		{row("'sig': '', 'kwargs': {'constants': {'BLOK': 64}}"),
			"t.py:4:36: error: variant a: there is no parameter \"BLOK\": did you mean BLOCK?"},
		{row("'sig': '*fp32, *fp32, i32, fp32, 64', 'kwargs': {'num_warp': 4}"),
			"t.py:4:49: error: variant a: there is no option \"num_warp\": did you mean num_warps?"},
		{row("'sig': '*fp32, *fp32, i32, fp32, 64', 'kwargs': {'num_warps': 'x'}"),
			"option num_warps must be of type int, not string"},
		{row("'sgi': ''"), "unknown key \"sgi\""},
		{row("'sig': '*fp32, *fp32, i32, fp32, 64', 'when': 'BLOK'"),
			"there is no BLOK: did you mean BLOCK?"},
		{row("'sig': '*fp32, *fp32, i32, fp32, 64', 'grid': 3"), "variant a: "},
		{row("'sig': '*fp32, *fp32, i32, fp32, 64', 'grid': [3]"),
			"grid must be a string or a list of strings"},
		{"def f(): pass\ndef get_function_table():\n  return [{'name': 'a', 'func': f, 'sig': ''}]\n",
			"t.py:3:33: error: variant a: func must be a function under @triton.jit, not a value of Python " +
				"type function"},
		{"def get_function_table():\n  return [{'name': 'a'}]\n",
			"t.py:1:5: error: variant a: func is missing"},
		{"def get_function_table():\n  return [{'name': 1}]\n",
			"entry 1: name must be a string, not the constant 1"},
		{"from scale import scale\ndef get_function_table():\n" +
			"  return 2 * [{'name': 'a', 'func': scale, 'sig': '*fp32, *fp32, i32, i32, 8'}]\n",
			"t.py:3:24: error: variant a: a second variant is called \"a\""},
	} {
		if _, err := read(t, "t.py", test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\ngives %v\nwant %s", test.text, err, test.want)
		}
	}
	if _, err := read(t, "t.txt", ""); err == nil || !strings.Contains(err.Error(), "a table is a .py file") {
		t.Error(err)
	}
}

// Select takes groups and names, and knows what is missing.
func TestSelect(t *testing.T) {
	table := &Table{File: "t",
		Variants: []Variant{{Name: "a1", Group: "a"}, {Name: "a2", Group: "a"}, {Name: "b"}}}
	for _, test := range []struct {
		groups, names []string
		want          string
	}{
		{nil, nil, "a1 a2 b"},
		{[]string{"a"}, nil, "a1 a2"},
		{nil, []string{"b", "a2"}, "a2 b"},
		{[]string{"c"}, nil, `t: there is no group "c": there are a`},
		{nil, []string{"a3"}, `t: there is no variant "a3": there are a1, a2, b`},
	} {
		list, err := table.Select(test.groups, test.names)
		var got []string
		for _, v := range list {
			got = append(got, v.Name)
		}
		if text := strings.Join(got, " "); err == nil && text != test.want || err != nil &&
			err.Error() != test.want {
			t.Errorf("%v %v: %s, %v, want %s", test.groups, test.names, text, err, test.want)
		}
	}
}
