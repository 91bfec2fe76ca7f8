package ttglayout

import (
	"bufio"
	"encoding/json"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// tritonCase is a line of testdata/layouts.jsonl.gz, which peer/layouts.py makes: what Triton says that the
// linear layout of an encoding is.
type tritonCase struct {
	Enc   string
	Shape []int64
	In    map[string][][]int
}

func tritonCases(t testing.TB) []tritonCase {
	t.Helper()
	var cases []tritonCase
	lines := bufio.NewScanner(txtest.Unpacked(t, "testdata/layouts.jsonl.gz"))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c tritonCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return cases
}

// TestTriton compares our layouts with Triton's, basis by basis.
func TestTriton(t *testing.T) {
	cases := tritonCases(t)
	if len(cases) < 2000 {
		t.Errorf("only %d cases", len(cases))
	}
	for _, c := range cases {
		enc, err := ir.ParseAttr(c.Enc)
		if err != nil {
			t.Errorf("%s: %v", c.Enc, err)
			continue
		}
		got, err := For(enc, c.Shape)
		if err != nil {
			t.Errorf("%s on %v: %v", c.Enc, c.Shape, err)
			continue
		}
		ins := []string{layout.Register, layout.Lane, layout.Warp, layout.Block}
		if ttg.IsShared(enc) {
			ins = []string{layout.Offset, layout.Block}
		}
		var bases []layout.Bases
		for _, in := range ins {
			bases = append(bases, layout.Bases{Name: in, Vectors: c.In[in]})
		}
		want := layout.Must(layout.New(bases, layout.Shape(ints(c.Shape))))
		if !got.Equal(want) {
			t.Errorf("%s on %v:%s\nTriton says:%s", c.Enc, c.Shape, got, want)
		}
	}
}
