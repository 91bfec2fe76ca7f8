package conform

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// sumOf is a random expression of integers: its text, and its value in each lane of a program, which wraps
// around where its type ends.
type sumOf struct {
	text  string
	wide  bool // int64, else int32
	value func(program, lane int) int64
}

const (
	sumLanes    = 64
	sumsOfEach  = 12
	sumPrograms = 2
)

// sumArgs are the numbers that kernels get: near the ends of their types, and others.
var sumArgs = []int{1<<31 - 40, -1 << 31, 3, 1<<31 - 1, 1<<62 + 17, 123456789}

func wrapped(wide bool, v int64) int64 {
	if wide {
		return v
	}
	return int64(int32(v))
}

// sumLeaf is an expression without operands.
func sumLeaf(r *rand.Rand) sumOf {
	switch k := r.IntN(5); {
	case k < 2:
		return sumOf{"i", false, func(_, lane int) int64 { return int64(lane) }}
	case k < 3:
		return sumOf{"p", false, func(program, _ int) int64 { return int64(program) }}
	case k < 4:
		c := int64(r.IntN(1<<31)) >> r.IntN(31)
		return sumOf{fmt.Sprintf("tl.full((1, ), %d, tl.int32)", c), false, func(int, int) int64 { return c }}
	}
	n := r.IntN(len(sumArgs))
	v := int64(sumArgs[n])
	return sumOf{fmt.Sprint("a", n), v != int64(int32(v)), func(int, int) int64 { return v }}
}

func randomSum(r *rand.Rand, depth int) sumOf {
	if depth == 0 {
		return sumLeaf(r)
	}
	x := randomSum(r, depth-1)
	switch r.IntN(8) {
	case 0:
		return sumOf{"(" + x.text + ").to(tl.int64)", true, x.value}
	case 1:
		return sumOf{"(" + x.text + ").to(tl.int32)", false, func(p, l int) int64 {
			return int64(int32(x.value(p, l)))
		}}
	case 2:
		n := r.IntN(9)
		return sumOf{fmt.Sprintf("(%s << %d)", x.text, n), x.wide, func(p, l int) int64 {
			return wrapped(x.wide, x.value(p, l)<<n)
		}}
	}
	y := randomSum(r, r.IntN(depth))
	wide := x.wide || y.wide
	op, f := "+", func(a, b int64) int64 { return a + b }
	switch r.IntN(6) {
	case 0:
		op, f = "-", func(a, b int64) int64 { return a - b }
	case 1, 2, 3:
		op, f = "*", func(a, b int64) int64 { return a * b }
	case 4:
		return sumOf{"tl.maximum(" + x.text + ", " + y.text + ")", wide, func(p, l int) int64 {
			return max(x.value(p, l), y.value(p, l))
		}}
	}
	return sumOf{"(" + x.text + " " + op + " " + y.text + ")", wide, func(p, l int) int64 {
		return wrapped(wide, f(x.value(p, l), y.value(p, l)))
	}}
}

// TestWrappedSums stores integers that wrap around on the way: what is known of numbers as long as they do
// not overflow, as of addresses, must not become data.
func TestWrappedSums(t *testing.T) {
	for _, name := range []string{"interp", "cpu", "sim:90"} {
		s := txtest.Open(t, txtest.Device(t, name, nereid.OpenDevice).NewStream, t.Context())
		for seed := range uint64(8) {
			wrappedSums(t, s, name, seed)
		}
	}
}

func wrappedSums(t *testing.T, s *nereid.Stream, device string, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 51))
	var list []sumOf
	var b strings.Builder
	b.WriteString(header + "@triton.jit\ndef k(out")
	for i := range sumArgs {
		fmt.Fprintf(&b, ", a%d", i)
	}
	fmt.Fprintf(&b, "):\n    p = tl.program_id(0)\n    i = tl.arange(0, %d)\n", sumLanes)
	for n := range sumsOfEach {
		e := randomSum(r, 2+r.IntN(3))
		list = append(list, e)
		fmt.Fprintf(&b, "    tl.store(out + (p * %d + %d) * %d + i, tl.zeros((%[3]d, ), tl.int64) + (%s))\n",
			sumsOfEach, n, sumLanes, e.text)
	}
	m, err := nereid.Parse("sums.py", []byte(b.String()), nereid.With(nereid.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	out := make([]int64, sumPrograms*sumsOfEach*sumLanes)
	args := []any{nereid.FromSlice(out)}
	for _, a := range sumArgs {
		args = append(args, a)
	}
	if err := k.Launch(s, nereid.Grid{sumPrograms}, args...); err != nil {
		t.Fatalf("%s: %v\n%s", device, err, b.String())
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	for at, got := range out {
		p, n, lane := at/sumLanes/sumsOfEach, at/sumLanes%sumsOfEach, at%sumLanes
		if want := list[n].value(p, lane); got != want {
			t.Fatalf("%s, seed %d: %s is %d in lane %d of program %d, not %d", device, seed, list[n].text,
				got, lane, p, want)
		}
	}
}
