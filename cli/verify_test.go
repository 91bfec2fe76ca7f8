package cli

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

var kernelName = regexp.MustCompile(`(?m)^def (\w+_kernel)\(`)

// TestVerifySamples certifies the recorded launches of the sample kernels: a part of them, or all with
// NEREID_TEST_PART=all. Every sample has one.
func TestVerifySamples(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	root := txtest.Root(t)
	paths := txtest.Glob(t, "testdata/replay/*.safetensors")
	for _, file := range txtest.Glob(t, "kernels/*.py") {
		for _, m := range kernelName.FindAllStringSubmatch(txtest.Read(t, file), -1) {
			if !strings.Contains(strings.Join(paths, "\n"), "-"+m[1]+".safetensors") {
				t.Errorf("%s of %s has no recorded launch", m[1], file)
			}
		}
	}
	chosen := txtest.Sample(t, 8)
	args := []string{"verify", "--root", root, "--device", "sim:90,sim:gfx942"}
	n := 0
	for i, path := range paths {
		if chosen(i) {
			args = append(args, path)
			n++
		}
	}
	var out bytes.Buffer
	code := Main(args, strings.NewReader(""), &out, &out)
	for _, device := range []string{"sim:90", "sim:gfx942"} {
		want := fmt.Sprintf("%s: %d equal, 0 refused, 0 differs, 0 failed\n", device, n)
		if code != 0 || !strings.Contains(out.String(), want) {
			t.Fatalf("exit status %d, want %q:\n%s", code, want, &out)
		}
	}
}
