package main

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestBehind puts all faults of a file into it, behind their numbers: the text stays Go, the lines of the
// code around them stay, and errors in a fault name it.
func TestBehind(t *testing.T) {
	const src = "// Package p.\npackage p\n\nfunc f(a, b int) bool {\n\tif a < b && b > 2 {\n\t\tg(1)\n" +
		"\t}\n\treturn a == b\n}\n\nfunc h() { g(2) }\n"
	list, err := faultsOf("p.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	b, all := &build{faults: list, left: make([]bool, len(list))}, []int{}
	for i := range list {
		all = append(all, i)
	}
	text, err := b.text(all)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for i, line := range []int{9, 11} {
		if at := fset.Position(tree.Decls[i+1].End() - 1); at.Line != line {
			t.Errorf("a function that ends on line %d ends at %v", line, at)
		}
	}
	ninth := "if plantedFault.At == 9 {\n//line planted_9.go:1"
	if strings.Count(text, "panic(") != 8 || !strings.Contains(text, ninth) {
		t.Errorf("%d faults:\n%s", len(list), text)
	}
	if !b.leaveOut("./planted_3.go:4:2: declared and not used: x\n") || !b.left[2] || b.left[3] {
		t.Errorf("the third fault does not compile: %v left out", b.left)
	}
	if b.leaveOut("p.go:4:2: label L already defined\n") {
		t.Error("an error in the code itself leaves out a fault")
	}
}
