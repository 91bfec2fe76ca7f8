package conform

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/nereid-lang/nereid"
)

// divergentBody stores, one number after the other, results in which docs/DIVERGENCES.md says devices differ.
// x has blocks of 256 equal numbers: a denormal, 0, -0, 1+2^-12, -(1+2^-11), 1, NaN.
const divergentBody = `
i = tl.arange(0, 16)
tiny = tl.load(x + i)
zero = tl.load(x + 256 + i)
minus = tl.load(x + 512 + i)
above = tl.load(x + 768 + i)
below = tl.load(x + 1024 + i)
at = i[:, None] * 16 + i[None, :]
m = tl.load(x + 768 + at)
ones = tl.load(x + 1280 + at)
n = zero.to(tl.int32)
tl.store(y + i, tl.sqrt(tiny))
tl.store(y + 16 + i, tl.rsqrt(tiny))
tl.store(y + 32 + i, tl.sqrt_rn(tiny))
tl.store(y + 48 + i, ((n + 5) // n).to(tl.float32))
tl.store(y + 64 + i, ((n + 5) % n).to(tl.float32))
tl.store(y + 80 + i, tl.minimum(zero, minus))
tl.store(y + 96 + i, tl.maximum(zero, minus))
tl.store(y + 112 + i, above * above + below)
tl.store(y + 128 + at, tl.dot(m, ones, input_precision="tf32"))
tl.store(y + 384 + i, (0.0 - zero).to(tl.float16).to(tl.float32))
tl.store(y + 432 + i, tl.clamp(tl.load(x + 1536 + i), -2.0, 2.0))
tl.store(y + 400 + tl.arange(0, 32), tl.cat(i, i + 16, can_reorder=True).to(tl.float32))
`

// TestDivergencesHere asks our own devices for what docs/DIVERGENCES.md says of them.
func TestDivergencesHere(t *testing.T) {
	tiny := float64(float32(1e-40))
	x, y := newArray(f32, 7*256), newArray(f32, 448)
	for i := range x.len() {
		x.setFloat(i, []float64{tiny, 0, math.Copysign(0, -1), 1 + 0x1p-12, -1 - 0x1p-11, 1,
			math.NaN()}[i/256])
	}
	k := kernelOf(t, "\n@triton.jit\ndef k(x, y):\n", divergentBody)
	for _, dev := range append(opened(t, "cpu", "sim:90", "sim:gfx942"), interpreter(t)) {
		name := dev.String()
		out := leaves(t, k, dev, nereid.Grid{1}, x, y)
		at := func(i int) float64 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:])))
		}
		host := name == "cpu" || name == "interp"
		expect := func(what string, holds bool, got float64) {
			if !holds {
				t.Errorf("%s on %s is %v", what, name, got)
			}
		}
		expect("sqrt of a denormal", (at(0) == 0) == (name == "sim:90"), at(0))
		expect("rsqrt of a denormal", math.IsInf(at(16), 1) == !host, at(16))
		expect("sqrt_rn of a denormal", at(32) == float64(float32(math.Sqrt(tiny))), at(32))
		if host {
			expect("5 // 0", at(48) == -1, at(48))
			expect("5 % 0", at(64) == -1, at(64))
		}
		if name != "cpu" {
			expect("minimum of 0 and -0", at(80) == 0 && math.Signbit(at(80)), at(80))
			expect("maximum of 0 and -0", at(96) == 0 && !math.Signbit(at(96)), at(96))
		}
		fused := 0.0
		if name != "interp" {
			fused = 0x1p-24
		}
		expect("a product and a sum", at(112) == fused || at(112) == 0, at(112))
		if name == "interp" || name == "sim:90" {
			expect("a dot of tf32", at(128) == 16, at(128))
		}
		expect("0.0 - 0 in fp16", at(384) == 0 && math.Signbit(at(384)) == (name == "sim:gfx942"), at(384))
		clamped := -2.0
		if name == "sim:90" {
			clamped = 2
		}
		expect("a clamp of NaN", at(432) == clamped, at(432))
		for i := range 32 {
			if name == "interp" {
				expect("an element of tl.cat", at(400+i) == float64(i), at(400+i))
			}
		}
	}
}
