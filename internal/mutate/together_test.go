package main

import (
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// TestBehind puts faults of a function behind numbers: the text stays Go, on the same lines.
func TestBehind(t *testing.T) {
	const src = "package p\n\nfunc f(a, b int) bool {\n\tif a < b && b > 2 {\n\t\tg(1)\n\t}\n\ta += 2\n" +
		"\treturn a == b\n}\n"
	list, err := faultsOf("p.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, f := range list {
		start, end, by, ok := f.behind(i + 1)
		if !ok {
			continue
		}
		got = append(got, by)
		text := src[:start] + by + src[end:]
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", text, 0); err != nil || !f.on(f.line) {
			t.Errorf("%v: %v\n%s", f, err, text)
		}
	}
	want := []string{"(a < b && b > 2) != (planted.At == 1)",
		"((a < b) && (b > 2) || planted.At == 2 && ((a < b) || (b > 2)))",
		"(planted.At != 3 && (a < b) || planted.At == 3 && (a <= b))",
		"(planted.At != 4 && (b > 2) || planted.At == 4 && (b >= 2))",
		"if planted.At != 6 { g(1) }", "if planted.At != 8 { a += 2 }",
		"(planted.At != 10 && (a == b) || planted.At == 10 && (a != b))"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
