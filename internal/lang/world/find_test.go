package world

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// TestFindLast: of the functions that a file defines under one name, at random jit functions and plain ones,
// in branches or not, the last jit function is the kernel, also if a plain function comes after it.
func TestFindLast(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		text, last := "import triton\n", -1
		for i := range 1 + r.IntN(5) {
			head, indent := "", ""
			switch r.IntN(4) {
			case 0:
				head, indent = "if True:\n", "    "
			case 1:
				head, indent = "try:\n", "    "
			}
			jit := r.IntN(2) == 0
			text += head
			if jit {
				text += indent + "@triton.jit\n"
				last = i
			}
			text += fmt.Sprintf("%sdef k(p%d):\n%s    pass\n", indent, i, indent)
			if strings.HasPrefix(head, "try") {
				text += "except ImportError:\n    pass\n"
			}
		}
		s, err := Load("m.py", []byte(text), LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		fn, err := s.Find(New(s, DefaultTarget, nil), "k")
		switch {
		case last < 0 && err == nil:
			t.Errorf("a kernel was found in\n%s", text)
		case last >= 0 && err != nil:
			t.Errorf("%v in\n%s", err, text)
		case last >= 0 && fn.Params[0].Name != fmt.Sprintf("p%d", last):
			t.Errorf("the kernel with %s is found in\n%s", fn.Params[0].Name, text)
		}
	}
}

// TestMachines: host code that asks in different ways which vendor's GPU there is gets one answer, on every
// chip and without a GPU.
func TestMachines(t *testing.T) {
	const text = "import pynvml, torch\nfrom triton.backends import backends\ntry:\n" +
		"    pynvml.nvmlInit()\n    N = True\nexcept pynvml.NVMLError:\n    N = False\n" +
		"X = N, backends['nvidia'].driver.is_active(), torch.version.hip is not None, " +
		"backends['amd'].driver.is_active()\n"
	targets := map[Target]string{{Backend: "cpu", WarpSize: 1}: "(False, False, False, False)"}
	for _, arch := range []int{80, 90, 100} {
		targets[Target{Backend: "cuda", Arch: arch, WarpSize: 32}] = "(True, True, False, False)"
	}
	for _, name := range chip.HIPNames() {
		targets[Target{Backend: "hip", Chip: name, WarpSize: 64}] = "(False, False, True, True)"
	}
	for target, want := range targets {
		s, err := Load("m.py", []byte(text), LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		w := New(s, target, nil)
		v, ok, err := s.Module(w).Get(w.In, "X")
		if err != nil || !ok {
			t.Fatalf("%+v: %v, %v", target, ok, err)
		}
		if got, err := object.Repr(w.In, v); err != nil || got != want {
			t.Errorf("%+v: %s, %v, want %s", target, got, err, want)
		}
	}
}
