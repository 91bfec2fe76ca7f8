package bundle_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/bundle"
	format "github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/runtime/code"
)

// TestForeign loads code for processors that this machine is not: the error says which, and why.
func TestForeign(t *testing.T) {
	s := newStream(t, "cpu")
	for _, c := range []struct {
		target, machine string // machine replaces that of the code
		want            []string
	}{
		{"cuda:90", "", []string{"softmax_fp32_64 has no code for cpu: cuda:90: this is ", "object files"}},
		{baseline(), "x86_64-unknown-linux-gnu x86-64-v9 +sse2,+avx9",
			[]string{"x86-64-v9", "lacks", "avx9"}},
		{baseline(), "riscv64-unknown-linux-gnu generic +v", []string{"this is "}},
		{baseline(), "aarch64-apple-darwin apple-m9 +neon",
			[]string{"the code is for darwin/arm64 (apple-m9), and this is "}},
	} {
		entries, parts := compileAll(t, softmaxes([]string{c.target}, 64)[:1])
		if c.machine != "" {
			remachine(t, &entries[0], parts[0], c.machine)
		}
		b := open(t, write(t, entries, parts))
		_, err := lookup(t, b, "softmax_fp32_64").Load(s.Device())
		var refused *bundle.TargetError
		if !errors.As(err, &refused) || refused.Device != "cpu" || len(refused.Reasons) != 1 {
			t.Fatal(err)
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s is not in: %v", w, err)
			}
		}
		if b.Loaded() != 0 {
			t.Error("a load that failed counts")
		}
	}
}

// remachine changes the machine of an entry.
func remachine(t *testing.T, e *format.Entry, parts map[string][]byte, machine string) {
	t.Helper()
	var s code.Saved
	if err := json.Unmarshal(parts[format.PartMeta], &s); err != nil {
		t.Fatal(err)
	}
	s.Machine, e.Machine = machine, machine
	meta, err := json.Marshal(&s)
	if err != nil {
		t.Fatal(err)
	}
	parts[format.PartMeta] = meta
}

// TestDamaged changes bytes of a bundle: the entry that they belong to does not load, and the error names it;
// the others load.
func TestDamaged(t *testing.T) {
	data := build(t, softmaxes([]string{baseline()}, 64))
	s := newStream(t, "cpu")
	bad := bytes.Clone(data)
	bad[len(bad)-10] ^= 1 // in a part of the last entry
	b := open(t, bad)
	_, err := lookup(t, b, "softmax_fp32_64").Load(s.Device())
	var d *bundle.DamageError
	if !errors.As(err, &d) || d.Entry != "softmax_fp32_64 for "+baseline() || d.Part != "obj" {
		t.Errorf("%v, %+v", err, d)
	}
	if worst, err := softmax(s, lookup(t, b, "softmax_fp16_64"), 2, 64); err != nil || worst > 1e-3 {
		t.Error(worst, err)
	}
	bad = bytes.Clone(data)
	bad[100] ^= 1
	if _, err := bundle.OpenBytes(bad); !errors.As(err, &d) || d.Entry != "" ||
		!strings.Contains(err.Error(), "index") {
		t.Error(err)
	}
	if _, err := bundle.OpenBytes(data[:len(data)-1]); !errors.As(err, &d) {
		t.Error(err)
	}
}

// TestWrongCode has entries whose checksums are right and whose code is not: errors, no panics and no crash.
func TestWrongCode(t *testing.T) {
	s := newStream(t, "cpu")
	for name, change := range map[string]func(*code.Saved, map[string][]byte){
		"no ELF object file":   func(_ *code.Saved, p map[string][]byte) { p["obj"] = []byte("no code") },
		"is damaged: its meta": func(s *code.Saved, _ map[string][]byte) { s.Kernel = "another" },
		"has no meta":          func(_ *code.Saved, p map[string][]byte) { p["meta"] = nil },
		"is not complete":      func(s *code.Saved, _ map[string][]byte) { s.Meta = []byte(`{}`) },
		"the saved kernel":     func(s *code.Saved, _ map[string][]byte) { s.Params[0].Spec = "banana" },
		"no function nowhere": func(s *code.Saved, _ map[string][]byte) {
			s.Meta = []byte(`{"Entry":"nowhere","Params":5}`)
		},
		"no description of a k": func(_ *code.Saved, p map[string][]byte) { p["meta"] = []byte("{") },
	} {
		entries, parts := compileAll(t, softmaxes([]string{baseline()}, 64)[:1])
		var saved code.Saved
		if err := json.Unmarshal(parts[0]["meta"], &saved); err != nil {
			t.Fatal(err)
		}
		own := bytes.Clone(parts[0]["meta"])
		change(&saved, parts[0])
		if meta, err := json.Marshal(&saved); err != nil {
			t.Fatal(err)
		} else if bytes.Equal(parts[0]["meta"], own) {
			parts[0]["meta"] = meta
		}
		if parts[0]["meta"] == nil {
			delete(parts[0], "meta")
		}
		b := open(t, write(t, entries, parts))
		_, err := lookup(t, b, "softmax_fp32_64").Load(s.Device())
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "softmax") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNoBundle opens what is no bundle.
func TestNoBundle(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "text")
	if err := os.WriteFile(file, bytes.Repeat([]byte("no bundle "), 100), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.Open(file); !errors.Is(err, bundle.ErrFormat) ||
		!strings.Contains(err.Error(), file) {
		t.Error(err)
	}
	if _, err := bundle.Open(filepath.Join(dir, "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := bundle.Open(dir); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Error(err)
	}
	if _, err := bundle.Open(os.DevNull); err == nil || !strings.Contains(err.Error(), "device") {
		t.Error(err)
	}
	if _, err := bundle.OpenFS(nil, "x"); err == nil {
		t.Error("no file system, no error")
	}
	b := open(t, build(t, softmaxes([]string{baseline()}, 64)[:1]))
	v := lookup(t, b, "softmax_fp32_64")
	if err := errors.Join(v.Launch(nil, nereid.Grid{1})); err == nil {
		t.Error("launched on no stream")
	}
	if _, err := v.Load(nil); err == nil {
		t.Error("loaded on no device")
	}
}

// TestNothing calls every method of bundles and variants that nobody opened: no panic, and an error where
// there is one.
func TestNothing(t *testing.T) {
	for _, b := range []*bundle.Bundle{nil, {}} {
		if b.Variants() != nil || b.Groups() != nil || b.Hash() != "" || b.Loaded() != 0 || b.Close() != nil {
			t.Error("a bundle that is not open has something")
		}
		for name, err := range map[string]error{"Lookup": second(b.Lookup("x")),
			"Group": second(b.Group("x"))} {
			if err == nil {
				t.Errorf("%s of nothing works", name)
			}
		}
	}
	for _, v := range []*bundle.Variant{nil, {}} {
		if _, ok := v.Int("x"); ok || v.String() != "" || v.Group() != "" || v.Kernel() != "" ||
			v.Signature() != "" ||
			len(v.Constants()) != 0 || v.Code() != nil || v.Targets() != nil {
			t.Error("a variant of no bundle has something")
		}
		for name, err := range map[string]error{
			"Load": second(v.Load(nil)), "Launch": v.Launch(nil, nereid.Grid{}), "Runs": v.Runs(nil),
			"CodeOn": second(v.CodeOn(nil)),
		} {
			if err == nil {
				t.Errorf("%s of nothing works", name)
			}
		}
	}
}
