package backend_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/backend"
)

const doubling = `
tt.func @double(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %a = tt.addptr %p, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %v = tt.load %a : tensor<16x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<16xf32>
  tt.store %a, %w : tensor<16x!tt.ptr<f32>>
  tt.return
}
`

func ExampleToLinalg() {
	out, err := backend.ToLinalg("double.ttir", []byte(doubling))
	fmt.Println(strings.Contains(string(out), "linalg.generic"), strings.Contains(string(out), "tt."), err)
	// Output: true false <nil>
}

func TestToLinalgErrors(t *testing.T) {
	for _, text := range []string{"tt.func @f( {",
		strings.Replace(doubling, "arith.addf %v, %v", "arith.addf %v, %r", 1), "\x00"} {
		if _, err := backend.ToLinalg("bad.ttir", []byte(text)); err == nil ||
			!strings.Contains(err.Error(), "bad.ttir:") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func ExampleTransform() {
	out, err := backend.Transform("double.ttir", []byte(doubling), "triton-to-structured,canonicalize")
	for _, op := range []string{"tts.make_tptr", "tt.addptr"} {
		fmt.Println(op, strings.Contains(string(out), op), err)
	}
	// Output:
	// tts.make_tptr true <nil>
	// tt.addptr false <nil>
}

func TestTransformErrors(t *testing.T) {
	for pipeline, want := range map[string]string{"no-such-pass": "no-such-pass",
		"triton-to-unstructured{offset-bit-width=7}": "offset-bit-width=7"} {
		if _, err := backend.Transform("double.ttir", []byte(doubling), pipeline); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", pipeline, err)
		}
	}
}
