package python

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestCPython compares trees, positions included, with those of CPython: for every file of the triton package
// and of the standard library, one in eight of the latter at each commit, our dump must equal ast.dump of the
// Python at hand, byte for byte.
// That Python is the one of .venv, or python3; NEREID_TEST_PYTHON names others (a list of paths).
func TestCPython(t *testing.T) {
	txtest.Slow(t, "it takes some 10 s")
	if rest, part := txtest.Rest(t, 8); part > 1 {
		t.Setenv("NEREID_DUMP_PART", fmt.Sprintf("%d/%d", rest, part))
	}
	for _, python := range pythons(t) {
		minor, err := minorVersion(python)
		if err != nil {
			txtest.Need(t, "python", err)
		}
		t.Run(fmt.Sprintf("3.%d", minor), func(t *testing.T) { compareAll(t, python, minor) })
	}
}

func pythons(t *testing.T) []string {
	if list := os.Getenv("NEREID_TEST_PYTHON"); list != "" {
		return filepath.SplitList(list)
	}
	venv := filepath.Join(repoRoot(t), ".venv", "bin", "python")
	if _, err := os.Stat(venv); err == nil {
		return []string{venv}
	}
	return []string{"python3"}
}

func repoRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("no go.mod above the package")
	return ""
}

func minorVersion(python string) (int, error) {
	out, err := exec.Command(python, "-c", "import sys; print(sys.version_info[1])").Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", python, err)
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

// verdicts runs dump.py and gives what it prints, as it prints it.
func verdicts(t *testing.T, python, mode string, args ...string) iter.Seq[verdict] {
	return func(yield func(verdict) bool) {
		cmd := exec.Command(python, append([]string{"testdata/dump.py", mode}, args...)...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewScanner(out)
		in.Buffer(nil, 1<<24)
		for in.Scan() {
			var v verdict
			if err := json.Unmarshal(in.Bytes(), &v); err != nil {
				t.Fatal(err)
			}
			yield(v)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSnippets compares small programs with CPython, valid ones and others: what it rejects must be rejected.
func TestSnippets(t *testing.T) {
	t.Parallel()
	for _, python := range pythons(t) {
		minor, err := minorVersion(python)
		if err != nil {
			txtest.Need(t, "python", err)
		}
		t.Run(fmt.Sprintf("3.%d", minor), func(t *testing.T) { compareSnippets(t, python, minor) })
	}
}

// TestIndentation compares blocks whose lines begin with tabs and spaces in many orders with CPython: which
// of them it accepts, and which have tabs that are inconsistent, is the same in all its versions.
func TestIndentation(t *testing.T) {
	t.Parallel()
	before := []string{"", " ", "\t", "  ", " \t", "\t ", "   ", "        ", "\t\t", "        \t",
		"\t        ", "\f\t", "  \f "}
	var chunks []string
	for _, block := range before {
		for _, inner := range before {
			for _, after := range before {
				chunks = append(chunks, "if a:\n"+block+"if b:\n"+inner+"c\n"+after+"d")
			}
		}
	}
	file := filepath.Join(t.TempDir(), "chunks.py")
	if err := os.WriteFile(file, []byte(strings.Join(chunks, "\n---\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	const theirTabs, ourTabs = "TabError", "tabs and spaces are mixed"
	for _, python := range pythons(t) {
		if _, err := minorVersion(python); err != nil {
			txtest.Need(t, "python", err)
		}
		i, found := 0, map[string]int{}
		for v := range verdicts(t, python, "chunks", file) {
			_, err := Parse(diag.NewFileSet(), v.Path, []byte(chunks[i]))
			class, _, _ := strings.Cut(v.Error, ":")
			found[class]++
			ours := ""
			if err != nil {
				ours = err.(*diag.List).Diags[0].Msg
			}
			if (ours == "") != (class == "") || strings.HasPrefix(ours, ourTabs) != (class == theirTabs) {
				t.Errorf("CPython says %q and we %q of %q", v.Error, ours, chunks[i])
			}
			i++
		}
		if i != len(chunks) || found[""] < 50 || found[theirTabs] < 50 || found["IndentationError"] < 50 {
			t.Errorf("%d of %d chunks compared: %v", i, len(chunks), found)
		}
	}
}

func compareSnippets(t *testing.T, python string, minor int) {
	files, err := filepath.Glob("testdata/snippets/*.py")
	if err != nil {
		t.Fatal(err)
	}
	var chunks [][]byte
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		chunks = append(chunks, bytes.Split(src, []byte("\n---\n"))...)
	}
	i := 0
	for v := range verdicts(t, python, "chunks", files...) {
		compareSnippet(t, chunks[i], v, minor)
		i++
	}
	if i != len(chunks) {
		t.Errorf("%d of %d chunks compared", i, len(chunks))
	}
}

// dropEmpty takes the empty strings out of format specs: 3.12.1 keeps them, later versions drop them, as we
// do. They are the strings that take no place.
func dropEmpty(dump string) string {
	return emptyText.ReplaceAllStringFunc(dump, func(s string) string {
		m := emptyText.FindStringSubmatch(s)
		if m[2] == m[4] && m[3] == m[5] {
			return ""
		}
		return s
	})
}

var emptyText = regexp.MustCompile(`(, )?Constant\(value='', lineno=(\d+), col_offset=(\d+)` +
	`, end_lineno=(\d+), end_col_offset=(\d+)\)`)

func compareSnippet(t *testing.T, src []byte, v verdict, minor int) {
	t.Helper()
	m, err := Parse(diag.NewFileSet(), v.Path, src)
	switch {
	case err != nil && v.Error == "":
		t.Errorf("CPython accepts\n%s\nand we do not: %v", src, err)
	case err == nil && v.Error != "" && minor >= 12:
		t.Errorf("CPython rejects\n%s\nand we do not: %s", src, v.Error)
	case err == nil && v.Error == "":
		var b strings.Builder
		DumpOptions{Attributes: true, Minor: minor}.Dump(&b, m)
		theirs := v.Dump
		if minor == 12 {
			theirs = strings.ReplaceAll(dropEmpty(theirs), "[, ", "[")
		}
		if b.String() != theirs {
			t.Errorf("%s\n%s", src, firstDifference(b.String(), theirs))
		}
	}
}

// verdict is a line that dump.py prints: the dump, or its hash, or why there is none.
type verdict struct{ Path, Dump, Error string }

func compareAll(t *testing.T, python string, minor int) {
	var total, equal, rejected int
	for v := range verdicts(t, python, "all", filepath.SplitList(os.Getenv("NEREID_TEST_PYTHON_ROOTS"))...) {
		if v.Error != "" {
			rejected++
			checkRejected(t, v, minor)
			continue
		}
		total++
		if ours := dumpFile(v.Path, minor); sum(ours) == v.Dump {
			equal++
		} else if why := explained(v.Path, minor); why != "" {
			t.Logf("%s differs: %s", short(v.Path), why)
		} else {
			difference(t, python, v.Path, ours)
		}
	}
	t.Logf("%d files, %d equal (%.2f%%); %d more that CPython rejects", total, equal,
		100*float64(equal)/float64(total), rejected)
	if total == 0 {
		t.Error("no file was compared")
	}
	if equal*1000 < total*995 {
		t.Errorf("less than 99.5%% equal")
	}
}

// differences are the files whose dump is known to differ, for one version of Python or (minor 0) for all.
var differences = []struct {
	minor     int
	path, why string
}{
	{12, "test/test_fstring.py", "3.12.1 keeps empty strings in format specs; later versions drop them, " +
		"as we do"},
	{12, "test/libregrtest/logger.py", "3.12.1 keeps empty strings in format specs; later versions drop " +
		"them, as we do"},
	{13, "test/test_stringprep.py", "repr of a character that Unicode 15.1 has and Go's tables (15.0) " +
		"have not"},
	{0, "test/tokenizedata/bad_coding2.py", "CPython rejects 'coding: utf8', so spelt, in a file with a " +
		"byte order mark; we read it"},
}

func explained(path string, minor int) string {
	for _, d := range differences {
		if (d.minor == minor || d.minor == 0) && short(path) == d.path {
			return d.why
		}
	}
	return ""
}

func dumpFile(path string, minor int) []byte {
	src, err := os.ReadFile(path)
	if err != nil {
		return []byte(err.Error())
	}
	m, err := Parse(diag.NewFileSet(), path, src)
	if err != nil {
		return []byte(err.Error())
	}
	var b bytes.Buffer
	DumpOptions{Attributes: true, Minor: minor}.Dump(&b, m)
	return b.Bytes()
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// checkRejected looks at a file that CPython rejects: we must too, unless its syntax is newer than that
// CPython.
func checkRejected(t *testing.T, v verdict, minor int) {
	src, _ := os.ReadFile(v.Path)
	_, err := Parse(diag.NewFileSet(), v.Path, src)
	why := explained(v.Path, minor)
	switch {
	case err != nil:
		t.Logf("%s: rejected by CPython and by us (%s)", short(v.Path), v.Error)
	case why != "":
		t.Logf("%s: %s", short(v.Path), why)
	case minor < 12:
		t.Logf("%s: newer than 3.%d (%s)", short(v.Path), minor, v.Error)
	default:
		t.Errorf("%s: CPython rejects it and we do not: %s", short(v.Path), v.Error)
	}
}

// short is a path from the package on.
func short(path string) string {
	parts := strings.Split(filepath.ToSlash(path), "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "python3") || part == "site-packages" {
			return strings.Join(parts[i+1:], "/")
		}
	}
	return path
}

// difference shows the first place where two dumps differ.
func difference(t *testing.T, python, path string, ours []byte) {
	theirs, err := exec.Command(python, "testdata/dump.py", "file", path).Output()
	if err != nil {
		t.Errorf("%s: %v", short(path), err)
		return
	}
	t.Errorf("%s differs:\n%s", short(path), firstDifference(string(ours), string(theirs)))
}

func firstDifference(ours, theirs string) string {
	i := 0
	for i < min(len(ours), len(theirs)) && ours[i] == theirs[i] {
		i++
	}
	from := max(0, i-150)
	return fmt.Sprintf("ours   …%s\ntheirs …%s", ours[from:min(len(ours), i+250)],
		theirs[from:min(len(theirs), i+250)])
}
