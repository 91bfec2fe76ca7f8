package lang_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/lang/libtest"
	"github.com/nereid-lang/nereid/internal/triton"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// compilation is a line that peer/language_tests.py has written: a kernel of Triton's own tests, and what
// Triton's front end makes of it.
type compilation struct {
	Test, Kernel, File, Signature string
	Options                       struct {
		NumWarps         int  `json:"num_warps"`
		NumStages        int  `json:"num_stages"`
		NumCTAs          int  `json:"num_ctas"`
		Debug            bool `json:"debug"`
		SanitizeOverflow bool `json:"sanitize_overflow"`
	}
	IR, Error string
	LeftOut   string `json:"left_out"`
}

// TestLanguageTests: the kernels of Triton's unit tests, by the rules of each release. The folder
// NEREID_LANGUAGE_TESTS has a file RELEASE.jsonl.gz for each release, and gets one RELEASE.txt with all
// differences. At least 98 of 100 kernels that a release takes must have its IR, and as many of those that it
// refuses must be refused.
func TestLanguageTests(t *testing.T) {
	dir := os.Getenv("NEREID_LANGUAGE_TESTS")
	if dir == "" {
		txtest.LeftOut(t, "NEREID_LANGUAGE_TESTS names no folder made by peer/language_tests.py")
	}
	for _, v := range triton.Releases {
		t.Run(v.String(), func(t *testing.T) {
			path := filepath.Join(dir, v.String()+".jsonl.gz")
			if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
				txtest.LeftOut(t, "there is no %s", path)
			}
			languageTests(t, v, path, strings.TrimSuffix(path, ".jsonl.gz")+".txt")
		})
	}
}

func languageTests(t *testing.T, v triton.Version, path, report string) {
	counts := map[string]int{}
	var told strings.Builder
	for c := range compilations(t, path) {
		if c.LeftOut != "" {
			counts["left out"]++
			continue
		}
		verdict, detail := c.judge(v)
		counts[verdict]++
		if detail != "" {
			fmt.Fprintf(&told, "=== %s: %s %s(%s)\n%s\n", verdict, c.Test, c.Kernel, c.Signature, detail)
		}
	}
	write(t, report, told.String())
	for _, verdict := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d %s", counts[verdict], verdict)
	}
	taken := counts["equal"] + counts["other IR"] + counts["refused here"]
	refused := counts["refused by both"] + counts["taken here"]
	if equal := counts["equal"]; 100*equal < 98*taken {
		t.Errorf("%d of %d are equal; see %s", equal, taken, report)
	}
	if both := counts["refused by both"]; 100*both < 98*refused {
		t.Errorf("%d of %d refusals are refused here; see %s", both, refused, report)
	}
}

// compilations reads the lines of a file.
func compilations(t *testing.T, path string) func(func(compilation) bool) {
	t.Helper()
	packed := txtest.Unpacked(t, path)
	return func(yield func(compilation) bool) {
		decoder := json.NewDecoder(bufio.NewReader(packed))
		for {
			var c compilation
			switch err := decoder.Decode(&c); {
			case err == io.EOF:
				return
			case err != nil:
				t.Fatal(err)
			case !yield(c):
				return
			}
		}
	}
}

// judge compiles the kernel and compares with Triton's answer.
func (c compilation) judge(v triton.Version) (verdict, detail string) {
	ours, err := c.compile(v)
	switch {
	case c.Error != "" && err == nil:
		return "taken here", c.Error
	case c.Error != "":
		return "refused by both", ""
	case err != nil:
		return "refused here", err.Error()
	}
	want, got, err := forms(string(triton.Older([]byte(c.IR))), printed(ours))
	switch {
	case err != nil:
		return "other IR", err.Error()
	case want != got:
		return "other IR", firstDifference(want, got)
	}
	return "equal", ""
}

func (c compilation) compile(v triton.Version) (m *ir.Module, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	fs := fstest.MapFS{"k.py": &fstest.MapFile{Data: []byte(c.File)}}
	src, err := lang.Load("k.py", []byte(c.File), lang.LoadOptions{FS: fs, Triton: v})
	if err != nil {
		return nil, err
	}
	params, err := src.Params(c.Kernel, lang.DefaultTarget)
	if err != nil {
		return nil, err
	}
	args, err := lang.ParseSignature(params, c.Signature)
	if err != nil {
		return nil, err
	}
	o := c.Options
	return src.Compile(c.Kernel, args, lang.Options{NumWarps: o.NumWarps, NumStages: o.NumStages,
		NumCTAs: o.NumCTAs, Debug: o.Debug, NoOverflow: !o.SanitizeOverflow})
}

// forms returns two modules in the form in which they are compared, as sameStructure does.
func forms(theirs, ours string) (want, got string, err error) {
	var texts [2]string
	for _, change := range []func(*ir.Module) error{libtest.Inline, libtest.Optimize} {
		var library bool
		for i, text := range []string{theirs, ours} {
			m, err := ir.Parse(diag.NewFileSet(), "module", []byte(plainSymbols(text)))
			if err != nil {
				return "", "", err
			}
			library = library || libtest.Uses(m)
			if err := change(m); err != nil {
				return "", "", err
			}
			texts[i] = structure(m)
		}
		if want == "" {
			want, got = texts[0], texts[1]
		}
		if texts[0] == texts[1] {
			return texts[0], texts[1], nil
		}
		if !library {
			break
		}
	}
	return want, got, nil
}

var symbol = regexp.MustCompile(`@"[^"\n]*"|@[\w$.]+`)

// plainSymbols numbers the functions of a module that are not the library's: their names tell of the file
// that they were found in.
func plainSymbols(text string) string {
	names := map[string]string{}
	return symbol.ReplaceAllStringFunc(text, func(s string) string {
		if libtest.IsLibrary(strings.Trim(s, `@"`)) {
			return s
		}
		if names[s] == "" {
			names[s] = fmt.Sprintf("@f%d", len(names))
		}
		return names[s]
	})
}

// firstDifference returns the first lines that differ, a little before, and a little after.
func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	part := func(lines []string) string {
		return strings.Join(lines[max(0, min(at, len(lines))-2):min(at+4, len(lines))], "\n")
	}
	return "--- Triton\n" + part(a) + "\n--- here\n" + part(b)
}
