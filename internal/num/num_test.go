package num

import (
	"math"
	"testing"
)

// Every pattern of a small format decodes to a value that encodes back to it, and a value between two
// neighbours goes to the nearer one.
func TestSmallFormats(t *testing.T) {
	for _, f := range []*Format{F16, BF16, F8E5M2, F8E4M3FN, F8E4M3FNUZ, F8E5M2FNUZ, F8E4M3B11FNZ,
		F8E4M3, F8E3M4} {
		for b := uint64(0); b < 1<<f.Bits; b++ {
			v := f.Decode(b)
			if math.IsNaN(v) {
				if got := f.Decode(f.Encode(v)); !math.IsNaN(got) {
					t.Fatalf("%s %#x: NaN becomes %v", f.Name, b, got)
				}
				continue
			}
			if got := f.Encode(v); got != b {
				t.Fatalf("%s: decode(%#x) = %v, encode gives %#x", f.Name, b, v, got)
			}
		}
		for b := uint64(0); b < f.Max(); b++ {
			lo, hi := f.Decode(b), f.Decode(b+1)
			mid := (lo + hi) / 2
			even := b + b&1
			if got := f.Encode(mid); got != even {
				t.Fatalf("%s: tie between %#x and %#x goes to %#x", f.Name, b, b+1, got)
			}
			if got := f.Encode(math.Nextafter(mid, hi)); got != b+1 {
				t.Fatalf("%s: just above the tie of %#x gives %#x", f.Name, b, got)
			}
			if got := f.Encode(math.Nextafter(mid, lo)); got != b {
				t.Fatalf("%s: just below the tie of %#x gives %#x", f.Name, b, got)
			}
		}
	}
}

func TestOverflow(t *testing.T) {
	for _, c := range []struct {
		f    *Format
		v    float64
		want uint64
	}{
		{F16, 65519, 0x7bff}, {F16, 65520, 0x7c00}, {F16, -1e9, 0xfc00}, {F8E4M3FN, 448, 0x7e},
		{F8E4M3FN, 464, 0x7e}, {F8E4M3FN, 465, 0x7f}, {F8E5M2, 1e9, 0x7c}, {F8E4M3FNUZ, -1e9, 0x80},
		{F8E4M3FNUZ, math.Copysign(0, -1), 0}, {BF16, 1e39, 0x7f80}, {F16, 1e-320, 0},
	} {
		if got := c.f.Encode(c.v); got != c.want {
			t.Errorf("%s.Encode(%v) = %#x, want %#x", c.f.Name, c.v, got, c.want)
		}
	}
}
