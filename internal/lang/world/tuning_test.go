package world

import (
	"strings"
	"testing"
)

// tunedFile has a kernel whose helpers call each other, and a function that none of them calls.
const tunedFile = `
import triton
import triton.language as tl

@triton.jit
def inner(x):
    return x + 1

def outside(x):
    return x + 2

@triton.jit
def helper(x, f: tl.constexpr):
    return inner(x) * 3

@triton.autotune(configs=[triton.Config({"B": 16}), triton.Config({"B": 32})], key=[])
@triton.jit
def kernel(x, B: tl.constexpr):
    tl.store(x, helper(tl.load(x), 0) + B)
`

// textOf returns the text that tuning records of the kernel are for.
func textOf(t *testing.T, file string) string {
	t.Helper()
	s, err := Load("m.py", []byte(file), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	tuning, err := s.Tuning("kernel", DefaultTarget)
	if err != nil {
		t.Fatal(err)
	}
	return tuning.Source
}

// TestTuningSource: the text that a kernel's timings belong to has all functions of the file that the kernel
// reaches, at any depth, and no others. A change of any of them makes timings void.
func TestTuningSource(t *testing.T) {
	text := textOf(t, tunedFile)
	for old, is := range map[string]bool{"x + 1": true, "inner(x) * 3": true, "tl.load(x), 0": true,
		"x + 2": false} {
		changed := textOf(t, strings.Replace(tunedFile, old, old+" + 5", 1))
		if (changed != text) != is {
			t.Errorf("with another %q the text is other: %v", old, changed != text)
		}
	}
	for range 20 {
		if textOf(t, tunedFile) != text {
			t.Fatal("the text is another from time to time")
		}
	}
}
