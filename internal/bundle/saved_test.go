package bundle

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/target"
)

func savedSample() *code.Saved {
	return &code.Saved{
		Kernel: "add", File: "add.py", Signature: "*fp32:16, i32, 64", Options: target.Options{NumWarps: 4},
		Params:    []code.SavedParam{{Name: "x", Spec: "*fp32:16"}, {Name: "n", Spec: "i32"}},
		Args:      []code.SavedArg{{Name: "x", Type: "fp32", Pointer: true, Align16: true, Size: 8}},
		Constants: map[string]string{"BLOCK": "64"}, Target: "cuda:90", Machine: "sm_90a",
		Compiler: "nereid 1", Generator: "llvm 22", Facts: target.Facts{Warps: 4}, Stage: PartCubin,
		Meta: []byte(`{"Name":"add"}`), Code: []byte("machine code"),
	}
}

// A compiled kernel comes back from a bundle as it went in, in each form that it has, but for its path.
func TestSaved(t *testing.T) {
	want := savedSample()
	e, parts, err := NewEntry("add_64", "add", "hash", want)
	if err != nil {
		t.Fatal(err)
	}
	parts[PartPTX] = []byte("text")
	f, err := OpenBytes(build(t, []sample{{e, parts}}))
	if err != nil {
		t.Fatal(err)
	}
	for stage, code := range map[string]string{PartCubin: "machine code", PartPTX: "text"} {
		got, err := f.Saved(f.Entry(0), stage)
		if err != nil {
			t.Fatal(err)
		}
		expected := *want
		expected.File, expected.Stage, expected.Code, expected.Size = "", stage, []byte(code), len(code)
		if d := cmp.Diff(&expected, got); d != "" {
			t.Error(d)
		}
	}
	if _, err := f.Saved(f.Entry(0), PartObj); err == nil || !strings.Contains(err.Error(), "has no obj") {
		t.Error(err)
	}
}

// A description that is none, or that is another kernel's, is damage of the entry.
func TestForeignDescription(t *testing.T) {
	e, parts, err := NewEntry("add_64", "add", "hash", savedSample())
	if err != nil {
		t.Fatal(err)
	}
	for _, meta := range []string{"no JSON", `{"kernel":"sub","machine":"sm_90a"}`,
		`{"kernel":"add","machine":"sm_80"}`} {
		parts[PartMeta] = []byte(meta)
		f, err := OpenBytes(build(t, []sample{{e, parts}}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Saved(f.Entry(0), PartCubin)
		var d *Damage
		if !errors.As(err, &d) || d.Entry != "add_64 for cuda:90" || d.Part != PartMeta {
			t.Error(err)
		}
	}
	s := savedSample()
	s.Stage = ""
	if _, _, err := NewEntry("a", "", "", s); err == nil {
		t.Error("an entry without code")
	}
	if !bytes.Equal(s.Code, savedSample().Code) {
		t.Error("NewEntry changes its input")
	}
}
