package conform

import (
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/triton"
)

// uncovered are the names without a case, with the reason.
var uncovered = map[string]string{
	"tl.core.extern_elementwise":               "what libdevice is made of",
	"tl.core.to_tensor":                        "what numbers become tensors by",
	"tl.core.get_int_dtype":                    "private",
	"tl.core._record_scope":                    "private: what the profiler's scopes call",
	"tl.core.builtin_min":                      "min in a kernel",
	"tl.core.builtin_max":                      "max in a kernel",
	"tl.core._promote_bfloat16_to_float32":     "private",
	"tl.core._reduce_with_indices":             "private",
	"tl.core._unsplat":                         "private",
	"tl.extra.cuda.convert_custom_float8_sm70": "what casts of fp8e4b15 call",
	"tl.extra.cuda.convert_custom_float8_sm80": "what casts of fp8e4b15 call",
	"tl.extra.libdevice.fast_tanhf":            "AMD's alone",
}

// TestEveryBuiltin: each name of the language stands in some kernel that compiles, under its full name or
// as a method.
func TestEveryBuiltin(t *testing.T) {
	names := mentioned()
	for _, b := range sem.In(triton.Default).All() {
		found := names[b.FullName()]
		if b.Member || b.Module == sem.InTensor || b.Module == sem.InDescriptor {
			found = found || names["."+b.Name]
		}
		if b.Module == sem.InLibdevice {
			found = found || names["libdevice."+b.Name]
		}
		reason, excused := uncovered[b.FullName()]
		switch {
		case !found && !excused:
			t.Errorf("%s is in no case", b.FullName())
		case found && excused:
			t.Errorf("%s is said to be in no case (%s), but it is", b.FullName(), reason)
		}
	}
	runs := 0
	for _, c := range all() {
		if !c.refused && !c.compile {
			runs++
		}
	}
	t.Logf("%d cases: %d run", len(all()), runs)
	if runs < 1500 {
		t.Errorf("%d cases run, fewer than 1500", runs)
	}
}

var dotted = regexp.MustCompile(`[\w)\]]*(\.\w+)+`)

// mentioned are the dotted names in kernels that compile, with all beginnings of them, and the last part of
// each with its dot, which may be a method.
func mentioned() map[string]bool {
	out := map[string]bool{}
	seen := map[*module]map[string]bool{}
	for _, c := range all() {
		if seen[c.module] == nil {
			seen[c.module] = map[string]bool{}
			note(out, c.module.helpers)
		}
		if c.refused || seen[c.module][c.kernel] {
			continue
		}
		seen[c.module][c.kernel] = true
		note(out, c.show())
	}
	return out
}

func note(names map[string]bool, text string) {
	for _, n := range dotted.FindAllString(text, -1) {
		names[n[strings.LastIndex(n, "."):]] = true
		for n != "" {
			names[n] = true
			n = n[:max(strings.LastIndex(n, "."), 0)]
		}
	}
}
