package world

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
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

// TestCallAllowance: each call of a function of the file has the whole allowance of the evaluator, however
// many calls came before it, also after one that spent its own.
func TestCallAllowance(t *testing.T) {
	const file = `
import triton
import triton.language as tl

@triton.jit(launch_metadata=lambda n: len([0] * n))
def kernel(x):
    tl.store(x, 1.0)
`
	s, err := Load("m.py", []byte(file), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	call, err := s.LaunchMetadata("kernel", DefaultTarget)
	if err != nil || call == nil {
		t.Fatal(call, err)
	}
	const part = 4 << 20 // elements that take a fraction of the allowance
	for i := range 10 {
		if _, err := call(object.MakeInt(part)); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	if _, err := call(object.MakeInt(10 * part)); err == nil {
		t.Error("ten times as much is allowed at once: the ten calls show nothing")
	}
	if _, err := call(object.MakeInt(part)); err != nil {
		t.Errorf("behind a call that spent its allowance: %v", err)
	}
}
