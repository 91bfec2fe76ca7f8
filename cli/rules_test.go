package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/rules"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestRulesAreSafe: whatever the values of rules, results are right. Recorded launches run on the simulator
// with all rules off, and with values by chance.
func TestRulesAreSafe(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	paths, err := filepath.Glob(txtest.Path(t, "testdata", "replay", "*.safetensors"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no recorded launches", err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	off := func(x *rules.Rule) string {
		if x.Off == rules.NoOff {
			return fmt.Sprintf("%s=1", x.Name)
		}
		return x.Name + "=off"
	}
	chance := func(x *rules.Rule) string { return fmt.Sprintf("%s=%d", x.Name, 1+r.IntN(4*x.Value)) }
	for i, value := range []func(*rules.Rule) string{off, chance} {
		t.Run([]string{"off", "chance"}[i], func(t *testing.T) {
			var list []string
			for _, x := range rules.All() {
				list = append(list, value(x))
			}
			t.Setenv(knob.Rules.Name(), strings.Join(list, ","))
			t.Setenv(knob.Cache.Name(), "off")
			args := []string{"--device", "sim:90", "-q", "--root", txtest.Root(t)}
			for i := r.IntN(5); i < len(paths); i += 5 {
				args = append(args, paths[i])
			}
			cmd, out := newReplayCmd(), &bytes.Buffer{}
			cmd.SilenceUsage, cmd.SilenceErrors = true, true
			cmd.SetOut(out)
			cmd.SetArgs(args)
			if err := cmd.Execute(); err != nil {
				t.Errorf("%v with %s\n%s", err, strings.Join(list, ","), out)
			}
		})
	}
}
