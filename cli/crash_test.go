package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestCrash has a command panic: the report names a folder with the command line, its files and the stack.
func TestCrash(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("NEREID_CACHE_KEY", "secret")
	src := filepath.Join(t.TempDir(), "k.py")
	if err := os.WriteFile(src, []byte("x = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	root := newRootCmd()
	root.AddCommand(&cobra.Command{Use: "try", RunE: func(*cobra.Command, []string) error {
		var list []int
		_ = list[len(list)]
		return nil
	}})
	var out, errs strings.Builder
	if code := execute(root, []string{"try", src + ":k", "a b"}, strings.NewReader(""), &out,
		&errs); code != exitInternal {
		t.Errorf("exit code %d", code)
	}
	dir := regexp.MustCompile(`(?m)^/.*nereid-crash-\d+$`).FindString(errs.String())
	if dir == "" || !strings.Contains(errs.String(), "internal error: runtime error: index out of range") {
		t.Fatalf("stderr: %s", &errs)
	}
	report, err := os.ReadFile(filepath.Join(dir, "report.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"nereid try k.py:k 'a b'\n", "crash_test.go", "nereid "} {
		if !strings.Contains(string(report), want) {
			t.Errorf("the report has no %q:\n%s", want, report)
		}
	}
	if strings.Contains(string(report), "secret") {
		t.Error("the report tells the key")
	}
	if text, err := os.ReadFile(filepath.Join(dir, "k.py")); err != nil || string(text) != "x = 1\n" {
		t.Errorf("the copy of the file: %q %v", text, err)
	}
}

func TestUnits(t *testing.T) {
	for _, c := range [][2]string{
		{timeText(999), "999 ns"}, {timeText(12_600), "12.6 µs"}, {timeText(999_960), "1.00 ms"},
		{timeText(1_300_000_000), "1.30 s"}, {rateText(94.94e9, "B/s"), "94.9 GB/s"},
		{rateText(12, "B/s"), "12.0 B/s"}, {rateText(1.5e12, "FLOP/s"), "1.50 TFLOP/s"},
		{sizeText(12), "12 B"}, {sizeText(4000), "3.91 KiB"}, {sizeText(1 << 30), "1.00 GiB"},
		{sizeText(1023 << 10), "1.00 MiB"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}
