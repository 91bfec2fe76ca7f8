package conform

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

// formula returns a random condition on the indices i and j and the numbers a, b and c.
func formula(r *rand.Rand, depth int, indices ...string) string {
	if depth > 0 {
		switch r.IntN(4) {
		case 0:
			return "~" + formula(r, depth-1, indices...)
		case 1, 2:
			x, y := formula(r, depth-1, indices...), formula(r, depth-1, indices...)
			return "(" + x + []string{" & ", " & ", " | "}[r.IntN(3)] + y + ")"
		}
	}
	index := indices[r.IntN(len(indices))]
	left := []string{index, index, index + " * 2", index + " + a", "9 - " + index}[r.IntN(5)]
	op := []string{"<", "<=", ">", ">="}[r.IntN(4)]
	return "(" + left + " " + op + " " + []string{"a", "b", "c", "7", "b - 2"}[r.IntN(5)] + ")"
}

// TestMaskFormulas loads, stores and chooses rows under random conditions. The CPU's code makes bounds of
// conditions and of their negations, pieces of choices, and leaves the rest to masks; GPUs keep masks.
func TestMaskFormulas(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 4))
	judge, devices := interpreter(t), opened(t, "cpu", "sim:90")
	x := numbers(i32, 32*64)
	for n := range 40 {
		body := fmt.Sprintf(`
i, j = tl.arange(0, 32)[:, None], tl.arange(0, 64)[None, :]
v = tl.load(x + i * 64 + j, mask=%s, other=-5)
row = tl.where(%s, i, %s)
w = tl.load(x + row * 64 + j)
tl.store(y + i * 64 + j, v * 1000 + w, mask=%s)
`, formula(r, 3, "i", "j"), formula(r, 1+n%2, "i"), []string{"3", "i - i", "31 - i"}[r.IntN(3)],
			formula(r, 2, "i", "j"))
		k := kernelOf(t, "@triton.jit\ndef k(x, y, a, b, c):\n", body)
		for range 4 {
			args := []any{r.IntN(50) - 10, r.IntN(50) - 10, r.IntN(50) - 10}
			want := leaves(t, k, judge, nereid.Grid{1}, x, newArray(i32, 32*64), args...)
			for _, dev := range devices {
				if dev.String() != "cpu" && n%8 != 0 {
					continue
				}
				got := leaves(t, k, dev, nereid.Grid{1}, x, newArray(i32, 32*64), args...)
				if !bytes.Equal(got, want) {
					t.Errorf("%s differs for a, b, c = %v:%s", dev, args, strings.TrimRight(body, "\n"))
				}
			}
		}
	}
}

// TestWrappedOperand multiplies rows that wrap around and have a lower bound. The CPU's code reads a matrix
// in place that does not wrap; where it begins behind the first row, there are zeros before it.
func TestWrappedOperand(t *testing.T) {
	k := kernelOf(t, "@triton.jit\ndef k(x, y, n, a, b):\n", `
i, j = tl.arange(0, 32), tl.arange(0, 16)
rows = (tl.program_id(0) * 32 + i) % n
here = (i >= a) & (i < b)
v = tl.load(x + rows[:, None] * 16 + j[None, :], mask=here[:, None], other=0.0)
w = tl.load(x + j[:, None] * 16 + j[None, :])
u = tl.dot(v, w, input_precision="ieee")
tl.store(y + (tl.program_id(0) * 32 + i)[:, None] * 16 + j[None, :], u)
`)
	judge, dev := interpreter(t), opened(t, "cpu")[0]
	x := numbers(f32, 96*16)
	for _, args := range [][]any{{64, 0, 32}, {64, 5, 32}, {64, 5, 20}, {64, 31, 40}, {40, 0, 32},
		{40, 3, 30}, {17, 2, 32}, {64, 20, 10}, {64, -3, 8}, {64, 40, 50}} {
		want := leaves(t, k, judge, nereid.Grid{2}, x, newArray(f32, 64*16), args...)
		got := leaves(t, k, dev, nereid.Grid{2}, x, newArray(f32, 64*16), args...)
		if !bytes.Equal(got, want) {
			t.Errorf("the product differs for n, a, b = %v", args)
		}
	}
}

// TestPartialCopies multiplies matrices whose last columns are cut off in the midst of a copy's 16 bytes, by
// comparisons of every kind. Copies read as many elements as lie below all bounds, and zeros behind.
func TestPartialCopies(t *testing.T) {
	dev, judge := opened(t, "sim:90")[0], interpreter(t)
	partial := regexp.MustCompile(`cp\.async\.c[ag]\S+ .*, (8|16), %r`)
	for _, inside := range []string{
		"j < left", "j <= left - 1", "left > j", "left - 1 >= j", "(j < left) & (j <= a)", "(a >= j) & (left > j)",
		"(step * 32 + j).to(tl.int64) < n.to(tl.int64)", "(step * 32 + j).to(tl.int64) <= (n - 1).to(tl.int64)",
		"(j // 8 * 8 < left) & (j < left)", "(j // 4 * 4 <= a) & (j < left)", "(j < left) & (a > 3)",
	} {
		dump := t.TempDir()
		k := kernelOf(t, "@triton.jit\ndef k(x, y, a, n):\n", `
i, j = tl.arange(0, 32), tl.arange(0, 32)
sum = tl.zeros((32, 32), tl.float32)
for step in range(tl.cdiv(n, 32)):
    left = n - step * 32
    here = `+inside+`
    rows = i[:, None] < a
    v = tl.load(x + i[:, None] * 128 + step * 32 + j[None, :], mask=rows & here[None, :], other=0.0)
    w = tl.load(x + i[None, :] * 128 + step * 32 + j[:, None], mask=here[:, None], other=0.0)
    sum += tl.dot(v, w)
tl.store(y + i[:, None] * 32 + i[None, :], sum)
`, nereid.With(nereid.Config{Dump: dump}))
		x := numbers(f16, 32*128)
		for _, args := range [][]any{{7, 97}, {30, 103}, {11, 39}, {-1, 70}} {
			run := func(dev *nereid.Device) []byte {
				return leaves(t, k, dev, nereid.Grid{1}, x, newArray(f32, 32*32), args...)
			}
			if !bytes.Equal(run(judge), run(dev)) {
				t.Errorf("%s: the product differs for a, n = %v", inside, args)
			}
		}
		if !slices.ContainsFunc(dumped(t, dump, "ptx"), partial.MatchString) {
			t.Errorf("%s: no copy has a number of bytes", inside)
		}
	}
}

// TestMergedBranches takes branches whose sides do the same with different pointers, numbers and masks. They
// become one side; one that also adds does not.
func TestMergedBranches(t *testing.T) {
	dev, judge := opened(t, "sim:90")[0], interpreter(t)
	for _, c := range []struct {
		then, other string
		merged      bool
	}{
		{"v = tl.load(x + i, mask=i < n, other=-1)", "v = tl.load(y + i, mask=i < n, other=-1)", true},
		{"v = tl.load(x + i, mask=a > 9, other=7) * a", "v = tl.load(x + i, mask=b > 9, other=7) * b", true},
		{"v = i\ntl.store(y + i, a)", "v = i\ntl.store(y + i, b)", true},
		{"v = i\ntl.store(y + i, a)", "v = i\ntl.store(y + i + 1, b)", false},
		{"v = tl.load(x + i)", "v = tl.load(y + i) + 1", false},
		{"v = tl.load(x + i)", "v = tl.load(y + n + i)", false},
	} {
		dump := t.TempDir()
		k := kernelOf(t, "@triton.jit\ndef k(x, y, n, which):\n", `
i = tl.arange(0, 256)
a, b = tl.load(x + 255 - i), tl.load(y + 300 - i)
if tl.load(which) > 0:
`+indent(c.then)+"else:\n"+indent(c.other)+"tl.store(y + 512 + i, v)\n",
			nereid.With(nereid.Config{Dump: dump}))
		for which := range 2 {
			flag := newArray(i32, 1)
			flag.setFloat(0, float64(which))
			run := func(dev *nereid.Device) []byte {
				x, y := numbers(i32, 256), numbers(i32, 768)
				return leaves(t, k, dev, nereid.Grid{1}, x, y, 37, lend(t, dev, flag))
			}
			if !bytes.Equal(run(judge), run(dev)) {
				t.Errorf("%q or %q, %d: results differ", c.then, c.other, which)
			}
		}
		if got := !strings.Contains(onlyTTGIR(t, dump), "scf.if"); got != c.merged {
			t.Errorf("%q or %q: merged: %v", c.then, c.other, got)
		}
	}
}

func indent(lines string) string { return "    " + strings.ReplaceAll(lines, "\n", "\n    ") + "\n" }

// TestIndexFormulas loads and stores at quotients and remainders of indices, of negative ones too: a thread
// computes some of its elements from others, where their indices count up or are equal.
func TestIndexFormulas(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	judge, devices := interpreter(t), opened(t, "cpu", "sim:90", "sim:gfx942")
	x := numbers(i32, 4096)
	for range 8 {
		body := "\ni = tl.arange(0, 2048)\n"
		for n := range 4 {
			body += fmt.Sprintf("k%d = %s\ntl.store(y + %d + i, tl.load(x + (k%[1]d & 4095)) + k%[1]d)\n", n,
				indexFormula(r, 5), n*2048)
		}
		k := kernelOf(t, "@triton.jit\ndef k(x, y, a):\n", body)
		for _, a := range []int{6, -16} {
			want := leaves(t, k, judge, nereid.Grid{1}, x, newArray(i32, 4*2048), a)
			for _, dev := range devices {
				got := leaves(t, k, dev, nereid.Grid{1}, x, newArray(i32, 4*2048), a)
				if !bytes.Equal(got, want) {
					t.Errorf("%s differs for a = %d:%s", dev, a, strings.TrimRight(body, "\n"))
				}
			}
		}
	}
}

// indexFormula returns a formula of the index i and the number a.
func indexFormula(r *rand.Rand, depth int) string {
	if depth == 0 {
		return "i"
	}
	x := indexFormula(r, depth-1)
	switch r.IntN(7) {
	case 0, 1:
		return fmt.Sprintf("(%s // %d)", x, []int{2, 4, 8, 3}[r.IntN(4)])
	case 2, 3:
		return fmt.Sprintf("(%s %% %d)", x, []int{4, 16, 24, 64, 5}[r.IntN(5)])
	case 4:
		return fmt.Sprintf("(%s - %d)", x, []int{32, 48, 7, 2000}[r.IntN(4)])
	case 5:
		return fmt.Sprintf("(%s * %d)", x, []int{2, 4, -4, 3}[r.IntN(4)])
	}
	return fmt.Sprintf("(%s + a)", x)
}
