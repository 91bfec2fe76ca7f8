package main

import (
	"slices"
	"strings"
	"testing"
)

// TestFaults lists the faults of a small function, each of which changes one place.
func TestFaults(t *testing.T) {
	const src = "package p\n\nfunc f(a, b int) bool {\n\tif a < b {\n\t\tg(1)\n\t}\n\ta += 2\n\treturn true\n}\n"
	list, err := faultsOf("p.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range list {
		got = append(got, f.String())
		if text := string(f.text()); text == src || strings.Count(text, "\n") != strings.Count(src, "\n") {
			t.Errorf("%v gives\n%s", f, text)
		}
	}
	want := []string{"p.go:4: a < b -> !(a < b)", "p.go:4: < -> <=", "p.go:5: g(1) -> ", "p.go:5: 1 -> 2",
		"p.go:7: a += 2 -> ", "p.go:7: 2 -> 3", "p.go:8: true -> false"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
