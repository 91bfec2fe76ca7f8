package lang_test

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/txtest"
)

func TestPointers(t *testing.T) {
	text := `import triton
import triton.language as tl

@triton.jit
def kernel(x, y, out, handed_ptr, n, s: "fp32", q: "*fp16", const: tl.const, B: tl.constexpr):
    y += tl.program_id(0) * n
    rows = (x + n)[:, None].to(tl.pointer_type(tl.int8))
    p = tl.make_block_ptr(base=out, shape=(n, ), strides=(1, ), offsets=(0, ), block_shape=(B, ), order=(0, ))
    p = tl.advance(p, (n, ))
    tl.store(p, tl.load(rows) + tl.load(y) * s)
`
	src, err := lang.Load("k.py", []byte(text), lang.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := src.Pointers("kernel", lang.DefaultTarget)
	if want := "[true true true true false false true true false]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("got %v, %v, want %s", got, err, want)
	}
}

// The shared kernels' pointers are those that their signatures say.
func TestPointersOfKernels(t *testing.T) {
	for _, s := range specsFile(t) {
		src, err := lang.Load(s.File, []byte(txtest.Read(t, txtest.Path(t, "kernels", s.File))),
			lang.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		params, err := src.Params(s.Kernel, lang.DefaultTarget)
		if err != nil {
			t.Fatal(err)
		}
		args, err := lang.ParseSignature(params, s.Signature)
		if err != nil {
			t.Fatal(err)
		}
		got, err := src.Pointers(s.Kernel, lang.DefaultTarget)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range args {
			if want := a.Type.IsPointer(); got[i] != want {
				t.Errorf("%s: parameter %s: pointer %v, want %v", s.Name, params[i].Name, got[i], want)
			}
		}
	}
}
