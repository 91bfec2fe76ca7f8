package cpu_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/nereid-lang/nereid/internal/target/cpu"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// perf finds the names of kernels that carry lines.
func TestPerfMap(t *testing.T) {
	if runtime.GOOS != "linux" {
		txtest.NotHere(t, "perf is a program of Linux")
	}
	if err := scales(testDevice(t, "", cpu.Compiler{Lines: true}), 77); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(os.TempDir(), fmt.Sprintf("perf-%d.map", os.Getpid()))
	defer os.Remove(name)
	text, err := os.ReadFile(name)
	if err != nil || !regexp.MustCompile(`(?m)^[0-9a-f]{6,} [1-9a-f][0-9a-f]* \S+\.range$`).Match(text) {
		t.Errorf("error %v: %s", err, text)
	}
}
