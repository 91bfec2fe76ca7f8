package nereid_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

const printing = `
import triton
import triton.language as tl

@triton.jit
def k(x, B: tl.constexpr):
    tl.static_print("block of", B)
    i = tl.arange(0, B)
    tl.store(x + i, 1.0)
`

// TestStaticPrint checks where the output of tl.static_print goes: to Config.Print, or else to the logger.
func TestStaticPrint(t *testing.T) {
	var out, log bytes.Buffer
	for name, conf := range map[string]nereid.Config{
		"writer": {Print: &out},
		"logger": {Logger: slog.New(slog.NewTextHandler(&log, nil))},
	} {
		m, err := nereid.Parse("k.py", []byte(printing), nereid.With(conf))
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		dev, err := nereid.OpenDevice("interp")
		if err != nil {
			t.Fatal(err)
		}
		s, err := dev.NewStream(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for range 2 { // the second launch compiles nothing
			if err := k.Launch(s, nereid.Grid{1}, nereid.FromSlice(make([]float32, 16)), 16); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	if got := out.String(); got != "block of 16\n" {
		t.Errorf("printed %q", got)
	}
	if got := log.String(); strings.Count(got,
		`msg="nereid: static_print" kernel=k text="block of 16"`) != 1 {
		t.Errorf("logged %q", got)
	}
}
