package tune

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// TestSameCode: configs that differ in options of GPUs alone share code on a host. Those that differ in an
// argument or in the hook that runs before each launch do not.
func TestSameCode(t *testing.T) {
	block := func(n int64) []object.Keyword {
		return []object.Keyword{{Name: "BLOCK", Value: object.MakeInt(n)}}
	}
	base := lang.Config{Kwargs: block(16), NumWarps: 4}
	g := &given{&args.Matched{}}
	for name, c := range map[string]struct {
		config lang.Config
		same   bool
	}{
		"warps":    {lang.Config{Kwargs: block(16), NumWarps: 8}, true},
		"argument": {lang.Config{Kwargs: block(32), NumWarps: 4}, false},
		"hook":     {lang.Config{Kwargs: block(16), NumWarps: 4, PreHook: &object.List{}}, false},
	} {
		if (code(g, c.config) == code(g, base)) != c.same {
			t.Errorf("%s: the same code: %v", name, !c.same)
		}
	}
}
