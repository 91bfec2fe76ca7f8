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
		"k.py": "import triton\nimport triton.language as tl\nfrom pkg.values import VALUE\n\n" +
			"@triton.jit\ndef k(x):\n    tl.store(x, VALUE)\n",
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
	dev, err := nereid.OpenDevice("interp")
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

// Parameters travel as words that hold their bits.
func TestWords(t *testing.T) {
	if got := genrt.FloatWord(1.5); got != 0x3fc00000 {
		t.Errorf("float32 1.5 is %#x", got)
	}
	if got := genrt.DoubleWord(-1.5); uint64(got) != 0xbff8000000000000 {
		t.Errorf("float64 -1.5 is %#x", uint64(got))
	}
	if genrt.BoolWord(true) != 1 || genrt.BoolWord(false) != 0 {
		t.Error("bools are not 1 and 0")
	}
}
