package cform

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestNumbersInC has the C source read the words of arguments of every type, as rules do: numbers of all
// integer types, float32 and float64 are what they are in Go, others are no numbers.
func TestNumbersInC(t *testing.T) {
	cc := txtest.Tool(t, "cc")
	var calls strings.Builder
	var names []string
	var want []float64
	for dt := range dtype.All() {
		kind := numberKind(code.SavedArg{Type: dt.String()})
		for _, word := range []uint64{0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 1<<31 - 1, 1 << 31,
			1<<32 - 1, 1<<62 + 1<<40, 1 << 63, math.MaxUint64, uint64(math.Float32bits(2.5)),
			math.Float64bits(-2.5)} {
			word &= math.MaxUint64 >> (64 - dt.Row().Bits)
			number := 0.0
			if k := dt.Row().Kind; k != dtype.Float || dt == dtype.Float32 || dt == dtype.Float64 {
				number = dt.Decode(word)
			}
			if math.IsNaN(number) {
				continue
			}
			fmt.Fprintf(&calls, "\tprintf(\"%%a\\n\", number(%d, %dull));\n", kind, word)
			names, want = append(names, fmt.Sprintf("%v %#x", dt, word)), append(want, number)
		}
	}
	_, kinds, _ := strings.Cut(typesText, "/* A number of an argument")
	kinds, _, _ = strings.Cut(kinds, "typedef")
	_, number, _ := strings.Cut(groupText, "/* number returns")
	number, _, _ = strings.Cut(number, "/* call is")
	text := "#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n" +
		"/* A number of an argument" + kinds + "/* number returns" + number +
		"int main(void) {\n" + calls.String() + "\treturn 0;\n}\n"
	file := filepath.Join(t.TempDir(), "n.c")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	exe := strings.TrimSuffix(file, ".c")
	if out, err := exec.Command(cc, "-o", exe, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Fields(string(out))
	for i, name := range names {
		var v float64
		if _, err := fmt.Sscan(got[i], &v); err != nil || v != want[i] {
			t.Errorf("%s is %v in C, %v in Go: %v", name, v, want[i], err)
		}
	}
}
