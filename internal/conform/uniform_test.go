package conform

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"testing"

	"github.com/nereid-lang/nereid"
)

// uniformBody divides numbers from memory, of any sign, and the program's own by sizes that the host knows:
// arguments, sums and quotients of them, the number of programs.
const uniformBody = `
i = tl.arange(0, 64)
p = tl.program_id(0)
n = tl.load(x + p * 64 + i)
tiles = tl.cdiv(a, 4) + b // 3
y += p * 64 * 8 + i
tl.store(y, n // a)
tl.store(y + 64, n % a)
tl.store(y + 128, (n // b) % a)
tl.store(y + 192, p // tiles + (p * 64 + i) // b * tl.num_programs(0))
tl.store(y + 256, (p * 64 + i) % tl.num_programs(0) + tiles)
m = n.to(tl.int64) * 4000000007
q = m // c
tl.store(y + 320, q.to(tl.int32) ^ (q >> 32).to(tl.int32))
r = m % c
tl.store(y + 384, r.to(tl.int32) ^ (r >> 32).to(tl.int32))
h = min(tl.maximum(a - p * 3, 1), 3)
tl.store(y + 448, n % tl.num_programs(0) + p // h * 100 + p % h)
`

// TestUniformWide divides numbers of 64 bits that all lie on one side of 31, 32, 63 bits or zero, by an
// argument: programs whose numbers are short take a shorter way.
func TestUniformWide(t *testing.T) {
	edges := []int64{0, 64, 1<<31 - 64, 1 << 31, 1<<31 + 12345, 1<<32 - 64, 1 << 32, 1<<33 + 7, 1 << 62,
		math.MaxInt64 - 63, -64, -1 << 31, -1<<31 - 64, -1 << 32, math.MinInt64}
	x := newArray(i64, 64*len(edges))
	for i := range x.len() {
		x.setInt(i, edges[i/64]+int64(i%64))
	}
	k := kernelOf(t, "\n@triton.jit\ndef k(x, y, c):\n", `
i = tl.program_id(0) * 64 + tl.arange(0, 64)
n = tl.load(x + i)
tl.store(y + i * 2, n // c)
tl.store(y + i * 2 + 1, n % c)
`)
	judge := interpreter(t)
	for _, dev := range opened(t, "sim:90", "sim:gfx942") {
		for _, c := range []int{2, 3, 7, 1000003, math.MaxInt32, 1 << 31, 1<<32 - 1, 1<<32 + 1, 1<<40 + 9, -3,
			-1 << 31} {
			run := func(dev *nereid.Device) []byte {
				return leaves(t, k, dev, nereid.Grid{len(edges)}, x, newArray(i64, 2*x.len()), c)
			}
			if want, got := run(judge), run(dev); !bytes.Equal(got, want) {
				at := 0
				for got[at] == want[at] {
					at++
				}
				t.Errorf("%s: %d divided by %d, or its remainder, is wrong", dev, x.int(at/16), c)
			}
		}
	}
}

// TestUniform divides by arguments of any size and sign on the simulated GPUs, and by no other way than a
// multiplication: programs divide only by what depends on their number.
func TestUniform(t *testing.T) {
	const programs = 5
	x := newArray(i32, 64*programs)
	for i := range x.len() {
		v := int64(i-100) * int64(i) * 7919
		for k, edge := range []int64{math.MinInt32, math.MaxInt32, -1, 0, 1 << 16, -1 << 16} {
			if i%64 == 10*k {
				v = edge
			}
		}
		x.setInt(i, int64(int32(v)))
	}
	judge := interpreter(t)
	for _, dev := range opened(t, "sim:90", "sim:80") {
		dump := t.TempDir()
		k := kernelOf(t, "\n@triton.jit\ndef k(x, y, a, b, c):\n", uniformBody,
			nereid.With(nereid.Config{Dump: dump}))
		for _, a := range []int{2, 3, 7, 10, -3, 255, -256, 65537, math.MaxInt32 - 3, math.MinInt32 + 5} {
			for _, c := range []int{2, 5, 1 << 31, 1<<40 + 1, -1<<33 - 9} {
				run := func(dev *nereid.Device) []byte {
					return leaves(t, k, dev, nereid.Grid{programs}, x, newArray(i32, 64*8*programs), a, 9, c)
				}
				if want, got := run(judge), run(dev); !bytes.Equal(want, got) {
					t.Fatalf("%v: a %d, c %d: results differ %s", dev, a, c, firstDifference(want, got))
				}
			}
		}
		checkDivisions(t, dump)
	}
}

// TestUniformHashes divides hashes of indices by an argument. Their products wrap around, so that some are
// negative although no index is.
func TestUniformHashes(t *testing.T) {
	judge := interpreter(t)
	for _, dev := range opened(t, "sim:90", "sim:80") {
		k := kernelOf(t, "\n@triton.jit\ndef k(x, y, n):\n", `
i = tl.program_id(0) * 64 + tl.arange(0, 64)
tl.store(y + i, (i * 1103515245 + 12345) % n)
tl.store(y + 512 + i, (i * 1103515245 + 12345) // n)
tl.store(y + 1024 + i, (tl.program_id(0) * 1812433253 + 1) % n)
tl.store(y + 1536 + i, ((i + 7).to(tl.int64) * 6364136223846793005 % n).to(tl.int32))
tl.store(y + 2048 + i, ((i + 60000) * 48271) % n)`)
		run := func(dev *nereid.Device) []byte {
			return leaves(t, k, dev, nereid.Grid{8}, newArray(i32, 64), newArray(i32, 2560), 1000)
		}
		if want, got := run(judge), run(dev); !bytes.Equal(want, got) {
			t.Errorf("%v: results differ %s", dev, firstDifference(want, got))
		}
	}
}

// firstDifference names the first of the numbers that differ.
func firstDifference(want, got []byte) string {
	for i := range want {
		if want[i] != got[i] {
			i &^= 3
			return fmt.Sprintf("at %d: % x, want % x", i/4, got[i:i+4], want[i:i+4])
		}
	}
	return ""
}

var divides = regexp.MustCompile(`\t(div|rem)\.[us]\d+`)

// checkDivisions finds the PTX that was dumped, which divides by the height of a group alone.
func checkDivisions(t *testing.T, dump string) {
	t.Helper()
	for _, text := range dumped(t, dump, "ptx") {
		if n := len(divides.FindAllString(text, -1)); n > 1 {
			t.Errorf("%d divisions, want 1", n)
		}
	}
}
