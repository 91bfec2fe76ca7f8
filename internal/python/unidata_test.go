package python

import (
	"bufio"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

func TestNFKC(t *testing.T) {
	for _, c := range [][2]string{
		{"é", "é"}, {"e\u0301", "é"}, {"ﬁ", "fi"}, {"ℌ", "H"}, {"𝐱", "x"}, {"ª", "a"},
		{"\u1100\u1161\u11a8", "각"}, {"각", "각"}, {"q\u0307\u0323", "q\u0323\u0307"}, {"ǆ", "dž"}, {"Å", "Å"},
		{"\u0958", "\u0915\u093c"}, // an exclusion: it decomposes and is not composed again
		{"ﷺ", "صلى الله عليه وسلم"},
	} {
		if got := nfkc(c[0]); got != c[1] {
			t.Errorf("nfkc(%+q) = %+q, want %+q", c[0], got, c[1])
		}
	}
}

func TestLookupName(t *testing.T) {
	for name, want := range map[string]rune{
		"LATIN SMALL LETTER A": 'a', "bullet": '•',
		"HANGUL SYLLABLE GAG": '각', "HANGUL SYLLABLE A": '아',
		"CJK UNIFIED IDEOGRAPH-4E00": '一', "NBSP": 0xA0, "LINE FEED": '\n', "SPACE": ' ',
	} {
		if got, ok := lookupName(name); !ok || got != want {
			t.Errorf("%s is %U %v, want %U", name, got, ok, want)
		}
	}
	for _, name := range []string{"", "NO SUCH", "LATIN SMALL LETTER A\t61", "CJK UNIFIED IDEOGRAPH-0041",
		"CJK UNIFIED IDEOGRAPH-04E00", "HANGUL SYLLABLE ", "HANGUL SYLLABLE XYZ", "SPACE\n"} {
		if r, ok := lookupName(name); ok {
			t.Errorf("%q is %U", name, r)
		}
	}
}

// TestUnidata compares the tables with Python's, for all characters and for all pairs that might compose.
// It wants a Python with the same version of Unicode, 15.0: that is 3.12.
func TestUnidata(t *testing.T) {
	t.Parallel()
	python := ""
	for _, p := range append(pythons(t), "python3.12") {
		if out, err := exec.Command(p, "-c",
			"import unicodedata as u; print(u.unidata_version)").Output(); err == nil &&
			strings.TrimSpace(string(out)) == "15.0.0" {
			python = p
		}
	}
	if python == "" {
		txtest.Need(t, "python3.12", errors.New("NEREID_TEST_PYTHON may name one"))
	}
	cmd := exec.Command(python, "testdata/unidata.py")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(out)
	lines := 0
	for ; in.Scan(); lines++ {
		checkUnidata(t, in.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if lines < 250000 {
		t.Errorf("only %d lines", lines)
	}
}

// checkUnidata looks at one line of testdata/unidata.py.
func checkUnidata(t *testing.T, line string) {
	t.Helper()
	f := strings.Split(line, "\t")
	switch f[0] {
	case "name":
		if r, ok := lookupName(f[2]); !ok || string(r) != hexText(f[1]) {
			t.Errorf("%s is %q, want %q", f[2], r, hexText(f[1]))
		}
	case "nfkc":
		if got := nfkc(hexText(f[1])); got != hexText(f[2]) {
			t.Errorf("nfkc(%s) = %+q, want %+q", f[1], got, hexText(f[2]))
		}
	case "id":
		r := []rune(hexText(f[1]))[0]
		if got := fmt.Sprint(isNameStart(r), isNameContinue(r)); got != f[2] {
			t.Errorf("%U in names: %s, want %s", r, got, f[2])
		}
	}
}

func hexText(s string) string {
	var b strings.Builder
	for f := range strings.FieldsSeq(s) {
		var r rune
		fmt.Sscanf(f, "%x", &r)
		b.WriteRune(r)
	}
	return b.String()
}
