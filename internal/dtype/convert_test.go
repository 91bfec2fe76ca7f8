package dtype

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"
)

func bytesOf[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// small lists the float types shorter than float32.
func small() (list []Type) {
	for t := range All() {
		if t.IsFloat() && t.Size() < 4 {
			list = append(list, t)
		}
	}
	return list
}

func element(t Type, b []byte, i int) uint64 {
	if t.Size() == 1 {
		return uint64(b[i])
	}
	return uint64(b[2*i]) | uint64(b[2*i+1])<<8
}

func same(a, b float64) bool {
	return a == b && math.Signbit(a) == math.Signbit(b) || a != a && b != b
}

// Every bit pattern of every small float decodes to what Decode says.
func TestConvertDecodesAll(t *testing.T) {
	for _, dt := range small() {
		n := 1 << (8 * dt.Size())
		src := make([]byte, n*dt.Size())
		for i := range n {
			src[i*dt.Size()] = byte(i)
			if dt.Size() == 2 {
				src[2*i+1] = byte(i >> 8)
			}
		}
		f32, f64 := make([]float32, n), make([]float64, n)
		Convert(Float32, bytesOf(f32), dt, src, n)
		Convert(Float64, bytesOf(f64), dt, src, n)
		for i := range n {
			if want := dt.Decode(uint64(i)); !same(float64(f32[i]), want) || !same(f64[i], want) {
				t.Fatalf("%s %#x: %g and %g, want %g", dt, i, f32[i], f64[i], want)
			}
		}
	}
}

// boundaries returns, for a small float, each value, the value half way to the next, and their neighbours as
// float64 and as float32.
func boundaries(dt Type) []float64 {
	out := []float64{math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(math.NaN(), -1), 5e-324, -5e-324,
		1e-310, 1e300, -1e300,
		math.MaxFloat32, math.SmallestNonzeroFloat32, math.MaxFloat64}
	step := uint64(1)
	if dt.Size() == 2 {
		step = 7 // one in seven of 65,536; all exponents
	}
	for i := uint64(0); i < 1<<(8*dt.Size()); i += step {
		v := dt.Decode(i)
		if v != v || math.IsInf(v, 0) {
			continue
		}
		for _, x := range []float64{v, (v + dt.Decode(i+1)) / 2} {
			out = append(out, x, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, math.Inf(-1)))
			y := float32(x)
			out = append(out, float64(math.Nextafter32(y, float32(math.Inf(1)))),
				float64(math.Nextafter32(y, float32(math.Inf(-1)))))
		}
	}
	return out
}

// Encoding rounds as Encode does: at the boundaries, and for random bits of float32 and float64.
func TestConvertEncodes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dt := range small() {
		f64 := boundaries(dt)
		for range 200_000 {
			f64 = append(f64, float64(math.Float32frombits(r.Uint32())), math.Float64frombits(r.Uint64()),
				r.NormFloat64(), math.Ldexp(r.NormFloat64(), r.IntN(60)-40))
		}
		f32 := make([]float32, len(f64))
		for i, v := range f64 {
			f32[i] = float32(v)
		}
		from32, from64 := make([]byte, len(f64)*dt.Size()), make([]byte, len(f64)*dt.Size())
		Convert(dt, from32, Float32, bytesOf(f32), len(f32))
		Convert(dt, from64, Float64, bytesOf(f64), len(f64))
		for i, v := range f64 {
			if got, want := element(dt, from64, i), dt.Encode(v); got != want {
				t.Fatalf("%s of %g (%#x): %#x, want %#x", dt, v, math.Float64bits(v), got, want)
			}
			if got, want := element(dt, from32, i), dt.Encode(float64(f32[i])); got != want {
				t.Fatalf("%s of the float32 %g (%#x): %#x, want %#x", dt, f32[i], math.Float32bits(f32[i]),
					got, want)
			}
		}
	}
}

// Between all pairs of types, small values arrive as they are.
func TestConvertPairs(t *testing.T) {
	values := []float64{0, 1, 1, 0, 1}
	word := func(dt Type, list []float64) []byte {
		out := make([]byte, 0, 8*len(list))
		for _, v := range list {
			bits := dt.Encode(v)
			for range dt.Size() {
				out, bits = append(out, byte(bits)), bits>>8
			}
		}
		return out
	}
	for from := range All() {
		for to := range All() {
			got := make([]byte, len(values)*to.Size())
			Convert(to, got, from, word(from, values), len(values))
			if want := word(to, values); string(got) != string(want) {
				t.Errorf("%s to %s: % x, want % x", from, to, got, want)
			}
		}
	}
	wide := []int64{-1, 1<<40 + 5, math.MinInt64, 0}
	u64, i8, b := make([]uint64, 4), make([]int8, 4), make([]byte, 4)
	Convert(Uint64, bytesOf(u64), Int64, bytesOf(wide), 4)
	Convert(Int8, bytesOf(i8), Int64, bytesOf(wide), 4)
	Convert(Bool, b, Int64, bytesOf(wide), 4)
	if u64[0] != math.MaxUint64 || u64[1] != 1<<40+5 || i8[0] != -1 || i8[1] != 5 ||
		string(b) != "\x01\x01\x01\x00" {
		t.Error(u64, i8, b)
	}
}

// BenchmarkConvert measures bytes of the float32 side; best-GB/s is that of the fastest call, which a busy
// machine disturbs least.
func BenchmarkConvert(b *testing.B) {
	const n = 1 << 14
	f := make([]float32, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range f {
		f[i] = float32(r.NormFloat64())
	}
	for _, dt := range []Type{Float16, BFloat16, Float8E4NV, Float8E5} {
		other := make([]byte, n*dt.Size())
		b.Run(dt.String()+"/encode", func(b *testing.B) {
			best(b, 4*n, func() { Convert(dt, other, Float32, bytesOf(f), n) })
		})
		b.Run(dt.String()+"/decode", func(b *testing.B) {
			best(b, 4*n, func() { Convert(Float32, bytesOf(f), dt, other, n) })
		})
	}
}

func best(b *testing.B, bytes int64, f func()) {
	b.SetBytes(bytes)
	least := time.Hour
	for b.Loop() {
		start := time.Now()
		f()
		least = min(least, time.Since(start))
	}
	b.ReportMetric(float64(bytes)/float64(least.Nanoseconds()), "best-GB/s")
}
