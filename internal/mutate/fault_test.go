package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

// TestLists reads the lists of chosen faults: each names a file, a text and tests. Whether the text is there
// shows when it is planted.
func TestLists(t *testing.T) {
	for name, want := range map[string]int{"testdata/chosen.txt": 30, "testdata/swizzles.txt": 5,
		"testdata/further.txt": 30, "testdata/third.txt": 30, "testdata/fourth.txt": 30,
		"testdata/fifth.txt": 30, "testdata/sixth.txt": 30, "testdata/seventh.txt": 30,
		"testdata/eighth.txt": 30, "testdata/ninth.txt": 30, "testdata/tenth.txt": 30,
		"testdata/eleventh.txt": 30, "testdata/twelfth.txt": 30, "testdata/thirteenth.txt": 30,
		"testdata/fourteenth.txt": 30, "testdata/nineteenth.txt": 30} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list := parseChosen(string(data))
		if len(list) < want {
			t.Errorf("%s has %d faults, not %d", name, len(list), want)
		}
		for _, c := range list {
			if !strings.HasSuffix(c.file, ".go") || len(c.old) == 0 || len(c.tests) == 0 ||
				slices.Equal(c.old, c.by) {
				t.Errorf("%s:%d: %+v", name, c.line, c)
			}
		}
	}
}

// TestChosen plants a fault of a list where its text is, once.
func TestChosen(t *testing.T) {
	src := t.TempDir() + "/p.go"
	if err := os.WriteFile(src, []byte("package p\n\nvar x = 1\nvar y = 2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	list := parseChosen("# a number\n" + src + "\n-x = 1\n+x = 3\n& ./p ./q=TestQ\n\n" +
		src + "\n-var\n+\n& ./p\n")
	f, err := list[0].fault()
	if err != nil || string(f.text()) != "package p\n\nvar x = 3\nvar y = 2\n" || f.line != 3 ||
		!slices.EqualFunc(f.tests(), [][]string{{"./p"}, {"-run", "TestQ", "./q"}}, slices.Equal) {
		t.Errorf("%+v: %v", f, err)
	}
	if _, err := list[1].fault(); err == nil {
		t.Error("a text that is there twice was taken")
	}
}

// TestListed writes each fault of a file as an entry of a list, which gives the same fault when it is read.
func TestListed(t *testing.T) {
	const text = "package p\n\nfunc f(a int) {\n\ta++\n\ta = a +\n\t\t1\n\tg(a)\n\tg(a)\n" +
		"\tif a > 2 {\n\t\tg(a)\n\t}\n}\n"
	src := t.TempDir() + "/p.go"
	if err := os.WriteFile(src, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	list, err := faultsOf(src, []byte(text))
	if err != nil || len(list) < 6 {
		t.Fatal(len(list), err)
	}
	for _, f := range list {
		read := parseChosen(f.listed())
		if len(read) != 1 {
			t.Errorf("%v: %q", f, f.listed())
			continue
		}
		got, err := read[0].fault()
		if err != nil || string(got.text()) != string(f.text()) {
			t.Errorf("%s\ngives %q: %v", f.listed(), got.text(), err)
		}
	}
}

// TestVerdict reads reports of the go command: only a test that ran and failed kills.
func TestVerdict(t *testing.T) {
	failed := errors.New("exit status 1")
	for out, want := range map[string]string{
		"--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tm/p\t0.012s\nFAIL\n": "killed ./p TestA",
		"--- FAIL: TestA (0.1s)\n    --- FAIL: TestA/b (0.1s)\n        --- FAIL: TestA/b/c[1] (0.1s)\n" +
			"        --- FAIL: TestA/b/d (0.1s)\n--- FAIL: TestE (0.1s)\nFAIL\nFAIL\tm/p\t0.1s\n": //
		"killed ./p TestA/b/c[1]",
		"panic: gone\n\ngoroutine 1\nFAIL\tm/p\t0.012s\nFAIL\n":           "killed ./p",
		"# m/p\np.go:3:2: undefined: x\nFAIL\tm/p [build failed]\nFAIL\n": " ",
		"main module (m) does not contain package m/p\n":                  "NOT RUN ./p",
		"# m/p\nno Go files in p\nFAIL\tm/p [setup failed]\nFAIL\n":       "NOT RUN ./p",
	} {
		verdict, by := verdictOf(out, failed, "./p")
		by, _, _ = strings.Cut(by, ":")
		if got := verdict + " " + by; got != want {
			t.Errorf("%q: %s", out, got)
		}
	}
	if verdict, _ := verdictOf("ok  \tm/p\t0.012s\n", nil, "./p"); verdict != "SURVIVED" {
		t.Error(verdict)
	}
}

// TestOnlyTest: the pattern of a test inside of others chooses it alone.
func TestOnlyTest(t *testing.T) {
	if got := onlyTest("TestA/b/c[1]"); got != `^TestA$/^b$/^c\[1\]$` {
		t.Error(got)
	}
}

// TestInModule runs tests in the module that their package is in.
func TestInModule(t *testing.T) {
	t.Chdir("../..")
	for pkg, want := range map[string]string{"./capi": "capi .", "./capi/foreign": "capi ./foreign",
		"./capi/...": "capi ./...", "./internal/lower": " ./internal/lower", ".": " .", "./ops": " ./ops",
		"./profile/otel": "profile/otel ."} {
		dir, inside := inModule(pkg)
		if got := dir + " " + inside; got != want {
			t.Errorf("%s: %s, want %s", pkg, got, want)
		}
	}
}

// TestAreas: the areas of the code give thirty faults, from folders that are there.
func TestAreas(t *testing.T) {
	areas, err := readAreas("testdata/areas.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("../..")
	sum := 0
	for _, a := range areas {
		n, err := strconv.Atoi(a.count)
		if sum += n; err != nil || len(a.tests) == 0 {
			t.Errorf("%s: %q faults, tests %v", a.name, a.count, a.tests)
		}
		for _, dir := range folders(a.packages) {
			if found, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(found) == 0 {
				t.Errorf("%s: no Go files in %s", a.name, dir)
			}
		}
	}
	if sum != 30 {
		t.Errorf("%d faults", sum)
	}
}
