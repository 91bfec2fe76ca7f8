package main

import (
	"os"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

// The three kernels agree with the interpreter, with and without masks that hide something.
func TestKernels(t *testing.T) {
	if _, err := nereid.OpenDevice("c"); err != nil {
		if os.Getenv("NEREID_REQUIRE_TOOLS") != "" {
			t.Fatal(err)
		}
		t.Skip("skipped: ", err)
	}
	// code that an earlier emitter made must not pass for that of this one
	t.Setenv("NEREID_CACHE_DIR", t.TempDir())
	for _, s := range []sample{
		vectorAdd(1, 64), vectorAdd(64, 64), vectorAdd(1000, 64), vectorAdd(98432, 1024),
		softmax(1, 1, 16), softmax(3, 64, 64), softmax(5, 100, 128), softmax(17, 781, 1024),
		layerNorm(1, 1, 16), layerNorm(2, 128, 64), layerNorm(4, 100, 128), layerNorm(5, 1000, 256),
	} {
		t.Run(strings.ReplaceAll(s.name, " ", "_"), func(t *testing.T) {
			if _, err := s.check(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
