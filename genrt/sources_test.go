package genrt_test

import (
	"testing"
	"testing/fstest"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/genrt"
)

// Sources behave as a file system, and imports are found in them.
func TestSources(t *testing.T) {
	s := genrt.Sources{
		"k.py":            "import triton\nimport triton.language as tl\nfrom pkg.values import VALUE\n\n@triton.jit\ndef k(x):\n    tl.store(x, VALUE)\n",
		"pkg/__init__.py": "", "pkg/values.py": "import triton.language as tl\nVALUE = tl.constexpr(7)\n",
	}
	if err := fstest.TestFS(s, "k.py", "pkg/__init__.py", "pkg/values.py"); err != nil {
		t.Error(err)
	}
	m, err := nereid.LoadFS(s, "k.py")
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	x := []int32{0}
	dev, err := nereid.Open("interp")
	if err != nil {
		t.Fatal(err)
	}
	s1, err := dev.NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Launch(s1, nereid.Grid{1}, nereid.FromSlice(x)); err != nil || x[0] != 7 {
		t.Error(x, err)
	}
}
