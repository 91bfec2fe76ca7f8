package lower

import (
	"fmt"
	"strings"
	"testing"
)

// TestLines: instructions know the lines of the kernel's source, those of library functions in their own
// file.
func TestLines(t *testing.T) {
	for name, want := range map[string][]string{
		"add_f32": {`.loc	1 8 `, `.loc	1 9 `, `.loc	1 10 `, `.loc	1 11 `, `.loc	1 12 `,
			`vector_add.py"`},
		"softmax_f16_2048": {`.loc	1 11 `, `softmax.py"`, `.loc	2 `, `standard.py"`},
	} {
		_, ptx := compile(t, parseIR(t, name, goldenFile(t, "cuda-80", name, "ttgir")),
			goldenLaunches[name].kernel, 80)
		for _, w := range want {
			if !strings.Contains(string(ptx), w) {
				t.Errorf("%s: no %q in\n%s", name, w, ptx)
			}
		}
		// ", debug" would slow it down
		if target := fmt.Sprintf("\n.target sm_%d\n", 80); !strings.Contains(string(ptx), target) {
			t.Errorf("%s: no %q", name, target)
		}
	}
}
