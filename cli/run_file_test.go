package cli

import "testing"

// TestTensorFile: which arguments name a file, and a tensor in it. The name of a file may begin with a dot,
// and that of a tensor may hold a colon.
func TestTensorFile(t *testing.T) {
	for text, want := range map[string]struct {
		file, name string
		ok         bool
	}{
		"x.npy":                   {"x.npy", "", true},
		"w.safetensors":           {"w.safetensors", "", true},
		"w.safetensors:a.b":       {"w.safetensors", "a.b", true},
		".safetensors:a":          {".safetensors", "a", true},
		".safetensors":            {".safetensors", "", true},
		"a.safetensors:b.npy":     {"a.safetensors:b.npy", "", true},
		"d/w.safetensors:l:0":     {"d/w.safetensors", "l:0", true},
		"x.npy:a":                 {"", "", false},
		"fp32[8]":                 {"", "", false},
		"w.safetensors.old":       {"", "", false},
		"a.safetensors:b.safet:c": {"a.safetensors", "b.safet:c", true},
	} {
		if file, name, ok := tensorFile(text); file != want.file || name != want.name || ok != want.ok {
			t.Errorf("%q: %q, %q, %v, want %+v", text, file, name, ok, want)
		}
	}
}
