package triton

import "testing"

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text, want, chosen, release string
		fails                       bool
	}{
		{text: "", want: "3.6", chosen: "", release: "3.6.0"},
		{text: "3.6", want: "3.6", chosen: "", release: "3.6.0"},
		{text: "3.7.1", want: "3.7", chosen: "3.7", release: "3.7.1"},
		{text: "3.9", want: "3.9", chosen: "3.9", release: "3.9.0"},
		{text: "3.9+block_ptr", want: "3.9+block_ptr", chosen: "3.9+block_ptr", release: "3.9.0"},
		{text: "3.8+block_ptr", want: "3.8", chosen: "3.8", release: "3.8.0"},
		{text: "3.6+gluon", want: "3.6+gluon", chosen: "3.6+gluon", release: "3.6.0"},
		{text: "3.9+block_ptr+gluon", want: "3.9+block_ptr+gluon", chosen: "3.9+block_ptr+gluon",
			release: "3.9.0"},
		{text: "3.5", fails: true},
		{text: "3.10", fails: true},
		{text: "4.9", fails: true},
		{text: "3", fails: true},
		{text: "3.9+", fails: true},
		{text: "3.9+advance", fails: true},
	} {
		v, err := Parse(c.text)
		if (err != nil) != c.fails {
			t.Errorf("%q: %v", c.text, err)
		}
		if err == nil && (v.String() != c.want || v.Chosen() != c.chosen || v.Release() != c.release) {
			t.Errorf("%q: %s, %q, %s", c.text, v, v.Chosen(), v.Release())
		}
	}
}

func TestHas(t *testing.T) {
	kept := V39.KeepBlockPtr()
	for _, c := range []struct {
		v    Version
		f    Feature
		want bool
	}{
		{Version{}, Negation, false}, {V37, Negation, false}, {V38, Negation, true}, {V39, Negation, true},
		{Version{}, BlockPointers, true}, {V38, BlockPointers, true}, {V39, BlockPointers, false},
		{kept, BlockPointers, true}, {kept, KeywordOptions, false}, {kept, KeepBF16, true},
		{V39, KeywordOptions, true}, {V38, BlockPointersByHand, true}, {V39, BlockPointersByHand, false},
	} {
		if got := c.v.Has(c.f); got != c.want {
			t.Errorf("%s: %q: %v", c.v, c.f.Row().What, got)
		}
	}
}

// TestFeatures: every feature has a row that some releases have and some have not.
func TestFeatures(t *testing.T) {
	for _, f := range Features() {
		n := 0
		for _, v := range Releases {
			if v.Has(f) {
				n++
			}
		}
		if n == 0 || n == len(Releases) || f.Row().What == "" {
			t.Errorf("feature %d (%q): %d releases have it", f, f.Row().What, n)
		}
	}
}

func TestOfFile(t *testing.T) {
	for _, c := range []struct {
		src, want string
		fails     bool
	}{
		{src: "import triton\n", want: "3.6"},
		{src: "# nereid: triton 3.8\nimport triton\n", want: "3.8"},
		{src: "#!/usr/bin/env python\n\n# Copyright\n# nereid: triton 3.9+block_ptr  \n", want: "3.9+block_ptr"},
		{src: "import triton\n# nereid: triton 3.8\n", want: "3.6"},
		{src: "# nereid: triton 2.0\n", fails: true},
	} {
		v, err := OfFile([]byte(c.src))
		if (err != nil) != c.fails || err == nil && v.String() != c.want {
			t.Errorf("%q: %s, %v", c.src, v, err)
		}
	}
}
