package memfuzz

import (
	"context"
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid"
)

// TestGenerate holds the generator to its rules, as far as the interpreter can see them: kernels compile,
// stay in their memory, and no two programs write one element.
func TestGenerate(t *testing.T) {
	dev := &Device{Name: "interp", dev: nereid.NewInterpreter(nereid.InterpOptions{CheckRaces: true}),
		orders: []uint64{0}}
	for i := range uint64(100) {
		k := generate(5, i, i%2 == 1)
		c := k.Case()
		kernel, err := c.kernel()
		if err != nil {
			t.Fatalf("kernel %d: %v\n%s", i, err, c.File())
		}
		if _, err := c.launch(t.Context(), kernel, dev, 0); err != nil {
			t.Fatalf("kernel %d: %v\n%s", i, err, c.File())
		}
	}
}

// TestDeterministic: kernel i of a seed is always the same, also when it is read from its file.
func TestDeterministic(t *testing.T) {
	for i := range uint64(50) {
		a, b := generate(1, i, i%2 == 1).Case(), generate(1, i, i%2 == 1).Case()
		if a.File() != b.File() {
			t.Fatalf("kernel %d differs from itself:\n%s\n%s", i, a.File(), b.File())
		}
		c, err := ReadCase(a.File())
		if err != nil {
			t.Fatal(err)
		}
		if c.Source = a.Source; fmt.Sprint(*c) != fmt.Sprint(*a) {
			t.Fatalf("kernel %d is read as\n%+v\nnot\n%+v", i, *c, *a)
		}
	}
}

// TestShrink makes a kernel smaller for as long as it has a store under a mask, and ends with that store and
// little else.
func TestShrink(t *testing.T) {
	judge := must(NewJudge())
	for i := range uint64(20) {
		k := Generate(1, i)
		if masked(k) == 0 {
			continue
		}
		small := Shrink(k, 2000, func(k *Kernel) bool {
			_, err := judge.Compare(context.Background(), k.Case())
			return err == nil && masked(k) > 0
		})
		if n := len(small.Body); n > 3 || masked(small) != 1 {
			t.Errorf("kernel %d has %d statements left:\n%s", i, n, small.Case().File())
		}
	}
}

// masked counts the stores under masks in a kernel's body.
func masked(k *Kernel) int {
	n := 0
	for _, s := range k.Body {
		if s.Kind == "store" && s.Mask != nil {
			n++
		}
	}
	return n
}
